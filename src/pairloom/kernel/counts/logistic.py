"""Logistic regression on fixed rows, solved to its optimum: the objective that remains when one side is frozen.

    f(v) = Σ_r weight_r * log(1 + e^(x_r·v)) + slope·v + ridge/2 |v|²

over rows x_r that were observed or drawn, and the expectation of the same over a normal distribution. Since
-log σ(x) = log(1 + e^-x) = log(1 + e^x) - x, observed and drawn rows differ only by a linear term, which is in the
slope. f is strictly convex by its ridge, so it has one optimum, whatever the start. L-BFGS finds it in the metric of a
matrix P that is roughly the curvature of all such problems, so about ten gradients suffice. The gradient alone decides
on steps and on the end. Rows are float32 and taken eight at a time. Gradients are added up, and steps taken, in
float64. Where that is not exact enough (a few similar rows, a small ridge), everything is in float64, at a seventh of
the speed.
"""

import math
from collections import namedtuple

import numpy as np

from pairloom.kernel.compile import njit
from pairloom.kernel.exponential import sigmoid
from pairloom.kernel.memory import address
from pairloom.kernel.rows import (
    EIGHTS,
    add_multiple,
    add_rows,
    aligned_zeros,
    eight_from,
    mean_of_rows,
    take_rows,
    thinned,
)
from pairloom.kernel.simd import LANES, fma, load, multiply, store, sums, zero

MEMORY = 8  # steps that L-BFGS remembers
SINGLE_GRADIENTS = 40  # after these, float32 gets no further; most problems need 6 to 18
SEEN = 0.33  # σ(x) is about SEEN + 0.105 x near x = -2, where most x of trained vectors are

# E[f(t)] is about Σ_i PARTS[i] (f(NODES[i]) + f(-NODES[i])) for t of the standard normal distribution (Gauss, Hermite):
# exactly for polynomials up to degree 15, within 0.001 for σ(μ + s t) with s up to 2.
NODES = (0.5390798113513751, 1.636519042435108, 2.8024858612875416, 4.1445471861258945)
PARTS = (0.3730122576790773, 0.11723990766175904, 0.009635220120788256, 0.00011261453837536762)

# X: float32 (n, width), n a multiple of LANES; weight: float32 (n,).
Rows = namedtuple("Rows", ["X", "weight"])

# Word j was seen with matrix[rows[starts[j] : starts[j + 1]]], with each `times` often.
Problems = namedtuple("Problems", ["matrix", "rows", "times", "starts", "drawn", "ridge", "size"])

# A symmetric matrix in float64 and in float32, or several.
Symmetric = namedtuple("Symmetric", ["double", "single"])

# A normal distribution instead of rows, as in `logistic.normal_loss_and_gradient`.
Normal = namedtuple("Normal", ["weight", "mean", "covariance"])

# What all problems share. The noise is rows, whose weights add up to `share`, and a normal distribution. mean: of both.
# inverse: one P⁻¹ for every size; problem j has number size[j].
Common = namedtuple("Common", ["noise", "share", "normal", "mean", "inverse"])

# rows: the most rows of a word. mean: the most rows for their mean. gradients: the most gradients. enough: gᵀP⁻¹g at
# the end, about the squared distance to the optimum, relative to vᵀPv or to 1.
Limits = namedtuple("Limits", ["rows", "mean", "gradients", "enough"])

# The memory in which one thread solves one problem after the other.
SolverBuffers = namedtuple(
    "SolverBuffers",
    "X weight slope v gradient moved trial trial_gradient trial_moved step turned S Y Z rho alpha v32 sum",
)


def make_buffers(width, rows):
    """Buffers for one thread. width: dim rounded up to whole vectors. rows: the most rows of a word."""
    X = aligned_zeros(rows, width)
    steps = [np.zeros((MEMORY, width)) for _ in range(3)]
    singles = np.zeros(width, np.float32), np.zeros(width + EIGHTS * LANES, np.float32)
    return SolverBuffers(
        X,  # 0 beyond dim, and stays so
        np.zeros(len(X), np.float32),
        *(np.zeros(width) for _ in range(9)),
        *steps,
        np.zeros(MEMORY),
        np.zeros(MEMORY),
        *singles,
    )


