"""What training makes of its pairs: the label must follow from the change."""

import gzip
import json
import random
from pathlib import Path

import pytest

from training import compare, context, perturb
from training.epoch import AugmentRules, EpochBuilder
from training.metrics import expected_calibration_error, gold, score_set
from training.neutrals import HardNeutrals
from training.pairs import NEUTRAL, REFUTES, SUPPORTS, Pair, SourceRule, read_training

CLAIM = "The bridge was opened in 1994 and carried 187 trains a day."
EVIDENCE = "In 1994 the bridge was opened; 187 trains crossed it every day."


def supported(claim: str = CLAIM, evidence: str = EVIDENCE) -> Pair:
    return Pair(claim, evidence, SUPPORTS, "made")


@pytest.mark.parametrize("seed", range(20))
def test_a_changed_number_is_no_longer_the_one_of_the_other_side(seed: int) -> None:
    made = perturb.change_number(supported(), random.Random(seed))
    assert made is not None
    assert made.target == REFUTES
    assert (made.claim, made.evidence) != (CLAIM, EVIDENCE)


@pytest.mark.parametrize(
    ("claim_side", "claimed", "told_side", "told", "expected"),
    [
        ("above", 180, "exact", 187, SUPPORTS),
        ("below", 180, "exact", 187, REFUTES),
        ("above", 187, "exact", 187, REFUTES),
        ("above", 600, "above", 500, NEUTRAL),
        ("above", 400, "above", 500, SUPPORTS),
        ("below", 400, "above", 500, REFUTES),
        ("below", 600, "above", 500, NEUTRAL),
        ("below", 600, "below", 500, SUPPORTS),
        ("above", 600, "below", 500, REFUTES),
        ("above", 400, "below", 500, NEUTRAL),
    ],
)
def test_arithmetic_decides_a_comparison(
    claim_side: compare.Side, claimed: float, told_side: compare.Side, told: float, expected: object
) -> None:
    assert compare.label_of(claim_side, claimed, told_side, told) == expected


@pytest.mark.parametrize("seed", range(20))
def test_a_year_becomes_a_comparison_with_the_right_label(seed: int) -> None:
    made = compare.compare_year(supported("It was opened in 1994.", "It was opened in 1994."), random.Random(seed))
    assert made is not None
    word, year = made.claim.removeprefix("It was opened ").rstrip(".").rsplit(" ", 1)
    holds = {
        "before": int(year) > 1994,
        "prior to": int(year) > 1994,
        "after": int(year) < 1994,
        "by": int(year) >= 1994,
    }
    assert (made.target == SUPPORTS) == holds.get(word, False)


def test_negation_turns_support_into_refutation_and_back() -> None:
    refuted = perturb.negate_claim(supported("The drug is safe.", "The drug is safe."), random.Random(1))
    assert refuted is not None
    assert (refuted.claim, refuted.target) == ("The drug is not safe.", REFUTES)
    again = perturb.negate_claim(refuted, random.Random(1))
    assert again is not None
    assert again.claim == "The drug is safe."
    assert max(again.target) == again.target[0]


def test_quantified_claims_are_not_negated_blindly() -> None:
    assert perturb.negate_claim(supported("All bridges are open.", "x"), random.Random(1)) is None


def test_an_antonym_refutes() -> None:
    made = perturb.flip_antonym(supported("Smoking increases risk.", "x"), random.Random(1))
    assert made is not None
    assert (made.claim, made.target) == ("Smoking decreases risk.", REFUTES)


def test_a_swapped_name_is_only_known_not_to_be_supported() -> None:
    pair = supported("The bill was written by Anna Weber.", "Anna Weber wrote the bill.")
    made = perturb.swap_name(["Peter Osei"])(pair, random.Random(3))
    assert made is not None
    assert made.not_supported
    assert made.label == -1


