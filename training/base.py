"""Base weights: read by name from the embedding model's ONNX graph, float or int8, or from a compact copy."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Weights = dict[str, NDArray[np.float32]]
WORDS = "embeddings.word_embeddings.weight"
HEAD_WIDTH = 32
"""Of the small BERTs this trains on (384 = 12 x 32)."""
COMMON_WORDS = 18_000
"""The vocabulary is ordered by frequency; rarer words are seldom in a claim and cost as much to compare."""
NEAREST_SKIPPED = 2
"""The nearest words are mostly synonyms; a claim with a synonym in it is still supported."""


def read_onnx(path: Path) -> Weights:
    """Parameters under BERT's own names, from a float graph or from an int8 one made float again.

    Vectors and embeddings keep their names in the graph; a matrix is named after the node that multiplies by it.
    """
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(str(path)).graph
    arrays = {item.name: item for item in graph.initializer}

    def values(name: str) -> NDArray[np.float32]:
        if name in arrays:
            return numpy_helper.to_array(arrays[name]).astype(np.float32)
        integers = numpy_helper.to_array(arrays[f"{name}_quantized"]).astype(np.float32)
        zero = numpy_helper.to_array(arrays[f"{name}_zero_point"]).astype(np.float32)
        floats: NDArray[np.float32] = (integers - zero) * numpy_helper.to_array(arrays[f"{name}_scale"])
        return floats

    names = {name.removesuffix("_quantized") for name in arrays if not name.endswith(("_scale", "_zero_point"))}
    weights: Weights = {
        name: values(name)
        for name in names
        if name.startswith(("embeddings.", "encoder.")) and "position_ids" not in name
    }
    for node in graph.node:
        matrix = node.input[1].removesuffix("_quantized") if len(node.input) > 1 else ""
        if node.op_type in {"MatMul", "MatMulInteger"} and matrix in names:
            parameter = node.output[0].split("/MatMul_output")[0].strip("/").replace("/", ".")
            weights[f"{parameter}.weight"] = np.ascontiguousarray(values(matrix).T)
    return weights


def write_compact(weights: Weights, path: Path) -> None:
    """A copy that is quick to carry: half floats, and word embeddings in eight bits with a scale per word.

    The embeddings are thereby exactly what the ONNX file holds; of the rest, nothing that matters is lost.
    """
    packed: dict[str, NDArray[np.generic]] = {}
    for name, values in weights.items():
        if name == WORDS:
            scale = np.maximum(np.abs(values).max(axis=1, keepdims=True), 1e-8) / 127
            packed[f"{name}|q"] = np.clip(np.rint(values / scale), -127, 127).astype(np.int8)
            packed[f"{name}|s"] = scale.astype(np.float32)
        else:
            packed[name] = values.astype(np.float16) if values.ndim == 2 else values
    np.savez(path, **packed)  # type: ignore[arg-type]  # keyword arrays of any type


def read_compact(path: Path) -> Weights:
    """The floats that a compact copy stands for."""
    with np.load(path) as packed:
        weights = {name: packed[name].astype(np.float32) for name in packed.files if "|" not in name}
        weights[WORDS] = packed[f"{WORDS}|q"].astype(np.float32) * packed[f"{WORDS}|s"]
    return weights


def read_base(path: Path) -> Weights:
    """Base weights from either kind of file."""
    if not path.exists():
        raise SystemExit(f"no base weights at {path}: get them with `python -m training.fetch_base --out DIR`")
    return read_compact(path) if path.suffix == ".npz" else read_onnx(path)


def layers_in(weights: Weights) -> int:
    """How many encoder layers the weights hold."""
    return 1 + max(int(name.split(".")[2]) for name in weights if name.startswith("encoder.layer."))


def keep_layers(weights: Weights, keep: int) -> Weights:
    """Only `keep` of the layers, evenly spaced, the last one among them."""
    chosen = [round((place + 1) * layers_in(weights) / keep) - 1 for place in range(keep)]
    kept = {name: values for name, values in weights.items() if not name.startswith("encoder.layer.")}
    for place, number in enumerate(chosen):
        prefix = f"encoder.layer.{number}."
        for name, values in weights.items():
            if name.startswith(prefix):
                kept[f"encoder.layer.{place}.{name.removeprefix(prefix)}"] = values
    return kept


def near_words(weights: Weights, vocabulary: dict[str, int], most: int = 12) -> dict[str, list[str]]:
    """For each whole word of the vocabulary, words of a similar embedding that are not its own inflections."""
    words = [
        word
        for word, place in vocabulary.items()
        if place < COMMON_WORDS and word.isascii() and word.isalpha() and len(word) >= 4
    ]
    table = weights[WORDS][[vocabulary[word] for word in words]]
    table = table - table.mean(axis=0)
    table /= np.linalg.norm(table, axis=1, keepdims=True)
    near: dict[str, list[str]] = {}
    for start in range(0, len(words), 2048):
        likeness = table[start : start + 2048] @ table.T
        best = np.argpartition(-likeness, 4 * most, axis=1)[:, : 4 * most] if len(words) > 4 * most else None
        for row in range(likeness.shape[0]):
            word = words[start + row]
            places = np.arange(len(words)) if best is None else best[row]
            places = places[np.argsort(-likeness[row, places])][1:]
            found = [
                words[place] for place in places if words[place][:4] != word[:4] and 0.25 < likeness[row, place] < 0.75
            ][NEAREST_SKIPPED:most]
            if len(found) >= 3:
                near[word] = found
    return near
