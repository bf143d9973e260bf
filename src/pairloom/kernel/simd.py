"""Vectors of eight floats for Numba: each function below becomes one or a few machine instructions.

Numba leaves vectorising to LLVM, which may not reorder float sums and so leaves dot products scalar. Naming the vectors
solves that and fixes the bits: eight lanes, explicit FMA and one order of summing, whatever the CPU's own width. A CPU
without AVX runs the same operations in two halves. A CPU without FMA computes the same result, slowly.
"""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, register_model

from pairloom.kernel.compile import njit
from pairloom.kernel.memory import call, pointer

LANES = 8

_FLOAT8 = ir.VectorType(ir.FloatType(), LANES)
_INT8 = ir.VectorType(ir.IntType(32), LANES)


class Float8(types.Type):
    """Eight float32 in one register."""

    def __init__(self):
        super().__init__(name="Float8")


float8 = Float8()


@register_model(Float8)
class _Float8Model(models.PrimitiveModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, _FLOAT8)


def _splat(builder, scalar, vector_type):
    first = builder.insert_element(ir.Constant(vector_type, ir.Undefined), scalar, ir.IntType(32)(0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(first, ir.Constant(vector_type, ir.Undefined), zeros)


@intrinsic
def load(typing, p, i):
    """The eight floats that start at float number i after p."""

    def codegen(context, builder, signature, args):
        first = pointer(builder, *args, ir.FloatType())
        return builder.load(builder.bitcast(first, _FLOAT8.as_pointer()), align=4)

    return float8(types.int64, types.int64), codegen


@intrinsic
def store(typing, p, i, x):
    """Write x to the eight floats that start at float number i after p."""

    def codegen(context, builder, signature, args):
        first = pointer(builder, *args[:2], ir.FloatType())
        builder.store(args[2], builder.bitcast(first, _FLOAT8.as_pointer()), align=4)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, float8), codegen


@intrinsic
def spread(typing, p, i):
    """Eight times the float number i after p."""

    def codegen(context, builder, signature, args):
        return _splat(builder, builder.load(pointer(builder, *args, ir.FloatType())), _FLOAT8)

    return float8(types.int64, types.int64), codegen


@intrinsic
def broadcast(typing, x):
    """Eight times the float32 x."""

    def codegen(context, builder, signature, args):
        return _splat(builder, args[0], _FLOAT8)

    return float8(types.float32), codegen


@intrinsic
def fma(typing, x, y, z):
    """x * y + z, rounded once."""

    def codegen(context, builder, signature, args):
        return call(builder, "llvm.fma.v8f32", _FLOAT8, list(args))

    return float8(float8, float8, float8), codegen


@intrinsic
def add(typing, x, y):
    """x + y"""
    return float8(float8, float8), lambda context, builder, signature, args: builder.fadd(*args)


@intrinsic
def multiply(typing, x, y):
    """x * y"""
    return float8(float8, float8), lambda context, builder, signature, args: builder.fmul(*args)


@intrinsic
def divide(typing, x, y):
    """x / y"""
    return float8(float8, float8), lambda context, builder, signature, args: builder.fdiv(*args)


@intrinsic
def clamp(typing, x, low, high):
    """min(max(x, low), high); NaN becomes low, and shows in the squares that `step_batch` returns."""

    def codegen(context, builder, signature, args):
        x, low, high = args
        x = builder.select(builder.fcmp_ordered(">", x, low), x, low)
        return builder.select(builder.fcmp_ordered("<", x, high), x, high)

    return float8(float8, float8, float8), codegen


@intrinsic
def add_exponent(typing, x, n):
    """x * 2^n for x in [0.5, 2] and whole n in [-126, 126], by adding n to the bits of the exponent."""

    def codegen(context, builder, signature, args):
        x, n = args
        shift = builder.shl(builder.fptosi(n, _INT8), ir.Constant(_INT8, [23] * LANES))
        return builder.bitcast(builder.add(builder.bitcast(x, _INT8), shift), _FLOAT8)

    return float8(float8, float8), codegen


@intrinsic
def nearest(typing, x):
    """The whole number nearest to x, halves to even."""

    def codegen(context, builder, signature, args):
        return call(builder, "llvm.nearbyint.v8f32", _FLOAT8, list(args))

    return float8(float8), codegen


def _pairwise(builder, x, y, even):
    """Within each half (lanes 0-3, lanes 4-7): sums of neighbours of x, then of y, as `vhaddps` does."""
    pick = [i + (0 if even else 1) for i in (0, 2, 8, 10, 4, 6, 12, 14)]
    return builder.shuffle_vector(x, y, ir.Constant(_INT8, pick))


@intrinsic
def sums(typing, a, b, c, d, e, f, g, h):
    """(sum of a, sum of b, ... sum of h), each as ((x0+x1)+(x2+x3)) + ((x4+x5)+(x6+x7))."""

    def codegen(context, builder, signature, args):
        def neighbours(x, y):
            return builder.fadd(_pairwise(builder, x, y, True), _pairwise(builder, x, y, False))

        a, b, c, d, e, f, g, h = args
        abcd = neighbours(neighbours(a, b), neighbours(c, d))
        efgh = neighbours(neighbours(e, f), neighbours(g, h))
        low = builder.shuffle_vector(abcd, efgh, ir.Constant(_INT8, [0, 1, 2, 3, 8, 9, 10, 11]))
        high = builder.shuffle_vector(abcd, efgh, ir.Constant(_INT8, [4, 5, 6, 7, 12, 13, 14, 15]))
        return builder.fadd(low, high)

    return float8(*[float8] * 8), codegen


@njit(nogil=True, cache=True)
def zero():
    """Eight zeros."""
    return broadcast(types.float32(0.0))
