"""The coverage skeleton of an article, and whether it covers what the text visibly contains (002).

Times, numbers and quotations are counted by patterns that read digits and quotation marks rather than words, so that
they hold in any language; month names and clock suffixes are English. Every pattern is linear in the text's length.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from scoring.checks import unit

# A longer span between two marks is an unclosed quotation rather than something said.
MAX_QUOTE_LENGTH = 600


@dataclass(frozen=True, slots=True)
class SkeletonPolicy:
    """A skeleton passes when it holds at least this share (002: half) of what was detected, kind by kind."""

    tolerance: float = 0.5

    def __post_init__(self) -> None:
        unit("tolerance", self.tolerance)


DEFAULT = SkeletonPolicy()


@dataclass(frozen=True, slots=True)
class SkeletonEvent:
    subject: str
    verb: str
    object: str = ""
    time: str = ""
    location: str = ""


@dataclass(frozen=True, slots=True)
class SkeletonMeasurement:
    subject: str
    metric: str
    quantity: str
    time: str = ""


@dataclass(frozen=True, slots=True)
class SkeletonQuote:
    speaker: str
    quote_text: str


@dataclass(frozen=True, slots=True)
class SkeletonPolicyStatement:
    subject: str
    action: str
    time: str = ""


@dataclass(frozen=True, slots=True)
class CoverageSkeleton:
    """What an article is made of: what happened, what was measured, what was said, what was decreed."""

    events: tuple[SkeletonEvent, ...] = ()
    measurements: tuple[SkeletonMeasurement, ...] = ()
    quotes: tuple[SkeletonQuote, ...] = ()
    policies: tuple[SkeletonPolicyStatement, ...] = ()


_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_YEAR = r"(?:1[5-9]|20)\d{2}"
# A letter or digit of a script that sets words apart. Chinese, Japanese and Korean do not, so there a number stands
# directly between characters that are not part of it.
_GLUE = r"[^\W\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]"
# Alternatives from the most to the least specific; what one of them matched, no other counts again. A bare year may
# not be part of a longer number, an amount or a percentage.
_TIME = re.compile(
    rf"""
    (?=[\djfmasond])(?<!{_GLUE})(?:
      (?<![.,/:-])\d{{4}}-\d{{1,2}}(?:-\d{{1,2}})?(?:[T ]\d{{1,2}}:\d{{2}}(?::\d{{2}})?)?(?!{_GLUE}|-)
    | (?<![.,/:-])\d{{1,2}}([./-])\d{{1,2}}\1(?:\d{{4}}|\d{{2}})(?!{_GLUE}|-)
    | {_YEAR}[年년](?:\ ?\d{{1,2}}[月월](?:\ ?\d{{1,2}}[日일])?)?
    | \d{{1,2}}(?:st|nd|rd|th)?\.?\ (?:of\ )?{_MONTH}(?:,?\ {_YEAR})?(?!{_GLUE})
    | {_MONTH}\ (?:\d{{1,2}}(?:st|nd|rd|th)?(?:,?\ {_YEAR})?|{_YEAR})(?!{_GLUE})
    | (?<![.,:])\d{{1,2}}:\d{{2}}(?::\d{{2}})?(?:\ ?[ap]\.?m\b\.?)?(?!{_GLUE}|:)
    | (?<![.,:])\d{{1,2}}\ ?[ap]\.?m\b\.?(?!{_GLUE})
    | (?<![.,:$€£¥₹-]){_YEAR}(?:s\b)?(?!{_GLUE}|[.,]\d|\ ?[%€£¥₹]|\ percent)
    )""",
    re.VERBOSE | re.IGNORECASE,
)
# A run of digits with its separators is one number, and so are groups of three set apart by spaces. Digits inside a
# word ("COVID-19", "B12") name something.
_NUMBER = re.compile(
    rf"(?=\d)(?<!{_GLUE})(?<![.,])(?<!{_GLUE}[-\u2010\u2011])"
    r"(?:\d{1,3}(?:[ \u00a0\u202f]\d{3}(?!\d))++(?:[.,]\d++)?+|\d++(?:[.,'’]\d++)*+)"
)
# An opening straight mark does not follow a letter or digit (then it closes something, or means inches).
_QUOTE = re.compile(
    rf"""
      (?<!{_GLUE})"(?=\S)([^"]{{1,{MAX_QUOTE_LENGTH}}}+)"
    | “([^“”]{{1,{MAX_QUOTE_LENGTH}}}+)”
    | «([^«»]{{1,{MAX_QUOTE_LENGTH}}}+)»
    | »([^«»]{{1,{MAX_QUOTE_LENGTH}}}+)«
    | „([^„“”]{{1,{MAX_QUOTE_LENGTH}}}+)[“”]
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class TextAnalysis:
    """How many times, numbers and quotations the text itself shows."""

    times: int
    numbers: int
    quotes: int

    def __post_init__(self) -> None:
        for name in ("times", "numbers", "quotes"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must not be negative, got {getattr(self, name)!r}")


def count_time_mentions(text: str) -> int:
    """Dates, years, months with a day or year, and clock times."""
    return sum(1 for _ in _TIME.finditer(text))


def count_number_mentions(text: str) -> int:
    """Numbers in digits that are not part of a time."""
    return sum(1 for _ in _NUMBER.finditer(_TIME.sub(" ; ", text)))


def count_quote_spans(text: str) -> int:
    """Quotations in straight, curly, guillemet and German marks that contain at least one letter or digit."""
    return sum(1 for match in _QUOTE.finditer(text) if any(character.isalnum() for character in match.group()))


def analyse_text(text: str) -> TextAnalysis:
    """All three counts."""
    return TextAnalysis(
        times=count_time_mentions(text), numbers=count_number_mentions(text), quotes=count_quote_spans(text)
    )


@dataclass(frozen=True, slots=True)
class SkeletonCoverage:
    """Whether the skeleton covers the text, and a code such as `low_time_coverage:1/5` for each kind it misses."""

    ok: bool
    reason_codes: tuple[str, ...]


def validate_skeleton_coverage(
    skeleton: CoverageSkeleton, analysis: TextAnalysis, policy: SkeletonPolicy = DEFAULT
) -> SkeletonCoverage:
    """Each kind must be covered at least `tolerance` times what the text shows of it; what it lacks is covered."""
    times = (
        *(event.time for event in skeleton.events),
        *(measurement.time for measurement in skeleton.measurements),
        *(policy_statement.time for policy_statement in skeleton.policies),
    )
    kinds = (
        ("time", _filled(times), analysis.times),
        ("number", _filled(item.quantity for item in skeleton.measurements), analysis.numbers),
        ("quote", _filled(item.quote_text for item in skeleton.quotes), analysis.quotes),
    )
    codes = tuple(
        f"low_{kind}_coverage:{covered}/{detected}"
        for kind, covered, detected in kinds
        if covered < policy.tolerance * detected
    )
    return SkeletonCoverage(ok=not codes, reason_codes=codes)


def _filled(values: Iterable[str]) -> int:
    return sum(1 for value in values if value.strip())
