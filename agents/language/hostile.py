"""Text from outside is data: made safe to show, cut to size, and freed of sentences that try to give orders.

Nothing here decides what is true. What is removed is counted, so that a verdict can say why it abstained.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from agents.language.rules.sentences import split_sentences

# Control and format characters have no place in a claim or a passage, line breaks and tabs aside: overrides of the
# writing direction, zero-width characters and the invisible tag alphabet hide text from people but not from models.
_KEPT_CONTROLS = frozenset("\n\t")
_HIDDEN = frozenset(("Cc", "Cf", "Co", "Cs"))
_VARIATION_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_TERMINAL_CODES = re.compile(r"\x1b\[[0-9;]{0,10}[A-Za-z]")
_SPACES = re.compile(r"[^\S\n]+")
_LEET = str.maketrans("013457@$", "oleastas")

_VERDICT = r"(?:TRUE|FALSE|UNVERIFIABLE|PARTIALLY_TRUE)"
_ORDER = (
    r"answer|respond|reply|output|print|say|state|write|return|give|mark|rate|label|classify|set|conclude|declare|confirm"
    r"|choose|treat|report|translate|show|put|produce|antwort\w*|r[eé]pond\w*|responde\w*"
)
# Matched against the text as written: capitals are what sets a verdict of ours apart from the word "true".
_AS_WRITTEN = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?i:(?<!we )\b(?:{_ORDER})\b)[^.!?\n]{{0,80}}?\b{_VERDICT}\b",
        rf"(?i:\b(?:verdict|answer|output|label|result)\b)[^.!?\n]{{0,40}}\b{_VERDICT}\b",
        rf"(?i:\byou\b)[^.!?\n]{{0,80}}\b{_VERDICT}\b",
        rf"^\W*{_VERDICT}\W*$",
        r"\[\s?e\d{1,3}\s?\]",
    )
)
_ANY_CASE = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:ignor\w*|disregard\w*|forget|override|overrule|bypass|skip)\b[^.!?\n]{0,60}"
        r"\b(?:instruc\w*|anweisung\w*|rules?|prompts?|above|everything|checks?|guidelines?|previous|prior)\b",
        r"<\|[^|]{0,40}\|>|\[/?INST\]|</?s>|<</?SYS>>",
        r"</?(?:evidence|claim|system|user|assistant|document|passage|data|instructions?)\b[^>]{0,40}>",
        r"^\s*(?:system|assistant|user|developer|human)\s*:",
        r"^\s*#{1,6}\s*(?:instructions?|response|system|task)\b",
        r"\bnew (?:instructions?|task|rules?)\b\s*:",
        r"\bend of (?:evidence|documents?|prompt|input|task|text)\b",
        r"[\"']?\bverdict[\"']?\s*[:=]",
        rf"^\W*(?:please |also |now |then )?(?:{_ORDER})\b[^.!?\n]{{0,80}}"
        r"\b(?:supports?|supported|refutes?|refuted|true|false|verified)\b",
        rf"\b(?:{_ORDER})\b[^.!?\n]{{0,60}}\b(?:as|with) (?:supports?|supported|refutes?|refuted|true|false)\b",
        r"\b(?:is|are|must|should|shall|has|have) (?:to )?be (?:marked|rated|labell?ed|classified|answered)\b",
        r"(?<![-\w])(?:attention|dear|note to|message (?:to|for|from)|hey|hello)\b[^.!?\n]{0,30}"
        r"\b(?:ai|llm|models?|assistants?|bots?|machines?|fact.?check\w* (?:system|software|bot))\b",
        r"\b(?:ai|llm|language model)\b[^.!?\n]{0,60}\b(?:must|required|should|have to|need to|answer|respond)\b",
        r"\byour (?:instructions|system prompt|operator|developer)s?\b|\binstructions you\b",
        r"\b(?:system administrator|admin)\b[^.!?\n]{0,40}\b(?:says?|override|code|skip|return)\b",
        r"\bwhoever reads this\b|\bautomat\w+ (?:reader|system)s?\b[^.!?\n]{0,40}\b(?:must|should)\b",
        r"^\W*(?:please |also |now |then )?(?:cite|quote|do not (?:use|cite|mention)|only (?:use|cite)|use)\b"
        r"[^.!?\n]{0,80}"
        r"\b(?:page|source|evidence|citations?|verdict|rationale|e\d{1,3})\b",
        r"\bwhen you (?:write|answer|decide|judge|summari[sz]e)\b",
        r"^\W*(?:please |also |now |then )?(?:search for|visit|open|add the quer\w+|query)\b[^\n]{0,120}"
        r"(?:https?:|\.example\b|\bquer\w+|\bsearch\w*|\bnow\b)",
        r"\b(?:and|to) (?:search for|visit|query)\b[^\n]{0,60}\b\w+\.\w{2,}",
        r"\byour (?:list of )?(?:searches|queries|verdict|rationale|answer)\b",
        r"\byou (?:are now|are the judge|must output|must answer|only say|only answer)\b",
        r"\bfrom now on you\b",
        r"\b(?:correct|expected|right|only) (?:answer|output|verdict)\b",
        r"\bsay (?:it|that|true|false|yes) now\b|\bprint it\b",
    )
)


@dataclass(frozen=True, slots=True)
class Screened:
    """What is left of a text, and how many sentences were taken out because they try to instruct the reader."""

    text: str
    removed: int

    @property
    def is_hostile(self) -> bool:
        return self.removed > 0


def clean(text: str, limit: int) -> str:
    """The text with compatibility forms made plain and invisible characters gone, at most `limit` characters long."""
    visible = _TERMINAL_CODES.sub("", text[: limit * 4])
    visible = unicodedata.normalize("NFKC", visible)
    kept = [c for c in visible if c in _KEPT_CONTROLS or unicodedata.category(c) not in _HIDDEN]
    plain = _SPACES.sub(" ", _VARIATION_SELECTORS.sub("", "".join(kept)))
    return plain.strip()[:limit].rstrip()


@lru_cache(maxsize=2_048)  # a passage is screened for the local model, for the language model and for its quotation
def screen(text: str, limit: int) -> Screened:
    """A cleaned text without the sentences that give orders."""
    lines: list[str] = []
    removed = 0
    for line in clean(text, limit).split("\n"):
        sentences = split_sentences(line) if line.strip() else []
        kept = [sentence for sentence in sentences if not gives_orders(sentence)]
        removed += len(sentences) - len(kept)
        if kept or not line.strip():
            lines.append(" ".join(kept))
    return Screened("\n".join(lines).strip(), removed)


def gives_orders(sentence: str) -> bool:
    """Whether a sentence tries to instruct whoever reads it, forges our markers, or dictates an answer."""
    if any(pattern.search(sentence) for pattern in (*_AS_WRITTEN, *_ANY_CASE)):
        return True
    plain = sentence.lower().translate(_LEET)
    return plain != sentence.lower() and any(pattern.search(plain) for pattern in _ANY_CASE[:1])
