"""What Kafka is told, and how it is asked whether it is there."""

import struct
from pathlib import Path

import pytest

from deploy.servers.errors import ServiceError
from deploy.servers.home import Member
from deploy.servers.kafka import Kafka, render_properties
from deploy.servers.kafka_protocol import broker_ids, metadata_request, parse_broker_ids
from deploy.servers.ports import HOST

ONE = [Member("node-1", {"client": 21_000, "controller": 21_001})]
THREE = [Member(f"node-{n}", {"client": 21_000 + n, "controller": 22_000 + n}) for n in (1, 2, 3)]


def parsed(text: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in text.splitlines())


def test_a_single_node_replicates_nothing_and_listens_on_loopback_only() -> None:
    properties = parsed(render_properties(ONE[0], ONE, Path("/data")))
    assert properties["controller.quorum.voters"] == "1@127.0.0.1:21001"
    assert properties["listeners"] == "CLIENT://127.0.0.1:21000,CONTROLLER://127.0.0.1:21001"
    assert properties["log.dirs"] == "/data"
    for key in ("offsets.topic.replication.factor", "default.replication.factor", "min.insync.replicas"):
        assert properties[key] == "1"


def test_three_nodes_keep_three_replicas_of_which_two_must_be_in_sync() -> None:
    rendered = [parsed(render_properties(member, THREE, Path("/data"))) for member in THREE]
    assert [properties["node.id"] for properties in rendered] == ["1", "2", "3"]
    assert {properties["controller.quorum.voters"] for properties in rendered} == {
        "1@127.0.0.1:22001,2@127.0.0.1:22002,3@127.0.0.1:22003"
    }
    replicated = {key: value for key, value in rendered[0].items() if key.endswith("replication.factor")}
    assert len(replicated) == 4
    assert set(replicated.values()) == {"3"}
    in_sync = {key: value for key, value in rendered[0].items() if key.endswith(("min.isr", "min.insync.replicas"))}
    assert len(in_sync) == 3
    assert set(in_sync.values()) == {"2"}


def test_topics_do_not_appear_by_themselves_and_large_dead_letters_can_be_stored_and_replicated() -> None:
    properties = parsed(render_properties(ONE[0], ONE, Path("/data")))
    assert properties["auto.create.topics.enable"] == "false"
    assert int(properties["message.max.bytes"]) >= 8 * 1024 * 1024
    assert int(properties["replica.fetch.max.bytes"]) > int(properties["message.max.bytes"])


def test_given_properties_win() -> None:
    properties = parsed(render_properties(ONE[0], ONE, Path("/data"), {"message.max.bytes": "1", "new.key": "x=y"}))
    assert properties["message.max.bytes"] == "1"
    assert properties["new.key"] == "x=y"


def test_the_address_lists_every_node_and_is_known_before_the_first_start(tmp_path: Path) -> None:
    Kafka(tmp_path, nodes=3).reserve()
    cluster = Kafka(tmp_path)
    expected = [f"127.0.0.1:{member.ports['client']}" for member in cluster.members()]
    assert len(expected) == 3
    assert cluster.address == ",".join(expected)
    assert cluster.settings() == {"VERISTREAM_BROKER": f"kafka://{cluster.address}"}


def test_without_ports_there_is_no_address(tmp_path: Path) -> None:
    with pytest.raises(ServiceError, match="kafka has no ports yet"):
        _ = Kafka(tmp_path).address


def test_a_home_keeps_its_number_of_nodes(tmp_path: Path) -> None:
    Kafka(tmp_path, nodes=3).reserve()
    with pytest.raises(ServiceError, match="holds a Kafka cluster of 3, not 1"):
        Kafka(tmp_path, nodes=1).reserve()


@pytest.mark.parametrize("nodes", [0, 10])
def test_a_cluster_has_one_to_nine_nodes(tmp_path: Path, nodes: int) -> None:
    with pytest.raises(ServiceError, match="1 to 9 nodes"):
        Kafka(tmp_path, nodes=nodes)


def broker(node: int, host: bytes, rack: bytes | None) -> bytes:
    tail = struct.pack(">h", -1) if rack is None else struct.pack(">h", len(rack)) + rack
    return struct.pack(">ih", node, len(host)) + host + struct.pack(">i", 9092) + tail


def test_broker_ids_are_read_from_a_metadata_answer_with_and_without_racks() -> None:
    answer = struct.pack(">ii", 1, 2) + broker(1, b"127.0.0.1", None) + broker(7, b"elsewhere", b"rack-b")
    assert parse_broker_ids(answer) == {1, 7}


def test_an_answer_to_another_request_is_refused() -> None:
    with pytest.raises(ValueError, match="another request"):
        parse_broker_ids(struct.pack(">ii", 99, 0))


def test_the_request_is_as_long_as_it_says() -> None:
    request = metadata_request()
    (length,) = struct.unpack_from(">i", request)
    assert length == len(request) - 4


def test_where_nobody_listens_there_are_no_brokers(tmp_path: Path) -> None:
    kafka = Kafka(tmp_path)
    kafka.reserve()
    assert broker_ids(HOST, kafka.members()[0].ports["client"], timeout=1) == set()
