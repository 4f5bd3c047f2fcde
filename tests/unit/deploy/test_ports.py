"""Choosing ports."""

import random
import socket
from pathlib import Path

import pytest

from deploy.servers import ports
from deploy.servers.errors import ServiceError


def test_chosen_ports_are_free_in_a_row_and_below_the_ephemeral_range() -> None:
    chosen = ports.choose(6, random.Random(1))
    assert chosen == list(range(chosen[0], chosen[0] + 6))
    assert all(ports.is_free(port) for port in chosen)
    assert ports.LOWEST_PORT <= chosen[0] < chosen[-1] < ports.ephemeral_start()


def test_taken_and_used_ports_are_passed_over() -> None:
    (first,) = ports.choose(1, random.Random(2))
    with socket.create_server((ports.HOST, first)):
        (second,) = ports.choose(1, random.Random(2))
    (third,) = ports.choose(1, random.Random(2), taken={first})
    assert first not in {second, third}


def test_when_every_port_is_taken_the_search_ends_with_a_message() -> None:
    with pytest.raises(ServiceError, match="no 2 free ports in a row"):
        ports.choose(2, random.Random(3), taken=range(65_536))


@pytest.mark.parametrize(("content", "start"), [("40000\t60999\n", 40_000), ("nonsense", 32_768), ("", 32_768)])
def test_the_ephemeral_range_is_read_from_the_system_with_a_sensible_fallback(
    tmp_path: Path, content: str, start: int
) -> None:
    file = tmp_path / "range"
    file.write_text(content)
    assert ports.ephemeral_start(file) == start


def test_without_that_file_the_fallback_holds(tmp_path: Path) -> None:
    assert ports.ephemeral_start(tmp_path / "missing") == 32_768
