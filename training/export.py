"""The trained network as one ONNX file with eight-bit weights, built node by node from operators of onnxruntime.

Weights are symmetric per output column; activations are quantised as they come. Word embeddings have one scale per
word. Nothing but onnxruntime is needed to run the file.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from training.base import HEAD_WIDTH, WORDS, Weights, layers_in

MICROSOFT = "com.microsoft"
OPSET, CONTRIB_OPSET, IR_VERSION = 17, 1, 8


@dataclass(frozen=True, slots=True)
class Precision:
    """How weights are stored. Seven of the eight bits are used by default: processors without VNNI add two products
    in sixteen bits, and with the full range that sum can overflow."""

    levels: int = 63
    quantised: bool = True
    """Off writes a float file, the yardstick for what quantising costs."""


def quantise_columns(values: NDArray[np.float32], levels: int) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Symmetric integers with one scale per column, the scale chosen per column for the least squared error."""
    largest = np.maximum(np.abs(values).max(axis=0), 1e-8)
    best_scale = largest / levels
    best_error = np.full(values.shape[1], np.inf, np.float32)
    for shrink in (1.0, 0.95, 0.9, 0.85, 0.8):
        scale = largest * shrink / levels
        rounded = np.clip(np.rint(values / scale), -levels, levels) * scale
        error = ((rounded - values) ** 2).sum(axis=0)
        better = error < best_error
        best_scale, best_error = np.where(better, scale, best_scale), np.where(better, error, best_error)
    integers = np.clip(np.rint(values / best_scale), -levels, levels).astype(np.int8)
    return integers, best_scale.astype(np.float32)


