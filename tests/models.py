"""Models for tests of the kernels."""

import numpy as np

from pairloom.kernel.steps.sgns import LANES, Model


def random_model(rng, n_words, dim, scale=0.5):
    """Rows in the layout of the trainer, with padding between them that must stay zero."""
    width, stride = -(-dim // LANES) * LANES, -(-dim // LANES) * LANES + LANES
    rows = np.zeros((2, n_words, stride), np.float32)
    rows[:, :, :dim] = rng.normal(scale=scale, size=(2, n_words, dim))
    return Model(rows[0].ravel().copy(), rows[1].ravel().copy(), width, stride)


def matrices(model, dim):
    """W and C of a model in float64, without padding."""
    return [m.reshape(-1, model.stride)[:, :dim].astype(np.float64) for m in (model.W, model.C)]
