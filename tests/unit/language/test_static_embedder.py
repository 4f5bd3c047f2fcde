"""The static embedder works from its wheel alone and gives unit rows that know what belongs together."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from agents.language.embedders.static import StaticEmbedder


@pytest.fixture(scope="module")
def embedder() -> StaticEmbedder:
    return StaticEmbedder()


async def test_rows_are_unit_float32_and_in_order(embedder: StaticEmbedder) -> None:
    texts = ["The bridge opened in 1932.", "Bees make honey.", "The bridge opened in 1932."]
    rows = await embedder.embed(texts)
    assert rows.shape == (3, embedder.dimension)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
    assert np.array_equal(rows[0], rows[2])


async def test_no_texts_give_no_rows_and_an_empty_text_gives_a_zero_row(embedder: StaticEmbedder) -> None:
    assert (await embedder.embed([])).shape == (0, 256)
    assert not (await embedder.embed([""])).any()


async def test_a_text_is_closer_to_its_paraphrase_than_to_another_topic(embedder: StaticEmbedder) -> None:
    claim, near, far = await embedder.embed(
        [
            "The city council approved the new tram line in March.",
            "In March, councillors voted for the construction of the tramway.",
            "Honey bees communicate by dancing.",
        ]
    )
    similar, different = embedder.calibration(float(claim @ near)), embedder.calibration(float(claim @ far))
    assert similar > 0.5 > different


async def test_texts_beyond_one_slice_keep_their_order(embedder: StaticEmbedder) -> None:
    texts = [f"number {n} of many" for n in range(600)]
    rows = await embedder.embed(texts)
    single = await embedder.embed([texts[517]])
    assert np.allclose(rows[517], single[0], atol=1e-6)


def test_it_loads_without_network_and_without_a_home(tmp_path: Path) -> None:
    script = (
        "import socket\n"
        "def refuse(*a, **k): raise AssertionError('network used')\n"
        "socket.socket.connect = refuse; socket.create_connection = refuse; socket.getaddrinfo = refuse\n"
        "from agents.language.embedders.static import StaticEmbedder\n"
        "print(StaticEmbedder().embed_now(['offline']).shape)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={"HOME": str(tmp_path), "PATH": ""},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "(1, 256)"
    assert not list(tmp_path.iterdir())


def test_a_broken_installation_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="install wordllama"):
        StaticEmbedder(tmp_path)
