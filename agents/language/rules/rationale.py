"""Why a verdict was given, in two to four sentences that cite evidence by id. Written from the evidence alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from agents.language.hostile import screen
from agents.language.rules.sentences import split_sentences
from scoring.text import claim_overlap
from scoring.values import StanceLabel, Verdict

# A quotation longer than this would be most of the rationale.
MAX_QUOTE = 240
# Ids named for one side; more make the sentence a list.
MAX_CITED_PER_SIDE = 3
_PASSAGE_LIMIT = 1200
_HEARD = {
    0: "No passage that speaks about it was found.",
    1: "One passage that speaks about it was found; it does not settle it.",
}


@dataclass(frozen=True, slots=True)
class CitedPassage:
    """A passage that a rationale may cite: its id in the package, its words, its stance, and who says it."""

    id: str
    text: str
    stance: StanceLabel
    source: str = ""
    published: date | None = None


def write_rationale(
    claim: str, verdict: Verdict, passages: Sequence[CitedPassage], *, heard: int = 0, reason: str = ""
) -> str:
    """Two to four sentences. `heard` is how many passages speak about the claim, `reason` why it stays open."""
    supporting = [passage for passage in passages if passage.stance == "supports"]
    refuting = [passage for passage in passages if passage.stance == "refutes"]
    deciding, other = (refuting, supporting) if verdict is Verdict.FALSE else (supporting, refuting)
    sentences = [_outcome(verdict, supporting, refuting, reason)]
    if verdict is not Verdict.UNVERIFIABLE or deciding:
        sentences += [_quotation(claim, passage) for passage in deciding[:1]]
        sentences += _same(deciding[1:])
    if other:
        sentences.append(_against(claim, other, is_conflict=verdict in (Verdict.PARTIALLY_TRUE, Verdict.UNVERIFIABLE)))
    if len(sentences) < 2:
        sentences.append(_looked_at(passages, heard))
    return " ".join(sentences[:4])


def _outcome(
    verdict: Verdict, supporting: Sequence[CitedPassage], refuting: Sequence[CitedPassage], reason: str
) -> str:
    if verdict is Verdict.TRUE:
        return f"The claim is supported by {_count(supporting)}."
    if verdict is Verdict.FALSE:
        return f"The claim is contradicted by {_count(refuting)}."
    if verdict is Verdict.PARTIALLY_TRUE:
        return "Part of the claim holds and part of it does not."
    if supporting and refuting:
        return "The sources contradict each other, so the claim cannot be settled."
    return f"The claim could not be verified{': ' + reason.rstrip('.') if reason else ''}."


def _count(passages: Sequence[CitedPassage]) -> str:
    sources = len({passage.source or passage.id for passage in passages})
    return "one source" if sources == 1 else f"{sources} sources" if sources else "the evidence"


def _quotation(claim: str, passage: CitedPassage) -> str:
    words = telling_sentence(claim, passage.text)
    if not words:
        return f"The source that decides is {_who(passage)} [{passage.id}]."
    return f'According to {_who(passage)}, "{_cut(words)}" [{passage.id}].'


def _same(passages: Sequence[CitedPassage]) -> list[str]:
    if not passages:
        return []
    shown = passages[:MAX_CITED_PER_SIDE]
    names = list(dict.fromkeys(_who(passage) for passage in shown))
    return [f"The same follows from {_listed(names)} {_ids(shown)}."]


def _against(claim: str, passages: Sequence[CitedPassage], *, is_conflict: bool) -> str:
    first = passages[0]
    words = telling_sentence(claim, first.text)
    if is_conflict and words:
        return f'Against that, {_who(first)} says "{_cut(words)}" [{first.id}].'
    shown = passages[:MAX_CITED_PER_SIDE]
    names = list(dict.fromkeys(_who(passage) for passage in shown))
    return f"The opposite is said by {_listed(names)} {_ids(shown)}."


def _looked_at(passages: Sequence[CitedPassage], heard: int) -> str:
    if not passages:
        return _HEARD.get(heard, f"{heard} passages that speak about it were found; they do not settle it.")
    shown = passages[:MAX_CITED_PER_SIDE]
    return f"The passages that were found do not say whether it holds {_ids(shown)}."


def telling_sentence(claim: str, passage: str) -> str:
    """The sentence of a passage that shares most words with the claim; nothing from sentences that give orders."""
    sentences = split_sentences(screen(passage, _PASSAGE_LIMIT).text)
    return max(sentences, key=lambda sentence: claim_overlap(claim, sentence), default="")


def _who(passage: CitedPassage) -> str:
    name = passage.source or f"source {passage.id}"
    return f"{name} ({passage.published.isoformat()})" if passage.published else name


def _ids(passages: Sequence[CitedPassage]) -> str:
    return " ".join(f"[{one}]" for one in dict.fromkeys(passage.id for passage in passages))


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _cut(text: str) -> str:
    plain = " ".join(text.replace('"', "'").split()).rstrip(".")
    return plain if len(plain) <= MAX_QUOTE else plain[:MAX_QUOTE].rsplit(" ", 1)[0] + " …"


def summarise_parts(results: Sequence[tuple[str, Verdict]]) -> str:
    """One or two sentences over the parts of a decomposed claim: what holds, what does not, what stays open."""
    words = {
        Verdict.TRUE: "supported",
        Verdict.FALSE: "contradicted",
        Verdict.PARTIALLY_TRUE: "partly right",
        Verdict.UNVERIFIABLE: "not settled",
    }
    groups = [
        f"{label}: {'; '.join(_cut(text) for text in texts)}"
        for verdict, label in words.items()
        if (texts := [text for text, outcome in results if outcome is verdict])
    ]
    return f"The claim was checked in {len(results)} parts. " + "; ".join(g[0].upper() + g[1:] for g in groups) + "."
