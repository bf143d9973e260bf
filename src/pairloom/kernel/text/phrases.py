"""Words that follow each other, with or without connectors between them, as numbers: counted and looked up.

A pair is three numbers (a, gap, b): two words, and the connectors between them, 0 if there are none. A text of pairs is
an array of units: a word is its number, a gap g is -1 - g, and no pair reaches across a BREAK.

One kind of open-addressing hash table serves for everything. A slot is (key, tag * 2^40 + value), empty if value is 0:

    counted pairs   key a * 2^32 + b              tag gap   value: how often
    pairs to join   key a * 2^32 + b              tag gap   value: 1
    gaps            key gap * 2^32 + connector    tag 0     value: the number of the gap with this connector at its end
"""

import numpy as np
import numpy.typing as npt

from pairloom.kernel.compile import njit
from pairloom.kernel.memory import address, prefetch

Slots = npt.NDArray[np.uint64]  # (a power of two, 2)
Units = npt.NDArray[np.int32]
State = npt.NDArray[np.int64]

BREAK = -1
MOST_GAPS = 1 << 24  # the bits left for the tag beside a count of 40 bits
FEWEST_SLOTS = 1 << 10  # so that a batch fits between two checks of whether the table is full

_VALUE_BITS = np.uint64(40)
_VALUE = np.uint64((1 << 40) - 1)
_HALF = np.uint64(32)
_MIX = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio
_ONE = np.uint64(1)
_BATCH = 64  # pairs whose slots are prefetched before they are counted


def empty_slots(n: int) -> Slots:
    """A table for n entries, at most half full with them."""
    return np.zeros((max(FEWEST_SLOTS, 1 << (2 * n - 1).bit_length()), 2), np.uint64)


def slots_of(keys: list[int], tags: list[int], values: list[int]) -> Slots:
    """A table of these entries. No two may have the same key and tag."""
    slots = empty_slots(len(keys))
    _put_all(slots, np.array(keys, np.uint64), np.array(tags, np.uint64), np.array(values, np.uint64))
    return slots


def entries(slots: Slots) -> tuple[Slots, Slots, Slots]:
    """The keys, tags and values of a table, in no particular order."""
    keys, rest = slots[slots[:, 1] != 0].T
    return keys, rest >> _VALUE_BITS, rest & _VALUE


@njit(nogil=True, cache=True)
def _hash(key, tag):
    """A hash whose low bits choose the slot and whose high bits choose the share."""
    h = (key ^ (tag * _MIX)) * _MIX
    h = (h ^ (h >> _HALF)) * _MIX
    return h ^ (h >> _HALF)


@njit(nogil=True, cache=True)
def _slot(slots, key, tag, h):
    """The index of the entry's slot, or of the empty slot where it belongs."""
    mask = len(slots) - 1
    at = np.int64(h) & mask
    while slots[at, 1] != 0 and (slots[at, 0] != key or slots[at, 1] >> _VALUE_BITS != tag):
        at = (at + 1) & mask
    return at


@njit(nogil=True, cache=True)
def value_of(slots, left, right, tag):
    """The value of the key left * 2^32 + right, or 0."""
    key = np.uint64(left) << _HALF | np.uint64(right)
    return np.int64(slots[_slot(slots, key, np.uint64(tag), _hash(key, np.uint64(tag))), 1] & _VALUE)


@njit(nogil=True, cache=True)
def _put_all(slots, keys, tags, values):
    for i in range(len(keys)):
        at = _slot(slots, keys[i], tags[i], _hash(keys[i], tags[i]))
        slots[at, 0], slots[at, 1] = keys[i], tags[i] << _VALUE_BITS | values[i]


# --- From words to units


@njit(nogil=True, cache=True)
def with_breaks(ids, ends):
    """The words of lines, with a break after each line. Equivalent to np.insert(ids, ends, BREAK).

    >>> with_breaks(np.array([5, 6, 7], np.int32), np.array([2, 3])).tolist()
    [5, 6, -1, 7, -1]
    """
    stream = np.empty(len(ids) + len(ends), np.int32)
    begin = 0
    for line in range(len(ends)):
        stream[begin + line : ends[line] + line] = ids[begin : ends[line]]
        stream[ends[line] + line] = BREAK
        begin = ends[line]
    stream[begin + len(ends) :] = ids[begin:]
    return stream


