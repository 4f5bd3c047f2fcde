"""A rumour that comes again is answered at once; a claim that says something else is not."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from agents.claims.package import VerdictPackage
from agents.claims.package.audit import audit
from tests.e2e.conftest import KINDS, System, started

pytestmark = pytest.mark.timeout(400)

CLAIM = "The population of Kelderwick was 48,215 in June 2025."


@pytest.fixture(params=KINDS)
def remembering(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[System]:
    """A system that is asked nothing but this; the others forget, because their tests send the same claims again."""
    with started(request.param, tmp_path, {"VERISTREAM_MATCH_CLAIMS": "true"}) as system:
        yield system


def test_the_same_claim_under_another_id_has_the_earlier_verdict_and_says_so(remembering: System) -> None:
    with remembering.client() as client:
        first = _verdict(client, "rumour-1", CLAIM)
        again = _verdict(client, "rumour-2", f"  {CLAIM.rstrip('.')}  ")
        reworded = _verdict(client, "rumour-3", "In June 2025 the population of Kelderwick was 48,215.")
        other = _verdict(client, "rumour-4", CLAIM.replace("48,215", "61,300"))
        negated = _verdict(client, "rumour-5", CLAIM.replace("was 48,215", "was not 48,215"))
    assert first["matched_job_id"] is None
    assert (again["matched_job_id"], again["match"]["kind"], again["verdict"]) == ("rumour-1", "exact", "TRUE")
    assert (reworded["matched_job_id"], reworded["match"]["kind"]) == ("rumour-1", "near")
    assert (other["matched_job_id"], other["verdict"]) == (None, "FALSE")
    assert negated["matched_job_id"] is None
    for package in (first, again, reworded, other, negated):
        assert audit(VerdictPackage.model_validate(package)) == []


def _verdict(client: httpx.Client, job_id: str, claim: str) -> dict[str, Any]:
    answer = client.post("/worker/verify", json={"job_id": job_id, "claim": claim})
    assert answer.status_code == 200, answer.text
    # The answer is the package, and what 000 calls some of it.
    return {name: value for name, value in answer.json().items() if name in VerdictPackage.model_fields}
