"""The files that a training writes. Whether they can be written is checked before it begins."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from pairloom import formats
from pairloom.corpus.finding import check_not_read, would_overwrite
from pairloom.errors import InputError
from pairloom.system.files import check_space
from pairloom.system.locks import claim
from pairloom.types import PathName
from pairloom.vectors.embedding import Embedding


@dataclass(frozen=True)
class Outputs:
    """Where to save the embedding, and where to save the vectors of its contexts."""

    embedding: PathName | None = None
    contexts: PathName | None = None

    def __post_init__(self) -> None:
        for path in self._paths:
            formats.check_output(path)
        if len(self._paths) == 2 and would_overwrite(self._paths[0], self._paths[1:]):
            raise InputError(
                f"{os.fspath(self._paths[0])} cannot hold both words and contexts. Choose another name for one of them."
            )

    @property
    def _paths(self) -> list[PathName]:
        return [path for path in (self.embedding, self.contexts) if path is not None]

    def check_not_read(self, source: object) -> None:
        """Raise an InputError if a file to write is one that is read."""
        for path in self._paths:
            check_not_read(path, source)

    @contextmanager
    def claimed(self) -> Iterator[None]:
        """Keep other trainings from writing the same files until the body ends."""
        with ExitStack() as claims:
            for path in self._paths:
                claims.enter_context(claim(path))
            yield

    def check_space(self, n_words: int, n_contexts: int, dim: int) -> None:
        """Raise an OutputError if a disk has too little space left."""
        if self.embedding is not None:
            check_space(self.embedding, formats.least_size(self.embedding, n_words, n_contexts, dim))
        if self.contexts is not None:
            check_space(self.contexts, formats.least_size(self.contexts, n_contexts, 0, dim))

    def save(self, embedding: Embedding) -> None:
        """Write the files."""
        if self.embedding is not None:
            embedding.save(self.embedding)
        if self.contexts is not None:
            Embedding.of_words(embedding.contexts).save(self.contexts)
