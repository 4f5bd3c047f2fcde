"""A small web of known contents on loopback, behind the product's own search and fetch clients."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fastapi import Request, Response

from streams.embedded.sample_web import create_sample_web
from streams.probes import listen, serving

PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>
<body><header><nav><a href="/">Home</a></nav></header><main><article><header><h1>{title}</h1>
<p class="byline"><time class="entry-date published" datetime="{published}">{published}</time></p></header>
{paragraphs}</article></main><footer><p>All rights reserved.</p></footer></body></html>"""


@dataclass(frozen=True)
class Article:
    """One page, at https://{host}/news/{slug}."""

    host: str
    slug: str
    title: str
    paragraphs: tuple[str, ...]
    published: str = "2026-01-15"

    @property
    def url(self) -> str:
        return f"https://{self.host}/news/{self.slug}"

    @property
    def path(self) -> str:
        """Where the sample web serves it."""
        return f"/{self.host}/news/{self.slug}"

    def html(self) -> str:
        inner = "\n".join(f"<p>{text}</p>" for text in self.paragraphs)
        return PAGE.format(title=self.title, published=self.published, paragraphs=inner)


def write_web(folder: Path, articles: Sequence[Article]) -> Path:
    """A corpus of these pages, none of them in the knowledge base."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = []
    for article in articles:
        file = folder / f"{article.host}-{article.slug}.html"
        file.write_text(article.html(), encoding="utf-8")
        pages.append(
            {
                "url": article.url,
                "file": file.name,
                "host": article.host,
                "title": article.title,
                "published": article.published,
                "language": "en",
                "kind": "article",
                "topic": "test",
                "knowledge_base": False,
            }
        )
    hosts = {article.host: {"name": article.host, "kind": "newspaper", "credible": True} for article in articles}
    manifest = {"town": "Test", "hosts": hosts, "pages": pages, "redirects": {}}
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    (folder / "claims.jsonl").write_text("", encoding="utf-8")
    (folder / "expected.json").write_text("{}", encoding="utf-8")
    return folder


@dataclass
class SmallWeb:
    """The web as its servers see it: every search and every page asked for, in order."""

    origin: str = ""
    searches: list[str] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)
    down: bool = False
    """Whether the search engine fails."""
    gone: set[str] = field(default_factory=set)
    """Paths of pages that the engine still shows and nobody serves any more."""
    held: set[str] = field(default_factory=set)
    """Paths of pages that are not answered until `release` is set."""
    hold_after: int | None = None
    """After so many pages every other one is held as well."""
    release: asyncio.Event = field(default_factory=asyncio.Event)
    in_flight: int = 0
    most_in_flight: int = 0
    asked: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def until_fetched(self, count: int, seconds: float) -> None:
        """Wait until so many pages were asked for."""
        async with asyncio.timeout(seconds), self.asked:
            await self.asked.wait_for(lambda: len(self.fetched) >= count)

    async def watch(self, request: Request, call_next: Any) -> Response:
        path = request.url.path
        if path == "/search":
            self.searches.append(request.query_params["q"])
            return Response(status_code=503) if self.down else await call_next(request)
        held = path in self.held or (self.hold_after is not None and len(self.fetched) >= self.hold_after)
        async with self.asked:
            self.fetched.append(path)
            self.asked.notify_all()
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            if held:
                await self.release.wait()
            return Response(status_code=404) if path in self.gone else await call_next(request)
        finally:
            self.in_flight -= 1


@asynccontextmanager
async def small_web(folder: Path, articles: Sequence[Article]) -> AsyncIterator[SmallWeb]:
    """The pages served, with a search engine over them."""
    web = SmallWeb()
    app = create_sample_web(write_web(folder, articles))
    app.middleware("http")(web.watch)
    listener = listen("127.0.0.1", 0, "the test's port")
    web.origin = f"http://127.0.0.1:{listener.getsockname()[1]}"
    async with serving(app, listener):
        try:
            yield web
        finally:
            web.release.set()
