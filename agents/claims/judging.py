"""What the evidence of a job amounts to: the one reading of it that ranking, trust and adjudication share."""

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

from agents.claims.evidence import TEXT_LIMIT, CandidateRow
from agents.claims.job import ClaimJob
from agents.language.hostile import screen
from agents.language.ports import Pair
from agents.language.rules.timing import first_day
from agents.services import Services
from scoring.adaptive_trust import AdaptiveTrust, assess
from scoring.policy import Policy
from scoring.sufficiency_gates import TrustMode
from scoring.values import Stance


class Judged(NamedTuple):
    """The stance of each row, and by its key that of every text that was read for them."""

    rows: tuple[Stance, ...] = ()
    texts: Mapping[str, Stance] = {}


async def judge_rows(
    claim: str, rows: Sequence[CandidateRow], services: Services, known: Mapping[str, Stance] | None = None
) -> Judged:
    """The stance of each row towards a claim; what gives orders in it is not heard.

    What an earlier look at the same claim has read, and its job knows, is not read again.

    A model that understands more than one sentence at a time (`reads_pages`) also reads the rows of one page together,
    in the order given: what one leaves open the next may settle. If the page as a whole says more than its first row
    does, that row speaks for the page; the others speak for themselves, so that a page does not become several voices.
    """
    pages = _pages(rows) if getattr(services.stance, "reads_pages", False) else []
    if not rows:
        return Judged()
    pairs = await asyncio.to_thread(_pairs, claim, rows, pages)
    keys = [_key(pair) for pair in pairs]
    texts = {key: known[key] for key in keys if key in known} if known else {}
    new = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in texts}
    if new:
        texts |= zip(new, await services.stance.judge(list(new.values())), strict=True)
    judged = [texts[key] for key in keys]
    stances = {row.id: stance for row, stance in zip(rows, judged[: len(rows)], strict=True)}
    for page, whole in zip(pages, judged[len(rows) :], strict=True):
        if whole.neutral < stances[page[0].id].neutral:
            stances[page[0].id] = whole
    happens = first_day(claim)
    return Judged(tuple(_in_time(stances[row.id], row, happens) for row in rows), texts)


def _in_time(stance: Stance, row: CandidateRow, happens: date | None) -> Stance:
    """A page from before the day in question cannot deny what happened on it: "closed", it says, and that was so."""
    if happens is None or row.published is None or row.published >= happens:
        return stance
    return Stance(supports=stance.supports, refutes=0.0, neutral=1.0 - stance.supports)


def _key(pair: Pair) -> str:
    """What a model is shown of a passage, in a few characters that travel with the job."""
    shown = "\0".join((pair.passage, pair.title, str(pair.published or "")))
    return hashlib.blake2s(shown.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _pages(rows: Sequence[CandidateRow]) -> list[list[CandidateRow]]:
    """The rows of every page that has more than one."""
    pages: dict[tuple[str, str], list[CandidateRow]] = {}
    for row in rows:
        if row.title and row.origin != "kg":
            pages.setdefault((row.domain, row.title), []).append(row)
    return [page for page in pages.values() if len(page) > 1]


def _pairs(claim: str, rows: Sequence[CandidateRow], pages: Sequence[Sequence[CandidateRow]]) -> list[Pair]:
    """Every row alone, then the rows of each page together."""
    shown = [(row.text, row) for row in rows] + [(_joined(page), page[0]) for page in pages]
    return [Pair(claim, _heard(text), _heard(row.title), row.published) for text, row in shown]


def _heard(text: str) -> str:
    """The text without sentences that give orders."""
    return screen(text, len(text)).text


def _joined(page: Sequence[CandidateRow]) -> str:
    """As much of a page as one row may hold."""
    return " ".join(dict.fromkeys(row.text for row in page))[:TEXT_LIMIT]


def trust_mode(job: ClaimJob, services: Services) -> TrustMode:
    """The mode that the submission asks for, else the system's."""
    asked = job.submission.trust_mode or services.budget.trust_mode
    return "confidence" if asked == "confidence" else "adaptive"


def adaptive_trust(job: ClaimJob, policy: Policy, mode: TrustMode) -> AdaptiveTrust:
    """Adaptive trust over the rows as they stand. A claim of several statements is not judged here: its parts are."""
    return assess(
        job.claim,
        (),
        [row.evidence() for row in job.evidence],
        policy.adaptive_trust,
        mode,
        trust=policy.trust,
        polarity=policy.polarity,
        proposed_anchors=job.reading.anchors if job.reading is not None else None,
    )
