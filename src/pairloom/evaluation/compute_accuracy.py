"""What word2vec's compute-accuracy prints, for whoever compares numbers with it or has scripts that read them.

It differs from `analogies` in small things:
- questions are read as a stream of words, four by four; a lone ":" begins a section and the next word is its name;
- only the letters a to z are folded; every row stays, and rows that fold to a word of the question may be the answer;
- an answer needs a score above 0;
- the first five sections are semantic, whatever their names; and a section without known questions counts as one.
"""

import string
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from pairloom.evaluation.analogies import Section, marked
from pairloom.evaluation.lookup import Lookup
from pairloom.evaluation.search import METHODS, answers
from pairloom.types import Rows
from pairloom.vectors.vectors import Vectors

_CAPITALS = str.maketrans(string.ascii_lowercase, string.ascii_uppercase)
_SEMANTIC_SECTIONS = 5


def compute_accuracy(vectors: Vectors, text: str, threshold: int = 0, threads: int | None = None) -> list[str]:
    """The lines that `compute-accuracy vectors.bin threshold < text` prints; threshold 0 lets all words take part."""
    lookup = Lookup(vectors, lambda word: word.translate(_CAPITALS), threshold)
    sections = list(_sections(text.split()))
    questions = [question for section in sections for question in section.questions]
    marks = iter(marked(lookup, questions, lambda known: _answer(vectors, known, len(lookup.keys), threads)))
    count = _Count()
    lines = [line for i, section in enumerate(sections) for line in count.section(i, section, marks)]
    return [*lines, f"Questions seen / total: {count.seen} {count.total}   {_percent(count.seen, count.total)} "]


def _sections(words: Iterable[str]) -> Iterator[Section]:
    """The stream cut into sections, of which the first has no name; words of an unfinished question are left out."""
    words = iter(words)
    section = Section("", [])
    for word in words:
        if word == ":" or word.translate(_CAPITALS) == "EXIT":
            yield section
            name = next(words, None)
            if name is None:
                return
            section = Section(name, [])
        else:
            question = (word, *islice(words, 3))
            if len(question) == 4:
                section.questions.append(question)
    yield section


def _answer(vectors: Vectors, questions: Rows, among: int, threads: int | None) -> Rows:
    barred = np.column_stack([np.repeat(np.arange(len(questions)), 3), questions.ravel()])
    found = answers(vectors, questions, barred, METHODS["add"], among, threads)
    return np.where(found.scores > 0, found.rows, -1)


@dataclass
class _Count:
    """The running sums, which are printed after every section."""

    total: int = 0
    seen: int = 0
    correct: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})  # by whether it is semantic
    asked: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})

    def section(self, number: int, section: Section, marks: Iterator[bool | None]) -> Iterator[str]:
        """Count the questions of a section; its lines, or none for what comes before the first name."""
        known = [mark for mark in (next(marks) for _ in section.questions) if mark is not None]
        semantic = number <= _SEMANTIC_SECTIONS
        self.total += len(section.questions)
        self.seen += len(known)
        self.correct[semantic] += sum(known)
        self.asked[semantic] += len(known)
        if number > 0:
            yield f"{section.name}:"
            asked = len(known) or 1
            yield f"ACCURACY TOP1: {_percent(sum(known), asked)}  ({sum(known)} / {asked})"
            total = _percent(sum(self.correct.values()), sum(self.asked.values()))
            parts = [_percent(self.correct[part], self.asked[part]) for part in (True, False)]
            yield f"Total accuracy: {total}   Semantic accuracy: {parts[0]}   Syntactic accuracy: {parts[1]} "


def _percent(part: int, whole: int) -> str:
    """As C's floats have it; nothing of nothing is what a PC's processor makes of 0/0."""
    if whole == 0:
        return "-nan %"
    return f"{float(np.float32(part) / np.float32(whole) * np.float32(100)):.2f} %"
