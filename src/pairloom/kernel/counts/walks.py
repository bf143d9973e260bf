"""Walks over a graph, compiled. The twin of a step is `preparing.graphs.graph.step_probabilities`.

A step draws a neighbour by weight and accepts it with a probability proportional to α, else draws again (rejection
sampling, as in KnightKing; Yang et al. 2019). So only the edges need memory. (node2vec's own program keeps a table for
each edge, and their sizes add up to the sum of squared degrees.) A draw is a function of walk, step and attempt.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.kernel.alias import alias_table
from pairloom.kernel.compile import njit
from pairloom.kernel.memory import address, float64_at, int32_at, int64_at
from pairloom.kernel.rng import below, derive, draw, lower, unit

_32 = np.uint64(32)
_BLANK, _NEW_LINE = 0x20, 0x0A


class Net(NamedTuple):
    """A `Graph` with an alias table for each row. Without weights the last four are empty."""

    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int32]
    cut: npt.NDArray[np.uint64]
    other: npt.NDArray[np.int32]  # a place in the row
    weights: npt.NDArray[np.float64]
    sums: npt.NDArray[np.float64]  # of the weights of a row


class Alpha(NamedTuple):
    """α by the distance from t."""

    back: float  # 0
    near: float  # 1
    far: float  # 2


class NodeNames(NamedTuple):
    """Node i is called arena[offsets[i] : offsets[i + 1]]."""

    arena: npt.NDArray[np.uint8]
    offsets: npt.NDArray[np.int64]


def net_of(starts, ends, weights) -> Net:
    """The tables of a graph. `weights` is None if all are the same."""
    if weights is None:
        return Net(starts, ends, np.empty(0, np.uint64), np.empty(0, np.int32), np.empty(0), np.empty(0))
    n = len(ends)
    net = Net(starts, ends, np.empty(n, np.uint64), np.empty(n, np.int32), weights, np.empty(len(starts) - 1))
    _fill_tables(net)
    return net


@njit(nogil=True, cache=True)
def _fill_tables(net):
    for v in range(len(net.starts) - 1):
        row = slice(net.starts[v], net.starts[v + 1])
        weights = net.weights[row]
        net.sums[v] = weights.sum()
        if len(weights) > 0:
            alias_table(weights / net.sums[v], net.cut[row], net.other[row])


@njit(nogil=True, cache=True)
def walk(net, first, numbers, length, alpha, step_key, accept_key, nodes, lengths):
    """Fill nodes[i, :lengths[i]] with walk number numbers[i], which begins at first[i]. It ends early in a sink."""
    at = _places(net)
    for i in range(len(first)):
        steps, accepts = derive(step_key, numbers[i]), derive(accept_key, numbers[i])
        nodes[i, 0], lengths[i] = first[i], 1
        for step in range(1, length):
            v = nodes[i, step - 1]
            if _degree(at, v) == 0:
                break
            index = np.uint64(step) << _32
            if step == 1:
                nodes[i, step] = _neighbour(at, v, draw(steps, index))
            else:
                nodes[i, step] = _next(at, nodes[i, step - 2], v, alpha, steps, accepts, index)
            lengths[i] = step + 1


# Steps take addresses instead of arrays, for the reason given in `memory.py`.


class _Places(NamedTuple):
    """The addresses of a `Net`'s arrays."""

    starts: int
    ends: int
    cut: int
    other: int
    weights: int
    sums: int
    weighted: bool


@njit(nogil=True, cache=True)
def _places(net):
    starts, ends, cut, other = address(net.starts), address(net.ends), address(net.cut), address(net.other)
    return _Places(starts, ends, cut, other, address(net.weights), address(net.sums), len(net.weights) > 0)


@njit(nogil=True, cache=True)
def _degree(at, v):
    return int64_at(at.starts, v + 1) - int64_at(at.starts, v)


