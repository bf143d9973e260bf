"""A model beside the counts of its corpus, compiled: every observed pair, and every possible pair.

    x = v_w·v_c     n = #(w, c)     m = k #(w) noise(c), how often D' is expected to have the pair

The twins are the formulas in `judging/explanation/`: the tests compute the same by a few lines of NumPy.
"""

import math
from typing import NamedTuple

import numpy as np

from pairloom.kernel.compile import njit
from pairloom.kernel.loss import dot, minus_log_sigmoid
from pairloom.kernel.rng import draw, upper

LOGIT_BINS = 24  # of calibration: x in [-12, -11), [-11, -10), ..., the first and the last unbounded
HEAT_BINS = 64  # of the picture, on each side: from -12 to 12
REACH = 12.0

_BLOCK = 256  # contexts whose products are held together, in a core's nearest cache
_TABLE_REACH = 32.0
_TABLE_STEPS = 1 << 15
# log(1 + e^x) at steps of 1/512; between them a line, which errs by less than 5e-7 of the value
_GRID = np.linspace(-_TABLE_REACH, _TABLE_REACH, _TABLE_STEPS + 1)
SOFTPLUS = np.logaddexp(0.0, _GRID)


@njit(nogil=True, cache=True)
def _bin(x, bins):
    """The index of x in equal bins from -REACH to REACH. Values beyond them are in the outermost bins."""
    return min(max(math.floor((x + REACH) * (bins / (2 * REACH))), 0), bins - 1)


class ObservedPairs(NamedTuple):
    """#(w, c), as `Cooccurrences` has it."""

    indptr: np.ndarray
    contexts: np.ndarray
    weights: np.ndarray


class Logs(NamedTuple):
    """log #(w); log(k #(c) / |D|); log(k noise(c))."""

    w: np.ndarray
    c: np.ndarray
    m: np.ndarray


class Sums(NamedTuple):
    """The sums that `observed` adds to, for words first..last-1."""

    moments: np.ndarray  # (bands, bands, 2, 9)
    heat: np.ndarray  # (2, HEAT_BINS, HEAT_BINS)
    losses: np.ndarray  # (last - first, 3)
    calibration: np.ndarray  # (LOGIT_BINS, 2)
    sample: np.ndarray  # (pairs of these words, 5)


@njit(nogil=True, cache=True)
def observed(W, C, pairs, first, last, logs, bands, n_dense, key, limit, sums):
    """Go over the observed pairs of words first..last-1.

        y = log n - log #(w) - log(k #(c) / |D|) = PMI(w, c) - log k
        z = log n - log #(w) - log(k noise(c)) = log(n / m), the optimum of x
    moments[band of w, band of c, weighting] += s (1, x, xx, y, yy, xy, z, zz, xz), s being 1 or n
    heat[0] and heat[1] count pairs by (y, x) and by (z, x)
    losses[w - first] += n log(1 + e^-x), m log(1 + e^x), and the sum of both at x = z
    calibration[bin of x] += n, n σ(x), for w < n_dense
    sample[i] = x, y, z, band of w, band of c of pairs whose draw is below the limit
    Returns the length of the sample.
    """
    taken = 0
    for w in range(first, last):
        for i in range(pairs.indptr[w], pairs.indptr[w + 1]):
            c, n = pairs.contexts[i], pairs.weights[i]
            x = dot(W, w, C, c)
            base = math.log(n) - logs.w[w]
            y, z = base - logs.c[c], base - logs.m[c]
            m = math.exp(logs.w[w] + logs.m[c])
            s = 1.0
            for weighting in range(2):
                cell = sums.moments[bands[w], bands[c], weighting]
                cell[0] += s
                cell[1] += s * x
                cell[2] += s * x * x
                cell[3] += s * y
                cell[4] += s * y * y
                cell[5] += s * x * y
                cell[6] += s * z
                cell[7] += s * z * z
                cell[8] += s * x * z
                s = n
            sums.heat[0, _bin(y, HEAT_BINS), _bin(x, HEAT_BINS)] += 1
            sums.heat[1, _bin(z, HEAT_BINS), _bin(x, HEAT_BINS)] += 1
            sums.losses[w - first, 0] += n * minus_log_sigmoid(x)
            sums.losses[w - first, 1] += m * minus_log_sigmoid(-x)
            sums.losses[w - first, 2] += n * minus_log_sigmoid(z) + m * minus_log_sigmoid(-z)
            if w < n_dense:
                at = _bin(x, LOGIT_BINS)
                sums.calibration[at, 0] += n
                sums.calibration[at, 1] += n / (1.0 + math.exp(-x))
            if upper(draw(key, i)) < limit:
                sums.sample[taken, 0], sums.sample[taken, 1], sums.sample[taken, 2] = x, y, z
                sums.sample[taken, 3], sums.sample[taken, 4] = bands[w], bands[c]
                taken += 1
    return taken


