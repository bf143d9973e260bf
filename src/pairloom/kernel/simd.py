"""Vectors of floats for Numba: each function below becomes one or a few machine instructions.

Numba leaves vectorising to LLVM, which may not reorder float sums and so leaves dot products scalar. Naming the vectors
solves that and fixes the bits: sums over eight lanes, explicit FMA and one order of summing, whatever the CPU's own
width. A CPU without AVX runs the same operations in two halves. A CPU without FMA computes the same result, slowly.

There are two widths: vectors of eight floats, and *wide* ones of COLUMNS floats, 16 on a CPU with AVX-512 and 8 on all
others. What is computed column by column has the same bits at any width. For sums, a wide vector of 16 floats holds the
eight lanes of two sums (`twice`, `both`).
"""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, register_model

from pairloom.kernel.compile import COLUMNS, njit
from pairloom.kernel.memory import call, pointer

LANES = 8


class Floats(types.Type):
    """Some float32 in one register."""

    def __init__(self, lanes):
        super().__init__(name=f"Floats({lanes})")
        self.lanes = lanes


eight, sixteen, wide = Floats(LANES), Floats(2 * LANES), Floats(COLUMNS)


@register_model(Floats)
class _FloatsModel(models.PrimitiveModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, _floats(fe_type.lanes))


def _floats(lanes):
    return ir.VectorType(ir.FloatType(), lanes)


def _ints(lanes):
    return ir.VectorType(ir.IntType(32), lanes)


def _shuffle(builder, x, y, lanes):
    """The floats of x and y (numbered on from those of x) with these numbers."""
    return builder.shuffle_vector(x, y, ir.Constant(_ints(len(lanes)), lanes))


def _splat(builder, scalar, kind):
    undefined = ir.Constant(_floats(kind.lanes), ir.Undefined)
    first = builder.insert_element(undefined, scalar, ir.IntType(32)(0))
    return _shuffle(builder, first, undefined, [0] * kind.lanes)


def _at(builder, address, index, kind):
    first = pointer(builder, address, index, ir.FloatType())
    return builder.bitcast(first, _floats(kind.lanes).as_pointer())


# --- From and to memory


@intrinsic
def load(typing, p, i):
    """The eight floats that start at float number i after p."""
    return _load(eight)


@intrinsic
def load_wide(typing, p, i):
    """The COLUMNS floats that start at float number i after p."""
    return _load(wide)


@intrinsic
def load_like(typing, x, p, i):
    """As many floats as x has, starting at float number i after p."""
    return _like(x, *_load(x))


def _like(x, signature, codegen):
    """The same with an argument x before the others, of which only the type counts."""

    def with_x(context, builder, signature, args):
        return codegen(context, builder, signature, args[1:])

    return signature.return_type(x, *signature.args), with_x


def _load(kind):
    def codegen(context, builder, signature, args):
        return builder.load(_at(builder, *args, kind), align=4)

    return kind(types.int64, types.int64), codegen


@intrinsic
def store(typing, p, i, x):
    """Write x to the floats that start at float number i after p."""

    def codegen(context, builder, signature, args):
        builder.store(args[2], _at(builder, *args[:2], x), align=4)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, x), codegen


@intrinsic
def spread(typing, p, i):
    """Eight times the float number i after p."""
    return _spread(eight)


@intrinsic
def spread_like(typing, x, p, i):
    """The float number i after p, as many times as x has floats."""
    return _like(x, *_spread(x))


def _spread(kind):
    def codegen(context, builder, signature, args):
        return _splat(builder, builder.load(pointer(builder, *args, ir.FloatType())), kind)

    return kind(types.int64, types.int64), codegen


@intrinsic
def broadcast(typing, x):
    """Eight times the float32 x."""
    return _broadcast(eight)


@intrinsic
def broadcast_wide(typing, x):
    """COLUMNS times the float32 x."""
    return _broadcast(wide)


@intrinsic
def broadcast_like(typing, x, value):
    """The float32 value, as many times as x has floats."""
    return _like(x, *_broadcast(x))


def _broadcast(kind):
    return kind(types.float32), lambda context, builder, signature, args: _splat(builder, args[0], kind)


@njit(nogil=True, cache=True)
def zero():
    """Eight zeros."""
    return broadcast(types.float32(0.0))


@njit(nogil=True, cache=True)
def zero_wide():
    """COLUMNS zeros."""
    return broadcast_wide(types.float32(0.0))


# --- Arithmetic, on vectors of any width


