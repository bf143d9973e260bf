"""gensim.utils: the functions that scripts for Word2Vec use."""

import re
import unicodedata
from typing import Final

RULE_DEFAULT: Final = 0  # what a trim_rule returns: leave it to min_count,
RULE_DISCARD: Final = 1  # leave the word out,
RULE_KEEP: Final = 2  # or keep it

_LETTERS = re.compile(r"[^\W\d]+")  # letters and underscores


def simple_preprocess(doc: str, deacc: bool = False, min_len: int = 2, max_len: int = 15) -> list[str]:
    """The words of a document: runs of letters, in lower case, of min_len to max_len letters.

    deacc: remove accents. Words that begin with an underscore are left out, as in gensim.

    >>> simple_preprocess("Résumés, 2 of_them!", deacc=True)
    ['resumes', 'of_them']
    """
    text = _without_accents(doc.lower()) if deacc else doc.lower()
    words = _LETTERS.findall(text)
    return [word for word in words if min_len <= len(word) <= max_len and not word.startswith("_")]


def _without_accents(text: str) -> str:
    parts = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", "".join(part for part in parts if unicodedata.category(part) != "Mn"))
