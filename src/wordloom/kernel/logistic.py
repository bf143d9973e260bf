"""Logistic regression on fixed rows, solved to its optimum: what is left of the objective when one side is frozen.

    f(v) = Σ_r p_r * -log σ(x_r·v) + Σ_r n_r * -log σ(-x_r·v) + slope·v + ridge/2 |v|²

over rows x_r with the weights p_r (how often r was seen) and n_r (how often r was drawn). f is convex, strictly so by
its ridge: there is one optimum, wherever one starts. L-BFGS finds it, in the metric of a matrix P that is roughly the
curvature of all such problems, so that about fifteen gradients suffice; the gradient alone decides on steps and on the
end. Rows are float32 and taken eight at a time; gradients are added up, and steps taken, in float64. Where that is not
exact enough (few rows that are much alike, a small ridge), all is done in float64, at a seventh of the speed.
"""

import math
from collections import namedtuple

import numpy as np
from numba import njit

from wordloom.kernel.sgns import sigmoid
from wordloom.kernel.simd import (
    LANES,
    add,
    address,
    broadcast,
    fma,
    load,
    multiply,
    prefetch,
    spread,
    store,
    sums,
    zero,
)

MEMORY = 8  # steps that L-BFGS remembers; 20 save about half a gradient of 17
SINGLE_GRADIENTS = 60  # after so many float32 has done what it can; most problems need 10 to 20
COARSE = 8  # every so many-th eight rows make the problem whose optimum is the start of the whole one
COARSE_ENOUGH, ENOUGH = 1e-4, 1e-12  # gᵀP⁻¹g at the end, about the square of the distance to the optimum
_EIGHTS = 8  # whose gradients float32 adds up before they go into float64

ROWS = LANES * COARSE  # a list of rows is as long as a multiple of this: it is filled up by rows that weigh nothing

# X: float32 (n, width); weight: float32, p_r + n_r; seen: float32, p_r.
Rows = namedtuple("Rows", ["X", "weight", "seen"])

# What a thread solves one problem after the other in; `solve` leaves its result in v.
Room = namedtuple(
    "Room", ["v", "gradient", "trial", "trial_gradient", "step", "scratch", "S", "Y", "rho", "v32", "sum"]
)


def make_room(width):
    """Memory for one thread. `width` is dim rounded up to whole vectors."""
    vectors = [np.zeros(width) for _ in range(6)]
    singles = np.zeros(width, np.float32), np.zeros(width + LANES, np.float32)
    return Room(*vectors, np.zeros((MEMORY, width)), np.zeros((MEMORY, width)), np.zeros(MEMORY), *singles)


