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

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.method import objective
from pairloom.method.hierarchical import path_loss
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


class Window(NamedTuple):
    """A window that predicts rows of C: its word and drawn words by negative sampling, or the nodes of a path."""

    words: Ids
    rows: Ids
    labels: Floats  # 1 for rows that the window is to be like: its word, or nodes where its path has bit 0
    lr: float


def train_in_batches(W: Floats, C: Floats, batches: list[list[Window]], *, divide: bool = True) -> None:
    """Gradient descent, in place, on batches of windows. The inner products of a batch are taken before the batch
    before it has moved any row. Then its windows move rows, one after the other:

        g_n = lr (label_n - σ(v_n·h))        v_n += g_n h        each word of the window += Σ_n g_n v_n, or 1/m of it
    """
    taken = [_products(W, C, batches[0])] if batches else []
    for number, batch in enumerate(batches):
        if number + 1 < len(batches):
            taken.append(_products(W, C, batches[number + 1]))
        for window, (mean, products) in zip(batch, taken[number], strict=True):
            step = np.zeros_like(mean)
            for n, g in zip(window.rows, window.lr * (window.labels - objective.sigmoid(products)), strict=True):
                step += g * C[n]
                C[n] += g * mean
            np.add.at(W, window.words, step / len(window.words) if divide else step)


def _products(W: Floats, C: Floats, batch: list[Window]) -> list[tuple[Floats, Floats]]:
    """The mean of each window, and its inner products with the rows that the window predicts."""
    means = [mean_of(W, window.words) for window in batch]
    return [(mean, C[window.rows] @ mean) for window, mean in zip(batch, means, strict=True)]
