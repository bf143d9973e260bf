"""`pairloom.report`: write the report of a training as one HTML page."""

import os
from collections.abc import Sequence

from pairloom.config import checked_threads
from pairloom.corpus.finding import check_not_read
from pairloom.errors import ConfigError
from pairloom.judging.evaluation import QuestionFile, evaluate, kind_of, read
from pairloom.judging.reports.curve import LearningCurve
from pairloom.judging.reports.page import TrainingReport, page
from pairloom.judging.reports.verdict import Verdict
from pairloom.progress import OnProgress, ignore
from pairloom.system.display import of_type
from pairloom.system.files import atomic_write, check_folder
from pairloom.types import PathName
from pairloom.vectors.embedding import Embedding, as_embedding


def report(
    embedding: Embedding,
    path: PathName,
    *,
    name: str = "model",
    corpus: str = "",
    curve: LearningCurve | None = None,
    questions: Sequence[PathName | QuestionFile] = (),
    threads: int | None = None,
    on_progress: OnProgress = ignore,
) -> Verdict:
    """Write a report of a training: one HTML file without scripts, which loads nothing from the network.

    path         the file to write, whole or not at all
    name         of the model, for the title
    corpus       what it was trained on, for the first sentences
    curve        what the training reported while it ran, for speed and time: `train(..., on_progress=curve)`
    questions    files of analogies, similarities or categories to score the model by, as for `evaluate`
    threads      for scores, all cores by default; the page names them as those of the training if there is a curve
    on_progress  as for `train`

    Returns the verdict, with which the page begins.
    """
    embedding = as_embedding(embedding)
    _check_types(name, corpus, curve)
    checked_threads(threads)
    embedding.words.check()
    files = read_questions(questions)
    check_report_path(path, [file.path for file in files])
    scores = [evaluate(embedding, file, threads=threads) for file in files]
    used = checked_threads(threads) if curve is not None else None
    made = TrainingReport(embedding=embedding, name=name, corpus=corpus, scores=scores, curve=curve, threads=used)
    text = page(made, on_progress)
    with atomic_write(path) as file:
        file.write(text.encode("utf-8", "backslashreplace"))
    return made.verdict


def _check_types(name: object, corpus: object, curve: object) -> None:
    for what, value in (("name", name), ("corpus", corpus)):
        if not isinstance(value, str):
            raise ConfigError(f"{what} is {of_type(value)}. Give a string: it is shown on the page.")
    if curve is not None and not isinstance(curve, LearningCurve):
        raise ConfigError(f"curve is {of_type(curve)}. Give the LearningCurve that was on_progress of the training.")


def check_report_path(path: PathName, reads: Sequence[PathName] = ()) -> None:
    """Raise an InputError if a report at `path` could not be written, or would replace a file that is read."""
    check_folder(path)
    check_not_read(path, list(reads))


def read_questions(questions: Sequence[PathName | QuestionFile]) -> list[QuestionFile]:
    """Read files of questions and check that each is of a known kind."""
    if not isinstance(questions, list | tuple):
        raise ConfigError(f"questions is {of_type(questions)}. Give a list of files.")
    for one in questions:
        if not isinstance(one, str | os.PathLike | QuestionFile):
            raise ConfigError(f"questions holds {of_type(one)}. Give a list of files.")
    files = [read(one) for one in questions]
    for file in files:
        kind_of(file)
    return files
