"""A source of pairs on its way to workers: without its names, and with its files where each worker finds them.

The files with the ids of a text, or with given pairs, are mapped if the worker sees the same folder. If it does not,
they are copied to it once.
"""

import tempfile
from collections.abc import Iterator
from copy import copy
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pairloom.corpus.encoding import map_folder
from pairloom.corpus.vocabulary import Vocabulary
from pairloom.pairs.from_pairs import PairSource
from pairloom.pairs.from_text import TextSource
from pairloom.pairs.pair_encoding import EncodedPairs, map_pairs
from pairloom.pairs.source import Source, WeightedNames

BYTES_PER_MESSAGE = 1 << 24


class SourceFiles(NamedTuple):
    """The files of a source: their folder, and the size of each."""

    folder: str
    sizes: dict[str, int]

    @classmethod
    def of(cls, source: Source) -> "SourceFiles":
        assert isinstance(source, TextSource | PairSource)
        folder = source.encoded.folder
        return cls(str(folder), {path.name: path.stat().st_size for path in sorted(folder.glob("*.bin"))})

    def are_seen(self) -> bool:
        """Whether this machine has them, under the same path and of the same size."""
        try:
            return all((Path(self.folder) / name).stat().st_size == size for name, size in self.sizes.items())
        except OSError:
            return False

    def chunks(self) -> Iterator[tuple[str, int, bytes]]:
        """Their content: the name of a file, a position in it, and the bytes from there on."""
        for name, size in self.sizes.items():
            with (Path(self.folder) / name).open("rb") as file:
                for position in range(0, max(size, 1), BYTES_PER_MESSAGE):
                    yield name, position, file.read(BYTES_PER_MESSAGE)


def new_folder() -> str:
    """A temporary folder of this machine for copied files."""
    return tempfile.mkdtemp(prefix="pairloom-source-")


def write_chunk(folder: str, name: str, position: int, content: bytes) -> None:
    """Write one of `SourceFiles.chunks`."""
    with (Path(folder) / name).open("r+b" if position else "wb") as file:
        file.seek(position)
        file.write(content)


def stripped(source: Source) -> Source:
    """A copy without files and names, to be sent: names stay with the driver."""
    light = copy(source)
    light._pairs = np.empty(0, np.int64)
    light.words, light.contexts = _nameless(source.words), _nameless(source.contexts)
    vars(light).pop("encoded")
    for cached in ("reach", "order", "trained_weights"):
        vars(light).pop(cached, None)
    return light


def _nameless(names: WeightedNames) -> WeightedNames:
    return WeightedNames(range(len(names.names)), names.mass)  # type: ignore[arg-type]  # only counted


def attached(light: Source, folder: str) -> Source:
    """A stripped source with its files."""
    source = copy(light)
    if isinstance(source, TextSource):
        source._buffers = np.empty((4, 0), np.int32)
        source.encoded = map_folder(Path(folder), Vocabulary((), np.empty(0, np.int64)), "")
    elif isinstance(source, PairSource):
        pairs, weights = map_pairs(Path(folder))
        source.encoded = EncodedPairs(pairs, weights, source.words, source.contexts, "", Path(folder))
    return source
