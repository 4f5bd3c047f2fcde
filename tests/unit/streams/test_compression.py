"""Events are compressed at our level: aiokafka's own would take several times as long."""

from aiokafka.record.default_records import DefaultRecordBatchBuilder

from streams.kafka import compress_quickly

GZIP_START = b"\x1f\x8b\x08"
GZIP, LARGEST_EFFORT = 1, 2
"""Kafka's number for gzip, and what gzip writes into its header for level 9."""


def test_a_batch_is_not_compressed_with_the_largest_effort() -> None:
    compress_quickly()
    batch = DefaultRecordBatchBuilder(
        magic=2,
        compression_type=GZIP,
        is_transactional=0,
        producer_id=-1,
        producer_epoch=-1,
        base_sequence=-1,
        batch_size=100_000,
    )
    batch.append(0, timestamp=1, key=b"job", value=b'{"claim": "It rained."}' * 100, headers=[])
    written = bytes(batch.build())
    start = written.index(GZIP_START)
    assert written[start + 8] != LARGEST_EFFORT
    assert len(written) < 1_000
