"""Vectors for unknown words from their spelling: a bag of subwords (Zhao, Mudgal & Liang 2018).

The vector of an unknown word with n n-grams is predicted by the mean of their rows, (1/n) Σ_g u_g. The rows are fitted
to the words that have a vector: they minimise

    Σ_w weight(w) |t_w - (1/n) Σ_g u_g|²  +  l2 Σ_g |u_g - m|²

t_w       v_w at length 1, since the length of a vector tells how frequent a word is, not what it means
weight    √count, since vectors of rare words are noisy; the mean is 1
m         the weighted mean of the t_w: an n-gram that no word has gets this row

The problem is convex, and nothing is drawn at random. l2 is chosen by words that were left out of the fit. In the end
all rows are multiplied by the mean length of the v_w, so that made vectors fit among the others.
"""

import zlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypedDict

import numpy as np

from pairloom.config import check_number, check_whole, checked_threads
from pairloom.errors import ConfigError, InputError
from pairloom.progress import OnProgress, Progress, ignore, reporter
from pairloom.system.threads import Workers, workers
from pairloom.types import Float64s, Matrix
from pairloom.unseen.spelling.ridge import Bags, descend, diagonal, error, n_blocks, solve
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.subwords import MAX_NGRAM, Subwords, SubwordVectors, listed_ngrams
from pairloom.vectors.vectors import Vectors

MINN, MAXN, BUCKETS = 3, 6, 2_000_000  # fastText's
L2S = (0.32, 0.08, 0.02, 0.005, 0.00125, 0.0003)  # to choose from; they are tried until the next is worse
USUAL_L2 = 0.02  # best, or near to it, for the vectors that we tried
_HELD_OUT_ONE_IN = 20


class SpellingKeywords(TypedDict, total=False):
    """The keyword arguments of `with_spelling`."""

    minn: int
    maxn: int
    buckets: int
    l2: float | None
    threads: int | None
    on_progress: OnProgress


class _Problem(NamedTuple):
    """What is to be fitted."""

    bags: Bags
    used: Any  # the bucket of each row
    factors: Float64s  # 1 / |v_w|
    mean: Matrix  # m
    vectors: Matrix

    def targets(self, columns: Sequence[int] | slice) -> Matrix:
        """t_w - m in some columns, padded with zeros."""
        from pairloom.kernel.counts.ridge import COLUMNS

        some = self.vectors[:, columns] * self.factors[:, None] - self.mean[columns]
        found = np.zeros((len(some), COLUMNS), np.float32)
        found[:, : some.shape[1]] = some
        return found


def with_spelling(
    embedding: Embedding,
    *,
    minn: int = MINN,
    maxn: int = MAXN,
    buckets: int = BUCKETS,
    l2: float | None = None,
    threads: int | None = None,
    on_progress: OnProgress = ignore,
) -> Embedding:
    """The same model, whose words also have vectors for words never seen, made from their n-grams.

    minn, maxn   the least and the largest number of letters of an n-gram
    buckets      n-grams are hashed into this number of buckets, as in fastText; those in one bucket share a row
    l2           the weight of the penalty on the rows; None chooses it by words that are left out for this
    threads      as in `train`; the result is the same for any number of them

    Words of the model keep their vectors. `record["spelling"]` says what was chosen, and how much of the vectors of
    words that were left out their spelling explained: 1 would be all, 0 no more than their mean.
    """
    _check(minn, maxn, buckets, l2)
    words = embedding.words
    words.check()
    threads = checked_threads(threads)
    on_progress(Progress(stage="compile"))
    problem = _problem(words, minn, maxn, buckets)
    n = n_blocks(words.dim)
    report = reporter("spell", len(L2S) + n, on_progress)
    with workers(threads) as pool:
        chosen, heldout = _choose(problem, words, L2S if l2 is None else (l2,), pool, report)
        rows = np.empty((len(problem.used) + 1, words.dim), np.float32)
        solve(problem.bags, _blocks(problem), chosen, rows[:-1], pool, lambda done: report(len(L2S) + done))
    rows[-1] = 0
    rows += problem.mean
    rows *= np.float32(words.norms.sum() / max(1, np.count_nonzero(words.norms)))
    sizes = {"minn": minn, "maxn": maxn, "buckets": buckets, "ngrams": len(problem.used)}
    record = {**embedding.record, "spelling": {**sizes, "l2": chosen, "heldout": heldout}}
    subwords = Subwords(rows, 0, buckets, minn, maxn, problem.used)
    spelled = SubwordVectors(words.words, words.vectors, words.counts, subwords)
    return Embedding(words=spelled, contexts=embedding.contexts, record=record)


