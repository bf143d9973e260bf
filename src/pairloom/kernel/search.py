"""The rough cosines of a search: all rows of a matrix with one direction, eight rows at a time, at the speed of memory.

Rows are read as they are stored. float32 is taken as it is, int8 and the bits of float16 become float32 in registers.
"""

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.core.errors import TypingError
from numba.extending import intrinsic

from pairloom.kernel.compile import njit
from pairloom.kernel.memory import address
from pairloom.kernel.simd import LANES, add, eight, fma, load, multiply, store, sums, zero

_FLOATS, _INTS = ir.VectorType(ir.FloatType(), LANES), ir.VectorType(ir.IntType(32), LANES)
_HALF_TO_FLOAT = 2.0**112  # float32's exponents begin that much lower than float16's


def _all(value, kind=_INTS):
    return ir.Constant(kind, [value] * LANES)


def _from_float32(builder, numbers):
    return numbers


def _from_int8(builder, numbers):
    return builder.sitofp(numbers, _FLOATS)


def _from_half(builder, numbers):
    """sign | exponent and fraction, each moved to its place in float32. Exact for all finite numbers.

    Written out, because not every CPU has an instruction for it. Infinity and NaN become large numbers.
    """
    bits = builder.zext(numbers, _INTS)
    size = builder.shl(builder.and_(bits, _all(0x7FFF)), _all(13))
    sign = builder.shl(builder.and_(bits, _all(0x8000)), _all(16))
    moved = builder.bitcast(builder.or_(sign, size), _FLOATS)
    return builder.fmul(moved, _all(_HALF_TO_FLOAT, _FLOATS))


_STORED = {
    types.float32: (ir.FloatType(), 4, _from_float32),
    types.uint16: (ir.IntType(16), 2, _from_half),
    types.int8: (ir.IntType(8), 1, _from_int8),
}


@intrinsic
def _widened(typing, numbers, i):
    """The eight numbers that start at number i of a matrix, as float32. uint16 is the bits of float16."""
    if numbers.dtype not in _STORED:
        raise TypingError(f"{numbers.dtype} cannot be searched")
    kind, size, convert = _STORED[numbers.dtype]

    def codegen(context, builder, signature, args):
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        first = builder.gep(builder.bitcast(data, kind.as_pointer()), [args[1]])
        eight = builder.bitcast(first, ir.VectorType(kind, LANES).as_pointer())
        return convert(builder, builder.load(eight, align=size))

    return eight(numbers, types.int64), codegen


@njit(nogil=True, cache=True)
def rough_cosines(numbers, padded, inverse, begin, end, out):
    """out[i] = inverse[i] * numbers[i]·direction for begin <= i < end. `padded` is `padded(direction)`.

    Equivalent to
        out[begin:end] = (numbers[begin:end] @ direction) * inverse[begin:end]
    There are at least eight rows of at least eight numbers. One row is read after the other, because memory is fastest
    in one stream: reading eight rows side by side took 1.6 times as long.
    """
    dim, width = numbers.shape[1], len(padded)
    u, lengths, results = address(padded), address(inverse), address(out)
    for row in range(begin, end, LANES):
        r = min(row, end - LANES)  # the last rows may be computed twice
        x = r * dim
        a, b = _product(numbers, x, dim, u, width), _product(numbers, x + dim, dim, u, width)
        c, d = _product(numbers, x + 2 * dim, dim, u, width), _product(numbers, x + 3 * dim, dim, u, width)
        e, f = _product(numbers, x + 4 * dim, dim, u, width), _product(numbers, x + 5 * dim, dim, u, width)
        g, h = _product(numbers, x + 6 * dim, dim, u, width), _product(numbers, x + 7 * dim, dim, u, width)
        store(results, r, multiply(sums(a, b, c, d, e, f, g, h), load(lengths, r)))


@njit(nogil=True, cache=True)
def _product(numbers, x, dim, u, width):
    """Eight sums that add up to the product of the row at number x with a direction. Four chains hide their latency."""
    a = b = c = d = zero()
    whole = dim // (4 * LANES) * (4 * LANES)
    for i in range(0, whole, 4 * LANES):
        a = fma(_widened(numbers, x + i), load(u, i), a)
        b = fma(_widened(numbers, x + i + LANES), load(u, i + LANES), b)
        c = fma(_widened(numbers, x + i + 2 * LANES), load(u, i + 2 * LANES), c)
        d = fma(_widened(numbers, x + i + 3 * LANES), load(u, i + 3 * LANES), d)
    for i in range(whole, width, LANES):
        a = fma(_widened(numbers, x + min(i, dim - LANES)), load(u, i), a)
    return add(add(a, b), add(c, d))


@njit(nogil=True, cache=True)
def squared_lengths(numbers, ones, begin, end, out):
    """out[i] = |numbers[i]|^2 for begin <= i < end. `ones` is the padded direction (1, 1, ...).

    Equivalent to
        out[begin:end] = (numbers[begin:end] ** 2).sum(axis=1)
    """
    dim, width = numbers.shape[1], len(ones)
    u, results = address(ones), address(out)
    for row in range(begin, end, LANES):
        r = min(row, end - LANES)
        x = r * dim
        a, b = _square(numbers, x, dim, u, width), _square(numbers, x + dim, dim, u, width)
        c, d = _square(numbers, x + 2 * dim, dim, u, width), _square(numbers, x + 3 * dim, dim, u, width)
        e, f = _square(numbers, x + 4 * dim, dim, u, width), _square(numbers, x + 5 * dim, dim, u, width)
        g, h = _square(numbers, x + 6 * dim, dim, u, width), _square(numbers, x + 7 * dim, dim, u, width)
        store(results, r, sums(a, b, c, d, e, f, g, h))


@njit(nogil=True, cache=True)
def _square(numbers, x, dim, ones, width):
    """Eight sums that add up to the square of the row at number x."""
    a = b = zero()
    whole = dim // (2 * LANES) * (2 * LANES)
    for i in range(0, whole, 2 * LANES):
        v, w = _widened(numbers, x + i), _widened(numbers, x + i + LANES)
        a, b = fma(v, v, a), fma(w, w, b)
    for i in range(whole, width, LANES):
        v = _widened(numbers, x + min(i, dim - LANES))
        a = fma(multiply(v, load(ones, i)), v, a)
    return add(a, b)


def padded(direction: npt.NDArray[np.floating]) -> npt.NDArray[np.float32]:
    """A direction as float32, filled up to a multiple of eight for kernels that read eight numbers at a time.

    The last eight numbers go with the last eight columns, so those counted before are 0 there.
    """
    dim = len(direction)
    whole = dim // LANES * LANES
    filled = np.zeros(-(-dim // LANES) * LANES, np.float32)
    filled[:whole] = direction[:whole]
    if dim > whole:
        filled[whole + LANES - (dim - whole) :] = direction[whole:]
    return filled
