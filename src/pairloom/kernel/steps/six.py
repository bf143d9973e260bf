"""Six rows at a time, the unit of work of all kernels that train on pairs.

A batch has six rows v_0 .. v_5. Every other row that it needs comes from memory once and is used six times. Six,
because the v_b, their six steps, one other row and two temporaries just fit the sixteen registers of AVX2. With
AVX-512 there are 32 registers twice as wide, and inner products take four rows at a time instead of two.
"""

from pairloom.kernel.compile import njit
from pairloom.kernel.memory import int64_at
from pairloom.kernel.simd import (
    LANES,
    add,
    both,
    fma,
    load,
    load_like,
    load_wide,
    multiply,
    spread_like,
    store,
    sums,
    twice,
    zero,
    zero_sixteen,
    zero_wide,
)

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
def load_six_wide(rows, i):
    """COLUMNS columns of six rows, starting at column i."""
    r0, r1, r2, r3, r4, r5 = rows
    return load_wide(r0, i), load_wide(r1, i), load_wide(r2, i), load_wide(r3, i), load_wide(r4, i), load_wide(r5, i)


@njit(nogil=True, cache=True)
def store_six(rows, i, v):
    """Write columns of six rows, starting at column i."""
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
def zero_six_wide():
    """Six times COLUMNS zeros."""
    return zero_wide(), zero_wide(), zero_wide(), zero_wide(), zero_wide(), zero_wide()


@njit(nogil=True, cache=True)
def add_to_six(rows, i, step):
    """Add to columns of six rows. They are read again: a batch may have one row twice."""
    r0, r1, r2, r3, r4, r5 = rows
    s0, s1, s2, s3, s4, s5 = step
    store(r0, i, add(load_like(s0, r0, i), s0))
    store(r1, i, add(load_like(s1, r1, i), s1))
    store(r2, i, add(load_like(s2, r2, i), s2))
    store(r3, i, add(load_like(s3, r3, i), s3))
    store(r4, i, add(load_like(s4, r4, i), s4))
    store(r5, i, add(load_like(s5, r5, i), s5))


@njit(nogil=True, cache=True)
def exchange(g, v, v_b, total, step):
    """total + Σ_b g_b v_b, and every step_b + g_b v: what a row v and six rows v_b add to each other's steps.

    g: the address of the six factors g_b. All else is columns in registers, eight or COLUMNS.
    """
    v0, v1, v2, v3, v4, v5 = v_b
    s0, s1, s2, s3, s4, s5 = step
    g0 = spread_like(v, g, 0)
    s0 = fma(g0, v, s0)
    one = fma(g0, v0, total)
    g1 = spread_like(v, g, 1)
    s1 = fma(g1, v, s1)
    two = multiply(g1, v1)  # two sums, because a single one would wait for itself
    g2 = spread_like(v, g, 2)
    s2 = fma(g2, v, s2)
    one = fma(g2, v2, one)
    g3 = spread_like(v, g, 3)
    s3 = fma(g3, v, s3)
    two = fma(g3, v3, two)
    g4 = spread_like(v, g, 4)
    s4 = fma(g4, v, s4)
    one = fma(g4, v4, one)
    g5 = spread_like(v, g, 5)
    s5 = fma(g5, v, s5)
    two = fma(g5, v5, two)
    return add(one, two), (s0, s1, s2, s3, s4, s5)


@njit(nogil=True, cache=True)
def push(row, i, g, v_b, step):
    """Move columns of a row by Σ_b g_b v_b. Returns every step_b + g_b v, with the row's v from before."""
    v = load_like(v_b[0], row, i)
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


# --- The same in 32 wide registers: one of 16 floats holds the eight lanes of two inner products.


@njit(nogil=True, cache=True)
def dots_two_wide(batch, x, y, width):
    """`dots_two` as one vector of 16 floats."""
    w0, w1, w2, w3, w4, w5 = six_rows(batch)
    x0 = x1 = x2 = x3 = x4 = x5 = zero_sixteen()
    for i in range(0, width, LANES):
        v = both(x, y, i)
        x0 = fma(twice(w0, i), v, x0)
        x1 = fma(twice(w1, i), v, x1)
        x2 = fma(twice(w2, i), v, x2)
        x3 = fma(twice(w3, i), v, x3)
        x4 = fma(twice(w4, i), v, x4)
        x5 = fma(twice(w5, i), v, x5)
    return sums(x0, x1, x2, x3, x4, x5, x5, x5)


@njit(nogil=True, cache=True)
def dots_four_wide(batch, x, y, z, u, width):
    """`dots_two_wide` of x and y, and of z and u."""
    w0, w1, w2, w3, w4, w5 = six_rows(batch)
    x0 = x1 = x2 = x3 = x4 = x5 = z0 = z1 = z2 = z3 = z4 = z5 = zero_sixteen()
    for i in range(0, width, LANES):
        v_x, v_z = both(x, y, i), both(z, u, i)
        v = twice(w0, i)
        x0 = fma(v, v_x, x0)
        z0 = fma(v, v_z, z0)
        v = twice(w1, i)
        x1 = fma(v, v_x, x1)
        z1 = fma(v, v_z, z1)
        v = twice(w2, i)
        x2 = fma(v, v_x, x2)
        z2 = fma(v, v_z, z2)
        v = twice(w3, i)
        x3 = fma(v, v_x, x3)
        z3 = fma(v, v_z, z3)
        v = twice(w4, i)
        x4 = fma(v, v_x, x4)
        z4 = fma(v, v_z, z4)
        v = twice(w5, i)
        x5 = fma(v, v_x, x5)
        z5 = fma(v, v_z, z5)
    return sums(x0, x1, x2, x3, x4, x5, x5, x5), sums(z0, z1, z2, z3, z4, z5, z5, z5)
