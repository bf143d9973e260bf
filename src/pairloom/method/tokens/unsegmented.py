"""Recognise text in a script that writes no spaces between words: Chinese, Japanese, Thai, Khmer, Lao, Burmese.

White space then separates sentences, or clauses, and each would be a word of its own. Only letters of these scripts
count, so long words of other scripts are no sign of it: German compounds, addresses of web pages, base64, DNA. Text
that was segmented before has words of 1 to 4 letters of these scripts, and hardly one of LONG.
"""

import re
from functools import cache
from typing import NamedTuple

from pairloom.method.tokens.characters import Kind
from pairloom.method.tokens.words import ranges_of

LONG = 8  # letters of such a script in one word
_FEWEST = 100  # letters of such a script; fewer show nothing
_SAMPLE = 1 << 16  # characters to look at
_SOME, _NEARLY_ALL = 0.1, 0.9


class Unspaced(NamedTuple):
    """How much of a text is in scripts that write no spaces."""

    letters: float  # the share of characters, without white space
    in_long_words: float  # the share of characters in words with LONG or more of these letters
    long_words: float  # the share of these words among all words

    @property
    def is_doubtful(self) -> bool:
        """Whether a good part of the text seems to be unsegmented."""
        return self.in_long_words >= _SOME

    @property
    def is_certain(self) -> bool:
        """Whether nearly all words are clauses or sentences."""
        return self.long_words >= _NEARLY_ALL

    @property
    def has_some(self) -> bool:
        """Whether a good part of the text is in such scripts."""
        return self.letters >= _SOME


def unspaced(text: str) -> Unspaced:
    """How much of the beginning of a text is in scripts that write no spaces."""
    words = text[:_SAMPLE].split()
    if text.isascii():
        return Unspaced(0.0, 0.0, 0.0)
    lengths = [len(_letter().findall(word)) for word in words]
    n_letters, total = sum(lengths), sum(map(len, words))
    if n_letters < _FEWEST:
        return Unspaced(n_letters / max(1, total), 0.0, 0.0)
    long = [word for word, n in zip(words, lengths, strict=True) if n >= LONG]
    return Unspaced(n_letters / total, sum(map(len, long)) / total, len(long) / len(words))


@cache
def _letter() -> re.Pattern[str]:
    return re.compile(f"[{ranges_of(Kind.SINGLE, Kind.KATAKANA)}]")
