"""When what a claim tells can have happened: who wrote before that cannot deny it."""

from datetime import date

from agents.language.rules.comparing import DATES
from agents.language.rules.measures import Measure, measures


def first_day(claim: str) -> date | None:
    """The first day on which all that the claim dates can have happened; None where it gives no date with a year."""
    days = [_first(one) for one in measures(claim) if one.dimension in DATES and one.parts[0]]
    return max((day for day in days if day is not None), default=None)


def _first(measure: Measure) -> date | None:
    year, month, day = measure.parts
    try:
        return date(year, month or 1, day or 1)
    except ValueError:  # the 31st of June: whatever it means, it dates nothing
        return None
