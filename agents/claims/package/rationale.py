"""The verdict in two to four sentences that cite evidence of the package, and nothing else."""

import re

from agents.claims.job import ClaimJob
from agents.claims.package.guards import REASONS
from agents.claims.package.model import Citation
from agents.claims.package.verdict import Decision
from agents.language.rules.rationale import CitedPassage, write_rationale
from scoring.rationale_polarity import opposes

_CITED = re.compile(r"\[([^\]]+)\]")
# With a scheme, or a name of two or more labels that ends as host names do; "U.S.", "3.5" and "e.g." are none.
_ADDRESS = re.compile(r"(?i)\b(?:https?://|www\.)[^\s<>\"')\]]*[^\s<>\"')\].,;:]|\b(?:[a-z0-9-]{2,63}\.)+[a-z]{2,24}\b")


def _strange_addresses(words: str, cited: tuple[Citation, ...]) -> set[str]:
    """The addresses in a model's words that no cited source has: to name a page is to cite it."""
    known = {address for one in cited for address in (one.url.lower(), one.domain.lower()) if address}
    found = {match.group().lower().rstrip("/") for match in _ADDRESS.finditer(_CITED.sub(" ", words))}
    return found - {address.rstrip("/") for address in known}


def rationale(job: ClaimJob, decision: Decision, cited: tuple[Citation, ...]) -> str:
    """The model's words if they argue for this verdict and cite only what is cited; else words by rule."""
    proposed = job.proposal
    ids = {one.evidence_id for one in cited}
    argues = bool(proposed.rationale) and proposed.verdict is decision.verdict
    argues = argues and not opposes(decision.reasons, decision.verdict)
    if argues and set(_CITED.findall(proposed.rationale)) <= ids and not _strange_addresses(proposed.rationale, cited):
        return proposed.rationale
    passages = [CitedPassage(one.evidence_id, one.quote, one.stance, one.domain, one.published) for one in cited]
    heard = sum(row.admissible for row in job.evidence)
    return write_rationale(job.claim, decision.verdict, passages, heard=heard, reason=_why_open(job, decision))


def _why_open(job: ClaimJob, decision: Decision) -> str:
    """The rule that keeps the claim from a verdict, in its own words."""
    rules = ["only_orders"] if job.loop.stop_reason == "nothing_to_verify" else [*decision.reconciled.locks]
    if decision.validated.downgraded:
        rules.append("minimum_sources")
    reason = REASONS[rules[0]] if rules else ""
    return reason[:1].lower() + reason[1:]
