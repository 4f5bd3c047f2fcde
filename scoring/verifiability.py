"""Whether a claim of an article can be searched for and judged at all (002): structure, not truth."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class VerifiabilityPolicy:
    """Three seed terms, and the predicates that can be checked without knowing when."""

    min_retrieval_seed_terms: int = 3
    time_anchor_exempt_predicates: tuple[str, ...] = ("quote", "policy", "ranking", "existence")


DEFAULT = VerifiabilityPolicy()


@dataclass(frozen=True, slots=True)
class CoreClaim:
    """A claim as extraction states it. `time_anchor_type` None means that nothing was said about time."""

    claim_text: str
    subject_entities: tuple[str, ...] = ()
    retrieval_seed_terms: tuple[str, ...] = ()
    is_falsifiable: bool = False
    predicate_type: str = "other"
    time_anchor_type: str | None = None


@dataclass(frozen=True, slots=True)
class Verifiability:
    """Whether the claim may be verified, and a reason code for everything it lacks, in the order of the checks."""

    ok: bool
    reason_codes: tuple[str, ...]


def validate_core_claim(claim: CoreClaim, policy: VerifiabilityPolicy = DEFAULT) -> Verifiability:
    """All checks run, so that a claim is sent back once with everything that is missing."""
    needs_time = claim.predicate_type not in policy.time_anchor_exempt_predicates
    checks = (
        ("empty_claim_text", not claim.claim_text.strip()),
        ("missing_subject_entities", not _stated(claim.subject_entities)),
        (
            "insufficient_retrieval_seed_terms",
            _stated(claim.retrieval_seed_terms) < policy.min_retrieval_seed_terms,
        ),
        ("not_falsifiable", not claim.is_falsifiable),
        ("unknown_time_anchor", needs_time and claim.time_anchor_type == "unknown"),
    )
    codes = tuple(code for code, failed in checks if failed)
    return Verifiability(ok=not codes, reason_codes=codes)


def _stated(terms: tuple[str, ...]) -> int:
    return sum(1 for term in terms if term.strip())
