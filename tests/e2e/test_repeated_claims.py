"""A rumour that comes again is answered at once; a claim that says something else is not."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest

from agents.claims.audit import audit
from agents.claims.package import VerdictPackage
from streams.embedded.samples import load_knowledge_base
from tests.e2e.conftest import embedded_url, town_environment
from tests.support.processes import running, settings_of, veristream

pytestmark = pytest.mark.timeout(300)

CLAIM = "The population of Kelderwick was 48,215 in June 2025."


def test_the_same_claim_under_another_id_has_the_earlier_verdict_and_says_so(tmp_path: Path) -> None:
    environment = town_environment(tmp_path / "data") | {"VERISTREAM_MATCH_CLAIMS": "true"}
    asyncio.run(load_knowledge_base(settings_of(environment)))
    with running(veristream(["up", "--port", "0"], environment, tmp_path / "up.log")) as up:
        with httpx.Client(base_url=embedded_url(up), timeout=90) as client:
            first = _verdict(client, "rumour-1", CLAIM)
            again = _verdict(client, "rumour-2", f"  {CLAIM.rstrip('.')}  ")
            other = _verdict(client, "rumour-3", CLAIM.replace("48,215", "61,300"))
        assert up.terminate() == 0
    assert first["matched_job_id"] is None
    assert (again["matched_job_id"], again["verdict"], again["job_id"]) == ("rumour-1", first["verdict"], "rumour-2")
    assert (other["matched_job_id"], other["verdict"]) == (None, "FALSE")
    for package in (first, again, other):
        assert audit(VerdictPackage.model_validate(package)) == []


def _verdict(client: httpx.Client, job_id: str, claim: str) -> dict[str, Any]:
    answer = client.post("/worker/verify", json={"job_id": job_id, "claim": claim})
    assert answer.status_code == 200, answer.text
    # The answer is the package, and what 000 calls some of it.
    return {name: value for name, value in answer.json().items() if name in VerdictPackage.model_fields}