@njit(nogil=True, cache=True, error_model="numpy")
def solve_words(first, last, problems, common, limits, buffers, V, gradients):
    """Write the vectors of the words first..last-1 to V, and the results of `solve` to `gradients`."""
    for j in range(first, last):
        mine = slice(problems.starts[j], problems.starts[j + 1])
        own = _own(problems.matrix, problems.rows[mine], problems.times[mine], limits, buffers)
        size, drawn = problems.size[j], problems.drawn[j]
        inverse = Symmetric(common.inverse.double[size], common.inverse.single[size])
        for i in range(len(buffers.v)):
            buffers.step[i] = -buffers.slope[i] - SEEN * (buffers.v[i] + drawn * common.mean[i])
        apply(inverse, False, buffers.step, buffers.v, buffers.sum)  # about where f is least if σ(x) is SEEN + 0.105 x
        unit = dot(buffers.step, buffers.v)
        gradients[j] = solve(own, common, drawn, problems.ridge[j], inverse, unit, limits, buffers)
        for i in range(V.shape[1]):
            V[j, i] = buffers.v[i]


@njit(nogil=True, cache=True, error_model="numpy")
def _own(matrix, rows, times, limits, buffers):
    """The rows that a word was observed with, or a sample of them, with weights that add up to 1, and buffers.slope.

    The slope is -(1 - SEEN) Σ_a p_a x_a - SEEN Σ_r p_r x_r, with a over many rows and r over the sample. So the mean of
    many rows counts, and the sample counts only by how far σ(x_r·v) is from SEEN. buffers.v becomes Σ_r p_r x_r.
    """
    many, many_times = thinned(rows, times, limits.mean)
    some, some_times = thinned(many, many_times, limits.rows)
    n = take_rows(matrix, some, some_times, buffers.X, buffers.weight)
    mean_of_rows(matrix, some, some_times, buffers.v, buffers.sum)
    mean_of_rows(matrix, many, many_times, buffers.slope, buffers.sum)
    for i in range(len(buffers.v)):
        buffers.slope[i] = -(1.0 - SEEN) * buffers.slope[i] - SEEN * buffers.v[i]
    return Rows(buffers.X[:n], buffers.weight[:n])


@njit(nogil=True, cache=True, error_model="numpy")
def solve(own, common, drawn, ridge, inverse, unit, limits, buffers):
    """Move buffers.v to the minimum of f, which `unseen.fold_in.logistic.loss_and_gradient` defines.

    own: observed rows. common: the noise, its weights multiplied by `drawn`. inverse: P⁻¹. unit: vᵀPv, roughly. It
    starts in float32 and, if that does not reach the optimum, continues in float64. Returns the number of gradients,
    negative if v is not the optimum.
    """
    double, most = False, min(limits.gradients, SINGLE_GRADIENTS)
    while True:  # one call for both: Numba would compile two, for seconds each
        gradients = _minimise(own, common, drawn, ridge, inverse, unit, limits.enough, double, most, buffers)
        if gradients > 0 or double or limits.gradients <= SINGLE_GRADIENTS:
            return gradients
        double, most = True, limits.gradients - SINGLE_GRADIENTS


@njit(nogil=True, cache=True, error_model="numpy")
def _minimise(own, common, drawn, ridge, inverse, unit, enough, double, most, buffers):
    """Move buffers.v to the optimum. Returns the number of gradients, negative if they did not lead there.

    Along a line, the slope of a convex function only grows. A step is good if its end is less than half as steep as its
    begin. It is lengthened while nine tenths of the slope are left, and shortened if it went too far.
    """
    _gradient(own, common, drawn, ridge, double, buffers.v, buffers.gradient, buffers)
    apply(inverse, double, buffers.gradient, buffers.moved, buffers.sum)
    steps, gradients = 0, 1
    unit = min(1.0, unit + dot(buffers.gradient, buffers.moved))
    while True:
        if 0.0 <= dot(buffers.gradient, buffers.moved) <= enough * unit:  # below 0 by rounding: not for float32
            return gradients
        _direction(buffers, max(0, steps - MEMORY), steps)
        before = dot(buffers.gradient, buffers.step)
        short, short_slope, long, length = 0.0, before, math.inf, 1.0
        while True:
            if gradients >= most:
                return -gradients
            for i in range(len(buffers.v)):
                buffers.trial[i] = buffers.v[i] + length * buffers.step[i]
            _gradient(own, common, drawn, ridge, double, buffers.trial, buffers.trial_gradient, buffers)
            gradients += 1
            after = dot(buffers.trial_gradient, buffers.step)
            if not math.isfinite(after):
                return -gradients
            if 0.9 * before <= after <= -0.5 * before:
                break
            if after > 0.0:
                long = length
                length = short + (long - short) * max(0.1, short_slope / (short_slope - after))
            else:
                short, short_slope = length, after
                length = 4.0 * length if long == math.inf else 0.5 * (short + long)
        apply(inverse, double, buffers.trial_gradient, buffers.trial_moved, buffers.sum)
        _remember(buffers, steps % MEMORY)
        steps += 1


