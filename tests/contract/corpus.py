"""A corpus small enough to know by heart, with vectors whose neighbours are chosen, not learnt."""

from collections.abc import Sequence
from datetime import UTC, date, datetime

import numpy as np

from storage.ports import Passage, Vector

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
AXES = ("moon", "vaccine", "economy", "football", "climate", "elections", "history", "music")


def vector_of(**weights: float) -> Vector:
    """A unit vector that points along the named axes."""
    row = np.array([weights.get(axis, 0.0) for axis in AXES], dtype=np.float32)
    length = np.linalg.norm(row)
    return row / length if length else row


def passage(
    text: str,
    *,
    url: str = "https://example.org/page",
    collection: str = "facts",
    title: str = "",
    domain: str = "example.org",
    published: date | None = None,
    fetched: datetime = NOW,
) -> Passage:
    return Passage(
        collection, url, text, fetched, title=title, domain=domain, published=published, extraction="trafilatura"
    )


def corpus() -> Sequence[tuple[Passage, Vector]]:
    """Twelve passages on six subjects; words and vectors agree except where a test says so."""
    rows = [
        ("Apollo 11 landed on the Moon in July 1969.", "nasa.gov", date(2019, 7, 20), {"moon": 9, "history": 3}),
        ("The lunar module Eagle touched down in the Sea of Tranquility.", "nasa.gov", None, {"moon": 9, "history": 1}),
        ("Some people claim that the landings were staged in a studio.", "blog.net", date(2024, 1, 5), {"moon": 5}),
        ("Measles vaccines do not cause autism, a large study found.", "who.int", date(2023, 3, 1), {"vaccine": 9}),
        (
            "The vaccine reduced measles deaths by 73 percent.",
            "who.int",
            date(2025, 5, 5),
            {"vaccine": 8, "history": 1},
        ),
        ("Inflation fell to 2.1 percent in October.", "bank.eu", date(2025, 11, 2), {"economy": 9}),
        (
            "The central bank left its interest rate unchanged.",
            "bank.eu",
            date(2025, 12, 11),
            {"economy": 8, "elections": 1},
        ),
        ("Spain won the final two to one.", "sport.es", date(2024, 7, 14), {"football": 9}),
        ("Sea levels rose by 21 centimetres since 1900.", "noaa.gov", date(2022, 2, 15), {"climate": 9, "history": 1}),
        ("Last year was the warmest on record.", "noaa.gov", date(2025, 1, 10), {"climate": 8}),
        ("Turnout in the election reached 71 percent.", "vote.org", date(2025, 2, 23), {"elections": 9}),
        ("The symphony was first performed in 1824.", "music.org", None, {"music": 9, "history": 4}),
    ]
    return [
        (
            passage(text, url=f"https://{domain}/{n}", domain=domain, published=published, title=f"Page {n}"),
            vector_of(**weights),
        )
        for n, (text, domain, published, weights) in enumerate(rows)
    ]
