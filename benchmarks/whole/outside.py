"""The world outside, in a process of its own: a model that takes 300 ms, a search 200 ms, a page 100 ms.

The model speaks OpenAI's protocol. What it answers is worked out by our own rules, once for each claim and passage,
and remembered: a real one would think on somebody else's processors.
"""

import asyncio
import json
import re
from collections import Counter
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from agents.language.config import LanguagePolicy
from agents.language.ports import Pair
from agents.language.rules.stance import LexicalStance
from agents.language.tasks.claim import ClaimText, read_by_rules
from streams.embedded.sample_web import create_sample_web
from streams.probes import listen, serving
from streams.signals import stop_on_signals

MODEL_SECONDS, SEARCH_SECONDS, PAGE_SECONDS = 0.3, 0.2, 0.1
_BLOCK = re.compile(r"<<data (\w+) (\w+) (\S+)\n(.*?)\n<<end \1", re.DOTALL)


class Model:
    """Answers by the name of the schema that it is asked for."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self._stance = LexicalStance()
        self._read: dict[str, dict[str, Any]] = {}
        self._stances: dict[tuple[str, str], str] = {}

    async def answer(self, request: Request) -> JSONResponse:
        due = asyncio.get_running_loop().time() + MODEL_SECONDS
        body = await request.json()
        schema = body["response_format"]["json_schema"]["name"]
        self.calls[schema] += 1
        content = await self._content(schema, body["messages"][1]["content"])
        await asyncio.sleep(max(0.0, due - asyncio.get_running_loop().time()))
        message = {"role": "assistant", "content": json.dumps(content)}
        return JSONResponse(
            {
                "id": "answer",
                "object": "chat.completion",
                "created": 0,
                "model": body["model"],
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 500, "completion_tokens": 200, "total_tokens": 700},
            }
        )

    async def _content(self, schema: str, prompt: str) -> dict[str, Any]:
        blocks = [(found[2], found[3], found[4]) for found in _BLOCK.finditer(prompt)]
        claim = next((text for label, _, text in blocks if label == "claim"), "")
        if schema == "ClaimOut":
            return self._claim(claim)
        if schema == "VerdictOut":
            return await self._verdict(claim, [(key, text) for label, key, text in blocks if label == "passage"])
        if schema == "SummaryOut":
            return {"summary": " ".join(text for label, _, text in blocks if label == "part")}
        # Nothing beyond what the rules take from a page, and nothing to ask beyond what they would.
        return {"queries": []} if schema == "QueriesOut" else {"pages": []}

    def _claim(self, claim: str) -> dict[str, Any]:
        if claim not in self._read:
            reading = read_by_rules(ClaimText(claim), LanguagePolicy())
            self._read[claim] = {
                "entities": [{"name": one.name, "aliases": list(one.aliases)} for one in reading.entities],
                "kind": reading.kind,
                "standalone": reading.standalone,
                "subclaims": list(reading.subclaims),
                "anchors": [list(reading.anchors[part]) for part in reading.subclaims],
                "queries": list(reading.queries),
                "check_worthiness": reading.metadata.check_worthiness,
                "harm_potential": reading.metadata.harm_potential,
                "time_anchor": reading.metadata.time_anchor,
                "predicate_type": reading.metadata.predicate_type,
                "is_falsifiable": reading.metadata.is_falsifiable,
            }
        return self._read[claim]

    async def _verdict(self, claim: str, passages: list[tuple[str, str]]) -> dict[str, Any]:
        new = [text for _, text in passages if (claim, text) not in self._stances]
        for text, stance in zip(new, await self._stance.judge([Pair(claim, text) for text in new]), strict=True):
            self._stances[claim, text] = stance.label
        stances = [{"id": key, "stance": self._stances[claim, text]} for key, text in passages]
        said = {one["stance"] for one in stances}
        verdict = "TRUE" if "supports" in said else "FALSE" if "refutes" in said else "UNVERIFIABLE"
        cited = next((one["id"] for one in stances if one["stance"] != "neutral"), "")
        rationale = f"The passage says so [{cited}]. It is clear [{cited}]." if cited else "No passage settles it."
        return {"stances": stances, "verdict": verdict, "rationale": rationale}


class SlowWeb:
    """The sample web as if it were far away."""

    def __init__(self, web: ASGIApp) -> None:
        self.requests: Counter[str] = Counter()
        self._web = web

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_search = scope.get("path", "").endswith("/search")
        self.requests["searches" if is_search else "pages"] += 1
        await asyncio.sleep(SEARCH_SECONDS if is_search else PAGE_SECONDS)
        await self._web(scope, receive, send)


async def _serve() -> None:
    model, web = Model(), SlowWeb(create_sample_web())

    async def counts(_: Request) -> JSONResponse:
        return JSONResponse({**model.calls, **web.requests})

    routes = [
        Route("/v1/chat/completions", model.answer, methods=["POST"]),
        Route("/counts", counts),
        Mount("/web", app=web),
    ]
    listener = listen("127.0.0.1", 0, "the outside's port")
    with stop_on_signals() as stop:
        async with serving(Starlette(routes=routes), listener):
            print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
            await stop.wait()


if __name__ == "__main__":
    asyncio.run(_serve())
