"""A model folder small enough for tests: a network of one matrix product, in the shape the real one has."""

import hashlib
import json
from pathlib import Path

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

DATA = Path(__file__).parents[2] / "data" / "stance"
WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
NEEDED = ("model.onnx", "tokenizer.json", "calibration.json")


def write_sums(folder: Path) -> None:
    """Checksums of the folder as it is now."""
    lines = [f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in NEEDED]
    (folder / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")


def write_model(folder: Path, words: tuple[str, ...], calibration: dict[str, object] | None = None) -> Path:
    """The folder with `words` as vocabulary; the tiny network counts three of its words (see make_tiny.py)."""
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = {word: number for number, word in enumerate((*WORDS, *words))}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "model.onnx").write_bytes((DATA / "counts_words.onnx").read_bytes())
    plain = {"scale": 1.0, "bias": [0.0, 0.0, 0.0], "shifts": {}}
    (folder / "calibration.json").write_text(json.dumps(calibration or plain), encoding="utf-8")
    write_sums(folder)
    return folder
