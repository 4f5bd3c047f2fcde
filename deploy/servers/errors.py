"""The one error a person sees: a sentence that says what is wrong and what to do."""


class ServiceError(Exception):
    """A server could not be installed, started, reached or stopped."""
