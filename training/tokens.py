"""Pairs as token ids: one flat array per epoch, from which batches are cut on the device."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from training.pairs import Pair

MAX_CLAIM_TOKENS = 96
"""No claim of the data is longer but for a few; the passage needs the room."""


def load_tokenizer(path: Path) -> Tokenizer:
    """The base's tokenizer without its own padding and truncation."""
    tokenizer = Tokenizer.from_str(json.dumps(json.loads(path.read_text(encoding="utf-8"))))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


@dataclass(frozen=True, slots=True)
class Encoded:
    """Token ids of many pairs: `[CLS] evidence [SEP] claim [SEP]`, the second part being of type 1."""

    flat: NDArray[np.int32]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int32]
    first: NDArray[np.int32]
    """Length of the first part, its [SEP] included."""

    def __len__(self) -> int:
        return len(self.lengths)


@dataclass(frozen=True, slots=True)
class EncodedPairs:
    """An epoch: ids with targets."""

    ids: Encoded
    targets: NDArray[np.float32]
    not_supported: NDArray[np.bool_]
    weights: NDArray[np.float32]


def encode(
    tokenizer: Tokenizer, texts: Sequence[tuple[str, str]], max_tokens: int, *, few_lengths: bool = False
) -> Encoded:
    """Ids of (claim, evidence) texts; evidence that is too long loses its end.

    With `few_lengths` long passages lose a few more tokens, so that the training batches, each of one length, are
    full.
    """
    claims = tokenizer.encode_batch_fast([claim for claim, _ in texts], add_special_tokens=False)
    passages = tokenizer.encode_batch_fast([passage for _, passage in texts], add_special_tokens=False)
    cls, sep = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
    rows, first = [], []
    for claim, passage in zip(claims, passages, strict=True):
        second = claim.ids[:MAX_CLAIM_TOKENS]
        room = min(max_tokens, len(passage.ids) + len(second) + 3)
        opening = passage.ids[: max(1, (_rounded(room) if few_lengths else room) - len(second) - 3)]
        rows.append([cls, *opening, sep, *second, sep])
        first.append(len(opening) + 2)
    lengths = np.fromiter(map(len, rows), np.int32, len(rows))
    flat = np.fromiter(chain.from_iterable(rows), np.int32, int(lengths.sum()))
    starts = np.concatenate([[0], np.cumsum(lengths[:-1], dtype=np.int64)]) if rows else np.zeros(0, np.int64)
    return Encoded(flat, starts, lengths, np.asarray(first, np.int32))


def _rounded(length: int) -> int:
    """A length down to a multiple of 4 above 96 tokens and of 8 above 160: a few words of a long passage."""
    step = 8 if length > 160 else 4 if length > 96 else 1
    return length - length % step


def encode_pairs(tokenizer: Tokenizer, pairs: Sequence[Pair], max_tokens: int) -> EncodedPairs:
    """Ids and targets of one epoch."""
    return EncodedPairs(
        ids=encode(tokenizer, [(pair.claim, pair.evidence) for pair in pairs], max_tokens, few_lengths=True),
        targets=np.asarray([pair.target for pair in pairs], np.float32),
        not_supported=np.asarray([pair.not_supported for pair in pairs], np.bool_),
        weights=np.asarray([pair.weight for pair in pairs], np.float32),
    )
