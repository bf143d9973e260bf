"""Logistic regression on fixed rows, solved to its optimum: what is left of the objective when one side is frozen.

    f(v) = Σ_r weight_r * log(1 + e^(x_r·v)) + slope·v + ridge/2 |v|²

over rows x_r that were seen or drawn, and the expectation of the same over a normal distribution. Since
-log σ(x) = log(1 + e^-x) = log(1 + e^x) - x, what was seen differs from what was drawn by a linear term only: it is in
the slope. f is convex, strictly so by its ridge: there is one optimum, wherever one starts. L-BFGS finds it, in the
metric of a matrix P that is roughly the curvature of all such problems, so that about ten gradients suffice; the
gradient alone decides on steps and on the end. Rows are float32 and taken eight at a time; gradients are added up, and
steps taken, in float64. Where that is not exact enough (few rows that are much alike, a small ridge), all is done in
float64, at a seventh of the speed.
"""

import math
from collections import namedtuple

import numpy as np

from pairloom.kernel.compile import njit
from pairloom.kernel.exponential import sigmoid
from pairloom.kernel.memory import address
from pairloom.kernel.rows import EIGHTS, add_rows, eight_from, mean_of_rows, room_for, take_rows, thinned
from pairloom.kernel.simd import LANES, fma, load, multiply, store, sums, zero

MEMORY = 8  # steps that L-BFGS remembers
SINGLE_GRADIENTS = 40  # after so many float32 has done what it can; most problems need 6 to 18
SEEN = 0.33  # σ(x) is about SEEN + 0.105 x near x = -2, where trained vectors have most of theirs

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

# What stands for rows that nobody counts, as `logistic.normal_loss_and_gradient` says.
Normal = namedtuple("Normal", ["weight", "mean", "covariance"])

# What all problems share. The noise is rows, which weigh `share` together, and a normal distribution; mean: of both;
# inverse: one P⁻¹ for every size; that of problem j is the size[j]-th.
Common = namedtuple("Common", ["noise", "share", "normal", "mean", "inverse"])

# rows: that a word is taken to be seen with; mean: rows that say what mean these have; gradients: before one gives up;
# enough: gᵀP⁻¹g at the end, about the square of the distance to the optimum, as a part of vᵀPv or of 1.
Limits = namedtuple("Limits", ["rows", "mean", "gradients", "enough"])

# What a thread solves one problem after the other in.
SolverBuffers = namedtuple(
    "SolverBuffers",
    "X weight slope v gradient moved trial trial_gradient trial_moved step turned S Y Z rho alpha v32 sum",
)


def make_room(width, rows):
    """Memory for one thread. `width` is dim rounded up to whole vectors, rows how many a word may have."""
    X = room_for(rows, width)
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
def solve_words(first, last, problems, common, limits, room, V, gradients):
    """Vectors of the words first..last-1 into V, and what `solve` gives into `gradients`."""
    for j in range(first, last):
        mine = slice(problems.starts[j], problems.starts[j + 1])
        own = _own(problems.matrix, problems.rows[mine], problems.times[mine], limits, room)
        size, drawn = problems.size[j], problems.drawn[j]
        inverse = Symmetric(common.inverse.double[size], common.inverse.single[size])
        for i in range(len(room.v)):
            room.step[i] = -room.slope[i] - SEEN * (room.v[i] + drawn * common.mean[i])
        apply(inverse, False, room.step, room.v, room.sum)  # about where f is least if σ(x) is SEEN + 0.105 x
        unit = dot(room.step, room.v)
        gradients[j] = solve(own, common, drawn, problems.ridge[j], inverse, unit, limits, room)
        for i in range(V.shape[1]):
            V[j, i] = room.v[i]


