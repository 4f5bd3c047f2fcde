"""The local `StanceModel`: an int8 cross-encoder through onnxruntime, batched across jobs, in worker threads."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from agents.language.batching import BatchPolicy, MicroBatcher
from agents.language.onnx_session import open_session
from agents.language.ports import Pair
from agents.language.rules.stance import LexicalStance
from agents.language.stance.calibration import read_calibration
from agents.language.stance.figures import read_figures
from agents.language.stance.files import model_name, verified_files
from agents.language.stance.windows import pool, sentence_windows
from scoring.values import NEUTRAL, Stance

_CLS, _SEP = "[CLS]", "[SEP]"
TITLE_CHARACTERS = 200
"""Of a title are read; the passage needs the room."""
_MARKS = 3
"""[CLS] evidence [SEP] claim [SEP]."""


@dataclass(frozen=True, slots=True)
class StanceRunPolicy:
    """How the model is run."""

    max_tokens: int = 400
    """A quarter more than it was trained with: on long passages one window is read better than two that each lack a
    part. A row of evidence (1,200 characters) nearly always fits into one."""
    max_claim_tokens: int = 96
    """Claims are rarely longer; the passage needs the room."""
    overlap: int = 1
    """Sentences that two neighbouring windows share: a pronoun then finds what it stands for."""
    max_windows: int = 8
    """Windows read of one passage; an article is cut into passages long before it gets here."""
    sharpness: float = 3.0
    """How much a telling window outweighs a silent one when windows are pooled."""
    threads_per_run: int = 1
    """Cores that one run may use; the batcher keeps all of them busy with runs of their own."""
    batching: BatchPolicy = field(default_factory=BatchPolicy)


class OnnxStance:
    """Calibrated P(supports), P(refutes), P(neutral) of a passage towards a claim.

    Every window runs alone: activations are quantised by their range, and the answer to a pair must not depend on
    what else was asked at the same time.
    """

    reads_pages = True

    def __init__(self, folder: Path, policy: StanceRunPolicy | None = None) -> None:
        self._policy = policy or StanceRunPolicy()
        files = verified_files(folder)
        self.name = model_name(folder)
        self._calibration = read_calibration(files.calibration)
        self._rules = LexicalStance()
        self._tokenizer = Tokenizer.from_file(str(files.tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._cls, self._sep = self._tokenizer.token_to_id(_CLS), self._tokenizer.token_to_id(_SEP)
        self._session = open_session(files.model, self._policy.threads_per_run)
        self._batcher: MicroBatcher[Pair, Stance] = MicroBatcher(
            self.score_batch, lambda pair: len(pair.titled), self._policy.batching, name="stance"
        )

    async def judge(self, pairs: Sequence[Pair]) -> tuple[Stance, ...]:
        """One stance per pair, in order; waits for company, never blocks the event loop."""
        return tuple(await self._batcher.submit(pairs))

    def score_batch(self, pairs: Sequence[Pair]) -> list[Stance]:
        """The same in the calling thread: for worker threads, scripts and benchmarks."""
        return [self._score(pair) for pair in pairs]

    def close(self) -> None:
        """Ends the worker threads."""
        self._batcher.close()

    def logits(self, claim: str, passage: str) -> NDArray[np.float64]:
        """What the network itself says of one window, before any calibration."""
        second = self._ids(claim)[: self._policy.max_claim_tokens]
        first = self._ids(passage)[: self._policy.max_tokens - len(second) - _MARKS]
        ids = [self._cls, *first, self._sep, *second, self._sep]
        types = [0] * (len(first) + 2) + [1] * (len(second) + 1)
        feed = {
            "input_ids": np.asarray([ids], dtype=np.int64),
            "token_type_ids": np.asarray([types], dtype=np.int64),
            "attention_mask": np.ones((1, len(ids)), dtype=np.int64),
        }
        row: NDArray[np.float64] = self._session.run(["logits"], feed)[0][0].astype(np.float64)
        return row

    def windows(self, pair: Pair) -> list[str]:
        """The parts in which a passage is read: one, unless it is long."""
        policy = self._policy
        claim_tokens = min(len(self._ids(pair.claim)), policy.max_claim_tokens)
        room = policy.max_tokens - claim_tokens - len(self._ids(heading(pair))) - _MARKS
        return sentence_windows(
            pair.passage, lambda text: len(self._ids(text)), room, policy.overlap, policy.max_windows
        )

    def _score(self, pair: Pair) -> Stance:
        if not _says_something(pair.claim) or not _says_something(pair.passage):
            return NEUTRAL
        answers = [self._read(pair._replace(passage=window)) for window in self.windows(pair)]
        supports, refutes, _ = (answers[0] if len(answers) == 1 else pool(answers, self._policy.sharpness)).tolist()
        return Stance(supports=supports, refutes=refutes, neutral=max(0.0, 1.0 - supports - refutes))

    def _read(self, pair: Pair) -> NDArray[np.float64]:
        """One window: what the network says, corrected by what arithmetic and the rules find in it.

        The day of publication is no figure of the text: a page of 2024 does not contradict "in 1990"."""
        return self._calibration.probabilities(
            self.logits(pair.claim, heading(pair) + pair.passage),
            read_figures(pair.claim, pair.titled),
            self._rules.find(pair.claim, pair.titled).found if self._calibration.rules else "neutral",
        )

    def _ids(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return ids


def heading(pair: Pair) -> str:
    """Title and date as the model was trained to read them, before every window of the passage."""
    title = pair.title[:TITLE_CHARACTERS]
    if title:
        return f"{title} ({pair.published.isoformat()}). " if pair.published else f"{title}. "
    return f"({pair.published.isoformat()}) " if pair.published else ""


def _says_something(text: str) -> bool:
    return any(character.isalpha() for character in text)
