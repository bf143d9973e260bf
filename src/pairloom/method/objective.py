"""Section 2 of the paper: what is learnt from pairs.

    p(D=1 | w, c) = σ(v_c·v_w)                                  the pair came from the text
    maximise  Σ_{(w,c) in D} log σ(v_c·v_w) + Σ_{(w,c) in D'} log σ(-v_c·v_w)

Without D' there is a trivial solution: if all vectors are equal and v·v is large, every probability is close to 1. D'
rules it out. A *loss* here is the negated objective: smaller is better.

    pair_loss, example_loss, corpus_loss    the loss of one pair, of a pair with its drawn contexts, of the corpus
    batch_step, six_step                    the gradient step
    softmax_loss, softmax_gradient          equation (3), which negative sampling replaces

These definitions are in float64 NumPy. The kernels (`kernel/steps/sgns.py`, `kernel/loss.py`) are tested against them.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.types import Ids, Matrix

Floats = npt.NDArray[np.float64]

ADAGRAD_FLOOR = 1e-8  # avoids 0 / 0 for a number whose gradient was always 0


def sigmoid(x: npt.ArrayLike) -> Floats:
    """σ(x) = 1 / (1 + e^-x), without overflow for any x.

    >>> sigmoid([0.0, 800.0, -800.0])
    array([0.5, 1. , 0. ])
    """
    return np.exp(log_sigmoid(x))


def log_sigmoid(x: npt.ArrayLike) -> Floats:
    """log σ(x) = -log(1 + e^-x)"""
    return np.asarray(-np.logaddexp(0.0, -np.asarray(x, np.float64)))


# --- The loss


def pair_loss(v_w: Floats, v_c: Floats, label: int) -> tuple[float, float]:
    """The loss of one pair, and its slope: the derivative with respect to v_c·v_w.

    label 1, (w, c) in D:   -log σ(v_c·v_w)
    label 0, (w, c) in D':  -log σ(-v_c·v_w)

    Both have the slope σ(v_c·v_w) - label, so that
        ∂loss/∂v_w = slope * v_c        ∂loss/∂v_c = slope * v_w

    >>> v_w, v_c = np.array([1.0, 0.0]), np.array([0.0, 1.0])  # a product of 0, so σ is a half
    >>> pair_loss(v_w, v_c, label=1)
    (0.6931471805599453, -0.5)
    """
    x = float(v_c @ v_w)
    return float(-log_sigmoid(x if label else -x)), float(sigmoid(x)) - label


def example_loss(v_w: Floats, v_c: Floats, drawn: Floats) -> float:
    """Mikolov et al.'s equation (4), for one (w, c) of D and its k drawn contexts c_1 .. c_k (the rows of `drawn`):

    -[ log σ(v_c·v_w) + Σ_j log σ(-v_cj·v_w) ]
    """
    return pair_loss(v_w, v_c, 1)[0] + sum(pair_loss(v_w, v_cj, 0)[0] for v_cj in drawn)


def corpus_loss(W: Matrix, C: Matrix, w: Ids, c: Ids, drawn: Ids) -> float:
    """The objective of all of D and D', negated and divided by |D|: the mean of `example_loss`.

    w, c: the pairs of D. drawn: (|D|, k), the contexts that D' pairs with each w.
    """
    total = 0.0
    rows = max(1, 2**21 // (W.shape[1] * (drawn.shape[1] + 1)))  # 16 MB of gathered float64
    for at in range(0, len(w), rows):
        some = slice(at, at + rows)
        v_w = W[w[some]].astype(np.float64)
        v_c = C[c[some]].astype(np.float64)
        v_n = C[drawn[some]].astype(np.float64)
        total -= log_sigmoid((v_c * v_w).sum(axis=1)).sum()
        total -= log_sigmoid(-np.einsum("bkd,bd->bk", v_n, v_w)).sum()  # not @: the bits of BLAS depend on the CPU
    return float(total / len(w))


# --- The gradient step


class NoiseWeights(NamedTuple):
    """What a step with a drawn context counts for, so that D' has the stated noise although draws come from parts.

    A pair (w, c) draws contexts from the part of c only. Any other context n is in that part in a share `together` of
    all rounds, so it is drawn from noise(n) / together, and on average over the rounds from noise(n). But c itself is
    always in its own part: a step in which c was drawn for one of its own pairs counts `together` times.
    These numbers do not add up to 1 in every part. They add up to `drawn`, which every step with a drawn context
    therefore counts for (`pairs.parts` has both numbers). Without parts both are 1.
    """

    drawn: float = 1.0
    together: float = 1.0


PLAIN = NoiseWeights()


def batch_step(
    W: Floats,
    C: Floats,
    w: Ids,
    c: Ids,
    drawn: Ids,
    lr: float,
    weights: NoiseWeights = PLAIN,
    frozen: str | None = None,
) -> None:
    """One step of gradient descent, in place, on pairs (w_b, c_b) that share the drawn contexts n_1 .. n_k.

        loss = Σ_b [ -log σ(v_cb·v_wb) - Σ_j weight_bj log σ(-v_nj·v_wb) ]

    Each weight_bj is 1, except in parts (`NoiseWeights`). As in the paper, a drawn context may be the pair's own
    (word2vec leaves such draws out). All slopes are taken before the step. Then the contexts step one after the other,
    first the pairs' own and then the drawn ones. Before a context moves, it adds its share to the step of every v_w.
    The v_w move last. If no row occurs twice, this is the plain gradient step. If one does, it takes one step after the
    other, and none is lost.

    frozen: "words" or "contexts" do not step. The loss is then that of a logistic regression, and convex, as the paper
    remarks.

    >>> W, C = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0], [0.0, -2.0]])
    >>> batch_step(W, C, w=np.array([0]), c=np.array([0]), drawn=np.array([1]), lr=0.1)
    >>> W  # closer to v_0, which is its context, and away from v_1, which was drawn
    array([[1.  , 0.15]])
    >>> C
    array([[ 0.05,  1.  ],
           [-0.05, -2.  ]])
    """
    pair = np.arange(len(w))
    own = [(c[b], (pair == b) * (sigmoid(W[w[b]] @ C[c[b]]) - 1.0)) for b in pair]
    _descend(W, C, w, own + _slopes_of_drawn(W, C, w, c, drawn, weights), lr, frozen)


def six_step(
    W: Floats,
    C: Floats,
    w: Ids,
    c: int,
    drawn: Ids,
    lr: float,
    weights: NoiseWeights = PLAIN,
    frozen: str | None = None,
) -> None:
    """`batch_step` for pairs (w_b, c) that all have the context c. Its row moves once, for all of them together."""
    own = [(c, sigmoid(W[w] @ C[c]) - 1.0)]
    _descend(W, C, w, own + _slopes_of_drawn(W, C, w, np.full(len(w), c), drawn, weights), lr, frozen)


Slopes = list[tuple[int, Floats]]  # contexts, each with the slopes of its inner products with the v_w


def _slopes_of_drawn(W: Floats, C: Floats, w: Ids, c: Ids, drawn: Ids, weights: NoiseWeights) -> Slopes:
    own = np.where(c == drawn[:, None], weights.together, 1.0)
    return [(n, weights.drawn * own[j] * sigmoid(W[w] @ C[n])) for j, n in enumerate(drawn)]


def _descend(W: Floats, C: Floats, w: Ids, slopes: Slopes, lr: float, frozen: str | None) -> None:
    before = W[w]  # a copy
    share = np.zeros_like(before)
    for context, slope in slopes:
        share += np.outer(slope, C[context])
        if frozen != "contexts":
            C[context] -= lr * (slope @ before)
    if frozen != "words":
        np.subtract.at(W, w, lr * share)


# --- Equation (3): the softmax that negative sampling replaces


def softmax_loss(v_w: Floats, C: Floats, counts: Floats) -> float:
    """The terms of w in the log-likelihood (4), negated: -Σ_c n(w,c) log p(c | w), where n(w,c) counts its pairs in D.

        log p(c | w) = v_c·v_w - log Σ_c' e^(v_c'·v_w)

    The sum is over all contexts c', which makes the softmax "expensive to compute".
    """
    x = C @ v_w
    return float(counts.sum() * np.logaddexp.reduce(x) - counts @ x)


def softmax_gradient(v_w: Floats, C: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """The derivatives of `softmax_loss` with respect to v_w and C.

    The slope in v_c·v_w is n(w) p(c | w) - n(w,c): the count that the model expects, minus the observed count.
    """
    x = C @ v_w
    slope = counts.sum() * np.exp(x - np.logaddexp.reduce(x)) - counts
    return slope @ C, np.outer(slope, v_w)


def adagrad(x: Floats, gradient: Floats, squares: Floats, lr: float) -> None:
    """Duchi et al. (2011), in place: each number has its own rate, lr over the root of its summed squared gradients.

    So counts need no scaling, whether a word occurs five times or a million times.
    """
    squares += gradient**2
    x -= lr * gradient / np.sqrt(squares + ADAGRAD_FLOOR)
