"""Recomputes a verdict package from nothing but the package, and says what differs."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from pydantic import BaseModel

from agents.claims.copies import with_copies_marked
from agents.claims.costs import cost_row
from agents.claims.evidence import EvidenceRow
from agents.claims.matching.decision import compare
from agents.claims.matching.earlier import first_told
from agents.claims.package.audit_loop import audit_loop, part_limits
from agents.claims.package.model import CostRow, SubResult, VerdictPackage
from agents.claims.package.rebuilding import job_of, policy_of
from agents.claims.package.rows import trace_id
from agents.claims.package.single import build_package
from agents.claims.parts.joining import missing_result, sub_result
from agents.claims.parts.packaging import build_parent_package
from scoring.claim_match import ClaimQuery
from scoring.derivation import Derivation, replay
from scoring.ranking import recompute
from storage.ports import sub_job_id

TOLERANCE = 1e-9
STANCE_TOLERANCE = 1e-3
"""Models give probabilities in single precision, and some are rounded on their way."""

SHARED = ("semantic_min", "semantic_max", "kg_min", "kg_max", "as_of", "claim_type")
"""Inputs that all scores of one ranking have in common."""

GIVEN = (
    "schema_version",
    "job_id",
    "parent_job_id",
    "attempt",
    "claim",
    "room_id",
    "source",
    "domain",
    "reading",
    "proposal",
    "loop",
    "language",
    "policy",
    "timings",
    "as_of",
    "decided_at",
)
"""Fields that nothing in the package derives: what was asked, what was counted on the way, and when.

In the package of a decomposed claim the loop is that of its sub-claims together, and follows from them.
"""
DERIVED = [name for name in VerdictPackage.model_fields if name not in (*GIVEN, "cost")]
"""Fields that follow from the evidence and the policy; the cost is the sum of what is given."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One value that does not follow from the rest."""

    where: str
    stated: Any
    recomputed: Any

    def __str__(self) -> str:
        return f"{self.where}: the package says {self.stated!r}, recomputed it is {self.recomputed!r}"


def audit(package: VerdictPackage) -> list[Difference]:
    """Everything that differs: steps replayed, scores computed from their inputs, and the whole package built anew.

    A verdict that was repeated is first held against the job that it came from, then recomputed as that job's.
    """
    try:
        policy_of(package)
    except ValueError as error:
        return [Difference("policy.values", "a policy", str(error))]
    return [*_matched(package), *_audit(first_told(package))]


def _matched(package: VerdictPackage) -> Iterator[Difference]:
    """That an earlier job was really asked the same, and how long ago."""
    match = package.match
    yield from _compare("matched_job_id", package.matched_job_id, match.job_id if match is not None else None)
    if match is None:
        return
    yield from _compare("match.age_seconds", match.age_seconds, match.aged(package.decided_at).age_seconds)
    exact = match.kind == "exact"
    asked = package.claim if exact else package.reading.standalone
    same = compare(match.claim, asked, match.similarity).kind
    if same is None or (exact and same != "exact"):
        yield Difference("match.claim", match.claim, "another claim than this job's")
    if exact:
        yield from _compare("cost", _document(package.cost), _document(CostRow()))
        yield from _compare("trace_id", package.trace_id, trace_id(package.job_id, package.attempt))


def _audit(package: VerdictPackage) -> list[Difference]:
    if package.sub_results:
        return _decomposed(package)
    rebuilt = build_package(job_of(package), policy_of(package), package.trust_policy_mode, package.decided_at)
    return [
        *_replayed(package),
        *_scores(package),
        *_stances(package),
        *_copies(package),
        *_looped(package),
        *_cost(package),
        *_differing(package, rebuilt, DERIVED),
    ]


def _decomposed(package: VerdictPackage) -> list[Difference]:
    """The package of each sub-claim on its own, then the parent's from what they say."""
    rebuilt = build_parent_package(
        job_of(package), package.sub_results, policy_of(package), package.trust_policy_mode, package.decided_at
    )
    differences = [*_replayed(package), *_cost(package), *_differing(package, rebuilt, [*DERIVED, "loop"])]
    claims = package.reading.subclaims
    if len(claims) != len(package.sub_results):
        differences.append(Difference("sub_results", len(package.sub_results), len(claims)))
    shares = part_limits(package.loop.limits, len(claims))
    for number, (sub, claim) in enumerate(zip(package.sub_results, claims, strict=False), start=1):
        where = f"sub_results.{number - 1}"
        expected = _expected(sub, sub_job_id(package.job_id, number), claim)
        differences += _compare(where, _document(sub), _document(expected))
        if sub.package is not None:
            differences += _compare(f"{where}.package.parent_job_id", sub.package.parent_job_id, package.job_id)
            differences += _compare(f"{where}.package.loop.limits", dict(sub.package.loop.limits), shares[number - 1])
            own = audit(sub.package)
            differences += [replace(one, where=f"{where}.package.{one.where}") for one in own]
    return differences


