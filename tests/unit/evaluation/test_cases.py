"""Labelled claims and their documents, from files."""

import gzip
from datetime import date
from pathlib import Path

import pytest

from agents.evaluation.cases import BadCases, Gold, document_addresses, read_cases

DATA = Path(__file__).parents[2] / "data" / "evaluation"
TODAY = date(2026, 3, 1)


def test_claims_are_read_with_label_and_documents() -> None:
    cases = read_cases(DATA / "claims.jsonl")
    assert [case.label for case in cases] == [Gold.SUPPORTS, Gold.REFUTES, Gold.SUPPORTS, Gold.REFUTES, Gold.NEI]
    assert cases[0].gold_docs == ("beds-hospital", "beds-board")
    assert len(read_cases(DATA / "claims.jsonl", 2)) == 2


def test_a_packed_file_is_read_alike(tmp_path: Path) -> None:
    packed = tmp_path / "claims.jsonl.gz"
    packed.write_bytes(gzip.compress((DATA / "claims.jsonl").read_bytes()))
    assert read_cases(packed) == read_cases(DATA / "claims.jsonl")


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("nonsense", "JSON"),
        ('{"id": 1, "claim": "x"}', "label"),
        ('{"id": 1, "claim": "", "label": "NEI"}', "claim"),
        ('{"id": 1, "claim": "x", "label": "TRUE"}', "label"),
    ],
)
def test_a_bad_line_is_named(line: str, word: str, tmp_path: Path) -> None:
    path = tmp_path / "claims.jsonl"
    path.write_text('{"id": 0, "claim": "x", "label": "NEI"}\n' + line + "\n", encoding="utf-8")
    with pytest.raises(BadCases, match=rf"claims\.jsonl:2: .*{word}"):
        read_cases(path)


def test_a_file_without_claims_or_without_a_file_is_said_so(tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_text("\n", encoding="utf-8")
    with pytest.raises(BadCases, match="no claims"):
        read_cases(empty)
    with pytest.raises(BadCases, match="cannot read"):
        read_cases(tmp_path / "missing.jsonl")


def test_documents_are_found_under_the_address_they_are_stored_with() -> None:
    found = document_addresses(DATA / "corpus.jsonl", frozenset({"weather"}), TODAY)
    assert found == {"weather": "doc:corpus/weather"}


def test_a_gold_document_that_the_corpus_lacks_is_named() -> None:
    with pytest.raises(BadCases, match=r"lacks 1 documents .* 'nowhere'"):
        document_addresses(DATA / "corpus.jsonl", frozenset({"weather", "nowhere"}), TODAY)
