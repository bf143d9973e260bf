"""Approximate search, for vocabularies so large that looking at every row takes too long.

    from pairloom.vectors.index import Index

    index = Index.build(embedding.words)
    index.most_similar("king")  # or embedding.most_similar("king", indexer=index)
    index.save("model.loom.index")
    index = Index.load("model.loom.index", embedding.words)

An `Index` proposes rows, which are then compared exactly. So every answer has its true cosine, and the only possible
mistake is a missed neighbour. `Index.recall` measures how many are found.

The graph is voyager's (HNSW: Malkov and Yashunin 2016), the smallest of the well-maintained libraries. A file is a
header of ours and voyager's bytes. The header has a digest of some rows, so that an index is not used with other
vectors than its own.
"""

import hashlib
import io
import json
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from pairloom.config import checked_threads
from pairloom.corpus.lists import opened
from pairloom.errors import ConfigError, InputError
from pairloom.system.extras import need
from pairloom.system.files import atomic_write
from pairloom.types import Float64s, PathName, Rows
from pairloom.vectors.query import Query
from pairloom.vectors.search import Neighbours, nearest
from pairloom.vectors.vectors import Vectors

FORMAT = "pairloom-index-1"
SUFFIX = ".index"  # added to the name of the model: king.loom.index
_MAX_HEADER = 1 << 12
_REMEDY = "Make it again with: pairloom index MODEL"
_SAMPLED = 1024  # rows whose digest identifies the vectors
_WIDTH = 4  # how many rows are looked at for each row wanted; more find more, and take longer


class Index:
    """A graph over the rows of `vectors`. Following its links leads to the neighbours of a direction."""

    def __init__(self, vectors: Vectors, graph: Any) -> None:
        self.vectors = vectors
        self._graph = graph

    @classmethod
    def build(cls, vectors: Vectors, *, links: int = 16, effort: int = 200, threads: int | None = 1) -> "Index":
        """Link every row to its neighbours: about 15 s for 100,000 words of dim 100 on one thread.

        links, effort: more of either find more neighbours and take longer
        threads: several (None: all cores) are faster; only one thread makes the same graph every time
        """
        for name, value in (("links", links), ("effort", effort)):
            if not 2 <= value <= 10_000:
                raise ConfigError(f"{name}={value} is out of range. Use 2 to 10,000; {name} of 16 and 200 are usual.")
        voyager = need("voyager", "ann", "Approximate search")
        graph = voyager.Index(voyager.Space.Cosine, vectors.dim, M=links, ef_construction=effort)
        rows = np.flatnonzero(vectors.norms > 0)  # a row of zeros has no neighbours
        if len(rows):
            graph.add_items(vectors.get_normed_vectors()[rows], rows, num_threads=checked_threads(threads))
        return cls(vectors, graph)

    def candidates(self, direction: Float64s, k: int) -> Rows:
        """About k rows that are likely the nearest to a direction."""
        k = min(k, len(self._graph))
        if k == 0:
            return np.empty(0, np.intp)
        try:
            rows, _ = self._graph.query(direction.astype(np.float32), k=k, query_ef=max(100, _WIDTH * k))
        except RuntimeError:  # links do not lead to k rows: propose all
            return np.flatnonzero(self.vectors.norms > 0)
        return np.asarray(rows, np.intp)

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
        exact = nearest(self.vectors.vectors, self.vectors.norms, units, min(topn, n), [()] * len(rows))
        shares = [
            len(np.intersect1d(self.candidates(unit, topn), found.rows)) / len(found.rows)
            for unit, found in zip(units, exact, strict=True)
        ]
        return float(np.mean(shares))

    def save(self, path: PathName) -> None:
        """Write a line of JSON that identifies the vectors, then voyager's bytes."""
        content = io.BytesIO()
        self._graph.save(content)
        with atomic_write(path) as file:
            file.write(json.dumps(_header(self.vectors, content.getbuffer())).encode() + b"\n")
            file.write(content.getbuffer())

    @classmethod
    def load(cls, path: PathName, vectors: Vectors) -> "Index":
        """Read the index of these vectors."""
        voyager = need("voyager", "ann", "Approximate search")
        name = os.fspath(path)
        with opened(name, _REMEDY) as file:
            header, graph = file.readline(_MAX_HEADER), file.read()
        _check(header, _header(vectors, graph), name)
        try:
            return cls(vectors, voyager.Index.load(io.BytesIO(graph)))
        except (RuntimeError, ValueError) as error:  # whole, but of a version of voyager that this one cannot read
            raise InputError(f"{name} cannot be loaded: {error}. {_REMEDY}") from None


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
