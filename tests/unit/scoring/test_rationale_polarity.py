"""Which side reasons take: by words of judgement, by what they cite, and by neither where they speak for both."""

import pytest

from scoring.coverage import Link
from scoring.polarity import Relation
from scoring.rationale_polarity import opposes, rationale_polarity
from scoring.values import Verdict

CLAIM = "Larkmoor Mill has 40 looms."


def link(evidence_id: str, side: Relation) -> Link:
    return Link(evidence_id, evidence_id, side, 0.7, 0.7, 1.0, anchor_overlap=0.5, overlap_ratio=0.5)


LINKS = [link("for", Relation.SUPPORTS), link("against", Relation.CONTRADICTS), link("aside", Relation.NEUTRAL)]


@pytest.mark.parametrize(
    ("rationale", "side"),
    [
        ("The yearbook confirms the number [for].", "supports"),
        ("The gazette refutes it [against].", "refutes"),
        ("The claim is false [against].", "refutes"),
        ("The yearbook does not support this [for].", "refutes"),
        ("No passage contradicts it [for].", "supports"),
        ("The page fails to confirm the figure [for].", "refutes"),
        ("The yearbook confirms it [for]. The gazette refutes it [against].", "none"),
        # Words decide before citations do: this says of the supporting passage that it is wrong.
        ("The yearbook is wrong [for].", "refutes"),
        ("The yearbook counts forty [for].", "supports"),
        ("The gazette counts thirty [against].", "refutes"),
        ("One counts forty [for], one thirty [against].", "none"),
        ("The page is about the roof [aside].", "none"),
        ("", "none"),
    ],
)
def test_reasons_take_the_side_of_their_words_or_of_what_they_cite(rationale: str, side: str) -> None:
    assert rationale_polarity(rationale, CLAIM, LINKS) == side


def test_a_word_of_the_claim_judges_nothing() -> None:
    assert rationale_polarity("The alarm was false [for].", "The alarm at the mill was false.", LINKS) == "supports"


@pytest.mark.parametrize("verdict", list(Verdict))
def test_only_a_verdict_that_takes_a_side_can_be_opposed(verdict: Verdict) -> None:
    opposed = {"refutes": opposes("refutes", verdict), "supports": opposes("supports", verdict)}
    assert opposed == {"refutes": verdict is Verdict.TRUE, "supports": verdict is Verdict.FALSE}
    assert not opposes("none", verdict)
