"""`pairloom train --report`: watch a training, and write its report once the model is saved."""

from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pairloom.cli.files import check_is_text
from pairloom.errors import InputError, PairloomError
from pairloom.progress import OnProgress, Progress
from pairloom.system.addresses import shown

if TYPE_CHECKING:
    from pairloom.vectors.embedding import Embedding


class ReportOfTraining:
    """The report of one training. Everything that can be checked is checked when it is made, before the training."""

    def __init__(self, args: Namespace) -> None:
        from pairloom.corpus.finding import would_overwrite
        from pairloom.judging.reports.curve import LearningCurve
        from pairloom.judging.reports.writing import check_report_path, read_questions

        self._args, self._curve = args, LearningCurve()
        reads = (*args.corpus, args.keep, args.drop, args.read_vocab, args.read_contexts, args.start, *args.evaluate)
        check_report_path(args.report, [path for path in reads if path is not None])
        if would_overwrite(args.report, [path for path in (args.output, args.contexts_output) if path is not None]):
            raise InputError(f"{args.report} cannot hold both the model and its report. Choose another name.")
        check_is_text(args.evaluate)
        self._questions = read_questions(args.evaluate)

    def watching(self, show: OnProgress) -> Callable[[Progress], None]:
        """A callback that shows progress and keeps it for the report."""

        def both(progress: Progress) -> None:
            self._curve(progress)
            show(progress)

        return both

    def write(self, embedding: "Embedding", on_progress: OnProgress) -> dict[str, Any]:
        """Write the report. The model is saved already: if this fails, the error says how to make the report later."""
        from pairloom.judging.reports.writing import report

        args = self._args
        try:
            found = report(
                embedding,
                args.report,
                name=Path(args.output).name,
                corpus=", ".join(Path(shown(path)).name or shown(path) for path in args.corpus[:3]),
                curve=self._curve,
                questions=self._questions,
                threads=1 if args.ray and args.threads is None else args.threads,
                on_progress=on_progress,
            )
        except PairloomError as error:
            later = f"The model is saved. For its report: pairloom report {args.output} -o OUT.html"
            raise type(error)(f"{error} {later}") from error
        return {"output": args.report, "verdict": found.answer, "remarks": found.remarks}
