"""Translates what SQLite reports into the stores' own errors, one clear line each."""

from pathlib import Path

import apsw

from storage.errors import StoreError, StoreFull, StoreMismatch, StoreRefused, StoreUnavailable

MEANINGS: tuple[tuple[tuple[type[apsw.Error], ...], type[StoreError], str], ...] = (
    ((apsw.FullError,), StoreFull, "no room left to write {path}; free some disk space, then try again"),
    ((apsw.BusyError, apsw.LockedError), StoreUnavailable, "{path} is locked by another process; try again"),
    (
        (apsw.CantOpenError,),
        StoreUnavailable,
        "cannot open {path}; check that its folder exists and may be written",
    ),
    (
        (apsw.ReadOnlyError, apsw.PermissionsError, apsw.AuthError),
        StoreUnavailable,
        "{path} may not be written; check its permissions",
    ),
    (
        (apsw.IOError, apsw.NoMemError, apsw.InterruptError),
        StoreUnavailable,
        "reading or writing {path} failed ({error}); check the disk and the room left on it, then try again",
    ),
    (
        (apsw.NotADBError,),
        StoreMismatch,
        "{path} is not a database; move it away or choose another data folder",
    ),
    (
        (apsw.CorruptError,),
        StoreError,
        "{path} is damaged ({error}); restore it from a back-up or move it away",
    ),
    ((apsw.TooBigError,), StoreRefused, "a value is too large to be stored in {path}"),
)


def translated(error: apsw.Error, path: Path) -> StoreError:
    """The StoreError that says what happened to the database at `path` and what to do."""
    for kinds, meaning, sentence in MEANINGS:
        if isinstance(error, kinds):
            return meaning(sentence.format(path=path, error=error))
    return StoreError(f"{path}: {error}")
