"""The text as numbers: written once, memory-mapped, read in every epoch.

`encode` writes two files: the ids of all words that the vocabulary has, one after the other, and where the sentences
start among them. Words that the vocabulary does not have leave the text; a sentence that loses all its words is gone.
With `gaps` they leave a -1 in their place, for windows that are taken before words leave.

    ids.bin      int32, little-endian
    starts.bin   int64, little-endian: n_sentences + 1 positions in ids
"""

import hashlib
import mmap
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from pairloom.config import checked_threads
from pairloom.corpus.sentences import Block, Corpus
from pairloom.corpus.vocabulary import Vocabulary
from pairloom.errors import InputError
from pairloom.progress import OnProgress, ignore, reporter
from pairloom.system.files import output_errors
from pairloom.system.threads import in_order
from pairloom.types import Ids, Starts

_IDS, _STARTS = "ids.bin", "starts.bin"
_BATCH = 1 << 18  # ids of token lists written at once


@dataclass(frozen=True, eq=False)
class Encoded:
    """A corpus as ids. Sentence s is ids[starts[s] : starts[s + 1]].

    `digest` is the SHA-256 over ids, starts and vocabulary, so it depends on the words alone: it is the same for one
    file and for five, packed or not, and for token lists.
    """

    ids: Ids
    starts: Starts
    vocabulary: Vocabulary
    digest: str
    _remove: Callable[[], object] = field(default=lambda: None, repr=False)

    @property
    def n_tokens(self) -> int:
        return len(self.ids)

    @property
    def n_sentences(self) -> int:
        return len(self.starts) - 1

    def release(self, first: int, last: int) -> None:
        """Give back the memory of sentences first..last-1. They are mapped, so they come back when they are read again.

        Else a corpus that is longer than memory would look, to whoever watches the process, as if it were held in it.
        """
        release_pages(self.ids, int(self.starts[first]), int(self.starts[last]))
        release_pages(self.starts, first, last)

    def close(self) -> None:
        """Delete the files if they are temporary. (Where that is allowed, the arrays stay readable.)"""
        self._remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


# --- Encoding


class _Part(NamedTuple):
    """Some lines as ids, in the order of the text."""

    ids: Ids
    line_ends: npt.NDArray[np.int64]  # positions in ids; the end of the first line is there even if it has no ids
    goes_on: bool  # whether the ids after the last line end belong to a line that the next part goes on with
    done: int


def encode(
    corpus: Corpus,
    vocabulary: Vocabulary,
    folder: str | os.PathLike[str],
    *,
    max_sentence: int | None = None,
    gaps: bool = False,
    threads: int | None = None,
    on_progress: OnProgress = ignore,
) -> Encoded:
    """Write the ids and the sentence starts of a corpus into a folder, and map them.

    Lines of more than max_sentence words of the vocabulary (the corpus' own option if None) become several sentences;
    no word is lost. The files are the same for any number of threads.
    """
    target = Path(folder)
    longest = corpus.text.max_sentence if max_sentence is None else max_sentence
    report = reporter("encode", corpus.size_bytes, on_progress)
    if corpus.has_blocks:
        parts = _parts_of_blocks(corpus, vocabulary, gaps, threads)
    else:
        parts = _parts_of_pieces(corpus, vocabulary, gaps)
    with _Writer(target, longest) as writer:
        for part in parts:
            writer.add(part)
            report(part.done)
    corpus.check_unchanged()
    if writer.n_known == 0:
        raise InputError(
            f"None of the words of {corpus.name} are in the vocabulary. Use the vocabulary of such a text."
        )
    return map_folder(target, vocabulary, writer.digest(vocabulary))


def _parts_of_blocks(corpus: Corpus, vocabulary: Vocabulary, gaps: bool, threads: int | None) -> Iterator[_Part]:
    from pairloom.kernel.text import words as kernel

    arena = np.frombuffer("".join(vocabulary.words).encode(), np.uint8)
    table = kernel.table_with(arena, vocabulary.lengths)
    del arena

    def encode_block(block: Block) -> _Part:
        ids, line_ends = kernel.encode(table, block.data, gaps)
        return _Part(ids, line_ends, block.goes_on, block.done)

    return in_order(encode_block, corpus.blocks(), checked_threads(threads))


