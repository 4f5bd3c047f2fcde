"""Finds the system that a command speaks to: the configured broker, or the embedded system that runs here."""

import httpx

from streams.cli.errors import Refused
from streams.settings import Settings, load_settings


def key_header(settings: Settings) -> dict[str, str]:
    """The key of this machine's commands, if they have one."""
    if settings.api_key is None:
        return {}
    return {"Authorization": f"Bearer {settings.api_key.get_secret_value()}"}


def running_embedded(settings: Settings) -> Settings | None:
    """The settings of the embedded system that answers at the gateway's address, if one does."""
    try:
        answer = httpx.get(f"{settings.gateway_url}/status", timeout=2.0, headers=key_header(settings))
        status = answer.json()
    except (httpx.HTTPError, ValueError):
        return None
    if answer.status_code in {httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN} and "detail" in status:
        raise Refused(f"the gateway at {settings.gateway_url} wants another VERISTREAM_API_KEY: {status['detail']}")
    if not isinstance(status, dict) or status.get("mode") != "embedded":
        return None
    if "broker" not in status:
        raise Refused(
            "VERISTREAM_API_KEY needs the scope admin to find the embedded system; see `veristream keys list`"
        )
    return settings.model_copy(
        update={"broker": status["broker"], "data_dir": type(settings.data_dir)(status["data_dir"]), "embedded": True}
    )


def reachable_settings() -> Settings:
    """Settings with a broker in them, or one line that says how to get one."""
    settings = load_settings()
    if settings.broker is not None:
        return settings
    running = running_embedded(settings)
    if running is None:
        raise Refused(
            f"nothing runs at {settings.gateway_url}: start `veristream up`, or set VERISTREAM_BROKER to a cluster"
        )
    return running