@njit(nogil=True, cache=True)
def _next(at, t, v, alpha, steps, accepts, index):
    """The next node of a walk that came from t to v.

    An attempt is a point below a ceiling whose width is the weight of v's edges: its place chooses a neighbour, and it
    is accepted if its height is below that neighbour's α. Only t may reach above the ceiling, by `extra`, and a point
    can fall there, too: so a small p, which would raise the ceiling, costs nothing.

    After as many attempts as v has neighbours, all neighbours are weighed instead, so no p and q make a step slow.
    Accepted draws and weighed ones have the same distribution, so their mixture has it, too.
    """
    degree = np.uint64(_degree(at, v))
    ceiling = max(alpha.near, alpha.far)
    least = min(alpha.back, alpha.near, alpha.far)
    extra = (alpha.back - ceiling) * _share(at, v, t) if alpha.back > ceiling else 0.0
    for attempt in range(degree):
        height = unit(draw(accepts, index + attempt)) * (ceiling + extra)
        if height >= ceiling:
            return t
        x = _neighbour(at, v, draw(steps, index + attempt))
        if height < least or height < _alpha(at, t, x, alpha):  # the first spares a search
            return x
    return _weighed(at, t, v, alpha, unit(draw(accepts, index + degree)))


@njit(nogil=True, cache=True)
def _share(at, v, t):
    """The share of v's weight that is on its edge to t; 0 if there is none."""
    place = _find(at, v, t)
    if place < 0:
        return 0.0
    if at.weighted:
        return float64_at(at.weights, place) / float64_at(at.sums, v)
    return 1.0 / _degree(at, v)


@njit(nogil=True, cache=True)
def _neighbour(at, v, bits):
    """A neighbour of v, by weight."""
    begin = int64_at(at.starts, v)
    place = begin + below(bits, _degree(at, v))
    if at.weighted and np.int64(lower(bits)) >= int64_at(at.cut, place):
        place = begin + int32_at(at.other, place)
    return int32_at(at.ends, place)


@njit(nogil=True, cache=True)
def _weighed(at, t, v, alpha, u):
    """The neighbour of v that u in [0, 1) chooses by weight * α."""
    total = 0.0
    for place in range(int64_at(at.starts, v), int64_at(at.starts, v + 1)):
        total += _mass(at, t, place, alpha)
    rest = u * total
    for place in range(int64_at(at.starts, v), int64_at(at.starts, v + 1)):
        rest -= _mass(at, t, place, alpha)
        if rest < 0.0:
            return int32_at(at.ends, place)
    return int32_at(at.ends, int64_at(at.starts, v + 1) - 1)  # reached only by rounding


@njit(nogil=True, cache=True)
def _mass(at, t, place, alpha):
    weight = float64_at(at.weights, place) if at.weighted else 1.0
    return weight * _alpha(at, t, int32_at(at.ends, place), alpha)


@njit(nogil=True, cache=True)
def _alpha(at, t, x, alpha):
    if x == t:
        return alpha.back
    return alpha.near if _find(at, t, x) >= 0 else alpha.far


@njit(nogil=True, cache=True)
def _find(at, v, x):
    """The place of the edge from v to x, or -1."""
    low, n = int64_at(at.starts, v), _degree(at, v)
    while n > 1:
        half = n >> 1
        low += half * (
            int32_at(at.ends, low + half - 1) < x
        )  # no branch: it would be predicted wrongly half of the time
        n -= half
    return low if n == 1 and int32_at(at.ends, low) == x else -1


# --- As text


def spell(names: NodeNames, nodes, lengths):
    """The walks as lines of names, separated by spaces."""
    out = np.empty(_count_bytes(names.offsets, nodes, lengths), np.uint8)
    _spell(names, nodes, lengths, out)
    out.flags.writeable = False  # as blocks of a file are: to Numba that is another type
    return out


@njit(nogil=True, cache=True)
def _count_bytes(offsets, nodes, lengths):
    n = 0
    for i in range(len(lengths)):
        for step in range(lengths[i]):
            n += offsets[nodes[i, step] + 1] - offsets[nodes[i, step]] + 1
    return n


@njit(nogil=True, cache=True)
def _spell(names, nodes, lengths, out):
    at = 0
    for i in range(len(lengths)):
        for step in range(lengths[i]):
            for byte in range(names.offsets[nodes[i, step]], names.offsets[nodes[i, step] + 1]):
                out[at] = names.arena[byte]
                at += 1
            out[at] = _BLANK
            at += 1
        out[at - 1] = _NEW_LINE
