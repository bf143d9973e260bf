"""A place on a map for every word: t-SNE, or principal components.

t-SNE arranges the MAPPED most frequent words. The others are placed among them. Of the K mapped words nearest to a
word, one is the centre: the i with the least

    Σ_j log(1 + |y_i - y_j|² / REACH²),  over these K words j, that is, with most of the others close to it

The word is put at the mean of those within 3 REACH of the centre, and moved a little at random, so that words whose
neighbours are the same do not cover each other. The ten nearest on the map of Wikipedia's rarer words then have 2.8 of
the ten nearest by cosine. At the place of the nearest mapped word they have 2.2, and at a mean of all ten, weighted by
cosines, 0.7: such a mean is in the empty space between groups.
"""

from typing import Literal

import numpy as np

from pairloom.config import check_choice, check_whole, checked_threads
from pairloom.errors import InputError
from pairloom.maps.components import Components, components_of, unit_rows
from pairloom.maps.nearest import Nearest, nearest_mapped
from pairloom.maps.tsne import LEAST_WORDS, neighbours_for, tsne
from pairloom.method.draws import Purpose, key, uniform
from pairloom.progress import OnProgress, Progress, ignore
from pairloom.system.display import number_of
from pairloom.system.extras import need
from pairloom.system.threads import one_thread
from pairloom.types import Float64s, Matrix, Rows
from pairloom.vectors.embedding import Embedding, as_vectors
from pairloom.vectors.vectors import Vectors

Method = Literal["auto", "tsne", "pca"]

MAPPED = 20_000
FEW = 50  # with fewer words, t-SNE has too few neighbours to show more than principal components do
K = 10
REACH = 0.005
NOISE = 0.004  # about the distance between neighbours in a map of 20,000 words
ROWS_AT_ONCE = 1 << 14


def coordinates(
    vectors: Vectors | Embedding,
    method: Method = "auto",
    *,
    seed: int = 1,
    threads: int | None = None,
    on_progress: OnProgress = ignore,
) -> Matrix:
    """float32 (len(vectors), 2), every value in [-1, 1], same bytes for any number of threads.

    method  "tsne" shows which words belong together, and needs the extra `map`; "pca" is fast and shows the two main
            directions only; "auto" is "tsne" if it is installed and there are at least 50 words, otherwise "pca"
    seed    another seed gives another map by t-SNE that is about as good; principal components have no randomness

    Only directions count: vectors are taken at length 1. Of more than 20,000 words, the 20,000 most frequent make the
    map, and the others are placed beside the words that they are most like (see above).
    """
    vectors = as_vectors(vectors)
    places = np.empty((len(vectors), 2), np.float32)
    places[by_falling_count(vectors)] = places_of(
        vectors, len(vectors), method, seed=seed, threads=threads, on_progress=on_progress
    )
    return places


def by_falling_count(vectors: Vectors) -> Rows:
    """The rows of the most frequent words first. Without counts, this is the order of the rows."""
    order: Rows = np.argsort(-vectors.counts, kind="stable")
    return order


def places_of(
    vectors: Vectors, n: int, method: Method, *, seed: int, threads: int | None, on_progress: OnProgress
) -> Matrix:
    """The `coordinates` of the n most frequent words, the most frequent first; n is at least MAPPED, or all."""
    threads = checked_threads(threads)
    check_whole("seed", seed, 0, 2**32 - 1, "another seed gives another map")
    method = resolved(method, len(vectors))
    if not n:
        return np.empty((0, 2), np.float32)
    if method == "tsne":
        need("openTSNE", "map", "t-SNE")
    order = by_falling_count(vectors)[:n]
    on_progress(Progress(stage="compile"))
    components = components_of(vectors, order[:MAPPED])
    if method == "pca":
        return _scaled(_projected(vectors, order, components))
    with one_thread():  # BLAS only: the search below has threads of its own
        return _by_tsne(vectors, order, components, int(seed), threads, on_progress)


def resolved(method: Method, n: int) -> Literal["tsne", "pca"]:
    """The method that "auto" stands for. Refuses t-SNE of too few words."""
    check_choice("method", method, Method)
    if method == "tsne" and n < LEAST_WORDS:
        raise InputError(f"t-SNE needs at least {LEAST_WORDS} words, and here are {number_of(n, 'word')}. Use pca.")
    if method != "auto":
        return method
    from importlib.util import find_spec

    return "tsne" if n >= FEW and find_spec("openTSNE") else "pca"


def _by_tsne(
    vectors: Vectors, order: Rows, components: Components, seed: int, threads: int, on_progress: OnProgress
) -> Matrix:
    mapped, others = order[:MAPPED], order[MAPPED:]
    k = neighbours_for(len(mapped))
    near = nearest_mapped(vectors, mapped, mapped, k, threads, "neighbours", on_progress)
    places = _scaled(tsne(components.project(unit_rows(vectors, mapped)), near, seed, on_progress))
    if not len(others):
        return places
    beside = nearest_mapped(vectors, others, mapped, K, threads, "place", on_progress)
    return np.concatenate([places, _placed(beside, places, seed)])


def _placed(beside: Nearest, places: Matrix, seed: int) -> Matrix:
    """The places of words among those of their nearest, as explained above."""
    y = np.empty((len(beside.positions), 2))
    for start in range(0, len(y), ROWS_AT_ONCE):
        near = places[beside.positions[start : start + ROWS_AT_ONCE]].astype(np.float64)
        squares = ((near[:, :, None] - near[:, None]) ** 2).sum(axis=3)  # (rows, K, K)
        centre = np.log1p(squares / REACH**2).sum(axis=2).argmin(axis=1)
        close = (squares[np.arange(len(near)), centre] <= (3 * REACH) ** 2)[:, :, None]
        y[start : start + ROWS_AT_ONCE] = (near * close).sum(axis=1) / close.sum(axis=1)
    y += NOISE * (2 * uniform(key(seed, Purpose.PLACE), np.arange(y.size)).reshape(y.shape) - 1)
    return np.clip(y, -1, 1).astype(np.float32)


def _projected(vectors: Vectors, rows: Rows, components: Components) -> Float64s:
    pieces = [rows[start : start + ROWS_AT_ONCE] for start in range(0, len(rows), ROWS_AT_ONCE)]
    return np.concatenate([components.project(unit_rows(vectors, piece)) for piece in pieces])


def _scaled(places: Float64s) -> Matrix:
    """Places moved and scaled to fill [-1, 1] in the wider direction, and to be centred in the other."""
    low, high = places.min(axis=0), places.max(axis=0)
    half = float((high - low).max()) / 2
    middle = (low + high) / 2
    scaled: Matrix = np.clip((places - middle) / (half or 1.0), -1, 1).astype(np.float32)
    return scaled
