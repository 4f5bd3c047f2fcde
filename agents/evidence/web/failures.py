"""Why a page of the open web did not come. On the open web that is always the page's fault: a job skips it."""

from agents.evidence.ports import PageUnavailable


class FetchFailed(PageUnavailable):
    """One page of the open web that will not come. Its `reason` is one of the port's closed words."""
