"""Names with the other ways to say them: capitalised runs, held together and cut where English does."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agents.language.rules.names import (
    ABSTRACT_ENDINGS,
    COMMON_OPENERS,
    NATIONALITIES,
    ORGANISATION_HEADS,
    PAIRS,
    TITLES,
)
from scoring.text.lexicon import word_set
from scoring.text.units import MONTHS
from scoring.text.words import STOP_WORDS

_TOKEN = re.compile(
    r"(?:[^\W\d_]\.){2,}|[^\W_]+(?:['’.–-][^\W_]+)*\.?(?<=\bSt\.)|[^\W_]+(?:['’–-][^\W_]+)*\+?|[\"“”„«».,;:!?()&]"
)
_QUOTED = re.compile(r"\"([^\"\n]{2,80})\"|“([^“”\n]{2,80})”|«([^«»\n]{2,80})»")
_ALIAS_IN_BRACKETS = re.compile(r"\s*\(([A-Z][A-Za-z.&-]{1,11})\)")
_KNOWN_AS = re.compile(r",? (?:also |better |formerly )?known as (?:the )?((?:[A-Z][\w.'’-]*)(?: [A-Z][\w.'’-]*){0,3})")
_PARTICLES = word_set("of de da del della der den di du la le van von bin ibn al el ter")
_ROMAN = re.compile(r"[IVX]{1,5}$")
_DAYS = word_set("monday tuesday wednesday thursday friday saturday sunday")
_CALENDAR = MONTHS | _DAYS
_VERBS_AFTER_TITLE = word_set("is was were has had are won tells follows stars became takes premiered")
_TITLE_CONNECTORS = word_set("for of the and to in a on with")
_SENTENCE_END = frozenset(".!?:;")
MAX_WORDS = 9
MAX_QUOTED_WORDS = 6


@dataclass(frozen=True, slots=True)
class Entity:
    """A name, and the other forms under which the text or common use knows it."""

    name: str
    aliases: tuple[str, ...] = ()


def find_entities(text: str) -> tuple[Entity, ...]:
    """The names in `text`, each once, in order of first appearance."""
    tokens = [(m.group(), m.start(), m.end()) for m in _TOKEN.finditer(text)]
    words = [token for token, _, _ in tokens]
    spans = [*_quoted(text), *_runs(words, tokens)]
    found: dict[str, Entity] = {}
    taken: list[tuple[int, int]] = []
    for start, end in spans:
        if any(start < stop and begin < end for begin, stop in taken):
            continue
        taken.append((start, end))
        name = _trimmed(text[start:end])
        if name:
            found.setdefault(name.lower(), Entity(name, _aliases(name, text, start, end)))
    order = {entity.name.lower(): text.find(entity.name) for entity in found.values()}
    return tuple(sorted(found.values(), key=lambda entity: order[entity.name.lower()]))


def _trimmed(name: str) -> str:
    return re.sub(r"\s*['’]s?$", "", name.strip(" ,;:"))


def _quoted(text: str) -> list[tuple[int, int]]:
    """Quoted titles: short and capitalised."""
    spans = []
    for match in _QUOTED.finditer(text):
        group = next(index for index in (1, 2, 3) if match.group(index))
        words = match.group(group).split()
        if len(words) <= MAX_QUOTED_WORDS and words[0][0].isupper():
            spans.append(match.span(group))
    return spans


def _runs(words: Sequence[str], tokens: Sequence[tuple[str, int, int]]) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    index = 0
    while index < len(words):
        if not _is_capital(words[index]):
            index += 1
            continue
        title = _title_end(words, index)
        first, last = (index, title) if title else _cut(words, index, _run_end(words, index))
        if first < last:
            spans.append((tokens[first][1], tokens[last - 1][2]))
        index = max(last, index + 1)
    return spans


def _is_capital(word: str) -> bool:
    return word[0].isupper() or (len(word) > 2 and word[0].islower() and word[1].isupper())


def _opens(words: Sequence[str], index: int) -> bool:
    return index == 0 or words[index - 1] in _SENTENCE_END or (index == 1 and words[0] in ('"', "“"))


def _title_end(words: Sequence[str], start: int) -> int:
    """End of a work's title that opens the sentence ("No Country for Old Men was"), or 0."""
    if not _opens(words, start) or words[start].lower() in ("the", "in", "on", "at", "according"):
        return 0
    at, capitals = start + 1, 0
    while at < len(words) and at - start < MAX_WORDS:
        if _is_capital(words[at]):
            capitals += 1
        elif words[at] not in _TITLE_CONNECTORS:
            break
        at += 1
    fits = at < len(words) and words[at] in _VERBS_AFTER_TITLE and _is_capital(words[at - 1])
    connectors = {word for word in words[start:at] if not _is_capital(word)}
    # "No Country" and "As I Lay" begin as no sentence does; "Bread for the Old Men" is joined as no subject is.
    is_odd = words[start].lower() in STOP_WORDS
    is_joined = bool(connectors - {"of", "and"}) and _is_capital(words[at - 2])
    return at if fits and capitals >= 2 and (is_odd or is_joined) else 0


