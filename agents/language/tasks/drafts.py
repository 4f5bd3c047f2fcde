"""The three voices of a draft (003): the writer answers from documents, the skeptic objects, the judge compares."""

from collections.abc import Mapping, Sequence

from pydantic import BaseModel, Field

from agents.language.config import LanguagePolicy
from agents.language.hostile import clean, gives_orders
from agents.language.llm.asking import Answer, Asker, Question
from agents.language.prompts import Block, Quoted, quote, system
from agents.language.quota import CallTag, QuotaState
from agents.language.rules.drafting import (
    Change,
    Criticism,
    Document,
    Issue,
    criticise_by_rules,
    revise_by_rules,
    write_by_rules,
)
from scoring.drafts.citations import split_citations
from scoring.drafts.matching import SupportLevel
from scoring.drafts.sentences import sentences as draft_sentences

VERSION = "drafts-1"
MAX_DRAFT = 8_000

WRITER_TASK = """Answer the quoted question from the quoted documents alone, in at most eight sentences. End every
sentence that states something with the id of the document it rests on, like [cite:d2]. If the documents do not answer,
say so."""
REVISER_TASK = """Revise the quoted draft as the quoted list of changes demands, and change nothing else. Every sentence
that states something ends with the id of the document it rests on, like [cite:d2]. Use only the quoted documents."""
SKEPTIC_TASK = """Look for what is wrong with the quoted draft, given the quoted documents: claims without a citation
(uncited), claims that no document supports (unsupported), claims that a document contradicts (contradicted). Repeat
each such claim word for word, without its citation, and say in one short sentence why."""
JUDGE_TASK = """For every quoted claim and every quoted document that it is compared with, say whether the document
supports the claim: full, partial, none or contradicted."""


class DraftOut(BaseModel):
    """The schema of the writer's call."""

    draft: str


class CriticismOut(BaseModel):
    claim: str
    issue: Issue
    note: str = ""


class SkepticOut(BaseModel):
    """The schema of the skeptic's call."""

    criticisms: list[CriticismOut] = Field(default_factory=list)


class LevelOut(BaseModel):
    claim: str
    document: str
    level: SupportLevel


class JudgeOut(BaseModel):
    """The schema of the judge's call."""

    levels: list[LevelOut] = Field(default_factory=list)


async def write_draft(
    query: str, documents: Sequence[Document], asker: Asker | None, policy: LanguagePolicy, state: QuotaState
) -> tuple[str, QuotaState]:
    """A first draft with citation anchors."""
    fallback = write_by_rules(query, documents)
    short, quoted = _documents(documents, policy)
    asked = quote([Block("question", "q1", query, policy.max_claim_length)])
    if asker is None or not quoted.shown or not asked.shown:
        return fallback, state
    content = f"{asked.content}\n\n{quoted.content}"
    question = Question("writer", VERSION, CallTag.WRITER, "normal", system(WRITER_TASK), content, DraftOut)
    answer: Answer[DraftOut] = await asker.ask(question, state)
    draft = _checked(answer.value.draft, short, quoted) if answer.value is not None else ""
    return draft or fallback, answer.state


async def revise_draft(
    draft: str,
    changes: Sequence[Change],
    documents: Sequence[Document],
    asker: Asker | None,
    policy: LanguagePolicy,
    *,
    state: QuotaState,
) -> tuple[str, QuotaState]:
    """The draft with the demanded changes. A model's version is kept only if what was to be removed is gone."""
    fallback = revise_by_rules(draft, changes)
    short, quoted = _documents(documents, policy)
    if asker is None or not changes or not quoted.shown:
        return fallback, state
    demanded = "\n".join(f"{change.action}: {change.claim} {change.replacement}".strip() for change in changes)
    parts = quote(
        [Block("draft", "t1", _numbered(draft, short), MAX_DRAFT), Block("changes", "t2", demanded, MAX_DRAFT)]
    )
    if len(parts.shown) < 2:
        return fallback, state
    content = f"{parts.content}\n\n{quoted.content}"
    question = Question("reviser", VERSION, CallTag.WRITER, "normal", system(REVISER_TASK), content, DraftOut)
    answer: Answer[DraftOut] = await asker.ask(question, state)
    revised = _checked(answer.value.draft, short, quoted) if answer.value is not None else ""
    said = {split_citations(sentence).text for sentence in draft_sentences(revised)}
    obeyed = not any(change.claim in said for change in changes if change.action != "qualify")
    return (revised if revised and obeyed else fallback), answer.state


