"""`veristream keys`, and the key that other commands send."""

import asyncio
import json
from pathlib import Path

import httpx
import pytest

from storage.ports import Scope
from streams.cli.errors import Refused
from streams.cli.target import running_embedded
from streams.gateway.tokens import TOKEN
from streams.settings import Settings
from tests.support.commands import invoke
from tests.unit.gateway.doors import gateway, new_key, served


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {"VERISTREAM_DATA_DIR": str(tmp_path), "VERISTREAM_EMBEDDER": "static"}


def test_a_key_is_shown_once_listed_without_its_secret_and_revoked(environment: dict[str, str]) -> None:
    created = invoke(["keys", "create", "chat-bot", "--scope", "submit", "--submissions-per-minute", "0"], environment)
    assert created.exit_code == 0, created.stderr
    token = created.stdout.strip()
    assert TOKEN.fullmatch(token)

    listed = invoke(["keys", "list"], environment)
    assert "chat-bot" in listed.stdout
    assert "submissions/min unlimited" in listed.stdout
    row = json.loads(invoke(["keys", "list", "--json"], environment).stdout)
    assert (row["name"], row["scopes"], row["submissions_per_minute"]) == ("chat-bot", ["submit"], 0)
    assert token.split("_", 2)[2] not in listed.stdout + json.dumps(row)

    revoked = invoke(["keys", "revoke", "chat-bot"], environment)
    assert revoked.stdout.strip() == f"revoked chat-bot ({row['key_id']})"
    assert invoke(["keys", "list"], environment).stdout == ""
    assert "revoked 20" in invoke(["keys", "list", "--revoked"], environment).stdout


def test_by_default_a_key_submits_and_reads(environment: dict[str, str]) -> None:
    invoke(["keys", "create", "bot"], environment)
    assert json.loads(invoke(["keys", "list", "--json"], environment).stdout)["scopes"] == ["read", "submit"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["keys", "create", "two words"], "error: a key's name is up to 64 letters"),
        (["keys", "create", "bot"], "error: a key named 'bot' is in force"),
        (["keys", "revoke", "nobody"], "error: no key in force is called 'nobody'; see `veristream keys list`"),
    ],
)
def test_what_cannot_be_done_is_one_line(environment: dict[str, str], arguments: list[str], said: str) -> None:
    invoke(["keys", "create", "bot"], environment)
    refused = invoke(arguments, environment)
    assert refused.exit_code == 1
    assert refused.stderr.strip().splitlines()[-1].startswith(said)


def test_the_doctor_says_who_may_come_in(environment: dict[str, str]) -> None:
    # A port that nobody listens at.
    here = environment | {"VERISTREAM_GATEWAY_PORT": "1"}
    assert "none needed from this machine" in invoke(["doctor"], here).stdout
    lonely = invoke(["doctor"], here | {"VERISTREAM_GATEWAY_KEYS": "required"})
    assert (lonely.exit_code, "lets nobody in" in lonely.stdout) == (1, True)
    invoke(["keys", "create", "bot"], environment)
    assert "in force: bot" in invoke(["doctor"], here).stdout
    assert "whoever reaches" in invoke(["doctor"], here | {"VERISTREAM_GATEWAY_KEYS": "off"}).stdout


async def test_commands_find_a_system_that_wants_keys_with_an_administrators(tmp_path: Path) -> None:
    admin = await new_key(tmp_path, "admin", Scope.ADMIN)
    reads = await new_key(tmp_path, "reads", Scope.READ)
    async with gateway(tmp_path, embedded=True, gateway_keys="required") as (_, desk), served(desk) as url:

        async def find(headers: dict[str, str] | None) -> Settings | None:
            key = headers["Authorization"].removeprefix("Bearer ") if headers else None
            settings = Settings(gateway_port=httpx.URL(url).port, api_key=key)
            return await asyncio.to_thread(running_embedded, settings)

        found = await find(admin)
        assert found is not None
        assert found.data_dir == tmp_path
        with pytest.raises(Refused, match="wants another VERISTREAM_API_KEY: send an API key"):
            await find(None)
        with pytest.raises(Refused, match="needs the scope admin"):
            await find(reads)
