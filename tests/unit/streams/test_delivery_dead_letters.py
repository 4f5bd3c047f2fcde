"""A dead letter keeps everything it was, says why, and survives the ledger byte for byte."""

from hypothesis import given
from hypothesis import strategies as st

from streams.delivery.closing import pack, unpack
from streams.delivery.dead_letters import (
    MESSAGE_LIMIT,
    REASONS,
    DeadLetter,
    Message,
    Reason,
    dead_letter,
    error_headers,
    original_headers,
)

raw = st.none() | st.binary(max_size=50)
headers = st.lists(st.tuples(st.text(max_size=20), raw), max_size=5).map(tuple)
messages = st.builds(
    Message,
    topic=st.sampled_from(["claims", "retrieval"]),
    partition=st.integers(0, 100),
    offset=st.integers(0, 10**12),
    key=raw,
    value=raw,
    headers=headers,
)
reasons = st.builds(
    Reason,
    reason=st.sampled_from(REASONS),
    exception=st.text(max_size=20),
    message=st.text(max_size=30),
    stage=st.sampled_from(["intake", "trust"]),
    job_id=st.none() | st.text(max_size=10),
    attempt=st.integers(1, 9),
)


@given(messages, reasons)
def test_the_raw_message_travels_unchanged(message: Message, reason: Reason) -> None:
    letter = dead_letter(message, reason)
    assert (letter.key, letter.value) == (message.key, message.value)
    ours = tuple(entry for entry in message.headers if entry[0].startswith("veristream.error."))
    assert original_headers(letter.headers) == tuple(entry for entry in message.headers if entry not in ours)


@given(messages, reasons)
def test_the_reason_can_be_read_back(message: Message, reason: Reason) -> None:
    read = error_headers(dead_letter(message, reason).headers)
    assert (read["topic"], int(read["partition"]), int(read["offset"])) == (
        message.topic,
        message.partition,
        message.offset,
    )
    assert (read["reason"], read["stage"], int(read["attempt"])) == (reason.reason, reason.stage, reason.attempt)


@given(messages, reasons)
def test_packing_and_unpacking_returns_the_same_letter(message: Message, reason: Reason) -> None:
    letter = dead_letter(message, reason)
    assert unpack(pack(letter)) == letter


@given(messages, reasons)
def test_the_same_failure_makes_the_same_letter(message: Message, reason: Reason) -> None:
    assert pack(dead_letter(message, reason)) == pack(dead_letter(message, reason))


def test_a_replayed_letter_that_fails_again_keeps_the_newest_reason_only() -> None:
    first = dead_letter(Message("claims", 0, 1, b"k", b"v", (("trace", b"t"),)), _reason("not_json"))
    again = dead_letter(Message("claims", 0, 9, b"k", b"v", first.headers), _reason("invalid"))
    assert error_headers(again.headers)["reason"] == "invalid"
    assert len(again.headers) == len(first.headers)


def test_a_long_message_is_cut() -> None:
    letter = dead_letter(Message("claims", 0, 1, None, None), _reason("invalid", "x" * 10_000))
    assert len(error_headers(letter.headers)["message"]) == MESSAGE_LIMIT


def test_letters_without_value_or_header_value_survive_the_ledger() -> None:
    letter = DeadLetter(None, None, (("empty", b""), ("none", None)))
    assert unpack(pack(letter)) == letter


def _reason(reason: str, message: str = "why") -> Reason:
    return Reason(reason, "BadMessage", message, "intake")
