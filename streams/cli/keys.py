"""`veristream keys`: who may use the gateway."""

import json
from typing import Annotated, Any

import typer

from storage.ports import ApiKey, KeyLimits, Scope
from streams.bootstrap import open_key_ring, utc_now
from streams.cli.errors import run, stderr
from streams.cli.knowledge import store_settings
from streams.cli.options import example, options, stdout
from streams.gateway.tokens import make

app = typer.Typer(help="Create, list and revoke API keys of the gateway.", no_args_is_help=True)


@app.command("create", epilog=example("keys create chat-bot --scope submit --scope read"))
def create(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Who will use it: letters, digits, dots, dashes, underscores.")],
    *,
    scope: Annotated[
        list[Scope] | None, typer.Option(help="What it is for; may be repeated. Default: submit and read.")
    ] = None,
    submissions_per_minute: Annotated[
        int | None, typer.Option(min=0, help="Its own limit instead of the setting's; 0 means none.")
    ] = None,
    submissions_burst: Annotated[int | None, typer.Option(min=1, help="How many of them at once.")] = None,
    reads_per_minute: Annotated[
        int | None, typer.Option(min=0, help="Its own limit instead of the setting's; 0 means none.")
    ] = None,
) -> None:
    """Make a key and print it, this once: only its digest is kept."""
    limits = KeyLimits(submissions_per_minute, submissions_burst, reads_per_minute)
    token = run(_create(name, scope or [Scope.SUBMIT, Scope.READ], limits), debug=options(context).debug)
    stderr.print(f"key {name!r}; it is shown only now, so put it where you keep secrets:", style="dim", markup=False)
    stdout.print(token, markup=False)


@app.command("list", epilog=example("keys list --json"))
def list_keys(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per line.")] = False,
    revoked: Annotated[bool, typer.Option("--revoked", help="Those that were revoked, too.")] = False,
) -> None:
    """Show the keys in force."""
    keys = [key for key in run(_keys(), debug=options(context).debug) if revoked or key.revoked_at is None]
    for key in keys:
        line = json.dumps(_row(key)) if as_json else _line(key)
        stdout.print(line, markup=False)
    if not keys and not as_json:
        stderr.print("no keys; `veristream keys create NAME` makes one", style="dim")


@app.command("revoke", epilog=example("keys revoke chat-bot"))
def revoke(context: typer.Context, key: Annotated[str, typer.Argument(help="Its name or its id.")]) -> None:
    """Close a key for ever; running gateways notice within five seconds."""
    revoked = run(_revoke(key), debug=options(context).debug)
    stdout.print(f"revoked {revoked.name} ({revoked.key_id})", markup=False)


async def _create(name: str, scopes: list[Scope], limits: KeyLimits) -> str:
    ring = await open_key_ring(store_settings())
    try:
        key, token = make(name, scopes, limits, utc_now())
        await ring.add(key)
        return token
    finally:
        await ring.close()


async def _keys() -> list[ApiKey]:
    ring = await open_key_ring(store_settings())
    try:
        return await ring.keys()
    finally:
        await ring.close()


async def _revoke(name_or_id: str) -> ApiKey:
    ring = await open_key_ring(store_settings())
    try:
        return await ring.revoke(name_or_id, utc_now())
    finally:
        await ring.close()


def _row(key: ApiKey) -> dict[str, Any]:
    return {
        "key_id": key.key_id,
        "name": key.name,
        "scopes": sorted(key.scopes),
        "created_at": key.created_at.isoformat(timespec="seconds"),
        "revoked_at": key.revoked_at.isoformat(timespec="seconds") if key.revoked_at else None,
        "submissions_per_minute": key.limits.submissions_per_minute,
        "submissions_burst": key.limits.submissions_burst,
        "reads_per_minute": key.limits.reads_per_minute,
    }


def _line(key: ApiKey) -> str:
    own = {
        "submissions/min": key.limits.submissions_per_minute,
        "burst": key.limits.submissions_burst,
        "reads/min": key.limits.reads_per_minute,
    }
    told = [f"{name} {value or 'unlimited'}" for name, value in own.items() if value is not None]
    if key.revoked_at is not None:
        told.append(f"revoked {key.revoked_at:%Y-%m-%d %H:%M}")
    begin = f"{key.name:<24} {key.key_id}  {','.join(sorted(key.scopes)):<18} {key.created_at:%Y-%m-%d %H:%M}"
    return "  ".join([begin, *told])
