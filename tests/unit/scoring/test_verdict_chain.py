"""From evidence to verdict and its numbers, as the stages call it: what holds for any evidence."""

import json
from dataclasses import replace
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.adaptive_trust import AdaptiveTrust, assess, recompute_adaptive_trust, recompute_gate
from scoring.claim_types import profile
from scoring.confidence import ConfidenceSignals, confidence, recompute_confidence
from scoring.coverage import recompute_coverage
from scoring.derivation import Derivation, replay
from scoring.evidence_quality import evidence_quality, recompute_evidence_quality
from scoring.news import propose
from scoring.numeric import numeric_relation
from scoring.polarity import Relation
from scoring.policy import Policy
from scoring.reconciliation import Reconciled, reconcile, strong_votes
from scoring.source_balance import recompute_agreement, recompute_diversity
from scoring.trust import FixedTrust, fixed_trust, recompute_fixed_trust
from scoring.truthfulness import recompute_truthfulness, truthfulness
from scoring.values import NEUTRAL, Evidence, Stance, Verdict

POLICY = Policy()
CLAIM = "The Newtown hospital treated 1,200 patients after the storm."
TEXTS = (
    "Newtown hospital treated 1,200 patients last week.",
    "Newtown hospital treated 900 patients last week.",
    "The Oldport bridge collapsed in the storm.",
    "The hospital in Newtown and the bridge in Oldport were closed after the storm.",
    "A football match ended without goals.",
)
NO = Stance(0.0, 1.0, 0.0)


class Outcome(NamedTuple):
    trust: AdaptiveTrust
    fixed: FixedTrust
    final: Reconciled
    truth: Derivation
    quality: Derivation
    sure: Derivation


def judge(evidence: list[Evidence], proposed: Verdict | None = None) -> Outcome:
    """What adjudication does with its evidence: the rules propose, unless a model's verdict is given."""
    kind = profile(CLAIM)
    trust = assess(CLAIM, (), evidence, POLICY.adaptive_trust, trust=POLICY.trust, polarity=POLICY.polarity)
    numeric = numeric_relation(CLAIM, trust.segments, evidence, POLICY.numeric)
    final = reconcile(
        proposed or propose(evidence, POLICY.news, POLICY.polarity).verdict,
        trust.segments[0],
        POLICY.reconciliation,
        absolute_quantifier=kind.absolute,
        numeric=numeric,
    )
    diversity = trust.metrics.diversity
    truth = truthfulness(trust.segments, final.verdict, diversity, POLICY.truthfulness, numeric=numeric)
    signals = ConfidenceSignals(
        final.verdict,
        truth.value,
        trust.metrics.coverage,
        trust.metrics.agreement,
        diversity,
        trust.trust_post.value,
        is_sufficient=trust.gate.is_sufficient,
        strong_contradictions=strong_votes(trust.segments, Relation.CONTRADICTS),
        numeric=numeric,
        count_claim=kind.count,
    )
    return Outcome(
        trust=trust,
        fixed=fixed_trust(evidence, POLICY.trust, seed=1, polarity=POLICY.polarity),
        final=final,
        truth=truth,
        quality=evidence_quality(trust.segments, evidence, diversity, POLICY.evidence_quality).derivation,
        sure=confidence(signals, trust.segments, POLICY.confidence),
    )


def stance(weights: tuple[int, int, int]) -> Stance:
    total = sum(weights) or 1
    return Stance(weights[0] / total, weights[1] / total, 1.0 - (weights[0] + weights[1]) / total)


small = st.integers(0, 20)
evidence_lists = st.lists(
    st.builds(
        Evidence,
        id=st.sampled_from("abcdef"),
        text=st.sampled_from(TEXTS),
        origin=st.sampled_from(["web", "vector", "kg"]),
        relevance=st.floats(0, 1),
        stance=st.builds(stance, st.tuples(small, small, small)),
        domain=st.sampled_from(["x.org", "y.org", "z.org", ""]),
        semantic=st.floats(0, 1),
        credibility=st.floats(0, 1),
        same_as=st.sampled_from(["", "", "a"]),
        admissible=st.sampled_from([True, True, True, False]),
    ),
    max_size=6,
    unique_by=lambda item: item.id,
)
proposals = st.one_of(st.none(), st.sampled_from(list(Verdict)))


