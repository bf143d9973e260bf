"""The words that take part in training, their counts, and the probabilities that follow from the counts.

Words are sorted by count, largest first, then by their UTF-8 bytes, smallest first. A word's position is its id. So ids
depend on the text alone, and not on a hash or on threads.

>>> from pairloom.corpus.sentences import open_corpus
>>> with open_corpus([["b", "a", "b"], ["c", "a"]]) as corpus:
...     vocabulary = Vocabulary.from_corpus(corpus, WordSelection(min_count=1))
>>> vocabulary.words, vocabulary.counts.tolist()
(('a', 'b', 'c'), [2, 2, 1])
"""

import hashlib
import math
import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from pairloom.config import Subsampling, check_max_vocab, check_min_count, is_whole
from pairloom.corpus.counting import WordCounts, count
from pairloom.corpus.kinds.corpus import Corpus
from pairloom.corpus.lists import numbered_lines, opened
from pairloom.corpus.reading import Reading
from pairloom.corpus.spilling import WordFilter
from pairloom.errors import ConfigError, InputError
from pairloom.method import elementary
from pairloom.progress import OnProgress, ignore
from pairloom.system.display import number_of, quoted
from pairloom.system.files import atomic_write
from pairloom.types import Counts, PathName

_LINE_END = "</s>"  # word2vec counts the ends of lines as this word


@dataclass(frozen=True, kw_only=True, slots=True)
class WordSelection:
    """Which words of a text enter the vocabulary. Checked when it is made, so that nothing below checks it again.

    Words that occur at least `min_count` times, and of these the `max_vocab` most frequent. Words of `keep` are taken
    however rare they are, if they occur at all, and count towards `max_vocab`. Words of `drop` are left out however
    frequent they are.
    """

    min_count: float = 5
    max_vocab: int | None = None
    keep: Collection[str] = frozenset()
    drop: Collection[str] = frozenset()

    def __post_init__(self) -> None:
        check_min_count(self.min_count)
        check_max_vocab(self.max_vocab)
        for name, words in (("keep", self.keep), ("drop", self.drop)):
            if isinstance(words, str) or not isinstance(words, Iterable):
                raise ConfigError(f"{name}={words!r} is not a list of words. Use a list of strings.")
            object.__setattr__(self, name, frozenset(words))
        for odd in (word for word in {*self.keep, *self.drop} if not isinstance(word, str)):
            raise ConfigError(f"keep and drop are lists of words, and {odd!r} is not a string. Use str() on it.")
        if both := {*self.keep} & {*self.drop}:
            raise ConfigError(f"{min(both)!r} is in both keep and drop. Take it out of one of them.")


