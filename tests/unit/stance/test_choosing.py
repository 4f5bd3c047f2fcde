"""Which stance model the settings choose."""

from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from agents.language.ports import Pair
from streams import bootstrap
from streams.bootstrap import open_stance, stance_name
from streams.settings import Settings, SettingsError
from tests.unit.stance.tiny_model import write_model


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_model(tmp_path / "stance", ("yes", "no"))


@pytest.fixture
def no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if no stance model had come with the package."""
    monkeypatch.setattr(bootstrap, "STANCE_FOLDER", "no-such-model")


async def test_a_named_folder_is_used(folder: Path) -> None:
    settings = Settings(stance_model=folder)
    async with AsyncExitStack() as stack:
        model = open_stance(settings, stack)
        assert model.name == stance_name(settings)
        assert model.name.startswith("veristream-stance-1 sha256:")
        (stance,) = await model.judge([Pair("a claim", "yes")])
        assert stance.label == "supports"


async def test_rules_answer_when_they_are_asked_for(folder: Path) -> None:
    settings = Settings(stance="rules", stance_model=folder)
    async with AsyncExitStack() as stack:
        assert open_stance(settings, stack).name == stance_name(settings) == "lexical-rules-1"


@pytest.mark.usefixtures("no_model")
async def test_without_a_model_the_rules_answer() -> None:
    async with AsyncExitStack() as stack:
        assert open_stance(Settings(), stack).name == stance_name(Settings()) == "lexical-rules-1"


@pytest.mark.usefixtures("no_model")
async def test_a_model_that_must_be_there_is_missed_in_one_line() -> None:
    async with AsyncExitStack() as stack:
        with pytest.raises(SettingsError, match="VERISTREAM_STANCE_MODEL"):
            open_stance(Settings(stance="model"), stack)


async def test_a_damaged_model_is_an_error_and_not_a_silent_change(folder: Path) -> None:
    (folder / "model.onnx").write_bytes(b"no")
    async with AsyncExitStack() as stack:
        with pytest.raises(SettingsError, match=r"model\.onnx is not the published file.*VERISTREAM_STANCE=rules"):
            open_stance(Settings(stance_model=folder), stack)
