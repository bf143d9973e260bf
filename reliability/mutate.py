"""Random changes to bytes, as a fuzzer tries them."""

import re
import struct
from collections.abc import Sequence
from random import Random
from typing import TypeVar

Item = TypeVar("Item")

_NUMBERS = (0, 1, -1, 2, 127, 128, 255, 2**15, 2**31 - 1, 2**31, 2**32 - 1, 2**62, 2**63 - 1)
BOUNDARIES = [struct.pack("<q", number) for number in _NUMBERS]
BOUNDARIES += [struct.pack("<i", number) for number in _NUMBERS if -(2**31) <= number < 2**31]
BOUNDARIES += [struct.pack("<f", number) for number in (float("nan"), float("inf"), -0.0, 1e-45, 3.4e38)]
TEXTS = [
    *(b"0", b"-1", b"1", b"9", b"00", b"1e999", b"-1e-999", b"nan", b"inf", b"1_0", b"0x10", b".", b"1e", b"+", b"1,5"),
    *(b"2147483648", b"9223372036854775807", b"9223372036854775808", b"99999999999999999999999", b"1" * 400),
    *(b" ", b"  ", b"\n", b"\n\n", b"\r", b"\r\n", b"\t", b"\0", b"\x0b", b"\x1c", b":", b";", b",", b'"', b"#"),
    *(b"\xef\xbb\xbf", b"\xc3", b"\xff", b"\xed\xa0\x80", "\u2028".encode(), "\u3000".encode(), "猫".encode()),
    *(b"</s>", b"{", b"[", b"\x1f\x8b", b"\x80\x04", b"x" * 1001, b"</s> 0\n"),
]
_NUMBER = re.compile(rb"\d+")


def pick(rng: Random, items: Sequence[Item]) -> Item:
    """A random item; five times as fast as rng.choice."""
    return items[int(rng.random() * len(items))]


def mutated(rng: Random, seeds: Sequence[bytes]) -> bytes:
    """A seed with one to four changes, most of them to its structure."""
    data = pick(rng, seeds)
    for _ in range(pick(rng, (1, 1, 1, 2, 2, 3, 4))):
        data = pick(rng, _CHANGES)(rng, data, seeds)
    return data


def _flip(rng: Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    at = int(rng.random() * len(data))
    return data[:at] + bytes([data[at] ^ 1 << int(rng.random() * 8)]) + data[at + 1 :] if data else data


def _cut(rng: Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    return data[: int(rng.random() * len(data))]


def _delete(rng: Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    at = int(rng.random() * len(data))
    return data[:at] + data[at + pick(rng, (1, 1, 2, 4, 8, 16)) :]


def _insert(rng: Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    at = int(rng.random() * (len(data) + 1))
    return data[:at] + pick(rng, TEXTS) + data[at:]


def _overwrite(rng: Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    at, new = int(rng.random() * (len(data) + 1)), pick(rng, BOUNDARIES)
    return data[:at] + new + data[at + len(new) :]


def _repeat(rng: Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    at = int(rng.random() * len(data))
    return data[:at] + data[at : at + pick(rng, (1, 4, 16, 64))] * pick(rng, (2, 2, 3, 9)) + data[at:]


def _splice(rng: Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    other = pick(rng, seeds)
    return data[: int(rng.random() * (len(data) + 1))] + other[int(rng.random() * (len(other) + 1)) :]


def _lie(rng: Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    """Replace a number written in digits. The first one often, since it tends to be a size."""
    found = [match.span() for match in _NUMBER.finditer(data, 0, 200)]
    if not found:
        return data
    begin, end = found[0] if rng.random() < 0.3 else pick(rng, found)
    return data[:begin] + pick(rng, TEXTS) + data[end:]


def _digit(rng: Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    found = [match.start() for match in _NUMBER.finditer(data, 0, 200)]
    if not found:
        return data
    at = pick(rng, found)
    return data[:at] + b"%d" % int(rng.random() * 10) + data[at + 1 :]


_CHANGES = (_flip, _flip, _cut, _delete, _insert, _insert, _overwrite, _overwrite, _repeat, _splice, _lie, _lie, _digit)
