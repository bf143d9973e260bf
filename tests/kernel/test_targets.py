"""The kernels of skip-gram and of searches in int8 give the same bits for any kind of CPU and any width of vectors.

All kinds of training on all targets: `python -m scripts.bits --targets`.
"""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest

from pairloom.kernel.search import WHOLE, padded, whole_products
from pairloom.kernel.steps.block import Descent, Steps, begin_steps, make_buffers, train_steps
from pairloom.kernel.steps.parts import Merging
from pairloom.method.draws import key
from scripts.bits import TARGETS
from tests.kernel.test_block import round_of


def trained():
    """The digest of models of some dims and numbers of negatives after a round with hubs, and of a search."""
    digest, hubs = hashlib.sha256(), np.arange(2, dtype=np.int32)
    for dim, negatives in ((8, 1), (20, 2), (100, 5), (17, 16)):
        model, tables = round_of(np.random.default_rng(dim), hubs, dim)
        merging = Merging(np.arange(4), np.arange(4), np.full(2, 9.0), np.full(2, 5.0), 0.05)
        descent, steps = Descent(negatives, key(1), np.linspace(0.1, 0.05, 9)), Steps(8, 8, begin_steps(8, 0), 64)
        train_steps(model, make_buffers(negatives, 3000, 16, model.width), tables(), steps, merging, descent)
        assert np.isfinite(model.W).all()
        digest.update(model.W.tobytes() + model.C.tobytes())
    digest.update(searched().tobytes())
    return digest.hexdigest()


def searched():
    """Products of rows of int8 with a direction of int16."""
    rng, out = np.random.default_rng(0), np.empty(50, np.float32)
    rows, direction = rng.integers(-127, 128, (50, 70)).astype(np.int8), rng.integers(-32767, 32768, 70)
    factors, step = rng.random(50).astype(np.float32), np.float32(1e-5)
    whole_products(rows, padded(direction, WHOLE, np.int16), factors, step, 0, 50, out)
    return out


@pytest.fixture(scope="module")
def here():
    return trained()


@pytest.mark.parametrize("target", TARGETS)
def test_kernels_compiled_for_another_cpu_or_width_train_the_same_bits(target, here, tmp_path):
    command = "from tests.kernel.test_targets import trained; print(trained())"
    env = os.environ | TARGETS[target] | {"NUMBA_CACHE_DIR": str(tmp_path)}
    child = subprocess.run([sys.executable, "-c", command], env=env, capture_output=True, text=True)
    assert child.stdout.strip() == here, child.stderr
