"""A place on a map for every word: t-SNE, or principal components.

t-SNE arranges the MAPPED most frequent words. The others are placed among them:

    y_w = Σ_i a_i y_i + a little noise,  over the K nearest mapped words i,  a_i ∝ e^((cos_i - cos_1) / SOFTNESS)

where cos_1 is the largest of the cosines. So a rare word stands beside the word that it is most like, and words whose
neighbours are the same do not cover each other.
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
K = 5
SOFTNESS = 0.02
NOISE = 0.004  # of the width of the map: about the distance between neighbours in a map of 20,000 words
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
    vectors, threads = as_vectors(vectors), checked_threads(threads)
    check_whole("seed", seed, 0, 2**32 - 1, "another seed gives another map")
    method = resolved(method, len(vectors))
    if not len(vectors):
        return np.empty((0, 2), np.float32)
    order: Rows = np.argsort(-vectors.counts, kind="stable")  # without counts, the order of the rows
    if method == "tsne":
        need("openTSNE", "map", "t-SNE")
    on_progress(Progress(stage="compile"))
    components = components_of(vectors, order[:MAPPED])
    if method == "pca":
        return _scaled(_projected(vectors, components))
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
    everywhere = np.empty((len(vectors), 2), np.float32)
    everywhere[mapped] = places
    if len(others):
        beside = nearest_mapped(vectors, others, mapped, K, threads, "place", on_progress)
        everywhere[others] = _placed(beside, places, seed)
    return everywhere


def _placed(beside: Nearest, places: Matrix, seed: int) -> Float64s:
    """The places of words beside those of their nearest, by the formula above."""
    weights = np.exp((beside.cosines - beside.cosines[:, :1]) / SOFTNESS)
    weights /= weights.sum(axis=1, keepdims=True)
    drawn = uniform(key(seed, Purpose.PLACE), np.arange(2 * len(weights))).reshape(-1, 2)
    y = NOISE * (2 * drawn - 1)
    for i in range(weights.shape[1]):
        y += weights[:, i, None] * places[beside.positions[:, i]]
    return np.clip(y, -1, 1)


def _projected(vectors: Vectors, components: Components) -> Float64s:
    return np.concatenate(
        [
            components.project(unit_rows(vectors, np.arange(start, min(start + ROWS_AT_ONCE, len(vectors)))))
            for start in range(0, len(vectors), ROWS_AT_ONCE)
        ]
    )


def _scaled(places: Float64s) -> Matrix:
    """Places moved and scaled to fill [-1, 1] in the wider direction, and to be centred in the other."""
    low, high = places.min(axis=0), places.max(axis=0)
    half = float((high - low).max()) / 2
    middle = (low + high) / 2
    scaled: Matrix = np.clip((places - middle) / (half or 1.0), -1, 1).astype(np.float32)
    return scaled
