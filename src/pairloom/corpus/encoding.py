"""Write a text as ids: once, to files that are memory-mapped and read in every epoch.

`encode` writes two files: the ids of all tokens, and where each sentence starts among them. Words that are not in the
vocabulary are left out, and so are sentences that have no other words. With `gaps` each of these tokens becomes a -1
instead, for windows that are taken before words are left out.

    ids.bin      int32, little-endian
    starts.bin   int64, little-endian: n_sentences + 1 positions in ids
"""

import hashlib
import mmap
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from pairloom.config import checked_threads
from pairloom.corpus.inputs.word_lists import WordBlock
from pairloom.corpus.kinds.corpus import Corpus, Utf8Block
from pairloom.corpus.reading import Pieces, Reading, pieces_for, read_pieces, utf8_blocks
from pairloom.corpus.vocabulary import Vocabulary
from pairloom.errors import InputError
from pairloom.progress import OnProgress, ignore, reporter
from pairloom.system.files import output_errors
from pairloom.system.tensors import release_pages
from pairloom.types import Ids, PathName, Starts

if TYPE_CHECKING:  # the kernel brings Numba, which takes a second to import
    from pairloom.kernel.text.words import WordTable

_IDS, _STARTS = "ids.bin", "starts.bin"


@dataclass(frozen=True, eq=False)
class Encoded:
    """A corpus as ids. Sentence s is ids[starts[s] : starts[s + 1]].

    `digest` is a SHA-256 over ids, starts and vocabulary. It depends on the words alone: it is the same for one file or
    five, compressed or not, and for token lists.
    """

    ids: Ids
    starts: Starts
    vocabulary: Vocabulary
    digest: str
    folder: Path = Path()  # of the files
    _remove: Callable[[], object] = field(default=lambda: None, repr=False)

    @property
    def n_tokens(self) -> int:
        return len(self.ids)

    @property
    def n_sentences(self) -> int:
        return len(self.starts) - 1

    def release(self, first: int, last: int) -> None:
        """Release the memory of sentences first..last-1. They are mapped, so reading them again brings them back.

        Without this, the process would seem to hold the whole corpus in memory.
        """
        release_pages(self.ids, int(self.starts[first]), int(self.starts[last]))
        release_pages(self.starts, first, last)

    def close(self) -> None:
        """Delete the files if they are temporary. On systems that allow it, the arrays stay readable."""
        self._remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


# --- Encoding


class EncodedLines(NamedTuple):
    """Some lines as ids, in the order of the text."""

    ids: Ids
    line_ends: npt.NDArray[np.int64]  # positions in ids; includes the end of the first line even if it has no ids
    goes_on: bool  # whether the next EncodedLines continues the line after the last line end
    done: int  # bytes of the corpus read so far


def encode(
    corpus: Corpus,
    vocabulary: Vocabulary,
    folder: PathName,
    *,
    max_sentence: int | None = None,
    gaps: bool = False,
    threads: int | None = None,
    reading: Reading | None = None,
    on_progress: OnProgress = ignore,
) -> Encoded:
    """Write the ids and the sentence starts of a corpus into a folder, and map them.

    Lines with more than `max_sentence` known words are cut into several sentences, without losing a word. None stands
    for the corpus' own max_sentence. The files are the same for any number of threads and workers.

    reading: workers that read and encode the files of the corpus, if they see them. This machine writes the ids.
    """
    target = Path(folder)
    longest = corpus.text.max_sentence if max_sentence is None else max_sentence
    report = reporter("encode", corpus.size_bytes, on_progress)
    groups = pieces_for(reading, corpus)
    if reading is not None and groups:
        encode_some = partial(encode_pieces, table=_table_of(vocabulary), gaps=gaps)
        encoded_lines = read_pieces(reading, encode_some, corpus, groups)
    else:
        encoded_lines = _encode_here(corpus, vocabulary, gaps, checked_threads(threads))
    with _Writer(target, longest) as writer:
        for lines in encoded_lines:
            writer.add(lines)
            report(lines.done)
    corpus.check_unchanged()
    if writer.n_known == 0:
        raise InputError(
            f"None of the words of {corpus.name} are in the vocabulary. Use the vocabulary of a similar text."
        )
    return map_folder(target, vocabulary, writer.digest(vocabulary))


def _encode_here(corpus: Corpus, vocabulary: Vocabulary, gaps: bool, threads: int) -> Iterator[EncodedLines]:
    from pairloom.kernel.text import words as kernel

    table = _table_of(vocabulary)

    def encode_block(block: Utf8Block | WordBlock) -> EncodedLines:
        if block.data is None:
            return _encoded_lists(block, vocabulary, gaps)
        ids, line_ends = kernel.encode(table, block.data, gaps)
        return EncodedLines(ids, line_ends, block.goes_on, block.done)

    map_blocks: Any = corpus.map_blocks if corpus.has_blocks else corpus.map_word_blocks
    encoded: Iterator[EncodedLines] = map_blocks(encode_block, threads)
    return encoded


