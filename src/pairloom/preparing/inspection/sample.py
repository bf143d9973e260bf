"""The beginning of a corpus, read as training would read it: lines, counts and scripts."""

import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from pairloom.corpus.kinds.corpus import Corpus
from pairloom.progress import OnProgress, ignore, reporter
from pairloom.types import Counts

SAMPLE_BYTES = 16 << 20  # as stored; a few tenths of a second
SHOWN_LINES, SHOWN_WORDS = 5, 10
_CHARACTERS = 1 << 17  # looked at for capitals
_WORDS = 50_000  # looked at for scripts, the most frequent ones
MIN_COUNTS = (1, 2, 5, 10, 20, 50)
# The first word of a character's name is its script, but for these.
_SCRIPTS = {"CJK": "Han", "IDEOGRAPHIC": "Han", "HALFWIDTH": "Katakana", "FULLWIDTH": "Latin", "MODIFIER": "Latin"}


@dataclass(kw_only=True)
class TextSample:
    """What was read. `whole`: all of the corpus."""

    bytes_read: int
    whole: bool
    lines: int = 0
    empty_lines: int = 0
    lines_of_one: int = 0  # lines of one word
    longest_line: int = 0  # words
    tokens: int = 0
    first: list[list[str]] = field(default_factory=list)  # the first lines that have words, each with its first words
    words: list[str] = field(default_factory=list)  # most frequent first
    counts: Counts = field(default_factory=lambda: np.zeros(0, np.int64))
    scripts: dict[str, float] = field(default_factory=dict)  # the share of letters
    capitals: float = 0.0  # the share of capitals among letters that have a case

    def kept(self, min_count: int) -> tuple[int, float]:
        """The words that occur at least `min_count` times, and their share of the tokens."""
        frequent = self.counts[self.counts >= min_count]
        return len(frequent), float(frequent.sum() / max(1, self.tokens))


def read_sample(corpus: Corpus, sample_bytes: int = SAMPLE_BYTES, on_progress: OnProgress = ignore) -> TextSample:
    """Read the first `sample_bytes` of a corpus, or all of it."""
    report = reporter("count", min(corpus.size_bytes or 0, sample_bytes), on_progress)
    sample = TextSample(bytes_read=0, whole=True)
    counter: Counter[str] = Counter()
    n_words = 0  # of the line so far, which may come in pieces
    for line in corpus.word_lines():
        if line.done > sample.bytes_read >= sample_bytes:
            sample.whole = False
            break
        sample.bytes_read = line.done
        report(min(line.done, sample_bytes))
        counter.update(line.words)
        n_words += len(line.words)
        if line.words and len(sample.first) < SHOWN_LINES:
            sample.first.append(list(islice(line.words, SHOWN_WORDS)))
        if not line.goes_on:
            _count_line(sample, n_words)
            n_words = 0
    ordered = sorted(counter.items(), key=lambda item: (-item[1], item[0]))
    sample.words = [word for word, _ in ordered]
    sample.counts = np.array([n for _, n in ordered], np.int64)
    sample.tokens = int(sample.counts.sum())
    return sample


def _count_line(sample: TextSample, n_words: int) -> None:
    sample.lines += 1
    sample.empty_lines += n_words == 0
    sample.lines_of_one += n_words == 1
    sample.longest_line = max(sample.longest_line, n_words)


def look_at_letters(sample: TextSample, beginning: str) -> None:
    """Note the scripts of the words, of all files, and how many letters of the text's beginning are capitals.

    Words may be in lower case already, so they do not show capitals.
    """
    letters: Counter[str] = Counter()
    for word, n in zip(sample.words[:_WORDS], sample.counts[:_WORDS].tolist(), strict=True):
        for letter in word:
            letters[letter] += n
    scripts: Counter[str] = Counter()
    for letter, n in letters.items():
        if letter.isalpha():
            scripts[script_of(letter)] += n
    sample.scripts = {script: n / scripts.total() for script, n in scripts.most_common()}
    cased = [letter for letter in beginning[:_CHARACTERS] if letter.lower() != letter.upper()]
    sample.capitals = sum(map(str.isupper, cased)) / max(1, len(cased))


def script_of(letter: str) -> str:
    """The script of a letter, by its name.

    >>> [script_of(letter) for letter in "aж語ひ"]
    ['Latin', 'Cyrillic', 'Han', 'Hiragana']
    """
    first = unicodedata.name(letter, "OTHER").split()[0]
    return _SCRIPTS.get(first, first.capitalize())
