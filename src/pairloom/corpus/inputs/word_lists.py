"""Lists of words from Python: checked, and as text for the kernels.

Most words have no white space in them. Joined by spaces, they are text that the kernels read on all threads, many times
as fast as Python could count them:

    [["the", "cat"], ["sat"]]  ->  b"the cat\\nsat\\n"

Lists with other words, for example "New York", stay lists, and Python counts them.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.config import MAX_WORD_BYTES
from pairloom.errors import CorpusTypeError
from pairloom.system.display import of_type, quoted

WORDS_PER_BLOCK = 1 << 17  # about a megabyte of text

_SPACES = [chr(code) for code in range(0x3001) if chr(code).isspace() and chr(code) not in " \n"]
_ASCII_SPACES = [space for space in _SPACES if space.isascii()]


class WordLine(NamedTuple):
    """The words of a line. A line too long for memory comes as several of these."""

    words: list[str]
    too_long: int  # words left out because they are longer than MAX_WORD_BYTES
    goes_on: bool  # whether the next WordLine continues this line
    done: int  # bytes of the corpus read so far


class WordBlock(NamedTuple):
    """Some lines of words, either as text or as lists."""

    data: npt.NDArray[np.uint8] | None  # UTF-8: a space between words, LF after each line. None if there are lists
    lines: Sequence[Sequence[str]]
    too_long: int  # words left out of the lists. (The kernels leave them out of the text.)
    goes_on: bool  # whether the next block continues the last line
    done: int  # bytes of the corpus read so far


def blocks_of(lines: Iterable[WordLine]) -> Iterator[WordBlock]:
    """Lines gathered into blocks. A line that goes on ends its block."""
    some: list[list[str]] = []
    size = too_long = 0
    for words, left_out, goes_on, done in lines:
        some.append(words)
        size, too_long = size + len(words) + 1, too_long + left_out
        if goes_on or size >= WORDS_PER_BLOCK:
            yield word_block(some, map(" ".join, some), goes_on, done, too_long)
            some, size, too_long = [], 0, 0
    if some:
        yield word_block(some, map(" ".join, some), False, done, too_long)


def word_block(
    lines: Sequence[list[str]], texts: Iterable[str], goes_on: bool = False, done: int = 0, too_long: int = 0
) -> WordBlock:
    """The block of these lines, whose words have been checked.

    texts: the words of each line, joined by spaces. too_long: words that have been left out.
    """
    text = "\n".join(texts) + (" " if goes_on else "\n")
    if _has_separators_only(text, lines, goes_on):
        return WordBlock(np.frombuffer(text.encode(), np.uint8), (), too_long, goes_on, done)
    short = [short_enough(words) for words in lines]
    too_long += sum(left_out for _, left_out in short)
    return WordBlock(None, [words for words, _ in short], too_long, goes_on, done)


def _has_separators_only(text: str, lines: Sequence[Sequence[str]], goes_on: bool) -> bool:
    """Whether all white space of the text separates words or lines: none is in a word, where it would be one more."""
    n_spaces = sum(len(words) - 1 for words in lines if words) + goes_on
    if text.count(" ") != n_spaces or text.count("\n") != max(1, len(lines)) - goes_on:
        return False
    return not any(space in text for space in (_ASCII_SPACES if text.isascii() else _SPACES))


def quickly_joined(sentence: object) -> tuple[list[str], str] | None:
    """A copy of a sentence, and its words joined by spaces. None if `checked_sentence` has to look closer."""
    if not isinstance(sentence, list | tuple):
        return None
    try:
        words = list(sentence)
        text = " ".join(words)
        text.encode()  # fails for half a character
    except (TypeError, UnicodeEncodeError):
        return None
    # An empty word shows as a space too many.
    doubtful = "  " in text or text[:1] == " " or text[-1:] == " " or (not text and len(words) > 0)
    return None if doubtful else (words, text)


def checked_sentence(sentence: object, where: Callable[[], str]) -> list[str]:
    """The sentence as a list. Raises CorpusTypeError unless it is a list or tuple of non-empty strings."""
    if isinstance(sentence, str):
        raise CorpusTypeError(
            f"A sentence must be a list of words, but {where()} is the string {quoted(sentence)}. Use .split() on it."
        )
    if not isinstance(sentence, list | tuple):
        raise CorpusTypeError(
            f"A sentence must be a list of words, but {where()} is {of_type(sentence)}. Use list() on it."
        )
    words = list(sentence)
    try:
        " ".join(words).encode()  # one call that fails for everything but well-formed strings
    except (TypeError, UnicodeEncodeError):
        raise _bad_word(words, where()) from None
    if "" in words:
        raise _bad_word(words, where())
    return words


def _bad_word(words: list[Any], where: str) -> CorpusTypeError:
    """The error for the first item that is not a word."""
    number, word = next((n, word) for n, word in enumerate(words) if not is_word(word))
    return not_a_word_error(word, f"{where}[{number}]")


def not_a_word_error(word: object, at: str) -> CorpusTypeError:
    """The error for an item that is not a word. `at` names its place."""
    if isinstance(word, bytes):
        return CorpusTypeError(f"{at} is {quoted(word)}, of type bytes. Words are strings: use word.decode().")
    if not isinstance(word, str):
        return CorpusTypeError(f"{at} is {quoted(word)}, of type {type(word).__name__}. Words are strings: use str().")
    if not word:
        return CorpusTypeError(f"{at} is an empty string. Leave empty words out: [w for w in words if w].")
    return CorpusTypeError(f"{at} is {quoted(word)}, which is half a character. Decode the text with errors='replace'.")


def is_word(word: object) -> bool:
    """Whether this is a non-empty string of whole characters."""
    try:
        return isinstance(word, str) and word.encode() != b""
    except UnicodeEncodeError:
        return False


def short_enough(words: list[str]) -> tuple[list[str], int]:
    """The words of at most MAX_WORD_BYTES bytes, and the number of words left out."""
    if len(max(words, key=len, default="")) <= MAX_WORD_BYTES // 4:  # no character takes more than 4 bytes
        return words, 0
    short = [word for word in words if len(word.encode()) <= MAX_WORD_BYTES]
    return short, len(words) - len(short)
