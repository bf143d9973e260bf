"""Words by Unicode's rules: the definition of `--tokenize words`. The compiled form is `kernel/text/separate.py`.

A line is folded (`fold`), and its words are what a regular expression, _WORD, matches in it, from left to right.

    fold     case folding by Unicode's table, for all languages alike: ß becomes ss, ς becomes σ, İ becomes i with a
             dot, and I becomes i, also in Turkish. The apostrophe ’ becomes '. Invisible characters are taken out, for
             example soft hyphens.
    words    by UAX #29, Unicode Text Segmentation: letters and digits with their marks, `don't`, `example.com`,
             `3.14`, `new_york`, not `well-known`. Scripts that write no spaces have one character to a word, except
             Katakana. Emoji are words.
    dropped  punctuation, symbols and spaces. The vectors of punctuation say little, and it would take the places of
             words in the windows. So do gensim's simple_preprocess, scikit-learn and the script that made text8.

Left out of UAX #29: a word of Hebrew does not end in an apostrophe (WB7a), a narrow space separates words, and a zero
width joiner joins pictures only (WB3c).

>>> words("King, queen! Don't pay €3.50 for a new_york Straße...")
['king', 'queen', "don't", 'pay', '3.50', 'for', 'a', 'new_york', 'strasse']
"""

import re
from functools import cache

import numpy as np

from pairloom.method.tokens.characters import N_CODES, Kind, characters

_KINDS = {
    "L": (Kind.LETTER, Kind.HEBREW),
    "H": (Kind.HEBREW,),
    "N": (Kind.NUMBER,),
    "K": (Kind.KATAKANA,),
    "J": (Kind.JOINER,),
    "M": (Kind.MARK, Kind.ZWJ),
    "ZWJ": (Kind.ZWJ,),
    "S": (Kind.SINGLE,),
    "P": (Kind.PICTURE,),
    "F": (Kind.FLAG,),
    "ML": (Kind.MID_LETTER, Kind.MID_BOTH),
    "MN": (Kind.MID_NUMBER, Kind.MID_BOTH),
    "MH": (Kind.MID_HEBREW,),
}

# Letters and digits: a mark may follow each, and between two of a kind one character that is neither.
_ALPHANUMERIC = "(?:{H}{M}*{MH}{M}*(?={H})|{L}{M}*(?:{ML}{M}*(?={L}))?|{N}{M}*(?:{MN}{M}*(?={N}))?)+"
_PART = f"(?:{_ALPHANUMERIC}|(?:{{K}}{{M}}*)+)"
_JOINERS = "(?:{J}{M}*)"
_WORD = (
    f"{_JOINERS}*{_PART}(?:{_JOINERS}+{_PART})*{_JOINERS}*"
    "|{P}{M}*(?:(?<={ZWJ}){P}{M}*)*"
    "|{F}{M}*(?:{F}{M}*)?"
    "|{S}{M}*"
)


def words(line: str) -> list[str]:
    """The words of a line."""
    return _word_pattern(line.isascii()).findall(fold(line))


def fold(text: str) -> str:
    """The text in one case, without invisible characters."""
    return text.lower() if text.isascii() else text.translate(characters().folds)


@cache
def _word_pattern(ascii_only: bool) -> re.Pattern[str]:
    """WORD for Python. The one for ASCII is several times as fast."""
    sets = {name: f"[{some}]" for name, some in _sets("\\U{:08x}", 0x80 if ascii_only else N_CODES).items()}
    return re.compile(_WORD.format(**sets))


def word_regex() -> str:
    """WORD for Oniguruma, the regular expressions of Hugging Face's tokenizers. Each set is spelt once, as a group."""
    sets = _sets("\\x{{{:x}}}", N_CODES)
    groups = "".join(f"(?<{name}>[{some}]){{0}}" for name, some in sets.items())
    return groups + _WORD.format(**{name: f"\\g<{name}>" for name in sets} | {"ZWJ": f"[{sets['ZWJ']}]"})


def ranges_of(*kinds: Kind) -> str:
    """The characters of some kinds, for the brackets of a regular expression of Python."""
    return _ranges("\\U{:08x}", kinds, N_CODES)


def _sets(code: str, end: int) -> dict[str, str]:
    """The characters of _WORD's sets as ranges for the brackets of a regular expression. `code` spells a character."""
    return {name: _ranges(code, kinds, end) for name, kinds in _KINDS.items()}


def _ranges(code: str, kinds: tuple[Kind, ...], end: int) -> str:
    """The characters before `end` of some kinds. `end` itself if there are none."""
    members = np.isin(characters().kinds[:end], kinds)
    edges = np.flatnonzero(np.diff(members, prepend=False, append=False)).reshape(-1, 2)
    return "".join(f"{code.format(first)}-{code.format(last - 1)}" for first, last in edges.tolist()) or code.format(
        end
    )
