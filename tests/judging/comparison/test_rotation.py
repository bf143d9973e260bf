"""The rotation that brings one space onto another."""

import numpy as np
import pytest

from pairloom.judging.comparison.rotation import polar_factor, procrustes, product
from pairloom.system.threads import workers


@pytest.fixture(params=[1, 3])
def pool(request):
    with workers(request.param) as threads:
        yield threads


def random(*shape):
    return np.random.default_rng(5).normal(size=shape)


def test_the_product_is_that_of_numpy(pool):
    A, B = random(40, 7), random(7, 12)
    np.testing.assert_allclose(product(A, B, pool), A @ B, rtol=1e-12, atol=1e-12)


def test_the_polar_factor_is_that_of_the_singular_value_decomposition(pool):
    M = random(30, 30)
    U, _, V = np.linalg.svd(M)
    np.testing.assert_allclose(polar_factor(M, pool), U @ V, atol=1e-8)


def test_a_rotation_is_found_again(pool):
    X, (R, _) = random(600, 9), np.linalg.qr(random(9, 9))
    np.testing.assert_allclose(procrustes(X, X @ R.T, pool), R, atol=1e-9)


@pytest.mark.parametrize("n", [1, 3, 8])
def test_fewer_words_than_dimensions_still_give_a_rotation(n, pool):
    X, Y = random(n, 8), random(2 * n, 8)[n:]
    R = procrustes(X, Y, pool)
    np.testing.assert_allclose(R.T @ R, np.eye(8), atol=1e-9)


def test_vectors_of_zeros_leave_everything_where_it_is(pool):
    np.testing.assert_allclose(procrustes(np.zeros((5, 4)), np.zeros((5, 4)), pool), np.eye(4), atol=1e-9)


def test_the_bits_do_not_depend_on_the_number_of_threads():
    M = random(50, 50)
    found = []
    for threads in (1, 2, 5):
        with workers(threads) as pool:
            found.append(polar_factor(M, pool).tobytes())
    assert len({*found}) == 1
