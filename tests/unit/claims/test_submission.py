"""What may be submitted (000 §2, 004 §2)."""

import json
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from agents.claims.submission import CLAIM_MAX_CHARACTERS, Submission, normalise


def submission(**fields: object) -> Submission:
    return Submission.model_validate({"job_id": "job-1", "claim": "A claim.", **fields})


def test_a_claim_is_normalised_to_nfc_and_single_blanks() -> None:
    assert submission(claim="  Cafe\u0301  opened\n\ttoday ").claim == "Café opened today"


def test_length_counts_after_normalisation() -> None:
    padded = "  " + "x" * CLAIM_MAX_CHARACTERS + "  "
    assert len(submission(claim=padded).claim) == CLAIM_MAX_CHARACTERS


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("claim", ""),
        ("claim", " \n\t "),
        ("claim", "x" * (CLAIM_MAX_CHARACTERS + 1)),
        ("claim", "null\x00byte"),
        ("claim", "escape \x1b[31m"),
        ("claim", 5),
        ("claim", None),
        ("job_id", ""),
        ("job_id", "x" * 129),
        ("job_id", "with space"),
        ("job_id", "-starts-with-dash"),
        ("job_id", "semi;colon"),
        ("job_id", 7),
        ("top_k", 0),
        ("top_k", 21),
        ("top_k", "5"),
        ("top_k", True),
        ("domain", ""),
        ("trust_mode", "blind"),
        ("schema_version", 2),
        ("schema_version", True),
        ("as_of", "yesterday"),
        ("as_of", 86_400),
        ("as_of", "86400"),
        ("as_of", "2026-03-01T12:00:00"),
    ],
)
def test_a_bad_field_is_refused_by_name(field: str, value: object) -> None:
    with pytest.raises(ValidationError) as refused:
        submission(**{field: value})
    assert [problem["loc"][0] for problem in refused.value.errors()] == [field]


@pytest.mark.parametrize("missing", ["job_id", "claim"])
def test_job_id_and_claim_are_required(missing: str) -> None:
    fields = {"job_id": "a", "claim": "b"}
    del fields[missing]
    with pytest.raises(ValidationError, match=missing):
        Submission.model_validate(fields)


def test_defaults_are_the_specifications() -> None:
    made = submission()
    assert (made.domain, made.top_k, made.room_id, made.source, made.schema_version) == ("general", 5, None, None, 1)


def test_bounds_themselves_are_allowed() -> None:
    assert submission(top_k=1).top_k == 1
    assert submission(top_k=20).top_k == 20
    assert submission(job_id="a" * 128).job_id == "a" * 128


def test_a_number_without_a_fraction_is_whole_however_it_is_written() -> None:
    raw = '{"job_id": "a", "claim": "b", "top_k": 7.0, "schema_version": 1.0, "as_of": "2026-03-01"}'
    made = Submission.model_validate_json(raw)
    assert (made.top_k, made.schema_version, made.as_of) == (7, 1, date(2026, 3, 1))


def test_unknown_fields_are_ignored_and_can_be_counted() -> None:
    raw = {"job_id": "a", "claim": "b", "colour": "red", "size": 3}
    assert Submission.model_validate(raw).fingerprint() == Submission(job_id="a", claim="b").fingerprint()
    assert Submission.model_validate_json(json.dumps(raw)).ignored_fields == 2


def test_the_fingerprint_tells_another_submission_from_a_repeated_one() -> None:
    assert submission(claim="A  claim.").fingerprint() == submission(claim="A claim.").fingerprint()
    assert submission(claim="Another claim.").fingerprint() != submission().fingerprint()
    assert submission(top_k=6).fingerprint() != submission().fingerprint()


@given(st.text())
def test_normalising_twice_is_normalising_once(text: str) -> None:
    try:
        once = normalise(text)
    except ValueError:
        return
    assert normalise(once) == once
