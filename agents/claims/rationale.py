"""Placeholder while the language tasks land."""

from agents.claims.job import ClaimJob
from agents.claims.package import Citation
from agents.claims.verdict import Decision


def rationale(job: ClaimJob, decision: Decision, cited: tuple[Citation, ...]) -> str:
    return f"{decision.label}: {len(cited)} sources."
