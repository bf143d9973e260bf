"""The file tokenizer.json of Hugging Face's tokenizers, which splits text into words as for training.

    spaces   white space separates words
    words    `method/tokens/words.py`: its foldings as replacements, and its regular expression
    icu      as words, since the library has no dictionaries: in scripts without spaces only words of one character are
             found. Other text is split in the same way

The library has a step for lower case, but none for case folding, so characters whose folding is another are replaced
first. Of these only the ones that lead to a known word are written.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pairloom.method.tokens.characters import characters
from pairloom.method.tokens.words import word_regex

UNKNOWN = "[UNK]"  # the token for words outside of the vocabulary


def tokenizer_json(words: list[str], text: Mapping[str, Any]) -> dict[str, Any]:
    """The content of the file for the words of a vocabulary. text: the record of how the text was read."""
    by_spaces = text.get("tokenize") not in ("words", "icu")
    vocab = {word: row for row, word in enumerate([*words, UNKNOWN])}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": _lowercase(text) if by_spaces else _folding(words),
        "pre_tokenizer": {"type": "WhitespaceSplit"} if by_spaces else _word_splitter(),
        "post_processor": None,
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": vocab, "unk_token": UNKNOWN},
    }


def described(text: Mapping[str, Any]) -> str:
    """What words are, for people."""
    if text.get("tokenize") in ("words", "icu"):
        return "those of Unicode (UAX #29), in lower case and without punctuation"
    folded = ", in lower case" if text.get("lowercase") else ""
    return f"what white space separates{folded}"


def _lowercase(text: Mapping[str, Any]) -> dict[str, Any] | None:
    return {"type": "Lowercase"} if text.get("lowercase") else None


def _word_splitter() -> dict[str, Any]:
    """Take what the expression matches, and remove all else."""
    return {"type": "Split", "pattern": {"Regex": word_regex()}, "behavior": "Removed", "invert": True}


def _folding(words: Iterable[str]) -> dict[str, Any]:
    replaced = [
        {"type": "Replace", "pattern": {"String": old}, "content": new} for old, new in _replacements("\n".join(words))
    ]
    removed = {"type": "Replace", "pattern": {"Regex": f"[{_removed()}]"}, "content": ""}
    return {"type": "Sequence", "normalizers": [*replaced, removed, {"type": "Lowercase"}]}


def _replacements(spelt: str) -> Iterator[tuple[str, str]]:
    """Characters whose folding is not their lower case, with the folding, if it is part of a word.

    If the folding does not change in lower case, replacing comes before the step for it. (Cherokee does: it is folded
    to capitals. It is left as it is.)
    """
    for code, folded in characters().folds.items():
        if folded not in ("", chr(code).lower()) and folded == folded.lower() and folded in spelt:
            yield chr(code), folded


def _removed() -> str:
    """The invisible characters, for the brackets of a regular expression."""
    return "".join(f"\\x{{{code:x}}}" for code, folded in characters().folds.items() if folded == "")