@settings(max_examples=50)
@given(evidence_lists, proposals)
def test_every_number_is_bounded_replayable_and_recomputable_from_json(
    evidence: list[Evidence], proposed: Verdict | None
) -> None:
    found = judge(evidence, proposed)
    trust = found.trust
    pairs: list[tuple[Derivation, Any]] = [
        (trust.coverage, recompute_coverage),
        (trust.diversity, recompute_diversity),
        (trust.agreement, recompute_agreement),
        (trust.trust_post, recompute_adaptive_trust),
        (found.truth, recompute_truthfulness),
        (found.quality, recompute_evidence_quality),
        (found.sure, recompute_confidence),
        (found.fixed.derivation, lambda inputs: recompute_fixed_trust(inputs).derivation),
    ]
    for derivation, recompute in pairs:
        assert 0.0 <= derivation.value <= 1.0
        assert replay(derivation) == pytest.approx(derivation.value, abs=1e-9)
        again = recompute(json.loads(json.dumps(derivation.inputs)))
        assert again.value == pytest.approx(derivation.value, abs=1e-9)
        assert json.dumps(again.inputs) == json.dumps(derivation.inputs)
    assert recompute_gate(json.loads(json.dumps(trust.trust_post.inputs))) == trust.gate


@settings(max_examples=50)
@given(evidence_lists, proposals)
def test_the_order_of_the_evidence_changes_nothing(evidence: list[Evidence], proposed: Verdict | None) -> None:
    assert judge(evidence[::-1], proposed) == judge(evidence, proposed)


@given(evidence_lists, proposals)
def test_nothing_is_false_without_a_passage_that_contradicts(
    evidence: list[Evidence], proposed: Verdict | None
) -> None:
    found = judge(evidence, proposed)
    if found.final.verdict is Verdict.FALSE:
        assert any(segment.refuting_ids for segment in found.trust.segments)
    if found.final.verdict is Verdict.TRUE:
        assert all(segment.supporting_ids for segment in found.trust.segments)


@given(evidence_lists, st.data())
def test_a_passage_that_turns_to_contradict_never_raises_the_truth_score(
    evidence: list[Evidence], data: st.DataObject
) -> None:
    if not evidence:
        return
    index = data.draw(st.integers(0, len(evidence) - 1))
    turned = [*evidence]
    turned[index] = replace(evidence[index], stance=NO)
    assert judge(turned).truth.value <= judge(evidence).truth.value + 1e-12


def test_more_of_the_same_story_changes_neither_diversity_nor_agreement() -> None:
    original = Evidence("a", TEXTS[0], "web", 0.7, Stance(0.9, 0.05, 0.05), domain="x.org", semantic=0.8)
    other = replace(original, id="b", domain="y.org", stance=NO)
    copies = [replace(original, id=f"c{n}", domain=f"copy{n}.org", same_as="a", relevance=0.6) for n in range(10)]
    few, many = judge([original, other]), judge([original, other, *copies])
    assert many.trust.metrics.agreement == few.trust.metrics.agreement == 0.5
    assert many.trust.metrics.diversity == few.trust.metrics.diversity == 1.0
    assert many.fixed == few.fixed


def test_without_evidence_the_claim_is_unverifiable_and_nothing_is_certain() -> None:
    found = judge([], Verdict.FALSE)
    assert found.final.verdict is Verdict.UNVERIFIABLE
    assert found.final.locks == ("no_admissible_evidence",)
    assert found.truth.value == pytest.approx(0.35)  # 0.45 - 0.10
    assert found.sure.value == pytest.approx(0.105)  # 0.30 * 0.35
    assert found.fixed.value == found.quality.value == 0.0


def test_silent_evidence_is_not_taken_for_refutation() -> None:
    silent = [Evidence(id_, TEXTS[3], "web", 0.8, NEUTRAL, domain=f"{id_}.org", semantic=0.8) for id_ in "abc"]
    assert judge(silent, Verdict.FALSE).final.verdict is Verdict.UNVERIFIABLE