def _parts_of_pieces(corpus: Corpus, vocabulary: Vocabulary, gaps: bool) -> Iterator[_Part]:
    """The same from lists of words. Pieces are gathered, so that parts are of a useful size."""
    index = vocabulary.index
    ids: list[int] = []
    line_ends: list[int] = []
    goes_on, done = False, 0
    for words, _, goes_on, done in corpus.pieces():
        ids += [index.get(word, -1) for word in words if gaps or word in index]
        if not goes_on:
            line_ends.append(len(ids))
        if len(ids) >= _BATCH or len(line_ends) >= _BATCH:
            yield _Part(np.array(ids, np.int32), np.array(line_ends, np.int64), goes_on, done)
            ids, line_ends = [], []
    yield _Part(np.array(ids, np.int32), np.array(line_ends, np.int64), goes_on, done)


class _Writer:
    """Writes parts to the two files and takes their digests on the way."""

    def __init__(self, folder: Path, max_sentence: int) -> None:
        self.n_ids = self.n_known = 0
        self._folder, self._max_sentence = folder, max_sentence
        self._open_length = 0  # ids of the unfinished sentence at the end
        self._digests = {name: hashlib.sha256() for name in (_IDS, _STARTS)}
        self._files: dict[str, BinaryIO] = {}
        self._close = ExitStack()

    def __enter__(self) -> Self:
        with output_errors(self._folder):
            for name in self._digests:
                self._files[name] = self._close.enter_context((self._folder / name).open("wb"))
        self._write(_STARTS, np.zeros(1, "<i8"))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        with output_errors(self._folder), self._close:
            for file in self._files.values() if error is None else ():
                file.flush()
                os.fsync(file.fileno())

    def add(self, part: _Part) -> None:
        ends = part.line_ends if part.goes_on else np.append(part.line_ends, len(part.ids))
        begin = self.n_ids - self._open_length
        lengths = np.diff(ends, prepend=0)
        lengths[:1] += self._open_length
        n_open = len(part.ids) - int(ends[-1]) if len(ends) else len(part.ids) + self._open_length
        pieces = _piece_lengths(lengths[lengths > 0], n_open, self._max_sentence)
        self._write(_STARTS, begin + np.cumsum(pieces, dtype="<i8"))
        self._write(_IDS, part.ids.astype("<i4", copy=False))
        self.n_ids += len(part.ids)
        self.n_known += int(np.count_nonzero(part.ids >= 0))
        self._open_length = n_open % self._max_sentence if part.goes_on else 0

    def digest(self, vocabulary: Vocabulary) -> str:
        return _combined(self._digests[_IDS].hexdigest(), self._digests[_STARTS].hexdigest(), vocabulary)

    def _write(self, name: str, array: npt.NDArray[Any]) -> None:
        with output_errors(self._folder):
            self._files[name].write(array.data)
        self._digests[name].update(array.data)


def _piece_lengths(lengths: npt.NDArray[np.int64], n_open: int, longest: int) -> npt.NDArray[np.int64]:
    """Lengths of the sentences that lines of these lengths make, and n_open ids of a line that is not over.

    >>> _piece_lengths(np.array([3, 12, 5]), n_open=11, longest=5).tolist()
    [3, 5, 5, 2, 5, 5, 5]
    """
    n_pieces = -(-lengths // longest)
    pieces = np.full(int(n_pieces.sum()), longest, np.int64)
    pieces[np.cumsum(n_pieces) - 1] = lengths - (n_pieces - 1) * longest
    return np.append(pieces, np.full(n_open // longest, longest, np.int64))


def _combined(ids: str, starts: str, vocabulary: Vocabulary) -> str:
    return hashlib.sha256(f"{ids} {starts} {vocabulary.digest}".encode()).hexdigest()


def digest_of(encoded: Encoded) -> str:
    """The digest anew, from the files as they are now."""
    ids, starts = (hashlib.sha256(array.data).hexdigest() for array in (encoded.ids, encoded.starts))
    return _combined(ids, starts, encoded.vocabulary)


def map_folder(folder: Path, vocabulary: Vocabulary, digest: str) -> Encoded:
    """What `encode` has written into a folder, of which somebody knows the digest."""
    with output_errors(folder):  # it could be gone if somebody cleared the cache in this moment
        return Encoded(_map(folder / _IDS, "<i4"), _map(folder / _STARTS, "<i8"), vocabulary, digest)


def _map(path: Path, kind: str) -> npt.NDArray[Any]:
    with path.open("rb") as file:
        return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), kind)


def release_pages(array: npt.NDArray[Any], begin: int, end: int) -> None:
    """Give back the pages that array[begin:end] covers, if they are those of a file and the system can."""
    pages = getattr(array.base, "obj", None)  # np.frombuffer keeps a memoryview of what it was given
    if isinstance(pages, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        first, last = (at * array.itemsize // mmap.PAGESIZE * mmap.PAGESIZE for at in (begin, end))
        if first < last:
            pages.madvise(mmap.MADV_DONTNEED, first, last - first)
