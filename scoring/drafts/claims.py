"""The claims of a draft with type, importance and citations (003 §3.3 to §3.5)."""

from dataclasses import dataclass

from scoring.checks import unit
from scoring.drafts import cues
from scoring.drafts.citations import Importance, split_citations
from scoring.drafts.identification import ClaimType, contains_numeric, identify, is_policy_statement
from scoring.drafts.sentences import sentences
from scoring.text import claim_overlap


@dataclass(frozen=True, slots=True)
class ClaimPolicy:
    """What 003 names without a number."""

    # A claim answers the question if it takes up this share of its content words: two of three, but not one of
    # two, which any sentence on the same subject would.
    direct_answer_overlap: float = 0.6

    def __post_init__(self) -> None:
        unit("direct_answer_overlap", self.direct_answer_overlap)


DEFAULT = ClaimPolicy()


@dataclass(frozen=True, slots=True)
class DraftClaim:
    """One claim of a draft; `position` is the index of its sentence, `citations` the chunks that it names."""

    position: int
    text: str
    claim_type: ClaimType
    importance: Importance
    citations: tuple[str, ...] = ()


def extract_claims(draft: str, query: str = "", policy: ClaimPolicy = DEFAULT) -> tuple[DraftClaim, ...]:
    """Sentence by sentence: does it assert something, of which type, how important, and what does it cite."""
    claims = []
    for position, sentence in enumerate(sentences(draft)):
        cited = split_citations(sentence)
        found = identify(cited.text)
        if found.claim_type is None:
            continue
        claims.append(
            DraftClaim(
                position=position,
                text=cited.text,
                claim_type=found.claim_type,
                importance=assess_importance(cited.text, query, policy),
                citations=cited.citations,
            )
        )
    return tuple(claims)


def assess_importance(claim: str, query: str = "", policy: ClaimPolicy = DEFAULT) -> Importance:
    """Critical: answers the question, or states a number. Material: a rule, or marked as important. Else minor."""
    if is_direct_answer(claim, query, policy) or contains_numeric(claim):
        return "critical"
    if is_policy_statement(claim) or cues.IMPORTANCE.search(claim.lower()):
        return "material"
    return "minor"


def is_direct_answer(claim: str, query: str, policy: ClaimPolicy = DEFAULT) -> bool:
    """Whether the claim takes up what the query asks about; an empty query asks nothing."""
    return claim_overlap(query, claim) >= policy.direct_answer_overlap
