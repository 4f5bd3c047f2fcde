"""Opens one SQLite connection the way every store here needs it, and brings its schema up to date."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import apsw

from storage.errors import StoreMismatch

APPLICATION_ID = 0x56535452
"""'VSTR' in the file's header, so that another program's database is never written to."""

SWITCH_ATTEMPTS = 50
SWITCH_PAUSE_S = 0.02
"""One second in all for the first switch to the write-ahead log, which takes some milliseconds."""


@dataclass(frozen=True, slots=True)
class DatabasePolicy:
    """How one database file is used. Defaults suit several processes of one machine."""

    synchronous: Literal["FULL", "NORMAL"] = "NORMAL"
    """With a write-ahead log NORMAL never corrupts, but a power cut may take the last commits; FULL keeps them."""
    busy_timeout_ms: int = 5_000
    """How long one attempt waits for another process's transaction; ours last milliseconds."""
    busy_attempts: int = 3
    """Attempts at a transaction before the caller hears StoreUnavailable: 15 s in all."""
    patience_s: float = 60.0
    """The longest any caller waits for an answer, queueing included."""
    max_batch: int = 256
    """Operations that share one commit: enough to hide an fsync, few enough to keep the lock short."""
    max_queue: int = 20_000
    """Writes waiting at once; beyond it the store says it is behind instead of eating memory."""
    readers: int = 2
    """Read threads: searches are processor-bound, so more than the cores of a small machine gain nothing."""
    cache_kib: int = 16_384
    """Page cache of each connection."""
    log_bytes: int = 64 << 20
    """What a write-ahead log that once grew larger is cut back to."""
    max_pages: int | None = None
    """A size limit in pages of 4 KiB; tests use it to fill the disk."""
    mmap_bytes: int = 0
    """How much of the file is read in place, from the system's page cache, instead of being copied."""
    load_vectors: bool = False
    """Whether sqlite-vec is loaded."""


@dataclass(frozen=True, slots=True)
class Schema:
    """A component's tables as a list of migrations: entry i brings version i to version i + 1."""

    component: str
    migrations: Sequence[str]


def connect(path: Path, policy: DatabasePolicy, *, writer: bool) -> apsw.Connection:
    """A connection to `path`, created if absent."""
    connection = apsw.Connection(str(path))
    try:
        connection.set_busy_timeout(policy.busy_timeout_ms)
        _use_log(connection)
        connection.pragma("synchronous", policy.synchronous)
        connection.pragma("cache_size", -policy.cache_kib)
        connection.pragma("temp_store", "memory")
        connection.pragma("foreign_keys", 1)
        connection.pragma("journal_size_limit", policy.log_bytes)
        connection.pragma("mmap_size", policy.mmap_bytes)
        if policy.max_pages is not None:
            connection.pragma("max_page_count", policy.max_pages)
        if policy.load_vectors:
            _load_vectors(connection)
        if writer:
            _claim(connection, path)
        else:
            connection.pragma("query_only", 1)
    except BaseException:
        connection.close()
        raise
    return connection


def _use_log(connection: apsw.Connection) -> None:
    """Switch to the write-ahead log. SQLite does not always wait for the lock that a fresh file's switch needs."""
    for attempt in range(1, SWITCH_ATTEMPTS + 1):
        try:
            connection.pragma("journal_mode", "wal")
        except apsw.BusyError:
            if attempt == SWITCH_ATTEMPTS:
                raise
            time.sleep(SWITCH_PAUSE_S)
        else:
            return


def _load_vectors(connection: apsw.Connection) -> None:
    import sqlite_vec

    connection.enable_load_extension(True)
    connection.load_extension(sqlite_vec.loadable_path())
    connection.enable_load_extension(False)


def _claim(connection: apsw.Connection, path: Path) -> None:
    """Mark a fresh file as ours; refuse a file of another program."""
    connection.transaction_mode = "IMMEDIATE"  # several processes may open a fresh file at once
    with connection:
        found = connection.pragma("application_id")
        tables = connection.execute("SELECT count(*) FROM sqlite_schema").get
        if found == 0 and not tables:
            connection.pragma("application_id", APPLICATION_ID)
        elif found != APPLICATION_ID:
            raise StoreMismatch(f"{path} belongs to another program; choose another data folder")


def migrate(connection: apsw.Connection, schema: Schema, path: Path) -> None:
    """Bring one component's tables to the newest version, inside the caller's transaction."""
    connection.execute(
        "CREATE TABLE IF NOT EXISTS schema_versions (component TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT"
    )
    row = connection.execute("SELECT version FROM schema_versions WHERE component = ?", (schema.component,)).get
    version = int(row) if row is not None else 0
    newest = len(schema.migrations)
    if version > newest:
        raise StoreMismatch(
            f"{path} holds version {version} of {schema.component}, newer than this program's {newest}; upgrade it"
        )
    for script in schema.migrations[version:]:
        connection.execute(script)
    connection.execute(
        "INSERT INTO schema_versions VALUES (?, ?) ON CONFLICT (component) DO UPDATE SET version = excluded.version",
        (schema.component, newest),
    )
