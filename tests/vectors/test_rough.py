"""Searches have the exact answers, whatever computes the rough cosines, and whatever type the numbers have."""

import sys

import numpy as np
import pytest

from pairloom.errors import InputError
from pairloom.vectors import rough
from pairloom.vectors.stored import StoredMatrix, as_int8, as_int16
from pairloom.vectors.vectors import Vectors

N, DIM = 700, 24


def stored(dtype):
    rng = np.random.default_rng(3)
    rows = (rng.normal(size=(N, DIM)) * rng.lognormal(size=(N, 1))).astype(np.float32)
    rows[5] = 0
    rows[11] = rows[10]  # equal cosines: the earlier row comes first
    rows[400:420] = rows[399] * (1 + 1e-6 * rng.normal(size=(20, DIM)))  # float32 cannot tell these apart
    return as_int8(rows) if dtype == "int8" else StoredMatrix(rows.astype(dtype))


def brute(matrix, row, k):
    """The answer by comparing all rows in float64."""
    wide = matrix.whole().astype(np.float64)
    norms = np.sqrt(np.einsum("ij,ij->i", matrix.whole(), matrix.whole(), dtype=np.float64))
    direction = wide[row] / norms[row] / np.sqrt(((wide[row] / norms[row]) ** 2).sum())
    cosines = np.divide((wide * direction).sum(axis=1), norms, out=np.zeros(len(wide)), where=norms > 0).clip(-1, 1)
    order = [i for i in np.lexsort((np.arange(len(wide)), -cosines)).tolist() if i != row][:k]
    return [(f"w{i}", cosines[i]) for i in order]


@pytest.fixture(params=["numpy", "kernel"])
def path(request, monkeypatch):
    """Both ways to compare one direction: NumPy never loads the kernel, and the kernel is always worth loading."""
    if request.param == "numpy":
        monkeypatch.delitem(sys.modules, rough._KERNEL, raising=False)
    monkeypatch.setattr(rough, "_WORTH_LOADING", 0 if request.param == "kernel" else 2**62)
    return request.param


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
@pytest.mark.parametrize("k", [1, 10, 200, N + 5])
def test_the_answer_is_that_of_comparing_all_rows_in_float64(path, dtype, k):
    matrix = stored(dtype)
    vectors = Vectors([f"w{i}" for i in range(N)], matrix)
    rows = [0, 10, 399, 699]
    expected = [brute(matrix, row, k) for row in rows]
    assert [vectors.most_similar(f"w{row}", topn=k) for row in rows] == expected
    assert vectors.most_similar_batch([f"w{row}" for row in rows], topn=k) == expected
    assert (rough._KERNEL in sys.modules) == (path == "kernel")


@pytest.mark.parametrize("scale", [1e-38, 1e-25, 1e20, 1e36])
def test_rows_that_float32_cannot_square_are_compared_exactly(path, scale):
    rows = np.random.default_rng(0).normal(size=(300, 16))
    rows[::3] *= scale
    vectors = Vectors([f"w{i}" for i in range(300)], rows)
    assert vectors.most_similar("w7", topn=50) == brute(StoredMatrix(vectors.vectors), 7, 50)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_row_that_is_not_finite_is_refused_by_name(path, dtype, bad):
    rows = np.ones((300, 16), dtype)
    rows[250, 15] = bad
    vectors = Vectors([f"w{i}" for i in range(300)], StoredMatrix(rows))
    for ask in (lambda: vectors.most_similar("w0"), lambda: vectors.most_similar("w0", candidates=["w250"])):
        with pytest.raises(InputError, match=r"Row 250 \('w250'\) of the vectors holds NaN or infinity"):
            ask()
    assert vectors.most_similar("w0", topn=1, restrict_vocab=100) == [("w1", 1.0)]


def test_more_rows_than_before_are_searched_when_they_are_asked_for(path):
    matrix = stored("float32")
    vectors = Vectors([f"w{i}" for i in range(N)], matrix)
    for n in (100, 50, 300, N):
        found = vectors.most_similar("w0", topn=5, restrict_vocab=n)
        assert found == brute(matrix.first(n), 0, 5)


def test_searches_go_on_where_numba_does_not_compile(monkeypatch):
    def refuse(name):
        raise InputError("NUMBA_DISABLE_JIT is set")

    monkeypatch.delitem(sys.modules, rough._KERNEL, raising=False)
    monkeypatch.setattr(rough, "_WORTH_LOADING", 0)
    monkeypatch.setattr("importlib.import_module", refuse)
    matrix = stored("float32")
    assert Vectors([f"w{i}" for i in range(N)], matrix).most_similar("w3") == brute(matrix, 3, 10)


@pytest.mark.parametrize("dtype", ["float32", "int8"])
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_large_matrices_are_searched_on_all_cores(path, dtype, threads, monkeypatch):
    monkeypatch.setattr(rough, "_threads", lambda n_numbers: threads)
    monkeypatch.setattr(rough, "_ROWS_PER_TASK", 64)
    matrix = stored(dtype)
    assert Vectors([f"w{i}" for i in range(N)], matrix).most_similar("w3") == brute(matrix, 3, 10)


def test_few_rows_are_left_to_compare_exactly():
    selection = rough.LikelyRows(1, 10, 20_000, (2 * 300 + 16) * 2.0**-24)
    cosines = np.random.default_rng(0).normal(scale=0.1, size=(1, 20_000)).astype(np.float32)
    for begin in range(0, 20_000, 4000):
        selection.add(begin, cosines[:, begin : begin + 4000])
    (rows,) = selection.rows()
    assert set(np.argsort(cosines[0])[-10:].tolist()) <= set(rows.tolist())
    assert len(rows) < 20


@pytest.mark.parametrize("dim", [1, 16, 300, 2500, 50_000])
@pytest.mark.parametrize("kind", ["normal", "equal", "one"])
def test_a_direction_in_whole_numbers_is_off_by_what_it_says_and_its_products_fit(dim, kind):
    direction = {"normal": np.random.default_rng(dim).normal(size=dim), "equal": np.ones(dim), "one": np.eye(1, dim)[0]}
    u = direction[kind] / np.sqrt((direction[kind] ** 2).sum())
    numbers, step, error = as_int16(u)
    assert 128 * np.abs(numbers.astype(np.int64)).sum() < 2**31
    assert np.linalg.norm(u - float(step) * numbers) == pytest.approx(error, rel=1e-9, abs=1e-15)
    assert error < 3e-5 * max(1, (dim / 300) ** 1.5)


def test_cosines_of_int8_are_off_by_more_than_those_of_float32_and_by_no_more_than_is_said():
    rows = as_int8(np.random.default_rng(1).normal(size=(2000, 16)).astype(np.float32))
    matrix, u = rough.SearchMatrix(rows, str), np.full((1, 16), 0.5 / 15**0.5)
    u[0, 3] = 0.75**0.5  # one large number makes the steps of int16 coarse
    compared = np.empty(2000, np.float32)
    lengths = np.sqrt((rows.numbers.astype(np.float64) ** 2).sum(axis=1))
    rough.compiled_products(rows.numbers, u[0], (1 / lengths).astype(np.float32), compared)
    worst = np.abs(compared - matrix.exact(np.arange(2000), u[0])).max()
    assert (2 * 16 + 16) * 2.0**-24 < worst <= matrix.error(u)
