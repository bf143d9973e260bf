"""Workers that read the files of a corpus, for example on other machines.

    files -> groups of pieces (`pieces.py`) -> a function of each group, on a worker -> results, in order

`counting.py` and `encoding.py` have the functions, and put the results together in the same way as those of their own
threads. Results come in the order of the pieces, so nothing depends on the workers. They come while pieces are read,
some megabytes at a time, so neither side needs memory for more than that.

The other way would be that the workers write files into a folder that all machines share. This machine would read the
same bytes from there as it receives now, and the bytes would be written twice.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from functools import lru_cache
from itertools import islice
from typing import NamedTuple, Protocol, TypeVar

import numpy as np

from pairloom.corpus.finding import SourceFile
from pairloom.corpus.kinds.corpus import Corpus, Utf8Block
from pairloom.corpus.pieces import OddCharacters, TextPiece, grouped
from pairloom.corpus.separating import separator
from pairloom.errors import CorpusChangedError, InputError

Result = TypeVar("Result")
Pieces = Sequence[TextPiece]
PieceFunction = Callable[[Pieces], Iterator[Result]]


class WorkerError(Exception):
    """A worker did not finish its pieces. Internal: they are then read by this machine."""


class Reading(Protocol):
    """Workers that read files."""

    def can_read(self, files: Sequence[SourceFile]) -> bool:
        """Whether every worker sees these files. Warns if one does not."""

    def map(self, function: PieceFunction[Result], groups: Sequence[Pieces]) -> Generator[Iterator[Result], None, None]:
        """For each group of pieces, in order, an iterator over function(pieces). Workers read a few groups ahead.

        The iterator raises a WorkerError if the function raised an error, or if its worker died again and again.
        """


def pieces_for(reading: Reading | None, corpus: Corpus) -> list[list[TextPiece]]:
    """The pieces that workers are to read, in groups. Empty if this machine reads the corpus itself."""
    pieces = [] if reading is None else corpus.pieces()
    files = list(dict.fromkeys(piece.whole_file().file for piece in pieces))
    return grouped(pieces) if reading is not None and files and reading.can_read(files) else []


def read_pieces(
    reading: Reading, function: PieceFunction[Result], corpus: Corpus, groups: Sequence[Pieces]
) -> Iterator[Result]:
    """The results of a function for all pieces, in order.

    If a worker fails, this machine reads the pieces again. It raises the error that it would raise without workers, or
    finishes what the worker could not. The function must return the same results each time.
    """
    with closing(reading.map(function, groups)) as streams:
        for pieces, stream in zip(groups, streams, strict=True):
            n_results, finished = 0, False
            with suppress(WorkerError):
                for result in stream:
                    yield result
                    n_results += 1
                finished = True
            if not finished:
                yield from islice(_read_here(function, corpus, pieces), n_results, None)


def _read_here(function: PieceFunction[Result], corpus: Corpus, pieces: Pieces) -> Iterator[Result]:
    try:
        yield from function(pieces)
    except (InputError, CorpusChangedError) as error:
        failure = error
    else:
        return
    corpus.check_unchanged()
    for _ in utf8_blocks([piece.whole_file() for piece in pieces]):  # a message depends on where blocks begin
        pass
    raise failure


class PieceBlock(NamedTuple):
    """Some lines of a file, for the kernels."""

    block: Utf8Block
    name: str  # of the file
    odd: OddCharacters


def utf8_blocks(pieces: Pieces) -> Iterator[PieceBlock]:
    """The text of some pieces."""
    for piece in pieces:
        _check_here(piece.whole_file().file)
        separate, options = separator(piece.text), piece.text
        blocks = piece.utf8_blocks(plain=not options.as_text, keep_unspaced=options.rule != "spaces")
        for (data, goes_on, done), odd in blocks:
            block = Utf8Block(separate(np.frombuffer(data, np.uint8)), goes_on, done)
            yield PieceBlock(block, piece.file.name, odd)


@lru_cache(maxsize=1 << 12)
def _check_here(file: SourceFile) -> None:
    """Refuse a file that is not the one that was found. Each process checks, since machines may join at any time."""
    if not file.is_here():
        raise CorpusChangedError(f"{file.name} is not the same on all machines. Put it on storage that all share.")
