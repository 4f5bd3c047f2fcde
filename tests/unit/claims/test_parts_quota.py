"""What the parts of a claim cost: it is read once, they share its quota, and one summary ends it."""

import json
from collections import Counter
from dataclasses import replace

from agents.claims.package import VerdictPackage
from agents.claims.package.audit import audit
from agents.claims.submission import Submission
from agents.language.config import LanguagePolicy
from agents.language.llm.port import ModelAnswer, ModelRequest
from agents.language.quota import CallTag, QuotaPolicy
from agents.language.service import Language
from agents.services import Services
from scoring.values import Verdict
from tests.unit.claims.conftest import travel
from tests.unit.language.models import asker_of

PARTS = ["Kelderwick General Hospital has 312 beds", "Kelderwick Rovers won the Northmarch Cup in 2025"]
CLAIM = f"{PARTS[0]}, and {PARTS[1]}."
SUMMARY = (
    "Both parts are supported: Kelderwick General Hospital has 312 beds and Kelderwick Rovers won the Northmarch Cup."
)


class Obliging:
    """A model that takes the claim apart, finds everything true, and sums up."""

    def __init__(self) -> None:
        self.asked: Counter[CallTag] = Counter()

    def model_for(self, tag: CallTag) -> str:
        return "obliging"

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        self.asked[request.tag] += 1
        answers = {
            CallTag.CLAIM: {
                "standalone": CLAIM,
                "subclaims": PARTS,
                "anchors": [["hospital", "312 beds"], ["Rovers", "Northmarch Cup"]],
            },
            CallTag.VERDICT: {"stances": [], "verdict": "TRUE", "rationale": "No words."},
            CallTag.SUMMARY: {"summary": SUMMARY},
        }
        return ModelAnswer(json.dumps(answers[request.tag]), "obliging", tokens_in=100, tokens_out=20)


ASKED_ALWAYS = LanguagePolicy(agreeing_sources=0, summarised_parts=2)


def with_model(
    services: Services, model: Obliging, max_calls: int = 8, policy: LanguagePolicy = ASKED_ALWAYS
) -> Services:
    return replace(services, language=Language(asker_of(model, QuotaPolicy(max_calls=max_calls)), policy))


async def decided(services: Services) -> VerdictPackage:
    payload, _ = await travel(Submission(job_id="job", claim=CLAIM), services)
    return VerdictPackage.model_validate_json(payload)


async def test_the_claim_is_read_once_and_its_parts_are_judged_and_summed_up(services: Services) -> None:
    model = Obliging()
    made = await decided(with_model(services, model))
    assert model.asked == {CallTag.CLAIM: 1, CallTag.VERDICT: 2, CallTag.SUMMARY: 1}
    assert (made.language.calls, made.language.tokens) == (4, 480)
    assert [sub.package.language.calls for sub in made.sub_results if sub.package is not None] == [1, 1]
    assert [sub.claim for sub in made.sub_results] == PARTS
    assert made.rationale == SUMMARY
    assert audit(made) == []


async def test_the_parts_spend_no_more_than_their_claim_has_left(services: Services) -> None:
    model = Obliging()
    made = await decided(with_model(services, model, 3))
    assert sum(model.asked.values()) == made.language.calls == 3
    assert model.asked[CallTag.SUMMARY] == 0
    assert "summary: call_quota" in made.language.skipped
    assert made.rationale.startswith("The claim was checked in 2 parts.")
    assert audit(made) == []


async def test_what_many_sources_agree_on_is_not_shown_to_a_model(services: Services) -> None:
    """Three sites give the number of beds, and none another one."""
    model = Obliging()
    made = await decided(with_model(services, model, policy=LanguagePolicy(agreeing_sources=3)))
    assert model.asked == {CallTag.CLAIM: 1}
    assert set(made.language.skipped) == {"verdict: settled"}
    assert not made.language.degraded
    assert made.verdict is Verdict.TRUE
    assert audit(made) == []


async def test_what_fewer_sources_say_is_shown_to_a_model(services: Services) -> None:
    model = Obliging()
    await decided(with_model(services, model, policy=LanguagePolicy(agreeing_sources=5)))
    assert model.asked[CallTag.VERDICT] == 2


async def test_two_parts_are_put_together_without_a_model(services: Services) -> None:
    model = Obliging()
    made = await decided(with_model(services, model, policy=LanguagePolicy(agreeing_sources=0)))
    assert model.asked == {CallTag.CLAIM: 1, CallTag.VERDICT: 2}
    assert made.rationale.startswith("The claim was checked in 2 parts.")
