"""The kernels of a search are their twins in NumPy, for every type of number that a file may have."""

import numpy as np
import pytest

from pairloom.kernel.search import WHOLE, padded, rough_cosines, squared_lengths, whole_products


def numbers(dtype, n, dim):
    wide = np.random.default_rng(dim).normal(size=(n, dim)).astype(np.float32)
    stored = (wide * 30).astype(np.int8) if dtype == "int8" else wide.astype(dtype)
    stored.flags.writeable = False  # as those of a file
    return stored


def bits(stored):
    return stored.view(np.uint16) if stored.dtype == np.float16 else stored


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
@pytest.mark.parametrize(("n", "dim"), [(8, 8), (9, 9), (23, 31), (16, 32), (50, 300)])
def test_the_kernels_are_their_twins(dtype, n, dim):
    stored, rng = numbers(dtype, n, dim), np.random.default_rng(1)
    wide, direction = stored.astype(np.float64), rng.normal(size=dim)
    inverse, out = rng.random(n).astype(np.float32), np.full(n, np.nan, np.float32)
    rough_cosines(bits(stored), padded(direction), inverse, 0, n, out)
    size = np.abs(wide) @ np.abs(direction)
    assert np.all(np.abs(out - (wide @ direction) * inverse) <= (dim + 8) * 2.0**-24 * size)
    squared_lengths(bits(stored), padded(np.ones(dim)), 0, n, out)
    np.testing.assert_allclose(out, (wide**2).sum(axis=1), rtol=dim * 2.0**-24)


@pytest.mark.parametrize("dim", [16, 17, 31, 32, 47, 300, 4097])
def test_whole_numbers_are_multiplied_without_any_error(dim):
    rng = np.random.default_rng(dim)
    rows = rng.integers(-128, 128, (21, dim)).astype(np.int8)
    rows[:2] = -128
    direction = rng.integers(-4000, 4001, dim).astype(np.int16)
    direction[0] = -32768
    out, factors, step = np.full(21, 7, np.float32), rng.random(21).astype(np.float32), np.float32(0.3)
    whole_products(rows, padded(direction, WHOLE, np.int16), factors, step, 1, 20, out)
    products = rows.astype(np.int64) @ direction.astype(np.int64)
    np.testing.assert_array_equal(out[1:20], (products.astype(np.float32) * (factors * step))[1:20])
    assert out[0] == out[20] == 7


def test_only_the_rows_asked_for_are_computed():
    stored, out = numbers("float32", 40, 10), np.full(40, 7, np.float32)
    rough_cosines(stored, padded(np.ones(10)), np.ones(40, np.float32), 9, 20, out)
    assert np.all(out[:9] == 7) and np.all(out[20:] == 7)
    np.testing.assert_allclose(out[9:20], stored[9:20].sum(axis=1), rtol=1e-5)


def test_every_finite_float16_is_widened_exactly():
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    finite = every[np.isfinite(every)]
    rows = np.zeros((len(finite), 8), np.float16)
    rows[:, 0] = finite
    out = np.empty(len(rows), np.float32)
    rough_cosines(rows.view(np.uint16), padded(np.eye(8)[0]), np.ones(len(rows), np.float32), 0, len(rows), out)
    np.testing.assert_array_equal(out, finite.astype(np.float32))
