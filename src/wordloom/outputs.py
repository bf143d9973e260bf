"""Where a training is saved to: whether that can be done is known before it begins, not after it."""

import os
from dataclasses import dataclass

from wordloom import formats
from wordloom.errors import InputError
from wordloom.textfiles import PathName, is_among
from wordloom.vectors import Embedding


@dataclass(frozen=True)
class Outputs:
    """The files that are asked for."""

    embedding: PathName | None = None
    contexts: PathName | None = None

    def __post_init__(self) -> None:
        paths = [path for path in (self.embedding, self.contexts) if path is not None]
        for path in paths:
            formats.check_output(path)
        if len(paths) == 2 and is_among(paths[0], [paths[1]]):
            raise InputError(
                f"{os.fspath(paths[0])} cannot hold both words and contexts. Choose another name for one of them."
            )

    def save(self, embedding: Embedding) -> None:
        """Write what was asked for."""
        if self.embedding is not None:
            embedding.save(self.embedding)
        if self.contexts is not None:
            Embedding.of_words(embedding.contexts).save(self.contexts)