@njit(nogil=True, cache=True)
def transposed_blocks(C):
    """C as blocks of contexts, (n_blocks, dim, contexts of a block), so that products with v_w fill whole vectors."""
    n_blocks = -(-len(C) // _BLOCK)
    blocks = np.zeros((n_blocks, C.shape[1], _BLOCK), np.float32)
    for c in range(len(C)):
        for i in range(C.shape[1]):
            blocks[c // _BLOCK, i, c % _BLOCK] = C[c, i]
    return blocks


@njit(nogil=True, cache=True)
def _products(W, w, block, x):
    """x[j] = v_w·v_c for the contexts of a block, in float32 as the model is, always in the same order.

    Four components at a time: x is then read and written a quarter as often.
    """
    x[:] = np.float32(0.0)
    dim = block.shape[0]
    for i in range(0, dim - 3, 4):
        w0, w1, w2, w3 = W[w, i], W[w, i + 1], W[w, i + 2], W[w, i + 3]
        c0, c1, c2, c3 = block[i], block[i + 1], block[i + 2], block[i + 3]
        for j in range(_BLOCK):
            x[j] += (w0 * c0[j] + w1 * c1[j]) + (w2 * c2[j] + w3 * c3[j])
    for i in range(dim - dim % 4, dim):
        component, row = W[w, i], block[i]
        for j in range(_BLOCK):
            x[j] += component * row[j]


@njit(nogil=True, cache=True)
def all_pairs(W, blocks, first, last, noise, softplus, losses, calibration, mass):
    """Go over all contexts of words first..last-1, observed or not; mass[w] = k #(w), so m = mass[w] noise(c).

    losses[w - first] += m log(1 + e^x)
    calibration[bin of x] += m, m σ(x)
    """
    x = np.empty(_BLOCK, np.float32)
    for b in range(len(blocks)):  # the outer loop, since a block fits a core's cache and all of them do not
        begin = b * _BLOCK
        some = noise[begin : begin + _BLOCK]
        for w in range(first, last):
            _products(W, w, blocks[b], x)
            losses[w - first] += mass[w] * _expected(x, some, mass[w], softplus, calibration)


@njit(nogil=True, cache=True)
def _expected(x, noise, mass, softplus, calibration):
    """Σ noise(c) log(1 + e^x) over some contexts. Adds to the calibration."""
    total = 0.0
    for j in range(len(noise)):
        place = (min(max(np.float64(x[j]), -_TABLE_REACH), _TABLE_REACH - 1e-9) + _TABLE_REACH) * 512.0
        step = int(place)
        rise = softplus[step + 1] - softplus[step]  # 1/512 of σ in the middle of the step, so within 1.3e-4 of σ(x)
        above = max(np.float64(x[j]) - _TABLE_REACH, 0.0)
        total += noise[j] * (softplus[step] + (place - step) * rise + above)
        at = _bin(x[j], LOGIT_BINS)
        m = mass * noise[j]
        calibration[at, 0] += m
        calibration[at, 1] += m * rise * 512.0
    return total


@njit(nogil=True, cache=True)
def distances(text, lengths, limit, key, left, right, prune, thin, clean, counts):
    """Add the windows' weights of all pairs to counts[distance in the text as it was written].

    text: sentences of these lengths, with -1 for words outside the vocabulary. `prune` removes those, and `thin`
    removes frequent words by draws: both before windows are taken, or after if windows are `clean`.
    """
    kept = np.empty(lengths.max(), np.int64)
    begin = 0
    for length in lengths:
        n = 0
        for at in range(length):
            word = text[begin + at]
            stays = not prune if word < 0 else not thin or upper(draw(key, begin + at)) < limit[word]
            kept[n] = at
            n += stays
        begin += length
        for i in range(n):
            for j in range(i - 1, -1, -1):
                d = kept[i] - kept[j]
                step = d if clean else i - j
                if step > len(left):
                    break
                counts[d] += left[step - 1]
            for j in range(i + 1, n):
                d = kept[j] - kept[i]
                step = d if clean else j - i
                if step > len(right):
                    break
                counts[d] += right[step - 1]
