"""A sample of the lines of a corpus, chosen by their hashes, and the lines of it that are held out.

Equal lines have equal hashes, so a held-out line is never trained on elsewhere in the text. A line is in the sample if
its hash, as a number from 0 to 1, is below 2^-k, with the smallest k for which the sample has at most `most` tokens. So
the sample depends on the lines, not on their order.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pairloom.corpus.kinds.corpus import Corpus
from pairloom.errors import InputError
from pairloom.progress import OnProgress, ignore, reporter

FEWEST_TOKENS = 1_000
FOLDS = 10  # a tenth of the lines each
CHOOSE, CHECK = 0, 1  # the folds that settings are chosen by, and that the chosen ones are checked by


class Line(NamedTuple):
    """A sentence, where it stands from 0 to 1, and its fold from 0 to 9."""

    place: float
    fold: int
    words: list[str]


@dataclass(kw_only=True)
class LineSample:
    """The lines of a sample, in the order of the corpus."""

    lines: list[Line]
    share: float  # of the corpus, by hash: 2^-k
    tokens_read: int  # in the whole corpus
    tokens: int = field(init=False)

    def __post_init__(self) -> None:
        self.tokens = sum(len(line.words) for line in self.lines)

    def training(self, share: float, held_out: bool) -> list[list[str]]:
        """The sentences to train on: a share of the sample, without the two held-out folds if there are any."""
        limit = self.share * share
        return [
            line.words for line in self.lines if line.place < limit and not (held_out and line.fold in (CHOOSE, CHECK))
        ]

    def fold(self, number: int) -> list[list[str]]:
        """The sentences of a fold of the whole sample."""
        return [line.words for line in self.lines if line.fold == number]


def hashed(words: Sequence[str]) -> tuple[float, int]:
    """The place and the fold of a line, from different bits of its hash.

    >>> hashed(["the", "cat"]) == hashed(["the", "cat"]) != hashed(["a", "cat"])
    True
    """
    text = " ".join(words).encode("utf-8", "surrogatepass")
    digest = hashlib.blake2b(text, digest_size=12).digest()
    place = (int.from_bytes(digest[:8], "big") >> 11) / 2**53  # 53 bits: exact, and below 1
    return place, int.from_bytes(digest[8:], "big") % FOLDS


def sample_lines(corpus: Corpus, most: int, on_progress: OnProgress = ignore) -> LineSample:
    """Read a corpus once and keep a sample of at most `most` tokens."""
    kept: list[Line] = []
    share, n_kept, n_read = 1.0, 0, 0
    for words in _sentences(corpus, on_progress):
        n_read += len(words)
        place, fold = hashed(words)
        if place >= share:
            continue
        kept.append(Line(place, fold, words))
        n_kept += len(words)
        while n_kept > most:
            share /= 2
            kept = [line for line in kept if line.place < share]
            n_kept = sum(len(line.words) for line in kept)
    if n_kept < FEWEST_TOKENS:
        raise InputError(
            f"{corpus.name} has {n_read:,} tokens, of which {n_kept:,} can be used for trials. Settings for such a "
            f"text cannot be told apart: give one of at least {FEWEST_TOKENS:,} tokens in lines that differ."
        )
    return LineSample(lines=kept, share=share, tokens_read=n_read)


def _sentences(corpus: Corpus, on_progress: OnProgress) -> Iterator[list[str]]:
    """The sentences of a corpus. Equal words are one string, which takes a fifth of the memory."""
    names: dict[str, str] = {}
    same: Callable[[str, str], str] = names.setdefault
    report = reporter("count", corpus.size_bytes, on_progress)
    longest, words = corpus.text.max_sentence, []
    for line in corpus.word_lines():
        words += [same(word, word) for word in line.words]
        report(line.done)
        while len(words) >= longest:
            yield words[:longest]
            words = words[longest:]
        if not line.goes_on:
            if words:
                yield words
            words = []
