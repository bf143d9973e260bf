"""CBOW, the continuous bag of words (Mikolov et al. 2013): the words around a place predict the word in it, together.

    h = (1/m) Σ_j v_wj          the mean of the m words in the window
    p(D=1 | w_1 .. w_m, c) = σ(v_c·h)                  by negative sampling, or
    p(c | w_1 .. w_m) = Π_n σ(±v_n·h)                  by hierarchical softmax

So h stands where skip-gram has v_w, and the loss is that of `objective.py` or `hierarchical.py`. W has the words that
are averaged: these are the vectors that users mean, here as in word2vec (syn0). C has the words that are predicted.

Since h is a mean, the derivative of the loss by each v_wj is 1/m of that by h. word2vec, gensim and fastText leave the
1/m out, which makes the step of a word m times as long in a window of m (İrsoy, Benton and Stratos 2021 show what it
costs). `divide` says which.

Definitions in float64 NumPy; `kernel/cbow.py` is held to them.
"""

import numpy as np
import numpy.typing as npt

from pairloom.method import objective
from pairloom.method.hierarchical import way_loss, way_step
from pairloom.method.objective import Floats
from pairloom.types import Ids


def mean_of(W: Floats, window: Ids) -> Floats:
    """h; a word that is in the window twice counts twice."""
    return np.asarray(W[window].mean(axis=0))


def negative_loss(W: Floats, C: Floats, window: Ids, c: int, drawn: Ids) -> float:
    """-[ log σ(v_c·h) + Σ_j log σ(-v_cj·h) ], with k drawn words c_j"""
    return objective.example_loss(mean_of(W, window), C[c], C[drawn])


def hierarchical_loss(W: Floats, N: Floats, window: Ids, nodes: Ids, bits: npt.NDArray[np.int8]) -> float:
    """-log p(c | window), where the way to c has these nodes and bits."""
    return way_loss(mean_of(W, window), N[nodes], bits)


def negative_step(
    W: Floats, C: Floats, windows: list[Ids], c: Ids, drawn: Ids, lr: float, *, divide: bool = True
) -> None:
    """One step of gradient descent, in place, on windows that predict the words c_b and share the drawn words.

    The means step as the v_w of `objective.batch_step` do; then every word of a window takes its share of that step.
    """
    means = np.array([mean_of(W, window) for window in windows])
    moved = means.copy()
    objective.batch_step(moved, C, np.arange(len(c), dtype=np.int32), c, drawn, lr)
    for window, step in zip(windows, moved - means, strict=True):
        _move(W, window, step, divide)


def hierarchical_step(
    W: Floats, N: Floats, window: Ids, nodes: Ids, bits: npt.NDArray[np.int8], lr: float, *, divide: bool = True
) -> None:
    """The same for one window and the way to its word."""
    mean = mean_of(W, window)
    moved = mean[None].copy()
    way_step(moved, N, np.zeros(1, np.int32), nodes, bits, lr)
    _move(W, window, moved[0] - mean, divide)


def _move(W: Floats, window: Ids, step: Floats, divide: bool) -> None:
    np.add.at(W, window, step / len(window) if divide else step)