def _table_of(vocabulary: Vocabulary) -> "WordTable":
    from pairloom.kernel.text.words import table_with

    return table_with(np.frombuffer("".join(vocabulary.words).encode(), np.uint8), vocabulary.lengths)


def encode_pieces(pieces: Pieces, table: "WordTable", gaps: bool) -> Iterator[EncodedLines]:
    """Encode pieces on a worker."""
    from pairloom.kernel.text import words as kernel

    # A copy, since received arrays are read-only, for which Numba would compile the kernel again.
    table = deepcopy(table)
    for block, _, _ in utf8_blocks(pieces):
        yield EncodedLines(*kernel.encode(table, block.data, gaps), block.goes_on, block.done)


def _encoded_lists(block: WordBlock, vocabulary: Vocabulary, gaps: bool) -> EncodedLines:
    """The same for lists, by Python."""
    index = vocabulary.index
    lines = [[index.get(word, -1) for word in words if gaps or word in index] for words in block.lines]
    ends = np.cumsum([len(line) for line in lines], dtype=np.int64)
    ids = np.array(list(chain.from_iterable(lines)), np.int32)
    return EncodedLines(ids, ends[: len(lines) - block.goes_on], block.goes_on, block.done)


class _Writer:
    """Writes encoded lines to the two files, and computes their digests on the way."""

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

    def add(self, lines: EncodedLines) -> None:
        """Write the ids, and the starts of the sentences that end among them."""
        ends = lines.line_ends if lines.goes_on else np.append(lines.line_ends, len(lines.ids))
        begin = self.n_ids - self._open_length
        lengths = np.diff(ends, prepend=0)
        lengths[:1] += self._open_length
        n_open = len(lines.ids) - int(ends[-1]) if len(ends) else len(lines.ids) + self._open_length
        sentences = _sentence_lengths(lengths[lengths > 0], n_open, self._max_sentence)
        self._write(_STARTS, begin + np.cumsum(sentences, dtype="<i8"))
        self._write(_IDS, lines.ids.astype("<i4", copy=False))
        self.n_ids += len(lines.ids)
        self.n_known += int(np.count_nonzero(lines.ids >= 0))
        self._open_length = n_open % self._max_sentence if lines.goes_on else 0

    def digest(self, vocabulary: Vocabulary) -> str:
        return _combined(self._digests[_IDS].hexdigest(), self._digests[_STARTS].hexdigest(), vocabulary)

    def _write(self, name: str, array: npt.NDArray[Any]) -> None:
        with output_errors(self._folder):
            self._files[name].write(array.data)
        self._digests[name].update(array.data)


def _sentence_lengths(lengths: npt.NDArray[np.int64], n_open: int, longest: int) -> npt.NDArray[np.int64]:
    """Cut lines of these lengths into sentences of at most `longest` ids. Returns the lengths of the sentences.

    n_open: ids of one more line, whose end has not been read. Only its full sentences are returned.

    >>> _sentence_lengths(np.array([3, 12, 5]), n_open=11, longest=5).tolist()
    [3, 5, 5, 2, 5, 5, 5]
    """
    n_sentences = -(-lengths // longest)
    sentences = np.full(int(n_sentences.sum()), longest, np.int64)
    sentences[np.cumsum(n_sentences) - 1] = lengths - (n_sentences - 1) * longest
    return np.append(sentences, np.full(n_open // longest, longest, np.int64))


def _combined(ids: str, starts: str, vocabulary: Vocabulary) -> str:
    return hashlib.sha256(f"{ids} {starts} {vocabulary.digest}".encode()).hexdigest()


def digest_of(encoded: Encoded) -> str:
    """The digest, computed again from the files as they are now."""
    ids, starts = (hashlib.sha256(array.data).hexdigest() for array in (encoded.ids, encoded.starts))
    return _combined(ids, starts, encoded.vocabulary)


def map_folder(folder: Path, vocabulary: Vocabulary, digest: str) -> Encoded:
    """Map the files that `encode` wrote into a folder. `digest` is what they should have, and is not checked here."""
    with output_errors(folder):  # another process may be clearing the cache
        return Encoded(_map(folder / _IDS, "<i4"), _map(folder / _STARTS, "<i8"), vocabulary, digest, folder)


def _map(path: Path, kind: str) -> npt.NDArray[Any]:
    with path.open("rb") as file:
        return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), kind)
