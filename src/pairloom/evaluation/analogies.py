"""Analogies: how many of the questions "a is to b as c is to ?" in a file are answered correctly.

The format is that of Google's questions-words.txt:

    : capital-common-countries
    Athens Greece Baghdad Iraq

Sections whose names begin with "gram" are syntactic, the others semantic.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pairloom.errors import InputError
from pairloom.evaluation.lookup import DEFAULT_POLICY, Lookup, Policy
from pairloom.evaluation.questions import QuestionFile, read
from pairloom.evaluation.search import MethodName, answers, method_of
from pairloom.types import PathName, Rows
from pairloom.vectors.embedding import Embedding, as_vectors
from pairloom.vectors.vectors import Vectors

Question = tuple[str, ...]  # a, b, c and the expected answer


class Section(NamedTuple):
    """Questions under one name."""

    name: str
    questions: list[Question]


@dataclass(frozen=True, kw_only=True, slots=True)
class Tally:
    """The result of a set of questions. accuracy = correct / asked, coverage = known / questions."""

    name: str
    correct: int
    asked: int  # questions - skipped
    skipped: int  # questions left out because a word is unknown
    known: int  # questions with all four words known; fewer than `asked` if unknown words count as wrong

    @property
    def questions(self) -> int:
        return self.asked + self.skipped

    @property
    def accuracy(self) -> float | None:
        return self.correct / self.asked if self.asked else None

    @property
    def coverage(self) -> float | None:
        return self.known / self.questions if self.questions else None

    def as_dict(self) -> dict[str, Any]:
        names = ("name", "accuracy", "correct", "asked", "skipped", "known", "questions", "coverage")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, kw_only=True, slots=True)
class AnalogyScores:
    """The tallies of a file of analogies."""

    file: str
    method: MethodName
    policy: Policy
    sections: tuple[Tally, ...]

    @property
    def total(self) -> Tally:
        return _sum("total", self.sections)

    @property
    def semantic(self) -> Tally:
        return _sum("semantic", (tally for tally in self.sections if not is_syntactic(tally.name)))

    @property
    def syntactic(self) -> Tally:
        return _sum("syntactic", (tally for tally in self.sections if is_syntactic(tally.name)))

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        parts = {part.name: part.as_dict() for part in (self.total, self.semantic, self.syntactic)}
        head = {"kind": "analogies", "file": self.file, "method": self.method, **self.policy.as_dict()}
        return head | parts | {"sections": [tally.as_dict() for tally in self.sections]}


def is_syntactic(section: str) -> bool:
    """Whether Google's name for a section marks it as syntactic."""
    return section.startswith("gram")


def analogies(
    vectors: Vectors | Embedding,
    path: PathName | QuestionFile,
    *,
    method: MethodName = "add",
    policy: Policy = DEFAULT_POLICY,
    threads: int | None = None,
) -> AnalogyScores:
    """Answer the analogies of a file by 3CosAdd or 3CosMul (see `search`), among the words that the policy allows.

    The words of a question cannot be its answer, nor can words that equal them once case is folded. An answer is
    correct if it is the expected word, again after folding case. The scores equal gensim's for the same policy.
    """
    file, words, chosen = read(path), as_vectors(vectors), method_of(method)
    lookup, sections = Lookup.of(words, policy), sections_of(file)

    def answer(questions: Rows) -> Rows:
        return answers(words, questions, _excluded(lookup, questions), chosen, len(lookup.keys), threads).rows

    marks = iter(mark_questions(lookup, [question for section in sections for question in section.questions], answer))
    tallies = tuple(_tally(section.name, [next(marks) for _ in section.questions], policy) for section in sections)
    return AnalogyScores(file=file.path, method=method, policy=policy, sections=tallies)


def mark_questions(lookup: Lookup, questions: Iterable[Question], answer: Callable[[Rows], Rows]) -> list[bool | None]:
    """Return whether each question is answered correctly, or None if a word is unknown.

    `answer` maps the rows of a, b and c of the known questions, (n, 3), to one row each, or -1 for no answer.
    """
    rows = [lookup.rows(question) for question in questions]
    known = np.array([some for some in rows if some is not None], np.intp).reshape(-1, 4)
    pairs = zip(answer(known[:, :3]).tolist(), known[:, 3].tolist(), strict=True)
    right = (row >= 0 and lookup.keys[row] == lookup.keys[expected] for row, expected in pairs)
    return [None if some is None else next(right) for some in rows]


def sections_of(file: QuestionFile) -> list[Section]:
    """The questions of a file by section. Those before the first `:` line are in a section without a name."""
    sections: list[Section] = []
    for number, line in file.lines:
        words = tuple(line.split())
        if line.startswith(":"):
            sections.append(Section(line[1:].strip(), []))
        elif len(words) != 4:
            raise InputError(
                f"{file.where(number)}: {line[:60]!r} is not a question of four words. "
                "Each line must read like: Athens Greece Baghdad Iraq"
            )
        else:
            if not sections:
                sections.append(Section("", []))
            sections[-1].questions.append(words)
    if not any(section.questions for section in sections):
        raise InputError(f"{file.path} has sections but no questions. Lines must read like: Athens Greece Baghdad Iraq")
    return sections


def _excluded(lookup: Lookup, questions: Rows) -> Rows:
    """Pairs (question, row) where the row is one of the words of the question, in any case that is folded."""
    equal = lookup.rows_of_equal_words(np.unique(questions).tolist())
    pairs = [(i, row) for i, words in enumerate(questions.tolist()) for word in words for row in equal[word]]
    return np.array(pairs, np.intp).reshape(-1, 2)


def _tally(name: str, marks: Sequence[bool | None], policy: Policy) -> Tally:
    """Count marks: True for correct, False for wrong, None for unknown words."""
    known = sum(mark is not None for mark in marks)
    asked = known if policy.unknown == "skip" else len(marks)
    correct = sum(mark is True for mark in marks)
    return Tally(name=name, correct=correct, asked=asked, skipped=len(marks) - asked, known=known)


def _sum(name: str, parts: Iterable[Tally]) -> Tally:
    parts = list(parts)
    total = {field: sum(getattr(part, field) for part in parts) for field in ("correct", "asked", "skipped", "known")}
    return Tally(name=name, **total)
