"""pairloom compare: which words have another meaning in another model."""

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pairloom.cli.arguments import add_running, number, whole_number
from pairloom.cli.console import progress
from pairloom.cli.files import check_not_read, closed_pipe_is_no_error
from pairloom.cli.models import load
from pairloom.cli.tables import print_table
from pairloom.config import check_min_count, check_number, checked_threads

if TYPE_CHECKING:
    from pairloom.judging.comparison import Comparison
    from pairloom.judging.comparison.neighbours import Changes
    from pairloom.judging.comparison.two_models import WordShift

GROUP = "measure"
PURPOSE = "compare two models: words that moved, and which of them beyond noise"
EXAMPLE = "pairloom compare 1960s.loom 1990s.loom --page moved.html; pairloom compare 1960s.loom 1990s.loom mouse"
OPTION_NAMES = {"topn": "-n"}


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="a model, in any format that `pairloom convert` reads")
    parser.add_argument("other", metavar="OTHER", help="the model to compare it with, of the same dim")
    parser.add_argument(
        "word", metavar="WORD", nargs="*", default=[], help="words; if none, those that moved most are found"
    )
    parser.add_argument(
        "-n",
        type=whole_number,
        default=10,
        metavar="N",
        help="number of neighbours of each word, and of words if none are given (default: 10)",
    )
    parser.add_argument(
        "--noise",
        metavar="MODEL",
        nargs="+",
        default=[],
        help="more models of the first model's text, for example with another seed: how far words move between these "
        "and it is the noise (default: estimated from MODEL and OTHER, most of whose words should not have moved)",
    )
    parser.add_argument(
        "--min-count",
        type=whole_number,
        default=1,
        metavar="N",
        help="leave out words that occur fewer than N times in one of the texts (default: 1)",
    )
    parser.add_argument(
        "--rate",
        type=number,
        default=0.05,
        metavar="R",
        help="the share of the words beyond the noise line that may be there by chance (default: 0.05)",
    )
    parser.add_argument("--page", metavar="OUT.html", help="also write a page with a plot, which loads nothing else")
    add_running(parser)


def run(args: Namespace) -> None:
    check_number("rate", args.rate, 1e-9, 0.5, "0.05 is usual")
    check_min_count(args.min_count)
    checked_threads(args.threads)
    from pairloom.judging.comparison import compare
    from pairloom.judging.comparison.common import common_words
    from pairloom.system.files import check_folder
    from pairloom.vectors.search import check_topn

    check_topn(args.n)
    if args.page is not None:
        check_folder(args.page)
        check_not_read(args.page, args.model, args.other, *args.noise)
    a, b, *others = (load(path) for path in (args.model, args.other, *args.noise))
    if args.word:  # to report unknown words before the work
        common = common_words(a, b, args.min_count)
        for word in args.word:
            common.place_of(word)
    with progress(args.quiet) as on_progress:
        compared = compare(
            a,
            b,
            noise=others,
            min_count=args.min_count,
            rate=args.rate,
            threads=args.threads,
            on_progress=on_progress,
        )
    shifts = [compared.shift_of(word) for word in args.word] if args.word else compared.most_shifted(args.n)
    near = compared.neighbours([one.word for one in shifts], args.n)
    if args.page is not None:
        _write_page(compared, shifts, near, args)
    if args.json:
        print(json.dumps(_facts(compared, shifts, near), indent=2, ensure_ascii=False))
    else:
        _print(compared, shifts, near, args)


def names_of(*paths: str) -> list[str]:
    """Models as people call them: the names of their files without suffix, or as given if these are not different."""
    names = [Path(path).name.removesuffix(".loom") for path in paths]
    return names if len({*names}) == len(names) else list(paths)


def _facts(compared: "Comparison", shifts: "list[WordShift]", near: "list[Changes]") -> dict[str, Any]:
    from pairloom.judging.comparison.series import plain_shift

    def plain(changed: "Changes") -> dict[str, Any]:
        return {
            kind: [[one.word, round(one.in_a, 6), round(one.in_b, 6)] for one in some]
            for kind, some in changed._asdict().items()
        }

    words = [{**(plain_shift(one) or {}), **plain(changed)} for one, changed in zip(shifts, near, strict=True)]
    return {**compared.as_dict(), "shifts": words}


def _print(compared: "Comparison", shifts: "list[WordShift]", near: "list[Changes]", args: Namespace) -> None:
    from pairloom.judging.comparison import tables

    a, b = names_of(args.model, args.other)
    print(tables.summary(compared, a, b))
    if args.word:
        found = [tables.neighbours(one, changed, a, b) for one, changed in zip(shifts, near, strict=True)]
    else:
        found = [tables.most_shifted(shifts, near, a, b)]
    for table in found:
        print(f"\n{table.title}")
        print_table(table.heads, table.rows)
    if args.page is not None:
        print(f"\n{args.page}: the same, with a plot")


def _write_page(compared: "Comparison", shifts: "list[WordShift]", near: "list[Changes]", args: Namespace) -> None:
    from pairloom.judging.comparison.page import page

    write_page(args.page, page(compared, shifts, near, *names_of(args.model, args.other)))


def write_page(path: str, text: str) -> None:
    """Write a page whole or not at all."""
    from pairloom.system.files import atomic_write

    with closed_pipe_is_no_error(), atomic_write(path) as file:
        file.write(text.encode("utf-8", "backslashreplace"))
