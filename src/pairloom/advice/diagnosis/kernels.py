"""Compile all kernels, so that no later run has to wait: while an image is built, or before a demonstration.

Numba compiles a function when it is first called, for the types of its arguments. So everything is called once, on
little data. The code goes to Numba's cache and is good for CPUs like this one. Left out are kernels that only workers
of a cluster call, and the one that sorts counts which do not fit into memory.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pairloom.errors import InputError
from pairloom.training.warm_up import load_kernels

if TYPE_CHECKING:
    from numba.core.dispatcher import Dispatcher

_TEXT = [["a", "b", f"c{i % 4}", "d"] for i in range(40)]
_FASTTEXT_WORDS = 2_000  # the n-grams of fewer are added up without a kernel


class Compiled(NamedTuple):
    """What was compiled or loaded for one purpose."""

    what: str
    seconds: float
    compiled: int  # functions, counted once for each combination of types
    loaded: int


def compile_all(on_step: Callable[[str], object] = lambda what: None) -> list[Compiled]:
    """Call every kernel once. on_step is called with what comes next."""
    steps = []
    with tempfile.TemporaryDirectory(prefix="pairloom-") as folder:
        for what, call in _calls(Path(folder)):
            on_step(what)
            began, before = time.perf_counter(), _counts()
            call()
            compiled, loaded = (after - then for after, then in zip(_counts(), before, strict=True))
            steps.append(Compiled(what, time.perf_counter() - began, compiled, loaded))
    return steps


@contextmanager
def only_loaded() -> Iterator[None]:
    """While the body runs, a kernel that would have to be compiled is an InputError."""
    from pairloom.kernel import compile as kernel

    kernel.on_missing = _refuse
    try:
        yield
    finally:
        kernel.on_missing = None


def _refuse(name: str) -> bool:
    raise InputError(f"{name} is not compiled yet, or not for this CPU. Compile it with: pairloom compile")


def cache_place() -> Path:
    """The folder in which Numba keeps what it compiles here."""
    from pairloom import kernel
    from pairloom.kernel import numba_cache_dir

    return Path(numba_cache_dir() or Path(kernel.__file__).parent)


def dispatchers() -> "dict[str, Dispatcher]":
    """The compiled functions of the kernels that are imported, by name."""
    from numba.core.dispatcher import Dispatcher

    return {
        f"{value.py_func.__module__}.{value.py_func.__name__}": value
        for name, module in sorted(sys.modules.items())
        if name.startswith("pairloom.kernel.")
        for value in vars(module).values()
        if isinstance(value, Dispatcher)
    }


def _counts() -> tuple[int, int]:
    """How many functions were compiled and how many loaded, since the process began."""
    found = dispatchers().values()
    return (
        sum(kernel.stats.cache_misses.total() for kernel in found),
        sum(kernel.stats.cache_hits.total() for kernel in found),
    )


def _calls(folder: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    for from_lines in (True, False):
        load = partial(load_kernels, from_lines=from_lines)
        source = "files" if from_lines else "lists"
        yield f"skip-gram from {source} of words", partial(load, frozen=True)
        yield f"positional contexts from {source} of words", partial(load, positional=True)
        yield f"softmax from {source} of words", partial(load, objective="softmax")
        yield f"skip-gram from {source} of pairs", partial(load, pairs=True, frozen=True)
        yield f"softmax from {source} of pairs", partial(load, pairs=True, objective="softmax")
    yield "hierarchical softmax", partial(load_kernels, objective="hs")
    yield "CBOW", partial(load_kernels, model="cbow")
    yield "CBOW by hierarchical softmax", partial(load_kernels, model="cbow", objective="hs")
    yield "SPPMI", partial(load_kernels, model="sppmi-svd")
    yield "clean windows", partial(_train, folder, clean=True)
    yield "harmonic windows", partial(_train, folder, window_shape="harmonic")
    yield "fold-in", partial(_fold_in, folder)
    yield "explanation", partial(_explain, folder)
    yield "walks", partial(_walk, folder)
    yield "phrases", partial(_phrases, folder)
    yield "vectors in text", _read_text
    yield "fastText's files", _read_fasttext
    yield "search", _search


def _train(folder: Path, **options: object):  # type: ignore[no-untyped-def]  # see `train`
    from pairloom.training.train import train

    small = {"dim": 4, "epochs": 1, "min_count": 1, "sample": 0.0, "heldout": 0.0}
    return train(_TEXT, threads=1, cache_dir=folder, **small | options)  # type: ignore[arg-type]


def _fold_in(folder: Path) -> None:
    new = [["new" if word == "a" else word for word in line] for line in _TEXT]
    _train(folder).fold_in(new, min_count=1, threads=1, cache_dir=folder)


def _explain(folder: Path) -> None:
    from pairloom.judging.explanation import explain

    explain(_train(folder), _TEXT, threads=1, cache_dir=folder)


def _walk(folder: Path) -> None:
    from pairloom.preparing.graphs.walks import walk

    edges = [("a", "b", 1.0), ("b", "c", 2.0), ("c", "a", 0.5)]
    walk(edges, walks=1, length=4, threads=1, p=0.5, q=2.0).save(folder / "walks.txt")
    file = folder / "edges.txt"
    file.write_text("".join(f"{u} {v} {weight}\n" for u, v, weight in edges))
    list(walk(file, walks=1, length=4, threads=1))


def _phrases(folder: Path) -> None:
    from pairloom.preparing.phrases import Phrases

    file = folder / "text.txt"
    file.write_text("".join(" ".join(line) + "\n" for line in _TEXT))
    for corpus in (_TEXT, file):
        Phrases.learn(corpus, min_count=1, threshold=0.1, passes=2, threads=1, cache_dir=folder)
    Phrases.learn(file, min_count=1, threshold=0.1, threads=1).transform(file, folder / "joined.txt", threads=1)


def _read_text() -> None:
    from pairloom.formats.read_text_rows import read_rows

    read_rows(b"a 1 2.5\nb 3 -4e-1\n", np.empty((2, 2), np.float32), 1, True, False, True)


def _read_fasttext() -> None:
    from pairloom.vectors.subwords import Subwords, word_vectors

    rows = np.zeros((_FASTTEXT_WORDS + 10, 4), np.float32)
    rows.flags.writeable = False  # as rows that are mapped from a file
    word_vectors(Subwords(rows, _FASTTEXT_WORDS, 10, 3, 6), [b"word%06d" % i for i in range(_FASTTEXT_WORDS)])


def _search() -> None:
    from pairloom.kernel import search
    from pairloom.vectors.stored import StoredMatrix, as_int8
    from pairloom.vectors.vectors import Vectors

    assert search is not None  # imported, so that searches use it
    for dim in (8, 16):  # int8 has a kernel of its own from 16 on
        rows = np.eye(8, dim, dtype=np.float32)
        for matrix in (StoredMatrix(rows), StoredMatrix(rows.astype(np.float16)), as_int8(rows)):
            Vectors(list("abcdefgh"), matrix).most_similar("a")
