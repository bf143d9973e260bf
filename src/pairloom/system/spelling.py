"""Suggestions for misspelt words."""

import difflib
from collections.abc import Iterator, Mapping

_FREQUENT = 20_000  # the first rows: the words that are compared letter by letter with a misspelt one


def near_spellings(word: str, index: Mapping[str, int]) -> list[str]:
    """At most two known words that the user may have meant, best match first, then the more frequent first.

    difflib would need seconds for a million words. So it compares only two groups: known words that differ from `word`
    by one mistake or by case, which are found by lookup, and frequent words of nearly the same length.
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
    """All spellings with one letter missing, added or replaced, or with two neighbours swapped."""
    for i in range(len(word) + 1):
        before, after = word[:i], word[i:]
        yield before + after[1:]
        yield before + after[1:2] + after[:1] + after[2:]
        for letter in alphabet:
            yield before + letter + after
            yield before + letter + after[1:]
