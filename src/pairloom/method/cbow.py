"""CBOW, the continuous bag of words (Mikolov et al. 2013): all words around a place together predict the word there.

    h = (1/m) Σ_j v_wj          the mean of the m words in the window
    p(D=1 | w_1 .. w_m, c) = σ(v_c·h)                  by negative sampling, or
    p(c | w_1 .. w_m) = Π_n σ(±v_n·h)                  by hierarchical softmax

So h takes the place of skip-gram's v_w, and the loss is that of `objective.py` or `hierarchical.py`. W has the words
that are averaged. These are the vectors that users mean, as in word2vec (syn0). C has the words that are predicted.

Since h is a mean, the derivative of the loss by each v_wj is 1/m of the derivative by h. word2vec, gensim and fastText
leave out the 1/m, so in a window of m words each word's step is m times as long (İrsoy, Benton and Stratos 2021 show
the cost). `divide` chooses between the two.

These definitions are in float64 NumPy. `kernel/steps/cbow.py` is tested against them.
"""

import numpy as np
import numpy.typing as npt

from pairloom.method import objective
from pairloom.method.hierarchical import path_loss, path_step
from pairloom.method.objective import Floats
from pairloom.types import Ids


def mean_of(W: Floats, window: Ids) -> Floats:
    """h. A word that is in the window twice counts twice.

    >>> mean_of(np.array([[3.0], [0.0]]), np.array([0, 0, 1]))
    array([2.])
    """
    return np.asarray(W[window].mean(axis=0))


def negative_loss(W: Floats, C: Floats, window: Ids, c: int, drawn: Ids) -> float:
    """-[ log σ(v_c·h) + Σ_j log σ(-v_cj·h) ], with k drawn words c_j"""
    return objective.example_loss(mean_of(W, window), C[c], C[drawn])


def hierarchical_loss(W: Floats, N: Floats, window: Ids, nodes: Ids, bits: npt.NDArray[np.int8]) -> float:
    """-log p(c | window), where the path to c has these nodes and bits."""
    return path_loss(mean_of(W, window), N[nodes], bits)


def negative_step(
    W: Floats, C: Floats, windows: list[Ids], c: Ids, drawn: Ids, lr: float, *, divide: bool = True
) -> None:
    """One step of gradient descent, in place, on windows that predict the words c_b and share the drawn words.

    The means step as the v_w of `objective.batch_step` do. Then every word of a window takes its share of that step.
    """
    means = np.array([mean_of(W, window) for window in windows])
    moved = means.copy()
    objective.batch_step(moved, C, np.arange(len(c), dtype=np.int32), c, drawn, lr)
    for window, step in zip(windows, moved - means, strict=True):
        _move(W, window, step, divide)


def hierarchical_step(
    W: Floats, N: Floats, window: Ids, nodes: Ids, bits: npt.NDArray[np.int8], lr: float, *, divide: bool = True
) -> None:
    """One step of gradient descent, in place, on a window that predicts the word at the end of this path."""
    mean = mean_of(W, window)
    moved = mean[None].copy()
    path_step(moved, N, np.zeros(1, np.int32), nodes, bits, lr)
    _move(W, window, moved[0] - mean, divide)


def _move(W: Floats, window: Ids, step: Floats, divide: bool) -> None:
    np.add.at(W, window, step / len(window) if divide else step)
