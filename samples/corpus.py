"""Reads the sample corpus from its folder. Works from a checkout and from an installed package alike."""

import json
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Literal, get_args
from urllib.parse import urlsplit

PageKind = Literal["article", "homepage", "section"]
Route = Literal["knowledge_base", "one_loop", "exhausts"]


@dataclass(frozen=True, slots=True)
class Host:
    """A site of the town. The gossip blog, the forum and the tourist board are not credible."""

    name: str
    kind: str
    credible: bool


@dataclass(frozen=True, slots=True)
class SamplePage:
    """One page: its canonical address, its file, and whether the knowledge base holds it from the start."""

    url: str
    file: Path
    host: str
    title: str
    published: date | None
    language: str
    kind: PageKind
    topic: str
    knowledge_base: bool
    syndicated_from: str | None = None
    prompt_injection: bool = False

    def html(self) -> str:
        """The page as it would come over the wire."""
        return self.file.read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class SampleClaim:
    """A claim in the shape of a submission."""

    job_id: str
    claim: str
    domain: str
    source: str


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a claim should end as, and on which way. `one_loop` means one or more searches were needed."""

    verdict: str
    path: Route
    why: str


@dataclass(frozen=True, slots=True)
class Corpus:
    """The whole sample web with its claims."""

    town: str
    hosts: dict[str, Host]
    pages: tuple[SamplePage, ...]
    redirects: dict[str, str]
    claims: tuple[SampleClaim, ...]
    expected: dict[str, Expectation]

    @property
    def knowledge_base(self) -> tuple[SamplePage, ...]:
        """The pages that are stored before the first claim arrives; the others are found by search."""
        return tuple(page for page in self.pages if page.knowledge_base)


def samples_dir() -> Path:
    """The folder this package lies in: the corpus is installed next to its loader."""
    return Path(__file__).resolve().parent


def load(folder: Path | None = None) -> Corpus:
    """The corpus in `folder`, by default the bundled one."""
    folder = folder or samples_dir()
    manifest = _json(folder / "manifest.json")
    lines = (folder / "claims.jsonl").read_text(encoding="utf-8").splitlines()
    return Corpus(
        town=manifest["town"],
        hosts={host: Host(**fields) for host, fields in manifest["hosts"].items()},
        pages=tuple(_page(folder, fields) for fields in manifest["pages"]),
        redirects=manifest["redirects"],
        claims=tuple(SampleClaim(**json.loads(line)) for line in lines if line.strip()),
        expected={job_id: _expectation(fields) for job_id, fields in _json(folder / "expected.json").items()},
    )


def _page(folder: Path, fields: dict[str, Any]) -> SamplePage:
    published = fields["published"]
    page = SamplePage(
        **{
            **fields,
            "file": folder / fields["file"],
            "published": date.fromisoformat(published) if published else None,
        }
    )
    if urlsplit(page.url).hostname != page.host:
        raise ValueError(f"manifest.json: {page.url} does not lie on {page.host}; correct its host")
    return page


def _expectation(fields: dict[str, Any]) -> Expectation:
    if fields["path"] not in get_args(Route):
        raise ValueError(f"expected.json: path must be one of {get_args(Route)}, got {fields['path']!r}")
    return Expectation(**fields)


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
