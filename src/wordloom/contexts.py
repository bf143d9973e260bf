"""Section 3 of the paper: how text becomes the pairs D.

    text -> drop rare words -> drop some frequent ones -> windows -> pairs (w, c)

The order matters. Words that leave the text leave it *before* windows are taken, so a window reaches over the gap to
words that were further away: "the effective window size grows, including context-words which are both content-full
and linearly far away". Rare words are gone already when this file begins, since the ids come from `encode.py`.

These are the definitions, made to be read; `kernel/pairs.py` does the same, compiled.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from wordloom.draws import draw
from wordloom.types import Ids

_32 = np.uint64(32)


def keep_limit(keep_probability: npt.NDArray[np.float64]) -> npt.NDArray[np.uint64]:
    """The probabilities in units of 2^-32: an occurrence stays if the upper half of its draw is below its word's."""
    return np.ceil(keep_probability * 2.0**32).astype(np.uint64)


def stays(ids: Ids, positions: npt.NDArray[np.int64], limit: npt.NDArray[np.uint64], key: np.uint64) -> list[bool]:
    """Which occurrences survive subsampling; each by a draw of its own, made anew in every epoch."""
    kept: list[bool] = ((draw(key, positions) >> _32) < limit[ids]).tolist()
    return kept


def half_widths(positions: npt.NDArray[np.int64], window: int, key: np.uint64) -> list[int]:
    """The dynamic window k' of each position, uniform on 1..window, one draw for both sides."""
    widths: list[int] = (1 + (((draw(key, positions) >> _32) * np.uint64(window)) >> _32).astype(int)).tolist()
    return widths


def pairs(sentence: list[int], widths: list[int]) -> Iterator[tuple[int, int]]:
    """Each word with the words at most its own half-width away, from left to right.

    >>> list(pairs([7, 8, 9], widths=[1, 1, 1]))
    [(7, 8), (8, 7), (8, 9), (9, 8)]
    >>> list(pairs([7, 8, 9], widths=[2, 1, 1]))
    [(7, 8), (7, 9), (8, 7), (8, 9), (9, 8)]
    """
    for i, (w, width) in enumerate(zip(sentence, widths, strict=True)):
        for j in range(max(0, i - width), min(len(sentence), i + width + 1)):
            if j != i:
                yield w, sentence[j]


def sentence_pairs(
    ids: Ids,
    first_position: int,
    *,
    window: int,
    limit: npt.NDArray[np.uint64],
    keep_key: np.uint64,
    window_key: np.uint64,
) -> Iterator[tuple[int, int]]:
    """The pairs of one sentence whose first token is the corpus' token number `first_position`."""
    positions = np.arange(first_position, first_position + len(ids))
    survivors = np.flatnonzero(stays(ids, positions, limit, keep_key))
    return pairs(ids[survivors].tolist(), half_widths(positions[survivors], window, window_key))