class GraphBuilder:
    """Collects nodes and constants; every method returns the name of its output."""

    def __init__(self, weights: Weights, precision: Precision) -> None:
        self._weights, self._precision = weights, precision
        self._heads = weights[WORDS].shape[1] // HEAD_WIDTH
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, onnx.TensorProto] = {}

    def constant(self, name: str, values: NDArray[np.generic]) -> str:
        """A named constant."""
        self._constants.setdefault(name, numpy_helper.from_array(np.array(values, order="C"), name))
        return name

    def node(self, op: str, inputs: list[str], output: str, domain: str = "", **attributes: object) -> str:
        """A node with one output."""
        made = helper.make_node(op, inputs, [output], name=output, domain=domain, **attributes)  # type: ignore[arg-type]  # of any type
        self._nodes.append(made)  # onnx types its attributes as if they were all strings
        return output

    def weight(self, name: str) -> str:
        """A parameter as it is."""
        return self.constant(name, self._weights[name])

    def matmul(self, name: str, inputs: str, matrix: NDArray[np.float32], bias: str = "") -> str:
        """inputs · matrix (+ bias), in eight bits if the file is quantised."""
        if not self._precision.quantised:
            product = self.node("MatMul", [inputs, self.constant(f"{name}.w", matrix)], f"{name}.product")
            return self.node("Add", [product, bias], f"{name}.out") if bias else product
        integers, scale = quantise_columns(matrix, self._precision.levels)
        operands = [
            inputs,
            self.constant(f"{name}.w", integers),
            self.constant(f"{name}.s", scale),
            self.constant(f"{name}.z", np.zeros(scale.shape, np.int8)),
            *([bias] if bias else []),
        ]
        return self.node("DynamicQuantizeMatMul", operands, f"{name}.out", MICROSOFT)

    def linear(self, parameter: str, inputs: str, *, with_bias: bool = True) -> str:
        """A linear layer of the network."""
        bias = self.weight(f"{parameter}.bias") if with_bias else ""
        return self.matmul(parameter, inputs, self._weights[f"{parameter}.weight"].T, bias)

    def embed(self) -> str:
        """Word, position and segment embeddings, normalised."""
        table = self._weights[WORDS]
        if self._precision.quantised:
            scale = (np.maximum(np.abs(table).max(axis=1), 1e-8) / 127).astype(np.float32)
            integers = np.clip(np.rint(table / scale[:, None]), -127, 127).astype(np.int8)
            rows = self.node("Gather", [self.constant("words.w", integers), "input_ids"], "words.rows")
            floats = self.node("Cast", [rows], "words.floats", to=TensorProto.FLOAT)
            scales = self.node("Gather", [self.constant("words.s", scale[:, None]), "input_ids"], "words.scales")
            words = self.node("Mul", [floats, scales], "words")
        else:
            words = self.node("Gather", [self.constant("words.w", table), "input_ids"], "words")
        segments = self.weight("embeddings.token_type_embeddings.weight")
        types = self.node("Gather", [segments, "token_type_ids"], "segments")
        places = self.node("Slice", [self._positions(), self._int("zero", 0), self._length()], "places")
        summed = self.node("Add", [self.node("Add", [words, types], "words.typed"), places], "words.placed")
        norm = "embeddings.LayerNorm"
        inputs = [summed, self.weight(f"{norm}.weight"), self.weight(f"{norm}.bias")]
        return self.node("LayerNormalization", inputs, "embedded", axis=-1, epsilon=1e-12)

    def _int(self, name: str, value: int) -> str:
        return self.constant(name, np.asarray([value], np.int64))

    def _positions(self) -> str:
        return self.weight("embeddings.position_embeddings.weight")

    def _length(self) -> str:
        shape = self.node("Shape", ["input_ids"], "shape")
        return self.node("Gather", [shape, self._int("one", 1)], "length", axis=0)

    def layer(self, number: int, hidden: str, mask: str) -> str:
        """One encoder layer."""
        prefix = f"encoder.layer.{number}"
        own = f"{prefix}.attention.self"
        parts = [self._weights[f"{own}.{part}.weight"].T for part in ("query", "key", "value")]
        biases = [self._weights[f"{own}.{part}.bias"] for part in ("query", "key", "value")]
        bias = self.constant(f"{own}.qkv.bias", np.concatenate(biases))
        together = self.matmul(f"{own}.qkv", hidden, np.concatenate(parts, axis=1), bias)
        split = [f"{own}.{part}" for part in ("q", "k", "v")]
        self._nodes.append(helper.make_node("Split", [together], split, name=f"{own}.split", axis=-1))
        mixed = self.node("MultiHeadAttention", [*split, "", mask], f"{own}.mixed", MICROSOFT, num_heads=self._heads)
        hidden = self._skip(f"{prefix}.attention.output", mixed, hidden)
        wide = self.linear(f"{prefix}.intermediate.dense", hidden, with_bias=False)
        bias = self.weight(f"{prefix}.intermediate.dense.bias")
        active = self.node("BiasGelu", [wide, bias], f"{prefix}.gelu", MICROSOFT)
        return self._skip(f"{prefix}.output", active, hidden)

    def _skip(self, prefix: str, inputs: str, skip: str) -> str:
        dense = self.linear(f"{prefix}.dense", inputs, with_bias=False)
        rest = [self.weight(f"{prefix}.{name}") for name in ("LayerNorm.weight", "LayerNorm.bias", "dense.bias")]
        return self.node("SkipLayerNormalization", [dense, skip, *rest], f"{prefix}.normal", MICROSOFT, epsilon=1e-12)

    def head(self, hidden: str) -> str:
        """First token and mean of all tokens, through the pooler, to three logits."""
        share = self.node("Cast", ["attention_mask"], "mask.float", to=TensorProto.FLOAT)
        wide = self.node("Unsqueeze", [share, self._int("last", -1)], "mask.wide")
        kept = self.node("Mul", [hidden, wide], "kept")
        axis = self._int("one", 1)
        total = self.node("ReduceSum", [kept, axis], "total", keepdims=0)
        count = self.node("ReduceSum", [share, axis], "count", keepdims=1)
        mean = self.node("Div", [total, count], "mean")
        first = self.node("Gather", [hidden, self.constant("first", np.asarray(0, np.int64))], "cls", axis=1)
        both = self.node("Concat", [first, mean], "both", axis=-1)
        pooled = self.node("Tanh", [self.linear("pooler", both)], "pooled")
        inputs = [pooled, self.weight("classifier.weight"), self.weight("classifier.bias")]
        return self.node("Gemm", inputs, "logits", transB=1)

    def model(self) -> onnx.ModelProto:
        """The whole graph."""
        mask = self.node("Cast", ["attention_mask"], "mask.int", to=TensorProto.INT32)
        hidden = self.embed()
        for number in range(layers_in(self._weights)):
            hidden = self.layer(number, hidden, mask)
        self.head(hidden)
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
            for name in ("input_ids", "token_type_ids", "attention_mask")
        ]
        output = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 3])
        graph = helper.make_graph(self._nodes, "stance", inputs, [output], list(self._constants.values()))
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, CONTRIB_OPSET)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="veristream")


def write_onnx(weights: Weights, path: Path, precision: Precision | None = None) -> int:
    """Write the file and return its size in bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(GraphBuilder(weights, precision or Precision()).model().SerializeToString())
    return path.stat().st_size
