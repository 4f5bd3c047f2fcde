"""Bytes that cannot be a message of a topic, and the one word that says why."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from agents.claims.submission import SUBMISSION_MAX_BYTES, Submission
from streams import topics
from streams.delivery.dead_letters import REASONS
from streams.wire import BadMessage, decode, encode
from tests.support.delivery import claim_job, submission

GOOD = {"job_id": "job-1", "claim": "The bridge is closed."}


def refused(value: bytes | None, key: bytes | None = b"job-1", topic: topics.Topic = topics.CLAIMS) -> BadMessage:
    with pytest.raises(BadMessage) as caught:
        decode(topic, key, value)
    return caught.value


def reason_of(topic: topics.Topic, key: bytes | None, value: bytes | None) -> str | None:
    try:
        decode(topic, key, value)
    except BadMessage as bad:
        return bad.reason
    return None


def changed(**fields: object) -> bytes:
    return json.dumps({**GOOD, **fields}).encode()


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, "null_value"),
        (b"", "not_json"),
        (b"{", "not_json"),
        (b"\xff\xfe\x00", "not_json"),
        (b"[" * 100_000, "too_large"),
        (b"[" * 50_000, "not_json"),
        (b"9" * 5000, "not_json"),
        (b"null", "invalid"),
        (b"[]", "invalid"),
        (b'"text"', "invalid"),
        (b" " * (SUBMISSION_MAX_BYTES + 1), "too_large"),
        (b"x" * 2_000_000, "too_large"),
        (changed(schema_version=2), "wrong_version"),
        (changed(schema_version="1"), "wrong_version"),
        (changed(schema_version=None), "wrong_version"),
        (changed(schema_version=[1]), "wrong_version"),
        (changed(claim=7), "invalid"),
        (changed(claim=["a"]), "invalid"),
        (changed(claim=""), "invalid"),
        (changed(claim="a\x00b"), "invalid"),
        (changed(claim="\ud800"), "invalid"),
        (changed(claim="x" * 2001), "invalid"),
        (changed(top_k="5"), "invalid"),
        (changed(top_k=21), "invalid"),
        (changed(job_id=None), "invalid"),
        (changed(job_id="a b"), "invalid"),
    ],
)
def test_poison_is_refused_with_its_reason(value: bytes | None, reason: str) -> None:
    assert refused(value).reason == reason


def test_a_key_that_is_not_the_job_id_is_refused() -> None:
    assert refused(json.dumps(GOOD).encode(), key=b"another").reason == "bad_key"
    assert refused(json.dumps(GOOD).encode(), key=b"\xff").reason == "bad_key"


def test_a_message_without_a_key_is_taken() -> None:
    assert isinstance(decode(topics.CLAIMS, None, json.dumps(GOOD).encode()), Submission)


def test_a_refusal_names_the_field_and_the_job() -> None:
    bad = refused(changed(top_k=99))
    assert str(bad).startswith("top_k: ")
    assert bad.job_id == "job-1"


def test_unknown_fields_are_ignored_in_a_submission_and_refused_in_our_own_models() -> None:
    assert isinstance(decode(topics.CLAIMS, b"job-1", changed(colour="blue")), Submission)
    job = json.loads(claim_job().model_dump_json())
    bad = refused(json.dumps({**job, "colour": "blue"}).encode(), topic=topics.RETRIEVAL)
    assert (bad.reason, str(bad)) == ("invalid", "colour: Extra inputs are not permitted")


def test_every_reason_that_decoding_gives_is_in_the_closed_set() -> None:
    assert {"null_value", "too_large", "not_json", "wrong_version", "invalid", "bad_key"} <= set(REASONS)


@given(st.none() | st.binary(max_size=300), st.none() | st.binary(max_size=20))
def test_whatever_the_bytes_decoding_refuses_or_answers_and_never_breaks(
    value: bytes | None, key: bytes | None
) -> None:
    assert reason_of(topics.CLAIMS, key, value) in {None, *REASONS}


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*GOOD, "top_k"]), inner),
    )
)
def test_whatever_the_json_decoding_refuses_or_answers_and_never_breaks(document: object) -> None:
    assert reason_of(topics.RETRIEVAL, b"k", json.dumps(document).encode()) in {None, *REASONS}


@pytest.mark.parametrize(("topic", "model"), [(topics.CLAIMS, submission()), (topics.RETRIEVAL, claim_job())])
def test_what_is_encoded_decodes_to_the_same_model(topic: topics.Topic, model: BaseModel) -> None:
    assert decode(topic, b"job-1", encode(model)) == model


def test_stored_bytes_are_not_encoded_anew() -> None:
    assert encode(b'{ "kept" :1}') == b'{ "kept" :1}'
