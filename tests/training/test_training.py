"""From a folder of pairs and base weights to a model that judges, in the tiny mode."""

import gzip
import json
import random
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

from agents.language.ports import Pair
from agents.language.stance import OnnxStance
from training import train
from training.base import Weights, keep_layers, layers_in, read_base, write_compact
from training.bert import StanceNet, fill, shape_of, weights_of
from training.config import RunRules
from training.export import Precision, write_onnx
from training.loop import Trainer, equal_length_batches, predict, stance_loss
from training.pairs import NEUTRAL, REFUTES, SUPPORTS
from training.pairs import Pair as TrainingPair
from training.tokens import encode, encode_pairs, load_tokenizer

TINY = Path(train.__file__).parent / "config.tiny.toml"
HIDDEN, WIDE, LAYERS, POSITIONS = 64, 128, 2, 128
THINGS = ("bridge", "school", "drug", "museum", "forest", "factory", "virus", "song", "river", "party")
ENDINGS = ("opened", "closed", "grew", "shrank", "won", "lost")
LABELS = {
    "vitaminc_real": ("SUPPORTS", "REFUTES", "NEI"),
    "scifact": ("SUPPORTS", "REFUTES", "NEI"),
    "fever_nli_binary": ("SUPPORTS", "NOT_ENTAILED"),
    "citation_integrity": ("SUPPORTS", "REFUTES", "NEI"),
}


def rows(count: int, labels: tuple[str, ...], draw: random.Random) -> list[dict[str, str]]:
    made = []
    for number in range(count):
        thing, ending, year = draw.choice(THINGS), draw.choice(ENDINGS), draw.randint(1950, 2020)
        label = labels[number % len(labels)]
        other = draw.choice([word for word in ENDINGS if word != ending])
        told = {"SUPPORTS": f"The {thing} {ending}", "NEI": f"The {draw.choice(THINGS)} is old"}.get(
            label, f"The {thing} {other}"
        )
        made.append(
            {
                "claim": f"The {thing} {ending} in {year} with {number} visitors.",
                "evidence": f"{told} in {year}, with {number} visitors in all.",
                "label": label,
                "group": thing,
            }
        )
    return made


def write_rows(path: Path, items: list[dict[str, str]]) -> None:
    path.write_bytes(gzip.compress("".join(json.dumps(item) + "\n" for item in items).encode()))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "stance"
    folder.mkdir()
    draw = random.Random(1)
    for source, labels in LABELS.items():
        write_rows(folder / f"train_{source}.jsonl.gz", rows(80, labels, draw))
    write_rows(folder / "dev_vitaminc_pages_dev.jsonl.gz", rows(24, ("SUPPORTS", "REFUTES", "NEI"), draw))
    write_rows(folder / "dev_wice_oracle.jsonl.gz", rows(24, ("SUPPORTS", "PARTIAL", "NEI"), draw))
    return folder


@pytest.fixture
def tokenizer_file(tmp_path: Path) -> Path:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    words = " ".join((*THINGS, *ENDINGS, *map(str, range(100)), *map(str, range(1950, 2021))))
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    texts = [words, "the in with visitors all is old not no claimed that it"]
    tokenizer.train_from_iterator(texts, trainers.WordPieceTrainer(vocab_size=800, special_tokens=special))
    path = tmp_path / "tokenizer.json"
    tokenizer.save(str(path))
    return path


def random_base(vocabulary: int) -> Weights:
    """Weights of an encoder that was never trained."""
    draw = np.random.default_rng(3)

    def matrix(*shape: int) -> np.ndarray:
        return draw.normal(0, 0.05, shape).astype(np.float32)

    def norm(name: str) -> Weights:
        return {f"{name}.weight": np.ones(HIDDEN, np.float32), f"{name}.bias": np.zeros(HIDDEN, np.float32)}

    def linear(name: str, inputs: int, outputs: int) -> Weights:
        return {f"{name}.weight": matrix(outputs, inputs), f"{name}.bias": np.zeros(outputs, np.float32)}

    weights: Weights = {
        "embeddings.word_embeddings.weight": matrix(vocabulary, HIDDEN),
        "embeddings.position_embeddings.weight": matrix(POSITIONS, HIDDEN),
        "embeddings.token_type_embeddings.weight": matrix(2, HIDDEN),
        **norm("embeddings.LayerNorm"),
    }
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}"
        for part in ("query", "key", "value"):
            weights |= linear(f"{layer}.attention.self.{part}", HIDDEN, HIDDEN)
        weights |= linear(f"{layer}.attention.output.dense", HIDDEN, HIDDEN) | norm(
            f"{layer}.attention.output.LayerNorm"
        )
        weights |= linear(f"{layer}.intermediate.dense", HIDDEN, WIDE) | linear(f"{layer}.output.dense", WIDE, HIDDEN)
        weights |= norm(f"{layer}.output.LayerNorm")
    return weights


