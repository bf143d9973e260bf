"""Approximate search, for vocabularies so large that looking at every row takes too long.

    from pairloom.vectors.index import Index

    index = Index.build(embedding.words)
    index.most_similar("king")  # or embedding.most_similar("king", indexer=index)
    index.save("model.loom.index")
    index = Index.load("model.loom.index", embedding.words)

An `Index` proposes rows, which are then compared exactly. So every answer has its true cosine, and the only possible
mistake is a missed neighbour. `Index.recall` measures how many are found.

The graph is faiss's (HNSW: Malkov and Yashunin 2016): one wheel of it fits every Python from 3.10 on, it lets Ctrl-C
through, and it builds faster than usearch, which is about as large. A file is a header of ours and faiss's bytes. The
header has a digest of some rows, so that an index is not used with other vectors than its own, and a digest of the
graph, so that faiss never reads a damaged one.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from pairloom.config import check_whole, checked_threads
from pairloom.corpus.lists import opened
from pairloom.errors import InputError
from pairloom.progress import OnProgress, ignore, logged, reporter
from pairloom.system.extras import need
from pairloom.system.files import atomic_write
from pairloom.types import Float64s, PathName, Rows
from pairloom.vectors.query import Query
from pairloom.vectors.search import Neighbours, nearest
from pairloom.vectors.vectors import Vectors

FORMAT = "pairloom-index-2"  # 1 had the graph of another library
SUFFIX = ".index"  # added to the name of the model: king.loom.index
_MAX_HEADER = 1 << 12
_REMEDY = "Make it again with: pairloom index MODEL"
_SAMPLED = 1024  # rows whose digest identifies the vectors
_LEAST_SHARED = 256  # rows that are added at once by several threads: faiss uses one thread for 100 or fewer
_WORK_AT_ONCE = 3_000_000  # rows x effort x dim that are added at once by one thread: about 0.1 s
_WIDTH = 4  # how many rows are looked at for each row wanted; more find more, and take longer


class Index:
    """A graph over the rows of `vectors`. Following its links leads to the neighbours of a direction."""

    def __init__(self, vectors: Vectors, graph: Any) -> None:
        self.vectors = vectors
        self._graph = graph
        self._rows = np.flatnonzero(vectors.norms > 0)  # those in the graph: a row of zeros has no neighbours

    @classmethod
    def build(
        cls,
        vectors: Vectors,
        *,
        links: int = 16,
        effort: int = 200,
        threads: int | None = 1,
        on_progress: OnProgress = ignore,
    ) -> "Index":
        """Link every row to its neighbours: about 15 s for 100,000 words of dim 100 on one thread.

        links, effort: more of either find more neighbours and take longer
        threads: several (None: all cores) are faster; only one thread makes the same graph every time
        on_progress: called with the number of words linked so far, several times a second
        """
        check_whole("links", links, 2, 1000, "16 is usual")
        check_whole("effort", effort, 2, 10_000, "200 is usual")
        threads = checked_threads(threads)
        faiss = _faiss()
        graph = faiss.IndexHNSWFlat(vectors.dim, int(links), faiss.METRIC_INNER_PRODUCT)
        graph.hnsw.efConstruction = int(effort)
        index = cls(vectors, graph)
        report = reporter("index", len(index._rows), logged(on_progress))
        at_once = max(1 if threads == 1 else _LEAST_SHARED, _WORK_AT_ONCE // (effort * vectors.dim))
        with _omp_threads(faiss, threads):
            for start in range(0, len(index._rows), at_once):  # between two calls an interrupt takes effect
                rows = index._rows[start : start + at_once]
                graph.add((vectors.vectors[rows] / vectors.norms[rows, None]).astype(np.float32))
                report(graph.ntotal)
        return index

    def candidates(self, direction: Float64s, k: int) -> Rows:
        """About k rows that are likely the nearest to a direction."""
        k = min(k, self._graph.ntotal)
        if k == 0:
            return np.empty(0, np.intp)
        looked_at = _faiss().SearchParametersHNSW(efSearch=max(100, _WIDTH * k))
        _, found = self._graph.search(direction.astype(np.float32)[None], k, params=looked_at)
        return self._rows[found[0]] if found.min() >= 0 else self._rows  # -1: links do not lead to k rows

    def most_similar(
        self,
        positive: Query | None = None,
        negative: Query | None = None,
        topn: int = 10,
        *,
        weights: Sequence[float] | None = None,
    ) -> Neighbours:
        """`Vectors.most_similar`, found through this index."""
        return self.vectors.most_similar(positive, negative, topn, weights=weights, indexer=self)

    def recall(self, topn: int = 10, queries: int = 1000, seed: int = 1) -> float:
        """The share that the index finds of the `topn` nearest rows of `queries` random words."""
        n = len(self.vectors)
        rows = np.sort(np.random.default_rng(seed).permutation(np.flatnonzero(self.vectors.norms > 0))[:queries])
        if not len(rows):
            return 1.0
        units = self.vectors.vectors[rows] / self.vectors.norms[rows, None]
        exact = nearest(self.vectors.searched, units, min(topn, n), [()] * len(rows))
        shares = [
            len(np.intersect1d(self.candidates(unit, topn), found.rows)) / len(found.rows)
            for unit, found in zip(units, exact, strict=True)
        ]
        return float(np.mean(shares))

    def save(self, path: PathName) -> None:
        """Write a line of JSON that identifies the vectors, then faiss's bytes."""
        graph = memoryview(_faiss().serialize_index(self._graph))
        with atomic_write(path) as file:
            file.write(json.dumps(_header(self.vectors, graph)).encode() + b"\n")
            file.write(graph)

    @classmethod
    def load(cls, path: PathName, vectors: Vectors) -> "Index":
        """Read the index of these vectors."""
        faiss = _faiss()
        name = os.fspath(path)
        with opened(name, _REMEDY) as file:
            header, graph = file.readline(_MAX_HEADER), file.read()
        _check(header, _header(vectors, graph), name)
        try:
            return cls(vectors, faiss.deserialize_index(np.frombuffer(graph, np.uint8)))
        except RuntimeError:  # undamaged, but written by a version of faiss that this one cannot read
            raise InputError(f"{name} cannot be read by faiss {faiss.__version__}. {_REMEDY}") from None


def _faiss() -> Any:
    return need("faiss", "ann", "Approximate search")


@contextmanager
def _omp_threads(faiss: Any, threads: int) -> Iterator[None]:
    """Let faiss use this number of threads, and afterwards as many as before."""
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(threads)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)


def _header(vectors: Vectors, graph: bytes | memoryview) -> dict[str, Any]:
    """The number and dim of the vectors, a digest of some of their rows, and a digest of the graph."""
    rows = np.unique(np.linspace(0, len(vectors) - 1, min(len(vectors), _SAMPLED)).astype(np.intp))
    sample = np.ascontiguousarray(vectors.vectors[rows], "<f4").tobytes()
    digests = {"vectors": hashlib.sha256(sample).hexdigest(), "graph": hashlib.sha256(graph).hexdigest()}
    return {"format": FORMAT, "words": len(vectors), "dim": vectors.dim, **digests}


def _check(header: bytes, expected: dict[str, Any], name: str) -> None:
    try:
        found = json.loads(header)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise InputError(f"{name} is not an index of this version. {_REMEDY}")
    if any(found.get(key) != expected[key] for key in ("words", "dim", "vectors")):
        raise InputError(f"{name} is the index of other vectors. {_REMEDY}")
    if found.get("graph") != expected["graph"]:
        raise InputError(f"{name} is damaged. {_REMEDY}")
