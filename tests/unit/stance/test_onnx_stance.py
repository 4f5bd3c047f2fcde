"""The run-time around the network: files, windows, batches. The network here only counts words."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from agents.language.ports import Pair, StanceModel
from agents.language.stance import OnnxStance, StanceRunPolicy
from agents.language.stance.onnx import heading
from scoring.values import NEUTRAL
from tests.unit.stance.tiny_model import write_model, write_sums

WORDS = ("yes", "no", "perhaps", "it", "says", "the", "claim")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_model(tmp_path / "stance", WORDS)


@pytest.fixture
def model(folder: Path) -> Iterator[OnnxStance]:
    opened = OnnxStance(folder, StanceRunPolicy(max_tokens=24))
    yield opened
    opened.close()


async def test_each_pair_gets_its_own_stance_in_order(model: OnnxStance) -> None:
    port: StanceModel = model
    stances = await port.judge([Pair("the claim", "yes"), Pair("the claim", "no"), Pair("the claim", "it says")])
    assert [stance.label for stance in stances] == ["supports", "refutes", "neutral"]
    assert all(stance.supports + stance.refutes + stance.neutral == pytest.approx(1.0) for stance in stances)


async def test_nothing_to_judge_is_nothing_judged(model: OnnxStance) -> None:
    assert await model.judge([]) == ()


def test_an_answer_does_not_depend_on_its_company(model: OnnxStance) -> None:
    pairs = [Pair("the claim", "yes it says"), Pair("the claim", "no " * 9), Pair("claim", "perhaps yes no")]
    together = model.score_batch(pairs)
    assert together == [stance for pair in pairs for stance in model.score_batch([pair])]


def test_the_end_of_a_long_passage_is_read(model: OnnxStance) -> None:
    passage = "It says the claim. " * 20 + "No no no."
    assert len(model.windows(Pair("the claim", passage))) > 3
    (stance,) = OnnxStance.score_batch(model, [Pair("the claim", "It says it. " * 6 + "No no no.")])
    assert stance.label == "refutes"


def test_a_claim_longer_than_the_window_leaves_room_for_the_passage(folder: Path) -> None:
    model = OnnxStance(folder, StanceRunPolicy(max_tokens=24, max_claim_tokens=10))
    (stance,) = model.score_batch([Pair("the claim " * 40, "yes yes")])
    assert stance.label == "supports"


@pytest.mark.parametrize("nothing", ["", "   ", "...", "\u200b", "12 34", "???"])
def test_what_says_nothing_is_neutral(model: OnnxStance, nothing: str) -> None:
    assert model.score_batch([Pair("the claim", nothing), Pair(nothing, "yes")]) == [NEUTRAL, NEUTRAL]


def test_an_altered_model_is_refused(folder: Path) -> None:
    with (folder / "model.onnx").open("ab") as file:
        file.write(b"!")
    with pytest.raises(ValueError, match=r"model\.onnx is not the published file"):
        OnnxStance(folder)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "calibration.json", "SHA256SUMS"])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(FileNotFoundError, match=name):
        OnnxStance(folder)


def test_checksums_that_leave_a_file_out_are_refused(folder: Path) -> None:
    sums = folder / "SHA256SUMS"
    sums.write_text(sums.read_text(encoding="utf-8").splitlines()[0], encoding="utf-8")
    with pytest.raises(ValueError, match=r"no line for tokenizer\.json"):
        OnnxStance(folder)


def test_title_and_date_stand_before_the_passage() -> None:
    day = date(2020, 3, 1)
    assert heading(Pair("c", "It rained.", "Weather", day)) == "Weather (2020-03-01). "
    assert heading(Pair("c", "It rained.", "Weather")) == "Weather. "
    assert heading(Pair("c", "It rained.", published=day)) == "(2020-03-01) "
    assert heading(Pair("c", "It rained.")) == ""


def test_the_title_is_read_with_every_window(model: OnnxStance) -> None:
    (stance,) = model.score_batch([Pair("the claim", "It says it. " * 12, title="No")])
    assert stance.label == "refutes"


def test_the_name_changes_with_the_files(folder: Path) -> None:
    before = OnnxStance(folder).name
    (folder / "calibration.json").write_text('{"scale": 2, "bias": [0, 0, 0], "shifts": {}}', encoding="utf-8")
    write_sums(folder)
    assert OnnxStance(folder).name != before == f"veristream-stance-1 {before.split()[-1]}"


def test_calibration_beside_the_model_is_used(folder: Path) -> None:
    (folder / "calibration.json").write_text('{"scale": 1, "bias": [0, 9, 0], "shifts": {}}', encoding="utf-8")
    write_sums(folder)
    (stance,) = OnnxStance(folder).score_batch([Pair("the claim", "yes")])
    assert stance.label == "refutes"
