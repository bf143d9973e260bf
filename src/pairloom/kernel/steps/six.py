"""Six rows at a time, the unit of work of all kernels that train on pairs.

A batch has six rows v_0 .. v_5. Every other row that it needs comes from memory once and is used six times. Six,
because the v_b, their six steps, one other row and two temporaries just fit the sixteen registers of AVX2.
"""

from pairloom.kernel.compile import njit
from pairloom.kernel.memory import int64_at
from pairloom.kernel.simd import LANES, add, fma, load, multiply, spread, store, sums, zero

SIX = 6  # rows in a batch
LINE = 16  # floats in a cache line


@njit(nogil=True, cache=True)
def six_rows(batch):
    """The addresses of six rows, which are the int64 at `batch`."""
    return (
        int64_at(batch, 0),
        int64_at(batch, 1),
        int64_at(batch, 2),
        int64_at(batch, 3),
        int64_at(batch, 4),
        int64_at(batch, 5),
    )


@njit(nogil=True, cache=True)
def load_six(rows, i):
    """Eight columns of six rows, starting at column i."""
    r0, r1, r2, r3, r4, r5 = rows
    return load(r0, i), load(r1, i), load(r2, i), load(r3, i), load(r4, i), load(r5, i)


@njit(nogil=True, cache=True)
def store_six(rows, i, v):
    """Write eight columns of six rows, starting at column i."""
    r0, r1, r2, r3, r4, r5 = rows
    v0, v1, v2, v3, v4, v5 = v
    store(r0, i, v0)
    store(r1, i, v1)
    store(r2, i, v2)
    store(r3, i, v3)
    store(r4, i, v4)
    store(r5, i, v5)


@njit(nogil=True, cache=True)
def zero_six():
    """Six times eight zeros."""
    return zero(), zero(), zero(), zero(), zero(), zero()


@njit(nogil=True, cache=True)
def add_to_six(rows, i, step):
    """Add to eight columns of six rows. They are read again: a batch may have one row twice."""
    r0, r1, r2, r3, r4, r5 = rows
    s0, s1, s2, s3, s4, s5 = step
    store(r0, i, add(load(r0, i), s0))
    store(r1, i, add(load(r1, i), s1))
    store(r2, i, add(load(r2, i), s2))
    store(r3, i, add(load(r3, i), s3))
    store(r4, i, add(load(r4, i), s4))
    store(r5, i, add(load(r5, i), s5))


@njit(nogil=True, cache=True)
def exchange(g, v, v_b, total, step):
    """total + Σ_b g_b v_b, and every step_b + g_b v: what a row v and six rows v_b add to each other's steps.

    g: the address of the six factors g_b. All else is eight columns in registers.
    """
    v0, v1, v2, v3, v4, v5 = v_b
    s0, s1, s2, s3, s4, s5 = step
    g0 = spread(g, 0)
    s0 = fma(g0, v, s0)
    one = fma(g0, v0, total)
    g1 = spread(g, 1)
    s1 = fma(g1, v, s1)
    two = multiply(g1, v1)  # two sums, because a single one would wait for itself
    g2 = spread(g, 2)
    s2 = fma(g2, v, s2)
    one = fma(g2, v2, one)
    g3 = spread(g, 3)
    s3 = fma(g3, v, s3)
    two = fma(g3, v3, two)
    g4 = spread(g, 4)
    s4 = fma(g4, v, s4)
    one = fma(g4, v4, one)
    g5 = spread(g, 5)
    s5 = fma(g5, v, s5)
    two = fma(g5, v5, two)
    return add(one, two), (s0, s1, s2, s3, s4, s5)


@njit(nogil=True, cache=True)
def push(row, i, g, v_b, step):
    """Move eight columns of a row by Σ_b g_b v_b. Returns every step_b + g_b v, with the row's v from before."""
    v = load(row, i)
    moved, step = exchange(g, v, v_b, v, step)
    store(row, i, moved)
    return step


@njit(nogil=True, cache=True)
def dots_two(batch, x, y, width):
    """v_b·v_x and v_b·v_y for six rows v_b, in the first six lanes each. x, y: addresses of two rows."""
    w0, w1, w2, w3, w4, w5 = six_rows(batch)
    x0 = x1 = x2 = x3 = x4 = x5 = y0 = y1 = y2 = y3 = y4 = y5 = zero()
    for i in range(0, width, LANES):
        v_x = load(x, i)
        v_y = load(y, i)
        v = load(w0, i)
        x0 = fma(v, v_x, x0)
        y0 = fma(v, v_y, y0)
        v = load(w1, i)
        x1 = fma(v, v_x, x1)
        y1 = fma(v, v_y, y1)
        v = load(w2, i)
        x2 = fma(v, v_x, x2)
        y2 = fma(v, v_y, y2)
        v = load(w3, i)
        x3 = fma(v, v_x, x3)
        y3 = fma(v, v_y, y3)
        v = load(w4, i)
        x4 = fma(v, v_x, x4)
        y4 = fma(v, v_y, y4)
        v = load(w5, i)
        x5 = fma(v, v_x, x5)
        y5 = fma(v, v_y, y5)
    return sums(x0, x1, x2, x3, x4, x5, x5, x5), sums(y0, y1, y2, y3, y4, y5, y5, y5)