@njit(nogil=True, cache=True, error_model="numpy")
def _own(matrix, rows, times, limits, room):
    """The rows that a word was seen with, or a sample of them, with weights that add up to 1, and room.slope.

    The slope is -(1 - SEEN) Σ_a p_a x_a - SEEN Σ_r p_r x_r, with the a of many rows and the r of the sample: so the
    mean of many counts, and that of the sample only by how far σ(x_r·v) is from SEEN. room.v becomes Σ_r p_r x_r.
    """
    many, many_times = thinned(rows, times, limits.mean)
    some, some_times = thinned(many, many_times, limits.rows)
    n = take_rows(matrix, some, some_times, room.X, room.weight)
    mean_of_rows(matrix, some, some_times, room.v, room.sum)
    mean_of_rows(matrix, many, many_times, room.slope, room.sum)
    for i in range(len(room.v)):
        room.slope[i] = -(1.0 - SEEN) * room.slope[i] - SEEN * room.v[i]
    return Rows(room.X[:n], room.weight[:n])


@njit(nogil=True, cache=True, error_model="numpy")
def solve(own, common, drawn, ridge, inverse, unit, limits, room):
    """Move room.v to where f is least. Gives the number of gradients; below 0, v is not the optimum.

    own: rows that were seen; common: the noise, `drawn` times as often as its weights say; inverse: P⁻¹; unit: vᵀPv,
    roughly. First in float32; where that does not get there, on from where it got to in float64.
    """
    double, most = False, min(limits.gradients, SINGLE_GRADIENTS)
    while True:  # one call for both: Numba would compile two, for seconds each
        gradients = _minimise(own, common, drawn, ridge, inverse, unit, limits.enough, double, most, room)
        if gradients > 0 or double or limits.gradients <= SINGLE_GRADIENTS:
            return gradients
        double, most = True, limits.gradients - SINGLE_GRADIENTS


@njit(nogil=True, cache=True, error_model="numpy")
def _minimise(own, common, drawn, ridge, inverse, unit, enough, double, most, room):
    """Move room.v to the optimum; gives the gradients that it took, or minus them where they did not lead there.

    Along a line the slope of a convex function only grows. A step is good where it ends less than half as steep as it
    began; it is lengthened while nine tenths are left, and shortened where it went too far.
    """
    _gradient(own, common, drawn, ridge, double, room.v, room.gradient, room)
    apply(inverse, double, room.gradient, room.moved, room.sum)
    steps, gradients = 0, 1
    unit = min(1.0, unit + dot(room.gradient, room.moved))
    while True:
        if 0.0 <= dot(room.gradient, room.moved) <= enough * unit:  # below 0 by rounding: not for float32
            return gradients
        _direction(room, max(0, steps - MEMORY), steps)
        before = dot(room.gradient, room.step)
        short, short_slope, long, length = 0.0, before, math.inf, 1.0
        while True:
            if gradients >= most:
                return -gradients
            for i in range(len(room.v)):
                room.trial[i] = room.v[i] + length * room.step[i]
            _gradient(own, common, drawn, ridge, double, room.trial, room.trial_gradient, room)
            gradients += 1
            after = dot(room.trial_gradient, room.step)
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
        apply(inverse, double, room.trial_gradient, room.trial_moved, room.sum)
        _remember(room, steps % MEMORY)
        steps += 1


@njit(nogil=True, cache=True, error_model="numpy")
def _gradient(own, common, drawn, ridge, double, v, gradient, room):
    """∇f(v) into `gradient`."""
    for i in range(len(v)):
        gradient[i] = ridge * v[i] + room.slope[i]
        room.v32[i] = v[i]
    if double:
        add_gradient_in_double(own, 1.0, v, gradient)
        add_gradient_in_double(common.noise, drawn * common.share, v, gradient)
    else:
        add_gradient(own, 1.0, room.v32, gradient, room.sum)
        add_gradient(common.noise, drawn * common.share, room.v32, gradient, room.sum)
    if common.normal.weight > 0.0:
        add_gradient_of_normal(common.normal, drawn * common.normal.weight, double, v, gradient, room)


