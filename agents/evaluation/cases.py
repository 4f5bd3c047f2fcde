"""Labelled claims and the documents that settle them, from JSON lines, plain or gzipped."""

import gzip
import json
from collections.abc import Iterator, Mapping
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agents.claims.submission import ClaimText
from agents.evidence.documents import Reading
from agents.evidence.documents.addresses import bare_stem
from agents.evidence.documents.records import read_record


class Gold(StrEnum):
    """The labels of public sets."""

    SUPPORTS = "SUPPORTS"
    REFUTES = "REFUTES"
    NEI = "NEI"
    MIXED = "MIXED"


class Case(BaseModel):
    """One labelled claim. `gold_docs` are ids of documents of the corpus."""

    model_config = ConfigDict(frozen=True)

    id: str | int
    claim: ClaimText
    label: Gold
    gold_docs: tuple[str | int, ...] = Field(default=())


class BadCases(ValueError):  # noqa: N818 - reads as what is wrong
    """A file that cannot be used; the message names the line."""


def read_cases(path: Path, limit: int | None = None) -> list[Case]:
    """The claims of a file, the first `limit` of them."""
    cases: list[Case] = []
    for number, line in _lines(path):
        if limit is not None and len(cases) >= limit:
            break
        try:
            cases.append(Case.model_validate_json(line))
        except ValidationError as error:
            where = ".".join(str(part) for part in error.errors()[0]["loc"])
            raise BadCases(
                f"{path}:{number}: {where + ': ' if where else ''}{error.errors()[0]['msg']}; expected "
                '{"id", "claim", "label": SUPPORTS, REFUTES, NEI or MIXED, "gold_docs": [ids]}'
            ) from None
    if not cases:
        raise BadCases(f"{path} holds no claims")
    return cases


def document_addresses(path: Path, wanted: frozenset[str], today: date) -> Mapping[str, str]:
    """The address under which `veristream ingest` stores each of the wanted documents."""
    stem, reading = bare_stem(path.name), Reading(today)
    found: dict[str, str] = {}
    for number, line in _lines(path):
        try:
            record: Any = json.loads(line)
        except ValueError:
            raise BadCases(f"{path}:{number}: not JSON") from None
        if not isinstance(record, dict) or str(record.get("doc_id")) not in wanted:
            continue
        document = read_record(record, stem, reading)
        if not isinstance(document, str):
            found[str(record["doc_id"])] = document.page.url
    if missing := sorted(wanted - found.keys()):
        raise BadCases(f"{path} lacks {len(missing)} documents that the claims name, the first of them {missing[0]!r}")
    return found


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield number, line
    except (OSError, EOFError) as error:
        raise BadCases(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None
