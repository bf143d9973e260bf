"""pairloom report: write a page that says whether a model learnt, and what it holds."""

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path

from pairloom.cli.arguments import add_running
from pairloom.cli.console import progress
from pairloom.cli.files import check_is_text, check_not_read, closed_pipe_is_no_error
from pairloom.cli.models import add_model, load
from pairloom.cli.train_arguments import add_evaluate
from pairloom.config import checked_threads

GROUP = "look"
PURPOSE = "write a page that says whether a model learnt, and what it holds"
EXAMPLE = "pairloom report king.loom -o king.html --evaluate questions-words.txt"


def arguments(parser: ArgumentParser) -> None:
    add_model(parser)
    parser.add_argument(
        "-o", "--output", metavar="OUT.html", required=True, help="the page, which loads nothing from the network"
    )
    add_evaluate(parser)
    add_running(parser)


def run(args: Namespace) -> None:
    from pairloom.judging.reports.writing import check_report_path, read_questions, report

    checked_threads(args.threads)
    check_report_path(args.output, args.evaluate)
    check_not_read(args.output, args.model)
    check_is_text(args.evaluate)
    questions = read_questions(args.evaluate)
    embedding = load(args.model, args.evaluate)
    with closed_pipe_is_no_error(), progress(args.quiet) as on_progress:
        found = report(
            embedding,
            args.output,
            name=Path(args.model).name,
            questions=questions,
            threads=args.threads,
            on_progress=on_progress,
        )
    if args.json:
        print(json.dumps({"output": args.output, **found._asdict()}, indent=2, ensure_ascii=False))
        return
    if args.quiet:
        return
    print(f"{args.output}: {found.answer}")
    for remark in found.remarks:
        print(f"- {remark}")