@njit(nogil=True, cache=True, error_model="numpy")
def add_gradient_in_double(rows, scale, v, gradient):
    """gradient += scale * Σ_r weight_r σ(x_r·v) x_r"""
    row = np.empty(len(v))
    for r in range(len(rows.weight)):
        if rows.weight[r] > 0.0:
            for i in range(len(v)):
                row[i] = rows.X[r, i]
            _add(gradient, scale * rows.weight[r] * _sigmoid(dot(row, v)), row)


@njit(nogil=True, cache=True, error_model="numpy")
def add_gradient(rows, scale, v, gradient, sum):
    """The same, eight rows at a time in float32.

    The first width floats of `sum` hold what is not yet in `gradient`; the factors of some eights are behind them. All
    of these first, then their rows, which are still in L1: one would wait for the other in each eight.
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
def add_gradient_of_normal(normal, scale, double, v, gradient, room):
    """gradient += scale * E[σ(x·v) x]"""
    apply(normal.covariance, double, v, room.turned, room.sum)
    middle, s = dot(normal.mean, v), math.sqrt(max(0.0, dot(v, room.turned)))
    level = slope = 0.0
    for i in range(len(NODES)):
        up, down = _sigmoid(middle + s * NODES[i]), _sigmoid(middle - s * NODES[i])
        level += PARTS[i] * (up + down)
        slope += PARTS[i] * NODES[i] * (up - down)
    _add(gradient, scale * level, normal.mean)
    if s > 0.0:
        _add(gradient, scale * slope / s, room.turned)


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
def _direction(room, first, last):
    """step = -H g by L-BFGS' two loops over the steps first..last-1, with γP⁻¹ for the H that they add to.

    γ = s·y / yᵀP⁻¹y of the newest step sets right how long the first guess is. P⁻¹ of what the first loop leaves of g
    is P⁻¹g less as much of each P⁻¹y as the loop took of y: nothing is multiplied by P⁻¹ but gradients.
    """
    step, S, Y, Z, rho, alpha = room.step, room.S, room.Y, room.Z, room.rho, room.alpha
    step[:] = room.gradient
    for k in range(last - 1, first - 1, -1):
        at = k % MEMORY
        alpha[at] = rho[at] * dot(S[at], step)
        _add(step, -alpha[at], Y[at])
    step[:] = room.moved
    gamma = 1.0
    for k in range(first, last):
        _add(step, -alpha[k % MEMORY], Z[k % MEMORY])
    if last > first:
        newest = (last - 1) % MEMORY
        gamma = 1.0 / (rho[newest] * dot(Y[newest], Z[newest]))
    for i in range(len(step)):
        step[i] *= gamma
    for k in range(first, last):
        at = k % MEMORY
        _add(step, alpha[at] - rho[at] * dot(Y[at], step), S[at])
    for i in range(len(step)):
        step[i] = -step[i]


@njit(nogil=True, cache=True)
def _add(y, a, x):
    """y += a x. (Numba takes seconds to compile what arrays are when written as such.)"""
    for i in range(len(y)):
        y[i] += a * x[i]


@njit(nogil=True, cache=True, error_model="numpy")
def _remember(room, at):
    """Take the step, and keep it with what it did to the gradient."""
    for i in range(len(room.v)):
        room.S[at, i] = room.trial[i] - room.v[i]
        room.Y[at, i] = room.trial_gradient[i] - room.gradient[i]
        room.Z[at, i] = room.trial_moved[i] - room.moved[i]
        room.v[i], room.gradient[i], room.moved[i] = room.trial[i], room.trial_gradient[i], room.trial_moved[i]
    room.rho[at] = 1.0 / dot(room.S[at], room.Y[at])


@njit(nogil=True, cache=True, error_model="numpy")
def dot(a, b):
    """a·b for lengths that are multiples of four, in four sums: one would wait for itself."""
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
