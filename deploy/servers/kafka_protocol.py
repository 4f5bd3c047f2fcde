"""Just enough of Kafka's wire protocol to ask a broker which brokers it knows, without a client library."""

import socket
import struct

METADATA = 3
METADATA_VERSION = 1
CORRELATION = 1
CLIENT_ID = b"veristream-services"

MAX_ANSWER_BYTES = 1_000_000
"""The answer lists brokers only; anything larger is not Kafka talking."""


def metadata_request() -> bytes:
    """Metadata v1 for no topics (an empty list; a null one would mean all)."""
    header = struct.pack(">hhih", METADATA, METADATA_VERSION, CORRELATION, len(CLIENT_ID)) + CLIENT_ID
    body = header + struct.pack(">i", 0)
    return struct.pack(">i", len(body)) + body


def parse_broker_ids(answer: bytes) -> set[int]:
    """The node ids in a Metadata v1 answer (without its length prefix)."""
    correlation, count = struct.unpack_from(">ii", answer, 0)
    if correlation != CORRELATION:
        raise ValueError("the answer belongs to another request")
    offset = 8
    brokers: set[int] = set()
    for _ in range(count):
        node, host_length = struct.unpack_from(">ih", answer, offset)
        offset += 6 + host_length + 4  # node id and length, the host's name, its port
        (rack_length,) = struct.unpack_from(">h", answer, offset)
        offset += 2 + max(rack_length, 0)
        brokers.add(node)
    return brokers


def _read(connection: socket.socket, count: int) -> bytes:
    received = b""
    while len(received) < count:
        piece = connection.recv(count - len(received))
        if not piece:
            raise ConnectionError("the broker closed the connection")
        received += piece
    return received


def broker_ids(host: str, port: int, timeout: float) -> set[int]:
    """The brokers that the one at this address knows to be alive; empty while it does not answer."""
    try:
        with socket.create_connection((host, port), timeout=timeout) as connection:
            connection.sendall(metadata_request())
            (length,) = struct.unpack(">i", _read(connection, 4))
            if not 0 < length <= MAX_ANSWER_BYTES:
                return set()
            return parse_broker_ids(_read(connection, length))
    except (OSError, struct.error, ValueError):
        return set()