_USUAL = WordSelection()


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The words that take part in training. Word i occurs counts[i] times in the text."""

    words: tuple[str, ...]
    counts: Counts

    def __post_init__(self) -> None:
        counts = np.array(self.counts, np.int64)
        counts.setflags(write=False)
        object.__setattr__(self, "words", tuple(self.words))
        object.__setattr__(self, "counts", counts)
        if counts.shape != (len(self),):
            raise InputError(
                f"A vocabulary needs one count per word, not {number_of(counts.size, 'count')} for "
                f"{number_of(len(self), 'word')}."
            )
        if len(self) and counts.min() < 1:
            rare = self.words[int(counts.argmin())]
            raise InputError(
                f"The vocabulary has {rare!r} with a count of {counts.min():,}. "
                "Leave it out, or give a count of 1 or more."
            )
        if (int((counts >> 31).sum()) << 31) + int((counts & (2**31 - 1)).sum()) >= 2**62:  # neither sum overflows
            raise InputError("The counts of the vocabulary add up to 2^62 or more. Give the counts of a real text.")
        if len(set(self.words)) < len(self):
            twice = Counter(self.words).most_common(1)[0][0]
            raise InputError(f"The vocabulary has {twice!r} more than once. Leave one of them out.")

    @classmethod
    def from_counts(cls, counts: WordCounts, selection: WordSelection = _USUAL) -> "Vocabulary":
        """The words of a text that the selection takes."""
        if counts.n_tokens == 0:
            raise InputError(
                f"{counts.name} has no words. "
                "A corpus is text with words separated by spaces, one sentence or paragraph per line."
            )
        kept, dropped = counts.rows_of(selection.keep), counts.rows_of(selection.drop)
        frequent = np.flatnonzero(counts.counts >= selection.min_count)
        rows = counts.ordered(np.setdiff1d(np.union1d(frequent, kept), dropped))
        if selection.max_vocab is not None:
            rows = _first(rows, selection.max_vocab, np.isin(rows, kept))
        if len(rows) < 2:
            raise _too_few(counts, len(rows), selection)
        # Strings are made last, with no short-lived objects between them that would leave gaps in memory.
        return cls(tuple(counts.words(rows)), counts.counts[rows])

    @classmethod
    def from_corpus(
        cls,
        corpus: Corpus,
        selection: WordSelection = _USUAL,
        *,
        max_memory: int | None = None,
        cache_dir: PathName | None = None,
        threads: int | None = None,
        reading: Reading | None = None,
        on_progress: OnProgress = ignore,
    ) -> "Vocabulary":
        """Count the words of a corpus (see `count`) and choose among them."""
        word_filter = WordFilter(selection.min_count, selection.max_vocab, selection.keep, selection.drop)
        counts = count(
            corpus,
            word_filter=word_filter,
            max_memory=max_memory,
            cache_dir=cache_dir,
            threads=threads,
            reading=reading,
            on_progress=on_progress,
        )
        return cls.from_counts(counts, selection)

    @classmethod
    def of(cls, counted: Iterable[tuple[str, int]]) -> "Vocabulary":
        """The vocabulary of these (word, count) pairs, which may come in any order."""
        ordered = _ordered(_checked_pairs(counted))
        return cls(tuple(word for word, _ in ordered), np.array([n for _, n in ordered], np.int64))

    @classmethod
    def read(cls, path: PathName) -> "Vocabulary":
        """Read a file of `word count` lines, in any order, as written by `save` or by word2vec's -save-vocab.

        The first line of word2vec counts `</s>`, its word for the end of a line. It is dropped, because the end of a
        sentence is not a word here.
        """
        name = os.fspath(path)
        with opened(name, "Give a file of `word count` lines.") as file:
            return cls.read_from(file, name)

    @classmethod
    def read_from(cls, file: BinaryIO, name: str) -> "Vocabulary":
        """Read an open file of `word count` lines. `name` is for messages."""
        counted: dict[str, int] = {}
        for number, word, n in counted_lines(file, name):
            if word in counted:
                raise InputError(
                    f"{name}, line {number}: {quoted(word)} is already in the list. Leave one of them out."
                )
            counted[word] = n
        if len(counted) < 2:
            raise InputError(
                f"{name} has {number_of(len(counted), 'word')}, and at least 2 words are needed. Write one `word "
                f"count` per line."
            )
        return cls.of(counted.items())

    def save(self, path: PathName) -> None:
        """Write `word count` lines, most frequent first. The file appears complete or not at all."""
        lines = [f"{word} {n}\n" for word, n in zip(self.words, self.counts.tolist(), strict=True)]
        spaced = next((word for word in self.words if len(word.split()) != 1 or word != word.strip()), None)
        if spaced is not None:
            raise InputError(
                f"The word {spaced!r} has white space, so it cannot be written to a text file of words. "
                "Replace white space in words, for example by _."
            )
        if self.words[0] == _LINE_END:  # here a word of the text, which `read` would drop as word2vec's
            lines.insert(0, f"{_LINE_END} 0\n")
        with atomic_write(path) as file:
            file.write("".join(lines).encode())

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.index

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Vocabulary):
            return NotImplemented
        return self.words == other.words and np.array_equal(self.counts, other.counts)

    def __hash__(self) -> int:
        return hash(self.words)

    @cached_property
    def index(self) -> dict[str, int]:
        """The id of every word."""
        return {word: i for i, word in enumerate(self.words)}

    @cached_property
    def n_tokens(self) -> int:
        """The number of tokens: the length of the text when all other words are left out."""
        return int(self.counts.sum())

    @cached_property
    def digest(self) -> str:
        """SHA-256 of words and counts."""
        digest = hashlib.sha256(self.lengths.astype("<i8", copy=False).data)
        digest.update("".join(self.words).encode())
        digest.update(self.counts.astype("<i8", copy=False).data)
        return digest.hexdigest()

    @property
    def lengths(self) -> Counts:
        """The number of bytes of each word, in UTF-8."""
        return np.fromiter((len(word.encode()) for word in self.words), np.int64, len(self))

    def keep_probability(self, sample: float, formula: Subsampling = "program") -> npt.NDArray[np.float64]:
        """The probability that subsampling keeps a token, for each word.

            program      p(w) = min(1, sqrt(t / f(w)) + t / f(w))
            published    p(w) = min(1, sqrt(t / f(w)))

        with t = sample and f(w) = count of w / n_tokens. sample = 0 keeps everything.
        """
        return keep_probability(self.counts, sample, formula)

    def noise(self, power: float = 0.75) -> npt.NDArray[np.float64]:
        """The distribution from which the contexts of D' are drawn.

        noise(c) = count(c)^power / Z,   Z = sum over all c of count(c)^power
        """
        return noise(self.counts, power)


def keep_probability(
    counts: npt.ArrayLike, sample: float, formula: Subsampling, n_tokens: float | None = None
) -> npt.NDArray[np.float64]:
    """`Vocabulary.keep_probability` for any counts, also fractions. n_tokens: if it is not the sum of the counts."""
    if not 0 <= sample < math.inf:
        raise ConfigError(f"sample={sample} is out of range. Use 0 (keep all) or about 1e-5 to 1e-3.")
    counted = np.asarray(counts)
    if sample == 0:
        return np.ones(len(counted))
    # word2vec.c adds t / f; Mikolov et al. print only the root. We follow the program, since we compare with it.
    t_over_f = sample * (counted.sum() if n_tokens is None else n_tokens) / counted
    added = t_over_f if formula == "program" else 0.0
    return np.asarray(np.minimum(1.0, np.sqrt(t_over_f) + added))


def noise(counts: npt.ArrayLike, power: float) -> npt.NDArray[np.float64]:
    """`Vocabulary.noise` for any counts, also fractions. A context with count 0 is never drawn."""
    if not math.isfinite(power):
        raise ConfigError(f"noise_power={power} is not a number. Use 0.75, or 0 (uniform) to 1 (as in the text).")
    counted = np.asarray(counts, np.float64)
    seen = counted > 0
    weights = np.zeros(len(counted))
    weights[seen] = elementary.power(counted[seen], power)
    return np.asarray(weights / weights.sum())


def _checked_pairs(counted: Any) -> list[tuple[str, int]]:
    """Check (word, count) pairs, since NumPy would turn 1.5 into 1, and 5 into a word."""
    pairs = list(counted) if isinstance(counted, Iterable) and not isinstance(counted, str) else [counted]
    for pair in pairs:
        if not isinstance(pair, tuple | list) or len(pair) != 2 or not isinstance(pair[0], str):
            raise InputError(
                f"A vocabulary is made of pairs (word, count), not of {quoted(pair)}. "
                "Give a string and a whole number for each word."
            )
        if not is_whole(pair[1]) or pair[1] >= 2**62:
            raise InputError(f"{quoted(pair[0])} cannot occur {quoted(pair[1])} times. Give a whole number below 2^62.")
    return pairs


def _ordered(counted: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    """Sort by count, descending, then by bytes, ascending. Code points sort in the order of their UTF-8 bytes."""
    return sorted(sorted(counted), key=itemgetter(1), reverse=True)  # as fast as sorting once with tuples as keys


def _first(rows: npt.NDArray[np.intp], n: int, kept: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    """The kept rows plus the first others, `n` in total, in their order."""
    return rows[kept | (np.cumsum(~kept) <= n - np.count_nonzero(kept))]


def _too_few(counts: WordCounts, n_chosen: int, selection: WordSelection) -> InputError:
    """The error for a vocabulary of fewer than two words. It names the option that would help."""
    if counts.n_words < 2:
        return InputError(f"{counts.name} has only one word, and at least 2 words are needed. Use more text.")
    kept, dropped = counts.rows_of(selection.keep), counts.rows_of(selection.drop)
    cause, advice = "drop", "Drop fewer words, or use"
    if counts.n_words - len(dropped) >= 2:
        others = counts.highest or np.sort(np.delete(counts.counts, np.union1d(kept, dropped)))[::-1]
        enough = others[1 - len(kept)]  # two words are needed
        cause, advice = f"min_count={selection.min_count}", f"Use min_count={enough}, or"
    return InputError(
        f"{cause} leaves {n_chosen or 'none'} of the {number_of(counts.n_words, 'word')} of {counts.name}, "
        f"and at least 2 words are needed. {advice} more text."
    )


def counted_lines(file: BinaryIO, name: str) -> Iterator[tuple[int, str, int]]:
    """The number, the word and the count of each line of an open file, without word2vec's `</s>`."""
    for number, line in numbered_lines(file, name, whole=True):
        word, n = _word_and_count(line, f"{name}, line {number}")
        if number > 1 or word != _LINE_END:
            yield number, word, n


def _word_and_count(line: str, where: str) -> tuple[str, int]:
    """Parse a `word count` line. `where` is for messages."""
    parts = line.split()
    if len(parts) != 2 or not (parts[1].isascii() and parts[1].isdigit() and len(parts[1]) < 1000):
        raise InputError(f"{where}: {line[:60]!r} is not a word and its count. Each line must read like: house 123")
    word, n = parts[0], int(parts[1])
    if (n == 0 and word != _LINE_END) or n >= 1 << 63:
        raise InputError(f"{where}: the count {parts[1][:60]} is out of range. Use 1 to 9223372036854775807.")
    return word, n
