"""A small BERT encoder with a three-way head, in plain torch, filled from base weights by their names."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from training.base import HEAD_WIDTH, Weights, layers_in

QKV = ("query", "key", "value")


@dataclass(frozen=True, slots=True)
class BertShape:
    """Sizes of the encoder; they are read from the base weights."""

    layers: int
    hidden: int = 384
    intermediate: int = 1536
    heads: int = 12
    vocabulary: int = 30522
    positions: int = 512
    epsilon: float = 1e-12


def shape_of(weights: Weights) -> BertShape:
    """The sizes of an encoder, read off its weights."""
    vocabulary, hidden = weights["embeddings.word_embeddings.weight"].shape
    return BertShape(
        layers=layers_in(weights),
        hidden=hidden,
        intermediate=weights["encoder.layer.0.intermediate.dense.weight"].shape[0],
        heads=hidden // HEAD_WIDTH,
        vocabulary=vocabulary,
        positions=weights["embeddings.position_embeddings.weight"].shape[0],
    )


class SelfAttention(nn.Module):
    """Multi-head attention over one batch; query, key and value are one matrix."""

    def __init__(self, shape: BertShape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.qkv = nn.Linear(shape.hidden, 3 * shape.hidden)

    def forward(self, hidden: Tensor, mask: Tensor | None) -> Tensor:
        """Attend within `mask`, a boolean [batch, 1, 1, length]; None where nothing is padding."""
        batch, length, width = hidden.shape
        parts = self.qkv(hidden).view(batch, length, 3, self.heads, width // self.heads)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        return mixed.transpose(1, 2).reshape(batch, length, width)


class AddAndNormalise(nn.Module):
    """A linear layer whose result is added to what came before it and normalised, as BERT ends both its halves."""

    def __init__(self, width: int, shape: BertShape, dropout: float) -> None:
        super().__init__()
        self.dense = nn.Linear(width, shape.hidden)
        self.LayerNorm = nn.LayerNorm(shape.hidden, eps=shape.epsilon)
        self.dropout = nn.Dropout(dropout)

    def forward(self, values: Tensor, before: Tensor) -> Tensor:
        """The sum, normalised."""
        mixed: Tensor = self.LayerNorm(before + self.dropout(self.dense(values)))
        return mixed


class Attention(nn.Module):
    """The first half of a layer."""

    def __init__(self, shape: BertShape, dropout: float) -> None:
        super().__init__()
        self.self = SelfAttention(shape)
        self.output = AddAndNormalise(shape.hidden, shape, dropout)

    def forward(self, hidden: Tensor, mask: Tensor | None) -> Tensor:
        """Hidden states after attention."""
        mixed: Tensor = self.output(self.self(hidden, mask), hidden)
        return mixed


class Intermediate(nn.Module):
    """The widening of the second half."""

    def __init__(self, shape: BertShape) -> None:
        super().__init__()
        self.dense = nn.Linear(shape.hidden, shape.intermediate)

    def forward(self, hidden: Tensor) -> Tensor:
        """Wide activations."""
        return functional.gelu(self.dense(hidden))


class Layer(nn.Module):
    """One encoder layer."""

    def __init__(self, shape: BertShape, dropout: float) -> None:
        super().__init__()
        self.attention = Attention(shape, dropout)
        self.intermediate = Intermediate(shape)
        self.output = AddAndNormalise(shape.intermediate, shape, dropout)

    def forward(self, hidden: Tensor, mask: Tensor | None) -> Tensor:
        """The next hidden states."""
        hidden = self.attention(hidden, mask)
        after: Tensor = self.output(self.intermediate(hidden), hidden)
        return after


class Encoder(nn.Module):
    """All layers."""

    def __init__(self, shape: BertShape, dropout: float) -> None:
        super().__init__()
        self.layer = nn.ModuleList(Layer(shape, dropout) for _ in range(shape.layers))

    def forward(self, hidden: Tensor, mask: Tensor | None) -> Tensor:
        """The last hidden states."""
        for layer in self.layer:
            hidden = layer(hidden, mask)
        return hidden


class Embeddings(nn.Module):
    """Word, position and segment embeddings."""

    def __init__(self, shape: BertShape, dropout: float) -> None:
        super().__init__()
        self.word_embeddings = nn.Embedding(shape.vocabulary, shape.hidden)
        self.position_embeddings = nn.Embedding(shape.positions, shape.hidden)
        self.token_type_embeddings = nn.Embedding(2, shape.hidden)
        self.LayerNorm = nn.LayerNorm(shape.hidden, eps=shape.epsilon)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids: Tensor, types: Tensor) -> Tensor:
        """Hidden states before the first layer."""
        words = self.word_embeddings(ids)
        places = self.position_embeddings.weight[: ids.shape[1]]
        summed: Tensor = self.dropout(self.LayerNorm(words + places + self.token_type_embeddings(types)))
        return summed


class StanceNet(nn.Module):
    """The cross-encoder: evidence and claim in one sequence, three logits out (supports, refutes, neutral)."""

    def __init__(self, shape: BertShape, dropout: float = 0.1) -> None:
        super().__init__()
        self.shape = shape
        self.embeddings = Embeddings(shape, dropout)
        self.encoder = Encoder(shape, dropout)
        self.pooler = nn.Linear(2 * shape.hidden, shape.hidden)
        self.classifier = nn.Linear(shape.hidden, 3)
        self.dropout = nn.Dropout(dropout)
        for head in (self.pooler, self.classifier):
            nn.init.normal_(head.weight, std=0.02)
            nn.init.zeros_(head.bias)

    def forward(self, ids: Tensor, types: Tensor, mask: Tensor | None = None) -> Tensor:
        """Logits of a batch; `mask` is boolean [batch, length], or None where all are of one length."""
        hidden = self.embeddings(ids, types)
        wide_mask = None if mask is None else mask[:, None, None, :].expand(-1, 1, mask.shape[1], -1)
        hidden = self.encoder(hidden, wide_mask)
        if mask is None:
            mean = hidden.mean(dim=1)
        else:
            share = mask.to(hidden.dtype) / mask.sum(1, keepdim=True).to(hidden.dtype)
            mean = torch.einsum("blh,bl->bh", hidden, share)
        pooled = torch.tanh(self.pooler(self.dropout(torch.cat([hidden[:, 0], mean], dim=-1))))
        logits: Tensor = self.classifier(self.dropout(pooled))
        return logits


def fill(net: StanceNet, weights: Weights) -> None:
    """Put base weights (or all weights of a trained network) into the network."""
    state = {name: torch.from_numpy(values) for name, values in weights.items() if ".self." not in name}
    for number in range(net.shape.layers):
        own = f"encoder.layer.{number}.attention.self"
        for kind in ("weight", "bias"):
            parts = [weights[f"{own}.{part}.{kind}"] for part in QKV]
            state[f"{own}.qkv.{kind}"] = torch.from_numpy(np.concatenate(parts))
    missing, unexpected = net.load_state_dict(state, strict=False)
    lost = [name for name in missing if not name.startswith(("pooler", "classifier"))]
    if lost or unexpected:
        raise SystemExit(f"the base weights do not fit this encoder: missing {lost[:3]}, unknown {unexpected[:3]}")


def weights_of(net: StanceNet) -> Weights:
    """All weights under BERT's own names, as floats."""
    found: Weights = {}
    for name, values in net.state_dict().items():
        array = values.detach().float().cpu().numpy()
        if ".self.qkv." in name:
            prefix, kind = name.split("qkv.")
            for part, rows in zip(QKV, np.split(array, 3), strict=True):
                found[f"{prefix}{part}.{kind}"] = rows.copy()
        else:
            found[name] = array.copy()
    return found
