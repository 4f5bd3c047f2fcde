"""The small embedder: a table of 256 numbers per word piece, averaged. It needs numpy and a wheel, nothing else.

The files are read straight from the `wordllama` wheel. Its own loader looks for the tokenizer in a folder that
the wheel does not have and then asks a hub on the internet, and importing it reconfigures the root logger.
"""

import asyncio
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from safetensors import safe_open
from tokenizers import Tokenizer

from agents.language.calibration import SimilarityCalibration
from agents.language.ports import Vectors

_WEIGHTS = Path("weights") / "l2_supercat_256.safetensors"
_TOKENIZER = Path("tokenizers") / "l2_supercat_tokenizer_config.json"

# Texts beyond this are cut: an average over more word pieces drifts to the centre of the language.
_MAX_TOKENS = 512
# Texts per call into the tokenizer, so that one huge request does not hold a worker thread for seconds.
_SLICE = 256

# Fitted by models/fit_calibration.py on claim-evidence pairs; run it again to see the same numbers.
CALIBRATION = SimilarityCalibration(zero=0.0871, half=0.3115, one=0.9045)


class StaticEmbedder:
    """Averages of static word-piece vectors, scaled to length one."""

    name = "wordllama-l2-supercat-256"
    dimension = 256
    calibration = CALIBRATION
    vector_share = 0.4
    """Its vectors find little more than words do; with this share a search finds more than with either alone."""

    def __init__(self, package_dir: Path | None = None) -> None:
        folder = package_dir or _wheel_dir()
        for needed in (folder / _WEIGHTS, folder / _TOKENIZER):
            if not needed.is_file():
                raise FileNotFoundError(f"{needed} is missing: install wordllama==0.4.0.post1 again")
        with safe_open(str(folder / _WEIGHTS), framework="np") as tensors:
            self._table: Vectors = np.ascontiguousarray(tensors.get_tensor("embedding.weight"), dtype=np.float32)
        self._tokenizer = Tokenizer.from_file(str(folder / _TOKENIZER))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_MAX_TOKENS)

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit row per text; the work is done in a worker thread."""
        return await asyncio.to_thread(self.embed_now, texts)

    def embed_now(self, texts: Sequence[str]) -> Vectors:
        """The same, in the calling thread: for scripts and benchmarks."""
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for start in range(0, len(texts), _SLICE):
            encoded = self._tokenizer.encode_batch(list(texts[start : start + _SLICE]), add_special_tokens=False)
            for offset, item in enumerate(encoded):
                if item.ids:
                    rows[start + offset] = self._table[item.ids].mean(axis=0)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        np.divide(rows, lengths, out=rows, where=lengths > 0)
        return rows


def _wheel_dir() -> Path:
    spec = find_spec("wordllama")
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError("the static embedder needs the wordllama wheel: pip install wordllama==0.4.0.post1")
    return Path(next(iter(spec.submodule_search_locations)))
