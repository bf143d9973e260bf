"""Memory by address, for Numba: reading, writing and prefetching single values.

Kernels hand addresses, not arrays, to the functions that they call often. Numba counts references to an array each time
it is handed on, by an atomic operation that threads wait for when they share the array. And it tests every index for
being negative. Nothing here checks bounds or types, or keeps an array alive: that is up to the caller of `address`.
"""

import platform
import sys

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


def pointer(builder, address, index, kind):
    """A pointer to value number `index` of this kind after an address, for the code of intrinsics."""
    return builder.gep(builder.inttoptr(address, kind.as_pointer()), [index])


def call(builder, name, result, args):
    """A call of an LLVM function, for the code of intrinsics."""
    function_type = ir.FunctionType(result, [a.type for a in args])
    return builder.call(cgutils.get_or_insert_function(builder.module, function_type, name), args)


@intrinsic
def address(typing, array):
    """The address of an array's first value."""

    def codegen(context, builder, signature, args):
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        return builder.ptrtoint(data, ir.IntType(64))

    return types.int64(array), codegen


@intrinsic
def int64_at(typing, p, i):
    """The int64 number i after p."""

    def codegen(context, builder, signature, args):
        return builder.load(pointer(builder, *args, ir.IntType(64)))

    return types.int64(types.int64, types.int64), codegen


@intrinsic
def int32_at(typing, p, i):
    """The int32 number i after p, as int64."""

    def codegen(context, builder, signature, args):
        return builder.sext(builder.load(pointer(builder, *args, ir.IntType(32))), ir.IntType(64))

    return types.int64(types.int64, types.int64), codegen


@intrinsic
def float64_at(typing, p, i):
    """The float64 number i after p."""

    def codegen(context, builder, signature, args):
        return builder.load(pointer(builder, *args, ir.DoubleType()))

    return types.float64(types.int64, types.int64), codegen


@intrinsic
def float32_at(typing, p, i):
    """The float32 number i after p."""

    def codegen(context, builder, signature, args):
        return builder.load(pointer(builder, *args, ir.FloatType()))

    return types.float32(types.int64, types.int64), codegen


@intrinsic
def byte_at(typing, p):
    """The byte at p."""

    def codegen(context, builder, signature, args):
        return builder.load(builder.inttoptr(args[0], ir.IntType(8).as_pointer()))

    return types.uint8(types.int64), codegen


@intrinsic
def eight_at(typing, at):
    """The eight bytes at an address as one uint64, the first byte lowest (on all machines that Numba supports)."""

    def codegen(context, builder, signature, args):
        return builder.load(builder.inttoptr(args[0], ir.IntType(64).as_pointer()), align=1)

    return types.uint64(types.int64), codegen


@intrinsic
def trailing_zeros(typing, x):
    """How many of the lowest bits of x are 0. x must not be 0."""

    def codegen(context, builder, signature, args):
        return builder.cttz(args[0], ir.IntType(1)(1))

    return types.int64(types.uint64), codegen


@intrinsic
def put_byte(typing, p, x):
    """Write the lowest byte of the int64 x to p."""

    def codegen(context, builder, signature, args):
        byte = ir.IntType(8)
        builder.store(builder.trunc(args[1], byte), builder.inttoptr(args[0], byte.as_pointer()), align=1)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), codegen


@intrinsic
def put_eight(typing, p, x):
    """Write the eight bytes of the uint64 x to p, the lowest byte first."""

    def codegen(context, builder, signature, args):
        builder.store(args[1], builder.inttoptr(args[0], ir.IntType(64).as_pointer()), align=1)
        return context.get_dummy_value()

    return types.void(types.int64, types.uint64), codegen


@intrinsic
def put_int64(typing, p, i, x):
    """Write x to the int64 number i after p."""

    def codegen(context, builder, signature, args):
        builder.store(args[2], pointer(builder, *args[:2], ir.IntType(64)))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), codegen


@intrinsic
def put_int32(typing, p, i, x):
    """Write the lower half of the int64 x to the int32 number i after p."""

    def codegen(context, builder, signature, args):
        builder.store(builder.trunc(args[2], ir.IntType(32)), pointer(builder, *args[:2], ir.IntType(32)))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), codegen


@intrinsic
def put_float32(typing, p, i, x):
    """Write x to the float32 number i after p."""

    def codegen(context, builder, signature, args):
        builder.store(args[2], pointer(builder, *args[:2], ir.FloatType()))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.float32), codegen


@intrinsic
def take_number(typing, p):
    """Add 1 to the int64 at p and return what it was before. Threads that share p never get the same number."""

    def codegen(context, builder, signature, args):
        counter = builder.inttoptr(args[0], ir.IntType(64).as_pointer())
        return builder.atomic_rmw("add", counter, ir.IntType(64)(1), "seq_cst")

    return types.int64(types.int64), codegen


@intrinsic
def number_now(typing, p):
    """The int64 at p, which other threads may change. All that they wrote before they changed it can be read."""

    def codegen(context, builder, signature, args):
        counter = builder.inttoptr(args[0], ir.IntType(64).as_pointer())
        return builder.load_atomic(counter, "acquire", 8)

    return types.int64(types.int64), codegen


@intrinsic
def swap_number(typing, p, x):
    """Write x to the int64 at p and return what it was before, in one operation that no other thread can divide."""

    def codegen(context, builder, signature, args):
        number = builder.inttoptr(args[0], ir.IntType(64).as_pointer())
        return builder.atomic_rmw("xchg", number, args[1], "seq_cst")

    return types.int64(types.int64, types.int64), codegen


@intrinsic
def publish_number(typing, p, x):
    """Write x to the int64 at p. A thread that sees it there (`number_now`) sees all that was written before, too."""

    def codegen(context, builder, signature, args):
        number = builder.inttoptr(args[0], ir.IntType(64).as_pointer())
        builder.store_atomic(args[1], number, "release", 8)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), codegen


@intrinsic
def rest(typing):
    """Wait for a moment, as a thread does that looks at a number again and again. Other CPUs than x86 do not."""

    def codegen(context, builder, signature, args):
        if platform.machine().lower() in ("x86_64", "amd64"):
            call(builder, "llvm.x86.sse2.pause", ir.VoidType(), [])
        return context.get_dummy_value()

    return types.void(), codegen


@intrinsic
def give_way(typing):
    """Let another thread run, while this one waits."""

    def codegen(context, builder, signature, args):
        call(builder, "SwitchToThread" if sys.platform == "win32" else "sched_yield", ir.IntType(32), [])
        return context.get_dummy_value()

    return types.void(), codegen


@intrinsic
def prefetch(typing, p, i):
    """Ask for the cache line of the float32 number i after p. A wrong address does no harm."""

    def codegen(context, builder, signature, args):
        line = builder.bitcast(pointer(builder, *args, ir.FloatType()), ir.IntType(8).as_pointer())
        # For reading, keep close, data. Asking to write is no faster for rows, and lines that threads share would move
        # back and forth between them.
        flags = [ir.IntType(32)(0), ir.IntType(32)(3), ir.IntType(32)(1)]
        call(builder, "llvm.prefetch.p0", ir.VoidType(), [line, *flags])
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), codegen
