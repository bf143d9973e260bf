"""The corpora of `settings.py`: texts to train on, each with the way to score the vectors learnt from it."""

import gzip
import importlib.util
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import pairloom
from benchmarks.programs import HERE
from benchmarks.scores import scores
from benchmarks.setting import DATA

EXAMPLES = HERE.parent / "examples"

ALL_WORDS = 16.9e6  # of the file of Wikipedia

Scores = dict[str, float]  # all of them times 100


class Corpus(ABC):
    """A text to train on, and how to score the vectors learnt from it."""

    files: tuple[Path, ...]

    @abstractmethod
    def lines(self) -> Iterator[str]:
        """The text to train on, with newlines."""

    def piece(self, number: int, pieces: int) -> "Corpus":
        """One of several corpora of this kind that have no line in common."""
        raise SystemExit("Only the settings on Wikipedia have more than one piece. Choose them by --settings.")

    @abstractmethod
    def scores(self, emb: pairloom.Embedding, noise_power: float) -> Scores:
        """How good the vectors are."""


class Wikipedia(Corpus):
    """Lines of Wikipedia, from the first on or after `skipped` words: as many as make up this number of words."""

    text = DATA / "wiki100.txt.gz"
    tests = (
        DATA / "similarity" / "ws353.tsv",
        DATA / "similarity" / "simlex999.tsv",
        DATA / "analogy" / "google_questions-words.txt",
    )
    files = (text, *tests)

    def __init__(self, words: float, skipped: float = 0) -> None:
        self.words, self.skipped = words, skipped

    def lines(self) -> Iterator[str]:
        words = 0
        with gzip.open(self.text, "rt", encoding="utf-8") as text:
            for line in text:
                if words >= self.skipped:
                    yield line
                words += len(line.split())
                if words >= self.skipped + self.words:
                    break

    def piece(self, number: int, pieces: int) -> Corpus:
        if self.words * pieces > ALL_WORDS:
            raise SystemExit(f"Wikipedia has {ALL_WORDS:,.0f} words, too few for {pieces} pieces of {self.words:,.0f}.")
        return Wikipedia(self.words, number * ALL_WORDS / pieces)

    def scores(self, emb: pairloom.Embedding, noise_power: float) -> Scores:
        found = scores(list(emb.words.words), emb.words.vectors, list(self.tests))
        return dict(zip(("WS-353", "SimLex", "analogies"), found.values(), strict=True))


class BlogCatalog(Corpus):
    """Walks over a graph whose nodes have labels, scored as in examples/blogcatalog.py."""

    edges, labels = DATA / "graphs" / "blogcatalog.edgelist", DATA / "graphs" / "blogcatalog.labels"
    files = (edges, labels)

    def lines(self) -> Iterator[str]:
        return as_lines(pairloom.walk(self.edges, walks=20, length=40, seed=1))

    def scores(self, emb: pairloom.Embedding, noise_power: float) -> Scores:
        blogcatalog = example("blogcatalog")
        nodes, labels = blogcatalog.read_labels(self.labels)
        vectors = np.stack([emb[node] for node in nodes])
        found = [blogcatalog.f1_scores(vectors, labels, 0.5, seed) for seed in range(2)]
        return dict(zip(("micro-F1", "macro-F1"), 100 * np.mean(found, axis=0), strict=True))


class Sessions(Corpus):
    """Click sessions, scored on a held-out tenth as in examples/sessions.py."""

    clicks = DATA / "sessions" / "yoochoose_100k.txt"
    files = (clicks,)

    def lines(self) -> Iterator[str]:
        return as_lines(self._split()[0])

    def scores(self, emb: pairloom.Embedding, noise_power: float) -> Scores:
        hit, _, new = example("sessions").outcomes(emb, self._split()[1], noise_power, 0.5, 20)
        return {"hits": 100 * float(hit.mean()), "new hits": 100 * float(hit[new].mean())}

    def _split(self) -> tuple[list[list[str]], list[list[str]]]:
        """The sessions to train on, and those held out."""
        sessions = [line.split() for line in self.clicks.read_text().splitlines()]
        known, held_out = example("sessions").split(sessions, fold=0)
        return known, held_out


CORPORA: dict[str, Corpus] = {
    "0.2 M words": Wikipedia(200_000),
    "1 M words": Wikipedia(1_000_000),
    "5 M words": Wikipedia(5_000_000),
    "17 M words": Wikipedia(math.inf),
    "BlogCatalog": BlogCatalog(),
    "sessions": Sessions(),
}


def as_lines(sentences: Iterable[list[str]]) -> Iterator[str]:
    return (" ".join(sentence) + "\n" for sentence in sentences)


@cache
def example(name: str) -> Any:
    """A module of examples/, which is not a package."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except ModuleNotFoundError as error:
        raise SystemExit(f"examples/{name}.py needs {error.name}. Install it with: make .venv/.tests") from None
    return module
