"""Bad grammar in messages: plurals of one, articles, brackets, quotes and full stops."""

import re
from collections.abc import Iterator

_QUOTED = re.compile(r"(?<!\w)b?'(?:[^'\\]|\\.)*'(?!\w)|(?<!\w)b?\"(?:[^\"\\]|\\.)*\"(?!\w)|`[^`]*`")  # as repr quotes
_PATTERNS = {
    "a plural of one": re.compile(
        r"(?<![-\d.,])1 (?!is |less |means )(?:\w+ )?"
        r"(?:words|times|lines|rows|files|pairs|contexts|bytes|numbers|counts|classes|columns|fields|values|weights|items"
        r"|letters|phrases|nodes|entries|questions|steps|epochs|characters|places|queries|parts)\b"
    ),
    "a before a vowel": re.compile(r"\b[Aa] (?=[aeiou])(?!one\b|u[tns]|eu)"),
    "an before a consonant": re.compile(r"\b[Aa]n (?=[bcdfgjkpqtvwyz])"),
    "two full stops": re.compile(r"[.?!][.](?![./\w])(?<!\.\.\.)"),
    "two spaces": re.compile("  "),
    "a space before a full stop": re.compile(r" [.,;](?=\s|$)"),
}
_BRACKETS = ("()", "[]", "{}")


def faults(message: str) -> Iterator[str]:
    """What is wrong with the grammar of a message.

    >>> list(faults("'a.txt' has 1 words, not a int (why?."))
    ['a plural of one', 'a before a vowel', 'two full stops', '( without )']
    """
    said = _QUOTED.sub("it", message)  # what a user wrote is not ours to correct
    for fault, pattern in _PATTERNS.items():
        if pattern.search(said):
            yield fault
    for opening, closing in _BRACKETS:
        if said.count(opening) != said.count(closing):
            yield f"{opening} without {closing}"
    if said.count('"') % 2 or re.search(r"(?:^|[ (=])'", said):
        yield "a quote without its other half"
    if not re.search(r"[.?!]$|(?:like|example|See|with|word|holds|resume): [^:]+$", said):  # or something to type
        yield "no full stop"
