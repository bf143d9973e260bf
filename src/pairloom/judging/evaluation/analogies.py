"""Analogies: how many of the questions "a is to b as c is to ?" in a file are answered correctly.

The format is that of Google's questions-words.txt:

    : capital-common-countries
    Athens Greece Baghdad Iraq

Google's names begin with "gram" for syntactic sections. The codes of BATS (I, D: inflection and derivation; E, L:
facts and meanings) and the part-of-speech tags of MSR tell the kind too. If the kind of a section is unknown, for
example in MSR's file without sections, the scores of the file are not split by kind.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from pairloom.errors import InputError
from pairloom.judging.evaluation.lines import ScoreLine, ScoresTable, covered, file_name, percent
from pairloom.judging.evaluation.lookup import DEFAULT_POLICY, Lookup, Policy
from pairloom.judging.evaluation.questions import QuestionFile, read
from pairloom.judging.evaluation.search import METHODS, MethodName, answers, method_of
from pairloom.system.extras import data_frame
from pairloom.types import PathName, Rows
from pairloom.vectors.embedding import Embedding, as_vectors
from pairloom.vectors.vectors import Vectors

Question = tuple[str, ...]  # a, b, c and the expected answer
Kind = Literal["semantic", "syntactic"]

_NAMES: dict[Kind, re.Pattern[str]] = {
    "semantic": re.compile("(capital-common-countries|capital-world|currency|city-in-state|family)$|[EL][0-9]{2}\\b"),
    "syntactic": re.compile("[ID][0-9]{2}\\b|(?i:(jj|nn|vb)[a-z]*_(jj|nn|vb)[a-z]*$)"),
}


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
class AnalogyScores(ScoresTable):
    """The tallies of a file of analogies."""

    file: str
    method: MethodName
    policy: Policy
    sections: tuple[Tally, ...]

    @property
    def total(self) -> Tally:
        return _sum("total", self.sections)

    @property
    def semantic(self) -> Tally | None:
        """The semantic sections, or None if the kind of a section is unknown."""
        return self._of_kind("semantic")

    @property
    def syntactic(self) -> Tally | None:
        """The syntactic sections, or None if the kind of a section is unknown."""
        return self._of_kind("syntactic")

    def lines(self, sections: bool = False) -> Iterator[ScoreLine]:
        """The accuracy of the file and of its two kinds of questions, and of each section if asked."""
        kinds = (("  semantic", self.semantic), ("  syntactic", self.syntactic))
        parts = [(file_name(self.file), self.total), *((name, tally) for name, tally in kinds if tally)]
        if sections:
            parts += [(f"    {tally.name or '(no name)'}", tally) for tally in self.sections]
        for name, tally in parts:
            yield ScoreLine(
                name, METHODS[self.method].label, percent(tally.accuracy), covered(tally.known, tally.questions)
            )

    def __repr__(self) -> str:
        total = self.total
        score = f"{percent(total.accuracy).strip()} of {total.asked:,} questions, {total.known:,} known"
        return f"AnalogyScores({file_name(self.file)!r}, {self.method}: {score}, {len(self.sections)} sections)"

    def _of_kind(self, kind: Kind) -> Tally | None:
        kinds = kinds_of([tally.name for tally in self.sections])
        if None in kinds:
            return None
        return _sum(kind, (tally for tally, its_kind in zip(self.sections, kinds, strict=True) if its_kind == kind))

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        kinds = {"semantic": self.semantic, "syntactic": self.syntactic}
        parts = {"total": self.total.as_dict()} | {name: tally and tally.as_dict() for name, tally in kinds.items()}
        head = {"kind": "analogies", "file": self.file, "method": self.method, **self.policy.as_dict()}
        return head | parts | {"sections": [tally.as_dict() for tally in self.sections]}

    def to_pandas(self) -> Any:
        """A DataFrame with a row for each section, and one for the total."""
        return data_frame([tally.as_dict() for tally in (*self.sections, self.total)])


def kinds_of(sections: Sequence[str]) -> list[Kind | None]:
    """The kind of each section, by its name. None if it is unknown.

    In a file with a section "gram..." all names are Google's, or a translator's after Google's example.

    >>> kinds_of(["family", "gram1-adverb"]), kinds_of(["family", "L01 [hypernyms]", "NN_NNS", ""])
    (['semantic', 'syntactic'], ['semantic', 'semantic', 'syntactic', None])
    """
    if any(name.startswith("gram") for name in sections):
        return ["syntactic" if name.startswith("gram") else "semantic" for name in sections]
    return [next((kind for kind, names in _NAMES.items() if names.match(name)), None) for name in sections]


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
    file, words = read(path), as_vectors(vectors)
    marked = marked_sections(words, file, method=method, policy=policy, threads=threads)
    tallies = tuple(_tally(section.name, marks, policy) for section, marks in marked)
    return AnalogyScores(file=file.path, method=method, policy=policy, sections=tallies)


def marked_sections(
    words: Vectors, file: QuestionFile, *, method: MethodName, policy: Policy, threads: int | None = None
) -> list[tuple[Section, list[bool | None]]]:
    """Each section of a file, with a mark for each of its questions: see `mark_questions`."""
    lookup, sections, chosen = Lookup.of(words, policy), sections_of(file), method_of(method)

    def answer(questions: Rows) -> Rows:
        return answers(words, questions, _excluded(lookup, questions), chosen, len(lookup.keys), threads).rows

    marks = iter(mark_questions(lookup, [question for section in sections for question in section.questions], answer))
    return [(section, [next(marks) for _ in section.questions]) for section in sections]


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
    asked = len(marks) if policy.unknown == "wrong" else known
    correct = sum(mark is True for mark in marks)
    return Tally(name=name, correct=correct, asked=asked, skipped=len(marks) - asked, known=known)


def _sum(name: str, parts: Iterable[Tally]) -> Tally:
    parts = list(parts)
    total = {field: sum(getattr(part, field) for part in parts) for field in ("correct", "asked", "skipped", "known")}
    return Tally(name=name, **total)
