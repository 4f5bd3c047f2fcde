"""The trained network as one ONNX file with eight-bit weights, built node by node from operators of onnxruntime.

Weights are symmetric per output column; activations are quantised as they come. Word embeddings have one scale per
word. Nothing but onnxruntime is needed to run the file. Attention and normalisation are written out: onnxruntime's
fused operators for them (MultiHeadAttention, SkipLayerNormalization, BiasGelu) take twice as long on a processor.
"""

import math
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

    def linear(self, parameter: str, inputs: str) -> str:
        """A linear layer of the network."""
        bias = self.weight(f"{parameter}.bias")
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
        return self._normal("embeddings.LayerNorm", summed, "embedded")

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
        mixed = self._attend(f"{own}.mixed", *split, mask)
        hidden = self._skip(f"{prefix}.attention.output", mixed, hidden)
        wide = self.linear(f"{prefix}.intermediate.dense", hidden)
        active = self.node("Gelu", [wide], f"{prefix}.gelu", MICROSOFT)
        return self._skip(f"{prefix}.output", active, hidden)

    def _attend(self, name: str, query: str, key: str, value: str, mask: str) -> str:
        """Every head of every token looks at all tokens that are there."""
        scale = 1.0 / math.sqrt(HEAD_WIDTH)
        one, other = self._by_head(f"{name}.q", query, [0, 2, 1, 3]), self._by_head(f"{name}.k", key, [0, 2, 3, 1])
        scores = self.node("FusedMatMul", [one, other], f"{name}.scores", MICROSOFT, alpha=scale)
        shares = self.node("Softmax", [self.node("Add", [scores, mask], f"{name}.masked")], f"{name}.shares", axis=-1)
        seen = self.node("MatMul", [shares, self._by_head(f"{name}.v", value, [0, 2, 1, 3])], f"{name}.seen")
        together = self.node("Transpose", [seen], f"{name}.together", perm=[0, 2, 1, 3])
        return self.node("Reshape", [together, self._shape("whole", [0, 0, self._heads * HEAD_WIDTH])], name)

    def _by_head(self, name: str, inputs: str, order: list[int]) -> str:
        parts = self.node("Reshape", [inputs, self._shape("heads", [0, 0, self._heads, HEAD_WIDTH])], f"{name}.parts")
        return self.node("Transpose", [parts], f"{name}.heads", perm=order)

    def _shape(self, name: str, sizes: list[int]) -> str:
        """0 is a size that stays as it is."""
        return self.constant(f"shape.{name}", np.asarray(sizes, np.int64))

    def _skip(self, prefix: str, inputs: str, skip: str) -> str:
        summed = self.node("Add", [self.linear(f"{prefix}.dense", inputs), skip], f"{prefix}.summed")
        return self._normal(f"{prefix}.LayerNorm", summed, f"{prefix}.normal")

    def _normal(self, parameter: str, inputs: str, output: str) -> str:
        operands = [inputs, self.weight(f"{parameter}.weight"), self.weight(f"{parameter}.bias")]
        return self.node("LayerNormalization", operands, output, axis=-1, epsilon=1e-12)

    def mask(self) -> str:
        """What is added to the scores of every layer: nothing for tokens, much less for padding."""
        there = self.node("Cast", ["attention_mask"], "mask.there", to=TensorProto.FLOAT)
        missing = self.node("Sub", [there, self.constant("mask.one", np.asarray(1, np.float32))], "mask.missing")
        less = self.node("Mul", [missing, self.constant("mask.much", np.asarray(1e4, np.float32))], "mask.less")
        return self.node("Unsqueeze", [less, self.constant("mask.axes", np.asarray([1, 2], np.int64))], "mask")

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
        mask, hidden = self.mask(), self.embed()
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
