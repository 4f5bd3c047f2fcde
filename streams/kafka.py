"""How every Kafka client of ours connects: the same security settings for Faust, aiokafka and its admin client."""

import ssl
import sys
from functools import partial
from typing import Any

from aiokafka.codec import gzip_encode
from aiokafka.record.default_records import DefaultRecordBatchBuilder

from streams.settings import Settings, SettingsError

FETCH_WAIT_MS = 25
"""How long a fetch of ours listens for news: forty quiet polls a second cost next to nothing, and a hop is short."""

COMPRESSION_LEVEL = 3
"""Of gzip. A job's event takes 0.4 ms instead of the 1.9 of aiokafka's level 9, and is an eighth larger."""


def compress_quickly() -> None:
    """aiokafka has no setting for the level, and asks this name of its module for every batch."""
    records: Any = sys.modules[DefaultRecordBatchBuilder.__module__]
    records.gzip_encode = partial(gzip_encode, compresslevel=COMPRESSION_LEVEL)


def ssl_context(settings: Settings) -> ssl.SSLContext | None:
    """The TLS context that the settings describe, or None without TLS."""
    if settings.kafka_security_protocol not in {"SSL", "SASL_SSL"}:
        return None
    try:
        context = ssl.create_default_context(cafile=settings.kafka_ssl_cafile)
        if settings.kafka_ssl_certfile is not None:
            context.load_cert_chain(settings.kafka_ssl_certfile, settings.kafka_ssl_keyfile)
    except OSError as error:
        raise SettingsError(f"the Kafka TLS files cannot be read ({error}); check VERISTREAM_KAFKA_SSL_*") from None
    return context


def client_options(settings: Settings) -> dict[str, Any]:
    """Keyword arguments for aiokafka's producers, consumers and admin client."""
    options: dict[str, Any] = {
        "bootstrap_servers": settings.bootstrap_servers,
        "security_protocol": settings.kafka_security_protocol,
        "ssl_context": ssl_context(settings),
    }
    if settings.kafka_sasl_password is not None and settings.kafka_security_protocol.startswith("SASL"):
        options |= {
            "sasl_mechanism": settings.kafka_sasl_mechanism,
            "sasl_plain_username": settings.kafka_sasl_username,
            "sasl_plain_password": settings.kafka_sasl_password.get_secret_value(),
        }
    return options


def faust_credentials(settings: Settings) -> Any:
    """The same for Faust, in its own words."""
    import faust

    context = ssl_context(settings)
    if settings.kafka_sasl_password is not None and settings.kafka_security_protocol.startswith("SASL"):
        return faust.SASLCredentials(
            username=settings.kafka_sasl_username,
            password=settings.kafka_sasl_password.get_secret_value(),
            mechanism=settings.kafka_sasl_mechanism,
            ssl_context=context,
        )
    return faust.SSLCredentials(context) if context is not None else None
