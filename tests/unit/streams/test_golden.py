"""The wire as it was written down: one JSON file per model and version, which every later build must still read.

A new optional field belongs in the newest file too. Anything else that makes these tests fail is a new
schema_version, with a file of its own beside the old one.
"""

import json
from pathlib import Path

import pytest
from pydantic import BaseModel

from agents.claims.job import ClaimJob, SubEnd
from agents.claims.package import VerdictPackage
from agents.claims.submission import Submission
from streams.contracts import ProgressEvent
from streams.topics import TOPICS
from streams.wire import encode

GOLDEN = Path(__file__).parents[2] / "data" / "golden"
MODELS: dict[str, type[BaseModel]] = {
    "submission": Submission,
    "claim_job": ClaimJob,
    "sub_end": SubEnd,
    "verdict_package": VerdictPackage,
    "progress_event": ProgressEvent,
}
FILES = sorted(GOLDEN.glob("*.json"))


def model_of(path: Path) -> type[BaseModel]:
    return MODELS[path.name.partition(".")[0]]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_golden_message_is_read_and_written_again_unchanged(path: Path) -> None:
    model = model_of(path).model_validate_json(path.read_bytes())
    assert json.loads(encode(model)) == json.loads(path.read_bytes())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_golden_message_survives_a_second_journey_byte_for_byte(path: Path) -> None:
    once = encode(model_of(path).model_validate_json(path.read_bytes()))
    assert encode(model_of(path).model_validate_json(once)) == once


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_golden_message_says_its_version(path: Path) -> None:
    assert path.name.endswith(f".v{json.loads(path.read_bytes())['schema_version']}.json")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_golden_message_shows_every_field(path: Path) -> None:
    assert set(json.loads(path.read_bytes())) == set(model_of(path).model_fields)


def test_every_model_on_the_wire_has_a_golden_message() -> None:
    on_the_wire = {topic.contract for topic in TOPICS if topic.contract is not None}
    assert on_the_wire == set(MODELS.values())
    assert {model_of(path) for path in FILES} == on_the_wire