@njit(nogil=True, cache=True, error_model="numpy")
def _gradient(own, common, drawn, ridge, double, v, gradient, buffers):
    """Write ∇f(v) to `gradient`."""
    for i in range(len(v)):
        gradient[i] = ridge * v[i] + buffers.slope[i]
        buffers.v32[i] = v[i]
    if double:
        add_gradient_in_double(own, 1.0, v, gradient)
        add_gradient_in_double(common.noise, drawn * common.share, v, gradient)
    else:
        add_gradient(own, 1.0, buffers.v32, gradient, buffers.sum)
        add_gradient(common.noise, drawn * common.share, buffers.v32, gradient, buffers.sum)
    if common.normal.weight > 0.0:
        add_gradient_of_normal(common.normal, drawn * common.normal.weight, double, v, gradient, buffers)


@njit(nogil=True, cache=True, error_model="numpy")
def add_gradient_in_double(rows, scale, v, gradient):
    """gradient += scale * Σ_r weight_r σ(x_r·v) x_r"""
    row = np.empty(len(v))
    for r in range(len(rows.weight)):
        if rows.weight[r] > 0.0:
            for i in range(len(v)):
                row[i] = rows.X[r, i]
            add_multiple(gradient, scale * rows.weight[r] * _sigmoid(dot(row, v)), row)


@njit(nogil=True, cache=True, error_model="numpy")
def add_gradient(rows, scale, v, gradient, sum):
    """`add_gradient_in_double`, eight rows at a time in float32.

    The first width floats of `sum` hold what is not yet in `gradient`. Behind them are the factors of some eights. All
    factors come first, then the rows, which are still in L1: within one eight, the rows would wait for the factors.
    """
    n, width = rows.X.shape
    X, weight, v, held_back = address(rows.X), address(rows.weight), address(v), address(sum)
    for first in range(0, n, EIGHTS * LANES):
        last = min(n, first + EIGHTS * LANES)
        for i in range(width):
            sum[i] = np.float32(0.0)
        for r in range(first, last, LANES):
            store(held_back, width + r - first, _inner_products(X, eight_from(r, width), width, v))
        for r in range(first, last, LANES):
            factors = multiply(load(weight, r), sigmoid(load(held_back, width + r - first)))
            store(held_back, width + r - first, factors)
        for r in range(first, last, LANES):
            add_rows(X, eight_from(r, width), width, held_back, width, width + r - first)
        for i in range(width):
            gradient[i] += scale * sum[i]


@njit(nogil=True, cache=True, error_model="numpy")
def add_gradient_of_normal(normal, scale, double, v, gradient, buffers):
    """gradient += scale * E[σ(x·v) x]"""
    apply(normal.covariance, double, v, buffers.turned, buffers.sum)
    middle, s = dot(normal.mean, v), math.sqrt(max(0.0, dot(v, buffers.turned)))
    level = slope = 0.0
    for i in range(len(NODES)):
        up, down = _sigmoid(middle + s * NODES[i]), _sigmoid(middle - s * NODES[i])
        level += PARTS[i] * (up + down)
        slope += PARTS[i] * NODES[i] * (up - down)
    add_multiple(gradient, scale * level, normal.mean)
    if s > 0.0:
        add_multiple(gradient, scale * slope / s, buffers.turned)


@njit(nogil=True, cache=True, error_model="numpy")
def _sigmoid(x):
    e = math.exp(-abs(x))
    return (1.0 if x >= 0.0 else e) / (1.0 + e)