def _run_end(words: Sequence[str], start: int) -> int:
    """Index after the last word of the capitalised run that begins at `start`."""
    end = start + 1
    titled = words[start].lower().rstrip(".") in TITLES
    while end < len(words) and end - start < MAX_WORDS:
        word = words[end]
        if _owns_next(words, start, end):
            break
        if _is_capital(word) or (word.isdigit() and len(word) <= 3 and not _is_score(words, end)):
            end += 1
            continue
        if word == "." and words[end - 1].lower() in TITLES and end + 1 < len(words):
            end += 1
            continue
        step = _joining(words, start, end, titled=titled)
        if not step:
            break
        end += step
    return end


def _owns_next(words: Sequence[str], start: int, end: int) -> bool:
    """ "South Korea's Court", "NASA's rover" are two names; "Devil's Island" and "St. Mary's Hospital" are one."""
    owner = words[end - 1]
    if not owner.endswith(("'s", "’s")):
        return False
    return (end - start > 1 and words[start] != "St.") or owner[:-2].isupper()


def _is_score(words: Sequence[str], index: int) -> bool:
    return index + 1 < len(words) and words[index + 1][:1].isdigit()


def _joining(words: Sequence[str], start: int, at: int, *, titled: bool) -> int:
    """How many words from `at` on hold the run together with a capitalised word after them; 0 if they do not."""
    ahead = at
    while ahead < len(words) and words[ahead] in _PARTICLES and ahead - at < 3:
        ahead += 1
    if ahead == at + 1 and words[at] == "of" and words[ahead : ahead + 1] == ["the"]:
        ahead += 1
    if ahead > at and ahead < len(words) and _is_capital(words[ahead]):
        return 0 if titled and words[at] == "of" else ahead - at + 1
    word, following = words[at], words[at + 1] if at + 1 < len(words) else ""
    if not following or not _is_capital(following):
        return 0
    head = words[start].lower() in ORGANISATION_HEADS or words[at - 1].lower() in ORGANISATION_HEADS
    joins = (
        word == "&"
        or (word == "the" and not _opens(words, start + 1) and words[start].lower() not in STOP_WORDS)
        or (word == "and" and (words[at - 1].lower(), following.lower()) in PAIRS)
        or (word in ("for", "and") and head and "for" in words[start : at + 1])
    )
    return 2 if joins else 0


def _cut(words: Sequence[str], start: int, end: int) -> tuple[int, int]:
    """The run without titles, function words and dates at its front, and without a nationality at its back."""
    while start < end and _is_front_matter(words, start, end):
        start += 1
    while end > start and (words[end - 1] in _PARTICLES or words[end - 1] == "." or _is_date(words, start, end)):
        end -= 1
    following = words[end] if end < len(words) else ""
    qualifies = following[:1].islower() and following not in STOP_WORDS
    if end > start and words[end - 1].lower() in NATIONALITIES and qualifies:
        end -= 1
    if end - start == 1 and not _is_single_name(words, start):
        return end, end
    if end - start == 2 and words[start].lower() in NATIONALITIES and qualifies and not following.endswith("s"):
        return end, end
    return start, end


def _is_date(words: Sequence[str], start: int, end: int) -> bool:
    """Whether the run ends in a day or month that is one: "Long March" and "Black Friday" are names."""
    if words[end - 1].lower() not in _CALENDAR:
        return False
    following = words[end] if end < len(words) else ""
    return end - start < 2 or following.isdigit() or words[start].lower() in STOP_WORDS


def _is_front_matter(words: Sequence[str], start: int, end: int) -> bool:
    word = words[start].lower().rstrip(".")
    if word in TITLES and end - start > 1:
        return True
    if word in ("", "&") or words[start].isdigit() or word in _CALENDAR:
        return True
    return word in STOP_WORDS and not (words[start].isupper() and len(word) > 1)


def _is_single_name(words: Sequence[str], index: int) -> bool:
    word = words[index]
    lowered = word.lower()
    if len(word) == 1 or lowered in TITLES or lowered in _CALENDAR or word.isdigit() or _ROMAN.match(word):
        return False
    if not _opens(words, index) or not word[1:].islower():
        return lowered not in ("celsius", "fahrenheit", "internet")
    following = words[index + 1].lower() if index + 1 < len(words) else ""
    plural = (
        word.endswith("s") and not word.endswith(("ss", "us", "is")) and following not in ("is", "was", "has", "'s")
    )
    return not (lowered in COMMON_OPENERS or lowered.endswith(ABSTRACT_ENDINGS) or plural)


def _aliases(name: str, text: str, start: int, end: int) -> tuple[str, ...]:
    """Other forms: an acronym in brackets, "known as", initials, a person's last name, without "The"."""
    rest = text[end : end + 80]
    found = [match.group(1) for match in (_ALIAS_IN_BRACKETS.match(rest), _KNOWN_AS.match(rest)) if match]
    words = name.split()
    initials = "".join(word[0] for word in words if word[0].isupper())
    if len(initials) >= 3 and len(words) <= 6:
        found.append(initials)
    before = text[:start].rstrip().split(" ")[-1].lower().rstrip(".")
    is_person = before in TITLES or (len(words) == 2 and not set(map(str.lower, words)) & ORGANISATION_HEADS)
    if is_person and len(words) >= 2 and before in TITLES:
        found.append(words[-1])
    if words[0].lower() == "the" and len(words) > 1:
        found.append(" ".join(words[1:]))
    return tuple(alias for alias in dict.fromkeys(found) if alias.lower() != name.lower())