@pytest.fixture
def base_file(tmp_path: Path, tokenizer_file: Path) -> Path:
    path = tmp_path / "base.npz"
    write_compact(random_base(load_tokenizer(tokenizer_file).get_vocab_size()), path)
    return path


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def test_one_command_goes_from_pairs_to_a_model_that_judges(
    data: Path, base_file: Path, tokenizer_file: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    options = ["--data", data, "--base", base_file, "--tokenizer", tokenizer_file, "--config", TINY, "--out", out]
    train.main([str(option) for option in (*options, "--workers", 0)])

    model = OnnxStance(out)
    (stance,) = model.score_batch([Pair("The bridge opened in 1999.", "The bridge opened in 1999.")])
    assert stance.supports + stance.refutes + stance.neutral == pytest.approx(1.0)
    assert "macro-F1" in (out / "results.md").read_text(encoding="utf-8")
    assert "polish" in (out / "train.log").read_text(encoding="utf-8")


def test_training_lowers_the_loss_on_what_it_sees(tokenizer_file: Path) -> None:
    tokenizer = load_tokenizer(tokenizer_file)
    weights = random_base(tokenizer.get_vocab_size())
    net = StanceNet(shape_of(weights), dropout=0.0)
    fill(net, weights)
    pairs = [
        TrainingPair(f"The {thing} {ending}.", f"The {thing} {told}.", target, "made")
        for thing in THINGS
        for ending, told, target in (("won", "won", SUPPORTS), ("won", "lost", REFUTES), ("won", "is old", NEUTRAL))
    ]
    epoch = encode_pairs(tokenizer, pairs, 64)
    rules = RunRules(learning_rate=2e-3, tokens_per_batch=512, average_decay=0.5, label_smoothing=0.0)
    trained = Trainer(net, rules, torch.device("cpu"), 1, lambda _: None).run([lambda: epoch] * 25)

    answers = predict(trained, epoch.ids, torch.device("cpu")).argmax(axis=1)
    assert (answers == epoch.targets.argmax(axis=1)).mean() > 0.9


def test_the_onnx_file_computes_what_the_network_computes(tokenizer_file: Path, tmp_path: Path) -> None:
    tokenizer = load_tokenizer(tokenizer_file)
    weights = random_base(tokenizer.get_vocab_size())
    net = StanceNet(shape_of(weights), dropout=0.0)
    fill(net, weights)
    ids = encode(
        tokenizer, [("The bridge won.", "The river grew in 1990."), ("The song lost.", "The song is old.")], 64
    )
    expected = predict(net, ids, torch.device("cpu"))
    for quantised, tolerance in ((False, 1e-4), (True, 0.1)):
        path = tmp_path / "model.onnx"
        write_onnx(weights_of(net), path, precision=Precision(quantised=quantised))
        session = onnxruntime.InferenceSession(str(path))
        for row in range(len(ids)):
            start, length, first = int(ids.starts[row]), int(ids.lengths[row]), int(ids.first[row])
            feed = {
                "input_ids": ids.flat[start : start + length][None, :].astype(np.int64),
                "token_type_ids": (np.arange(length) >= first)[None, :].astype(np.int64),
                "attention_mask": np.ones((1, length), np.int64),
            }
            found = session.run(None, feed)[0][0]
            assert np.abs(found - expected[row]).max() < tolerance


def test_padding_does_not_change_an_answer(tokenizer_file: Path) -> None:
    tokenizer = load_tokenizer(tokenizer_file)
    weights = random_base(tokenizer.get_vocab_size())
    net = StanceNet(shape_of(weights), dropout=0.0)
    fill(net, weights)
    short, long = ("The song lost.", "The song is old."), ("The song lost.", "The river grew in 1990. " * 4)
    together = predict(net, encode(tokenizer, [short, long], 100), torch.device("cpu"))
    alone = predict(net, encode(tokenizer, [short], 100), torch.device("cpu"))
    assert np.allclose(together[0], alone[0], atol=1e-5)


def test_not_supported_only_pushes_down_supports() -> None:
    logits = torch.tensor([[0.0, 3.0, -3.0], [0.0, -3.0, 3.0]])
    targets = torch.tensor([[0.0, 0.5, 0.5]] * 2)
    one, other = stance_loss(logits, targets, torch.tensor([True, True]), 0.0)
    assert one == pytest.approx(float(other))
    supporting = stance_loss(torch.tensor([[3.0, 0.0, 0.0]]), targets[:1], torch.tensor([True]), 0.0)
    assert float(supporting[0]) > float(one)


def test_batches_hold_one_length_each_and_every_row_once() -> None:
    draw = np.random.default_rng(2)
    lengths = draw.integers(10, 14, 300).astype(np.int32)
    plan = equal_length_batches(lengths, 120, draw)
    assert all(set(lengths[rows]) == {length} for rows, length in plan)
    seen = np.concatenate([rows for rows, _ in plan])
    assert len(seen) == len(set(seen.tolist()))
    assert len(seen) >= 280


def test_fewer_layers_keep_the_last_one(base_file: Path) -> None:
    base = read_base(base_file)
    half = keep_layers(base, 1)
    assert layers_in(half) == 1
    name = "intermediate.dense.weight"
    assert np.array_equal(half[f"encoder.layer.0.{name}"], base[f"encoder.layer.1.{name}"])


def test_missing_base_weights_say_how_to_get_them(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="fetch_base"):
        read_base(tmp_path / "nothing.onnx")
