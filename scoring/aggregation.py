"""One verdict from the verdicts of a claim's sub-claims (004 §8), and what they are to the parent: its parts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from scoring.coverage import Link, Segment
from scoring.news import DEFAULT, Citation, NewsPolicy, merge_citations
from scoring.truthfulness import CONTRADICTED, SUPPORTED
from scoring.values import Label, SegmentStatus, Verdict
from scoring.verdict_words import label_of, status_of

Rule = Literal["split", "any_refuted", "any_mixed", "all_supported", "all_not_enough", "otherwise_mixed"]

_HOLDS = (Verdict.TRUE, Verdict.PARTIALLY_TRUE)


@dataclass(frozen=True, slots=True)
class SubResult:
    """What became of one sub-claim. `status` and what follows it come from its own adaptive trust."""

    claim: str
    verdict: Verdict
    conflict: bool = False
    citations: tuple[Citation, ...] = ()
    status: SegmentStatus = SegmentStatus.UNKNOWN
    coverage: float = 0.0
    best_evidence_id: str = ""
    links: tuple[Link, ...] = ()

    @property
    def label(self) -> Label:
        return label_of(self.verdict, conflict=self.conflict)


@dataclass(frozen=True, slots=True)
class Aggregated:
    """The parent's verdict in both vocabularies, the rule that gave it, and the merged citations."""

    verdict: Verdict
    label: Label
    conflict: bool
    rule: Rule
    citations: tuple[Citation, ...]


def aggregate(results: Sequence[SubResult], policy: NewsPolicy = DEFAULT) -> Aggregated:
    """The first rule that applies, in the specification's order.

    Where the policy does not let one refuted part refute the whole, parts that hold beside refuted ones split it.
    """
    if not results:
        raise ValueError("aggregation needs at least one sub-result")
    rule = _rule(results, policy)
    verdict = _verdict(rule, results)
    conflict = verdict is Verdict.UNVERIFIABLE and rule in ("any_mixed", "otherwise_mixed")
    return Aggregated(
        verdict=verdict,
        label=label_of(verdict, conflict=conflict),
        conflict=conflict,
        rule=rule,
        citations=merge_citations([result.citations for result in results], policy),
    )


def parent_segments(results: Sequence[SubResult]) -> tuple[Segment, ...]:
    """The sub-results as parts of the parent, for its coverage, truthfulness and confidence (000 §6-7)."""
    return tuple(
        Segment(
            text=result.claim,
            status=_status(result),
            weight=result.coverage,
            contested=result.conflict,
            best_evidence_id=result.best_evidence_id,
            links=result.links,
        )
        for result in results
    )


def _status(result: SubResult) -> SegmentStatus:
    """That of the part's own statement where its verdict says the same: whether it was corroborated, or objected to."""
    same_side = {Verdict.TRUE: SUPPORTED, Verdict.FALSE: CONTRADICTED}.get(result.verdict, ())
    return result.status if result.status in same_side else status_of(result.verdict)


def _rule(results: Sequence[SubResult], policy: NewsPolicy) -> Rule:
    labels = [result.label for result in results]
    if Label.REFUTED in labels and not policy.refuted_part_refutes and _some_hold(results):
        return "split"
    if Label.REFUTED in labels:
        return "any_refuted"
    if Label.MIXED in labels:
        return "any_mixed"
    if all(label is Label.SUPPORTED for label in labels):
        return "all_supported"
    return "all_not_enough" if all(label is Label.NOT_ENOUGH for label in labels) else "otherwise_mixed"


def _verdict(rule: Rule, results: Sequence[SubResult]) -> Verdict:
    """Mixed is PARTIALLY_TRUE where some part is at least partly true, else sources conflict over all of it."""
    if rule == "any_refuted":
        return Verdict.FALSE
    if rule == "all_supported":
        return Verdict.TRUE
    if rule == "all_not_enough":
        return Verdict.UNVERIFIABLE
    return Verdict.PARTIALLY_TRUE if _some_hold(results) else Verdict.UNVERIFIABLE


def _some_hold(results: Sequence[SubResult]) -> bool:
    return any(result.verdict in _HOLDS for result in results)
