"""What may stop a command or a process, each as one line that says what to do. Light to import."""


class BrokerUnreachable(Exception):  # noqa: N818 - reads as what happened
    """No broker answered; the message says where we looked."""


class PortInUse(Exception):  # noqa: N818 - reads as what happened
    """Somebody else listens there."""


class ChildGaveUp(Exception):  # noqa: N818 - reads as what happened
    """A child crashed too often; the supervisor stops everything."""


class CannotStart(Exception):  # noqa: N818 - reads as what happened
    """A process refuses to start; the message says what to do."""
