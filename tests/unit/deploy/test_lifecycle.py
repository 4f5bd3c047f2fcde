"""Launch, readiness, stop, kill, wipe: tried with real processes."""

import os
import signal
import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from deploy.servers import processes
from deploy.servers.cache import Cache
from deploy.servers.errors import ServiceError
from deploy.servers.ports import HOST, is_free
from deploy.servers.service import LocalService, is_running

Tiny = Callable[..., LocalService]


def test_a_started_server_answers_and_its_state_is_on_disk(tiny: Tiny) -> None:
    tiny().start()
    (member,) = tiny().members()
    assert is_running(member)
    assert not is_free(member.ports["door"])
    assert (tiny().folder(member) / "configuration").read_text() == str(member.ports["door"])


def test_starting_twice_leaves_the_running_process_alone(tiny: Tiny) -> None:
    tiny().start()
    (before,) = tiny().members()
    tiny().start()
    assert tiny().members() == [before]


def test_a_stopped_server_comes_back_on_the_same_ports(tiny: Tiny) -> None:
    tiny().start()
    (before,) = tiny().members()
    tiny().stop()
    assert tiny().running() == []
    assert is_free(before.ports["door"])
    tiny().start()
    (after,) = tiny().members()
    assert after.ports == before.ports
    assert after.handle != before.handle


def test_kill_is_sigkill_and_the_port_is_free_when_it_returns(tiny: Tiny) -> None:
    server = tiny(manners="stubborn")
    server.start()
    (member,) = server.members()
    server.kill()
    assert server.running() == []
    assert is_free(member.ports["door"])


def test_what_ignores_sigterm_is_killed_after_the_grace(tiny: Tiny) -> None:
    server = tiny(manners="stubborn")
    server.start()
    server.stop(grace=0.1)
    assert server.running() == []


def test_one_member_of_several_can_be_killed_and_started_again(tiny: Tiny) -> None:
    cluster = tiny(size=3)
    cluster.start()
    cluster.kill("node-2")
    assert [member.name for member in cluster.running()] == ["node-1", "node-3"]
    cluster.start("node-2")
    assert len(cluster.running()) == 3


def test_a_member_that_does_not_exist_is_named_with_those_that_do(tiny: Tiny) -> None:
    tiny().start()
    with pytest.raises(ServiceError, match="tiny has no node-7; it has node-1"):
        tiny().stop("node-7")


def test_a_server_that_ends_at_once_is_reported_with_its_log(tiny: Tiny) -> None:
    server = tiny(manners="broken")
    with pytest.raises(ServiceError, match=r"(?s)tiny node-1 ended.*no such configuration"):
        server.start()


def test_a_server_that_never_answers_is_reported_with_its_log(tiny: Tiny) -> None:
    server = tiny(manners="silent")
    server.launch()
    (member,) = server.members()
    log = server.log(member)
    while "about to listen" not in log.read_text():  # bounded by the test's own timeout
        assert is_running(member)
    with pytest.raises(ServiceError, match=r"(?s)did not answer within 0 s.*about to listen"):
        server.wait_ready(timeout=0.2)


def test_waiting_for_what_was_never_started_says_so(tiny: Tiny) -> None:
    with pytest.raises(ServiceError, match="tiny was not started"):
        tiny().wait_ready()


def test_a_port_that_somebody_else_took_is_named_before_anything_starts(tiny: Tiny) -> None:
    server = tiny()
    server.reserve()
    (member,) = server.members()
    with (
        socket.create_server((HOST, member.ports["back_door"])),
        pytest.raises(ServiceError, match=f"port {member.ports['back_door']} .*node-1 back_door.* is in use"),
    ):
        server.start()
    assert server.running() == []


def test_reserved_ports_are_the_ones_it_starts_on(tiny: Tiny) -> None:
    tiny().reserve()
    (reserved,) = tiny().members()
    assert reserved.handle is None
    tiny().start()
    assert tiny().members()[0].ports == reserved.ports


def test_given_ports_take_the_place_of_chosen_ones(tiny: Tiny) -> None:
    tiny().reserve()
    (chosen,) = tiny().members()
    server = tiny(given_ports=[{"door": chosen.ports["back_door"] + 10}])
    server.reserve()
    assert server.members()[0].ports == {**chosen.ports, "door": chosen.ports["back_door"] + 10}


def test_a_process_that_inherited_the_saved_id_is_neither_running_nor_signalled(tiny: Tiny) -> None:
    server = tiny()
    server.start()
    (member,) = server.members()
    assert member.handle is not None
    server.kill()
    stranger = processes.Handle(os.getpid(), member.handle.identity)
    server.home.save([replace(member, handle=stranger)])
    received: list[int] = []
    previous = signal.signal(signal.SIGTERM, lambda number, _: received.append(number))
    try:
        server.stop(grace=0)
    finally:
        signal.signal(signal.SIGTERM, previous)
    assert received == []
    assert server.members()[0].handle is None


def test_a_crashed_server_is_started_again(tiny: Tiny) -> None:
    tiny().start()
    (member,) = tiny().members()
    assert member.handle is not None
    os.kill(member.handle.pid, signal.SIGKILL)
    assert processes.await_end([member.handle], timeout=30) == []
    with pytest.raises(ServiceError, match="tiny node-1 ended"):
        tiny().wait_ready()
    tiny().start()
    assert len(tiny().running()) == 1


def test_the_log_of_the_run_before_is_kept(tiny: Tiny) -> None:
    tiny().start()
    log = tiny().log(tiny().members()[0])
    tiny().kill()
    tiny().start()
    assert "about to listen" in log.with_suffix(".previous.log").read_text()


def test_wipe_stops_and_leaves_nothing_but_the_home_itself(tiny: Tiny) -> None:
    server = tiny()
    server.start()
    server.home.ensure_secret()
    (member,) = server.members()
    server.wipe()
    assert not is_running(member)
    assert [path.name for path in server.home.root.iterdir() if not path.name.startswith(".")] == []


def test_wiping_what_never_ran_is_harmless(tiny: Tiny) -> None:
    tiny().wipe()
    assert not tiny().home.root.exists()


def test_software_that_is_not_installed_is_one_line_that_says_how(tiny: Tiny, tmp_path: Path) -> None:
    server = tiny(software=Cache(tmp_path / "empty"))
    with pytest.raises(ServiceError, match=r"tiny is not installed; run `python3 deploy/services.py install tiny`"):
        server.start()
