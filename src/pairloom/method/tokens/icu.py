"""Words by ICU: the definition of `--tokenize icu`, for languages that write no spaces between words.

ICU follows UAX #29 too, and finds words of Chinese, Japanese, Thai, Khmer, Lao and Burmese by dictionaries. Text is
folded first and all but words is dropped, as in `words.py`. ICU's dictionaries change with its versions, so the words
of these languages depend on the installed one.

The package is icu4py, which has wheels with ICU inside. PyICU must be compiled against the ICU of the system.
"""

import re
from functools import cache
from typing import Any

from pairloom.method.tokens.characters import Kind
from pairloom.method.tokens.words import fold, ranges_of
from pairloom.system.extras import need

_SOLID = (Kind.LETTER, Kind.HEBREW, Kind.NUMBER, Kind.KATAKANA, Kind.SINGLE, Kind.PICTURE, Kind.FLAG)
_ROOT = "und"  # the rules that hold for all languages; the dictionaries are chosen by script


def icu_words(line: str) -> list[str]:
    """The words of a line."""
    solid = _solid().search
    return [segment for segment in _icu("icu4py.breakers").WordBreaker(fold(line), _ROOT) if solid(segment)]


def icu_version() -> str:
    """The version of ICU, on which words depend. Raises a MissingExtraError if it is not installed."""
    return str(_icu("icu4py").icu_version)


@cache
def _icu(module: str) -> Any:
    return need(module, "icu", "tokenize=icu")


@cache
def _solid() -> re.Pattern[str]:
    """Finds what makes a word of a segment: all but marks, joiners and punctuation."""
    return re.compile(f"[{ranges_of(*_SOLID)}]")
