"""t-SNE (van der Maaten and Hinton 2008) of unit vectors, by openTSNE's optimiser.

    p_ij  from the cosines of each word to its 90 nearest (perplexity 30)
    q_ij  ∝ 1 / (1 + |y_i - y_j|²)
    the places y minimise Σ_ij p_ij log(p_ij / q_ij), from the principal components on

The neighbours are exact, and found by `vectors/search.py`, so they do not depend on BLAS or threads. Of openTSNE only
the gradient and its descent are used, in one thread. (With two, its 20,000 words take longer on two busy cores: a step
is so short that the threads mostly wait for each other.) So the places have the same bytes for any number of threads.
"""

import warnings
from typing import Any

import numpy as np

from pairloom.maps.nearest import Nearest
from pairloom.method.draws import Purpose, key, uniform
from pairloom.progress import OnProgress, reporter
from pairloom.types import Float64s

PERPLEXITY = 30
LEAST_WORDS = 4  # a perplexity of 1 needs three neighbours
STEPS_TOGETHER, STEPS_APART = 250, 750  # with p_ij exaggerated, and as they are
EXAGGERATION = 12
START_SPREAD = 1e-4  # of the start, so small that the first steps are all attraction
# The side of a cell of the grid for the FFT. For 20,000 words of Wikipedia, side 2 and 750 steps take 32 s and end with
# a divergence of 2.87 and 32.1 % of each word's ten nearest on the map; side 1 and 500 steps 70 s, 2.81 and 32.5 %.
GRID = 2.0
BY_FFT = 2500  # words from which on repulsion by FFT is faster than by a tree (Barnes and Hut)
JITTER = 0.01  # of the start's spread, so that equal vectors do not stay in one place


def neighbours_for(n: int) -> int:
    """How many neighbours each of n words takes part with: three times the perplexity, as is usual."""
    return min(n - 1, 3 * PERPLEXITY)


def tsne(start: Float64s, near: Nearest, seed: int, on_progress: OnProgress) -> Float64s:
    """The places of words, from a start and their neighbours."""
    from openTSNE import TSNEEmbedding

    gradient = "fft" if len(start) >= BY_FFT else "bh"
    how = {"negative_gradient_method": gradient, "ints_in_interval": GRID, "n_jobs": 1}
    embedding = TSNEEmbedding(_start(start, seed), _affinities(near), **how)
    report = reporter("layout", STEPS_TOGETHER + STEPS_APART, on_progress)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for done, steps, options in (
            (0, STEPS_TOGETHER, {"exaggeration": EXAGGERATION, "momentum": 0.5}),
            (STEPS_TOGETHER, STEPS_APART, {"momentum": 0.8}),
        ):
            embedding.optimize(
                steps,
                inplace=True,
                callbacks=lambda step, _error, _places, done=done: report(done + step),
                callbacks_every_iters=10,
                **options,
            )
    return np.array(embedding, np.float64)


def _affinities(near: Nearest) -> Any:
    from openTSNE.affinity import PrecomputedAffinities, joint_probabilities_nn

    perplexity = min(float(PERPLEXITY), near.cosines.shape[1] / 3)
    distances = np.sqrt(np.maximum(2 - 2 * near.cosines, 0))  # between unit vectors
    P = joint_probabilities_nn(near.positions.astype(np.int32), distances, [perplexity], n_jobs=1)
    P.sort_indices()  # the order in which attractions are summed
    return PrecomputedAffinities(P, normalize=False)


def _start(start: Float64s, seed: int) -> Float64s:
    """The start with a spread of START_SPREAD along its first axis, and a little noise."""
    spread = float(start[:, 0].std()) or 1.0
    noise = uniform(key(seed, Purpose.PLACE), np.arange(start.size)).reshape(start.shape) - 0.5
    return (start / spread + JITTER * noise) * START_SPREAD
