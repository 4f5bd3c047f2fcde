"""Why a page of the open web did not come. On the open web that is always the page's fault: a job skips it."""

from typing import Literal

from agents.evidence.ports import PageUnavailable, UnavailableReason

Cause = Literal[
    "bad_url", "scheme", "port", "credentials", "address_form", "reserved_name", "forbidden_address", "dns",
    "connect", "tls", "robots", "politeness", "queue", "redirect_loop", "too_many_redirects", "bad_redirect",
    "not_found", "busy", "bad_status", "content_type", "encoding", "headers_too_large", "too_large", "bomb",
    "first_byte_timeout", "idle_timeout", "total_timeout", "slow_drip", "protocol",
]  # fmt: skip
"""The closed words for metrics and tests, finer than the port's."""

# The port's words for those that have one; everything else is something we refuse to do or to wait for.
_PORT_REASONS: dict[Cause, UnavailableReason] = {
    "not_found": "not_found",
    "busy": "bad_status",
    "bad_status": "bad_status",
    "content_type": "content_type",
    "encoding": "content_type",
    "headers_too_large": "too_large",
    "too_large": "too_large",
    "bomb": "too_large",
    "redirect_loop": "too_many_redirects",
    "too_many_redirects": "too_many_redirects",
}


class FetchFailed(PageUnavailable):
    """One page that will not come, with the exact cause."""

    def __init__(self, cause: Cause, url: str, message: str) -> None:
        super().__init__(_PORT_REASONS.get(cause, "refused"), url, message)
        self.cause: Cause = cause
