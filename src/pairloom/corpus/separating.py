"""Text in which white space separates the words, whatever rule of `--tokenize` finds them.

The kernels read words at white space. For the other rules a block of text is rewritten first: its words are folded and
separated by one space, its lines end where they ended, and all else is gone.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from pairloom.config import TextOptions
from pairloom.method.tokens.characters import characters
from pairloom.method.tokens.choosing import splitter

Bytes = npt.NDArray[np.uint8]


def separator(text: TextOptions) -> Callable[[Bytes], Bytes]:
    """The function that rewrites a block of UTF-8. Any thread may call it."""
    if text.rule == "words":
        from pairloom.kernel.text.separate import separate

        return separate
    return _by_icu if text.rule == "icu" else lambda data: data


def _by_icu(data: Bytes) -> Bytes:
    split = splitter("icu")
    lines = data.tobytes().decode().split("\n")
    spaced = ("".join(f"{word} " for word in split(line)) for line in lines)
    return np.frombuffer("\n".join(spaced).encode(), np.uint8)


def rule_version(text: TextOptions) -> list[str]:
    """What the words of a rule depend on, besides the text. Empty for white space."""
    if text.rule == "words":
        return ["words", characters().version]
    if text.rule == "icu":
        from pairloom.method.tokens.icu import icu_version

        return ["icu", characters().version, icu_version()]
    return []
