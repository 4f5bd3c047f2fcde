"""003 §6 and §7: coverage, unsupported rate, gates, the decision to revise and how revising ends."""

import json
import math
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.article_policy import ArticlePolicy
from scoring.derivation import replay
from scoring.drafts.citations import Importance
from scoring.drafts.claims import DraftClaim
from scoring.drafts.matching import Match, SupportLevel
from scoring.drafts.policy import DraftPolicy
from scoring.drafts.quality import (
    LedgerEntry,
    QualityPolicy,
    evidence_coverage,
    recompute_share,
    summarise,
    unsupported_rate,
)
from scoring.drafts.revision import (
    RevisionAttempt,
    RevisionPolicy,
    decide_revision,
    revision_strategy,
    terminate_revision,
)
from scoring.drafts.verdicts import DraftVerdict, JudgedMatch, judge_claim

MATCHES = {
    DraftVerdict.SUPPORTED: [JudgedMatch(Match("x", 0.8, "citation"), SupportLevel.FULL)],
    DraftVerdict.WEAK: [JudgedMatch(Match("x", 0.8, "citation"), SupportLevel.PARTIAL)],
    DraftVerdict.CONTRADICTED: [JudgedMatch(Match("x", 0.8, "citation"), SupportLevel.CONTRADICTED)],
    DraftVerdict.NOT_FOUND: [],
}
SUPPORTED, WEAK, CONTRADICTED, NOT_FOUND = DraftVerdict


def entry(verdict: DraftVerdict, importance: Importance = "material", text: str = "A claim.") -> LedgerEntry:
    judgement = judge_claim(MATCHES[verdict])
    assert judgement.verdict is verdict
    return LedgerEntry(DraftClaim(0, text, "fact", importance), judgement)


def ledger(supported: int, not_found: int) -> list[LedgerEntry]:
    return [entry(SUPPORTED)] * supported + [entry(NOT_FOUND)] * not_found


entries = st.lists(
    st.builds(entry, st.sampled_from(DraftVerdict), st.sampled_from(["critical", "material", "minor"])), max_size=12
)


def test_coverage_counts_supported_and_weak_among_material_claims() -> None:
    book = [entry(SUPPORTED, "critical"), entry(WEAK), entry(CONTRADICTED), entry(NOT_FOUND), entry(NOT_FOUND, "minor")]
    assert evidence_coverage(book).value == 0.5  # 2 of 4: the minor claim does not count
    assert unsupported_rate(book).value == 0.25  # 1 of 4


@pytest.mark.parametrize("book", [[], [entry(NOT_FOUND, "minor")]])
def test_without_material_claims_everything_is_covered_and_nothing_unsupported(book: list[LedgerEntry]) -> None:
    assert evidence_coverage(book).value == 1.0
    assert unsupported_rate(book).value == 0.0


def test_a_draft_for_which_nothing_was_retrieved_covers_nothing() -> None:
    summary = summarise([], evidence_retrieved=False)
    assert (summary.total_claims, summary.evidence_coverage.value) == (0, 0.0)
    assert not summary.passed


@pytest.mark.parametrize(
    ("supported", "not_found", "passed"),
    [
        (17, 3, True),  # exactly 0.85
        (16, 4, False),  # 0.80
        (849, 151, False),  # 0.849
        (851, 149, True),  # 0.851
    ],
)
def test_the_coverage_gate_opens_at_85_percent(supported: int, not_found: int, passed: bool) -> None:
    gate = summarise(ledger(supported, not_found), evidence_retrieved=True).gates[0]
    assert (gate.name, gate.threshold, gate.action) == ("evidence_coverage", 0.85, "trigger_revision")
    assert gate.passed is passed


@pytest.mark.parametrize(("supported", "not_found", "passed"), [(19, 1, True), (18, 1, False), (20, 1, True)])
def test_the_unsupported_gate_closes_above_5_percent(supported: int, not_found: int, passed: bool) -> None:
    # 1/20 = 0.05 is allowed, 1/19 = 0.0526 is not, 1/21 = 0.0476 is
    gate = summarise(ledger(supported, not_found), evidence_retrieved=True).gates[1]
    assert (gate.name, gate.threshold, gate.action) == ("unsupported_rate", 0.05, "mark_unsupported")
    assert gate.passed is passed


def test_one_critical_claim_without_evidence_or_one_contradiction_closes_its_gate() -> None:
    book = [entry(SUPPORTED)] * 98 + [entry(NOT_FOUND, "critical"), entry(CONTRADICTED, "minor")]
    summary = summarise(book, evidence_retrieved=True)
    assert [(gate.name, gate.passed, gate.action) for gate in summary.gates] == [
        ("evidence_coverage", True, "trigger_revision"),
        ("unsupported_rate", True, "mark_unsupported"),
        ("critical_unsupported", False, "revise_or_remove"),
        ("contradictions", False, "correct"),
    ]
    assert not summary.passed
    assert summary.verdict_distribution == {SUPPORTED: 98, WEAK: 0, CONTRADICTED: 1, NOT_FOUND: 1}


def test_a_fully_supported_draft_passes_every_gate() -> None:
    assert summarise(ledger(3, 0), evidence_retrieved=True).passed


LOW = [entry(SUPPORTED), entry(NOT_FOUND, "material", "Loose claim.")]
CRITICAL = [*LOW, entry(NOT_FOUND, "critical", "Key claim."), entry(CONTRADICTED, "material", "Wrong claim.")]
WRONG = [*LOW, entry(CONTRADICTED, "material", "Wrong claim.")]


