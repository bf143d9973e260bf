"""All sections of a report on one HTML page."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from pairloom.drawing.page import Table, section, table, whole_page
from pairloom.judging.evaluation import Scores
from pairloom.judging.reports.curve import LearningCurve
from pairloom.judging.reports.environment import environment_section
from pairloom.judging.reports.history import History
from pairloom.judging.reports.learning import learning_section, settings_section
from pairloom.judging.reports.samples import samples_section
from pairloom.judging.reports.small_map import map_section
from pairloom.judging.reports.verdict import Verdict, verdict
from pairloom.judging.reports.vocabulary import vocabulary_section
from pairloom.progress import OnProgress, ignore
from pairloom.system.display import html
from pairloom.vectors.embedding import Embedding


@dataclass(frozen=True, kw_only=True, eq=False)
class TrainingReport:
    """What a report is made of.

    name     of the model, for the title
    corpus   the name of what it was trained on, or ""
    scores   of `pairloom.evaluate`
    curve    what the training reported while it ran, if it was watched
    threads  with which it ran, if that is known
    """

    embedding: Embedding
    name: str
    corpus: str = ""
    scores: Sequence[Scores] = ()
    curve: LearningCurve | None = None
    threads: int | None = None

    @cached_property
    def verdict(self) -> Verdict:
        return verdict(self.embedding, self.name, self.corpus)


def page(report: TrainingReport, on_progress: OnProgress = ignore) -> str:
    """The HTML of a report."""
    embedding, history = report.embedding, History.of(report.embedding.record)
    found = report.verdict
    sections = [
        f"<p>{html(found.subject)}</p>",
        _remarks(found.remarks),
        learning_section(history),
        samples_section(embedding),
        map_section(embedding.words, on_progress),
        *([_scores_section(report.scores)] if report.scores else []),
        vocabulary_section(embedding, history),
        settings_section(history),
        environment_section(report.curve, report.threads),
    ]
    return whole_page(f"{report.name}: report of the training", found.answer, *filter(None, sections))


def _remarks(remarks: Sequence[str]) -> str:
    items = "\n".join(f"<li>{html(remark)}</li>" for remark in remarks)
    return f'<ul class="remarks">\n{items}\n</ul>' if items else ""


def _scores_section(scores: Sequence[Scores]) -> str:
    rows = [[line.test, line.score, line.value, line.coverage] for one in scores for line in one.lines()]
    text = (
        "Analogies: the share of questions a : b = c : ? that were answered with the right word. Similarities: the "
        "rank correlation of cosines with people's judgements. Categories: the purity of clusters. `Known` says how "
        "many of the questions have only words of the model; the others are left out."
    )
    return section("Scores", text, table(Table("", ["test", "score", "value", "known"], rows)))
