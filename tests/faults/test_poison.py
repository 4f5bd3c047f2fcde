"""(f) Messages that can never be processed: each is kept once, with its bytes and its reason, and harms nobody."""

import json
from dataclasses import dataclass

import pytest

from streams.delivery.dead_letters import error_headers, original_headers
from tests.faults.conftest import Stage, claim_bytes
from tests.support.town import claims
from tests.support.wire import Raw, Read, publish

pytestmark = [pytest.mark.faults, pytest.mark.services, pytest.mark.timeout(240)]


@dataclass(frozen=True, slots=True)
class Poison:
    """What is published, and why it has to be refused."""

    record: Raw
    reason: str
    topic: str = "claims"


def submission(**fields: object) -> bytes:
    return json.dumps({"claim": "The bridge is closed.", **fields}).encode()


POISON = [
    Poison(Raw(b"not { json", b"p-json"), "not_json"),
    Poison(Raw(b"\xff\xfe\x00\x80", b"\xff\xfe"), "not_json"),
    Poison(Raw(submission(job_id="p-version", schema_version=2), b"p-version"), "wrong_version"),
    Poison(Raw(None, b"p-null"), "null_value"),
    Poison(Raw(b"x" * 2_000_000, b"p-large"), "too_large"),
    Poison(Raw(submission(job_id="p-key"), b"another-key"), "bad_key"),
    Poison(Raw(submission(job_id="p-types", top_k="five"), b"p-types"), "invalid"),
    Poison(Raw(submission(job_id=["p-list"]), b"p-list"), "invalid"),
    Poison(Raw(b'{"job_id": "\\ud800", "claim": "x"}', b"p-surrogate"), "invalid"),
    Poison(Raw(b"[1, 2]", b"p-array", headers=(("trace", b"t-1"), ("empty", b""), ("none", None))), "invalid"),
    Poison(Raw(b"{}", b"p-stage"), "invalid", topic="ranking"),
    Poison(Raw(b'{"job_id": "p-join"}', b"p-join"), "permanent", topic="aggregation"),
]


async def test_poison_is_kept_once_with_its_bytes_and_reason_and_other_claims_go_on(stage: Stage) -> None:
    await stage.create_topics()
    worker = stage.worker()
    await stage.submit(claims(10, "good"))
    for poison in POISON:
        await publish(stage.kafka.address, stage.topic(poison.topic), [poison.record])
    # Somebody else's claim under the id of a good one: refused, and the good one is not touched.
    await publish(stage.kafka.address, stage.topic("claims"), [Raw(claim_bytes("good-0000", "Another."), b"good-0000")])
    await stage.submit(claims(10, "later"))
    names = [stage.topic("verdicts"), stage.topic("dead-letters")]
    async with stage.outputs("verdicts", "dead-letters") as outputs:
        await outputs.until_keys(names[0], set(stage.accepted), 120)
        letters = await outputs.until(lambda read: len(_letters(read, names[1])) > len(POISON), 60, "the dead letters")
    assert worker.alive
    assert stage.stop_workers() == [0]
    _check(_letters(letters, names[1]))
    code, line = stage.judge(poison=len(POISON) + 1)
    assert line.startswith("ALL RECORDS DELIVERED: 20 accepted, 20 verdicts")
    assert code == 0


def _letters(records: list[Read], topic: str) -> list[Read]:
    return [record for record in records if record.topic == topic]


def _check(letters: list[Read]) -> None:
    taken, *others = [one for one in letters if error_headers(one.headers)["reason"] == "job_id_taken"]
    assert (others, taken.value) == ([], claim_bytes("good-0000", "Another."))
    rest = [one for one in letters if one is not taken]
    found = {(one.key, one.value, original_headers(one.headers), error_headers(one.headers)["reason"]) for one in rest}
    assert found == {
        (poison.record.key, poison.record.value, poison.record.headers, poison.reason) for poison in POISON
    }
    assert len(rest) == len(POISON)
