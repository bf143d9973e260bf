"""Vectors with analogies in them, and small files of questions about them."""

import math

import numpy as np

from pairloom import Vectors


def planted(n_pairs=40, others=200, dim=12, noise=0.5, seed=0):
    """Pairs x0 y0, x1 y1 ... that differ by nearly the same offset, hidden among other words."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n_pairs, dim))
    y = x + rng.normal(size=dim) + noise * rng.normal(size=(n_pairs, dim))
    words = [f"x{i}" for i in range(n_pairs)] + [f"y{i}" for i in range(n_pairs)] + [f"w{i}" for i in range(others)]
    rows = np.vstack([x, y, rng.normal(size=(others, dim))])
    order = rng.permutation(len(words))
    return Vectors([words[i] for i in order], rows[order])


def questions_of(n_pairs=40, step=3):
    return [(f"x{i}", f"y{i}", f"x{j}", f"y{j}") for i in range(0, n_pairs, step) for j in range(n_pairs) if i != j]


def write(tmp_path, text, name="q.txt"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def plain_cosine(u, v):
    u, v = [float(x) for x in u], [float(x) for x in v]
    lengths = math.sqrt(sum(x * x for x in u)) * math.sqrt(sum(x * x for x in v))
    return sum(x * y for x, y in zip(u, v, strict=True)) / lengths if lengths else 0.0


SECTIONS = """: capital-common
x0 y0 x1 y1
x0 y0 x2 y2
x0 nowhere x3 y3
: gram1-plural
x4 y4 x5 y5
x4 y4 x6 nowhere
: empty
"""


CASES = Vectors(
    ["king", "King", "man", "woman", "QUEEN", "queen", "far"],
    [[2, 0.1, 1], [2, 0.0, 1.1], [1, 0, 0], [1, 1, 0], [-1, 0.5, -1], [2, 1.1, 1], [-1, 0, 0]],
)


PAIRS = [
    ("x0", "y0", 9.5),
    ("x1", "w1", 3.0),
    ("x2", "y2", 9.5),
    ("w3", "w4", 1.25),
    ("x5", "y6", 4.0),
    ("w7", "w7", 10),
]
