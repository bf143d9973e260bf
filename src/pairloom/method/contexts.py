"""Section 3 of the paper: how text becomes the pairs D.

    text -> drop rare words -> drop some frequent ones -> windows -> pairs (w, c)

The order matters. Words that leave the text leave it *before* windows are taken, so a window reaches over the gap to
words that were further away: "the effective window size grows, including context-words which are both content-full
and linearly far away". `clean` windows are taken before words leave: then a word that left still takes up its place.

These are the definitions, made to be read; `kernel/pairs.py` does the same, compiled.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.config import LONGEST_SENTENCE, TrainConfig, WindowShape
from pairloom.method.draws import draw
from pairloom.types import Float64s, Ids

_32 = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


class WindowSide(NamedTuple):
    """The half-widths of one side of a window: `sure`, and one more for each of `edges` that a draw is not below.

    Draws are uniform on 0..2^32-1, so that a half-width of at least d has the probability (2^32 - edge of d) / 2^32.
    """

    sure: int
    edges: npt.NDArray[np.uint64]

    def widths(self, draws: npt.NDArray[np.uint64]) -> list[int]:
        """The half-width that each draw gives."""
        widths: list[int] = (self.sure + np.searchsorted(self.edges, draws, side="right")).tolist()
        return widths


class Windows(NamedTuple):
    """Which words around a word are its contexts: `left` before it and `right` after it at most."""

    left: int
    right: int
    shape: WindowShape = "dynamic"
    clean: bool = False  # distances are those of the text before words left it
    positional: bool = False  # a context is a word and its place: `dog_+1`

    @classmethod
    def of(cls, config: TrainConfig) -> "Windows":
        """Those that a configuration asks for."""
        whole = config.window == "sentence"  # whose words are all alike, so that there is nothing to draw
        window = LONGEST_SENTENCE if config.window == "sentence" else config.window
        left, right = (window if reach is None else reach for reach in (config.left, config.right))
        return cls(left, right, "fixed" if whole else config.window_shape, config.clean, config.positional)

    def side(self, reach: int) -> WindowSide:
        """The half-widths k' of a side that reaches so far at most, such that p(k' >= d) is `weights(reach)[d - 1]`.

        dynamic     1..reach, equally often, which the paper describes; one draw serves both sides
        linear      the same, but each side has a draw of its own
        harmonic    at least d with probability 1/d; each side has a draw of its own
        fixed       always reach
        """
        if self.shape == "fixed":
            return WindowSide(reach, np.empty(0, np.uint64))
        edges = [-((1 - d) * 2**32 // (d if self.shape == "harmonic" else reach)) for d in range(2, reach + 1)]
        return WindowSide(min(reach, 1), np.array(edges, np.uint64))

    def weights(self, reach: int) -> Float64s:
        """How likely a word d away is a context, for d = 1..reach."""
        d = np.arange(1, reach + 1)
        if self.shape == "fixed":
            return np.ones(reach)
        return np.asarray(1 / d if self.shape == "harmonic" else (reach - d + 1) / reach)

    @property
    def contexts_per_word(self) -> float:
        """The mean number of contexts in an endless sentence."""
        if self.shape == "fixed":
            return float(self.left + self.right)
        return float(self.weights(self.left).sum() + self.weights(self.right).sum())

    @property
    def n_offsets(self) -> int:
        """Places around a word."""
        return self.left + self.right

    @property
    def offsets(self) -> list[int]:
        """The places, from the left: -2, -1, 1, 2."""
        return [*range(-self.left, 0), *range(1, self.right + 1)]

    def context(self, c: int, offset: int) -> int:
        """The id of a context: the word's own, or one for each of its places."""
        if not self.positional:
            return c
        return c * self.n_offsets + offset + self.left - (offset > 0)


def keep_limit(keep_probability: Float64s) -> npt.NDArray[np.uint64]:
    """The probabilities in units of 2^-32: an occurrence stays if the upper half of its draw is below its word's."""
    return np.ceil(keep_probability * 2.0**32).astype(np.uint64)


def stays(ids: Ids, positions: npt.NDArray[np.int64], limit: npt.NDArray[np.uint64], key: np.uint64) -> list[bool]:
    """Which occurrences survive subsampling; each by a draw of its own, made anew in every epoch.

    Where words outside the vocabulary have kept their places they have id -1, and never stay.
    """
    kept: list[bool] = ((ids >= 0) & ((draw(key, positions) >> _32) < limit[ids])).tolist()
    return kept


def half_widths(positions: npt.NDArray[np.int64], windows: Windows, key: np.uint64) -> tuple[list[int], list[int]]:
    """How far the contexts of the word at each position reach to the left and to the right."""
    draws = draw(key, positions)
    right = draws >> _32 if windows.shape == "dynamic" else draws & _LOW
    return windows.side(windows.left).widths(draws >> _32), windows.side(windows.right).widths(right)


def pairs(
    sentence: Sequence[int], left: Sequence[int], right: Sequence[int], places: Sequence[int] | None = None
) -> Iterator[tuple[int, int, int]]:
    """Each word with the words within its own half-widths, from left to right, and how far away they are.

    places: where the words stand, if there are gaps between them.

    >>> list(pairs([7, 8, 9], left=[1, 1, 1], right=[1, 1, 1]))
    [(7, 8, 1), (8, 7, -1), (8, 9, 1), (9, 8, -1)]
    >>> list(pairs([7, 8, 9], left=[0, 0, 0], right=[2, 1, 1]))
    [(7, 8, 1), (7, 9, 2), (8, 9, 1)]
    >>> list(pairs([7, 9], left=[1, 1], right=[1, 1], places=[0, 2]))
    []
    """
    places = range(len(sentence)) if places is None else places
    for i, (w, place) in enumerate(zip(sentence, places, strict=True)):
        for j in range(bisect_left(places, place - left[i]), bisect_right(places, place + right[i])):
            if j != i:
                yield w, sentence[j], places[j] - place


def sentence_pairs(
    ids: Ids,
    first_position: int,
    *,
    windows: Windows,
    limit: npt.NDArray[np.uint64],
    keep_key: np.uint64,
    window_key: np.uint64,
) -> Iterator[tuple[int, int]]:
    """The pairs of one sentence whose first token is the corpus' token number `first_position`."""
    positions = np.arange(first_position, first_position + len(ids))
    survivors = np.flatnonzero(stays(ids, positions, limit, keep_key))
    widths = half_widths(positions[survivors], windows, window_key)
    places = survivors.tolist() if windows.clean else None
    for w, c, offset in pairs(ids[survivors].tolist(), *widths, places):
        yield w, windows.context(c, offset)
