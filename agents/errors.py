"""Why a step failed, in the three ways the delivery loop tells apart.

Transient: the same event may succeed a little later. DependencyDown: no event can succeed until a service is back.
Permanent: this event can never succeed. Anything else a handler raises is a bug and is treated as Permanent.
"""


class StageError(Exception):
    """Base of the three. `reason` is a short, closed word for metrics labels; the message is for people."""

    reason = "error"


class Transient(StageError):  # noqa: N818 - reads as what happened: `raise Transient("timed out")`
    """Retry with backoff. `retry_after` is how many seconds the other side asked us to wait, if it did."""

    reason = "transient"

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        if retry_after is not None and not 0.0 <= retry_after < float("inf"):
            raise ValueError(f"retry_after must be a finite number of seconds >= 0, got {retry_after!r}")
        self.retry_after = retry_after


class DependencyDown(StageError):  # noqa: N818 - reads as what happened
    """Pause the stage until the named service is back; the event is not at fault and is not dead-lettered."""

    reason = "dependency_down"

    def __init__(self, name: str, message: str = "") -> None:
        super().__init__(f"{name} is down: {message}" if message else f"{name} is down")
        self.name = name


class Permanent(StageError):  # noqa: N818 - reads as what happened
    """Send the event to the dead letters at once; trying again cannot help."""

    reason = "permanent"
