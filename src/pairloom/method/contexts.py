"""Section 3 of the paper: how text becomes the pairs D.

    text -> drop rare words -> subsample frequent words -> windows -> pairs (w, c)

The order matters. Words leave the text *before* windows are taken, so a window reaches across the gap to words that
were further away: "the effective window size grows, including context-words which are both content-full and linearly
far away". `clean` windows are taken before words leave the text: a removed word still takes up its place.

    sentence_pairs        all steps but the first, for one sentence
    kept_by_subsampling   which tokens stay in the text
    Windows, half_widths  how far each word's window reaches
    pairs                 each word with the words in its window

These definitions are written to be read. `kernel/steps/deal_text.py` does the same, compiled.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.config import LONGEST_SENTENCE, TrainConfig, WindowShape
from pairloom.method.draws import UInt64s, draw, lower, upper
from pairloom.types import Float64s, Ids

Positions = npt.NDArray[np.int64]  # of tokens in the corpus, counted from 0


def sentence_pairs(
    ids: Ids,
    first_position: int,
    *,
    windows: "Windows",
    limit: UInt64s,
    keep_key: np.uint64,
    window_key: np.uint64,
) -> Iterator[tuple[int, int]]:
    """The pairs (w, c) of one sentence, whose first token is token number `first_position` of the corpus.

    Here every token stays and all windows have the half-width 1:

    >>> everything, no_key = keep_limit(np.ones(3)), np.uint64(0)
    >>> options = {"limit": everything, "keep_key": no_key, "window_key": no_key}
    >>> list(sentence_pairs(np.array([0, 1, 2]), 0, windows=Windows(1, 1, "fixed"), **options))
    [(0, 1), (1, 0), (1, 2), (2, 1)]
    """
    positions = np.arange(first_position, first_position + len(ids))
    survivors = np.flatnonzero(kept_by_subsampling(ids, positions, limit, keep_key))
    widths = half_widths(positions[survivors], windows, window_key)
    places = survivors.tolist() if windows.clean else None
    for w, c, offset in pairs(ids[survivors].tolist(), *widths, places):
        yield w, windows.context(c, offset)


# --- Subsampling of frequent words. `corpus.vocabulary.keep_probability` has the formula for the probabilities.


def keep_limit(keep_probability: Float64s) -> UInt64s:
    """The probabilities in units of 2^-32. A token stays if the upper half of its draw is below its word's limit.

    >>> keep_limit(np.array([0.25, 1.0])) / 2**32
    array([0.25, 1.  ])
    """
    return np.ceil(keep_probability * 2.0**32).astype(np.uint64)


def kept_by_subsampling(ids: Ids, positions: Positions, limit: UInt64s, key: np.uint64) -> list[bool]:
    """Which tokens stay in the text. Each token has its own draw, and each epoch its own key, so its own draws.

    An id of -1 holds the place of a word outside the vocabulary (for `clean` windows) and never stays.
    """
    kept: list[bool] = ((ids >= 0) & (upper(draw(key, positions)) < limit[ids])).tolist()
    return kept


# --- Windows


class WindowSide(NamedTuple):
    """How a draw decides the half-width of one side: `sure`, plus 1 for each of the rising `edges` that is <= the draw.

    Draws are uniform on 0..2^32-1, so the half-width is at least d with probability 1 - edge / 2^32, where edge is the
    one between d - 1 and d.

    >>> WindowSide(1, np.array([2**31], np.uint64)).widths(np.array([0, 2**31], np.uint64))
    [1, 2]
    """

    sure: int
    edges: UInt64s

    def widths(self, draws: UInt64s) -> list[int]:
        """The half-width for each draw."""
        widths: list[int] = (self.sure + np.searchsorted(self.edges, draws, side="right")).tolist()
        return widths


class Windows(NamedTuple):
    """Which words around a word are its contexts: at most `left` words before it and `right` words after it."""

    left: int
    right: int
    shape: WindowShape = "dynamic"
    clean: bool = False  # distances are those in the text before words left it
    positional: bool = False  # a context is a word and its place: `dog_+1`

    @classmethod
    def of(cls, config: TrainConfig) -> "Windows":
        """The windows of a configuration."""
        whole = config.window == "sentence"  # all words of the sentence count alike, so nothing is drawn
        window = LONGEST_SENTENCE if config.window == "sentence" else config.window
        left, right = (window if reach is None else reach for reach in (config.left, config.right))
        return cls(left, right, "fixed" if whole else config.window_shape, config.clean, config.positional)

    def side(self, reach: int) -> WindowSide:
        """The half-widths k' of a side that reaches at most `reach` words, with p(k' >= d) = `weights(reach)[d - 1]`.

        dynamic     uniform on 1..reach, as the paper describes; one draw for both sides
        linear      the same, with a draw for each side
        harmonic    at least d with probability 1/d; a draw for each side
        fixed       always reach
        """
        if self.shape == "fixed":
            return WindowSide(reach, np.empty(0, np.uint64))
        edges = [-((1 - d) * 2**32 // (d if self.shape == "harmonic" else reach)) for d in range(2, reach + 1)]
        return WindowSide(min(reach, 1), np.array(edges, np.uint64))

    def weights(self, reach: int) -> Float64s:
        """The probability that a word at distance d is a context, for d = 1..reach.

        >>> Windows(4, 4).weights(4)
        array([1.  , 0.75, 0.5 , 0.25])
        """
        d = np.arange(1, reach + 1)
        if self.shape == "fixed":
            return np.ones(reach)
        return np.asarray(1 / d if self.shape == "harmonic" else (reach - d + 1) / reach)

    @property
    def contexts_per_word(self) -> float:
        """The mean number of contexts of a word far from both ends of its sentence."""
        if self.shape == "fixed":
            return float(self.left + self.right)
        return float(self.weights(self.left).sum() + self.weights(self.right).sum())

    @property
    def n_offsets(self) -> int:
        """The number of places around a word."""
        return self.left + self.right

    @property
    def offsets(self) -> list[int]:
        """The places around a word, from left to right.

        >>> Windows(2, 2).offsets
        [-2, -1, 1, 2]
        """
        return [*range(-self.left, 0), *range(1, self.right + 1)]

    def context(self, c: int, offset: int) -> int:
        """The id of a context: the word's own id or, if positional, an id for the word at this offset."""
        if not self.positional:
            return c
        return c * self.n_offsets + offset + self.left - (offset > 0)


def half_widths(positions: Positions, windows: Windows, key: np.uint64) -> tuple[list[int], list[int]]:
    """How far the window of the word at each position reaches to the left and to the right."""
    draws = draw(key, positions)
    right = upper(draws) if windows.shape == "dynamic" else lower(draws)
    return windows.side(windows.left).widths(upper(draws)), windows.side(windows.right).widths(right)


# --- Pairs


def pairs(
    sentence: Sequence[int], left: Sequence[int], right: Sequence[int], places: Sequence[int] | None = None
) -> Iterator[tuple[int, int, int]]:
    """Each word with every other word in its window, from left to right: (w, c, offset of c).

    left, right: the half-widths of each word's window. places: the words' positions, if there are gaps between them.

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
