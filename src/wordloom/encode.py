"""The text as numbers: written once, memory-mapped, read in every epoch.

`encode` writes two files: the ids of all words that the vocabulary has, one after the other, and where the sentences
start among them. Words that the vocabulary does not have leave the text; a sentence that loses all its words is gone.

`prepare` is count + encode with a memory. What it made of files is kept in a cache folder, under a key made of the
files' identity and all options that matter, so that the next run on the same text starts at once:

    <cache>/<key>/ids.bin      int32, little-endian
                  starts.bin   int64, little-endian: n_sentences + 1 positions in ids
                  vocabulary.json
                  meta.json    sizes and digests, written last
"""

import hashlib
import json
import mmap
import os
import shutil
import unicodedata
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from wordloom.config import checked_threads
from wordloom.corpus import Block, Corpus
from wordloom.counting import in_order, reporter
from wordloom.errors import CorpusChangedError, InputError, OutputError
from wordloom.files import atomic_write, output_errors, sync_folder
from wordloom.progress import OnProgress, ignore
from wordloom.types import Ids, Starts
from wordloom.vocabulary import Vocabulary, checked_selection

FORMAT = "wordloom-cache-1"  # a new number whenever the same input would give other files

_IDS, _STARTS, _VOCABULARY, _META = "ids.bin", "starts.bin", "vocabulary.json", "meta.json"
_TEMPORARY = "wordloom-tmp-"
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
        _release(self.ids, int(self.starts[first]), int(self.starts[last]))
        _release(self.starts, first, last)

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
    parts = _parts_of_blocks(corpus, vocabulary, threads) if corpus.has_blocks else _parts_of_pieces(corpus, vocabulary)
    with _Writer(target, longest) as writer:
        for part in parts:
            writer.add(part)
            report(part.done)
    corpus.check_unchanged()
    if writer.n_ids == 0:
        raise InputError(
            f"None of the words of {corpus.name} are in the vocabulary. Use the vocabulary of such a text."
        )
    return _mapped(target, vocabulary, writer.digest(vocabulary))


def _parts_of_blocks(corpus: Corpus, vocabulary: Vocabulary, threads: int | None) -> Iterator[_Part]:
    from wordloom.kernel import text as kernel

    table = kernel.table_of([word.encode() for word in vocabulary.words])

    def encode_block(block: Block) -> _Part:
        ids, line_ends = kernel.encode(table, block.data)
        return _Part(ids, line_ends, block.goes_on, block.done)

    return in_order(encode_block, corpus.blocks(), checked_threads(threads))


def _parts_of_pieces(corpus: Corpus, vocabulary: Vocabulary) -> Iterator[_Part]:
    """The same from lists of words. Pieces are gathered, so that parts are of a useful size."""
    index = vocabulary.index
    ids: list[int] = []
    line_ends: list[int] = []
    goes_on, done = False, 0
    for words, _, goes_on, done in corpus.pieces():
        ids += [index[word] for word in words if word in index]
        if not goes_on:
            line_ends.append(len(ids))
        if len(ids) >= _BATCH or len(line_ends) >= _BATCH:
            yield _Part(np.array(ids, np.int32), np.array(line_ends, np.int64), goes_on, done)
            ids, line_ends = [], []
    yield _Part(np.array(ids, np.int32), np.array(line_ends, np.int64), goes_on, done)


class _Writer:
    """Writes parts to the two files and takes their digests on the way."""

    def __init__(self, folder: Path, max_sentence: int) -> None:
        self.n_ids = 0
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


def _mapped(folder: Path, vocabulary: Vocabulary, digest: str) -> Encoded:
    with output_errors(folder):  # it could be gone if somebody cleared the cache in this moment
        return Encoded(_map(folder / _IDS, "<i4"), _map(folder / _STARTS, "<i8"), vocabulary, digest)


def _map(path: Path, kind: str) -> npt.NDArray[Any]:
    with path.open("rb") as file:
        return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), kind)


