"""Fetching from the open web: the one way out of the system, with every check on it."""

from agents.evidence.web.failures import FetchFailed
from agents.evidence.web.fetcher import OpenWebFetcher
from agents.evidence.web.policy import Manners, Origin, SizeLimits, TimeLimits, WebPolicy

__all__ = [
    "FetchFailed",
    "Manners",
    "OpenWebFetcher",
    "Origin",
    "SizeLimits",
    "TimeLimits",
    "WebPolicy",
]