@njit(nogil=True, cache=True, error_model="numpy")
def _inner_products(X, at, width, v):
    """x·v of eight rows. X and v are addresses."""
    x0, x1, x2, x3, x4, x5, x6, x7 = at
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = zero()
    for i in range(0, width, LANES):
        u = load(v, i)
        s0, s1 = fma(load(X, x0 + i), u, s0), fma(load(X, x1 + i), u, s1)
        s2, s3 = fma(load(X, x2 + i), u, s2), fma(load(X, x3 + i), u, s3)
        s4, s5 = fma(load(X, x4 + i), u, s4), fma(load(X, x5 + i), u, s5)
        s6, s7 = fma(load(X, x6 + i), u, s6), fma(load(X, x7 + i), u, s7)
    return sums(s0, s1, s2, s3, s4, s5, s6, s7)


@njit(nogil=True, cache=True, error_model="numpy")
def _direction(buffers, first, last):
    """step = -H g by L-BFGS' two loops over the steps first..last-1, with γP⁻¹ for the H that they add to.

    γ = s·y / yᵀP⁻¹y of the newest step corrects the length of the first guess. The first loop takes multiples of y from
    g, so P⁻¹ of the result is P⁻¹g minus the same multiples of P⁻¹y: only gradients are multiplied by P⁻¹.
    """
    step, S, Y, Z, rho, alpha = buffers.step, buffers.S, buffers.Y, buffers.Z, buffers.rho, buffers.alpha
    step[:] = buffers.gradient
    for k in range(last - 1, first - 1, -1):
        at = k % MEMORY
        alpha[at] = rho[at] * dot(S[at], step)
        add_multiple(step, -alpha[at], Y[at])
    step[:] = buffers.moved
    gamma = 1.0
    for k in range(first, last):
        add_multiple(step, -alpha[k % MEMORY], Z[k % MEMORY])
    if last > first:
        newest = (last - 1) % MEMORY
        gamma = 1.0 / (rho[newest] * dot(Y[newest], Z[newest]))
    for i in range(len(step)):
        step[i] *= gamma
    for k in range(first, last):
        at = k % MEMORY
        add_multiple(step, alpha[at] - rho[at] * dot(Y[at], step), S[at])
    for i in range(len(step)):
        step[i] = -step[i]


@njit(nogil=True, cache=True, error_model="numpy")
def _remember(buffers, at):
    """Take the step, and keep it with the change of the gradient."""
    for i in range(len(buffers.v)):
        buffers.S[at, i] = buffers.trial[i] - buffers.v[i]
        buffers.Y[at, i] = buffers.trial_gradient[i] - buffers.gradient[i]
        buffers.Z[at, i] = buffers.trial_moved[i] - buffers.moved[i]
        buffers.v[i], buffers.gradient[i], buffers.moved[i] = (
            buffers.trial[i],
            buffers.trial_gradient[i],
            buffers.trial_moved[i],
        )
    buffers.rho[at] = 1.0 / dot(buffers.S[at], buffers.Y[at])


@njit(nogil=True, cache=True, error_model="numpy")
def dot(a, b):
    """a·b for lengths that are multiples of four. Four sums: a single one would wait for itself."""
    s = t = u = w = 0.0
    for i in range(0, len(a), 4):
        s += a[i] * b[i]
        t += a[i + 1] * b[i + 1]
        u += a[i + 2] * b[i + 2]
        w += a[i + 3] * b[i + 3]
    return (s + t) + (u + w)


@njit(nogil=True, cache=True, error_model="numpy")
def apply(symmetric, double, x, out, sum):
    """out = symmetric @ x, as a sum of rows: of float64 four at a time, of float32 eight."""
    if double:
        _apply_in_double(symmetric.double, x, out)
        return
    width = len(x)
    rows, held_back = address(symmetric.single), address(sum)
    for i in range(width):
        sum[i] = np.float32(0.0)
    for r in range(0, width, LANES):
        for b in range(LANES):
            sum[width + b] = x[r + b]
        add_rows(rows, eight_from(r, width), width, held_back, width, width)
    for i in range(width):
        out[i] = sum[i]


@njit(nogil=True, cache=True, error_model="numpy")
def _apply_in_double(symmetric, x, out):
    for i in range(len(x)):
        out[i] = 0.0
    for j in range(0, len(x), 4):
        for i in range(len(x)):
            a = symmetric[j, i] * x[j] + symmetric[j + 1, i] * x[j + 1]
            out[i] += a + (symmetric[j + 2, i] * x[j + 2] + symmetric[j + 3, i] * x[j + 3])
