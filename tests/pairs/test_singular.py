"""Singular values against NumPy's, and kernels against their formulas."""

import time

import numpy as np
import pytest

from pairloom.kernel.counts import singular as kernel
from pairloom.pairs import singular
from pairloom.pairs.singular import LanczosBasis, SparseTable, eigenvectors, largest_singular
from pairloom.system.threads import workers


def sparse(dense):
    rows, columns = np.nonzero(dense)
    starts = np.append(0, np.cumsum(np.bincount(rows, minlength=len(dense))))
    return SparseTable(starts, columns.astype(np.int32), dense[rows, columns])


def random_table(n, share=0.1, seed=0):
    rng = np.random.default_rng(seed)
    return rng.gamma(1.0, size=(n, n)) * (rng.random((n, n)) < share)


def factors(dense, n, threads=1, seed=1):
    with workers(threads) as pool:
        return largest_singular(sparse(dense), n, seed, pool)


@pytest.mark.parametrize(("n", "dim"), [(2, 1), (6, 5), (16, 15), (40, 7), (300, 20), (900, 60)])
def test_they_are_the_largest_and_their_product_is_the_best_of_that_rank(n, dim):
    dense = random_table(n, 0.5 if n < 20 else 0.1)
    U, sizes, V = factors(dense, dim)
    left, expected, right = np.linalg.svd(dense)
    np.testing.assert_allclose(sizes, expected[:dim], rtol=1e-10, atol=1e-6 * expected[0])
    np.testing.assert_allclose((U * sizes) @ V.T, (left[:, :dim] * expected[:dim]) @ right[:dim], atol=1e-6)
    assert (U.sum(axis=0) >= 0).all()


def test_columns_are_orthonormal():
    U, _, V = factors(random_table(500), 30)
    for side in (U, V):
        np.testing.assert_allclose(side.T @ side, np.eye(30), atol=1e-8)


def test_a_value_that_occurs_more_often_than_a_block_has_columns_is_found_each_time():
    values = np.repeat([5.0, 4.0, 3.0, 2.0, 1.0], [20, 20, 20, 20, 120])
    _, sizes, _ = factors(np.diag(values), 30)
    np.testing.assert_allclose(sizes, values[:30], rtol=1e-9)


def test_values_that_are_zero_have_no_vectors():
    low = np.outer(np.arange(1.0, 31), np.ones(30)) + np.outer(np.ones(30), np.arange(30.0) ** 2)
    U, sizes, V = factors(low, 5)
    np.testing.assert_allclose(sizes[:2], np.linalg.svd(low)[1][:2], rtol=1e-12)
    assert not sizes[2:].any() and not U[:, 2:].any() and not V[:, 2:].any()


def test_a_full_basis_keeps_its_best_columns_and_goes_on(monkeypatch):
    restarts, restart = [], LanczosBasis._restart
    monkeypatch.setattr(LanczosBasis, "_restart", lambda *args: (restarts.append(1), restart(*args)))
    dense = random_table(1500, 0.01)
    _, sizes, _ = factors(dense, 24)
    np.testing.assert_allclose(sizes, np.linalg.svd(dense, compute_uv=False)[:24], rtol=1e-10)
    assert restarts


def test_threads_change_no_bit_and_the_seed_little():
    dense = random_table(5000, 0.003)
    one, three, other = (factors(dense, 12, *run) for run in ((1, 1), (3, 1), (1, 2)))
    for a, b, c in zip(one, three, other, strict=True):
        assert a.tobytes() == b.tobytes()
        np.testing.assert_allclose(a, c, atol=1e-7)


CODE = """
import hashlib, numpy as np
from pairloom.pairs.singular import SparseTable, largest_singular
from pairloom.system.threads import workers
rng = np.random.default_rng(0)
starts = np.arange(0, 400 * 30 + 1, 30)
table = SparseTable(starts, rng.integers(0, 400, 12000).astype(np.int32), rng.random(12000))
with workers(2) as pool:
    print([hashlib.sha256(array.tobytes()).hexdigest() for array in largest_singular(table, 20, 1, pool)])
"""


def test_the_cpu_changes_no_bit(printed_on_cpus):
    assert len(printed_on_cpus(CODE)) == 1


def test_the_eigenvectors_of_a_symmetric_matrix():
    for n in (1, 2, 3, 8, 60):
        X = np.random.default_rng(n).normal(size=(n, n))
        values, vectors = eigenvectors(X + X.T)
        np.testing.assert_allclose(values, np.linalg.eigvalsh(X + X.T)[::-1], atol=1e-12)
        np.testing.assert_allclose((X + X.T) @ vectors, vectors * values, atol=1e-12)


def test_the_eigenvectors_of_a_matrix_that_falls_into_blocks():
    blocks = np.kron(np.eye(3), np.ones((4, 4)))
    values, vectors = eigenvectors(blocks)
    np.testing.assert_allclose(values, [4] * 3 + [0] * 9, atol=1e-14)
    np.testing.assert_allclose((vectors * values) @ vectors.T, blocks, atol=1e-13)


def test_kernels_are_the_products_of_their_formulas():
    rng, dense = np.random.default_rng(0), random_table(31)
    Q, X = rng.normal(size=(31, 12)), rng.normal(size=(31, kernel.BLOCK))
    assert kernel.BLOCK == singular.BLOCK
    with workers(1) as pool:
        np.testing.assert_allclose(sparse(dense).times(X, pool), dense @ X, atol=1e-13)
        np.testing.assert_allclose(sparse(dense).transposed().times(X, pool), dense.T @ X, atol=1e-13)
    np.testing.assert_allclose(kernel.inner_products(Q, 12, X, 3, 30), X[3:30].T @ Q[3:30], atol=1e-13)
    Z, h = X.copy(), rng.normal(size=(12, kernel.BLOCK))
    kernel.subtract(Q, h, Z, 0, 31)
    np.testing.assert_allclose(Z, X - Q @ h, atol=1e-13)
    turned, S = Q.copy(), rng.normal(size=(12, 7))
    kernel.rotate(turned, S, 0, 31)
    np.testing.assert_allclose(turned[:, :7], Q @ S, atol=1e-13)
    made = X.copy()
    R = kernel.orthonormalise(made, 0.0)
    np.testing.assert_allclose(made.T @ made, np.eye(kernel.BLOCK), atol=1e-14)
    np.testing.assert_allclose(made @ R, X, atol=1e-13)


def test_no_call_keeps_an_interrupt_waiting(monkeypatch):
    """The longest call of a kernel, on a table of 20,000 words with 100 contexts each."""
    longest = [0.0]
    for name in ("multiply", "transpose", "inner_products", "subtract", "rotate", "orthonormalise"):
        monkeypatch.setattr(kernel, name, timed(getattr(kernel, name), longest))
    rng, n = np.random.default_rng(0), 20_000
    columns = rng.integers(0, n, 100 * n).astype(np.int32)
    table = SparseTable(np.arange(0, 100 * n + 1, 100), columns, rng.random(100 * n))
    with workers(1) as pool:
        basis = LanczosBasis(table, 100, 1, pool)
        block, _ = basis._orthonormal(basis._random_block())
        for _ in range(5):
            block, _ = basis._extend(block)
    assert 0 < longest[0] < 0.5


def timed(function, longest):
    def call(*args):
        began = time.thread_time()
        result = function(*args)
        longest[0] = max(longest[0], time.thread_time() - began)
        return result

    return call
