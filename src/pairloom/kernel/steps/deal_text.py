"""Section 3, compiled: draw the pairs of some sentences, and deal them into the blocks that train them.

`pairs/source.py` passes twice over the chunks of a round, so that any number of threads can work on them and each pair
still lands at its place in corpus order:
    pass 1   `thin` subsamples and takes windows, `put_labels` finds parts, `count` counts the pairs of each block
    pass 2   `deal` writes the pairs, starting at this chunk's share of each block
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.kernel.compile import njit
from pairloom.kernel.memory import address, int32_at, int64_at, put_int32, put_int64
from pairloom.kernel.rng import draw, lower, upper
from pairloom.method.contexts import Windows


class Slices(NamedTuple):
    """Slices of a corpus, of sentences first[i]..last[i]-1. Sentence s has the ids[starts[s] : starts[s + 1]]."""

    ids: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int64]
    first: npt.NDArray[np.int64]
    last: npt.NDArray[np.int64]


class Reach(NamedTuple):
    """A `contexts.Windows` for kernels: its two `contexts.WindowSide`, and what else `thin` must know."""

    left_sure: int
    left_edges: npt.NDArray[np.uint64]
    right_sure: int
    right_edges: npt.NDArray[np.uint64]
    apart: bool  # each side has its own draw
    clean: bool

    @classmethod
    def of(cls, windows: Windows) -> "Reach":
        left, right = windows.side(windows.left), windows.side(windows.right)
        return cls(*left, *right, windows.shape != "dynamic", windows.clean)


class TextDraws(NamedTuple):
    """The draws that make pairs of text: of tokens that stay, of windows and of sentences that are held out."""

    limit: npt.NDArray[np.uint64]  # `contexts.keep_limit`
    reach: Reach
    keys: npt.NDArray[np.uint64]  # of keeping, of windows and of holding out
    heldout_limit: np.uint64  # a sentence is held out if the upper half of its draw is below this


class Survivors(NamedTuple):
    """The tokens that stay: kept[i] has the contexts kept[left[i] : right[i]] without itself.

    kept[j] is place[j] - place[i] words away from kept[i]. `put_labels` replaces places by labels.
    """

    kept: npt.NDArray[np.int32]
    left: npt.NDArray[np.int32]
    right: npt.NDArray[np.int32]
    place: npt.NDArray[np.int32]


class Labels(NamedTuple):
    """Where words and contexts are in a round: their labels slot * n + part (`parts.py`), for n parts.

    A hub's label has part 0. Each of its tokens, or pairs, is dealt to a random part: `with_part` draws it.
    block = part of w * n + part of c.
    """

    n: int  # a power of two
    words: npt.NDArray[np.int32]
    contexts: npt.NDArray[np.int32]
    first_hub_word: int  # labels from here on are those of hubs
    first_hub_context: int
    key: np.uint64  # of the draws


class Wanted(NamedTuple):
    """The blocks of a round that are dealt, if not all: those of some rows of blocks and of some steps.

    That is, those of the words of parts first_part..last_part-1, trained in the steps first_step..last_step-1.
    """

    first_part: int
    last_part: int
    first_step: int
    last_step: int


@njit(nogil=True, cache=True)
def is_wanted_row(wanted, part):
    """Whether blocks of the words of this part are dealt. Without `wanted`, all are."""
    return wanted is None or wanted.first_part <= part < wanted.last_part


@njit(nogil=True, cache=True)
def is_wanted_step(wanted, step):
    """Whether blocks of this step are dealt."""
    return wanted is None or wanted.first_step <= step < wanted.last_step


@njit(nogil=True, cache=True)
def with_part(label, first_hub, bits, n):
    """The label of an occurrence: if it is a hub's, with the part that the draw `bits` says."""
    return np.int64(label) + (np.int64(bits) & (n - 1) if label >= first_hub else 0)


@njit(nogil=True, cache=True)
def thin(slices, draws, survivors):
    """Subsample slices of a corpus, take their windows and fill `survivors`. Returns the number of survivors.

    Equivalent to `contexts.sentence_pairs`: `contexts.kept_by_subsampling` and `contexts.half_widths`.
    """
    n = np.int64(0)  # a plain 0 would have several types, and Numba would compile the callees for each
    for i in range(len(slices.first)):
        n = _thin_slice(slices, i, draws, survivors, n)
    return n


