"""The local sentence embedder: bge-small (int8) through onnxruntime, batched across jobs, in worker threads."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from agents.language.batching import BatchPolicy, MicroBatcher
from agents.language.calibration import SimilarityCalibration
from agents.language.onnx_session import open_session
from agents.language.ports import Vectors

# Fitted by models/fit_calibration.py on claim-evidence pairs; run it again to see the same numbers.
CALIBRATION = SimilarityCalibration(zero=0.4842, half=0.6576, one=0.924)


@dataclass(frozen=True, slots=True)
class OnnxPolicy:
    """How the model is run."""

    max_tokens: int = 256
    """Longer texts are cut: a chunk of the knowledge base has about 130 word pieces, and cost grows with length."""
    threads_per_run: int = 1
    """Cores that one run may use; the batcher keeps all of them busy with runs of their own."""
    batching: BatchPolicy = field(default_factory=BatchPolicy)


class OnnxEmbedder:
    """Unit vectors of the first token's hidden state, as bge was trained to be read."""

    name = "bge-small-en-v1.5-int8"
    dimension = 384
    query_prefix = "Represent this sentence for searching relevant passages: "
    """What bge was trained to see before a question; without it five of a hundred gold passages are missed more."""
    calibration = CALIBRATION
    vector_share = 0.8
    """With this share a search finds more than with either half alone on every set of `benchmarks/retrieval.py`."""

    def __init__(self, folder: Path, policy: OnnxPolicy | None = None) -> None:
        self._policy = policy or OnnxPolicy()
        model, tokenizer = folder / "model.onnx", folder / "tokenizer.json"
        for needed in (model, tokenizer):
            if not needed.is_file():
                raise FileNotFoundError(f"{needed} is missing: run python models/fetch_embedder.py")
        self._session = open_session(model, self._policy.threads_per_run)
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.enable_truncation(self._policy.max_tokens)
        self._tokenizer.enable_padding()
        self._batcher: MicroBatcher[str, Vectors] = MicroBatcher(
            lambda texts: list(self.embed_now(texts)), len, self._policy.batching, name="embedder"
        )

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit row per text; waits for company, never blocks the event loop."""
        rows = await self._batcher.submit(texts)
        return np.stack(rows) if rows else np.zeros((0, self.dimension), dtype=np.float32)

    def embed_now(self, texts: Sequence[str]) -> Vectors:
        """One batch in the calling thread: for worker threads, scripts and benchmarks."""
        encoded = self._tokenizer.encode_batch(list(texts))
        feed = {
            "input_ids": np.array([item.ids for item in encoded], dtype=np.int64),
            "attention_mask": np.array([item.attention_mask for item in encoded], dtype=np.int64),
            "token_type_ids": np.array([item.type_ids for item in encoded], dtype=np.int64),
        }
        hidden: Vectors = self._session.run(["last_hidden_state"], feed)[0]
        rows = hidden[:, 0, :].astype(np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows

    def close(self) -> None:
        """Ends the worker threads."""
        self._batcher.close()
