"""Structural validation of 002: every reason code alone, and the predicates that need no time."""

from dataclasses import replace
from typing import Any

import pytest

from scoring.verifiability import CoreClaim, validate_core_claim

GOOD = CoreClaim(
    claim_text="The bridge opened in 2019.",
    subject_entities=("bridge",),
    retrieval_seed_terms=("bridge", "opened", "2019"),
    is_falsifiable=True,
    predicate_type="event",
    time_anchor_type="explicit",
)


def test_a_complete_claim_passes() -> None:
    result = validate_core_claim(GOOD)
    assert result.ok
    assert result.reason_codes == ()


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"claim_text": ""}, "empty_claim_text"),
        ({"claim_text": "  \n"}, "empty_claim_text"),
        ({"subject_entities": ()}, "missing_subject_entities"),
        ({"subject_entities": (" ",)}, "missing_subject_entities"),
        ({"retrieval_seed_terms": ("bridge", "opened")}, "insufficient_retrieval_seed_terms"),
        ({"retrieval_seed_terms": ("bridge", "opened", "")}, "insufficient_retrieval_seed_terms"),
        ({"is_falsifiable": False}, "not_falsifiable"),
        ({"time_anchor_type": "unknown"}, "unknown_time_anchor"),
    ],
)
def test_each_thing_missing_has_its_reason_code(change: dict[str, Any], code: str) -> None:
    result = validate_core_claim(replace(GOOD, **change))
    assert not result.ok
    assert result.reason_codes == (code,)


@pytest.mark.parametrize("terms", [3, 4])
def test_three_seed_terms_are_enough(terms: int) -> None:
    assert validate_core_claim(replace(GOOD, retrieval_seed_terms=("x",) * terms)).ok


@pytest.mark.parametrize("predicate", ["quote", "policy", "ranking", "existence"])
def test_exempt_predicates_need_no_time(predicate: str) -> None:
    assert validate_core_claim(replace(GOOD, predicate_type=predicate, time_anchor_type="unknown")).ok


@pytest.mark.parametrize("predicate", ["event", "measurement", "other", ""])
def test_other_predicates_do(predicate: str) -> None:
    assert not validate_core_claim(replace(GOOD, predicate_type=predicate, time_anchor_type="unknown")).ok


def test_only_a_time_declared_unknown_is_missing() -> None:
    assert validate_core_claim(replace(GOOD, time_anchor_type=None)).ok


def test_everything_missing_is_reported_at_once_in_order() -> None:
    assert validate_core_claim(CoreClaim("", time_anchor_type="unknown")).reason_codes == (
        "empty_claim_text",
        "missing_subject_entities",
        "insufficient_retrieval_seed_terms",
        "not_falsifiable",
        "unknown_time_anchor",
    )
