"""The compiled twin of `method/draws.py`, and what kernels make of a draw."""

import numpy as np

from pairloom.kernel.compile import njit
from pairloom.method import draws

_GAMMA, _MIX_1, _MIX_2 = draws.GAMMA, draws.MIX_1, draws.MIX_2
_ONE, _11, _27, _30, _31, _32 = (np.uint64(n) for n in (1, 11, 27, 30, 31, 32))
_LOW = np.uint64(0xFFFFFFFF)


@njit(nogil=True, cache=True)
def mix(x):
    """Equivalent to `draws.mix` of one number."""
    x = (x ^ (x >> _30)) * _MIX_1
    x = (x ^ (x >> _27)) * _MIX_2
    return x ^ (x >> _31)


@njit(nogil=True, cache=True)
def draw(key, index):
    """Equivalent to `draws.draw` at one index."""
    return mix(key + (np.uint64(index) + _ONE) * _GAMMA)


@njit(nogil=True, cache=True)
def derive(key, part):
    """A new key from a key and a number. Equivalent to one turn of `draws.key`."""
    return mix(key + _GAMMA + np.uint64(part))


@njit(nogil=True, cache=True)
def upper(bits):
    """The upper 32 bits. Equivalent to `draws.upper` of one draw."""
    return bits >> _32


@njit(nogil=True, cache=True)
def lower(bits):
    """The lower 32 bits, independent of the upper. Equivalent to `draws.lower` of one draw."""
    return bits & _LOW


@njit(nogil=True, cache=True)
def below(bits, n):
    """A whole number in 0..n-1 from the upper 32 bits (n < 2^32; each has its share to within n / 2^32)."""
    return np.int64((upper(bits) * np.uint64(n)) >> _32)


@njit(nogil=True, cache=True)
def unit(bits):
    """A number in [0, 1) from the upper 53 bits. Equivalent to `draws.uniform` of one draw."""
    return (bits >> _11) * 2.0**-53


@njit(nogil=True, cache=True)
def start_rows(W, stride, dim, key, lengths, rows):
    """Fill W with these rows: components uniform in ±0.6 / √dim, each by its own draw, times lengths[row].

    Vectors are then about 0.35 long where lengths[row] is 1.

    word2vec starts in ±0.5 / dim, so near 0, where the gradient of both matrices vanishes and learning begins slowly.
    On 17 M words of Wikipedia, dim 100, 3 epochs, means of three seeds: analogies 25.0 with word2vec's start, 26.3 with
    ours, WS-353 64.4 with both. At dim 300, one seed: WS-353 62.8 and 65.0. Three times as far, SimLex falls by two
    points, and on a small corpus by five.
    """
    reach = 1.2 / np.sqrt(dim)
    for at in range(len(rows)):
        row = rows[at]
        for i in range(dim):
            W[at * stride + i] = np.float32((unit(draw(key, row * dim + i)) - 0.5) * reach * lengths[row])
