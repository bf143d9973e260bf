"""Amounts as people write them: `1T` tokens, a network of `10Gb`."""

import re

from pairloom.config import is_number, is_whole
from pairloom.errors import ConfigError

_THOUSANDS = {"": 0, "K": 1, "M": 2, "B": 3, "G": 3, "T": 4}
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)([KMBGT]?)", re.ASCII | re.IGNORECASE)
_NETWORK = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(b|B)(?:it)?(?:ps|/s)?", re.ASCII)
_LONGEST = 40  # characters


def checked_amount(name: str, value: object, low: int, high: int, advice: str) -> int:
    """A whole number from low to high, or text for one: 5000, 2M (10^6), 1B or 1G (10^9), 1T (10^12).

    >>> checked_amount("tokens", "1.5M", 2, 10**15, ""), checked_amount("tokens", 7, 2, 10**15, "")
    (1500000, 7)
    """
    amount = _parsed(value) if isinstance(value, str) else value
    if not is_whole(amount):
        raise ConfigError(f"{name}={value!r} is not a number. Use a whole number, or 2M, 1B or 1T; {advice}.")
    if not low <= amount <= high:  # type: ignore[operator]  # a whole number
        raise ConfigError(f"{name}={value} is out of range. Use {low:,} to {high:,}; {advice}.")
    return int(amount)  # type: ignore[call-overload, no-any-return]


def _parsed(text: str) -> int | None:
    match = _AMOUNT.fullmatch(text) if len(text) <= _LONGEST else None
    return round(float(match[1]) * 1000 ** _THOUSANDS[match[2].upper()]) if match else None


def checked_network(network: object) -> float:
    """Bytes a second that a worker receives, from bits (10Gb) or bytes (1.25GB) a second; a number is bits.

    >>> checked_network("10Gb"), checked_network("1.25GB/s"), checked_network(8e9)
    (1250000000.0, 1250000000.0, 1000000000.0)
    """
    bits = network
    if isinstance(network, str):
        match = _NETWORK.fullmatch(network.strip()) if len(network) <= _LONGEST else None
        unit = (8 if match[3] == "B" else 1) * 1000 ** _THOUSANDS[match[2]] if match else 0
        bits = float(match[1]) * unit if match else None
    if not is_number(bits):
        raise ConfigError(
            f"network={network!r} is not the speed of a network. Use bits a second, for example 10Gb, or bytes, 1.25GB."
        )
    if not 1e6 <= bits <= 1e15:  # type: ignore[operator]  # a number
        raise ConfigError(f"network={network} is out of range. Use 1Mb to 1000Tb; 10Gb is usual.")
    return float(bits) / 8  # type: ignore[arg-type]
