"""Translates what the Neo4j driver reports into the stores' own errors, one clear line each."""

from collections.abc import Callable

from neo4j.exceptions import (
    ConfigurationError,
    ConnectionPoolError,
    DatabaseError,
    DriverError,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
)

from storage.errors import StoreError, StoreFull, StoreMismatch, StoreUnavailable
from storage.servers.config import Neo4jServer

DOWN = (ServiceUnavailable, SessionExpired, TransientError, ConnectionPoolError)
NO_SPACE = ("No space left", "disk is full", "out of disk")


def _code(*beginnings: str) -> Callable[[Neo4jError], bool]:
    return lambda error: (error.code or "").startswith(beginnings)


MEANINGS: tuple[tuple[Callable[[Neo4jError], bool], type[StoreError], str], ...] = (
    (
        _code("Neo.ClientError.Security.AuthenticationRateLimit"),
        StoreMismatch,
        "refuses user {user!r} after too many wrong passwords; set VERISTREAM_NEO4J_PASSWORD right and wait a little",
    ),
    (
        _code("Neo.ClientError.Security."),
        StoreMismatch,
        "refuses user {user!r}; set VERISTREAM_NEO4J_USER and VERISTREAM_NEO4J_PASSWORD right",
    ),
    (
        _code("Neo.ClientError.Database.DatabaseNotFound"),
        StoreMismatch,
        "has no database {database!r}; create it or name another",
    ),
    (
        lambda error: any(said in (error.message or "") for said in NO_SPACE),
        StoreFull,
        "has no room left; free some disk space, then try again",
    ),
    (
        lambda error: isinstance(error, DOWN),
        StoreUnavailable,
        "is busy or restarting ({error}); try again",
    ),
    (
        _code("Neo.ClientError.Transaction."),  # timed out, or ended by an administrator
        StoreUnavailable,
        "ended the transaction ({error}); try again",
    ),
    (
        lambda error: isinstance(error, DatabaseError),
        StoreUnavailable,
        "failed ({error}); see its log",
    ),
)


def translated(error: Exception, server: Neo4jServer) -> StoreError:
    """The StoreError that says what happened at `server` and what to do."""
    where = f"Neo4j at {server.url}"
    if isinstance(error, Neo4jError):
        return _answered(error, server, where)
    if isinstance(error, (*DOWN, OSError)):
        return StoreUnavailable(f"{where} cannot be reached ({_line(error)}); check that it runs")
    if isinstance(error, ConfigurationError):
        return StoreMismatch(f"{where} cannot be used: {_line(error)}")
    if isinstance(error, DriverError):  # a connection that broke in the middle of an answer
        return StoreUnavailable(f"{where} gave no usable answer ({_line(error)}); try again")
    return StoreError(f"{where}: {_line(error)}")


def _answered(error: Neo4jError, server: Neo4jServer, where: str) -> StoreError:
    for applies, meaning, sentence in MEANINGS:
        if applies(error):
            said = sentence.format(user=server.user, database=server.database, error=_line(error))
            return meaning(f"{where} {said}")
    return StoreError(f"{where}: {_line(error)}")


def _line(error: Exception) -> str:
    said = error.message if isinstance(error, Neo4jError) else str(error)
    return " ".join((said or type(error).__name__).split())[:200]
