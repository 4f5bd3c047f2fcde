"""What every adapter of the EvidenceIndex asks of vectors, so that each refuses the same ones in the same words."""

import numpy as np

from storage.errors import StoreMismatch, StoreRefused
from storage.ports.evidence import Embedder, Vector


def checked_vector(vector: Vector, embedder: Embedder) -> Vector:
    """The vector as contiguous float32, if it fits the embedder and has length one (or no length at all)."""
    row = np.ascontiguousarray(vector, dtype=np.float32)
    if row.shape != (embedder.dimension,):
        raise StoreMismatch(
            f"a vector of shape {row.shape} does not fit {embedder.name}, which makes {embedder.dimension} dimensions"
        )
    length = float(np.linalg.norm(row))
    if not (length == 0.0 or abs(length - 1.0) < 1e-3):
        raise StoreRefused(f"vectors must have length one, got {length:.4g}; scale them first")
    return row


def require_embedder(collection: str, made_by: Embedder, in_use: Embedder) -> None:
    """Refuse a collection whose vectors another embedder made."""
    if made_by != in_use:
        raise StoreMismatch(
            f"collection {collection!r} holds vectors of {made_by.name} ({made_by.dimension} dimensions), but the"
            f" embedder in use is {in_use.name} ({in_use.dimension}); use that embedder, or ingest the collection again"
        )
