"""Words, values and sizes as people see them, in messages and on pages.

A vocabulary is untrusted text: every character was chosen by the author of the corpus or of the file of vectors. So
never put a word into a script, a style or the scheme of a link: no escaping makes `javascript:` harmless there.
"""

import re
import reprlib
from typing import Literal

_LONGEST = 80  # characters of a value in a message

_short = reprlib.Repr()
_short.maxstring = _short.maxlong = _short.maxother = _LONGEST
_short.maxlist = _short.maxtuple = _short.maxset = _short.maxfrozenset = _short.maxdict = 12
_short.maxlevel = 3

# Characters that change how the text around them is displayed, and are invisible themselves. The joiners U+200C and
# U+200D are not in this list: words of Persian and Hindi and many emoji are spelled with them.
_INVISIBLE = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # controls, among them ESC, which starts commands to a terminal
    "\u00ad\u200b\u2060-\u2065\ufeff"  # no width
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # directions: marks, embeddings, overrides, isolates
    "\u2028\u2029"  # line ends for JavaScript
    "\ud800-\udfff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f]"  # halves of characters, annotations, tags
)


def quoted(value: object) -> str:
    """repr(value) for a message: on one line, with the middle left out if it is long.

    >>> print(quoted("king\\n"), quoted(["a"] * 1000))
    'king\\n' ['a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', ...]
    >>> len(quoted("a" * 1000))
    80
    """
    text = _short.repr(value).replace("\n", " ")  # NumPy prints arrays on several lines
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def number_of(n: int, noun: str) -> str:
    """A number of things.

    >>> number_of(1, "word"), number_of(1234, "word"), number_of(2, "class"), number_of(0, "entry")
    ('1 word', '1,234 words', '2 classes', '0 entries')
    """
    if n == 1:
        return f"1 {noun}"
    plural = f"{noun[:-1]}ies" if noun.endswith("ry") else f"{noun}es" if noun.endswith("ss") else f"{noun}s"
    return f"{n:,} {plural}"


def of_type(value: object, article: Literal["a", "A"] = "a") -> str:
    """The type of a value, with its article.

    >>> of_type([]), of_type(5), of_type(5, "A")
    ('a list', 'an int', 'An int')
    """
    name = type(value).__name__
    return f"{article}{'n' if name[0] in 'AEIOaeio' else ''} {name}"  # not U, as in UserDict


def visible(text: str) -> str:
    r"""The text with invisible characters replaced by Python's escape sequences.

    >>> print(visible("\u202egpj.exe"))
    \u202egpj.exe
    """
    return _INVISIBLE.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def html(text: str) -> str:
    """The text escaped for use between HTML tags, or in a quoted attribute.

    >>> html('<b title="x">')
    '&lt;b title=&quot;x&quot;&gt;'
    """
    from html import escape

    return escape(visible(text))


def format_bytes(size: float) -> str:
    """A number of bytes in MB, GB or more (10^6, 10^9, ... bytes).

    >>> format_bytes(12_345), format_bytes(1_234_567), format_bytes(32_000_000_000), format_bytes(5e15)
    ('0.0 MB', '1.2 MB', '32.0 GB', '5.0 PB')
    """
    for unit, name in ((1e15, "PB"), (1e12, "TB"), (1e9, "GB")):
        if size >= unit:
            return f"{size / unit:,.1f} {name}"
    return f"{size / 1e6:,.1f} MB"


def format_seconds(seconds: float) -> str:
    """A time in the unit in which people would say it.

    >>> [format_seconds(s) for s in (0.04, 75, 5000, 90_000, 1e6, 1e9)]
    ['0.0 s', '75 s', '83 min', '25 h', '11.6 days', '31.7 years']
    """
    for longest, unit, name in ((10, 1, ".1f s"), (120, 1, ".0f s"), (7200, 60, ".0f min"), (172_800, 3600, ".0f h")):
        if seconds < longest:
            digits, noun = name.split()
            return f"{seconds / unit:{digits}} {noun}"
    days = seconds / 86_400
    return f"{days:,.1f} days" if days < 730 else f"{days / 365.25:,.1f} years"