@intrinsic
def fma(typing, x, y, z):
    """x * y + z, rounded once."""

    def codegen(context, builder, signature, args):
        return call(builder, f"llvm.fma.v{x.lanes}f32", _floats(x.lanes), list(args))

    return x(x, x, x), codegen


@intrinsic
def add(typing, x, y):
    """x + y"""
    return x(x, x), lambda context, builder, signature, args: builder.fadd(*args)


@intrinsic
def multiply(typing, x, y):
    """x * y"""
    return x(x, x), lambda context, builder, signature, args: builder.fmul(*args)


@intrinsic
def divide(typing, x, y):
    """x / y"""
    return x(x, x), lambda context, builder, signature, args: builder.fdiv(*args)


@intrinsic
def clamp(typing, x, low, high):
    """min(max(x, low), high); NaN becomes low, and shows in the squares that `step_batch` returns."""

    def codegen(context, builder, signature, args):
        x, low, high = args
        x = builder.select(builder.fcmp_ordered(">", x, low), x, low)
        return builder.select(builder.fcmp_ordered("<", x, high), x, high)

    return x(x, x, x), codegen


@intrinsic
def add_exponent(typing, x, n):
    """x * 2^n for x in [0.5, 2] and whole n in [-126, 126], by adding n to the bits of the exponent."""
    lanes, whole = x.lanes, _ints(x.lanes)

    def codegen(context, builder, signature, args):
        x, n = args
        shift = builder.shl(builder.fptosi(n, whole), ir.Constant(whole, [23] * lanes))
        return builder.bitcast(builder.add(builder.bitcast(x, whole), shift), _floats(lanes))

    return x(x, x), codegen


@intrinsic
def nearest(typing, x):
    """The whole number nearest to x, halves to even."""

    def codegen(context, builder, signature, args):
        return call(builder, f"llvm.nearbyint.v{x.lanes}f32", _floats(x.lanes), list(args))

    return x(x), codegen


# --- Sums over lanes


def _neighbours(builder, x, y):
    """Within every four lanes: sums of neighbours of x, then of y, as `vhaddps` does."""
    lanes = x.type.count
    even = [first + i for four in range(0, lanes, 4) for first in (four, lanes + four) for i in (0, 2)]
    odd = [i + 1 for i in even]
    return builder.fadd(_shuffle(builder, x, y, even), _shuffle(builder, x, y, odd))


@intrinsic
def sums(typing, a, b, c, d, e, f, g, h):
    """(sum of a, sum of b, ... sum of h), each as ((x0+x1)+(x2+x3)) + ((x4+x5)+(x6+x7)).

    Of vectors of 16 floats, these eight sums of their first halves, then of their second halves.
    """

    def codegen(context, builder, signature, args):
        def neighbours(x, y):
            return _neighbours(builder, x, y)

        a, b, c, d, e, f, g, h = args
        abcd = neighbours(neighbours(a, b), neighbours(c, d))
        efgh = neighbours(neighbours(e, f), neighbours(g, h))
        lanes = abcd.type.count
        low = [i + n for half in range(0, lanes, LANES) for i in (half, lanes + half) for n in range(4)]
        return builder.fadd(_shuffle(builder, abcd, efgh, low), _shuffle(builder, abcd, efgh, [i + 4 for i in low]))

    return a(*[a] * 8), codegen


@intrinsic
def twice(typing, p, i):
    """The eight floats that start at float number i after p, in both halves of 16."""

    def codegen(context, builder, signature, args):
        x = builder.load(_at(builder, *args, eight), align=4)
        return _shuffle(builder, x, x, [*range(LANES), *range(LANES)])

    return sixteen(types.int64, types.int64), codegen


@intrinsic
def both(typing, p, q, i):
    """The eight floats that start at float number i after p, then the eight after q."""

    def codegen(context, builder, signature, args):
        p, q, i = args
        x, y = (builder.load(_at(builder, first, i, eight), align=4) for first in (p, q))
        return _shuffle(builder, x, y, list(range(2 * LANES)))

    return sixteen(types.int64, types.int64, types.int64), codegen


@intrinsic
def beginning_with(typing, first, others):
    """A wide vector: the first eight lanes of one, and the other lanes, if there are any, of the other."""

    def codegen(context, builder, signature, args):
        return _shuffle(builder, *args, [*range(LANES), *range(COLUMNS + LANES, 2 * COLUMNS)])

    return wide(wide, wide), codegen


@intrinsic
def zero_sixteen(typing):
    """16 zeros."""
    return sixteen(), lambda context, builder, signature, args: ir.Constant(
        _floats(sixteen.lanes), [0.0] * sixteen.lanes
    )
