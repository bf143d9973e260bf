"""Pairs from baskets, sets and sessions: the contexts of a thing are all others in its basket, in any order."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations
from typing import Any, Unpack

from pairloom.config import MAX_WORD_BYTES, check_whole
from pairloom.corpus.inputs.word_lists import WordLine
from pairloom.corpus.lines import LineFiles, check_lengths, is_path, reading_options
from pairloom.corpus.sentences import open_corpus
from pairloom.errors import InputError
from pairloom.pairings.pairs import Pair, Pairs, ReadingKeywords
from pairloom.types import CorpusLike

LARGEST = 1000  # items, which make a million pairs


def basket_pairs(baskets: CorpusLike, *, largest: int = LARGEST, **text: Unpack[ReadingKeywords]) -> Pairs:
    """All pairs of two items of a basket: n items make n * (n - 1) pairs.

    baskets: a file with one basket per line, items separated by white space, or a list of lists of strings. An item
    that is twice in a basket counts as two items. A basket of more than `largest` items is an error, since its pairs
    would outweigh all others.
    text: lowercase, encoding and errors, as in `TextOptions`.

    >>> list(basket_pairs([["bread", "milk", "beer"]]))[:3]
    [('bread', 'milk'), ('bread', 'beer'), ('milk', 'bread')]
    """
    check_whole("largest", largest, 2, 100_000, f"{LARGEST} is usual")
    options = reading_options(dict(text))
    given: Any = baskets  # is_path and open_corpus check the type
    source = LineFiles(given, options) if is_path(given) else open_corpus(given, text=options)

    def make() -> Iterator[Pair]:
        for where, basket in _of_lines(source) if isinstance(source, LineFiles) else _of_lists(source.word_lines()):
            if len(basket) > largest:
                n = len(basket)
                raise InputError(
                    f"{where}: a basket of {n:,} items would make {n * (n - 1):,} pairs, and {largest:,} items is the "
                    "largest allowed. Allow larger baskets, or split or remove this one."
                )
            yield from permutations(basket, 2)

    return Pairs(source.name, make)


def _of_lines(files: LineFiles) -> Iterator[tuple[str, Sequence[str]]]:
    for lines in files.blocks():
        for i, line in enumerate(lines.lines):
            check_lengths(line.split() if len(line) > MAX_WORD_BYTES // 4 else (), lines.where(i))
            yield lines.where(i), line.split()


def _of_lists(pieces: Iterable[WordLine]) -> Iterator[tuple[str, Sequence[str]]]:
    for number, piece in enumerate(pieces):
        yield f"basket {number}", piece.words
