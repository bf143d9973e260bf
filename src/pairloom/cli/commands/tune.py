"""pairloom tune: try settings on a sample of a corpus, and say which are best for a purpose."""

import json
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from pairloom.cli.arguments import (
    OPTIONS,
    add_corpus,
    add_option,
    add_running,
    explicit_options,
    number,
    whole_number,
    whole_number_or_fraction,
)
from pairloom.cli.commands.compare import write_page
from pairloom.cli.console import progress
from pairloom.cli.files import check_is_text, check_not_read, closed_pipe_is_no_error, input_paths, is_file
from pairloom.cli.signals import taken_interrupt
from pairloom.cli.tables import print_table
from pairloom.cli.train_arguments import window
from pairloom.errors import StoppedError

if TYPE_CHECKING:
    from pairloom.advice.tuning import TuningResult
    from pairloom.advice.tuning.search import Search

GROUP = "learn"
PURPOSE = "search settings that suit a text and a purpose, by trials"
EXAMPLE = "pairloom tune corpus.txt --for ws353.tsv --budget 10m"
OPTION_NAMES = {"target": "--for"}


def arguments(parser: ArgumentParser) -> None:
    add_corpus(parser)
    _add_search(parser)
    fixed = parser.add_argument_group("options of all trials; those that are given are not searched")
    for name, kind, metavar, meaning in (
        ("dim", whole_number, "D", "length of the vectors"),
        ("window", window, "N", "largest distance of a context, or `sentence` for the whole line"),
        ("negatives", whole_number, "K", "number of negatives for each pair"),
        ("noise_power", number, "P", "draw negatives in proportion to their count to the power P"),
        ("sample", number, "T", "thin out words that make up more than this share of the text"),
        ("epochs", whole_number, "N", "number of passes over the text"),
        ("min_count", whole_number_or_fraction, "N", "remove words that occur fewer than N times"),
        ("lr", number, "R", "learning rate at the start"),
        ("seed", whole_number, "N", "seed of the trials"),
    ):
        add_option(fixed, name, kind, metavar, meaning)
    add_running(parser)


def _add_search(parser: ArgumentParser) -> None:
    search = parser.add_argument_group("the search")
    search.add_argument(
        "--for",
        dest="target",
        metavar="PURPOSE",
        default="heldout",
        help="heldout: find the neighbours of words in lines that were not trained on. next-item: a line is a session, "
        "guess its last item. Or a file of similarities, analogies or categories, as for `pairloom evaluate` "
        "(default: heldout)",
    )
    search.add_argument("--trials", type=whole_number, metavar="N", help="end after N trainings (default: 30)")
    search.add_argument(
        "--budget",
        metavar="TIME",
        help="end after this time instead: 90s, 10m, 1h. How many trials fit depends on the machine; --trials with "
        "their number repeats them exactly",
    )
    search.add_argument(
        "--tokens",
        metavar="N",
        default="5M",
        help="trials use a sample of the text of at most so many words (default: 5M)",
    )
    search.add_argument("--page", metavar="OUT.html", help="also write a page with a plot and the table")
    search.add_argument("--chart", metavar="OUT.svg", help="also draw the scores of the trials to this file")


def run(args: Namespace) -> None:
    from pairloom.advice.tuning.search import TARGETS, checked_search
    from pairloom.drawing.picture import check_can_save
    from pairloom.system.files import check_folder

    if args.target not in TARGETS and is_file(args.target):
        check_is_text([args.target])
    corpus = input_paths(args.corpus)
    if args.page is not None:
        check_folder(args.page)
    if args.chart is not None:
        check_can_save(args.chart)
    for path in filter(None, (args.page, args.chart)):
        check_not_read(path, *args.corpus, args.target)
    search = checked_search(
        corpus,
        args.target,
        explicit_options(args, OPTIONS),
        trials=args.trials,
        budget=args.budget,
        tokens=args.tokens,
        threads=args.threads,
    )
    signal = _run(search, args.quiet)
    _show(search.result(), args)
    if signal is not None:
        stopped = StoppedError("interrupted; what was found so far is shown.")
        stopped.exit_code = 128 + signal
        raise stopped


def _run(search: "Search", quiet: bool) -> int | None:
    """Run the search. Returns the signal that interrupted it, if trials were done before."""
    try:
        with progress(quiet) as on_progress:
            search.run(on_progress)
    except KeyboardInterrupt:
        signal = taken_interrupt()
        if not search.done or signal is None:
            raise
        search.ended = "interrupted"
        return signal
    return None


def _show(result: "TuningResult", args: Namespace) -> None:
    from pairloom.advice.tuning.page import chart, page

    if args.page is not None:
        write_page(args.page, page(result))
    if args.chart is not None:
        with closed_pipe_is_no_error():
            chart(result).save(args.chart)
    if args.json:
        print(json.dumps(result.as_dict(), indent=2, ensure_ascii=False))
        return
    rows = result.rows()
    print(f"{rows.title}, on a sample of {result.tokens:,} of {result.tokens_read:,} tokens\n")
    print_table(rows.heads, rows.rows)
    print(f"\n{result.verdict}")
    if result.ending:
        print(result.ending)
    print(f"\n{result.command}")
    for path in filter(None, (args.page, args.chart)):
        print(f"{path}: the trials as a plot")
