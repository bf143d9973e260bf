"""Section 2 of the paper: what is learnt from pairs. Definitions in float64 NumPy; `kernel/sgns.py` is held to them.

    p(D=1 | w, c) = σ(v_c·v_w)                                  the pair came from the text
    maximise  Σ_{(w,c) in D} log σ(v_c·v_w) + Σ_{(w,c) in D'} log σ(-v_c·v_w)

Without D' there is a trivial solution: all vectors equal and v·v large makes every probability 1. D' prevents it.
A *loss* here is the objective's negative: smaller is better.
"""

import numpy as np
import numpy.typing as npt

from pairloom.types import Ids, Matrix

Floats = npt.NDArray[np.float64]

ADAGRAD_FLOOR = 1e-8  # a number whose gradient was always 0 stays where it is


def sigmoid(x: npt.ArrayLike) -> Floats:
    """σ(x) = 1 / (1 + e^-x), without overflow for any x."""
    return np.exp(log_sigmoid(x))


def log_sigmoid(x: npt.ArrayLike) -> Floats:
    """log σ(x) = -log(1 + e^-x)"""
    return np.asarray(-np.logaddexp(0.0, -np.asarray(x, np.float64)))


def pair_loss(v_w: Floats, v_c: Floats, label: int) -> tuple[float, float]:
    """Loss of one pair and its slope in v_c·v_w.

    label 1, (w, c) in D:   -log σ(v_c·v_w)
    label 0, (w, c) in D':  -log σ(-v_c·v_w)

    Both have the slope σ(v_c·v_w) - label, so that
        ∂loss/∂v_w = slope * v_c        ∂loss/∂v_c = slope * v_w
    """
    x = float(v_c @ v_w)
    return float(-log_sigmoid(x if label else -x)), float(sigmoid(x)) - label


def example_loss(v_w: Floats, v_c: Floats, drawn: Floats) -> float:
    """Mikolov et al.'s equation (4), for one (w, c) of D and its k drawn contexts c_1 .. c_k (the rows of `drawn`):

    -[ log σ(v_c·v_w) + Σ_j log σ(-v_cj·v_w) ]
    """
    return pair_loss(v_w, v_c, 1)[0] + sum(pair_loss(v_w, v_cj, 0)[0] for v_cj in drawn)


def corpus_loss(W: Matrix, C: Matrix, w: Ids, c: Ids, drawn: Ids) -> float:
    """The objective of the whole of D and D', negated and divided by |D|: the mean of `example_loss`.

    w, c: the pairs of D, one per row; drawn: (|D|, k), the contexts that D' pairs with each w.
    """
    total = 0.0
    rows = max(1, 2**21 // (W.shape[1] * (drawn.shape[1] + 1)))  # 16 MB of gathered float64
    for at in range(0, len(w), rows):
        some = slice(at, at + rows)
        v_w = W[w[some]].astype(np.float64)
        v_c = C[c[some]].astype(np.float64)
        v_n = C[drawn[some]].astype(np.float64)
        total -= log_sigmoid((v_c * v_w).sum(axis=1)).sum()
        total -= log_sigmoid(-np.einsum("bkd,bd->bk", v_n, v_w)).sum()  # not @: BLAS has other bits on another CPU
    return float(total / len(w))


def batch_step(W: Floats, C: Floats, w: Ids, c: Ids, drawn: Ids, lr: float, frozen: str | None = None) -> None:
    """One step of gradient descent, in place, on pairs (w_b, c_b) that share the drawn contexts n_1 .. n_k.

    The loss is Σ_b [ -log σ(v_cb·v_wb) - Σ_{j: n_j != c_b} log σ(-v_nj·v_wb) ]. All slopes are those from before the
    step. The contexts then step one after the other, the pairs' own first, each giving every v_w its share; the v_w
    step last. Where no row occurs twice this is the plain gradient step; where one does, no step is lost. frozen:
    "words" or "contexts", which then do not step. With one side frozen the loss is that of a logistic regression, and
    convex, as the paper remarks.
    """
    pair = np.arange(len(w))
    own = [(c[b], (pair == b) * (sigmoid(W[w[b]] @ C[c[b]]) - 1.0)) for b in pair]
    _descend(W, C, w, c, own, drawn, lr, frozen)


def six_step(W: Floats, C: Floats, w: Ids, c: int, drawn: Ids, lr: float, frozen: str | None = None) -> None:
    """`batch_step` for pairs (w_b, c) of one context, which steps for all of them at once."""
    _descend(W, C, w, np.full(len(w), c), [(c, sigmoid(W[w] @ C[c]) - 1.0)], drawn, lr, frozen)


def _descend(
    W: Floats,
    C: Floats,
    w: Ids,
    c: Ids,
    own: list[tuple[int, Floats]],
    drawn: Ids,
    lr: float,
    frozen: str | None,
) -> None:
    """own: the pairs' own contexts, each with the slopes of its inner products with the v_w."""
    before = W[w]  # a copy
    targets = own + [(n, (c != n) * sigmoid(before @ C[n])) for n in drawn]
    share = np.zeros_like(before)
    for target, slope in targets:
        share += np.outer(slope, C[target])
        if frozen != "contexts":
            C[target] -= lr * (slope @ before)
    if frozen != "words":
        np.subtract.at(W, w, lr * share)


# --- Equation (3): the softmax that negative sampling takes the place of


def softmax_loss(v_w: Floats, C: Floats, counts: Floats) -> float:
    """The part of w in equation (3), negated: -Σ_c n(w,c) log p(c | w), where n(w,c) are the counts of w's pairs in D.

        log p(c | w) = v_c·v_w - log Σ_c' e^(v_c'·v_w)

    with a sum over all contexts c', which is what makes it "expensive to compute".
    """
    x = C @ v_w
    return float(counts.sum() * np.logaddexp.reduce(x) - counts @ x)


def softmax_gradient(v_w: Floats, C: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """The derivatives of `softmax_loss` by v_w and by C.

    The slope in v_c·v_w is n(w) p(c | w) - n(w,c): what the model expects of a context, less what was seen.
    """
    x = C @ v_w
    slope = counts.sum() * np.exp(x - np.logaddexp.reduce(x)) - counts
    return slope @ C, np.outer(slope, v_w)


def adagrad(x: Floats, gradient: Floats, squares: Floats, lr: float) -> None:
    """Duchi et al. (2011), in place: every number has a rate of its own, lr over the root of its gradients' squares.

    So counts need no scaling, be they of a word that occurs five times or of one that occurs a million times.
    """
    squares += gradient**2
    x -= lr * gradient / np.sqrt(squares + ADAGRAD_FLOOR)
