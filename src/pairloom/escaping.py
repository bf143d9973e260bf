"""Words on a page. A vocabulary is hostile text: whoever wrote the corpus or the file of vectors chose every character.

html          for what stands between tags or in a quoted attribute
json_in_html  for values that a script of the page reads, and then shows by textContent

A word is never part of a script, a style or the scheme of a link: no escaping makes `javascript:` harmless there.
"""

import json
import re
from html import escape
from typing import Any

# What changes how the rest is shown without being seen. The joiners U+200C and U+200D stay as they are, since words of
# Persian and Hindi and many emoji are spelled with them.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # controls; ESC among them, with which a terminal obeys a word
    "\u00ad\u200b\u2060-\u2065\ufeff"  # no width
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # directions: marks, embeddings, overrides, isolates
    "\u2028\u2029"  # line ends for JavaScript
    "\ud800-\udfff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f]"  # halves of characters, annotations, tags
)
_TAGS = {ord(c): f"\\u{ord(c):04x}" for c in "<>&"}  # in JSON these occur only inside strings


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


def json_in_html(value: Any) -> str:
    r"""The value as JSON that can stand in <script type="application/json">: nothing in it ends the element.

    >>> print(json_in_html({"word": "</script>"}))
    {"word": "\u003c/script\u003e"}
    """
    return json.dumps(value, allow_nan=False).translate(
        _TAGS
    )  # all in ASCII, so U+2028 and half characters are escapes
