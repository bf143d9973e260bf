"""How alike words are: cosines of pairs and within lists, and the distance between two documents."""

import math
from collections.abc import Iterable, Sequence, Sized

import numpy as np

from pairloom.errors import InputError
from pairloom.system.display import quoted
from pairloom.system.extras import need
from pairloom.types import Float64s
from pairloom.vectors.query import WordVectors, item_vector, unit
from pairloom.vectors.search import Neighbours


def cosine(a: Float64s, b: Float64s) -> float:
    """The cosine of two unit vectors, clipped to [-1, 1] against rounding."""
    return float(np.clip((a * b).sum(), -1.0, 1.0))


def relative_cosine(similarity: float, word: str, neighbours: Neighbours) -> float:
    """A cosine of a word, divided by the sum of the cosines of its neighbours."""
    total = math.fsum(cosine for _, cosine in neighbours)
    if total == 0:
        raise InputError(f"The words nearest to {quoted(word)} have cosines that add up to 0. Use another topn.")
    return similarity / total


def by_centrality(vectors: WordVectors, words: Sequence[str], normalize: bool) -> list[tuple[float, str]]:
    """(product with the direction of their mean, word) for each word, the most central first."""
    if isinstance(words, str) or not isinstance(words, Sized) or not words:
        raise InputError("Give a list of words, two or more.")
    rows = np.array([item_vector(vectors, word, normalize) for word in words])
    mean = unit(rows.mean(axis=0))
    products = [cosine(row, mean) if normalize else float((row * mean).sum()) for row in rows]
    return sorted(zip(products, words, strict=True), reverse=True)


def word_movers_distance(vectors: WordVectors, document: Sequence[str], other: Sequence[str], normalize: bool) -> float:
    """The least cost of moving the words of one document to those of the other: see `Vectors.wmdistance`."""
    ot = need("ot", "wmd", "Word Mover's Distance")
    shares, other_shares = (_shares(vectors, list_of_words(words)) for words in (document, other))
    if not shares or not other_shares:
        return math.inf
    rows, other_rows = (_rows_for_distance(vectors, words, normalize) for words in (shares, other_shares))
    costs = np.sqrt(((rows[:, None] - other_rows[None]) ** 2).sum(axis=2))
    return float(ot.emd2(list(shares.values()), list(other_shares.values()), costs))


def list_of_words(words: object) -> list[str]:
    """Words as a list. A single string is refused: as a list it would be its letters."""
    if isinstance(words, str) or not isinstance(words, Iterable):
        raise InputError(f"{quoted(words)} is not a list of words. Give a list of strings.")
    return list(words)


def _shares(vectors: WordVectors, words: list[str]) -> dict[str, float]:
    """The share that each known word has of all known words of a document."""
    known = [word for word in words if vectors.has_vector(word)]
    shares = dict.fromkeys(known, 0.0)
    for word in known:
        shares[word] += 1 / len(known)
    return shares


def _rows_for_distance(vectors: WordVectors, words: Iterable[str], normalize: bool) -> Float64s:
    # Rounded to float32 as `get_vector` does, whose vectors gensim compares too.
    return np.array([item_vector(vectors, word, normalize).astype(np.float32) for word in words], np.float64)
