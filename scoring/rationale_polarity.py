"""Which side the reasons given for a verdict take (000 §8): by their words, else by what they cite."""

import re
from collections.abc import Iterable
from typing import Literal

from scoring.coverage import Link
from scoring.polarity import Relation
from scoring.text import tokens
from scoring.text.cues import NEGATIONS
from scoring.text.lexicon import word_set
from scoring.values import Verdict

RationalePolarity = Literal["supports", "refutes", "none"]

_AFFIRMS = word_set("""
    accurate affirm affirmed affirms backs bears confirm confirmed confirming confirms correct corroborate corroborated
    corroborates establish established establishes prove proved proven proves substantiate substantiated substantiates
    support supported supporting supports true truthful verified verifies
    """)
_DENIES = word_set("""
    contradict contradicted contradicting contradicts contrary debunk debunked debunks disprove disproved disproven
    disproves erroneous false falsified inaccurate incorrect opposite otherwise rebut rebuts rebutted refute refuted
    refutes refuting unfounded unsupported untrue wrong
    """)
# "Does not support", "fails to confirm", "lacks any support": what follows within a few words is turned round.
_TURNS = NEGATIONS | word_set("fail failed fails lack lacking lacks")
_REACH = 3
_CITED = re.compile(r"\[([^\]]+)\]")


def rationale_polarity(rationale: str, claim: str, links: Iterable[Link]) -> RationalePolarity:
    """The one side that the reasons take; none where they take both, or neither."""
    if not rationale:
        return "none"
    sides = _worded(rationale, claim) or _cited(rationale, links)
    return sides.pop() if len(sides) == 1 else "none"


def opposes(rationale: RationalePolarity, verdict: Verdict) -> bool:
    """Whether the reasons point away from a verdict that takes a side."""
    return (verdict, rationale) in ((Verdict.TRUE, "refutes"), (Verdict.FALSE, "supports"))


def _worded(rationale: str, claim: str) -> set[RationalePolarity]:
    """The sides that words of judgement take. A word that the claim itself has may only repeat it."""
    words, claimed = tokens(_CITED.sub(" ", rationale)), frozenset(tokens(claim))
    sides: set[RationalePolarity] = set()
    for place, word in enumerate(words):
        if word in claimed or word not in _AFFIRMS | _DENIES:
            continue
        turned = not _TURNS.isdisjoint(words[max(0, place - _REACH) : place])
        sides.add("supports" if (word in _AFFIRMS) is not turned else "refutes")
    return sides


def _cited(rationale: str, links: Iterable[Link]) -> set[RationalePolarity]:
    """The sides of the passages that the reasons rest on."""
    ids = set(_CITED.findall(rationale))
    taken: dict[Relation, RationalePolarity] = {Relation.SUPPORTS: "supports", Relation.CONTRADICTS: "refutes"}
    return {taken[link.relation] for link in links if link.evidence_id in ids and link.relation in taken}
