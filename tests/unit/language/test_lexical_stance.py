"""Stance by rules: what the rules answer, what they leave alone, and how well they do on labelled pairs."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.language.ports import Pair
from agents.language.rules.stance import LexicalStance

LABELLED = Path(__file__).parents[2] / "data" / "language" / "stance.jsonl"
RULES = LexicalStance()


def label(claim: str, passage: str) -> str:
    (stance,) = RULES.judge_now([Pair(claim, passage)])
    return stance.label


async def test_answers_come_in_the_order_of_the_pairs_and_add_up_to_one() -> None:
    claim = "The dam is 85 metres high."
    passages = ["The dam is 85 metres high.", "The dam is 40 metres high.", "Bees dance."]
    stances = await RULES.judge([Pair(claim, passage) for passage in passages])
    assert [stance.label for stance in stances] == ["supports", "refutes", "neutral"]
    assert all(s.supports + s.refutes + s.neutral == pytest.approx(1.0) for s in stances)


@pytest.mark.parametrize(
    "passage",
    [
        "",
        "Is the bridge closed?",
        "The bridge may be closed.",
        "The mayor asked whether the bridge is closed.",
        "The tunnel is closed.",
    ],
)
def test_a_passage_that_does_not_state_it_is_neutral(passage: str) -> None:
    assert label("The bridge is closed.", passage) == "neutral"


def test_sentences_that_disagree_leave_the_passage_neutral() -> None:
    assert label("The bridge is closed.", "The bridge is closed. The bridge is not closed.") == "neutral"


def test_two_negations_cancel_each_other() -> None:
    assert label("The bank denied the loan.", "The bank denied the loan.") == "supports"
    assert label("The senate rejected the bill.", "The senate did not pass the bill.") == "supports"


@given(st.text(max_size=300), st.text(max_size=600))
def test_no_text_can_make_it_fail(claim: str, passage: str) -> None:
    (stance,) = RULES.judge_now([Pair(claim, passage)])
    assert stance.supports + stance.refutes + stance.neutral == pytest.approx(1.0)


def test_numeric_and_negation_rules_are_right_where_they_answer(capsys: pytest.CaptureFixture[str]) -> None:
    items = [json.loads(line) for line in LABELLED.read_text(encoding="utf-8").splitlines()]
    answered: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for item in items:
        given_label = label(item["claim"], item["passage"])
        if given_label != "neutral":
            answered[item["kind"]] += 1
            right[item["kind"]] += given_label == item["label"]
    with capsys.disabled():
        for kind in sorted(answered):
            total = sum(1 for item in items if item["kind"] == kind)
            share = right[kind] / answered[kind]
            print(f"\nstance rules, {kind}: {share:.2f} right of {answered[kind]} answered ({total} pairs)", end="")
        print()
    for kind in ("numeric", "negation"):
        assert answered[kind] >= 15, f"the {kind} rules answer too seldom to be of use"
        assert right[kind] / answered[kind] >= 0.85


@pytest.mark.parametrize(
    "passage",
    [
        "The film star Delia Marchetti bought Hollin House in 2025, or so we hear.",
        "My mate read that the film star Delia Marchetti bought Hollin House in 2025.",
        "The film star Delia Marchetti reportedly bought Hollin House in 2025.",
    ],
)
def test_hearsay_about_the_claim_is_told_from_silence(passage: str) -> None:
    claim = "The film star Delia Marchetti bought Hollin House in 2025."
    finding = RULES.find(claim, passage)
    assert (finding.label, finding.found) == ("neutral", "hedged")
    assert RULES.find(claim, "The estate agent would not say who the buyer is.").found == "neutral"
    stated = "The film star Delia Marchetti bought Hollin House in 2025."
    assert RULES.find(claim, f"{passage} {stated}").found == "supports"