@njit(nogil=True, cache=True)
def take_rows(matrix, rows, times, X, weight):
    """Copy matrix[rows] into X and `times` into weight, and fill up to a multiple of ROWS, which is returned."""
    n, dim, width, stride = len(rows), matrix.shape[1], X.shape[1], matrix.strides[0] // 4
    source, target = address(matrix), address(X)
    whole = dim - dim % LANES
    for i in range(n):
        weight[i] = times[i]
        ahead = stride * rows[min(i + 8, n - 1)]
        for d in range(0, dim, 16):
            prefetch(source, ahead + d)
        for d in range(0, whole, LANES):
            store(target, i * width + d, load(source, stride * rows[i] + d))
        for d in range(whole, dim):
            X[i, d] = matrix[rows[i], d]
    full = -(-n // ROWS) * ROWS
    for i in range(n, full):
        weight[i] = np.float32(0.0)
        for d in range(width):
            X[i, d] = np.float32(0.0)
    return full


@njit(nogil=True, cache=True)
def thinned(rows, times, n):
    """At most n of the rows, with times that add up to the same, and that are those of a row on average.

    Rows with more than `part` stay as they are. The others are laid end to end, in their order, and wherever `part` is
    full again the row that fills it stands for it: a systematic sample, as `logistic.sample` takes one.
    """
    if len(rows) <= n:
        return rows, times
    part, sure = 0.0, -1
    while True:
        left, above = 0.0, 0
        for t in times:
            above += t > part > 0.0
            left += 0.0 if t > part > 0.0 else t
        if above == sure or above >= n:
            break
        part, sure = left / (n - above), above
    chosen, weights = np.empty(len(rows), rows.dtype), np.empty(len(rows))
    filled, m = 0.5 * part, 0
    for i in range(len(rows)):
        filled += 0.0 if times[i] > part else times[i]
        if times[i] > part or filled >= part:
            chosen[m], weights[m] = rows[i], max(times[i], part)
            filled -= 0.0 if times[i] > part else part
            m += 1
    return chosen[:m], weights[:m]


@njit(nogil=True, cache=True, error_model="numpy")
def solve(own, noise, drawn, slope, ridge, inverse, most, room):
    """The v that minimises f, into room.v. Gives the number of gradients; below 0, v is not the optimum.

    own: rows that were seen; noise: rows that were drawn, `drawn` times as often as their weights say; inverse: P⁻¹;
    most: gradients. First a coarser problem is solved roughly, which begins at v = 0, then the whole one.
    """
    for i in range(len(room.v)):
        room.v[i] = 0.0
    every, scales = (_coarse(own), _coarse(noise)), (1.0, drawn)
    if max(every) > 1:
        scales = (_share(own, every[0]), drawn * _share(noise, every[1]))
    unit = 0.0
    while True:  # one call for all three problems: Numba would compile three, for seconds each
        coarse, double = max(every) > 1, max(every) == 0
        enough = COARSE_ENOUGH if coarse else ENOUGH
        limit = min(most, SINGLE_GRADIENTS) if not double else most - SINGLE_GRADIENTS
        problem = own, noise, every, scales, slope, ridge, inverse
        gradients, unit = _minimise(problem, enough, unit, limit, room)
        if not coarse and (gradients > 0 or double or most <= SINGLE_GRADIENTS):
            return gradients
        every, scales = (1, 1) if coarse else (0, 0), (1.0, drawn)


@njit(nogil=True, cache=True, error_model="numpy")
def _coarse(rows):
    return COARSE if len(rows.weight) >= 4 * ROWS else 1


@njit(nogil=True, cache=True, error_model="numpy")
def _share(rows, every):
    """By what the weights of every `every`-th eight rows have to be multiplied to weigh as much as all."""
    some = everything = 0.0
    for r in range(len(rows.weight)):
        everything += rows.weight[r]
        some += rows.weight[r] if (r // LANES) % every == 0 else 0.0
    return everything / some if some > 0.0 else 0.0


@njit(nogil=True, cache=True, error_model="numpy")
def _minimise(problem, enough, unit, most, room):
    """Move room.v to the optimum; gives the gradients that it took, or minus them where they did not lead there.

    gᵀP⁻¹g is measured in `unit`: what it was at the first start, if that was below 1. It is returned, too.

    Along a line the slope of a convex function only grows. A step is good where it ends less than half as steep as it
    began; it is lengthened while nine tenths are left, and shortened where it went too far.
    """
    inverse = problem[-1]
    _gradient(problem, room.v, room.gradient, room)
    steps, gradients = 0, 1
    while True:
        apply(inverse, room.gradient, room.scratch)
        distance = dot(room.gradient, room.scratch)
        unit = unit if unit > 0.0 else min(1.0, distance)
        if distance <= enough * unit:
            return gradients, unit
        _direction(room, inverse, max(0, steps - MEMORY), steps)
        before = dot(room.gradient, room.step)
        short, short_slope, long, length = 0.0, before, math.inf, 1.0
        while True:
            if gradients >= most:
                return -gradients, unit
            for i in range(len(room.v)):
                room.trial[i] = room.v[i] + length * room.step[i]
            _gradient(problem, room.trial, room.trial_gradient, room)
            gradients += 1
            after = dot(room.trial_gradient, room.step)
            if not math.isfinite(after):
                return -gradients, unit
            if 0.9 * before <= after <= -0.5 * before:
                break
            if after > 0.0:
                long = length
                length = short + (long - short) * max(0.1, short_slope / (short_slope - after))
            else:
                short, short_slope = length, after
                length = 4.0 * length if long == math.inf else 0.5 * (short + long)
        _remember(room, steps % MEMORY)
        steps += 1


@njit(nogil=True, cache=True, error_model="numpy")
def _gradient(problem, v, gradient, room):
    """∇f(v) into `gradient`, over every `every`-th eight rows, their weights multiplied by `scales`.

    every = 0 is over all rows, in float64.
    """
    own, noise, every, scales, slope, ridge, _ = problem
    for i in range(len(v)):
        gradient[i] = ridge * v[i] + slope[i]
        room.v32[i] = v[i]
    if every[0] == 0:
        add_gradient_in_double(own, scales[0], v, gradient)
        add_gradient_in_double(noise, scales[1], v, gradient)
    else:
        add_gradient(own, every[0], scales[0], room.v32, gradient, room.sum)
        add_gradient(noise, every[1], scales[1], room.v32, gradient, room.sum)


@njit(nogil=True, cache=True, error_model="numpy")
def add_gradient_in_double(rows, scale, v, gradient):
    """gradient += scale * Σ_r ((p_r + n_r) σ(x_r·v) - p_r) x_r"""
    row = np.empty(len(v))
    for r in range(len(rows.weight)):
        if rows.weight[r] > 0.0:
            for i in range(len(v)):
                row[i] = rows.X[r, i]
            x = dot(row, v)
            e = math.exp(-abs(x))
            probability = (1.0 if x >= 0.0 else e) / (1.0 + e)
            slope = scale * (rows.weight[r] * probability - rows.seen[r])
            for i in range(len(v)):
                gradient[i] += slope * row[i]


@njit(nogil=True, cache=True, error_model="numpy")
def add_gradient(rows, every, scale, v, gradient, sum):
    """The same, eight rows at a time in float32, over every `every`-th eight.

    The first width floats of `sum` hold what is not yet in `gradient`; the slopes of eight rows go behind them.
    """
    n, width = rows.X.shape
    X, weight, seen, v, held_back = (
        address(rows.X),
        address(rows.weight),
        address(rows.seen),
        address(v),
        address(sum),
    )
    held = 0
    for i in range(len(sum)):
        sum[i] = np.float32(0.0)
    for r in range(0, n, LANES * every):
        _add_eight(X, weight, seen, r, width, v, held_back)
        held += 1
        if held == _EIGHTS or r + LANES * every >= n:
            held = 0
            for i in range(width):
                gradient[i] += scale * sum[i]
                sum[i] = np.float32(0.0)


@njit(nogil=True, cache=True, error_model="numpy")
def _add_eight(X, weight, seen, r, width, v, sum):
    """sum += Σ_b ((p_b + n_b) σ(x_b·v) - p_b) x_b for the eight rows from r on. Arrays are addresses."""
    x0 = r * width
    x1, x2, x3, x4 = x0 + width, x0 + 2 * width, x0 + 3 * width, x0 + 4 * width
    x5, x6, x7 = x0 + 5 * width, x0 + 6 * width, x0 + 7 * width
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = zero()
    for i in range(0, width, LANES):
        u = load(v, i)
        s0, s1 = fma(load(X, x0 + i), u, s0), fma(load(X, x1 + i), u, s1)
        s2, s3 = fma(load(X, x2 + i), u, s2), fma(load(X, x3 + i), u, s3)
        s4, s5 = fma(load(X, x4 + i), u, s4), fma(load(X, x5 + i), u, s5)
        s6, s7 = fma(load(X, x6 + i), u, s6), fma(load(X, x7 + i), u, s7)
    probability = sigmoid(sums(s0, s1, s2, s3, s4, s5, s6, s7))
    store(sum, width, fma(load(weight, r), probability, multiply(load(seen, r), broadcast(np.float32(-1.0)))))
    g0, g1, g2, g3 = spread(sum, width), spread(sum, width + 1), spread(sum, width + 2), spread(sum, width + 3)
    g4, g5, g6, g7 = spread(sum, width + 4), spread(sum, width + 5), spread(sum, width + 6), spread(sum, width + 7)
    for i in range(0, width, LANES):
        g = fma(load(X, x0 + i), g0, load(sum, i))
        g = fma(load(X, x2 + i), g2, fma(load(X, x1 + i), g1, g))
        h = fma(load(X, x4 + i), g4, multiply(load(X, x3 + i), g3))
        h = fma(load(X, x6 + i), g6, fma(load(X, x5 + i), g5, h))
        store(sum, i, fma(load(X, x7 + i), g7, add(g, h)))


@njit(nogil=True, cache=True, error_model="numpy")
def _direction(room, inverse, first, last):
    """step = -H g by L-BFGS' two loops over the steps first..last-1, with γP⁻¹ for the H that they add to.

    γ = s·y / yᵀP⁻¹y of the newest step, which sets right how long the first guess is.
    """
    step, scratch, S, Y, rho = room.step, room.scratch, room.S, room.Y, room.rho
    for i in range(len(step)):
        step[i] = room.gradient[i]
    alpha = np.empty(MEMORY)
    for k in range(last - 1, first - 1, -1):
        at = k % MEMORY
        alpha[at] = rho[at] * dot(S[at], step)
        _add(step, -alpha[at], Y[at])
    gamma = 1.0
    if last > first:
        newest = (last - 1) % MEMORY
        apply(inverse, Y[newest], scratch)
        gamma = 1.0 / (rho[newest] * dot(Y[newest], scratch))
    apply(inverse, step, scratch)
    for i in range(len(step)):
        step[i] = gamma * scratch[i]
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
        room.v[i], room.gradient[i] = room.trial[i], room.trial_gradient[i]
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
def apply(symmetric, x, out):
    """out = symmetric @ x, as a sum of rows, four at a time."""
    for i in range(len(x)):
        out[i] = 0.0
    for j in range(0, len(x), 4):
        for i in range(len(x)):
            a = symmetric[j, i] * x[j] + symmetric[j + 1, i] * x[j + 1]
            out[i] += a + (symmetric[j + 2, i] * x[j + 2] + symmetric[j + 3, i] * x[j + 3])


@njit(nogil=True, cache=True, error_model="numpy")
def second_moment(X, weight):
    """Σ_r weight_r x_r x_rᵀ in float64."""
    n, width = X.shape
    out = np.zeros((width, width))
    row = np.empty(width)
    for r in range(n):
        for i in range(width):
            row[i] = X[r, i]
        for i in range(width):
            _add(out[i], weight[r] * row[i], row)
    return out


@njit(nogil=True, cache=True, error_model="numpy")
def inverse_of(A):
    """A⁻¹ of a symmetric positive definite A, by its Cholesky factor. (LAPACK's bits are not the same everywhere.)"""
    n = len(A)
    L = A.copy()  # becomes Lᵀ, row by row, above the diagonal
    for j in range(n):
        root = math.sqrt(L[j, j])
        for i in range(j, n):
            L[j, i] /= root
        for i in range(j + 1, n):
            _add(L[i, i:], -L[j, i], L[j, i:])
    half = np.zeros((n, n))  # (L⁻¹)ᵀ: column i of the identity, solved forward
    for i in range(n):
        half[i, i] = 1.0
        for j in range(i, n):
            half[i, j] /= L[j, j]
            _add(half[i, j + 1 :], -half[i, j], L[j, j + 1 :])
    out = np.zeros((n, n))  # A⁻¹ = (L⁻¹)ᵀ L⁻¹, so out[a, b] = Σ_j half[a, j] half[b, j]
    for a in range(n):
        for b in range(a + 1):
            out[a, b] = out[b, a] = dot(half[a], half[b])
    return out
