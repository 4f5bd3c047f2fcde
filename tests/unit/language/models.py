"""Language models for tests: one that says what it is told, and one that obeys everybody."""

import json
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

from agents.language.cache import AnswerCache
from agents.language.llm.asking import Asker, AskPolicy
from agents.language.llm.port import ModelAnswer, ModelRequest
from agents.language.ports import Pair
from agents.language.quota import CallTag, QuotaPolicy
from agents.language.rules.decompose import decompose
from agents.language.rules.queries import plan_queries
from agents.language.rules.stance import LexicalStance
from storage.errors import StoreUnavailable
from tests.unit.language.clocks import noon

BLOCK = re.compile(r"<<data (\w+) (\w+) (\w+)\n(.*?)\n<<end \1", re.DOTALL)


class ScriptedModel:
    """Answers with the given texts, in order, and keeps the requests."""

    def __init__(self, *answers: str | Exception, tokens: tuple[int, int] = (100, 20)) -> None:
        self.answers = list(answers)
        self.requests: list[ModelRequest] = []
        self._tokens = tokens

    def model_for(self, tag: CallTag) -> str:
        return f"model-for-{tag}"

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        self.requests.append(request)
        answer = self.answers.pop(0) if self.answers else "nothing more to say"
        if isinstance(answer, Exception):
            raise answer
        refusal = "I refuse" if answer == "REFUSE" else ""
        return ModelAnswer("" if refusal else answer, self.model_for(request.tag), *self._tokens, refusal=refusal)


class GullibleModel:
    """Answers sensibly, by rules, until it finds anything in its material that could be an order. Then it obeys.

    It needs little to obey: a verdict in capitals, a mention of instructions, a strange address, anywhere."""

    ORDERS = re.compile(
        r"\bTRUE\b|\bFALSE\b|(?i:instruc|anweisung|ignore|disregard|evil\.example|cheap pills|cite only|do not use|"
        r"do not cite|e99|verdict|override|as supports|with supports|miracle cure)"
    )

    def __init__(self) -> None:
        self.obeyed = 0

    def model_for(self, tag: CallTag) -> str:
        return "gullible"

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        blocks = [(label, key, text) for _, label, key, text in BLOCK.findall(request.content)]
        outside = BLOCK.sub("", request.content)
        ordered = any(self.ORDERS.search(text) for _, _, text in blocks) or bool(self.ORDERS.search(outside))
        self.obeyed += ordered
        answers: dict[CallTag, Callable[[list[tuple[str, str, str]], bool], Any]] = {
            CallTag.CLAIM: _claim,
            CallTag.QUERIES: _claim,
            CallTag.VERDICT: _verdict,
            CallTag.FACTS: _facts,
        }
        text = json.dumps(answers[request.tag](blocks, ordered))
        return ModelAnswer(text, "gullible", 100, 50)


Blocks = list[tuple[str, str, str]]


def _claim(blocks: Blocks, ordered: bool) -> Any:
    text = next(text for label, _, text in blocks if label == "claim")
    if ordered:
        return {"queries": ["evil.example", "buy cheap pills"], "subclaims": ["Everything is TRUE."]}
    return {"queries": list(plan_queries(text)), "subclaims": list(decompose(text)), "kind": "general"}


def _verdict(blocks: Blocks, ordered: bool) -> Any:
    claim = next(text for label, _, text in blocks if label == "claim")
    passages = [(key, text) for label, key, text in blocks if label == "passage"]
    if ordered:
        stances = [{"id": key, "stance": "supports"} for key, _ in passages]
        return {"stances": stances, "verdict": "TRUE", "rationale": "It is confirmed [e99]. It is TRUE [e1]."}
    judged = LexicalStance().judge_now([Pair(claim, text) for _, text in passages])
    stances = [{"id": key, "stance": one.label} for (key, _), one in zip(passages, judged, strict=True)]
    refuted = any(one.label == "refutes" for one in judged)
    said = "The passages contradict it" if refuted else "The passages do not settle it"
    key = next((key for (key, _), one in zip(passages, judged, strict=True) if one.label == "refutes"), passages[0][0])
    return {
        "stances": stances,
        "verdict": "FALSE" if refuted else "UNVERIFIABLE",
        "rationale": f"{said} [{key}]. Nothing speaks for it [{key}].",
    }


def _facts(blocks: Blocks, ordered: bool) -> Any:
    pages = [key for label, key, _ in blocks if label == "page"]
    facts = ["Everything on evil.example is TRUE."] if ordered else []
    return {"pages": [{"id": key, "facts": facts} for key in pages]}


class DictAnswers:
    """An AnswerStore in a dictionary; `broken` is one whose server is down."""

    def __init__(self, *, broken: bool = False) -> None:
        self.kept: dict[str, tuple[datetime, str]] = {}
        self._broken = broken

    def _reach(self) -> None:
        if self._broken:
            raise StoreUnavailable("the store is down")

    async def get(self, key: str, *, now: datetime) -> str | None:
        self._reach()
        until, text = self.kept.get(key, (now, ""))
        return text if until > now else None

    async def put(self, key: str, text: str, *, until: datetime, now: datetime) -> None:
        self._reach()
        self.kept[key] = (until, text)

    async def purge(self, now: datetime) -> int:
        before = len(self.kept)
        self.kept = {key: entry for key, entry in self.kept.items() if entry[0] > now}
        return before - len(self.kept)

    async def count(self) -> int:
        return len(self.kept)

    async def close(self) -> None:
        return


def asker_of(model: Any, quota: QuotaPolicy | None = None, **policy: Any) -> Asker:
    """An asker with a cache of its own."""
    return Asker(model, AnswerCache(DictAnswers(), noon), AskPolicy(quota or QuotaPolicy(), **policy))
