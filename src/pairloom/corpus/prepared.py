"""Count and encode a corpus, and keep the result so that the next run on the same text starts at once.

`prepare` keeps the ids of text files in a cache folder, under a key made of the files' identity and of all options that
change the ids:

    <cache>/<key>/ids.bin, starts.bin   as `encode` writes them
                  vocabulary.json
                  name.txt              of the corpus, for `pairloom cache`
                  meta.json             sizes and digests, written last
"""

import hashlib
import json
import logging
import shutil
import unicodedata
import weakref
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from pairloom.corpus.encoding import Encoded, digest_of, encode, map_folder
from pairloom.corpus.kinds.corpus import Corpus
from pairloom.corpus.reading import Reading
from pairloom.corpus.separating import rule_version
from pairloom.corpus.vocabulary import Vocabulary, WordSelection
from pairloom.errors import CorpusChangedError, InputError
from pairloom.progress import OnProgress, ignore
from pairloom.system.cache_entries import FORMAT_PREFIX, META, NAME, cache_limit, hold, shrink_cache
from pairloom.system.cache_folder import cache_folder, new_temporary_folder, temporary_folder
from pairloom.system.display import format_bytes
from pairloom.system.files import atomic_write, output_errors, sync_name
from pairloom.system.memory import give_back
from pairloom.system.tensors import release_pages
from pairloom.types import PathName

_log = logging.getLogger(__name__)
FORMAT = f"{FORMAT_PREFIX}1"  # change the number whenever the same input would lead to other files

_VOCABULARY = "vocabulary.json"


def prepare(
    corpus: Corpus,
    selection: WordSelection | None = None,
    *,
    vocabulary: Vocabulary | None = None,
    gaps: bool = False,
    check: Callable[[Vocabulary], object] = lambda vocabulary: None,
    max_memory: int | None = None,
    cache_dir: PathName | None = None,
    threads: int | None = None,
    reading: Reading | None = None,
    on_progress: OnProgress = ignore,
) -> Encoded:
    """Count and encode a corpus, or take the result of an earlier run from the cache.

    vocabulary: use these words and count nothing. gaps: tokens outside the vocabulary keep their places, as -1.
    check: called with the vocabulary as soon as it is known; it may raise to refuse it. max_memory: see `count`.
    reading: workers that read the files of the corpus, if they see them. The result is the same, and so is the cache.

    A corpus without an identity (a stream, token lists, a tokenizer) cannot be recognized later. It is encoded into a
    temporary folder of the cache, which is deleted when the result is closed or no longer used.
    """
    if vocabulary is not None and len(vocabulary) < 2:
        words = "1 word" if len(vocabulary) else "no words"
        raise InputError(f"The given vocabulary has {words}, and at least 2 words are needed. Give a larger one.")
    preparation = _Preparation(
        corpus=corpus,
        vocabulary=vocabulary,
        selection=selection or WordSelection(),
        gaps=gaps,
        check=check,
        max_memory=max_memory,
        cache=cache_folder(cache_dir),
        threads=threads,
        reading=reading,
        on_progress=on_progress,
    )
    identity = corpus.identity()
    return preparation.temporary() if identity is None else preparation.cached(identity)


def prepared_vocabulary(
    corpus: Corpus,
    selection: WordSelection,
    *,
    cache_dir: PathName | None = None,
    threads: int | None = None,
    on_progress: OnProgress = ignore,
) -> Vocabulary:
    """The vocabulary alone: from the cache if the corpus was prepared with the same options, otherwise counted."""
    preparation = _Preparation(
        corpus=corpus,
        selection=selection,
        cache=cache_folder(cache_dir),
        threads=threads,
        on_progress=on_progress,
    )
    identity = corpus.identity()
    found = None if identity is None else preparation.found(identity)
    return preparation.count() if found is None else found