@njit(nogil=True, cache=True)
def tally(stream, counts):
    """Add to counts[word] how often each word is in the stream."""
    for word in stream:
        if word >= 0:
            counts[word] += 1


def gather(stream: Units, is_connector: npt.NDArray[np.bool_], gaps: Slots, state: State) -> tuple[Units, Slots]:
    """Make units of words and breaks: connectors between two words become one gap, other connectors are dropped.

    state: whether a word is open (1 or 0), the gap after it, the number of gaps so far. Pass it and the returned gaps,
    which may have grown, to the next call.
    """
    units = np.empty(len(stream) + 1, np.int32)  # one more, for a gap of the call before
    at, n = _gather(stream, 0, is_connector, gaps, state, units, 0)
    while at < len(stream):
        gaps = _grown(gaps)
        at, n = _gather(stream, at, is_connector, gaps, state, units, n)
    return units[:n], gaps


def _grown(slots: Slots) -> Slots:
    larger = empty_slots(len(slots))
    _put_all(larger, *entries(slots))
    return larger


@njit(nogil=True, cache=True)
def _gather(stream, begin, is_connector, gaps, state, units, n):
    """`gather` from `begin` until the gaps are full. Returns that position and the number of units."""
    is_open, gap = state[0], state[1]
    for i in range(begin, len(stream)):
        word = stream[i]
        if word >= 0 and is_connector[word]:
            if is_open:
                key = np.uint64(gap) << _HALF | np.uint64(word)
                at = _slot(gaps, key, np.uint64(0), _hash(key, np.uint64(0)))
                if gaps[at, 1] == 0:
                    if state[2] == len(gaps) // 2:
                        state[0], state[1] = is_open, gap
                        return i, n
                    state[2] += 1
                    gaps[at, 0], gaps[at, 1] = key, state[2]
                gap = np.int64(gaps[at, 1])
            continue
        if word >= 0 and gap > 0:
            units[n] = -1 - gap
            n += 1
        units[n] = word
        n += 1
        is_open, gap = np.int64(word >= 0), np.int64(0)
    state[0], state[1] = is_open, gap
    return len(stream), n


# --- Counting


@njit(nogil=True, cache=True)
def count(units, state, bits, share, slots):
    """Count the pairs whose hash begins with the `bits` bits of `share`. False if the slots are full: count again.

    state: the open word or BREAK, the gap after it, the number of entries. Pass it to the next call.
    """
    keys, tags, hashes = np.empty(_BATCH, np.uint64), np.empty(_BATCH, np.uint64), np.empty(_BATCH, np.uint64)
    begin, mask, most = address(slots), len(slots) - 1, len(slots) // 4 * 3
    shift, wanted = np.uint64(63 - bits), np.uint64(share)
    a, gap, n = state[0], state[1], 0
    for i in range(len(units)):
        b = np.int64(units[i])
        if b < 0:
            if b == BREAK:
                a = b
            else:
                gap = -1 - b
            continue
        if a >= 0:
            key = np.uint64(a) << _HALF | np.uint64(b)
            h = _hash(key, np.uint64(gap))
            if (h >> _ONE) >> shift == wanted:
                prefetch(begin, 4 * (np.int64(h) & mask))
                keys[n], tags[n], hashes[n] = key, np.uint64(gap), h
                n += 1
                if n == _BATCH:
                    state[2] += _add(slots, keys, tags, hashes, n)
                    n = 0
                    if state[2] > most:
                        return False
        a, gap = b, np.int64(0)
    state[2] += _add(slots, keys, tags, hashes, n)
    state[0], state[1] = a, gap
    return state[2] <= most


@njit(nogil=True, cache=True)
def _add(slots, keys, tags, hashes, n):
    """Count n pairs. Returns how many are new."""
    new = 0
    for i in range(n):
        at = _slot(slots, keys[i], tags[i], hashes[i])
        if slots[at, 1] == 0:
            slots[at, 0], slots[at, 1] = keys[i], tags[i] << _VALUE_BITS
            new += 1
        slots[at, 1] += _ONE
    return new
