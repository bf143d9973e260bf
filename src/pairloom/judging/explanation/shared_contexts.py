"""Why two words are similar: their cosine as a sum over contexts.

The objective depends on a word only through its products v_w·v_c with all contexts. All words have their mean μ in
common, and u_w = v_w - μ distinguishes a word from the others. With contexts weighted as training draws them,
G = Σ_c noise(c) v_c v_cᵀ, let

    a_c(w) = √noise(c) v_c · G^(-1/2) u_w        how much more w prefers c than the average word does

G^(-1/2) makes similar contexts share their contribution instead of counting it twice, and the sum is exact:

    Σ_c a_c(w1) a_c(w2) = u_w1 · G^(-1/2) G G^(-1/2) u_w2 = u_w1 · u_w2

So cos(w1, w2) = (v_w1·v_w2 - u_w1·u_w2) / (|v_w1| |v_w2|)       `common` to all words
               + Σ_c a_c(w1) a_c(w2) / (|v_w1| |v_w2|)            the `contributions`

A context contributes much if both words prefer it or both avoid it, and a negative amount if they differ. If the
contexts do not span the space (fewer contexts than dimensions), the remainder is `unexplained`.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from pairloom.config import check_whole
from pairloom.drawing.notebook import card
from pairloom.errors import InputError
from pairloom.judging.explanation.counted_model import check_explainable
from pairloom.judging.explanation.memory_need import check_similarity_memory
from pairloom.pairs.cooccurrence import Cooccurrences
from pairloom.system.display import of_type
from pairloom.system.memory import Budget
from pairloom.types import Float64s
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.record import recorded_config

_ROWS_AT_ONCE = 1024  # 2.5 MB in float64 at dim 300: larger blocks leave the cache, and take half as long again
SMALLEST = 1e-10  # eigenvalues of G below this share of the largest count as zero: float32 is not more precise


class ContextSpace(NamedTuple):
    """What the explanations of all pairs of words of one model have in common. Made by `context_space`."""

    mean: Float64s  # μ, the mean of all v_w
    root: Float64s  # G^(-1/2)
    weights: Float64s  # √noise(c), one for each context


class SharedContext(NamedTuple):
    """A context and its contribution to the cosine of two words."""

    context: str
    contribution: float
    products: tuple[float, float]  # v_c·u_w of the two words: how far above the average word
    counts: tuple[float, float] | None  # #(w, c) of the two words, if the corpus was counted


class SharedContexts(NamedTuple):
    """The cosine of two words, split into contributions of contexts."""

    words: tuple[str, str]
    cosine: float
    common: float  # the part that all words have in common
    contributions: Float64s  # one for each context, by row
    unexplained: float  # cosine = common + Σ contributions + unexplained
    sought: list[SharedContext]  # contexts that both words prefer
    avoided: list[SharedContext]  # contexts that both words avoid
    apart: list[SharedContext]  # contexts that one word prefers and the other avoids
    half: int  # the smallest number of contexts that make up half of all positive contributions

    def __repr__(self) -> str:
        a, b = self.words
        return f"SharedContexts({a!r}, {b!r}, cosine {self.cosine:.4f}, {len(self.contributions):,} contexts)"

    def _repr_html_(self) -> str:
        lists = {"both prefer": self.sought, "both avoid": self.avoided, "they differ": self.apart}
        rows = [[name, s.context, f"{s.contribution:+.4f}"] for name, some in lists.items() for s in some]
        title = f"{self.words[0]} and {self.words[1]}: cosine {self.cosine:.4f}"
        return card(title, rows, ["", "context", "contribution"])


def explain_similarity(
    embedding: Embedding,
    a: str,
    b: str,
    *,
    topn: int = 10,
    counts: Cooccurrences | None = None,
    max_memory: int | str | None = None,
    space: ContextSpace | None = None,
) -> SharedContexts:
    """Find the contexts that make two words similar or different, with their contributions to the cosine.

    topn        how many contexts each of the three lists has at most
    counts      #(w, c), shown beside the contexts; count the model's corpus to get them:
                `counts = pairloom.count_corpus(embedding, "corpus.txt")`
    max_memory  as for `explain`
    space       `context_space(embedding)`, to explain many pairs: it takes most of the time, and is the same for all
    """
    check_explainable(embedding)
    check_whole("topn", topn, 1, 1_000_000, "10 is usual")
    if counts is not None and not isinstance(counts, Cooccurrences):
        raise InputError(f"counts cannot be {of_type(counts)}. Use the result of pairloom.count_corpus, or None.")
    if space is not None and not isinstance(space, ContextSpace):
        raise InputError(f"space cannot be {of_type(space)}. Use the result of context_space(embedding), or None.")
    rows = [embedding.words.get_index(word) for word in (a, b)]
    check_similarity_memory(Budget(max_memory), embedding)
    space = context_space(embedding) if space is None else space
    v = embedding.words.vectors[rows].astype(np.float64)
    u = v - space.mean
    lengths = _lengths(v, (a, b))
    strengths = _strengths(embedding, u, space)
    contributions = strengths.prod(axis=0) / lengths
    cosine, common = float(v[0] @ v[1] / lengths), float((v[0] @ v[1] - u[0] @ u[1]) / lengths)

    def first_contexts(which: Float64s, order: Float64s) -> list[SharedContext]:
        chosen = np.flatnonzero(which)[np.argsort(order[which], kind="stable")][:topn]
        return [_shared_context(embedding, rows, u, c, contributions, counts) for c in chosen.tolist()]

    positive = contributions > 0
    return SharedContexts(
        words=(a, b),
        cosine=cosine,
        common=common,
        contributions=contributions,
        unexplained=cosine - common - float(contributions.sum()),
        sought=first_contexts(positive & (strengths[0] > 0), -contributions),
        avoided=first_contexts(positive & (strengths[0] < 0), -contributions),
        apart=first_contexts(contributions < 0, contributions),
        half=_half(np.sort(contributions)[::-1]),
    )


def context_space(embedding: Embedding) -> ContextSpace:
    """The mean of the words and G^(-1/2), for the explanations of many pairs of words."""
    check_explainable(embedding)
    noise = np.maximum(embedding.contexts.counts, 1) ** recorded_config(embedding.record).noise_power
    weights = np.sqrt(noise / noise.sum())  # without counts all are equal
    C = embedding.contexts.vectors
    G = np.zeros((embedding.dim, embedding.dim))
    for rows in _blocks(len(C)):
        weighted = C[rows] * weights[rows, None]
        G += weighted.T @ weighted
    return ContextSpace(embedding.words.vectors.mean(axis=0, dtype=np.float64), _inverse_root(G), weights)


def _blocks(n: int) -> Iterator[slice]:
    """Blocks of rows that become float64 one at a time: the whole matrix would take twice its own memory."""
    return (slice(start, start + _ROWS_AT_ONCE) for start in range(0, n, _ROWS_AT_ONCE))


def _lengths(v: Float64s, words: tuple[str, str]) -> float:
    """|v_w1| |v_w2|"""
    norms = np.sqrt((v * v).sum(axis=1))
    for norm, word in zip(norms, words, strict=True):
        if not norm > 0:
            raise InputError(f"The vector of {word!r} is zero, so it has no cosine. Train the model on more text.")
    return float(norms.prod())


def _strengths(embedding: Embedding, u: Float64s, space: ContextSpace) -> Float64s:
    """a_c(w) of two words for all contexts."""
    C, directions = embedding.contexts.vectors, space.root @ u.T
    strengths = np.concatenate([C[rows].astype(np.float64) @ directions for rows in _blocks(len(C))])
    return np.ascontiguousarray((strengths * space.weights[:, None]).T)


def _inverse_root(G: Float64s) -> Float64s:
    """G^(-1/2), restricted to the space where G is not zero."""
    values, directions = np.linalg.eigh(G)
    large = values > SMALLEST * values[-1]
    root: Float64s = (directions[:, large] / np.sqrt(values[large])) @ directions[:, large].T
    return root


def _half(contributions: Float64s) -> int:
    """How many of the contributions, largest first, make up half of the positive sum.

    >>> _half(np.array([3.0, 2.0, 1.0, -1.0]))
    1
    """
    sums = np.cumsum(np.maximum(contributions, 0))
    return int(np.searchsorted(sums, sums[-1] / 2)) + 1


def _shared_context(
    embedding: Embedding,
    rows: list[int],
    u: Float64s,
    c: int,
    contributions: Float64s,
    counts: Cooccurrences | None,
) -> SharedContext:
    first, second = (u @ embedding.contexts.vectors[c].astype(np.float64)).tolist()
    counted = None if counts is None else (counts.count(rows[0], c), counts.count(rows[1], c))
    return SharedContext(embedding.contexts.words[c], float(contributions[c]), (first, second), counted)
