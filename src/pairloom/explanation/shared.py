"""Why two words are alike: their cosine as a sum over contexts.

The objective speaks of words only through v_w·v_c, so a word is to the model what its products with all contexts are.
All words have something in common, their mean μ; what tells a word from others is u_w = v_w - μ. With contexts as often
as training draws them, G = Σ_c noise(c) v_c v_cᵀ, let

    a_c(w) = √noise(c) v_c · G^(-1/2) u_w        how much more w goes with c than the average word does

G^(-1/2) has contexts that are alike share what they say, instead of saying it twice, and nothing is lost:

    Σ_c a_c(w1) a_c(w2) = u_w1 · G^(-1/2) G G^(-1/2) u_w2 = u_w1 · u_w2

So cos(w1, w2) = (v_w1·v_w2 - u_w1·u_w2) / (|v_w1| |v_w2|)       `common` to all words
               + Σ_c a_c(w1) a_c(w2) / (|v_w1| |v_w2|)            the `contributions`

A context contributes much if both words go with it, or if both avoid it; less than nothing if they differ. If the
contexts do not span the space (fewer contexts than dimensions), what they leave out is `unexplained`.
"""

from typing import NamedTuple

import numpy as np

from pairloom.config import check_whole
from pairloom.errors import InputError
from pairloom.explanation.memory_need import check_similarity
from pairloom.explanation.trained import check_explainable, config_of
from pairloom.pairs.cooccurrence import Cooccurrences
from pairloom.system.memory import Budget
from pairloom.types import Float64s
from pairloom.vectors.embedding import Embedding

SMALLEST = 1e-10  # eigenvalues of G below this share of the largest are taken for zero: float32 says no more


class SharedContext(NamedTuple):
    """A context and its part in the cosine of two words."""

    context: str
    contribution: float
    products: tuple[float, float]  # v_c·u_w of the two words: more than the average word has
    counts: tuple[float, float] | None  # #(w, c) of the two words, if the corpus was counted


class SharedContexts(NamedTuple):
    """The cosine of two words, and where it comes from."""

    words: tuple[str, str]
    cosine: float
    common: float  # what all words have in common
    contributions: Float64s  # of all contexts, by row
    unexplained: float  # cosine = common + Σ contributions + unexplained
    sought: list[SharedContext]  # contexts that both go with, more than others do
    avoided: list[SharedContext]  # that both go with less than others do
    apart: list[SharedContext]  # that one goes with and the other avoids
    half: int  # as few contexts as make up half of all positive contributions


def explain_similarity(
    embedding: Embedding,
    a: str,
    b: str,
    *,
    topn: int = 10,
    counts: Cooccurrences | None = None,
    max_memory: int | str | None = None,
) -> SharedContexts:
    """The contexts that make two words alike, and those that set them apart, with their contributions to the cosine.

    max_memory: as of `explain`.
    """
    check_explainable(embedding)
    check_whole("topn", topn, 1, 1_000_000, "10 is usual")
    if counts is not None and not isinstance(counts, Cooccurrences):
        raise InputError(f"Counts cannot be a {type(counts).__name__}. Give those of a corpus, or leave them out.")
    rows = [embedding.words.get_index(word) for word in (a, b)]
    check_similarity(Budget(max_memory), embedding)
    v, u = _vectors(embedding, rows)
    lengths = _lengths(v, (a, b))
    strengths = _strengths(embedding, u)
    contributions = strengths.prod(axis=0) / lengths
    cosine, common = float(v[0] @ v[1] / lengths), float((v[0] @ v[1] - u[0] @ u[1]) / lengths)

    def listed(which: Float64s, order: Float64s) -> list[SharedContext]:
        chosen = np.flatnonzero(which)[np.argsort(order[which], kind="stable")][:topn]
        return [_shared(embedding, rows, u, c, contributions, counts) for c in chosen.tolist()]

    alike = contributions > 0
    return SharedContexts(
        words=(a, b),
        cosine=cosine,
        common=common,
        contributions=contributions,
        unexplained=cosine - common - float(contributions.sum()),
        sought=listed(alike & (strengths[0] > 0), -contributions),
        avoided=listed(alike & (strengths[0] < 0), -contributions),
        apart=listed(contributions < 0, contributions),
        half=_half(np.sort(contributions)[::-1]),
    )


def _vectors(embedding: Embedding, rows: list[int]) -> tuple[Float64s, Float64s]:
    """v_w and u_w of two words."""
    v = embedding.words.vectors[rows].astype(np.float64)
    return v, v - embedding.words.vectors.mean(axis=0, dtype=np.float64)


def _lengths(v: Float64s, words: tuple[str, str]) -> float:
    """|v_w1| |v_w2|"""
    norms = np.sqrt((v * v).sum(axis=1))
    for norm, word in zip(norms, words, strict=True):
        if not norm > 0:
            raise InputError(f"The vector of {word!r} is zero, so it has no cosine. Train the model on more text.")
    return float(norms.prod())


def _strengths(embedding: Embedding, u: Float64s) -> Float64s:
    """a_c(w) for two words and all contexts."""
    C = embedding.contexts.vectors.astype(np.float64)
    weights = np.maximum(embedding.contexts.counts, 1) ** config_of(embedding).noise_power  # unknown counts are alike
    C *= np.sqrt(weights / weights.sum())[:, None]
    strengths: Float64s = (C @ (_inverse_root(C.T @ C) @ u.T)).T
    return strengths


def _inverse_root(G: Float64s) -> Float64s:
    """G^(-1/2), where G is not zero."""
    values, directions = np.linalg.eigh(G)
    large = values > SMALLEST * values[-1]
    root: Float64s = (directions[:, large] / np.sqrt(values[large])) @ directions[:, large].T
    return root


def _half(contributions: Float64s) -> int:
    """How many of the largest contributions make up half of the positive ones.

    >>> _half(np.array([3.0, 2.0, 1.0, -1.0]))
    1
    """
    sums = np.cumsum(np.maximum(contributions, 0))
    return int(np.searchsorted(sums, sums[-1] / 2)) + 1


def _shared(
    embedding: Embedding,
    rows: list[int],
    u: Float64s,
    c: int,
    contributions: Float64s,
    counts: Cooccurrences | None,
) -> SharedContext:
    first, second = (u @ embedding.contexts.vectors[c].astype(np.float64)).tolist()
    seen = None if counts is None else (counts.count(rows[0], c), counts.count(rows[1], c))
    return SharedContext(embedding.contexts.words[c], float(contributions[c]), (first, second), seen)
