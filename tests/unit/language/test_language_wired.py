"""What the settings say about models is what the endpoint sees, and what an answer cost outlives the process."""

import json
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import generate_latest

from agents.language.quota import QuotaState
from agents.language.tasks.claim import ClaimText
from agents.results import Note
from streams import metrics
from streams.bootstrap import open_services
from streams.cli.doctor import _embedder as embedder_finding
from streams.cli.doctor import _language_model as model_finding
from streams.observe import observe
from streams.settings import Settings
from tests.unit.language.fake_openai import FakeOpenAI, completion, error, serving

CLAIM = ClaimText("The council raised taxes by 4 percent and closed two libraries in Linden.")
GOOD = json.dumps({"kind": "causal", "queries": ["Linden council taxes", "Linden libraries closed"], "subclaims": []})


def settings(server: FakeOpenAI, folder: Path, **changes: Any) -> Settings:
    fields: dict[str, Any] = {
        "data_dir": folder,
        "embedder": "static",
        "openai_api_key": "secret",
        "openai_base_url": server.base_url,
        "search_providers": "none",
    }
    return Settings(**fields | changes)


async def read(chosen: Settings) -> QuotaState:
    async with open_services(chosen) as services:
        _, state = await services.language.read_claim(CLAIM, QuotaState())
    return state


async def test_models_by_call_prices_and_the_azure_way_come_from_the_settings(tmp_path: Path) -> None:
    async with serving([completion(GOOD, tokens=(1_000, 100))]) as server:
        chosen = settings(
            server,
            tmp_path,
            openai_models={"claim": "small", "verdict": "large"},
            openai_api_version="2024-10-21",
            llm_prices={"small": [1.0, 10.0]},
        )
        state = await read(chosen)
    assert server.requests[0]["model"] == "small"
    assert "api-version=2024-10-21" in server.paths[0]
    assert server.headers[0]["api-key"] == "secret"
    assert state.cost_usd == pytest.approx(0.002)


async def test_an_answer_is_paid_for_once_and_found_by_the_next_worker(tmp_path: Path) -> None:
    async with serving([completion(GOOD), completion(GOOD)]) as server:
        first, again = await read(settings(server, tmp_path)), await read(settings(server, tmp_path))
        other = await read(settings(server, tmp_path, openai_model="another"))
    assert [(state.calls, state.cache_hits) for state in (first, again, other)] == [(1, 0), (0, 1), (1, 0)]
    assert len(server.requests) == 2


def test_what_a_finished_job_spent_is_counted() -> None:
    before = sample_values()
    detail: dict[str, Any] = {"verdict": "TRUE", "status": "completed", "loops": 0, "stop_reason": "cache"}
    spent = {"llm_calls": 2, "llm_tokens": 900, "llm_cost_usd": 0.25, "llm_cache_hits": 3}
    observe(Note("decided", detail | {"seconds": 1.0, "llm_skipped": ["summary: call_quota"]} | spent))
    after = sample_values()
    grown = {name: after[name] - before.get(name, 0.0) for name in after if after[name] != before.get(name, 0.0)}
    assert grown == {
        "veristream_language_calls_total": 2,
        "veristream_language_tokens_total": 900,
        "veristream_language_cost_usd_total": 0.25,
        "veristream_language_cache_hits_total": 3,
        'veristream_language_skipped_total{call="summary",reason="call_quota"}': 1,
    }


def sample_values() -> dict[str, float]:
    lines = generate_latest(metrics.WORKER).decode().splitlines()
    return {
        line.rpartition(" ")[0]: float(line.rpartition(" ")[2])
        for line in lines
        if line.startswith("veristream_language_") and "_created" not in line
    }


async def test_doctor_asks_the_configured_model_one_question(tmp_path: Path) -> None:
    async with serving([completion('{"ready": true}'), error(404, "no such model")]) as server:
        fine = await model_finding(settings(server, tmp_path, openai_model="small"))
        wrong = await model_finding(settings(server, tmp_path, openai_model="nonesuch"))
    assert (fine.state, "small" in fine.detail) == ("ok", True)
    assert (wrong.state, "unknown_model" in wrong.detail) == ("wrong", True)


async def test_doctor_says_that_nobody_fitted_the_similarity_of_openais_vectors(tmp_path: Path) -> None:
    fields: dict[str, Any] = {"data_dir": tmp_path, "embedder": "openai", "openai_api_key": "k"}
    provisional, fitted = Settings(**fields), Settings(**fields, openai_calibration=(0.1, 0.3, 0.7))
    assert "provisional" in (await embedder_finding(provisional)).detail
    assert (await embedder_finding(fitted)).state == "ok"
    async with open_services(fitted) as services:
        assert services.embedder.calibration(0.3) == 0.5
