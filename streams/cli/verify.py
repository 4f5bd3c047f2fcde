"""`veristream verify`: one claim through the running system, or through an embedded one started for it."""

import json
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

import httpx
import typer

from agents.claims.submission import normalise
from streams.cli.errors import Refused, fail, run, stderr
from streams.cli.options import example, options, stdout
from streams.cli.show import explain, progress_line
from streams.cli.target import key_header, running_embedded
from streams.logs import configure_logs
from streams.settings import Settings, load_settings

ANSWER_SECONDS = 180.0


def register(app: typer.Typer) -> None:
    app.command(epilog=example('verify "Kelderwick General Hospital has 312 beds."'))(verify)


def verify(
    context: typer.Context,
    claim: Annotated[str, typer.Argument(help="The claim, in one or two sentences.")],
    as_json: Annotated[bool, typer.Option("--json", help="The whole verdict package as JSON.")] = False,
) -> None:
    """Verify one claim and show how its verdict came about."""
    answer = run(_verify(claim, quiet=as_json), debug=options(context).debug)
    if as_json:
        stdout.print(json.dumps(answer, ensure_ascii=False), markup=False)
    elif answer.get("status") != "failed":
        for line in explain(answer):
            stdout.print(line)
    if answer.get("status") == "failed":
        raise fail(f"the job failed in {answer['error']['stage']}: {answer['error']['message']}")


async def _verify(claim: str, *, quiet: bool) -> dict[str, Any]:
    try:
        text = normalise(claim)
    except ValueError as error:
        raise Refused(f"claim: {error}") from None
    async with _client() as client:
        body = {"job_id": f"cli-{uuid.uuid4()}", "claim": text, "source": "cli"}
        accepted = await client.post("/worker/verify", params={"wait": 0}, json=body)
        if accepted.status_code not in {httpx.codes.OK, httpx.codes.ACCEPTED}:
            raise Refused(accepted.json().get("detail", accepted.text))
        await _show_progress(client, body["job_id"], quiet=quiet)
        finished = await client.post("/worker/verify", params={"wait": ANSWER_SECONDS}, json=body)
        if finished.status_code != httpx.codes.OK:
            raise Refused(f"no verdict within {ANSWER_SECONDS:.0f} s; look at {client.base_url}/jobs/{body['job_id']}")
        answer: dict[str, Any] = finished.json()
        return answer


async def _show_progress(client: httpx.AsyncClient, job_id: str, *, quiet: bool) -> None:
    async with client.stream("GET", f"/jobs/{job_id}/events") as events:
        async for line in events.aiter_lines():
            if line.startswith("data: ") and not quiet:
                event = json.loads(line.removeprefix("data: "))
                if "event" in event:
                    stderr.print(progress_line(event))


@asynccontextmanager
async def _client() -> AsyncIterator[httpx.AsyncClient]:
    """A client of the running gateway; of one in this process over a configured broker; or of a system of our own."""
    settings = load_settings()
    if settings.broker is None and running_embedded(settings) is not None:
        async with _http(base_url=settings.gateway_url, headers=key_header(settings)) as client:
            yield client
    elif settings.broker is not None:
        from streams.bootstrap import open_desk
        from streams.gateway.app import create_app

        configure_logs(settings, quiet=True)
        # Whoever can reach the broker and the stores needs no key to them.
        inner = settings.model_copy(update={"gateway_keys": "off"})
        app = create_app(lambda: open_desk(inner))
        async with (
            app.router.lifespan_context(app),
            _http(base_url="http://veristream", transport=httpx.ASGITransport(app)) as client,
        ):
            yield client
    else:
        async with _own_system(settings) as url, _http(base_url=url, headers=key_header(settings)) as client:
            yield client


def _http(**options: Any) -> httpx.AsyncClient:
    return httpx.AsyncClient(timeout=ANSWER_SECONDS + 10, **options)


@asynccontextmanager
async def _own_system(settings: Settings) -> AsyncIterator[str]:
    from streams.embedded.supervisor import embedded_system

    configure_logs(settings, quiet=True)
    stderr.print("nothing runs here yet: starting an embedded system for this claim", style="dim")
    async with embedded_system(settings.model_copy(update={"gateway_port": 0}), quiet=True) as system:
        yield system.gateway_url
