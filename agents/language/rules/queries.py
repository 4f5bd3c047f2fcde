"""Search queries for a claim (004 §5.2): key phrases in quotes, the claim in plain words, a fact check, a debunking."""

import re
from collections.abc import Sequence
from datetime import date

from agents.language.rules.dates import Parts
from agents.language.rules.entities import find_entities
from agents.language.rules.measures import Measure, measures
from scoring.text.words import is_content

MAX_QUERIES = 4
# Search engines ignore words beyond this; a longer query only narrows the result to pages that copy the claim.
MAX_WORDS = 14
MAX_LENGTH = 200
# Quoted phrases beyond two leave hardly any page.
MAX_QUOTED = 2
# How a domain of 000 is put to a search engine. Others add nothing.
FRAMING = {
    "health": "study",
    "science": "study",
    "politics": "official statement",
    "economy": "statistics",
    "climate": "data",
    "sports": "result",
}
_WORD = re.compile(r"[^\W_]+(?:[.,'’-][^\W_]+)*%?")
_MONTHS = tuple(date(2000, month, 1).strftime("%B") for month in range(1, 13))


def plan_queries(
    claim: str, entities: Sequence[str] = (), domain: str = "general", claimed_on: date | None = None
) -> tuple[str, ...]:
    """Two to four different queries, the most specific first.

    `claimed_on` is when the claim was made; its year is added if the claim itself names no time."""
    names = list(entities) or [entity.name for entity in find_entities(claim)]
    when = _when(claim, claimed_on)
    keywords = _keywords(claim, names)
    terms = _joined([*_quoted(names), *keywords, when])
    # What is claimed may be wrong in its number, so what looks for others' checks does without it.
    topic = _joined([*names[:MAX_QUOTED], *(word for word in keywords if not word[0].isdigit())])
    planned = [
        terms,
        _joined([" ".join(claim.split()[:MAX_WORDS]).rstrip(".!?;,"), FRAMING.get(domain.lower(), "")]),
        _joined(["fact check", topic, when]),
        _joined([topic, "false debunked"]),
    ]
    return tuple({query.lower(): query for query in planned if query}.values())[:MAX_QUERIES]


def plan_again(
    claim: str,
    still_open: Sequence[str],
    entities: Sequence[str] = (),
    claimed_on: date | None = None,
    *,
    latest: bool = False,
) -> tuple[str, ...]:
    """Queries for what a set of queries has left open, in other words than the first set's.

    Figures are left out: what is claimed may be wrong in them. `latest` looks for what was published of late."""
    names = list(entities) or [entity.name for entity in find_entities(claim)]
    subject = _joined(names[:3])
    if latest:
        month = f"{_MONTHS[claimed_on.month - 1]} {claimed_on.year}" if claimed_on is not None else ""
        planned = [_joined([subject, "latest news", month]), _joined([*names[:1], "announcement", month])]
    else:
        parts = [part for part in still_open if part != claim]
        planned = [_joined([*_without_figures(part, names), *names[:1]]) for part in parts]
        told = _joined([*names[:1], *_without_figures(claim, names), "report"])
        planned += [told, _joined([subject, "official statement"])]
    return tuple({query.lower(): query for query in planned if query}.values())[:MAX_QUERIES]


def _without_figures(text: str, names: Sequence[str]) -> list[str]:
    return [word for word in _keywords(text, names) if not any(character.isdigit() for character in word)]


def _quoted(names: Sequence[str]) -> list[str]:
    """Names of several words in quotes, single words plain."""
    plain = [name.replace('"', "") for name in names[:3]]
    several = [name for name in plain if " " in name][:MAX_QUOTED]
    return [f'"{name}"' if name in several else name for name in plain]


def _keywords(claim: str, names: Sequence[str]) -> list[str]:
    """Words of the claim that are in none of its names and no date."""
    dates = [claim[m.start : m.end] for m in measures(claim) if m.dimension in ("date", "year")]
    used = {word.lower() for text in (*names, *dates) for word in _WORD.findall(text)}
    words = (word.removesuffix("'s").removesuffix("’s") for word in _WORD.findall(claim))
    telling = [word for word in words if is_content(word.lower()) and word.lower() not in used]
    return list({word.lower(): word for word in telling}.values())[: MAX_WORDS - 4]


def _when(claim: str, claimed_on: date | None) -> str:
    times = [measure for measure in measures(claim) if measure.dimension in ("date", "year")]
    if times:
        return _spelled(max(times, key=_precision))
    return str(claimed_on.year) if claimed_on is not None else ""


def _precision(measure: Measure) -> int:
    return sum(1 for part in measure.parts if part)


def _spelled(measure: Measure) -> str:
    """Month and year: pages rarely repeat the day in the form in which the claim gives it."""
    year, month, _ = _parts(measure.parts)
    return " ".join(part for part in (month, year) if part)


def _parts(parts: Parts) -> tuple[str, str, str]:
    year, month, day = parts
    return str(year or ""), _MONTHS[month - 1] if month else "", str(day or "")


def _joined(terms: Sequence[str]) -> str:
    words = " ".join(term for term in terms if term).split()
    return " ".join(words[: MAX_WORDS + 4])[:MAX_LENGTH].strip()
