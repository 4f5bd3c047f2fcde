"""`veristream doctor`: checks everything that is configured and says in plain words what is wrong."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import typer
from pydantic import BaseModel

from agents.language.llm.port import ModelFailedError, ModelRequest
from agents.language.ports import Pair
from agents.language.quota import CallTag
from streams.admin import cluster_admin
from streams.cli.errors import fail, run
from streams.cli.knowledge import store_settings
from streams.cli.options import example, options, stdout
from streams.cli.target import running_embedded
from streams.errors import BrokerUnreachable
from streams.settings import Settings, SettingsError, load_settings

CHECK_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Finding:
    """One line: fine, worth knowing, or wrong with what to do."""

    what: str
    state: str
    detail: str


def register(app: typer.Typer) -> None:
    app.command(epilog=example("doctor"))(doctor)


def doctor(context: typer.Context) -> None:
    """Check every configured service, key and model."""
    findings = run(_examine(), debug=options(context).debug)
    marks = {"ok": "[green]ok[/green]   ", "note": "[cyan]note[/cyan] ", "wrong": "[red]wrong[/red]"}
    for finding in findings:
        stdout.print(f"{marks[finding.state]} {finding.what}: {finding.detail}")
    wrong = sum(finding.state == "wrong" for finding in findings)
    if wrong:
        raise fail(f"{wrong} of {len(findings)} checks failed; each line above says what to do")


async def _examine() -> list[Finding]:
    try:
        settings = load_settings()
    except SettingsError as error:
        return [Finding("settings", "wrong", str(error))]
    checks: list[tuple[str, Callable[[Settings], Awaitable[Finding]]]] = [
        ("broker", _broker),
        ("stores and models", _services),
        ("embedder", _embedder),
        ("API keys", _api_keys),
        ("web search", _web_search),
        ("language model", _language_model),
    ]
    findings = [Finding("settings", "ok", "every VERISTREAM_ key is known")]
    for what, check in checks:
        try:
            async with asyncio.timeout(CHECK_SECONDS):
                findings.append(await check(settings))
        except TimeoutError:
            findings.append(Finding(what, "wrong", f"no answer within {CHECK_SECONDS:.0f} s"))
        except Exception as error:  # noqa: BLE001 - a check that breaks is a finding, whatever broke
            findings.append(Finding(what, "wrong", str(error) or type(error).__name__))
    return findings


async def _broker(settings: Settings) -> Finding:
    if settings.broker is None:
        running = running_embedded(settings)
        if running is None:
            return Finding("broker", "note", f"embedded, and not running at {settings.gateway_url}: `veristream up`")
        return Finding("broker", "ok", f"embedded, running at {running.broker}")
    try:
        async with cluster_admin(settings) as admin:
            missing = [state.full_name for state in await admin.topics() if not state.exists]
    except BrokerUnreachable as error:
        return Finding("broker", "wrong", str(error))
    if missing:
        return Finding("broker", "wrong", f"topics are missing ({', '.join(missing)}): `veristream topics create`")
    return Finding("broker", "ok", f"{settings.broker}, all topics there")


async def _services(settings: Settings) -> Finding:
    from streams.bootstrap import open_services

    async with open_services(settings) as services:
        rows = await services.embedder.embed(["a claim"])
        await services.stance.judge([Pair("The library is open.", "The library is open.")])
        collections = await services.index.collections()
        held = ", ".join(f"{one.name} {one.passages}" for one in collections) or "no passages yet"
        detail = f"{services.embedder.name} ({rows.shape[1]} dimensions), {services.stance.name}; {held}"
    return Finding("stores and models", "ok", detail)


async def _embedder(settings: Settings) -> Finding:
    if settings.embedder == "openai" and settings.openai_calibration is None:
        return Finding(
            "embedder",
            "note",
            "how near two texts are is read with provisional values for OpenAI's embeddings: fit them with"
            " `python models/fit_calibration.py openai PAIRS` and set VERISTREAM_OPENAI_CALIBRATION",
        )
    return Finding("embedder", "ok", f"{settings.embedder}, with a fitted calibration")


async def _api_keys(settings: Settings) -> Finding:
    from streams.bootstrap import open_key_ring

    if settings.gateway_keys == "off":
        return Finding("API keys", "note", "VERISTREAM_GATEWAY_KEYS=off: whoever reaches the gateway may use it")
    embedded = settings.broker is None
    ring = await open_key_ring(store_settings())
    try:
        in_force = [key.name for key in await ring.keys() if key.revoked_at is None]
    finally:
        await ring.close()
    if in_force:
        return Finding("API keys", "ok", f"in force: {', '.join(in_force)}")
    if embedded and settings.gateway_keys == "auto":
        return Finding(
            "API keys", "note", "none, and none needed from this machine: `veristream keys create` for others"
        )
    return Finding("API keys", "wrong", "none, so the gateway lets nobody in: `veristream keys create NAME`")


async def _web_search(settings: Settings) -> Finding:
    names = settings.search_providers or (("tavily",) if settings.tavily_api_key else ())
    if not names:
        return Finding("web search", "note", "no TAVILY_API_KEY and no VERISTREAM_SEARCH_PROVIDERS: the sample web")
    if names == ("none",):
        return Finding("web search", "note", "switched off: claims are judged on what is stored")
    from streams.bootstrap import open_services

    async with open_services(settings) as services:
        if services.search is None:
            return Finding("web search", "wrong", "no provider could be set up; check VERISTREAM_SEARCH_PROVIDERS")
        outcome = await services.search.search("fact check", 3)
    if not outcome.answered:
        return Finding("web search", "wrong", f"nobody answered a test query ({outcome.message})")
    found = f"{outcome.provider}: a test query brought {len(outcome.results)} results"
    return Finding(
        "web search", "ok", found if outcome.results else f"{', '.join(names)}: a test query brought nothing"
    )


async def _language_model(settings: Settings) -> Finding:
    if settings.openai_api_key is None:
        return Finding("language model", "note", "no OPENAI_API_KEY: rules and local models decide")
    from streams.bootstrap import open_model

    async with open_model(settings) as model:
        try:
            await model.complete(
                ModelRequest(CallTag.CLAIM, "Answer with a JSON object.", "Say that you are ready.", _Ready, 20)
            )
        except ModelFailedError as error:
            return Finding("language model", "wrong", f"{model.model_for(CallTag.CLAIM)}: {error.reason}, {error}")
        return Finding("language model", "ok", f"{model.model_for(CallTag.CLAIM)} answers")


class _Ready(BaseModel):
    ready: bool
