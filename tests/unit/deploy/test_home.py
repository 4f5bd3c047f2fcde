"""State and secrets of one home."""

import stat
from pathlib import Path

import pytest

from deploy.servers.errors import ServiceError
from deploy.servers.home import Home, Member
from deploy.servers.processes import Handle


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home", "kafka")
    home.create()
    return home


def test_what_is_saved_is_what_is_loaded(home: Home) -> None:
    members = [Member("node-1", {"client": 1, "controller": 2}, Handle(3, "boot:4")), Member("node-2", {"client": 5})]
    home.save(members)
    assert home.load() == members


def test_a_home_in_which_nothing_ran_has_no_members(home: Home) -> None:
    assert home.load() == []


@pytest.mark.parametrize("content", ["{", "[]", '{"version": 99, "members": []}'])
def test_a_state_file_that_cannot_be_understood_says_what_to_do(home: Home, content: str) -> None:
    home.state_file.write_text(content)
    with pytest.raises(ServiceError, match="delete it and start again"):
        home.load()


def test_a_secret_is_made_once_and_only_its_owner_can_read_it(home: Home) -> None:
    secret = home.ensure_secret()
    assert len(secret) == 48
    assert home.ensure_secret() == secret
    assert stat.S_IMODE(home.secret_file.stat().st_mode) == 0o600
    assert stat.S_IMODE(home.root.stat().st_mode) == 0o700


def test_every_home_has_a_secret_of_its_own(tmp_path: Path) -> None:
    homes = [Home(tmp_path / name, "neo4j") for name in ("a", "b")]
    for one in homes:
        one.create()
    assert homes[0].ensure_secret() != homes[1].ensure_secret()
