"""A package read out to a person: what was claimed, then the order of 000 §10's recipe, then what it is made of."""

import samples
from agents.claims.package import VerdictPackage
from agents.claims.package.explain import explain
from agents.claims.submission import Submission
from agents.services import Services
from tests.unit.claims.conftest import travel

CLAIMS = {claim.job_id: claim.claim for claim in samples.load().claims}
RECIPE = [
    "1. Evidence:",
    "2. Parts of the claim:",
    "3. Trust:",
    "4. The passages",
    "5. Rules that fired:",
    "6. What each number is made of",
    "7. What it took:",
]


async def package_of(job_id: str, services: Services) -> VerdictPackage:
    payload, _ = await travel(Submission(job_id=job_id, claim=CLAIMS[job_id]), services)
    return VerdictPackage.model_validate_json(payload)


async def test_it_says_everything_in_the_order_of_the_recipe(services: Services) -> None:
    package = await package_of("sample-21", services)
    lines = list(explain(package))
    assert lines[:2] == [
        f"Claim      {package.claim}",
        f"Verdict    {package.verdict} ({package.label}), confidence {package.verdict_confidence:.2f}, "
        f"as of {package.as_of}",
    ]
    headings = [line for line in lines if line[:1].isdigit()]
    assert [heading.startswith(step) for heading, step in zip(headings, RECIPE, strict=True)] == [True] * len(RECIPE)
    text = "\n".join(lines)
    assert f"{package.analysis_counts['admissible_evidence_ratio']:.0%} of them admissible" in text
    assert f"coverage {package.coverage:.2f}, diversity {package.diversity:.2f}" in text
    assert all(step.query in text for step in package.loop.steps)
    assert all(f"{guard.name} on {guard.on}: {guard.effect}. {guard.reason}" in text for guard in package.guards)
    assert all(f"   {name} = {one.value:.4f}: " in text for name, one in package.derivations.items())
    assert "binary gate: support" in text
    assert "search_expansion" in lines[-1]


async def test_the_parts_of_a_claim_come_first(services: Services) -> None:
    package = await package_of("sample-13", services)
    lines = list(explain(package))
    parts = [line for line in lines if line.startswith("Part ")]
    assert parts == [f"Part       {sub.claim}" for sub in package.sub_results]
    assert lines.index(parts[0]) < next(place for place, line in enumerate(lines) if line.startswith("1. "))
    assert "aggregation:" in "\n".join(lines)
