"""log, exp and powers against NumPy's, which differ between CPUs in the last bit."""

import numpy as np
import pytest

from pairloom.method.elementary import exp, log, power

NUMBERS = np.concatenate([np.arange(1.0, 5000.0), np.geomspace(1e-300, 1e300, 5001), [5e-324, 0.5, 1 - 2**-53]])


def test_log_is_the_logarithm():
    expected = np.log(NUMBERS)
    assert np.abs(log(NUMBERS) - expected).max() < 4e-16 * np.abs(expected).max()
    near_one = 1 + np.linspace(-0.25, 0.25, 4001)
    np.testing.assert_allclose(log(near_one), np.log(near_one), rtol=4e-16, atol=1e-17)
    assert log(np.array([1.0, 0.0])).tolist() == [0.0, -np.inf] and np.isnan(log(np.array([-1.0])))[0]


def test_exp_is_the_exponential():
    x = np.concatenate([np.linspace(-700, 700, 9001), np.linspace(-1, 1, 2001)])
    np.testing.assert_allclose(exp(x), np.exp(x), rtol=6e-16)
    assert exp(np.array([0.0, -np.inf, -800.0, 800.0])).tolist() == [1.0, 0.0, 0.0, np.inf]


@pytest.mark.parametrize("exponent", [0.0, 0.5, 0.75, 1.0, 0.3, 2.0, 3.75, -0.75])
def test_power_is_the_power(exponent):
    x = np.geomspace(1e-9, 1e12, 4001)
    np.testing.assert_allclose(power(x, exponent), x**exponent, rtol=1e-14)


CODE = """
import hashlib, numpy as np
from pairloom.method.elementary import exp, log, power
x = np.linspace(1e-3, 500, 20001)  # not geomspace, which takes powers
for array in (log(x), exp(x), power(x, 0.75), power(x, 0.3)):
    print(hashlib.sha256(array.tobytes()).hexdigest())
"""


def test_the_bits_do_not_depend_on_the_instructions_that_numpy_uses(printed_on_cpus):
    """`np.log` in place of `log` fails this on a CPU with AVX-512."""
    assert len(printed_on_cpus(CODE)) == 1