@njit(nogil=True, cache=True)
def _thin_slice(slices, number, draws, survivors, n):
    """`thin` one slice, whose first survivor has the number n. Returns the number of the next."""
    ids, starts = slices.ids, slices.starts
    first, last = slices.first[number], slices.last[number]
    limit, reach, keys, heldout_limit = draws
    kept, left, right, place = survivors
    left_sure, left_edges, right_sure, right_edges, apart, clean = reach
    alike = not apart and left_sure == right_sure and len(left_edges) == len(right_edges)
    keep_key, window_key, heldout_key, origin = keys[0], keys[1], keys[2], starts[first]
    id_at, limit_at, left_edge, right_edge = address(ids), address(limit), address(left_edges), address(right_edges)
    kept_at, left_at, right_at, place_at = address(kept), address(left), address(right), address(place)
    for sentence in range(first, last):
        if upper(draw(heldout_key, sentence)) < heldout_limit:
            continue
        begin = n
        for position in range(starts[sentence], starts[sentence + 1]):
            word = int32_at(id_at, position)
            put_int32(kept_at, n, word)
            put_int32(place_at, n, position - origin)
            stays = upper(draw(keep_key, position)) < np.uint64(int64_at(limit_at, max(word, 0)))
            n += (word >= 0) & stays  # no branch: it would be predicted wrongly half of the time
        for i in range(begin, n):
            bits = draw(window_key, origin + int32_at(place_at, i))
            for_left, for_right = upper(bits), lower(bits) if apart else upper(bits)
            to_left, to_right = left_sure, right_sure
            for edge in range(len(left_edges)):
                to_left += for_left >= np.uint64(int64_at(left_edge, edge))
            if alike:
                to_right = to_left
            else:
                for edge in range(len(right_edges)):
                    to_right += for_right >= np.uint64(int64_at(right_edge, edge))
            if clean:
                put_int32(left_at, i, to_left)
                put_int32(right_at, i, to_right)
            else:
                put_int32(left_at, i, max(begin, i - to_left))
                put_int32(right_at, i, min(n, i + to_right + 1))
                put_int32(place_at, i, i)
        if clean:
            _take_clean_windows(left, right, place, begin, n)
    return n


@njit(nogil=True, cache=True)
def _take_clean_windows(left, right, place, begin, end):
    """Replace half-widths, in left and right, by the first survivor within them and the one after the last."""
    for i in range(begin, end):
        j = i
        while j > begin and place[i] - place[j - 1] <= left[i]:
            j -= 1
        left[i], j = j, i + 1
        while j < end and place[j] - place[i] <= right[i]:
            j += 1
        right[i] = j


@njit(nogil=True, cache=True)
def put_labels(survivors, n, labels, wanted=None):
    """Replace the places of the first n survivors by their labels, for `count` and `deal`.

    wanted: list the survivors whose rows of blocks are wanted, as words, in place of their ids. A branch for each in
    `count` and `deal` would be predicted wrongly half of the time. Returns how many words there are.
    """
    kept, label, label_of = address(survivors.kept), address(survivors.place), address(labels.words)
    listed = 0
    for i in range(n):
        x = int32_at(label_of, int32_at(kept, i))
        if x >= labels.first_hub_word:
            x = with_part(x, labels.first_hub_word, draw(labels.key, i), labels.n)
        put_int32(label, i, x)
        if wanted is not None:
            put_int32(kept, listed, i)
            listed += is_wanted_row(wanted, x & (labels.n - 1))
    return n if wanted is None else listed


@njit(nogil=True, cache=True)
def count(survivors, n, labels, counts, listed=None):
    """Add the pairs of the first n words to counts[block]. listed: these are those that `put_labels` listed."""
    left, right, label = address(survivors.left), address(survivors.right), address(survivors.place)
    counts, mask, kept = address(counts), labels.n - 1, address(survivors.kept)
    for word in range(n):
        i = word if listed is None else int32_at(kept, word)
        row = counts + 8 * labels.n * (int32_at(label, i) & mask)
        for j in range(int32_at(left, i), int32_at(right, i)):
            part = int32_at(label, j) & mask
            put_int64(row, part, int64_at(row, part) + 1)
        part = int32_at(label, i) & mask
        put_int64(row, part, int64_at(row, part) - 1)


