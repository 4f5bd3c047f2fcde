"""Names in running text, by their shape: capitalised sequences, acronyms and quoted names."""

import re
from dataclasses import dataclass

from scoring.text.lexicon import word_set
from scoring.text.units import MONTHS
from scoring.text.words import STOP_WORDS

# A name longer than this is a headline in title case; it is cut rather than kept as one name.
MAX_NAME_WORDS = 8
MAX_WORD_LENGTH = 40
MAX_QUOTED_WORDS = 6
# With more than this share of words in capitals, case no longer tells names from other words.
SHOUTING_SHARE = 0.6
SHOUTING_MIN_WORDS = 4

_WORD = re.compile(r"[^\W_]+")
_GAP_WITHIN_NAME = frozenset((" ", "-", "\u2011", "'", "’", "&", " & ", ". ", ".", "\u00a0"))
# Words that join two parts of one name ("Bank of England"); "and" and "for" join two names more often.
_JOINING = word_set("of de da del der di du la van von bin al")
_SENTENCE_END = frozenset(".!?:;\n\r•|")
_QUOTED = re.compile(r"\"([^\"\n]{2,80})\"|“([^“”\n]{2,80})”|«([^«»\n]{2,80})»|„([^„“”\n]{2,80})[“”]")
_ABBREVIATIONS = frozenset(
    ("mr", "mrs", "ms", "dr", "st", "prof", "gen", "sen", "rep", "gov", "sgt", "jr", "sr", "no")
)

# Words that open a sentence with a capital letter without naming anything.
_OPENERS = word_set(
    """
    according although another anyone around breaking despite even everybody everyone everything experts fact
    following four five first given half here hundreds last later less like many meanwhile millions nearly never new
    news next nobody none nothing officials often one people perhaps really recent report reports research
    researchers scientists second seven several since six someone something sometimes soon still studies study ten
    thousands three today together tomorrow top two unlike watch whenever yes yesterday
    """
)
_CALENDAR = MONTHS | word_set("monday tuesday wednesday thursday friday saturday sunday")
_SINGULAR_VERBS = frozenset(
    ("is", "was", "has", "had", "does", "did", "will", "can", "became", "won", "lost", "said")
)


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    start: int
    end: int
    opens_sentence: bool

    @property
    def capital(self) -> bool:
        return self.text[0].isupper() and len(self.text) <= MAX_WORD_LENGTH

    @property
    def acronym(self) -> bool:
        """All capitals (digits allowed), at least two of them."""
        return 2 <= len(self.text) <= MAX_WORD_LENGTH and self.text.isupper() and self.text[0].isalpha()


def entities(text: str) -> tuple[str, ...]:
    """The names in `text`, each once, in order of first appearance."""
    words = _words(text)
    found = [] if _is_shouting(words) else _capitalised(text, words)
    found += _quoted(text)
    found.sort()
    unique: dict[str, str] = {}
    for _, name in found:
        unique.setdefault(name.lower(), name)
    return tuple(unique.values())


def _words(text: str) -> list[_Word]:
    words: list[_Word] = []
    end, previous = 0, ""
    for match in _WORD.finditer(text):
        gap = text[end : min(match.start(), end + 4)]
        opens = not words or (any(c in _SENTENCE_END for c in gap) and not _is_abbreviation(previous, gap))
        words.append(_Word(match.group(), match.start(), match.end(), opens))
        end, previous = match.end(), match.group()
    return words


def _is_abbreviation(word: str, gap: str) -> bool:
    """ "Dr. Smith", "J. Smith", "U.S.": the full stop ends no sentence."""
    return gap.startswith(".") and (word.lower() in _ABBREVIATIONS or (len(word) == 1 and word.isupper()))


def _is_shouting(words: list[_Word]) -> bool:
    loud = sum(1 for word in words if word.acronym)
    return len(words) >= SHOUTING_MIN_WORDS and loud > SHOUTING_SHARE * len(words)


def _capitalised(text: str, words: list[_Word]) -> list[tuple[int, str]]:
    elsewhere = {word.text for word in words if word.capital and not word.opens_sentence}
    lowercase = {word.text for word in words if word.text.islower()}
    found: list[tuple[int, str]] = []
    index = 0
    while index < len(words):
        if not words[index].capital:
            index += 1
            continue
        end = _end_of_name(text, words, index)
        start = _start_of_name(words, index, end, elsewhere, lowercase)
        if start < end and not all(_is_date(word) for word in words[start:end]):
            found.append((words[start].start, text[words[start].start : words[end - 1].end]))
        index = end
    return found


def _end_of_name(text: str, words: list[_Word], start: int) -> int:
    """Index after the last word of the name that starts at `start`."""
    end = start + 1
    while end < len(words) and end - start < MAX_NAME_WORDS and _joined(text, words[end - 1], words[end]):
        if words[end].capital or (words[end].text.isdigit() and not words[end].opens_sentence):
            end += 1
        elif words[end].text in _JOINING and end + 1 < len(words) and words[end + 1].capital:
            end += 2
        else:
            break
    return end


def _joined(text: str, left: _Word, right: _Word) -> bool:
    if right.opens_sentence or right.start - left.end > 3:
        return False
    gap = text[left.end : right.start]
    if gap.startswith(". ") or gap == ".":
        return _is_abbreviation(left.text, gap)
    return gap in _GAP_WITHIN_NAME


def _start_of_name(words: list[_Word], start: int, end: int, elsewhere: set[str], lowercase: set[str]) -> int:
    """Skips leading words that are capitalised for another reason; returns `end` if nothing of the name is left."""
    while start < end and _names_nothing(words[start], alone=end - start == 1):
        start += 1
    if start < end and words[start].opens_sentence and end - start == 1 and not words[start].acronym:
        following = words[start + 1] if start + 1 < len(words) else None
        return start if _opener_is_name(words[start], following, elsewhere, lowercase) else end
    return start


def _names_nothing(word: _Word, *, alone: bool) -> bool:
    lowered = word.text.lower()
    if word.text.isdigit() or (alone and len(word.text) == 1):
        return True
    return not word.acronym and (lowered in STOP_WORDS or (word.opens_sentence and lowered in _OPENERS))


def _is_date(word: _Word) -> bool:
    return word.text.isdigit() or word.text.lower() in _CALENDAR


def _opener_is_name(word: _Word, following: _Word | None, elsewhere: set[str], lowercase: set[str]) -> bool:
    """A lone capitalised word that opens a sentence: a name unless its form or its other uses say otherwise."""
    if word.text in elsewhere:
        return True
    if word.text.lower() in lowercase or word.text.endswith(("ly", "ing")):
        return False
    if word.text.endswith("s") and following is not None:  # "Vaccines cause", but "Paris is", "Texas wants"
        return following.text in _SINGULAR_VERBS or following.text.endswith(("s", "ed"))
    return True


def _quoted(text: str) -> list[tuple[int, str]]:
    found = []
    for match in _QUOTED.finditer(text):
        name = next(group for group in match.groups() if group).strip()
        words = name.split()
        if words and len(words) <= MAX_QUOTED_WORDS and any(c.isalpha() for c in name):
            found.append((match.start() + 1, name.rstrip(".,;!?")))
    return found
