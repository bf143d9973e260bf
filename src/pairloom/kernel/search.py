"""The rough cosines of a search: all rows of a matrix with one direction, at the speed of memory.

Rows are read as they are stored. float32 is taken as it is, int8 and the bits of float16 become float32 in registers,
eight rows at a time. Rows of int8 are also multiplied in whole numbers, by a direction of int16.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.core.errors import TypingError
from numba.extending import intrinsic, models, register_model

from pairloom.kernel.compile import njit
from pairloom.kernel.memory import address, call, float32_at, pointer, put_float32
from pairloom.kernel.simd import LANES, add, eight, fma, load, multiply, store, sums, zero

_FLOATS, _INTS = ir.VectorType(ir.FloatType(), LANES), ir.VectorType(ir.IntType(32), LANES)
WHOLE = 2 * LANES  # whole numbers that are multiplied at a time
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


# --- Whole numbers


class _WholeSums(types.Type):
    """Eight sums of int32 in one register."""


_eight_sums = _WholeSums("WholeSums")


@register_model(_WholeSums)
class _WholeSumsModel(models.PrimitiveModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, _INTS)


@intrinsic
def _no_sums(typing):
    return _eight_sums(), lambda context, builder, signature, args: _all(0)


@intrinsic
def _add_products(typing, sums, q, i, u, j):
    """sums + the products of 16 int8 from number i after q with 16 int16 from number j after u, added in pairs.

    Written so that LLVM finds the one instruction for it (`vpmaddwd`, or `vpdpwssd` with the sum).
    """

    def codegen(context, builder, signature, args):
        sums, q, i, u, j = args
        products = builder.mul(_whole(builder, q, i, 8), _whole(builder, u, j, 16))
        even, odd = (ir.Constant(_INTS, list(range(first, WHOLE, 2))) for first in (0, 1))
        pairs = (builder.shuffle_vector(products, products, lanes) for lanes in (even, odd))
        return builder.add(sums, builder.add(*pairs))

    return _eight_sums(_eight_sums, *[types.int64] * 4), codegen


def _whole(builder, p, i, bits):
    """16 signed numbers of these bits as int32."""
    kind = ir.IntType(bits)
    first = builder.bitcast(pointer(builder, p, i, kind), ir.VectorType(kind, WHOLE).as_pointer())
    return builder.sext(builder.load(first, align=bits // 8), ir.VectorType(ir.IntType(32), WHOLE))


@intrinsic
def _total(typing, a, b):
    """The sum of all 16 sums."""

    def codegen(context, builder, signature, args):
        return call(builder, f"llvm.vector.reduce.add.v{LANES}i32", ir.IntType(32), [builder.add(*args)])

    return types.int32(_eight_sums, _eight_sums), codegen


@njit(nogil=True, cache=True)
def whole_products(numbers, padded, factors, step, begin, end, out):
    """out[i] = step * factors[i] * numbers[i]·direction for begin <= i < end, int8 times int16, with exact sums.

    Equivalent to
        out[begin:end] = (numbers[begin:end] @ direction).astype(np.float32) * (factors[begin:end] * step)
    `padded` is `padded(direction, WHOLE, np.int16)`. There are at least 16 columns, and 128 times the sum of
    |direction| fits into int32, so that no sum overflows.
    """
    dim, width = numbers.shape[1], len(padded)
    rows, u, scales, results = address(numbers), address(padded), address(factors), address(out)
    two = dim // (2 * WHOLE) * (2 * WHOLE)
    for row in range(begin, end):
        q = rows + row * dim
        a = b = _no_sums()
        for i in range(0, two, 2 * WHOLE):  # two chains hide their latency
            a, b = _add_products(a, q, i, u, i), _add_products(b, q, i + WHOLE, u, i + WHOLE)
        for i in range(two, width, WHOLE):
            a = _add_products(a, q, min(i, dim - WHOLE), u, i)
        put_float32(results, row, types.float32(_total(a, b)) * (float32_at(scales, row) * step))


def padded(direction: npt.NDArray[Any], lanes: int = LANES, dtype: npt.DTypeLike = np.float32) -> npt.NDArray[Any]:
    """A direction filled up to a multiple of `lanes`, for kernels that read that many numbers at a time.

    The last numbers go with the last columns, so those counted before are 0 there.
    """
    dim = len(direction)
    whole = dim // lanes * lanes
    filled = np.zeros(-(-dim // lanes) * lanes, dtype)
    filled[:whole] = direction[:whole]
    if dim > whole:
        filled[whole + lanes - (dim - whole) :] = direction[whole:]
    return filled
