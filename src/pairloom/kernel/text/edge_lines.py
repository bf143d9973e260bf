"""Lines `u v [weight]` of a graph, on bytes. The twin is `preparing/graphs/edges.py`, `edges_of`."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.config import MAX_WORD_BYTES
from pairloom.kernel.compile import njit
from pairloom.kernel.memory import address, byte_at, int64_at
from pairloom.kernel.text.numbers import parse_exactly
from pairloom.kernel.text.pair_lines import row_of
from pairloom.kernel.text.scan import AT_LINE_END, LENGTH, START, room_for_entries, scan
from pairloom.kernel.text.words import Bytes, WordTable, contents, empty_table, entry_at, places_of, with_capacity

_DONE, _FULL, _BAD = 0, 1, 2
_HASH_SIGN, _PERCENT = ord("#"), ord("%")  # begin a comment, if they are the first word of a line


class ParsedEdges(NamedTuple):
    """The edges of a block: from node u to v, both as rows of `nodes`, in a line that is counted from 0.

    A weight of 0 has to be read by Python, and is 1 if the line has none. bad_line is the first line that is not an
    edge, or -1. The edges of the lines before it are complete.
    """

    names: Bytes  # name i has the bytes names[offsets[i] : offsets[i + 1]]
    offsets: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int32]  # (edges, 2): u and v
    weights: npt.NDArray[np.float64]
    lines: npt.NDArray[np.int32]
    bad_line: int


def parse(data: Bytes, heaviest: float) -> ParsedEdges:
    """The edges of a block of bytes that ends with a line end. heaviest: the largest weight that is taken as it is."""
    most = len(data) // 4 + 1  # the shortest edge is `a b` and a line end
    ends, weights, lines = np.empty((most, 2), np.int32), np.empty(most), np.empty(most, np.int32)
    nodes: WordTable = empty_table(min(most, 1 << 12), len(data))
    state = np.zeros(3, np.int64)  # where the line begins, its number, edges so far
    room = room_for_entries()
    while (how := _parse(nodes, data, ends, weights, lines, heaviest, state, room)) == _FULL:
        nodes = with_capacity(nodes, 2, 0)
    names, offsets, _ = contents(nodes)
    n = int(state[2])
    return ParsedEdges(names, offsets, ends[:n], weights[:n], lines[:n], int(state[1]) if how == _BAD else -1)


@njit(nogil=True, cache=True)
def _parse(nodes, data, ends, weights, lines, heaviest, state, room):
    """Continue at the line in `state`. Stop at the end, at a line that is not an edge, or when the table is full."""
    places = places_of(nodes)
    begin, found = address(data), address(room)
    at, limit = begin + state[0], begin + len(data)
    field, comment = 0, False
    while at < limit:
        n_found, at = scan(at, limit, places.slots, places.mask, found)
        for i in range(n_found):
            entry = entry_at(found, i)
            start, length = int64_at(entry, START), int64_at(entry, LENGTH)
            if length == AT_LINE_END:
                if field == 1:
                    return _BAD
                state[0] = start + 1 - begin
                state[1] += 1
                state[2] += field > 0
                field, comment = 0, False
                continue
            if field == 0 and length == 1:
                comment |= byte_at(start) == _HASH_SIGN or byte_at(start) == _PERCENT
            if comment:
                continue
            if field > 2 or length > MAX_WORD_BYTES:
                return _BAD
            n = state[2]
            if field < 2:
                if nodes.used[0] == len(nodes.counts):
                    return _FULL
                ends[n, field] = row_of(nodes, places, entry, limit)
                weights[n], lines[n] = 1.0, state[1]
            else:
                weight, after = parse_exactly(start)
                weights[n] = weight if after == start + length and weight <= heaviest else 0.0
            field += 1
    return _DONE
