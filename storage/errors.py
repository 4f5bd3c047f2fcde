"""The few ways in which a store can fail, told apart by what the caller should do about them."""

# ruff: noqa: N818 - the names say what is the matter with the store; all of them are StoreErrors


class StoreError(Exception):
    """A store could not do what was asked; the message is one line that says what to do."""


class StoreUnavailable(StoreError):
    """Transient: the store is down, busy or unreachable. Stop pulling work, try again later."""


class StoreFull(StoreError):
    """There is no room left for the write. Nothing of it was kept."""


class StoreMismatch(StoreError):
    """What is stored and what was asked for do not fit: another embedder, schema or product."""


class StoreRefused(StoreError, ValueError):
    """The value itself cannot be stored, whatever the store's health: the event's own fault."""


class JobUnknown(StoreError, LookupError):
    """The ledger holds no such job or parent."""


class UrlUnknown(StoreError, LookupError):
    """The registry holds no such page."""


class JobCompleted(StoreError):
    """The job has its verdict; there is no next attempt."""


class KeyUnknown(StoreError, LookupError):
    """No key has this name or id."""


class KeyNameTaken(StoreError):
    """Another key that is in force has this name."""
