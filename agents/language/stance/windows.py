"""Passages longer than the network's window, as overlapping runs of sentences; and one answer from several windows."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from agents.language.rules.sentences import split_sentences

Probabilities = NDArray[np.float64]


def sentence_windows(passage: str, length: Callable[[str], int], room: int, overlap: int, most: int) -> list[str]:
    """Windows of whole sentences that fit into `room` tokens, each repeating the last `overlap` sentences of the one
    before. A sentence that is too long stays alone and is cut by the caller.
    """
    if length(passage) <= room:
        return [passage]
    sentences = split_sentences(passage) or [passage]
    sizes = [length(sentence) for sentence in sentences]
    windows: list[str] = []
    start = 0
    while start < len(sentences) and len(windows) < most:
        end = _reach(sizes, start, room)
        windows.append(" ".join(sentences[start:end]))
        if end >= len(sentences):
            break
        start = max(start + 1, end - overlap)
    return windows


def _reach(sizes: Sequence[int], start: int, room: int) -> int:
    """The sentence after the last one that still fits; at least one is taken."""
    end, used = start + 1, sizes[start]
    while end < len(sizes) and used + sizes[end] <= room:
        used += sizes[end]
        end += 1
    return end


def pool(windows: Sequence[Probabilities], sharpness: float) -> Probabilities:
    """One distribution: the more a window has to say (the less neutral it is), the more it counts."""
    stacked = np.stack(windows)
    said = np.maximum(1.0 - stacked[:, 2], 1e-6) ** sharpness
    pooled: Probabilities = (stacked * (said / said.sum())[:, None]).sum(axis=0)
    return pooled