@pytest.mark.parametrize(
    ("book", "count", "revise", "code", "instructions"),
    [
        (CRITICAL, 2, False, "max_revisions", ()),
        (CRITICAL, 3, False, "max_revisions", ()),
        (CRITICAL, 1, True, "critical_claims_lack_evidence", ('Remove or qualify this claim: "Key claim."',)),
        (CRITICAL, 0, True, "critical_claims_lack_evidence", ('Remove or qualify this claim: "Key claim."',)),
        (
            WRONG,
            0,
            True,
            "claims_contradict_evidence",
            ('Correct this claim to what the evidence says: "Wrong claim."',),
        ),
        (LOW, 0, True, "coverage_too_low", ("Strengthen citations or remove unsupported claims",)),
        (ledger(17, 3), 0, False, "coverage_met", ()),
        (ledger(849, 151), 0, True, "coverage_too_low", ("Strengthen citations or remove unsupported claims",)),
        ([*ledger(17, 2), entry(NOT_FOUND, "critical")], 0, False, "coverage_met", ()),  # 003's order: see the gates
        ([], 0, False, "coverage_met", ()),
    ],
)
def test_the_decision_to_revise(
    book: list[LedgerEntry], count: int, revise: bool, code: str, instructions: tuple[str, ...]
) -> None:
    decision = decide_revision(book, count)
    assert (decision.should_revise, decision.code, decision.instructions) == (revise, code, instructions)


def test_a_coverage_just_below_the_threshold_does_not_read_as_having_reached_it() -> None:
    # 0.8497 would round to 85 %
    assert decide_revision(ledger(8497, 1503), 0).reason == "Coverage 84% below 85% threshold"


def test_the_limit_and_the_threshold_are_policies() -> None:
    strict = RevisionPolicy(max_revisions=5, quality=QualityPolicy(min_coverage=0.9))
    decision = decide_revision(ledger(17, 3), 4, strict)
    assert decision.should_revise
    assert decision.reason == "Coverage 85% below 90% threshold"


@pytest.mark.parametrize(
    ("history", "codes"),
    [
        ([0.5], []),  # a single attempt cannot have failed to improve
        ([0.4, 0.45], []),
        ([0.5, 0.9], ["NO_IMPROVEMENT"]),  # against the ledger's 0.5, not against what an attempt reported
        ([0.6, 0.5], ["NO_IMPROVEMENT"]),
    ],
)
def test_revising_that_did_not_help_is_said(history: list[float], codes: list[str]) -> None:
    attempts = [RevisionAttempt(f"version {i}", coverage) for i, coverage in enumerate(history)]
    end = terminate_revision(attempts, [entry(SUPPORTED), entry(CONTRADICTED)])  # coverage 0.5
    assert [warning.code for warning in end.warnings] == codes
    assert end.final_response == f"version {len(history) - 1}"


def test_material_claims_left_without_evidence_are_listed() -> None:
    book = [
        entry(NOT_FOUND, "critical", "One."),
        entry(NOT_FOUND, "material", "Two."),
        entry(NOT_FOUND, "minor", "Three."),
    ]
    (warning,) = terminate_revision([RevisionAttempt("draft", 0.0)], book).warnings
    assert warning.code == "UNSUPPORTED_CLAIMS"
    assert warning.message == "2 material claims could not be verified"
    assert warning.details == ("One.", "Two.")


def test_every_verdict_but_supported_has_a_strategy() -> None:
    assert {verdict: revision_strategy(verdict) for verdict in DraftVerdict} == {
        SUPPORTED: None,
        WEAK: "match_wording_to_evidence",
        CONTRADICTED: "correct_to_evidence",
        NOT_FOUND: "remove_or_qualify",
    }


@given(entries)
def test_rates_are_shares_and_can_be_recomputed(book: list[LedgerEntry]) -> None:
    coverage, rate = evidence_coverage(book), unsupported_rate(book)
    assert 0.0 <= coverage.value <= 1.0
    assert 0.0 <= rate.value <= 1.0
    assert replay(coverage) == coverage.value
    assert replay(rate) == rate.value
    for share in (coverage, rate):
        assert recompute_share(json.loads(json.dumps(share.inputs))) == share
    if material := [one.verdict for one in book if one.is_material]:
        assert coverage.value == sum(verdict in (SUPPORTED, WEAK) for verdict in material) / len(material)
        assert rate.value == material.count(NOT_FOUND) / len(material)


@given(entries)
def test_a_contradiction_never_raises_coverage(book: list[LedgerEntry]) -> None:
    assert evidence_coverage([*book, entry(CONTRADICTED)]).value <= evidence_coverage(book).value


@given(entries, st.integers(0, 4))
def test_a_draft_is_never_revised_a_third_time(book: list[LedgerEntry], count: int) -> None:
    decision = decide_revision(book, count)
    assert not (decision.should_revise and count >= 2)
    assert bool(decision.instructions) is decision.should_revise


def test_bad_input_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="revision_count"):
        decide_revision([], -1)
    with pytest.raises(ValueError, match="history"):
        terminate_revision([], [])
    with pytest.raises(ValueError, match="coverage"):
        RevisionAttempt("draft", math.nan)
    with pytest.raises(ValueError, match="min_coverage"):
        QualityPolicy(min_coverage=1.5)


def test_every_constant_of_articles_and_drafts_survives_json() -> None:
    for policy in (ArticlePolicy(), DraftPolicy()):
        values = asdict(policy)
        assert json.loads(json.dumps(values)).keys() == values.keys()
    assert asdict(DraftPolicy())["revision"]["quality"]["min_coverage"] == 0.85
    assert asdict(ArticlePolicy())["beliefs"]["l_max"] == 2.0
