"""Words on a page. A vocabulary is hostile text: whoever wrote the corpus or the file of vectors chose every character.

A word is never part of a script, a style or the scheme of a link: no escaping makes `javascript:` harmless there.
"""

import re
from html import escape

# What changes how the rest is shown without being seen. The joiners U+200C and U+200D stay as they are, since words of
# Persian and Hindi and many emoji are spelled with them.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # controls; ESC among them, with which a terminal obeys a word
    "\u00ad\u200b\u2060-\u2065\ufeff"  # no width
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # directions: marks, embeddings, overrides, isolates
    "\u2028\u2029"  # line ends for JavaScript
    "\ud800-\udfff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f]"  # halves of characters, annotations, tags
)


def visible(text: str) -> str:
    r"""The text with everything that is not seen written out as Python writes it.

    >>> print(visible("\u202egpj.exe"))
    \u202egpj.exe
    """
    return _UNSEEN.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def html(text: str) -> str:
    """The text between tags, or in an attribute within quotes.

    >>> html('<b title="x">')
    '&lt;b title=&quot;x&quot;&gt;'
    """
    return escape(visible(text))
