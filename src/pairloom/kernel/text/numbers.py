"""Numbers in decimal, read as Python reads them: `np.float32(float(text))`, to the last bit.

A number is m * 10^e with whole m and e. In float64, m has an error of half a unit in its last place, and so have the
table's 10^e and the product. The digits of m after the 18th count for less than that. So the number lies within

    x (1 - 2^-50)  and  x (1 + 2^-50),    x = m * 10^e in float64,

and so does the float64 nearest to it. If both bounds round to the same float32, that is the result, because rounding
keeps order. If they do not, about once in ten million times, or the number is of another kind (nan, an exponent beyond
the table), Python reads the row.
"""

import numpy as np

from pairloom.kernel.compile import njit
from pairloom.kernel.memory import address, byte_at

_LEAST, _MOST = -300, 280  # with at most 18 digits, m * 10^e then neither vanishes nor overflows
_POWERS = np.array([float(f"1e{e}") for e in range(_LEAST, _MOST + 1)])
_DIGITS = 18  # as many as every int64 holds
_TAB, _LF, _VT, _CR, _SPACE, _PLUS, _MINUS, _DOT, _ZERO = 9, 10, 11, 13, 32, 43, 45, 46, 48
_SMALL_E, _LARGE_E = 101, 69


@njit(nogil=True, cache=True)
def parse_rows(text, vectors, starts, ends):
    """Read a word and D numbers from each of the first lines of `text`, as many as there are vectors.

    text     uint8, lines that end in LF, at least as many as vectors
    vectors  float32 (n, D), filled
    starts   int64 (n + 1,), filled: where each line begins
    ends     int64 (n,), filled: where its word ends, or -1 if Python has to read the line

    Equivalent to
        word, *fields = line.split()
        vectors[row] = [float(field) for field in fields]
    for lines of one word and D numbers, separated by spaces or tabs.
    """
    begin = at = address(text)
    for row in range(len(vectors)):
        starts[row] = at - begin
        odd = False  # white space within the word
        while byte_at(at) != _SPACE and byte_at(at) != _TAB and byte_at(at) != _LF:
            odd |= _VT <= byte_at(at) <= _CR
            at += 1
        ends[row] = at - begin if at - begin > starts[row] and not odd else -1
        for i in range(vectors.shape[1]):
            at = _after_blanks(at)
            vectors[row, i], end = parse_number(at)
            if end == 0:
                ends[row] = -1
                break
            at = end
        at = _after_blanks(at)
        at += byte_at(at) == _CR
        if byte_at(at) != _LF:
            ends[row] = -1
            while byte_at(at) != _LF:
                at += 1
        at += 1
    starts[len(vectors)] = at - begin


# The functions below take addresses, for the reason given in `memory.py`. None reads beyond an LF.


@njit(nogil=True, cache=True)
def _after_blanks(at):
    while byte_at(at) == _SPACE or byte_at(at) == _TAB:
        at += 1
    return at


@njit(nogil=True, cache=True)
def parse_number(at):
    """The float32 at an address, and where it ends, or 0 if Python has to read it."""
    negative = byte_at(at) == _MINUS
    if negative or byte_at(at) == _PLUS:
        at += 1
    first = at
    mantissa, at = _parse_digits(at, 0)
    n_digits, exponent = at - first, 0
    if byte_at(at) == _DOT:
        mantissa, end = _parse_digits(at + 1, mantissa)
        exponent = at + 1 - end
        n_digits -= exponent
        at = end
    if n_digits > _DIGITS:
        mantissa, exponent = _parse_many_digits(first, at)
    power, at = _parse_exponent(at)
    exponent += power
    at_end = byte_at(at) in (_SPACE, _LF, _TAB, _CR)
    if n_digits == 0 or not at_end or exponent < _LEAST or exponent > _MOST:
        return np.float32(0), 0
    x = np.float64(mantissa) * _POWERS[exponent - _LEAST]
    low, high = np.float32(x * (1 - 2.0**-50)), np.float32(x * (1 + 2.0**-50))
    return -low if negative else low, at if low == high else 0


@njit(nogil=True, cache=True)
def parse_exactly(at):
    """The float64 at an address, as `float` reads it, and where it ends. 0 and 0 if Python has to read it.

    Up to 2^53, whole numbers are exact in float64, and so are the powers of ten up to 10^22. So the only rounding is
    that of one product or quotient, and the result is the float64 nearest to the number (Clinger 1990).
    """
    first = at
    mantissa, at = _parse_digits(at, 0)
    n_digits, exponent = at - first, 0
    if byte_at(at) == _DOT:
        mantissa, end = _parse_digits(at + 1, mantissa)
        exponent = at + 1 - end
        n_digits -= exponent
        at = end
    power, at = _parse_exponent(at)
    exponent += power
    if n_digits == 0 or n_digits > _DIGITS or mantissa > 1 << 53 or abs(exponent) > 22:
        return 0.0, 0
    scale = _POWERS[abs(exponent) - _LEAST]
    return (mantissa / scale if exponent < 0 else mantissa * scale), at


@njit(nogil=True, cache=True)
def _parse_digits(at, mantissa):
    """The mantissa with more digits appended, and where they end. With more than 18 digits the result means nothing."""
    digit = np.int64(byte_at(at)) - _ZERO
    while 0 <= digit <= 9:
        mantissa = 10 * mantissa + digit
        at += 1
        digit = np.int64(byte_at(at)) - _ZERO
    return mantissa, at


@njit(nogil=True, cache=True)
def _parse_many_digits(at, end):
    """m and e of digits with or without a point, from the first 18 significant digits. The others count as zeros."""
    mantissa, exponent, n, after_point = 0, 0, 0, 0
    while at < end:
        if byte_at(at) == _DOT:
            after_point = 1
        elif n < _DIGITS:
            mantissa = 10 * mantissa + np.int64(byte_at(at)) - _ZERO
            n += mantissa > 0
            exponent -= after_point
        else:
            exponent += 1 - after_point
        at += 1
    return mantissa, exponent


@njit(nogil=True, cache=True)
def _parse_exponent(at):
    """The number after an e, and where it ends; without an e, 0 and the same address."""
    if byte_at(at) != _SMALL_E and byte_at(at) != _LARGE_E:
        return 0, at
    after = at + 1
    negative = byte_at(after) == _MINUS
    if negative or byte_at(after) == _PLUS:
        after += 1
    begin, power = after, 0
    while _ZERO <= byte_at(after) <= _ZERO + 9:
        power = min(10 * power + np.int64(byte_at(after)) - _ZERO, 100_000)
        after += 1
    if after == begin:
        return 0, at  # an e without digits: the caller finds it and gives up
    return -power if negative else power, after
