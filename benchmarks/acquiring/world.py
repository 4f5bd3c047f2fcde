"""A hundred claims about invented companies, and what a dozen sites say about each. No two events share a name."""

from dataclasses import dataclass
from typing import Literal

SITES = 12
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October")
COMPANIES = (
    "Solvara",
    "Norwind",
    "Brackley",
    "Ostrava",
    "Quenby",
    "Tarrant",
    "Ulverby",
    "Wexcombe",
    "Yarrow",
    "Zellin",
)
TOWNS = ("Ellan", "Granmouth", "Harrick", "Istead", "Jarnow", "Kellin", "Lowmere", "Marrick", "Nesby", "Orford")

Truth = Literal["TRUE", "FALSE", "UNVERIFIABLE"]


@dataclass(frozen=True, slots=True)
class Story:
    """A page of the local web."""

    url: str
    title: str
    text: str

    @property
    def html(self) -> str:
        """As a news site serves it."""
        furniture = "".join(f'<li><a href="/section/{n}">Section {n}</a></li>' for n in range(40))
        paragraphs = "".join(f"<p>{line}</p>" for line in self.text.split("\n"))
        return (
            f'<!doctype html><html lang="en"><head><title>{self.title}</title></head><body><ul>{furniture}</ul>'
            f"<main><article><h1>{self.title}</h1>{paragraphs}</article></main><footer>All rights reserved</footer>"
            "</body></html>"
        )


@dataclass(frozen=True, slots=True)
class Case:
    """A claim, what is so, and the pages that say so."""

    job_id: str
    claim: str
    truth: Truth
    stories: tuple[Story, ...]


def cases(count: int = 100) -> list[Case]:
    """Seven in ten hold, two are contradicted by every report, and about one nothing was written."""
    return [_case(number) for number in range(count)]


def _case(number: int) -> Case:
    company, town = f"{COMPANIES[number % 10]} {number // 10 + 2} Glass", f"Port {TOWNS[(number // 10 + number) % 10]}"
    month = MONTHS[number % 10]
    claim = f"{company} closed its factory in {town} in {month} 2026."
    kinds: tuple[Truth, ...] = ("TRUE",) * 7 + ("FALSE",) * 2 + ("UNVERIFIABLE",)
    truth = kinds[number % 10]
    reports = _reports(company, town, month, truth)
    stories = tuple(
        Story(
            f"https://site{(number + place) % SITES}.example/news/2026/glass-maker-report-{number:03}-{place}",
            title,
            text,
        )
        for place, (title, text) in enumerate(reports)
    )
    return Case(f"case-{number:03}", claim, truth, stories)


def _reports(company: str, town: str, month: str, truth: Truth) -> list[tuple[str, str]]:
    background = (
        f"{company} has made bottles since 1962. The works council met twice in spring.",
        f"Glass from {town} is sold in eleven countries, and the harbour lives from it.",
        "Energy prices had doubled within two years, and a second furnace would have cost nine million pounds.",
        "The mayor said that the quay would not stand empty and that three buyers had asked for the plans.",
    )
    if truth == "UNVERIFIABLE":
        return [(f"{company} at the trade fair", f"{background[0]}\n{background[2]}")]
    if truth == "FALSE":
        told = (
            f"{company} did not close its factory in {town} in {month} 2026.",
            f"The factory of {company} in {town} was not closed in {month} 2026 and is working in three shifts.",
            f"It is not true that {company} closed its factory in {town}, the ministry said.",
            f"{company} denied that it had closed its factory in {town} in {month} 2026.",
        )
    else:
        told = (
            f"{company} closed its factory in {town} in {month} 2026, ending sixty years of glass making.",
            f"In {month} 2026 {company} closed its factory in {town}, the company's director said.",
            f"The factory of {company} in {town} was closed in {month} 2026 after months of talks.",
            f"{company}, which closed its factory in {town} in {month} 2026, offers two hundred people other places.",
        )
    return [
        (f"{company} and {town}, report {place}", f"{sentence}\n{background[place]}\n{background[(place + 1) % 4]}")
        for place, sentence in enumerate(told)
    ]