def _expected(sub: SubResult, job_id: str, claim: str) -> SubResult:
    """What a row must say by its package, or by being missing; it is about the part that stands in its place."""
    if sub.package is None:
        return missing_result(job_id, claim, sub.missing or "deadline", sub.reasoning)
    return sub_result(sub.package).model_copy(update={"job_id": job_id, "claim": claim})


def _differing(package: VerdictPackage, rebuilt: VerdictPackage, names: Sequence[str]) -> Iterator[Difference]:
    stated, again = _document(package), _document(rebuilt)
    for name in names:
        yield from _compare(name, stated[name], again[name])


def _document(model: BaseModel) -> Any:
    return json.loads(model.model_dump_json())


def _replayed(package: VerdictPackage) -> Iterator[Difference]:
    """Each derivation ends on its own value, and each step on its own result."""
    for where, derivation in _derivations(package):
        try:
            value = replay(derivation)
        except ValueError as error:
            yield Difference(where, "a derivation", str(error))
            continue
        if abs(value - derivation.value) > TOLERANCE:
            yield Difference(f"{where}.value", derivation.value, value)


def _derivations(package: VerdictPackage) -> Iterator[tuple[str, Derivation]]:
    for name, derivation in package.derivations.items():
        yield f"derivations.{name}", derivation
    for number, row in enumerate(package.evidence):
        yield f"evidence.{number}.score", row.score


def _scores(package: VerdictPackage) -> Iterator[Difference]:
    """A score follows from its inputs, and its inputs from the row, its text, the claim and the policy."""
    policy = policy_of(package)
    names = [one.name for one in package.reading.entities]
    read = package.reading.standalone
    query = ClaimQuery.of(read, names, (), package.domain, policy.ranking.focus_window_words)
    shared = {name: package.evidence[0].score.inputs.get(name) for name in SHARED} if package.evidence else {}
    for number, row in enumerate(package.evidence):
        where = f"evidence.{number}.score"
        inputs = row.score.inputs
        try:
            again = recompute(inputs)
        except ValueError as error:
            yield Difference(where, "inputs", str(error))
            continue
        yield from _compare(where, _plain(row.score), _plain(again))
        constants = {"policy": asdict(policy.ranking.score), **asdict(policy.ranking.weights(query.profile.kind))}
        for follows in (_of_row(row), query.match(row.candidate())._asdict(), constants, shared):
            yield from _compare(f"{where}.inputs", {name: inputs.get(name) for name in follows}, follows)


def _stances(package: VerdictPackage) -> Iterator[Difference]:
    """Three probabilities add up to one."""
    for number, row in enumerate(package.evidence):
        total = row.stance.supports + row.stance.refutes + row.stance.neutral
        if abs(total - 1.0) > STANCE_TOLERANCE:
            yield Difference(f"evidence.{number}.stance", total, 1.0)


def _copies(package: VerdictPackage) -> Iterator[Difference]:
    """Which rows repeat which others follows from their texts."""
    again = with_copies_marked(package.evidence, policy_of(package).stories)
    for number, (stated, row) in enumerate(zip(package.evidence, again, strict=True)):
        yield from _compare(f"evidence.{number}.same_as", stated.same_as, row.same_as)


def _looped(package: VerdictPackage) -> Iterator[Difference]:
    """The loop's own record."""
    for where, stated, again in audit_loop(package.loop, policy_of(package)):
        yield from _compare(where, stated, again)


def _cost(package: VerdictPackage) -> Iterator[Difference]:
    """What was used adds up."""
    again = cost_row(package.language, package.loop, package.timings, package.sub_results)
    yield from _compare("cost", _document(package.cost), _document(again))


def _of_row(row: EvidenceRow) -> dict[str, Any]:
    return {
        "semantic_raw": row.semantic_raw,
        "semantic": row.semantic,
        "kg_raw": row.kg,
        "credibility": row.credibility,
        "claim_overlap": row.claim_overlap,
        "entity_overlap": row.entity_overlap,
        "anchor_match_score": row.anchor_match_score,
        "recency_boost": row.recency,
    }


def _plain(derivation: Derivation) -> Any:
    steps = [[step.name, step.op, step.value, step.result] for step in derivation.steps]
    return json.loads(json.dumps({"inputs": dict(derivation.inputs), "steps": steps, "value": derivation.value}))


def _compare(where: str, stated: Any, again: Any) -> Iterator[Difference]:
    """Numbers within the tolerance, everything else exactly."""
    if isinstance(stated, dict) and isinstance(again, dict):
        for name in sorted(stated.keys() | again.keys()):
            yield from _compare(f"{where}.{name}", stated.get(name), again.get(name))
    elif isinstance(stated, list) and isinstance(again, list) and len(stated) == len(again):
        for number, (one, other) in enumerate(zip(stated, again, strict=True)):
            yield from _compare(f"{where}.{number}", one, other)
    elif _is_number(stated) and _is_number(again):
        if abs(stated - again) > TOLERANCE:
            yield Difference(where, stated, again)
    elif stated != again:
        yield Difference(where, stated, again)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
