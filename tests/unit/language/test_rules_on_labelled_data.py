"""How well the rules do on labelled data: names, statements, claim types. Each score is printed."""

import json
from pathlib import Path
from typing import Any

import pytest

from agents.language.rules.decompose import decompose
from agents.language.rules.entities import find_entities
from scoring.claim_types import profile

DATA = Path(__file__).parents[2] / "data" / "language"


def items(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def plain(name: str) -> str:
    """Names are the same whatever their case, a leading article, a possessive or a final full stop."""
    return name.lower().strip().rstrip(".").removeprefix("the ").removesuffix("'s").strip()


def test_names_are_found(capsys: pytest.CaptureFixture[str]) -> None:
    hits = extra = missed = 0
    for item in items("entities"):
        wanted = {plain(name) for name in item["entities"]}
        found = {plain(entity.name) for entity in find_entities(item["text"])}
        hits += len(wanted & found)
        extra += len(found - wanted)
        missed += len(wanted - found)
    score = 2 * hits / (2 * hits + extra + missed)
    with capsys.disabled():
        print(f"\nnames by rules: F1 {score:.2f} ({hits} found, {extra} too many, {missed} missed)")
    assert score >= 0.80


def test_claims_are_cut_into_the_right_number_of_statements(capsys: pytest.CaptureFixture[str]) -> None:
    labelled = items("decomposition")
    right = sum(len(decompose(item["text"])) == len(item["parts"]) for item in labelled)
    same = sum([p.lower() for p in decompose(item["text"])] == [p.lower() for p in item["parts"]] for item in labelled)
    with capsys.disabled():
        print(f"\ndecomposition by rules: exact count {right / len(labelled):.2f}, wording {same / len(labelled):.2f}")
    assert right / len(labelled) >= 0.80


def test_claims_are_typed(capsys: pytest.CaptureFixture[str]) -> None:
    labelled = items("claim_types")
    right = sum(profile(item["text"]).kind == item["kind"] for item in labelled)
    with capsys.disabled():
        print(f"\nclaim types by rules: {right} of {len(labelled)} right")
    assert right / len(labelled) >= 0.75


def test_there_are_enough_labelled_texts_and_half_of_them_are_from_public_data() -> None:
    labelled = [item for name in ("stance", "entities", "decomposition", "claim_types") for item in items(name)]
    public = [item for item in labelled if item["source"] != "own"]
    assert len(labelled) >= 150
    assert len(public) / len(labelled) >= 0.5
