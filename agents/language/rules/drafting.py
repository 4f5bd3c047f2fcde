"""Drafts by rules (003): an answer of the documents' own sentences, and revisions that only cut, mark or correct."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from agents.language.hostile import screen
from agents.language.rules.sentences import split_sentences
from scoring.drafts.citations import split_citations
from scoring.drafts.claims import DraftClaim, extract_claims
from scoring.drafts.risks import NO_EVIDENCE_RESPONSE
from scoring.drafts.sentences import sentences as draft_sentences
from scoring.text import claim_overlap, content_stems

MAX_SENTENCES = 6
# A sentence that shares less with the question does not answer it.
MIN_OVERLAP = 0.2
# Two sentences that share this much say the same.
SAME = 0.8
NOT_FOUND_MARK = "(not found in the documents)"
_DOCUMENT_LIMIT = 20_000

Issue = Literal["uncited", "unknown_citation", "unsupported", "contradicted"]
Action = Literal["remove", "qualify", "correct"]


@dataclass(frozen=True, slots=True)
class Document:
    """A retrieved chunk: its hash is what a draft cites."""

    id: str
    text: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Criticism:
    """What the skeptic holds against one claim of a draft."""

    claim: str
    issue: Issue
    note: str


@dataclass(frozen=True, slots=True)
class Change:
    """What to do with one claim of a draft; a correction says what the documents say instead, and which one."""

    claim: str
    action: Action
    replacement: str = ""
    citation: str = ""


def write_by_rules(query: str, documents: Sequence[Document]) -> str:
    """The sentences of the documents that answer the question best, in their order, each with its citation."""
    scored: list[tuple[float, int, str, str]] = []
    for document in documents:
        for sentence in split_sentences(screen(document.text, _DOCUMENT_LIMIT).text):
            overlap = claim_overlap(query, sentence)
            if overlap >= MIN_OVERLAP and not sentence.endswith("?"):
                scored.append((overlap, len(scored), sentence, document.id))
    chosen: list[tuple[int, str, str]] = []
    for _, order, sentence, identity in sorted(scored, key=lambda one: (-one[0], one[1])):
        if len(chosen) < MAX_SENTENCES and not any(_says_the_same(sentence, other) for _, other, _ in chosen):
            chosen.append((order, sentence, identity))
    if not chosen:
        return NO_EVIDENCE_RESPONSE
    return " ".join(f"{sentence.rstrip('.')} [cite:{identity}]." for _, sentence, identity in sorted(chosen))


def _says_the_same(one: str, other: str) -> bool:
    stems, others = content_stems(one), content_stems(other)
    return bool(stems) and len(stems & others) / len(stems) >= SAME


def criticise_by_rules(draft: str, query: str, documents: Sequence[Document]) -> tuple[Criticism, ...]:
    """Claims that must be cited and are not, and citations of documents that were never retrieved."""
    known = {document.id for document in documents}
    found: list[Criticism] = []
    for claim in extract_claims(draft, query):
        made_up = [citation for citation in claim.citations if citation not in known]
        if made_up:
            found.append(Criticism(claim.text, "unknown_citation", f"cites {made_up[0]}, which was not retrieved"))
        elif not claim.citations and claim.importance != "minor":
            found.append(Criticism(claim.text, "uncited", f"a {claim.importance} claim without a citation"))
    return tuple(found)


def revise_by_rules(draft: str, changes: Sequence[Change]) -> str:
    """The draft with each change applied to the sentence that makes the claim; other sentences stay word for word."""
    by_claim: Mapping[str, Change] = {change.claim: change for change in changes}
    kept: list[str] = []
    for sentence in draft_sentences(draft):
        change = by_claim.get(split_citations(sentence).text)
        if change is None:
            kept.append(sentence)
        elif change.action == "qualify":
            kept.append(f"{split_citations(sentence).text.rstrip('.')} {NOT_FOUND_MARK}.")
        elif change.action == "correct" and change.replacement:
            cited = f" [cite:{change.citation}]" if change.citation else ""
            kept.append(f"{change.replacement.rstrip('.')}{cited}.")
    return " ".join(kept)


def claims_to_judge(draft: str, query: str, limit: int) -> tuple[DraftClaim, ...]:
    """The claims of a draft in the order of their importance, at most `limit`."""
    rank = {"critical": 0, "material": 1, "minor": 2}
    claims = extract_claims(draft, query)
    return tuple(sorted(claims, key=lambda claim: (rank[claim.importance], claim.position))[:limit])