@njit(nogil=True, cache=True)
def deal(survivors, n, labels, places, pairs, wanted=None, listed=None):
    """Write the pairs of the first n words to pairs[places[block]] and the places after it. listed: as in `count`.

    A pair is label of w * 2^32 + label of c. Pairs that are not of a wanted step are written one over the other to
    pairs[places[block]]: a branch would often be predicted wrongly.
    """
    left, right, label = address(survivors.left), address(survivors.right), address(survivors.place)
    places, pairs, mask, kept = address(places), address(pairs), labels.n - 1, address(survivors.kept)
    for word in range(n):
        i = word if listed is None else int32_at(kept, word)
        w = int32_at(label, i) << 32
        part = int32_at(label, i) & mask
        row = places + 8 * labels.n * part
        for j in range(int32_at(left, i), int32_at(right, i)):
            if j != i:
                c = int32_at(label, j)
                place = int64_at(row, c & mask)
                put_int64(pairs, place, w | c)
                put_int64(row, c & mask, place + is_wanted_step(wanted, (c - part) & mask))


# --- Positional contexts: a word and its place. There are too many to look up the labels of all beforehand.


@njit(nogil=True, cache=True)
def _context(c, offset, reach_left, n_offsets):
    """Equivalent to `contexts.Windows.context`."""
    return np.int64(c) * n_offsets + offset + reach_left - (offset > 0)


@njit(nogil=True, cache=True)
def _word_label(labels, w, i):
    return with_part(labels.words[w], labels.first_hub_word, draw(labels.key, i), labels.n)


@njit(nogil=True, cache=True)
def _context_label(labels, c, j):
    return with_part(labels.contexts[c], labels.first_hub_context, draw(labels.key, j), labels.n)


@njit(nogil=True, cache=True)
def count_placed(survivors, n, reach_left, n_offsets, labels, counts, wanted=None):
    """`count` for positional contexts. It leaves the places as they are."""
    kept, left, right, place = survivors
    for i in range(n):
        part = _word_label(labels, kept[i], i) & (labels.n - 1)
        if not is_wanted_row(wanted, part):
            continue
        row = part * labels.n
        for j in range(left[i], right[i]):
            if j != i:
                c = _context(kept[j], place[j] - place[i], reach_left, n_offsets)
                counts[row + (_context_label(labels, c, j) & (labels.n - 1))] += 1


@njit(nogil=True, cache=True)
def deal_placed(survivors, n, reach_left, n_offsets, labels, places, pairs, wanted=None):
    """`deal` for positional contexts."""
    kept, left, right, place = survivors
    for i in range(n):
        w = _word_label(labels, kept[i], i)
        part = w & (labels.n - 1)
        if not is_wanted_row(wanted, part):
            continue
        row = part * labels.n
        for j in range(left[i], right[i]):
            if j != i:
                offset = place[j] - place[i]
                c = _context_label(labels, _context(kept[j], offset, reach_left, n_offsets), j)
                if is_wanted_step(wanted, (c - part) & (labels.n - 1)):
                    block = row + (c & (labels.n - 1))
                    pairs[places[block]] = (w << 32) | c
                    places[block] += 1


@njit(nogil=True, cache=True)
def count_places(ids, starts, first, last, reach_left, reach_right, counts):
    """Add to counts[context] how many words of sentences first..last-1 have this positional context.

    counts: int64 (n_words * n_offsets,). Words outside the vocabulary have id -1 or are left out.
    """
    n_offsets = reach_left + reach_right
    for sentence in range(first, last):
        begin, end = starts[sentence], starts[sentence + 1]
        for j in range(begin, end):
            if ids[j] >= 0:
                for i in range(max(begin, j - reach_right), min(end, j + reach_left + 1)):
                    if i != j and ids[i] >= 0:
                        counts[_context(ids[j], j - i, reach_left, n_offsets)] += 1