async def criticise_draft(
    draft: str,
    query: str,
    documents: Sequence[Document],
    asker: Asker | None,
    policy: LanguagePolicy,
    *,
    state: QuotaState,
) -> tuple[tuple[Criticism, ...], QuotaState]:
    """What the skeptic objects to: the rules' findings, and those of a model about sentences that are in the draft."""
    found = criticise_by_rules(draft, query, documents)
    short, quoted = _documents(documents, policy)
    shown = quote([Block("draft", "t1", _numbered(draft, short), MAX_DRAFT)])
    if asker is None or not quoted.shown or not shown.shown:
        return found, state
    content = f"{shown.content}\n\n{quoted.content}"
    question = Question("skeptic", VERSION, CallTag.SKEPTIC, "low", system(SKEPTIC_TASK), content, SkepticOut)
    answer: Answer[SkepticOut] = await asker.ask(question, state)
    said = {split_citations(sentence).text for sentence in draft_sentences(draft)}
    named = {criticism.claim for criticism in found}
    more = [
        Criticism(one.claim.strip(), one.issue, clean(one.note, 200))
        for one in (answer.value.criticisms if answer.value is not None else ())
        if one.claim.strip() in said and one.claim.strip() not in named and not gives_orders(one.note)
    ]
    return (*found, *more), answer.state


async def judge_claims(
    claims: Sequence[tuple[str, Sequence[str]]],
    documents: Sequence[Document],
    asker: Asker | None,
    policy: LanguagePolicy,
    *,
    state: QuotaState,
) -> tuple[Mapping[tuple[int, str], SupportLevel], QuotaState]:
    """Support levels by (number of the claim, document id), for the pairs a model was asked about and answered.

    Each claim comes with the ids of the documents it is compared with. Where there is no entry, the stance model's
    level stands."""
    short, quoted = _documents(documents, policy)
    blocks = [Block("claim", f"c{number}", text, policy.max_claim_length) for number, (text, _) in enumerate(claims)]
    shown = quote(blocks)
    if asker is None or not quoted.shown or not shown.shown:
        return {}, state
    by_document = {document.id: key for key, document in short.items()}
    pairs = {
        (f"c{number}", by_document[one]): (number, one)
        for number, (_, compared) in enumerate(claims)
        for one in compared
        if one in by_document and f"c{number}" in shown.shown and by_document[one] in quoted.shown
    }
    if not pairs:
        return {}, state
    wanted = "; ".join(f"{claim} with {document}" for claim, document in pairs)
    content = f"{shown.content}\n\n{quoted.content}\n\nCompare: {wanted}."
    question = Question("judge", VERSION, CallTag.JUDGE, "critical", system(JUDGE_TASK), content, JudgeOut)
    answer: Answer[JudgeOut] = await asker.ask(question, state)
    levels = {(one.claim, one.document): one.level for one in (answer.value.levels if answer.value else ())}
    return {pairs[key]: level for key, level in levels.items() if key in pairs}, answer.state


def _documents(documents: Sequence[Document], policy: LanguagePolicy) -> tuple[dict[str, Document], Quoted]:
    short = {f"d{number}": one for number, one in enumerate(documents[: policy.max_documents], start=1)}
    return short, quote([Block("document", key, one.text, policy.max_document_length) for key, one in short.items()])


def _numbered(draft: str, short: Mapping[str, Document]) -> str:
    """The draft with our short ids in place of the documents' hashes."""
    text = draft
    for key, document in short.items():
        text = text.replace(f"[cite:{document.id}]", f"[cite:{key}]")
    return text


def _checked(draft: str, short: Mapping[str, Document], quoted: Quoted) -> str:
    """A model's draft with the documents' hashes, or nothing if it cites what it was not shown or gives orders."""
    text = clean(draft, MAX_DRAFT)
    parts = [split_citations(sentence) for sentence in draft_sentences(text)]
    cited = {citation for part in parts for citation in part.citations}
    if not parts or not cited <= set(quoted.shown) or any(gives_orders(part.text) for part in parts):
        return ""
    for key in sorted(cited, key=len, reverse=True):
        text = text.replace(f"[cite:{key}]", f"[cite:{short[key].id}]")
    return text
