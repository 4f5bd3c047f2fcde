"""The handbook's reference pages say what the code's own tables say."""

from pathlib import Path

import pytest

from streams.reference import PAGES

FOLDER = Path(__file__).parents[3] / "docs" / "reference"


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_reference_page_is_up_to_date(name: str) -> None:
    assert (FOLDER / name).read_text(encoding="utf-8") == PAGES[name](), "run `make docs`"
