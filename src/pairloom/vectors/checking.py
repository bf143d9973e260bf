"""The checks of `Vectors`: words, numbers and counts that belong together, and the message for an unknown word."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from pairloom.errors import InputError, UnknownWordError
from pairloom.system.display import number_of, quoted
from pairloom.system.spelling import near_spellings


def checked_words(words: Iterable[str]) -> list[str]:
    """Words as a list. A single string is refused: as a list it would be its letters."""
    if isinstance(words, str) or not isinstance(words, Iterable):
        raise InputError(f"{quoted(words)} is not a list of words. Give a list of strings, one for each row.")
    return list(words)


def read_only(values: npt.ArrayLike, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """The values as a C-contiguous array that cannot be written to, copied only if they are not one already.

    Other libraries take rows to be contiguous: safetensors, for example, saves wrong numbers otherwise.
    """
    try:
        view = np.asarray(values, dtype=dtype, order="C").view()
        if np.dtype(dtype).kind == "i" and not np.array_equal(view, values):  # NumPy takes 1.5 for 1
            raise ValueError("not all are whole")
    except (TypeError, ValueError, OverflowError) as error:
        kind = "whole numbers" if np.dtype(dtype).kind == "i" else "numbers"
        raise InputError(f"Vectors and counts are made of numbers, and these are not {kind}: {error}.") from None
    view.flags.writeable = False
    return view


def row_of_each_word(words: list[str]) -> dict[str, int]:
    """The row of each word. Empty and repeated words are refused."""
    index = {word: row for row, word in enumerate(words)}
    if "" in index:
        raise InputError(f"Row {index['']} belongs to an empty word. Give every row a word.")
    for row, word in enumerate(words) if len(index) < len(words) else ():
        if index[word] != row:
            again = words.index(word, row + 1)
            raise InputError(f"Rows {row} and {again} both belong to {quoted(word)}. Give every word one row.")
    return index


def unknown_word(word: object, key_to_index: Mapping[str, int]) -> UnknownWordError:
    """The error for a word that has no row, with the words that were probably meant."""
    if not key_to_index:
        return UnknownWordError(
            f"{quoted(word)} cannot be looked up: there are no vectors here. Files of other programs hold no contexts."
        )
    message = f"{quoted(word)} is not among the {number_of(len(key_to_index), 'word')} of these vectors."
    near = near_spellings(word, key_to_index) if isinstance(word, str) else []
    if near:
        return UnknownWordError(f"{message} Did you mean {' or '.join(map(quoted, near))}?")
    return UnknownWordError(f"{message} Words that are rare in a corpus (min_count) get no vector.")
