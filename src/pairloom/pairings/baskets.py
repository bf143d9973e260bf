"""Pairs from baskets, sets and sessions: whatever is in one with a thing is its context, in whichever order."""

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Any

from pairloom.config import MAX_WORD_BYTES, check_whole
from pairloom.corpus.lines import LineFiles, check_lengths, is_path, reading_options
from pairloom.corpus.sentences import open_corpus
from pairloom.errors import InputError
from pairloom.pairings.pairs import Pair, Pairs

LARGEST = 1000  # items, so a million pairs


def basket_pairs(baskets: Any, *, largest: int = LARGEST, **text: Any) -> Pairs:
    """All pairs of two places in a basket: n items make n * (n - 1) pairs.

    baskets: a file with a basket a line, items parted by white space, or a list of lists of strings. An item that is
    in a basket twice has two places. A basket of more than `largest` items is an error rather than a flood of pairs.
    text: encoding, errors, lowercase.

    >>> list(basket_pairs([["bread", "milk", "beer"]]))[:3]
    [('bread', 'milk'), ('bread', 'beer'), ('milk', 'bread')]
    """
    check_whole("largest", largest, 2, 100_000, f"{LARGEST} is usual")
    options = reading_options(text)
    source = LineFiles(baskets, options) if is_path(baskets) else open_corpus(baskets, text=options)

    def make() -> Iterator[Pair]:
        for where, basket in _of_lines(source) if isinstance(source, LineFiles) else _of_lists(source.word_lines()):
            if len(basket) > largest:
                n = len(basket)
                raise InputError(
                    f"{where}: a basket of {n:,} items, where {largest:,} is the largest allowed, would make "
                    f"{n * (n - 1):,} pairs. Allow larger ones, or part or remove this one."
                )
            yield from permutations(basket, 2)

    return Pairs(source.name, make)


def _of_lines(files: LineFiles) -> Iterator[tuple[str, Sequence[str]]]:
    for lines in files.blocks():
        for i, line in enumerate(lines.lines):
            check_lengths(line.split() if len(line) > MAX_WORD_BYTES // 4 else (), lines.where(i))
            yield lines.where(i), line.split()


def _of_lists(pieces: Any) -> Iterator[tuple[str, Sequence[str]]]:
    for number, piece in enumerate(pieces):
        yield f"basket {number}", piece.words
