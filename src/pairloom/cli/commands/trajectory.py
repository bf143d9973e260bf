"""pairloom trajectory: one word through a series of models."""

import json
from argparse import ArgumentParser, Namespace

from pairloom.cli.arguments import add_running, whole_number
from pairloom.cli.commands.compare import names_of, write_page
from pairloom.cli.console import progress
from pairloom.cli.files import check_not_read
from pairloom.cli.models import load
from pairloom.cli.tables import print_table
from pairloom.config import checked_threads

GROUP = "measure"
PURPOSE = "follow a word through a series of models, for example of decades"
EXAMPLE = "pairloom trajectory 1960s.loom 1970s.loom 1980s.loom 1990s.loom --word mouse --page mouse.html"
OPTION_NAMES = {"topn": "-n"}


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", nargs="+", help="models of the same dim, in their order")
    parser.add_argument("--word", required=True, metavar="WORD", help="a word of at least two of the models")
    parser.add_argument(
        "-n", type=whole_number, default=5, metavar="N", help="number of neighbours in each model (default: 5)"
    )
    parser.add_argument("--page", metavar="OUT.html", help="also write a page with plots, which loads nothing else")
    add_running(parser)


def run(args: Namespace) -> None:
    checked_threads(args.threads)
    from pairloom.judging.comparison import tables, trajectory
    from pairloom.judging.comparison.page import trajectory_page
    from pairloom.system.files import check_folder

    if args.page is not None:
        check_folder(args.page)
        check_not_read(args.page, *args.model)
    models = [load(path) for path in args.model]
    with progress(args.quiet) as on_progress:
        found = trajectory(
            models,
            args.word,
            names=names_of(*args.model),
            topn=args.n,
            threads=args.threads,
            on_progress=on_progress,
        )
    if args.page is not None:
        write_page(args.page, trajectory_page(found))
    if args.json:
        print(json.dumps(found.as_dict(), indent=2, ensure_ascii=False))
        return
    for table in (tables.stations(found), tables.coming_and_going(found)):
        print(table.title)
        print_table(table.heads, table.rows)
        print()
    print("z: how far the shift is above that of words of the same frequency. *: beyond the noise line.")
    if args.page is not None:
        print(f"{args.page}: the same, with plots")
