"""Which process is which."""

import os
import signal

from deploy.servers.processes import Handle, alive, identity, parse_stat, send, server_environment

STAT = "{pid} ({name}) {state} 1 1 1 0 -1 4194560 9 0 0 0 0 0 0 0 20 0 {threads} 0 {started} 1 1"


def test_the_start_time_is_found_behind_a_name_full_of_parentheses() -> None:
    assert parse_stat(STAT.format(pid=7, name="a) S (b", state="S", threads=3, started=4711)) == "4711"


def test_a_zombie_is_dead_but_not_while_its_other_threads_hold_the_ports() -> None:
    assert parse_stat(STAT.format(pid=7, name="java", state="Z", threads=1, started=4711)) is None
    assert parse_stat(STAT.format(pid=7, name="java", state="Z", threads=40, started=4711)) == "4711"


def test_a_process_is_itself_and_no_other_of_the_same_id() -> None:
    mine = identity(os.getpid())
    assert mine is not None
    assert alive(Handle(os.getpid(), mine))
    assert not alive(Handle(os.getpid(), mine + "0"))
    assert not alive(Handle(os.getpid(), ""))


def test_nothing_is_sent_to_a_process_of_another_identity() -> None:
    assert send(Handle(os.getpid(), "another"), signal.SIGKILL) is False


def test_servers_see_their_own_variables_and_little_of_the_callers() -> None:
    caller = {"PATH": "/bin", "JAVA_TOOL_OPTIONS": "-Xmx9g", "CLUSTER_JOIN": "elsewhere"}
    assert server_environment(caller, {"GRPC_PORT": "1"}) == {"PATH": "/bin", "GRPC_PORT": "1"}
