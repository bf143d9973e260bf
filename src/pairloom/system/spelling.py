"""What somebody may have meant by a word that is not there."""

import difflib
from collections.abc import Iterator, Mapping

_FREQUENT = 20_000  # words, from the first row on, that are compared letter by letter with a misspelt one


def quoted(thing: object) -> str:
    """repr, which keeps a word with line breaks on one line; cut where it is long."""
    text = repr(thing)
    return text if len(text) <= 80 else f"{text[:60]}... ({len(text):,} characters)"


def near_spellings(word: str, index: Mapping[str, int]) -> list[str]:
    """At most two known words that one may have meant, the likeliest first, the more frequent first among equals.

    difflib would need seconds for a million words. It sees only those that one mistake or another case of the
    letters makes of `word`, found by looking them up, and the frequent words of nearly its length.
    """
    if not 1 < len(word) <= 40:
        return []
    frequent = [known for known, _ in zip(index, range(_FREQUENT), strict=False)]
    alphabet = {letter for known in frequent[:1000] for letter in known[:20]}
    likely = [known for known in _one_mistake_away(word, alphabet) if known in index]
    likely += [known for known in frequent if abs(len(known) - len(word)) <= 2]
    close = difflib.get_close_matches(word, dict.fromkeys(likely), n=100, cutoff=0.6)
    in_another_case = [known for known in (word.lower(), word.capitalize(), word.upper()) if known in index]
    close.sort(key=lambda known: (-difflib.SequenceMatcher(None, known, word).ratio(), index[known]))
    return list(dict.fromkeys(in_another_case + close))[:2]


def _one_mistake_away(word: str, alphabet: set[str]) -> Iterator[str]:
    """Every spelling with one letter left out, put in, put for another, or two neighbours swapped."""
    for i in range(len(word) + 1):
        before, after = word[:i], word[i:]
        yield before + after[1:]
        yield before + after[1:2] + after[:1] + after[2:]
        for letter in alphabet:
            yield before + letter + after
            yield before + letter + after[1:]
