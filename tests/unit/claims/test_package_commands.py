"""`veristream audit` and `veristream export`: packages from files, from the gateway's answers, and what is none."""

import asyncio
import copy
import json
from pathlib import Path
from typing import Any

import pytest

import samples
from agents.claims.submission import Submission
from tests.support.commands import invoke
from tests.unit.claims.conftest import travel, world
from tests.unit.claims.test_explain import RECIPE

CLAIMS = {claim.job_id: claim.claim for claim in samples.load().claims}
NAMES = ("sample-03", "sample-13")


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """One of a single statement, one of two parts."""
    return asyncio.run(_made(tmp_path_factory.mktemp("world")))


async def _made(folder: Path) -> list[dict[str, Any]]:
    async with world(folder) as services:
        made = [await travel(Submission(job_id=name, claim=CLAIMS[name]), services) for name in NAMES]
    return [json.loads(payload) for payload, _ in made]


def written(folder: Path, *documents: Any, indent: int | None = None) -> str:
    file = folder / "packages.json"
    file.write_text("\n".join(json.dumps(one, indent=indent) for one in documents), encoding="utf-8")
    return str(file)


def test_packages_that_hold_are_named_one_by_one(packages: list[dict[str, Any]], tmp_path: Path) -> None:
    done = invoke(["audit", written(tmp_path, *packages)], {})
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert len(lines) == len(packages)
    for line, package in zip(lines, packages, strict=True):
        assert f"{package['job_id']} {package['verdict']}: every number follows from the package" in line


def test_what_the_gateway_answers_is_audited_as_it_was_saved(packages: list[dict[str, Any]], tmp_path: Path) -> None:
    package = packages[0]
    worker = {**package, "confidence": package["verdict_confidence"]}
    for answer in (worker, {"verdict": "Supported", "package": package}, {"state": "completed", "result": worker}):
        assert invoke(["audit", written(tmp_path, answer, indent=1)], {}).exit_code == 0
    changed = {**worker, "confidence": worker["confidence"] + 0.01}
    assert invoke(["audit", written(tmp_path, changed)], {}).exit_code == 1


def test_what_differs_is_said_with_both_numbers(packages: list[dict[str, Any]], tmp_path: Path) -> None:
    good, parent = copy.deepcopy(packages)
    stated = good["coverage"] - 0.01
    bad = {**good, "coverage": stated}
    part = parent["sub_results"][0]["package"]
    part["agreement"] -= 0.01
    audited = invoke(["audit", written(tmp_path, bad, parent)], {})
    assert audited.exit_code == 1
    lines = audited.stdout.splitlines()
    assert any(
        f"coverage: the package says {stated!r}, recomputed it is {good['coverage']!r}" in line for line in lines
    )
    assert any("sub_results.0.package.agreement" in line for line in lines)
    assert audited.stderr.strip().splitlines()[-1] == "error: 2 of 2 packages do not hold"


def test_a_policy_that_is_none_is_one_line(packages: list[dict[str, Any]], tmp_path: Path) -> None:
    policy = {"name": "mine", "values": {"generosity": 1.0}}
    audited = invoke(["audit", written(tmp_path, {**packages[0], "policy": policy})], {})
    (line,) = audited.stdout.splitlines()
    assert "policy.values" in line
    assert "missing or unknown" in line


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"job_id": 3}', "no JSON at all"])
def test_what_is_no_package_is_one_line(text: str, tmp_path: Path) -> None:
    file = tmp_path / "file.json"
    file.write_text(text, encoding="utf-8")
    for command in (["audit", str(file)], ["export", "--claimreview", str(file)]):
        refused = invoke(command, {})
        assert refused.exit_code == 1
        assert "not a verdict package" in refused.stderr
        assert "Traceback" not in refused.output


def test_explained_it_follows_the_recipe(packages: list[dict[str, Any]], tmp_path: Path) -> None:
    told = invoke(["audit", "--explain", written(tmp_path, packages[0])], {})
    places = [told.stdout.index(step) for step in RECIPE]
    assert places == sorted(places)


def test_packages_are_written_as_claim_reviews(packages: list[dict[str, Any]], tmp_path: Path) -> None:
    settings = {"VERISTREAM_PUBLISHER_NAME": "The Gazette", "VERISTREAM_PUBLISHER_URL": "https://gazette.example"}
    done = invoke(["export", "--claimreview", written(tmp_path, *packages)], settings)
    reviews = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["claimReviewed"] for one in reviews] == [CLAIMS[name] for name in NAMES]
    assert {one["author"]["name"] for one in reviews} == {"The Gazette"}
    assert all(one["@type"] == "ClaimReview" for one in reviews)
