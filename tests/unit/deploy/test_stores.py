"""What Neo4j and Weaviate are told."""

from pathlib import Path

from deploy.servers.home import Member
from deploy.servers.neo4j import Neo4j, render_configuration, speaks_bolt
from deploy.servers.weaviate import Weaviate, is_ready, render_environment
from streams.settings import known_keys

PORTS = {"http": 1, "grpc": 2, "gossip": 3, "data": 4, "raft": 5, "raft_rpc": 6}


def test_neo4j_listens_with_bolt_on_loopback_and_with_nothing_else() -> None:
    text = render_configuration(Member("server", {"bolt": 21_000}), Path("/home"))
    settings = dict(line.split("=", 1) for line in text.splitlines())
    assert settings["server.bolt.listen_address"] == "127.0.0.1:21000"
    assert settings["server.http.enabled"] == settings["server.https.enabled"] == "false"
    assert settings["dbms.usage_report.enabled"] == "false"
    assert settings["server.directories.data"] == "/home/data"


def test_weaviate_asks_for_its_key_and_reports_nothing() -> None:
    environment = render_environment(PORTS, Path("/data"), "the-key")
    assert environment["AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED"] == "false"
    assert environment["AUTHENTICATION_APIKEY_ALLOWED_KEYS"] == "the-key"
    assert environment["AUTHORIZATION_ADMINLIST_USERS"] == environment["AUTHENTICATION_APIKEY_USERS"]
    assert environment["DISABLE_TELEMETRY"] == "true"


def test_the_ports_of_weaviate_that_ignore_its_host_are_off_or_ask_for_a_password() -> None:
    environment = render_environment(PORTS, Path("/data"), "the-key")
    assert environment["GO_PROFILING_DISABLE"] == "true"
    assert environment["CLUSTER_BASIC_AUTH_PASSWORD"] == "the-key"


def test_weaviate_joins_itself_on_its_raft_port_and_the_rpc_port_is_the_next_one(tmp_path: Path) -> None:
    server = Weaviate(tmp_path)
    server.reserve()
    ports = server.members()[0].ports
    environment = render_environment(ports, Path("/data"), "the-key")
    assert environment["RAFT_JOIN"] == f"node1:{environment['RAFT_PORT']}"
    assert int(environment["RAFT_INTERNAL_RPC_PORT"]) == int(environment["RAFT_PORT"]) + 1


def test_every_variable_that_leads_to_a_store_is_one_that_veristream_knows(tmp_path: Path) -> None:
    stores = [Neo4j(tmp_path), Weaviate(tmp_path)]
    for store in stores:
        store.reserve()
    variables = stores[0].settings() | stores[1].settings()
    assert set(variables) <= known_keys()
    assert variables["VERISTREAM_NEO4J_URL"].startswith("bolt://127.0.0.1:")
    assert variables["VERISTREAM_WEAVIATE_URL"].startswith("http://127.0.0.1:")
    assert variables["VERISTREAM_NEO4J_PASSWORD"] != variables["VERISTREAM_WEAVIATE_API_KEY"]


def test_where_nobody_listens_nothing_is_ready(tmp_path: Path) -> None:
    server = Weaviate(tmp_path)
    server.reserve()
    port = server.members()[0].ports["http"]
    assert not is_ready(port)
    assert not speaks_bolt(port)
