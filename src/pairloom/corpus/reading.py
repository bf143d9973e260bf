"""Workers that read the files of a corpus, for example on other machines.

    the files of a corpus -> pieces (`pieces.py`) -> a function of each piece, on the workers -> results, in order

`counting.py` and `encoding.py` have the functions, and put the results together in the same way as those of their own
threads. Results come in the order of the pieces, so nothing depends on the workers. They come while a piece is read,
some megabytes at a time, so neither side needs memory for more than that.

The other way would be that the workers write files into a folder that all machines share. This machine would read the
same bytes from there as it receives now, and the bytes would be written twice.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from functools import lru_cache
from itertools import islice
from typing import Protocol, TypeVar

import numpy as np

from pairloom.corpus.finding import SourceFile
from pairloom.corpus.pieces import TextPiece
from pairloom.corpus.sentences import Corpus, Utf8Block
from pairloom.errors import CorpusChangedError, InputError

Result = TypeVar("Result")
PieceFunction = Callable[[TextPiece], Iterator[Result]]


class WorkerError(Exception):
    """A worker did not finish a piece. Internal: the piece is then read by this machine."""


class Reading(Protocol):
    """Workers that read files."""

    def can_read(self, pieces: Sequence[TextPiece]) -> bool:
        """Whether every worker sees the files of these pieces. Warns if one does not."""

    def map(
        self, function: PieceFunction[Result], pieces: Sequence[TextPiece]
    ) -> Generator[Iterator[Result], None, None]:
        """For each piece, in order, an iterator over function(piece). Workers read a few pieces ahead.

        The iterator raises a WorkerError if the function raised an error, or if its worker died again and again.
        """


def pieces_for(reading: Reading | None, corpus: Corpus) -> list[TextPiece]:
    """The pieces that workers are to read. Empty if this machine reads the corpus itself."""
    pieces = [] if reading is None else corpus.pieces()
    return pieces if reading is not None and pieces and reading.can_read(pieces) else []


def read_pieces(
    reading: Reading, function: PieceFunction[Result], corpus: Corpus, pieces: Sequence[TextPiece]
) -> Iterator[Result]:
    """The results of a function for all pieces, in order.

    If a worker fails, this machine reads the piece again. It raises the error that it would raise without workers, or
    finishes what the worker could not. The function must return the same results each time.
    """
    with closing(reading.map(function, pieces)) as streams:
        for piece, stream in zip(pieces, streams, strict=True):
            n_results = 0
            try:
                for result in stream:
                    yield result
                    n_results += 1
            except WorkerError:
                yield from islice(_read_here(function, corpus, piece), n_results, None)


def _read_here(function: PieceFunction[Result], corpus: Corpus, piece: TextPiece) -> Iterator[Result]:
    try:
        yield from function(piece)
    except (InputError, CorpusChangedError):
        corpus.check_unchanged()
        for _ in utf8_blocks(piece.whole_file()):  # the message depends on where the blocks of a file begin
            pass
        raise


def utf8_blocks(piece: TextPiece) -> Iterator[tuple[Utf8Block, int]]:
    """The text of a piece for the kernels, each block with its number of NULs."""
    _check_here(piece.whole_file().file)
    for (text, goes_on, done), nuls in piece.blocks(plain=not piece.text.as_text, keep_unspaced=False):
        yield Utf8Block(np.frombuffer(text.encode(), np.uint8), goes_on, done), nuls


@lru_cache(maxsize=1 << 12)
def _check_here(file: SourceFile) -> None:
    """Refuse a file that is not the one that was found. Each process checks, since machines may join at any time."""
    if not file.is_here():
        raise CorpusChangedError(f"{file.name} is not the same on all machines. Put it on storage that all share.")
