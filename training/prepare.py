"""Epochs made ahead of time in other processes, so that the GPU does not wait for text work."""

import multiprocessing
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from training.epoch import EpochBuilder
from training.tokens import EncodedPairs, encode_pairs, load_tokenizer

THREADS_PER_WORKER = 3
"""Of the tokenizer: the epochs that are needed first come sooner, and few workers fill the processor."""
Fetch = Callable[[], EncodedPairs]

# What a forked worker works with: set in the parent just before the fork, so that nothing is copied or loaded again.
_inherited: dict[str, object] = {}


def _yield_to_training() -> None:
    """Workers take what the training process leaves: it must launch kernels without delay."""
    os.nice(19)
    os.environ["RAYON_NUM_THREADS"] = str(THREADS_PER_WORKER)


def _encoded(number: int) -> EncodedPairs:
    builder, tokenizer_file, max_tokens = (_inherited[name] for name in ("builder", "tokenizer", "max_tokens"))
    assert isinstance(builder, EpochBuilder)
    assert isinstance(tokenizer_file, Path)
    assert isinstance(max_tokens, int)
    return encode_pairs(load_tokenizer(tokenizer_file), builder.build(number), max_tokens)


class EpochQueue:
    """Epochs by number, in the making from the moment they are asked for. Create it before CUDA is touched."""

    def __init__(self, builder: EpochBuilder, tokenizer_file: Path, max_tokens: int, workers: int) -> None:
        _inherited.update(builder=builder, tokenizer=tokenizer_file, max_tokens=max_tokens)
        self._pool = (
            ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("fork"), initializer=_yield_to_training)
            if workers > 0
            else None
        )

    def start(self, numbers: Sequence[int]) -> list[Fetch]:
        """One function per epoch that waits for it and hands it over.

        The very first epoch is made here, with every thread the tokenizer has: nothing can be trained before it.
        """
        pool = self._pool
        if pool is None:
            return [partial(_encoded, number) for number in numbers]
        rest = [pool.submit(_encoded, number).result for number in numbers[1:]]
        return [partial(_encoded, numbers[0]), *rest]

    def close(self) -> None:
        """End the workers; epochs nobody fetched are dropped."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
