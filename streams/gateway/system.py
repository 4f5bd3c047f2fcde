"""The routes about the system itself: health, readiness, status, metrics."""

from typing import Any

import httpx
import structlog
from fastapi import APIRouter
from fastapi.responses import JSONResponse, RedirectResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from agents.claims.package import VerdictPackage
from storage.errors import StoreError
from streams import metrics
from streams.bootstrap import stance_name
from streams.gateway.access import Reader
from streams.gateway.answers import Health, Readiness, Status, problems
from streams.gateway.desk import Desk
from streams.gateway.jobs import TheDesk
from streams.version import VERSION

log = structlog.get_logger("veristream.gateway")

router = APIRouter(tags=["system"])


@router.get("/", include_in_schema=False)
async def root() -> RedirectResponse:
    return RedirectResponse("/docs")


@router.get("/health", summary="The process answers", response_model=Health, response_description="It does")
async def health() -> dict[str, Any]:
    """Open to all: it says nothing but that."""
    return {"status": "ok"}


@router.get(
    "/ready",
    summary="The gateway can take and answer claims",
    response_model=None,
    responses={
        200: {"model": Readiness, "description": "It can"},
        503: {"model": Readiness, "description": "It cannot, and why"},
    },
)
async def ready(desk: TheDesk) -> Response:
    """Open to all, for load balancers; the log has the details."""
    reasons = [] if desk.hub.connected else ["the broker is not connected"]
    try:
        await desk.ledger.open_load()
    except StoreError as error:
        log.warning("the ledger does not answer", detail=str(error))
        reasons.append("the ledger does not answer")
    return JSONResponse({"ready": not reasons, "reasons": reasons}, status_code=503 if reasons else 200)


@router.get(
    "/status",
    summary="What this system is made of, and how much is open",
    response_model=None,
    responses={**problems(401, 403, 429, 503), 200: {"model": Status, "description": "What it is made of"}},
)
async def status(desk: TheDesk, caller: Reader) -> dict[str, Any]:
    """The broker's address and the data folder are told to this machine and to keys with the scope admin only."""
    load = await desk.ledger.open_load()
    settings = desk.settings
    answer: dict[str, Any] = {
        "version": VERSION,
        "mode": "embedded" if settings.embedded else "full",
        "open_jobs": load.jobs,
        "open_bytes": load.bytes,
        "broker_connected": desk.hub.connected,
        "embedder": settings.embedder,
        "stance": stance_name(settings),
        "policy": settings.policy,
    }
    if settings.embedded and caller.is_admin:
        # So that `veristream submit`, `watch` and `dead-letters` on this machine find the running system.
        answer |= {"broker": settings.broker, "data_dir": str(settings.data_dir)}
    return answer


@router.get("/schemas/verdict/v1", summary="JSON Schema of the verdict package", response_description="The schema")
async def verdict_schema() -> dict[str, Any]:
    """Open to all: it is in the handbook too."""
    return VerdictPackage.model_json_schema(mode="serialization")


@router.get("/metrics", include_in_schema=False)
async def show_metrics(desk: TheDesk) -> Response:
    text = generate_latest(metrics.GATEWAY) + await _worker_metrics(desk)
    return Response(text, media_type=CONTENT_TYPE_LATEST)


async def _worker_metrics(desk: Desk) -> bytes:
    """Embedded, one page shows both processes; elsewhere Prometheus asks each of them."""
    url = desk.settings.worker_metrics_url
    if url is None:
        return b""
    try:
        async with httpx.AsyncClient(timeout=2.0) as client:
            return (await client.get(url)).content
    except httpx.HTTPError:
        return b"# the worker does not answer\n"
