"""What looks wrong with a text, with what to do about it. Each is told by shares of a sample."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from pairloom.config import TextOptions
from pairloom.corpus.plain_text import OtherFormat
from pairloom.method.tokens.unsegmented import unspaced
from pairloom.preparing.inspection.sample import TextSample

_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,100}>|&(?:amp|lt|gt|quot|nbsp|#\d+);|\[\[|\{\{|\]\(http")
_TAGS_PER_WORD = 0.01
_PUNCTUATED = re.compile(r"[.,;:!?\"”»)]$|^[\"“«(]")
_SOME, _MANY, _HALF, _MOST = 0.03, 0.3, 0.5, 0.9
_GIANT = 5  # times max_sentence
_FEW_LINES = 3
_SHOWN = 3  # files of other formats
FOR_ITEMS = "--preset items"


class Oddity(NamedTuple):
    """What looks wrong, what to do, and the options that do it."""

    what: str
    advice: str
    options: tuple[str, ...] = ()


def findings(
    sample: TextSample, text: str, options: TextOptions, others: Sequence[tuple[str, OtherFormat]], *, n_files: int
) -> Iterator[Oddity]:
    """All that looks wrong. text: some of the text as it is in the files. n_files: of all files.

    others: the files that are not plain text, and their formats. Then nothing else is said: keys and tags are no words.
    """
    for name, other in others[:_SHOWN]:
        what = f"{'It' if n_files == 1 else name} is {other.name}, not plain text. To read it as it is, use --as-text."
        yield Oddity(
            what, other.advice if len(others) == n_files else "Leave it out: all files of a training have one format."
        )
    if others:
        return
    if sample.tokens == 0:
        yield Oddity("It has no words.", "Give a text with one sentence or paragraph per line.")
    else:
        yield from _in_plain_text(sample, text, options)


def _in_plain_text(sample: TextSample, text: str, options: TextOptions) -> Iterator[Oddity]:
    yield from _about_words(sample, text, options)
    yield from _about_lines(sample, options, unspaced(text).is_doubtful and options.rule == "spaces")
    tags = _TAG.findall(text)
    if len(tags) > _TAGS_PER_WORD * len(text.split()):
        yield Oddity(f"It has markup, for example {tags[0]!r}.", "Remove it first.")


def _about_words(sample: TextSample, text: str, options: TextOptions) -> Iterator[Oddity]:
    found = unspaced(text)
    if options.rule in ("spaces", "words") and (found.is_doubtful if options.rule == "spaces" else found.has_some):
        yield Oddity(
            "Part of it is in a language that writes no spaces between words.",
            "Find words with --tokenize icu, after: pip install 'pairloom[icu]'",
            ("--tokenize icu",),
        )
    elif options.rule == "spaces" and _share(sample, _has_punctuation) > _SOME:
        example = next(word for word in sample.words if _has_punctuation(word))
        yield Oddity(
            f"Punctuation is part of words, for example {example!r}.",
            "Take it off with --tokenize words.",
            ("--tokenize words",),
        )
    if options.item is None:
        yield from _about_numbers(_share(sample, _has_no_letter))
    if sample.capitals > _HALF and options.rule in ("spaces", "function") and not options.lowercase:
        yield Oddity("Most letters are capitals.", "Fold them with --lowercase.", ("--lowercase",))


def _about_numbers(share: float) -> Iterator[Oddity]:
    """share: of words without a letter."""
    if share > _MOST:
        yield Oddity(
            "Nearly all words are numbers, as items of sessions and nodes of walks are.",
            f"If they are items, train with {FOR_ITEMS}, if nodes, with --preset graph. If they should be words, "
            "check that this is the right file or column.",
            (FOR_ITEMS,),
        )
    elif share > _MANY:
        yield Oddity("Many words have no letter: numbers, signs.", "Check that this is the right file or column.")


def _about_lines(sample: TextSample, options: TextOptions, unsegmented: bool) -> Iterator[Oddity]:
    with_words = sample.lines - sample.empty_lines
    if with_words <= _FEW_LINES and sample.longest_line > _GIANT * options.max_sentence:
        yield Oddity(
            f"One line has {sample.longest_line:,} words. It is cut after every {options.max_sentence:,}.",
            "Put a sentence or a paragraph on each line if you can.",
        )
    if not unsegmented and sample.lines_of_one > _MOST * with_words:
        yield Oddity(
            "Nearly all lines have a single word, which has no context to learn from.",
            "Put sentences on lines, not words.",
        )


def _share(sample: TextSample, is_odd: Callable[[str], bool]) -> float:
    """The share of tokens for which a function is true."""
    odd = sum(n for word, n in zip(sample.words, sample.counts.tolist(), strict=True) if is_odd(word))
    return float(odd / max(1, sample.tokens))


def _has_punctuation(word: str) -> bool:
    return len(word) > 1 and _PUNCTUATED.search(word) is not None


def _has_no_letter(word: str) -> bool:
    return not any(map(str.isalpha, word))
