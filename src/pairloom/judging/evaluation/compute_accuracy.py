"""The lines that word2vec's compute-accuracy prints, to compare numbers and to feed scripts that read them.

It differs from `analogies` in details:
- Questions are read as a stream of words, four at a time. A lone ":" begins a section, and the next word is its name.
- Only the letters a to z are folded, and words that equal a word of the question after folding may be the answer.
- An answer needs a score above 0.
- The first five sections are semantic, whatever their names.
- A section without known questions is printed as 0 of 1.
"""

import string
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from pairloom.judging.evaluation.analogies import Section, mark_questions
from pairloom.judging.evaluation.lookup import Lookup
from pairloom.judging.evaluation.search import METHODS, answers
from pairloom.types import Rows
from pairloom.vectors.vectors import Vectors

_CAPITALS = str.maketrans(string.ascii_lowercase, string.ascii_uppercase)
_SEMANTIC_SECTIONS = 5


def compute_accuracy(vectors: Vectors, text: str, threshold: int = 0, threads: int | None = None) -> list[str]:
    """Return the lines that `compute-accuracy vectors.bin threshold < text` prints. Threshold 0 uses all words."""
    lookup = Lookup(vectors, lambda word: word.translate(_CAPITALS), threshold)
    sections = list(_sections(text.split()))
    questions = [question for section in sections for question in section.questions]
    marks = iter(mark_questions(lookup, questions, lambda known: _answer(vectors, known, len(lookup.keys), threads)))
    totals = _RunningTotals()
    lines = [line for i, section in enumerate(sections) for line in totals.section(i, section, marks)]
    return [*lines, f"Questions seen / total: {totals.known} {totals.total}   {_percent(totals.known, totals.total)} "]


def _sections(words: Iterable[str]) -> Iterator[Section]:
    """Cut the stream into sections. The first has no name. Words of an unfinished question are left out."""
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


def _answer(vectors: Vectors, questions: Rows, n_rows: int, threads: int | None) -> Rows:
    excluded = np.column_stack([np.repeat(np.arange(len(questions)), 3), questions.ravel()])
    found = answers(vectors, questions, excluded, METHODS["add"], n_rows, threads)
    return np.where(found.scores > 0, found.rows, -1)


@dataclass
class _RunningTotals:
    """Totals so far, printed after every section."""

    total: int = 0
    known: int = 0
    correct: dict[bool, int] = field(
        default_factory=lambda: {True: 0, False: 0}
    )  # keys: whether the section is semantic
    asked: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})

    def section(self, number: int, section: Section, marks: Iterator[bool | None]) -> Iterator[str]:
        """Count the questions of a section and return its lines; none for the section without a name."""
        known = [mark for mark in (next(marks) for _ in section.questions) if mark is not None]
        semantic = number <= _SEMANTIC_SECTIONS
        self.total += len(section.questions)
        self.known += len(known)
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
    """In float32, as the C program computes it. 0/0 is printed as x86 does, `-nan`."""
    if whole == 0:
        return "-nan %"
    return f"{float(np.float32(part) / np.float32(whole) * np.float32(100)):.2f} %"
