"""The published test vectors of the method, as far as an installed package checks them.

`digests.json` has the SHA-256 of what each kind of training saves. `scripts/bits.py` makes all of them; this module has
the made-up corpora that both train on, and the kinds that `pairloom doctor` trains: one for each family of kernels.
"""

import hashlib
import json
import random
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

from pairloom.errors import IgnoredOptionWarning
from pairloom.training.train import train, train_pairs
from pairloom.vectors.embedding import Embedding

EXPECTED = Path(__file__).with_name("digests.json")
OPTIONS = {"dim": 20, "epochs": 2, "min_count": 2, "sample": 1e-2}

Case = Callable[[Path, int], str]  # takes an empty folder and a number of threads; returns a digest
Sentences = list[list[str]]
Pairs = list[tuple[str, str, float]]


def sentences(n: int = 12_000, n_words: int = 2_000, seed: int = 1) -> Sentences:
    """Sentences of 1 to 19 words. As in real text, the frequency of the r-th word is about 1/r."""
    draw = random.Random(seed).random
    return [[f"w{int(n_words ** draw())}" for _ in range(1 + int(19 * draw()))] for _ in range(n)]


def weighted_pairs(n: int = 60_000) -> Pairs:
    """Pairs of words and contexts from different vocabularies, with fractional weights."""
    draw = random.Random(2).random
    return [(f"u{int(900 ** draw())}", f"i{int(1500 ** draw())}", 0.25 + int(8 * draw()) / 4) for _ in range(n)]


def saved(embedding: Embedding, folder: Path) -> str:
    """SHA-256 of the native file."""
    path = folder / "model.loom"
    embedding.save(path)
    return hashlib.sha256(path.read_bytes()).hexdigest()


def from_text(**options: object) -> Case:
    """Train on the text."""

    def case(folder: Path, threads: int) -> str:
        with warnings.catch_warnings(category=IgnoredOptionWarning, action="ignore"):  # not all models have epochs
            return saved(train(sentences(), cache_dir=folder, threads=threads, **OPTIONS | options), folder)  # type: ignore[arg-type]

    return case


def from_pairs(**options: object) -> Case:
    """Train on the pairs."""
    return lambda folder, threads: saved(
        train_pairs(weighted_pairs(), cache_dir=folder, threads=threads, dim=20, epochs=2, **options),  # type: ignore[arg-type]
        folder,
    )


CHECKED: dict[str, Case] = {
    "text, skip-gram by negative sampling": from_text(),
    "text, hs": from_text(objective="hs"),
    "text, softmax": from_text(objective="softmax", min_count=20, epochs=1),
    "text, cbow": from_text(model="cbow"),
    "text, sppmi-svd": from_text(model="sppmi-svd"),
    "pairs, negative sampling": from_pairs(),
}


def is_as_published(name: str, threads: int) -> bool:
    """Whether a training saves the bytes whose digest was published."""
    with tempfile.TemporaryDirectory(prefix="pairloom-") as folder:
        published: str = json.loads(EXPECTED.read_bytes())[name]
        return CHECKED[name](Path(folder), threads) == published