@pytest.mark.parametrize("seed", range(10))
def test_a_framed_claim_has_the_label_of_its_frame(seed: int) -> None:
    made = context.frame(supported("the bridge is closed.", "x " * 50), random.Random(seed))
    assert made is not None
    denied = any(
        word in made.evidence
        for word in (
            "not true", "false", "no truth", "debunked", "wrong", "ruled out", "opposite", "untrue", "fabrication",
            "denied", "unfounded", "retracted", "myth",
        )
    )  # fmt: skip
    assert (made.target == REFUTES) == denied


def test_padding_keeps_evidence_and_label() -> None:
    made = context.pad(["Other words stand here. And there."])(supported(), random.Random(1))
    assert made is not None
    assert EVIDENCE in made.evidence
    assert made.target == SUPPORTS
    assert len(made.evidence) > len(EVIDENCE)


def test_hard_neutrals_share_the_page_but_not_the_matter() -> None:
    pairs = [
        Pair("Rome has 3 million inhabitants.", "Rome counts 3 million inhabitants.", SUPPORTS, "s", "Rome"),
        Pair("Rome hosted the Olympics.", "The Olympics of 1960 took place there.", SUPPORTS, "s", "Rome"),
    ]
    made = HardNeutrals(pairs).draw(30, random.Random(1))
    assert made
    assert all(pair.label == 2 for pair in made)
    assert all(pair.evidence != own.evidence for pair in made for own in pairs if own.claim == pair.claim)


def write(path: Path, rows: list[tuple[str, str, str]]) -> None:
    lines = (json.dumps({"claim": claim, "evidence": evidence, "label": label}) for claim, evidence, label in rows)
    path.write_bytes(gzip.compress("\n".join(lines).encode()))


def test_held_out_claims_and_contradictory_labels_are_not_learned_from(tmp_path: Path) -> None:
    folder = tmp_path / "stance"
    folder.mkdir()
    write(folder / "dev_one.jsonl.gz", [("Held out!", "x", "NEI")])
    rows = [
        ("held OUT", "y", "SUPPORTS"),
        ("Twice", "z", "NEI"),
        ("Twice", "z", "REFUTES"),
        ("Both", "z", "SUPPORTS"),
        ("Both", "z", "REFUTES"),
        ("Fine", "z", "SUPPORTS"),
    ]
    write(folder / "train_made.jsonl.gz", rows)
    data = read_training([folder], {"made": SourceRule()})
    assert {(pair.claim, pair.label) for pair in data.by_source["made"]} == {("Twice", 1), ("Fine", 0)}
    assert data.left_out == {"made": 1}


def test_the_same_seed_makes_the_same_epoch(tmp_path: Path) -> None:
    folder = tmp_path / "stance"
    folder.mkdir()
    rows = [
        (f"The mill made {n} tons of flour in {1900 + n}.", f"{n} tons of flour in {1900 + n}.", "SUPPORTS")
        for n in range(60)
    ]
    write(folder / "train_made.jsonl.gz", rows)
    data = read_training([folder], {"made": SourceRule(rate=1.5)})
    one, other = (EpochBuilder(data, AugmentRules(), {"flour": ["sugar", "salt"]}, 7) for _ in range(2))
    assert one.build(3) == other.build(3)
    assert one.build(3) != one.build(4)
    assert len(one.build(0)) > 90


def test_scores_leave_partial_labels_out_and_two_label_sets_choose_between_two() -> None:
    import numpy as np

    shares = np.array([[0.3, 0.6, 0.1], [0.1, 0.6, 0.3], [0.9, 0.05, 0.05]])
    result = score_set("wice_oracle", shares, ["SUPPORTS", "NEI", "PARTIAL"])
    assert (result.pairs, result.accuracy, result.macro_f1) == (2, 1.0, 1.0)
    assert gold(["PARTIAL", "NEI"]).tolist() == [-1, 2]


def test_calibration_error_is_the_gap_between_confidence_and_accuracy() -> None:
    import numpy as np

    shares = np.tile([0.8, 0.1, 0.1], (10, 1))
    truth = np.array([0] * 8 + [1] * 2)
    assert expected_calibration_error(shares, truth) == pytest.approx(0.0)
    assert expected_calibration_error(shares, np.ones(10, int)) == pytest.approx(0.8)
