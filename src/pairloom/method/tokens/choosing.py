"""The function of each rule of `--tokenize`, from a line to its words."""

from collections.abc import Callable

from pairloom.method.tokens.icu import icu_words
from pairloom.method.tokens.words import words

RULES: dict[str, Callable[[str], list[str]]] = {"spaces": str.split, "words": words, "icu": icu_words}


def splitter(rule: str) -> Callable[[str], list[str]]:
    """The function that splits a line by a rule."""
    return RULES[rule]
