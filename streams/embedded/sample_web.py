"""The sample web: serves the bundled pages and a search engine over them on a loopback port.

A page with the canonical address https://<host>/<path> is served at /<host>/<path>; /search answers as a web search
engine would, over all pages, whether or not the knowledge base holds them.
"""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date
from html.parser import HTMLParser
from pathlib import Path
from typing import Annotated

import apsw
from fastapi import FastAPI, Query, Response
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse

import samples
from agents.evidence.ports import SearchResult
from agents.evidence.sample_web import MAX_QUERY_CHARS, MAX_RESULTS
from streams.probes import listen, serving

_QUOTED = re.compile(r'"([^"]+)"')
_TERM = re.compile(r"\w[\w.,'’-]*")


class SampleSearchEngine:
    """BM25 over titles and articles, with stemming; title words count three times as much as others."""

    def __init__(self, pages: tuple[samples.SamplePage, ...]) -> None:
        self._index = apsw.Connection(":memory:")
        self._index.execute(
            "CREATE VIRTUAL TABLE pages USING fts5(title, body, url UNINDEXED, published UNINDEXED, "
            "tokenize='porter unicode61')"
        )
        rows = [(p.title, main_text(p.html()), p.url, p.published and p.published.isoformat()) for p in pages]
        self._index.executemany("INSERT INTO pages VALUES (?, ?, ?, ?)", rows)

    def search(self, query: str, limit: int, until: date | None = None) -> list[SearchResult]:
        """The best `limit` pages that hold any word of the query; quoted phrases count on top of their words.

        Pages published after `until` are left out, pages without a date are not.
        """
        terms = [*_QUOTED.findall(query), *_TERM.findall(query)]
        if not terms:
            return []
        match = " OR ".join('"{}"'.format(term.replace('"', '""')) for term in dict.fromkeys(terms))
        rows = self._index.execute(
            "SELECT title, url, snippet(pages, 1, '', '', ' … ', 40), published, -bm25(pages, 3.0, 1.0) AS score "
            "FROM pages WHERE pages MATCH ? AND coalesce(published, '') <= ? ORDER BY score DESC, url LIMIT ?",
            (match, (until or date.max).isoformat(), limit),
        )
        return [
            SearchResult(str(title), str(url), str(snippet), _date(published), _number(score))
            for title, url, snippet, published, score in rows
        ]


class _MainText(HTMLParser):
    """Collects the words inside <main>."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 - the base's
        self._inside = self._inside or tag == "main"

    def handle_endtag(self, tag: str) -> None:
        self._inside = self._inside and tag != "main"

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.words += data.split()


def main_text(html: str) -> str:
    """The text of a page's main element: enough for a search engine, which is not asked to quote."""
    parser = _MainText()
    parser.feed(html)
    parser.close()
    return " ".join(parser.words)


def create_sample_web(samples_dir: Path | None = None) -> FastAPI:
    """The sample web as an ASGI app; pages are read once, so no request touches the disk."""
    corpus = samples.load(samples_dir)
    engine = SampleSearchEngine(corpus.pages)
    pages = {_location(page.url): page.html() for page in corpus.pages}
    # Redirects name canonical addresses, as those of real sites do: whoever maps addresses maps these as well.
    moved = {_location(old): new for old, new in corpus.redirects.items()}
    app = FastAPI(title="Sample web", docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False)

    @app.get("/search")
    async def search(
        q: Annotated[str, Query(min_length=1, max_length=MAX_QUERY_CHARS)],
        limit: Annotated[int, Query(ge=1, le=MAX_RESULTS)] = 10,
        until: date | None = None,
    ) -> list[SearchResult]:
        return engine.search(q, limit, until)

    @app.get("/{host}/{path:path}")
    async def page(host: str, path: str) -> Response:
        location = f"{host.lower()}/{path}"
        if location in moved:
            return RedirectResponse(moved[location], status_code=301)
        if location in pages:
            return HTMLResponse(pages[location])
        return PlainTextResponse("There is no such page in the sample web.\n", status_code=404)

    return app


@asynccontextmanager
async def serve(samples_dir: Path | None = None, port: int = 0) -> AsyncIterator[str]:
    """Serve the sample web on loopback while the block runs. Yields its origin; port 0 takes any free one."""
    listener = listen("127.0.0.1", port, "the sample web's port")
    async with serving(create_sample_web(samples_dir), listener):
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


def _location(url: str) -> str:
    """The path at which a canonical address is served, without its leading slash."""
    return url.removeprefix("https://")


def _date(value: object) -> date | None:
    return date.fromisoformat(value) if isinstance(value, str) else None


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
