"""A model to explore, with what its questions need beside the vectors. Everything here is computed once and kept."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from pairloom.config import check_whole
from pairloom.errors import InputError
from pairloom.explorer.completion import Completion
from pairloom.judging.explanation.shared_contexts import ContextSpace, context_space
from pairloom.maps.coordinates import Method, coordinates
from pairloom.maps.saved import map_of, most_frequent_map
from pairloom.progress import OnProgress, ignore
from pairloom.types import Matrix
from pairloom.vectors.classes import NO_CLASS, word_classes
from pairloom.vectors.embedding import Embedding, as_embedding
from pairloom.vectors.shortlist import Shortlist
from pairloom.vectors.vectors import Vectors

Value = TypeVar("Value")

MOST_CLASSES = 64
MAPPED = 20_000  # words on the map if nobody asks for another number
MOST_MAPPED = 1_000_000
WITHOUT_CLASS = 255


@dataclass(frozen=True, eq=False, kw_only=True)
class ExploredModel:
    """An embedding with a name and a place on the map for its most frequent words."""

    name: str
    embedding: Embedding
    coordinates: Matrix  # (mapped, 2), in [-1, 1]; row i is word i
    _kept: dict[object, Any] = field(default_factory=dict, repr=False)
    _lock: Lock = field(default_factory=Lock, repr=False)

    @property
    def mapped(self) -> int:
        """The number of words on the map: the first rows."""
        return len(self.coordinates)

    @cached_property
    def map_bytes(self) -> bytes:
        """The coordinates as little-endian float32, x and y of each word in turn."""
        return np.ascontiguousarray(self.coordinates, "<f4").tobytes()

    @cached_property
    def map_tag(self) -> str:
        """The ETag of the map."""
        return f'"{sha256(self.map_bytes).hexdigest()[:32]}"'

    @cached_property
    def completion(self) -> Completion:
        """The words by spelling."""
        return Completion(self.embedding.words.words)

    @property
    def context_space(self) -> ContextSpace:
        """What all explanations of pairs of words share."""
        return self._keep("context space", lambda: context_space(self.embedding))

    @property
    def shortlist(self) -> Shortlist | None:
        """What makes searches of words faster, as soon as `prepare` has made it."""
        return self._kept.get("shortlist")

    def prepare(self) -> None:
        """Compute what the first questions need."""
        for vectors in (self.embedding.words, self.embedding.contexts):
            _ = vectors.key_to_index, vectors.norms
        _ = self.completion
        shortlist = Shortlist(self.embedding.words)
        shortlist.candidates(np.ones(self.embedding.dim) / self.embedding.dim**0.5, 1)  # compiles its kernel
        self._keep("shortlist", lambda: shortlist)
        with suppress(InputError):  # models without contexts explain nothing
            _ = self.context_space

    def classes(self, k: int) -> npt.NDArray[np.uint8]:
        """The class of each mapped word by k-means, WITHOUT_CLASS for vectors of zeros."""
        return self._keep(("classes", k), lambda: _classes(self.embedding.words, self.mapped, k))

    def _keep(self, key: object, make: Callable[[], Value]) -> Value:
        """The value of `make`, which is called once for each key."""
        with self._lock:
            if key not in self._kept:
                self._kept[key] = make()
            value: Value = self._kept[key]
            return value


def explored(model: Embedding | ExploredModel, name: str) -> ExploredModel:
    """A model to explore. Without coordinates of its own, it gets a map of its MAPPED most frequent words."""
    if isinstance(model, ExploredModel):
        return model
    embedding = as_embedding(model)
    n = n_mapped(MAPPED, embedding)
    first = Vectors(embedding.words.words[:n], embedding.words.vectors[:n], embedding.words.counts[:n])
    return ExploredModel(name=name, embedding=embedding, coordinates=coordinates(first))


def explored_file(
    path: str,
    embedding: Embedding,
    words: int,
    method: Method = "auto",
    *,
    seed: int = 1,
    threads: int | None = None,
    on_progress: OnProgress = ignore,
) -> ExploredModel:
    """The model in a file, with a map of its first `words` words, which is kept beside it."""
    n = n_mapped(words, embedding)
    vectors = embedding.words
    if np.all(np.diff(vectors.counts) <= 0):  # the first rows are the most frequent words: others need no place
        places = most_frequent_map(path, vectors, n, method, seed=seed, threads=threads, on_progress=on_progress)
    else:
        places = map_of(path, vectors, method, seed=seed, threads=threads, on_progress=on_progress)[:n]
    return ExploredModel(name=Path(path).name, embedding=embedding, coordinates=places)


def n_mapped(words: int, embedding: Embedding) -> int:
    """How many words are mapped if `words` are asked for."""
    check_whole("words", words, 1, MOST_MAPPED, "20000 is usual")
    if not len(embedding):
        raise InputError("The model has no words, so there is nothing to explore. Give another one.")
    return min(words, len(embedding))


def _classes(words: Vectors, mapped: int, k: int) -> npt.NDArray[np.uint8]:
    first = Vectors(words.words[:mapped], words.vectors[:mapped])
    labels = word_classes(first, min(k, max(1, int(np.count_nonzero(first.norms))))).labels
    return np.where(labels == NO_CLASS, WITHOUT_CLASS, labels).astype(np.uint8)