@dataclass(frozen=True, kw_only=True, slots=True)
class _Preparation:
    """The checked arguments of `prepare`."""

    corpus: Corpus
    selection: WordSelection
    cache: Path
    threads: int | None
    on_progress: OnProgress
    vocabulary: Vocabulary | None = None
    gaps: bool = False
    check: Callable[[Vocabulary], object] = lambda vocabulary: None
    max_memory: int | None = None
    reading: Reading | None = None

    def cached(self, identity: str) -> Encoded:
        """The entry of the cache for a corpus of this identity, built if there is none."""
        limit = cache_limit()
        entry = self.cache / self._key(identity)
        release = hold(entry)  # before it is read, so that nobody deletes it meanwhile
        found = _read_entry(entry)
        if found is None:
            release()
            _log.debug("%s is not in the cache as %s, so it is encoded", self.corpus.name, entry)
            return self._new_entry(entry, limit)
        _log.info("the encoded text is taken from the cache, %s", entry)
        _shrink(limit, entry.parent)
        give_back()
        self.check(found.vocabulary)
        return _released_with(found, release)

    def _new_entry(self, entry: Path, limit: int | None) -> Encoded:
        """Build an entry."""
        encoded = _build_entry(entry, self.corpus.name, self._build)
        encoded = _released_with(encoded, hold(encoded.folder))
        _shrink(limit, encoded.folder.parent)
        return encoded

    def found(self, identity: str) -> Vocabulary | None:
        """The vocabulary of the entry for a corpus of this identity; None if there is no complete entry."""
        entry = self.cache / self._key(identity)
        return _read_vocabulary(entry) if (entry / META).exists() else None

    def temporary(self) -> Encoded:
        """Build in a temporary folder, which is deleted with the result."""
        folder = new_temporary_folder(self.cache)
        try:
            encoded = self._build(folder.path)
        except BaseException:
            folder.remove()
            raise
        return _released_with(encoded, folder.remove)

    def _build(self, folder: Path) -> Encoded:
        """Count, unless there is a vocabulary, and encode."""
        if self.vocabulary is not None:
            self.check(self.vocabulary)
            return self._encode(self.vocabulary, folder)
        counted = self.count()
        give_back()
        self.check(counted)
        encoded = self._encode(counted, folder)
        _check_same_words(self.corpus, encoded)
        give_back()
        return encoded

    def count(self) -> Vocabulary:
        """Count the corpus and choose words."""
        return Vocabulary.from_corpus(
            self.corpus,
            self.selection,
            max_memory=self.max_memory,
            cache_dir=self.cache,
            threads=self.threads,
            reading=self.reading,
            on_progress=self.on_progress,
        )

    def _encode(self, vocabulary: Vocabulary, folder: Path) -> Encoded:
        return encode(
            self.corpus,
            vocabulary,
            folder,
            gaps=self.gaps,
            threads=self.threads,
            reading=self.reading,
            on_progress=self.on_progress,
        )

    def _key(self, identity: str) -> str:
        """A digest of everything that the files depend on. Unicode's version decides on white space and case."""
        text = self.corpus.text
        reading: list[object] = [text.lowercase, text.encoding, text.errors, text.max_sentence]
        reading += ["as text"] * text.as_text + rule_version(text)
        reading += [[text.column, text.session, text.item, text.order]] if text.columns else []
        if self.vocabulary is None:
            chosen = self.selection
            words: list[object] = [chosen.min_count, chosen.max_vocab, sorted(chosen.keep), sorted(chosen.drop)]
        else:
            words = [self.vocabulary.digest]
        parts = [FORMAT, unicodedata.unidata_version, identity, *reading, [*words, self.gaps]]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def _shrink(limit: int | None, cache: Path) -> None:
    """Delete the oldest entries that exceed $PAIRLOOM_CACHE_SIZE and are not in use."""
    if limit is not None and (freed := shrink_cache(limit, cache)):
        _log.info("%s of older texts are deleted from the cache", format_bytes(freed))


def _check_same_words(corpus: Corpus, encoded: Encoded) -> None:
    """Refuse a corpus whose words occurred more or less often in the second reading than in the first."""
    from pairloom.kernel.text.words import tally

    counts = encoded.vocabulary.counts
    counts_again = np.zeros(len(counts), np.int64)
    for begin in range(0, len(encoded.ids), 1 << 22):
        tally(encoded.ids[begin : begin + (1 << 22)], counts_again)
        release_pages(encoded.ids, begin, min(begin + (1 << 22), len(encoded.ids)))
    if not np.array_equal(counts_again, counts):
        raise CorpusChangedError(
            f"{corpus.name} was not the same when read again: first {int(counts.sum()):,} words of the vocabulary, "
            f"then {int(counts_again.sum()):,}. Give one that is the same each time, for example a list."
        )


def _released_with(encoded: Encoded, release: Callable[[], object]) -> Encoded:
    """The ids, which call `release` when they are closed or no longer used."""
    object.__setattr__(encoded, "_remove", weakref.finalize(encoded, release))
    return encoded


def _build_entry(entry: Path, name: str, build: Callable[[Path], Encoded]) -> Encoded:
    """Build in a temporary folder, and rename it to `entry` when it is complete.

    If the cache cannot be written, the folder is elsewhere, and so is the entry.
    """
    with temporary_folder(entry.parent) as folder:
        entry = folder.parent / entry.name
        encoded = build(folder)
        _write_vocabulary(folder, encoded.vocabulary)
        with atomic_write(folder / NAME) as file:
            file.write(name.encode(errors="backslashreplace"))
        _write_meta(folder, encoded)
        with output_errors(entry):
            _put_in_place(folder, entry)
        return replace(encoded, folder=entry)


def _put_in_place(folder: Path, entry: Path) -> None:
    """Rename a complete folder to `entry`, replacing a damaged one. Keep a good one: another process was faster."""
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
    """Write it as JSON, since the words of a given vocabulary may contain white space."""
    content = {"words": vocabulary.words, "counts": vocabulary.counts.tolist()}
    with atomic_write(folder / _VOCABULARY) as file:
        file.write(json.dumps(content, ensure_ascii=False).encode())


def _write_meta(folder: Path, encoded: Encoded) -> None:
    meta = {"format": FORMAT, "tokens": encoded.n_tokens, "sentences": encoded.n_sentences, "digest": encoded.digest}
    with atomic_write(folder / META) as file:
        file.write(json.dumps(meta).encode())


def _read_entry(entry: Path) -> Encoded | None:
    """An entry of the cache. None if it does not exist or is damaged in any way."""
    try:
        meta = json.loads((entry / META).read_bytes())
        vocabulary = _read_vocabulary(entry)
        if vocabulary is None:
            return None
        encoded = map_folder(entry, vocabulary, meta["digest"])
        whole = (encoded.n_tokens, encoded.n_sentences) == (meta["tokens"], meta["sentences"])
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None
    return encoded if whole and digest_of(encoded) == encoded.digest else None


def _read_vocabulary(entry: Path) -> Vocabulary | None:
    """The vocabulary of an entry. None if it does not exist or is damaged."""
    try:
        content = json.loads((entry / _VOCABULARY).read_bytes())
        return Vocabulary(tuple(content["words"]), np.array(content["counts"], np.int64))
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None