def _release(array: npt.NDArray[Any], begin: int, end: int) -> None:
    """Give back the pages that array[begin:end] covers, if they are those of a file and the system can."""
    pages = getattr(array.base, "obj", None)  # np.frombuffer keeps a memoryview of what it was given
    if isinstance(pages, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        first, last = (at * array.itemsize // mmap.PAGESIZE * mmap.PAGESIZE for at in (begin, end))
        if first < last:
            pages.madvise(mmap.MADV_DONTNEED, first, last - first)


# --- The cache


def default_cache_dir() -> Path:
    """$WORDLOOM_CACHE, or the system's place for caches."""
    import platformdirs

    return Path(os.environ.get("WORDLOOM_CACHE") or platformdirs.user_cache_dir("wordloom"))


def prepare(
    corpus: Corpus,
    *,
    vocabulary: Vocabulary | None = None,
    min_count: int = 5,
    max_vocab: int | None = None,
    keep: Iterable[str] = (),
    drop: Iterable[str] = (),
    cache_dir: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    on_progress: OnProgress = ignore,
) -> Encoded:
    """Count and encode a corpus, or find that this was done before.

    With a given vocabulary nothing is counted. What cannot be known again (a stream, token lists, a tokenizer) is
    encoded into a temporary folder of the cache, which goes when the result is closed or no longer used.
    """
    keep, drop = checked_selection(min_count=min_count, max_vocab=max_vocab, keep=keep, drop=drop)
    if vocabulary is not None and len(vocabulary) < 2:
        raise InputError(f"The given vocabulary has {len(vocabulary)} words; need at least 2 words. Give a larger one.")
    cache = Path(cache_dir) if cache_dir is not None else default_cache_dir()

    def build(folder: Path) -> Encoded:
        if vocabulary is not None:
            return encode(corpus, vocabulary, folder, threads=threads, on_progress=on_progress)
        counted = Vocabulary.from_corpus(
            corpus,
            min_count=min_count,
            max_vocab=max_vocab,
            keep=keep,
            drop=drop,
            threads=threads,
            on_progress=on_progress,
        )
        encoded = encode(corpus, counted, folder, threads=threads, on_progress=on_progress)
        _check_same_words(corpus, encoded)
        return encoded

    identity = corpus.identity()
    if identity is None:
        return _build_temporary(cache, build)
    options = [min_count, max_vocab, sorted(keep), sorted(drop)] if vocabulary is None else [vocabulary.digest]
    entry = cache / _key(identity, corpus, options)
    return _read_entry(entry) or _build_entry(entry, build)


def _key(identity: str, corpus: Corpus, options: Sequence[object]) -> str:
    """Everything that the files in the cache depend on; the version of Unicode decides on white space and case."""
    text = corpus.text
    parts = [FORMAT, unicodedata.unidata_version, identity, text.lowercase, text.encoding, text.errors]
    return hashlib.sha256(json.dumps([*parts, text.max_sentence, options]).encode()).hexdigest()[:32]


def _check_same_words(corpus: Corpus, encoded: Encoded) -> None:
    """The second reading must give every word as often as the first did."""
    from wordloom.kernel.text import tally

    counts = encoded.vocabulary.counts
    seen = np.zeros(len(counts), np.int64)
    for begin in range(0, len(encoded.ids), 1 << 22):
        tally(encoded.ids[begin : begin + (1 << 22)], seen)
        _release(encoded.ids, begin, min(begin + (1 << 22), len(encoded.ids)))
    if not np.array_equal(seen, counts):
        raise CorpusChangedError(
            f"{corpus.name} was not the same when read again: first {int(counts.sum()):,} words of the vocabulary, "
            f"then {len(encoded.ids):,}. Give one that is the same each time, such as a list."
        )


def _build_temporary(cache: Path, build: Callable[[Path], Encoded]) -> Encoded:
    with _temporary_folder(cache) as folder:
        encoded = build(folder)
        remove = weakref.finalize(encoded, shutil.rmtree, folder, ignore_errors=True)
        object.__setattr__(encoded, "_remove", remove)
        return encoded


def _build_entry(entry: Path, build: Callable[[Path], Encoded]) -> Encoded:
    with _temporary_folder(entry.parent) as folder:
        encoded = build(folder)
        _write_vocabulary(folder, encoded.vocabulary)
        _write_meta(folder, encoded)
        with output_errors(entry):
            _put_in_place(folder, entry)
        return encoded


def _put_in_place(folder: Path, entry: Path) -> None:
    """Rename a finished folder. What may stand there is damaged, or just as good and made by another process."""
    try:
        folder.rename(entry)
    except OSError:
        if _read_entry(entry) is None:
            entry.rename(folder / "old")
            folder.rename(entry)
            shutil.rmtree(entry / "old", ignore_errors=True)
        else:
            shutil.rmtree(folder)
    sync_folder(entry.parent)


@contextmanager
def _temporary_folder(cache: Path) -> Iterator[Path]:
    """A new folder in the cache, removed if the body fails."""
    folder = cache / f"{_TEMPORARY}{os.urandom(8).hex()}"
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise OutputError(
            f"The cache folder {cache} cannot be written: {error.strerror}. "
            "Choose another with cache_dir (--cache-dir) or in WORDLOOM_CACHE."
        ) from error
    try:
        yield folder
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _write_vocabulary(folder: Path, vocabulary: Vocabulary) -> None:
    """As JSON: a given vocabulary may have words with white space."""
    content = {"words": vocabulary.words, "counts": vocabulary.counts.tolist()}
    with atomic_write(folder / _VOCABULARY) as file:
        file.write(json.dumps(content, ensure_ascii=False).encode())


def _write_meta(folder: Path, encoded: Encoded) -> None:
    meta = {"format": FORMAT, "tokens": encoded.n_tokens, "sentences": encoded.n_sentences, "digest": encoded.digest}
    with atomic_write(folder / _META) as file:
        file.write(json.dumps(meta).encode())


def _read_entry(entry: Path) -> Encoded | None:
    """A finished entry of the cache; None if there is none, or if anything in it is not as it was written."""
    try:
        meta = json.loads((entry / _META).read_bytes())
        content = json.loads((entry / _VOCABULARY).read_bytes())
        vocabulary = Vocabulary(tuple(content["words"]), np.array(content["counts"], np.int64))
        encoded = _mapped(entry, vocabulary, meta["digest"])
        whole = (encoded.n_tokens, encoded.n_sentences) == (meta["tokens"], meta["sentences"])
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        return None
    return encoded if whole and _digest(encoded) == encoded.digest else None


def _digest(encoded: Encoded) -> str:
    ids, starts = (hashlib.sha256(array.data).hexdigest() for array in (encoded.ids, encoded.starts))
    return _combined(ids, starts, encoded.vocabulary)


class CacheEntry(NamedTuple):
    """A folder of the cache and the bytes that it takes."""

    path: Path
    size_bytes: int


def cache_entries(cache_dir: str | os.PathLike[str] | None = None) -> list[CacheEntry]:
    """What is in the cache, also what a run that was killed left there."""
    cache = Path(cache_dir) if cache_dir is not None else default_cache_dir()
    try:
        folders = sorted(cache.iterdir()) if cache.exists() else []
    except OSError as error:
        raise InputError(f"The cache folder {cache} cannot be read: {error.strerror}. Name another.") from None
    return [CacheEntry(folder, _size(folder)) for folder in folders if _is_ours(folder)]


def clear_cache(cache_dir: str | os.PathLike[str] | None = None) -> int:
    """Delete everything that `cache_entries` lists, and nothing else; give the bytes that this freed."""
    freed = 0
    for path, size in cache_entries(cache_dir):
        with output_errors(path):
            shutil.rmtree(path)
        freed += size
    return freed


def _is_ours(folder: Path) -> bool:
    if folder.is_symlink() or not folder.is_dir():
        return False
    if folder.name.startswith(_TEMPORARY):
        return True
    try:
        return str(json.loads((folder / _META).read_bytes())["format"]).startswith("wordloom-cache-")
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _size(folder: Path) -> int:
    size = 0
    for path in folder.rglob("*"):
        with suppress(FileNotFoundError):  # a run that is just finishing renames its folder
            size += path.stat().st_size if path.is_file() else 0
    return size
