"""The gates between ranking and trust."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from scoring.gatekeeper import GatekeeperPolicy, GateResult, aliases, gatekeep, off_topic
from scoring.ranking import FilterPolicy, RankingPolicy, RankingResult, rank, recompute
from scoring.values import Candidate, Stance

TODAY = date(2024, 6, 1)
CLAIM = "Norwind acquired Solvara in 2021."
SAME = "In 2021 Norwind acquired Solvara."


def ranking(
    claim: str, *texts: str, entities: tuple[str, ...] = ("Norwind", "Solvara"), **changes: Any
) -> RankingResult:
    """One candidate per text, called a, b, c and so on; nothing is filtered before the gate."""
    found = [
        Candidate(id=id_, text=text, origin="web", **({"semantic": 0.4} | changes))
        for id_, text in zip("abcdefgh", texts, strict=False)
    ]
    return rank(claim, entities, found, TODAY, RankingPolicy(filters=FilterPolicy(strict=False)))


def ids(result: GateResult) -> list[str]:
    return [row.candidate.id for row in result.rows]


def reasons(result: GateResult) -> dict[str, str]:
    return {one.candidate.id: one.reason for one in result.removed}


def test_a_count_claim_is_answered_by_numbers_only() -> None:
    found = ranking(
        "The flood killed 120 people.",
        "The flood killed 118 people.",
        "The flood killed many people.",
        "The flood of 2021 killed people.",  # a year counts nothing
        "Twelve ships sank elsewhere.",
        "About a third of the flood victims were people over 60 years.",
        entities=(),
    )
    result = gatekeep(found)
    assert reasons(result) == {
        "b": "count_gate:no_number",
        "c": "count_gate:no_number",
        "d": "count_gate:no_overlap",
    }
    assert set(ids(result)) == {"a", "e"}


def test_other_claims_need_no_numbers() -> None:
    assert ids(gatekeep(ranking("The flood killed people.", "The flood killed many people.", entities=()))) == ["a"]


def test_degraded_mode_keeps_what_the_gates_would_remove_but_does_not_count_it() -> None:
    found = ranking("The flood killed 120 people.", "The flood killed many people.", entities=())
    (row,) = gatekeep(found, degraded=True).rows
    assert not row.admissible_for_trust
    assert row.notes == ("count_gate:no_number",)


# CLAIM has four content stems, so that one shared stem is an overlap of 0.25, below the 0.30 of the topic gate.
@pytest.mark.parametrize(
    ("text", "changes", "reason"),
    [
        (SAME, {}, None),
        ("Norwind acquired a ship.", {}, None),  # two of four stems: 0.5
        ("Norwind has a new ship.", {}, None),  # one name of two (0.5) and one stem of four (0.25)
        ("They acquired a new ship.", {}, "off_topic:overlap"),  # one stem, no name
        ("They acquired a new ship.", {"semantic": 0.5}, None),  # close in meaning
        ("They acquired a new ship.", {"semantic": 0.499}, "off_topic:overlap"),
        ("Nothing about it here.", {"semantic": 0.9}, "off_topic:anchors"),
    ],
)
def test_topic_alignment_decides_admissibility(text: str, changes: dict[str, Any], reason: str | None) -> None:
    (row,) = gatekeep(ranking(CLAIM, text, **changes)).rows
    assert row.admissible_for_trust is (reason is None)
    assert [note for note in row.notes if note.startswith("off_topic")] == ([reason] if reason else [])


@pytest.mark.parametrize(
    ("changes", "aligned"),
    [
        ({"anchor_match_score": 0.20, "claim_overlap": 0.30}, True),
        ({"anchor_match_score": 0.199, "claim_overlap": 0.30}, False),
        ({"anchor_match_score": 0.20, "claim_overlap": 0.299}, False),
        ({"claim_overlap": 0.10, "entity_overlap": 0.34}, True),
        ({"claim_overlap": 0.099, "entity_overlap": 0.34}, False),
        ({"claim_overlap": 0.10, "entity_overlap": 0.339}, False),
    ],
)
def test_topic_thresholds(changes: dict[str, Any], aligned: bool) -> None:
    row = ranking(CLAIM, SAME).rows[0]
    edge = replace(row, **({"anchor_match_score": 0.5, "claim_overlap": 0.0, "entity_overlap": 0.0} | changes))
    assert (off_topic(edge, GatekeeperPolicy()) is None) is aligned


def test_contradicting_rows_lose_a_tenth_and_do_not_support() -> None:
    found = ranking(CLAIM, SAME, SAME + " Yes.")
    before = {row.candidate.id: row.score.value for row in found.rows}
    stances = {"a": Stance(0.1, 0.5, 0.4), "b": Stance(0.4, 0.499, 0.101)}
    result = gatekeep(found, stances=stances)
    after = {row.candidate.id: row for row in result.rows}
    assert after["a"].score.value == pytest.approx(before["a"] * 0.90, abs=1e-12)
    assert after["b"].score.value == before["b"]
    assert ids(result) == ["b", "a"]
    assert [row.candidate.id for row in result.supporting] == ["b"]
    assert after["a"].admissible_for_trust  # it is evidence, against
    assert recompute(after["a"].score.inputs) == after["a"].score


def test_degraded_mode_lets_contradicting_rows_stay_among_the_supporting() -> None:
    result = gatekeep(ranking(CLAIM, SAME), stances={"a": Stance(0.0, 1.0, 0.0)}, degraded=True)
    assert [row.candidate.id for row in result.supporting] == ["a"]
    assert result.degraded


def test_every_core_entity_must_be_named_by_one_of_its_aliases() -> None:
    found = ranking(CLAIM, SAME, "Norwind bought a ship in 2021.", "The NW group acquired Solvara in 2021.")
    must_have = [("Norwind", "NW"), ("Solvara",)]
    assert reasons(gatekeep(found, must_have=must_have)) == {"b": "must_have:Solvara"}
    assert reasons(gatekeep(found, must_have=[("Norwind",)])) == {"c": "must_have:Norwind"}
    degraded = gatekeep(found, must_have=must_have, degraded=True)
    assert degraded.removed == ()
    assert {row.candidate.id for row in degraded.admissible} == {"a", "c"}


def test_aliases_of_a_person_are_the_name_and_the_surname() -> None:
    assert aliases("Joe Hollis") == ("Joe Hollis", "Hollis")
    assert aliases("World Health Organization") == ("World Health Organization",)
    assert aliases("Kim Il") == ("Kim Il",)


def test_a_cross_encoder_may_reorder_the_first_rows_only() -> None:
    found = ranking(CLAIM, SAME, SAME, SAME, SAME)  # equal scores: a, b, c, d
    scores = {"a": 0.1, "c": 0.9, "d": 1.0}
    assert ids(gatekeep(found, cross_encoder=scores)) == ["d", "c", "a", "b"]
    assert ids(gatekeep(found, cross_encoder=scores, policy=GatekeeperPolicy(cross_encoder_top_n=3))) == [
        "c",
        "a",
        "b",
        "d",
    ]
    with pytest.raises(ValueError, match="cross_encoder must be a finite number"):
        gatekeep(found, cross_encoder={"a": float("nan")})


def test_only_top_k_rows_leave_the_gate() -> None:
    found = ranking(CLAIM, SAME, SAME, SAME)
    assert ids(gatekeep(found, policy=GatekeeperPolicy(top_k=2))) == ["a", "b"]


def test_excluded_rows_make_room_among_the_supporting() -> None:
    found = ranking(CLAIM, SAME, SAME, SAME)
    result = gatekeep(found, stances={"a": Stance(0, 1, 0)}, policy=GatekeeperPolicy(top_k=2))
    assert [row.candidate.id for row in result.supporting] == ["b", "c"]


def test_impossible_policies_are_refused() -> None:
    with pytest.raises(ValueError, match="top_k must be at least 1"):
        GatekeeperPolicy(top_k=0)
    with pytest.raises(ValueError, match="contradiction_min must lie in"):
        GatekeeperPolicy(contradiction_min=1.5)
