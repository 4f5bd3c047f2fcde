"""Placeholder while the language tasks land."""

from collections.abc import Sequence


def plan_queries(claim: str, subclaims: Sequence[str], domain: str) -> tuple[str, ...]:
    return (claim, *(part for part in subclaims if part != claim))
