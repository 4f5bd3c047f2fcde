"""The parts of a claim taken one by one: started together, each brought to its end when a test says so."""

from agents.claims.intake import handle as intake
from agents.claims.job import ClaimJob, SubEnd
from agents.claims.retrieval import handle as retrieve
from agents.claims.submission import Submission
from agents.results import Send
from agents.services import Services
from tests.unit.claims.conftest import BY_TOPIC


async def started(submission: Submission, services: Services) -> list[Send]:
    """The sub-jobs of a claim, not run yet."""
    (accepted,) = (await intake(submission, services)).sends
    assert isinstance(accepted.value, ClaimJob)
    return list((await retrieve(accepted.value, services)).sends)


async def ended(part: Send, services: Services) -> SubEnd:
    """A sub-job taken to its end, and what it tells its parent."""
    send = part
    while send.to != "aggregation":
        (send,) = (await BY_TOPIC[send.to].handle(send.value, services)).sends
    assert isinstance(send.value, SubEnd)
    return send.value
