"""The command line against a running system."""

import asyncio
import json
import uuid
from pathlib import Path
from typing import Any

import pytest

from streams.delivery.dead_letters import error_headers
from tests.e2e.conftest import Journey, System
from tests.support.commands import invoke
from tests.support.processes import call
from tests.support.wire import Raw, Read, publish

CLAIM = "Kelderwick General Hospital has 312 beds."

# The first test of a system waits for it to start, and for its claims to travel.
pytestmark = pytest.mark.timeout(400)


def lines(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines() if line.strip()]


def test_watch_shows_verdicts_as_they_are(system: System, journey: Journey) -> None:
    command = ["watch", "--json", "--from-start", "--count", str(len(journey.verdicts)), "--seconds", "60"]
    watched = call(command, system.environment)
    assert watched.returncode == 0, watched.stderr
    assert len(lines(watched.stdout)) == len(journey.verdicts)
    assert {"verdict", "claim", "loop"} <= set(lines(watched.stdout)[0])


def test_watch_in_words_names_verdict_and_job(system: System, journey: Journey) -> None:
    watched = invoke(["watch", "--from-start", "--count", "1", "--seconds", "60"], system.environment)
    assert any(package["job_id"] in watched.stdout for package in journey.packages.values())  # type: ignore[operator]  # JSON


def test_submit_reads_standard_input_and_counts_what_it_refuses(system: System) -> None:
    good = [json.dumps({"job_id": f"stdin-{uuid.uuid4()}", "claim": CLAIM}) for _ in range(2)]
    bad = ['{"job_id": "x"}', "no json", '{"job_id": "y", "claim": "z", "top_k": 99}']
    submitted = call(["submit", "-"], system.environment, given="\n".join([*good, "", *bad]).encode())
    assert submitted.returncode == 1
    assert submitted.stdout.strip() == "accepted 2, repeated 0, refused 3"
    assert "line 4: claim: Field required" in submitted.stderr
    assert "line 5: not JSON" in submitted.stderr
    assert "line 6: top_k: " in submitted.stderr


def test_submit_says_which_file_it_cannot_read(system: System, tmp_path: Path) -> None:
    refused = invoke(["submit", str(tmp_path / "missing.jsonl")], system.environment)
    assert refused.exit_code == 1
    assert "missing.jsonl" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_verify_answers_one_claim(system: System) -> None:
    verified = call(["verify", CLAIM, "--json"], system.environment)
    assert verified.returncode == 0, verified.stderr
    assert lines(verified.stdout)[0]["claim"] == CLAIM


def test_topics_are_listed(system: System) -> None:
    listed = invoke(["topics", "list"], system.environment)
    assert listed.exit_code == 0, listed.stderr
    for name in ("claims", "search-expansion", "dead-letters"):
        assert name in listed.stdout
    assert "missing" not in listed.stdout


def test_dead_letters_are_listed_shown_and_replayed_as_the_next_attempt(system: System) -> None:
    job_id = f"poison-{uuid.uuid4()}"
    value = json.dumps({"job_id": job_id, "claim": "x", "top_k": 99}).encode()
    asyncio.run(publish(system.broker, "claims", [Raw(value, job_id.encode(), headers=(("trace", b"t-7"),))]))
    asyncio.run(_until_letters(system, 1, job_id))

    (letter,) = [one for one in _listed(system) if one["job_id"] == job_id]
    assert (letter["reason"], letter["stage"], letter["attempt"]) == ("invalid", "intake", "1")
    assert letter["message"].startswith("top_k: ")
    shown = invoke(["dead-letters", "show", letter["id"]], system.environment)
    assert value.decode() in shown.stdout
    assert "header trace: t-7" in shown.stdout

    replayed = call(["dead-letters", "replay", letter["id"]], system.environment)
    assert (replayed.returncode, replayed.stdout.strip()) == (0, "replayed 1")
    letters = asyncio.run(_until_letters(system, 2, job_id))
    assert [error_headers(one.headers)["attempt"] for one in letters] == ["1", "2"]


def test_an_unknown_dead_letter_is_one_line(system: System) -> None:
    unknown = invoke(["dead-letters", "show", "0:999999"], system.environment)
    assert unknown.exit_code == 1
    assert unknown.stderr.strip() == "error: no dead letter '0:999999'; see `veristream dead-letters list`"


def _listed(system: System) -> list[dict[str, Any]]:
    listed = invoke(["dead-letters", "list", "--json"], system.environment)
    assert listed.exit_code == 0, listed.stderr
    return lines(listed.stdout)


async def _until_letters(system: System, count: int, job_id: str) -> list[Read]:
    def of_the_job(records: list[Read]) -> list[Read]:
        return [record for record in records if record.key == job_id.encode()]

    async with system.outputs("dead-letters") as outputs:
        return of_the_job(await outputs.until(lambda read: len(of_the_job(read)) >= count, 60, "the dead letter"))
