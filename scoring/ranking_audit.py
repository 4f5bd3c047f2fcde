"""A score once more, from nothing but the inputs of its derivation: what an auditor runs."""

from dataclasses import fields
from datetime import date
from typing import cast, get_args

from scoring.checks import unit
from scoring.claim_types import ClaimKind
from scoring.derivation import Derivation
from scoring.inputs import Inputs, count, flag, number, policy_from, word
from scoring.ranking_policy import ScorePolicy, Weights
from scoring.ranking_score import SetFacts, Setting, SourceFacts, TextFacts, score


def recompute(inputs: Inputs) -> Derivation:
    """The score from the recorded inputs; the norms and the recency among them are derived anew, not believed."""
    weights = Weights(**{one.name: number(inputs, one.name) for one in fields(Weights)})
    setting = Setting.of(_set_facts(inputs), weights, policy_from(ScorePolicy, inputs))
    return score(_text_facts(inputs), _source_facts(inputs), setting)


def _text_facts(inputs: Inputs) -> TextFacts:
    return TextFacts(
        word_count=count(inputs, "word_count"),
        entity_overlap=_share(inputs, "entity_overlap"),
        claim_overlap=_share(inputs, "claim_overlap"),
        anchor_match_score=_share(inputs, "anchor_match_score"),
        object_mismatch=flag(inputs, "object_mismatch"),
        claim_focus_mismatch=flag(inputs, "claim_focus_mismatch"),
        subject_mismatch=flag(inputs, "subject_mismatch"),
        relation_object_mismatch=flag(inputs, "relation_object_mismatch"),
        relation_direction_mismatch=flag(inputs, "relation_direction_mismatch"),
        reporting_style=flag(inputs, "reporting_style"),
        uncertain_wording=flag(inputs, "uncertain_wording"),
        low_signal=flag(inputs, "low_signal"),
        negation_differs=flag(inputs, "negation_differs"),
    )


def _source_facts(inputs: Inputs) -> SourceFacts:
    return SourceFacts(
        semantic_raw=number(inputs, "semantic_raw"),
        semantic=number(inputs, "semantic"),
        kg_raw=number(inputs, "kg_raw"),
        credibility=_share(inputs, "credibility"),
        is_kg=flag(inputs, "is_kg"),
        backfill=flag(inputs, "backfill"),
        contradicts=flag(inputs, "contradicts"),
        published=None if inputs.get("published") is None else _day(inputs, "published"),
    )


def _set_facts(inputs: Inputs) -> SetFacts:
    kind = word(inputs, "claim_type")
    if kind not in get_args(ClaimKind):
        raise ValueError(f"claim_type must be one of {', '.join(get_args(ClaimKind))}, got {kind!r}")
    return SetFacts(
        claim_type=cast("ClaimKind", kind),
        claim_assertive=flag(inputs, "claim_assertive"),
        claim_about_belief=flag(inputs, "claim_about_belief"),
        as_of=_day(inputs, "as_of"),
        semantic_min=number(inputs, "semantic_min"),
        semantic_max=number(inputs, "semantic_max"),
        kg_min=number(inputs, "kg_min"),
        kg_max=number(inputs, "kg_max"),
    )


def _share(inputs: Inputs, name: str) -> float:
    return unit(name, number(inputs, name))


def _day(inputs: Inputs, name: str) -> date:
    text = word(inputs, name)
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{name} must be a date such as 2024-05-31, got {text!r}") from None
