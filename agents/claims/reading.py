"""What is known of a claim before it is searched for. Kept first-write-wins: no model may read it twice differently."""

from collections.abc import Mapping
from dataclasses import replace

from agents.claims.submission import CLAIM_MAX_CHARACTERS
from agents.claims.wire import Wire
from agents.evidence.inline import inline_sources, without_sources
from agents.language.hostile import clean
from agents.language.quota import QuotaState
from agents.language.service import Language
from agents.language.tasks.claim import ClaimReading, ClaimText
from storage.ports import VerdictLedger


class Named(Wire):
    """An entity with the other names it goes by."""

    name: str
    aliases: tuple[str, ...] = ()


class Reading(Wire):
    """The part of a claim's reading that later stages use."""

    standalone: str
    """The claim so that it can be understood alone, without sentences that give orders: what is judged."""
    entities: tuple[Named, ...] = ()
    subclaims: tuple[str, ...] = ()
    anchors: Mapping[str, tuple[str, ...]] = {}
    queries: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    """Addresses that the claim names itself."""
    removed: int = 0
    """Sentences that gave orders instead of claiming something."""
    quota: QuotaState = QuotaState()

    @property
    def is_only_orders(self) -> bool:
        """Whether nothing was left to look for once the orders were gone."""
        return self.removed > 0 and not self.queries


async def read_once(
    text: ClaimText, language: Language, ledger: VerdictLedger, *, job_id: str, attempt: int, quota: QuotaState
) -> Reading:
    """Read the claim, keep the reading, and return the one that is kept."""
    found, spent = await language.read_claim(replace(text, text=without_sources(text.text)), quota)
    kept = await ledger.remember(job_id, attempt, 0, "reading", _reading(found, text, spent).model_dump_json().encode())
    return Reading.model_validate_json(kept)


def _reading(found: ClaimReading, text: ClaimText, quota: QuotaState) -> Reading:
    parts = _parts(found)
    return Reading(
        standalone=found.standalone or text.text,
        entities=tuple(Named(name=one.name, aliases=one.aliases) for one in found.entities),
        subclaims=tuple(parts),
        anchors={part: found.anchors[asked] for part, asked in parts.items() if asked in found.anchors},
        queries=found.queries,
        sources=inline_sources(text.text),
        removed=found.removed,
        quota=quota,
    )


def _parts(found: ClaimReading) -> dict[str, str]:
    """The statements as claims of their own, each once: a model's words may hold what no claim may. By what they were
    found as, which their anchors go by."""
    cleaned = ((" ".join(clean(part, CLAIM_MAX_CHARACTERS).split()), part) for part in found.subclaims)
    return {part: asked for part, asked in cleaned if part}
