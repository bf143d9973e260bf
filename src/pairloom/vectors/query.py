"""What was asked: a query as a list of words and vectors, each with what it counts."""

import math
from collections.abc import Iterable, Sequence, Sized
from typing import Any

import numpy as np
import numpy.typing as npt

from pairloom.config import is_number
from pairloom.errors import InputError
from pairloom.types import Float64s

Item = str | npt.NDArray[np.floating]
Items = Item | Sequence[Item]
Query = Item | tuple[Item, float] | Sequence[Item | tuple[Item, float]]


def listed(query: object) -> list[object]:
    """A query as a list of words, arrays and (either, weight); what else is in it is refused later, by name."""
    if isinstance(query, str) or not isinstance(query, Iterable) or _is_weighted(query):
        return [query]
    if hasattr(query, "__array__"):
        array = np.asarray(query)
        return [array] if array.ndim == 0 or (array.ndim == 1 and array.dtype.kind in "fiu") else list(array)
    return [np.asarray(item) if hasattr(item, "__array__") and not isinstance(item, str) else item for item in query]


def _is_weighted(item: object) -> bool:
    return isinstance(item, tuple) and len(item) == 2 and isinstance(item[1], int | float | np.number)


def unzipped(
    asked: list[object], refused: list[object], weights: Sequence[float] | None
) -> tuple[list[object], list[float]]:
    """Items and what each counts; those of `refused` count as minus their weight."""
    both = asked + refused
    items = [item[0] if _is_weighted(item) else item for item in both]  # type: ignore[index]
    own = [float(item[1]) if _is_weighted(item) else 1.0 for item in both]  # type: ignore[index]
    signs = [1.0] * len(asked) + [-1.0] * len(refused)
    given = amounts(weights, len(both))
    return items, [a * b * c for a, b, c in zip(own, signs, given, strict=True)]


def amounts(weights: Sequence[float] | None, n: int) -> list[float]:
    """n weights, 1 each unless they are given."""
    if weights is None:
        return [1.0] * n
    if not isinstance(weights, Sized) or len(weights) != n:
        number = len(weights) if isinstance(weights, Sized) else "no"
        raise InputError(f"{number} weights for {n} words and vectors. Give one weight for each.")
    for weight in weights:
        if not is_number(weight):
            raise InputError(f"The weight {weight!r:.60} is not a number. Give finite numbers.")
    return [float(weight) for weight in weights]


def unit(vector: npt.NDArray[Any]) -> Float64s:
    """The vector at length 1; zero stays zero."""
    wide = vector.astype(np.float64)
    length = norm(wide)
    return wide / length if length else wide


def norm(vector: Float64s) -> float:
    """Euclidean length, summed by NumPy: BLAS would sum in another order on another machine."""
    with np.errstate(over="ignore", invalid="ignore"):
        length = math.sqrt((vector * vector).sum())
    if not math.isfinite(length):
        raise InputError("The query vector holds NaN, infinity or numbers too large. Give finite numbers.")
    return length


def cosine(a: Float64s, b: Float64s) -> float:
    """Of unit vectors; rounding must not lead out of [-1, 1]."""
    return float(np.clip((a * b).sum(), -1.0, 1.0))
