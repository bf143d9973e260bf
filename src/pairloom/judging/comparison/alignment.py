"""One model brought into the space of another: `align`."""

from typing import Any

import numpy as np

from pairloom.config import checked_threads
from pairloom.judging.comparison.common import common_words, share_contexts
from pairloom.judging.comparison.rotation import product
from pairloom.judging.comparison.shifts import ROWS_AT_ONCE, cosines, rotation_between
from pairloom.progress import OnProgress, ignore, reporter
from pairloom.system.threads import Workers, workers
from pairloom.types import Float64s, Matrix
from pairloom.vectors.embedding import Embedding, as_vectors
from pairloom.vectors.vectors import Vectors


def align(
    b: Embedding | Vectors,
    *,
    to: Embedding | Vectors,
    threads: int | None = None,
    on_progress: OnProgress = ignore,
) -> Embedding:
    """The model b, rotated into the space of `to` (orthogonal Procrustes on their common words, see `rotation.py`).

    Both its matrices are rotated, so every product v_w·v_c, every cosine and every neighbour stay as they are, up to
    the last digits of float32. What changes is that the vectors of a word in both models can be compared. Of vectors
    with subwords (fastText) only the rows are kept. If the models share their contexts, there is nothing to rotate.
    """
    threads = checked_threads(threads)
    common = common_words(to, b)
    model = b if isinstance(b, Embedding) else Embedding.of_words(as_vectors(b))
    report = reporter("compare", len(common.words), on_progress)
    with workers(threads) as pool:
        R = np.eye(model.dim) if share_contexts(to, b) else rotation_between(common, pool)
        cosine = float(cosines(common, R, pool, report).mean())
        words, contexts = (_rotated(side, R, pool) for side in (model.words, model.contexts))
    facts: dict[str, Any] = {"words": len(common.words), "cosine": round(cosine, 6)}
    return Embedding(words=words, contexts=contexts, record={**model.record, "aligned": facts})


def _rotated(vectors: Vectors, R: Float64s, pool: Workers) -> Vectors:
    out: Matrix = np.empty(vectors.shape, np.float32)
    for at in range(0, len(vectors), ROWS_AT_ONCE):
        some = slice(at, at + ROWS_AT_ONCE)
        out[some] = product(vectors.vectors[some].astype(np.float64), R, pool)
    return Vectors(vectors.words, out, vectors.counts)
