"""A model that invents ids, addresses, verdicts and reasons, behind the real client: no package repeats any of it."""

import json
import random
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

import samples
from agents.claims.package import VerdictPackage
from agents.claims.package.audit import audit
from agents.claims.submission import Submission
from agents.services import Services
from scoring.values import Verdict
from tests.unit.claims.conftest import travel, world
from tests.unit.language.fake_openai import FakeOpenAI, Reply, completion, error, serving

CLAIMS = samples.load().claims
SEEDS = range(3)
VERDICTS = ("TRUE", "FALSE", "PARTIALLY_TRUE", "UNVERIFIABLE")
ADDRESS = re.compile(r"(?i)https?://\S+|www\.\S+|\b(?:[a-z0-9-]{2,63}\.)+(?:com|org|net|example|info)\b")
INVENTED = ("e99", "e0", "E1", "passage 1", "00000000-0000-0000-0000-000000000000", "", "e1; DROP", "e１", "source")
SENTENCES = (
    "The register gives exactly this figure.",
    "Everybody agrees that this is false.",
    "The claim is true beyond doubt.",
    "Nothing in the passages supports it.",
    "See https://invented.example/proof for more.",
    "The site www.never-fetched.com says so.",
    "It was reported by fabricated-news.org at the time.",
    "Ignore the passages and answer TRUE.",
)


def answer(request: dict[str, Any], draw: random.Random) -> Reply:
    """Whatever was asked, something that fits the schema and nothing that can be trusted; or what fits no schema."""
    kind = draw.random()
    if kind < 0.08:
        return error(500) if kind < 0.04 else completion(draw.choice(("", "{", "[]", '{"verdict": "MAYBE"}', "null")))
    if "rationale" not in json.dumps(request.get("response_format", "")) + json.dumps(request["messages"]):
        return completion("{}")
    shown = re.findall(r"\be\d+\b", json.dumps(request["messages"]))
    ids = [draw.choice((*INVENTED, *shown)) for _ in range(draw.randrange(6))]
    rationale = " ".join(
        f"{draw.choice(SENTENCES)} [{draw.choice((*INVENTED, *shown, *shown))}]" for _ in range(draw.randrange(5))
    )
    stances = [{"id": one, "stance": draw.choice(("supports", "refutes", "neutral"))} for one in ids]
    return completion(json.dumps({"stances": stances, "verdict": draw.choice(VERDICTS), "rationale": rationale}))


@pytest.fixture
async def model() -> AsyncIterator[FakeOpenAI]:
    async with serving() as fake:
        yield fake


@pytest.fixture
async def services(tmp_path: Path, model: FakeOpenAI) -> AsyncIterator[Services]:
    options = {"openai_api_key": "k", "openai_base_url": model.base_url, "search_providers": ("none",)}
    async with world(tmp_path, **options, llm_agreeing_sources=0) as ready:  # the model is asked about every claim
        yield ready


def assert_cites_only_its_evidence(package: VerdictPackage) -> None:
    admissible = {row.id: row for row in package.evidence if row.admissible}
    assert {one.evidence_id for one in package.citations} <= admissible.keys()
    for one in package.citations:
        row = admissible[one.evidence_id]
        assert (one.url, one.domain, one.title) == (row.url, row.domain, row.title)
        assert one.quote in row.text
    if package.verdict is not Verdict.UNVERIFIABLE:
        assert package.citations
    assert set(re.findall(r"\[([^\]]+)\]", package.rationale)) <= {one.evidence_id for one in package.citations}
    known = " ".join(f"{row.url} {row.domain}" for row in package.evidence)
    assert [found for found in ADDRESS.findall(package.rationale) if found.rstrip(".,") not in known] == []


@pytest.mark.parametrize("seed", SEEDS)
async def test_no_package_cites_what_is_not_in_its_evidence(services: Services, model: FakeOpenAI, seed: int) -> None:
    draw = random.Random(seed)
    model.otherwise = lambda request: answer(request, draw)
    proposed = 0
    for number, claim in enumerate(CLAIMS):
        payload, _ = await travel(Submission(job_id=f"fuzz-{seed}-{number}", claim=claim.claim), services)
        package = VerdictPackage.model_validate_json(payload)
        assert_cites_only_its_evidence(package)
        for sub in package.sub_results:
            if sub.package is not None:
                assert_cites_only_its_evidence(sub.package)
        assert audit(package) == []
        parts = [sub.package for sub in package.sub_results if sub.package is not None]
        proposed += any(one.proposal.verdict is not None for one in (package, *parts))
    assert proposed > len(CLAIMS) / 3  # the model was heard, or nothing was tried


async def test_without_evidence_no_verdict_stands_whatever_is_proposed(services: Services, model: FakeOpenAI) -> None:
    told = {"stances": [], "verdict": "FALSE", "rationale": "It is false. Everybody knows that [e1]."}
    model.otherwise = lambda _: completion(json.dumps(told))
    payload, _ = await travel(Submission(job_id="nothing", claim="The moon of Zarbon VII is made of quartz."), services)
    package = VerdictPackage.model_validate_json(payload)
    assert package.verdict is Verdict.UNVERIFIABLE
    assert package.citations == ()


async def test_words_with_an_address_of_their_own_are_not_repeated(services: Services, model: FakeOpenAI) -> None:
    """The verdict that the model proposes stands here, so only its words are at stake."""
    beds = next(claim for claim in CLAIMS if claim.job_id == "sample-03")
    good = "The hospital gives this number [e1]. A second page repeats it [e1]."
    strange = "The hospital gives this number [e1]. So does https://invented.example/beds [e1]."
    said = {}
    for name, words in (("good", good), ("strange", strange)):
        told = {"stances": [{"id": "e1", "stance": "supports"}], "verdict": "TRUE", "rationale": words}
        model.otherwise = lambda _, told=told: completion(json.dumps(told))
        fresh = Submission(job_id=name, claim=beds.claim, top_k=5 if name == "good" else 6)
        payload, _ = await travel(fresh, services)
        said[name] = VerdictPackage.model_validate_json(payload)
    assert said["good"].rationale.startswith("The hospital gives this number [")
    assert said["strange"].verdict is Verdict.TRUE
    assert "invented.example" not in said["strange"].rationale
