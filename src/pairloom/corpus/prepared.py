"""Count + encode with a memory, so that the next run on the same text starts at once.

What `prepare` made of files is kept in a cache folder, under a key made of the files' identity and all options that
matter:

    <cache>/<key>/ids.bin, starts.bin   as `encode` writes them
                  vocabulary.json
                  meta.json             sizes and digests, written last
"""

import hashlib
import json
import os
import shutil
import unicodedata
import weakref
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pairloom.corpus.encoding import Encoded, digest_of, encode, map_folder, release_pages
from pairloom.corpus.sentences import Corpus
from pairloom.corpus.vocabulary import Vocabulary, checked_selection
from pairloom.errors import CorpusChangedError, InputError
from pairloom.progress import OnProgress, ignore
from pairloom.system.cache_folder import cache_folder, new_temporary_folder, temporary_folder
from pairloom.system.files import atomic_write, output_errors, sync_name
from pairloom.system.memory import give_back
from pairloom.system.temporary import IN_CACHE, is_held

FORMAT = "pairloom-cache-1"  # a new number whenever the same input would give other files

_VOCABULARY, _META = "vocabulary.json", "meta.json"


def prepare(
    corpus: Corpus,
    *,
    vocabulary: Vocabulary | None = None,
    min_count: float = 5,
    max_vocab: int | None = None,
    keep: Iterable[str] = (),
    drop: Iterable[str] = (),
    gaps: bool = False,
    check: Callable[[Vocabulary], object] = lambda vocabulary: None,
    max_memory: int | None = None,
    cache_dir: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    on_progress: OnProgress = ignore,
) -> Encoded:
    """Count and encode a corpus, or find that this was done before.

    With a given vocabulary nothing is counted. gaps: words outside the vocabulary keep their places. check is called
    with the vocabulary as soon as there is one, and may refuse it. max_memory: see `count`. What cannot be known again
    (a stream, token lists, a tokenizer) is encoded into a temporary folder of the cache, which goes when the result is
    closed or no longer used.
    """
    keep, drop = checked_selection(min_count=min_count, max_vocab=max_vocab, keep=keep, drop=drop)
    if vocabulary is not None and len(vocabulary) < 2:
        raise InputError(f"The given vocabulary has {len(vocabulary)} words; need at least 2 words. Give a larger one.")
    cache = cache_folder(cache_dir)

    def build(folder: Path) -> Encoded:
        if vocabulary is not None:
            check(vocabulary)
            return encode(corpus, vocabulary, folder, gaps=gaps, threads=threads, on_progress=on_progress)
        counted = Vocabulary.from_corpus(
            corpus,
            min_count=min_count,
            max_vocab=max_vocab,
            keep=keep,
            drop=drop,
            max_memory=max_memory,
            cache_dir=cache,
            threads=threads,
            on_progress=on_progress,
        )
        give_back()
        check(counted)
        encoded = encode(corpus, counted, folder, gaps=gaps, threads=threads, on_progress=on_progress)
        _check_same_words(corpus, encoded)
        give_back()
        return encoded

    identity = corpus.identity()
    if identity is None:
        return _build_temporary(cache, build)
    options = [min_count, max_vocab, sorted(keep), sorted(drop)] if vocabulary is None else [vocabulary.digest]
    entry = cache / _key(identity, corpus, [*options, gaps])
    found = _read_entry(entry)
    if found is None:
        return _build_entry(entry, build)
    give_back()
    check(found.vocabulary)
    return found


def _key(identity: str, corpus: Corpus, options: Sequence[object]) -> str:
    """Everything that the files in the cache depend on; the version of Unicode decides on white space and case."""
    text = corpus.text
    parts = [FORMAT, unicodedata.unidata_version, identity, text.lowercase, text.encoding, text.errors]
    return hashlib.sha256(json.dumps([*parts, text.max_sentence, options]).encode()).hexdigest()[:32]


def _check_same_words(corpus: Corpus, encoded: Encoded) -> None:
    """The second reading must give every word as often as the first did."""
    from pairloom.kernel.text.words import tally

    counts = encoded.vocabulary.counts
    seen = np.zeros(len(counts), np.int64)
    for begin in range(0, len(encoded.ids), 1 << 22):
        tally(encoded.ids[begin : begin + (1 << 22)], seen)
        release_pages(encoded.ids, begin, min(begin + (1 << 22), len(encoded.ids)))
    if not np.array_equal(seen, counts):
        raise CorpusChangedError(
            f"{corpus.name} was not the same when read again: first {int(counts.sum()):,} words of the vocabulary, "
            f"then {int(seen.sum()):,}. Give one that is the same each time, such as a list."
        )


def _build_temporary(cache: Path, build: Callable[[Path], Encoded]) -> Encoded:
    temporary = new_temporary_folder(cache)
    try:
        encoded = build(temporary.path)
    except BaseException:
        temporary.remove()
        raise
    object.__setattr__(encoded, "_remove", weakref.finalize(encoded, temporary.remove))
    return encoded


def _build_entry(entry: Path, build: Callable[[Path], Encoded]) -> Encoded:
    with temporary_folder(entry.parent) as folder:
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
    sync_name(entry, entry)


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
        encoded = map_folder(entry, vocabulary, meta["digest"])
        whole = (encoded.n_tokens, encoded.n_sentences) == (meta["tokens"], meta["sentences"])
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None
    return encoded if whole and digest_of(encoded) == encoded.digest else None


class CacheEntry(NamedTuple):
    """A folder of the cache and the bytes that it takes."""

    path: Path
    size_bytes: int


def cache_entries(cache_dir: str | os.PathLike[str] | None = None) -> list[CacheEntry]:
    """What is in the cache, also what a run that was killed left there."""
    cache = cache_folder(cache_dir)
    try:
        folders = sorted(cache.iterdir()) if cache.exists() else []
    except OSError as error:
        raise InputError(f"The cache folder {cache} cannot be read: {error.strerror}. Name another.") from None
    return [CacheEntry(folder, _size(folder)) for folder in folders if _is_ours(folder)]


def clear_cache(cache_dir: str | os.PathLike[str] | None = None) -> int:
    """Delete what `cache_entries` lists, but for what a run is just writing; give the bytes that this freed."""
    freed = 0
    for path, size in cache_entries(cache_dir):
        if is_held(path):
            continue
        with output_errors(path):
            shutil.rmtree(path)
        freed += size
    return freed


def _is_ours(folder: Path) -> bool:
    if folder.is_symlink() or not folder.is_dir():
        return False
    if folder.name.startswith(IN_CACHE[0]):
        return True
    try:
        return str(json.loads((folder / _META).read_bytes())["format"]).startswith("pairloom-cache-")
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return False


def _size(folder: Path) -> int:
    size = 0
    for path in folder.rglob("*"):
        with suppress(FileNotFoundError):  # a run that is just finishing renames its folder
            size += path.stat().st_size if path.is_file() else 0
    return size
