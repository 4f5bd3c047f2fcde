"""The handbook of formulas is held against the code: its examples hold, it names every module, its links lead."""

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
OVERVIEW = ROOT / "docs" / "formulas.md"
PAGES = [OVERVIEW, *sorted((ROOT / "docs" / "formulas").glob("*.md"))]
LINK = re.compile(r"\]\(([^)#\s]+)?(?:#([^)\s]+))?\)")
HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
CODE_BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def public_modules() -> list[str]:
    scoring = ROOT / "scoring"
    paths = (path.relative_to(scoring).with_suffix("") for path in scoring.rglob("*.py"))
    return sorted(".".join(path.parts) for path in paths if not path.name.startswith("_"))


def slugs(page: Path) -> set[str]:
    """The anchors that a heading gets: lowercase, punctuation dropped, spaces to hyphens."""
    headings = HEADING.findall(CODE_BLOCK.sub("", page.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_worked_examples_hold(page: Path) -> None:
    result = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert result.failed == 0


@pytest.mark.parametrize("page", PAGES[1:], ids=lambda page: page.name)
def test_every_page_works_out_at_least_one_example(page: Path) -> None:
    assert ">>> " in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("module", public_modules())
def test_the_overview_names_every_module(module: str) -> None:
    assert f"`{module}`" in OVERVIEW.read_text(encoding="utf-8")


def test_the_overview_names_no_module_that_does_not_exist() -> None:
    rows = [line for line in OVERVIEW.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    named = {name for row in rows for name in re.findall(r"`([a-z_.]+)`", row)}
    assert named == set(public_modules())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target, anchor in LINK.findall(CODE_BLOCK.sub("", page.read_text(encoding="utf-8"))):
        if target.startswith(("http:", "https:")):
            continue
        linked = (page.parent / target).resolve() if target else page
        assert linked.is_file(), f"{page.name} links to {target}, which is not there"
        assert not anchor or anchor in slugs(linked), f"{page.name} links to #{anchor}, which {linked.name} lacks"