def _check(minn: int, maxn: int, buckets: int, l2: float | None) -> None:
    check_whole("maxn", maxn, 1, MAX_NGRAM, "6 is usual")
    check_whole("minn", minn, 1, MAX_NGRAM, "3 is usual")
    if minn > maxn:
        raise ConfigError(f"minn={minn} is more than maxn, {maxn}. Use a smaller minn or a larger maxn.")
    check_whole("buckets", buckets, 1, 1 << 31, "2000000 is usual")
    if l2 is not None:
        check_number("l2", l2, 1e-9, 1e9, "0.02 is usual; leave it out to have it chosen")


def _problem(words: Vectors, minn: int, maxn: int, buckets: int) -> _Problem:
    lengths, ngrams = listed_ngrams(list(words.encoded_words()), buckets, minn, maxn)
    used, rows = np.unique(ngrams, return_inverse=True)
    starts = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
    norms, counts = words.norms, words.counts
    weights = np.sqrt(counts) if counts.any() else np.ones(len(words))
    weights = np.where((lengths > 0) & (norms > 0), weights, 0.0)
    if not weights.any():
        raise InputError(
            f"No word of these vectors has n-grams of {minn} to {maxn} letters, so there is nothing to learn spelling "
            "from. Use a smaller minn."
        )
    weights *= np.count_nonzero(weights) / weights.sum()
    factors = 1 / np.where(norms > 0, norms, 1)
    mean = np.einsum("w,wi->i", weights * factors, words.vectors) / weights.sum()
    bags = Bags(starts, rows.astype(np.uint32), np.maximum(lengths, 1), weights, len(used))
    return _Problem(bags, used.astype(np.int64), factors, mean.astype(np.float32), words.vectors)


def _blocks(problem: _Problem) -> Callable[[int], Matrix]:
    from pairloom.kernel.counts.ridge import COLUMNS

    return lambda block: problem.targets(slice(block * COLUMNS, (block + 1) * COLUMNS))


def _choose(
    problem: _Problem, words: Vectors, candidates: Sequence[float], pool: Workers, report: Callable[[int], None]
) -> tuple[float, dict[str, Any]]:
    """The l2 that is best for words left out, a twentieth of them by their hash, in some columns; and what it explains.

    Each fit starts from the one before. They are tried from the largest on, until the error grows.
    """
    held = np.array([zlib.crc32(word.encode()) % _HELD_OUT_ONE_IN == 0 for word in words.words], bool)
    weights = problem.bags.weights
    fitted, others = (problem.bags._replace(weights=np.where(held == out, weights, 0.0)) for out in (False, True))
    facts: dict[str, Any] = {"words": int(np.count_nonzero(others.weights)), "explained": None}
    if not fitted.weights.any() or not others.weights.any():
        return (candidates[0] if len(candidates) == 1 else USUAL_L2), facts
    targets, X, errors = problem.targets(_some_columns(words.dim)), None, []
    scale = diagonal(fitted)
    for done, l2 in enumerate(candidates, 1):
        X = pool.submit(_fit, fitted, targets, l2, scale, X).result()
        errors.append(float(error(others, targets, X).sum()))
        report(done)
        if errors[-1] > min(errors):
            break
    all_of_it = float((others.weights[:, None] * targets.astype(np.float64) ** 2).sum())
    facts["explained"] = round(1 - min(errors) / all_of_it, 6) if all_of_it else None
    return candidates[int(np.argmin(errors))], facts


def _fit(bags: Bags, targets: Matrix, l2: float, scale: Matrix, X: Matrix | None) -> Matrix:
    X = np.zeros((bags.n_rows, targets.shape[1]), np.float32) if X is None else X
    descend(bags, targets, l2, scale, X)
    return X


def _some_columns(dim: int) -> list[int]:
    """Columns for one block, spread over all: those of a factorisation fall in importance."""
    from pairloom.kernel.counts.ridge import COLUMNS

    n = min(dim, COLUMNS)
    return [i * dim // n for i in range(n)]
