"""pairloom plan: predict what a training will take, on one machine or on a cluster."""

import json
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from pairloom.cli.arguments import (
    OPTIONS,
    add_cache_dir,
    add_choice,
    add_config,
    add_corpus,
    add_json,
    add_option,
    add_quiet,
    add_switch,
    add_vocabulary,
    explicit_options,
    number,
    whole_number,
)
from pairloom.cli.console import progress
from pairloom.cli.files import check_not_read, closed_pipe_is_no_error, input_paths, read_words
from pairloom.cli.tables import print_table
from pairloom.cli.train_arguments import add_read_vocab, window

if TYPE_CHECKING:
    from pairloom.advice.planning.plan import Prediction

GROUP = "learn"
PURPOSE = "predict the time, memory and traffic of a training, on one machine or on several"
EXAMPLE = "pairloom plan --tokens 10G --words 2M --dim 300 --workers 8 --network 10Gb --pairs-per-second 3e6"
OPTION_NAMES = {"vocabulary": "--read-vocab"}

_SETUP = ("tokens", "words", "workers", "threads", "network", "latency", "pairs_per_second", "worker_memory")


def arguments(parser: ArgumentParser) -> None:
    parser.usage = "%(prog)s CORPUS [CORPUS ...] [options]\n       %(prog)s --tokens N --words N [options]"
    add_corpus(parser, nargs="*")
    vocabulary = add_vocabulary(parser)
    add_read_vocab(vocabulary)
    vocabulary.add_argument(
        "--tokens", metavar="N", help="length of the text, for example 10G or 1T, if there is no corpus yet"
    )
    vocabulary.add_argument(
        "--words", metavar="N", help="size of the vocabulary, for example 2M or 1B; counts then follow Zipf's law"
    )
    _add_training(parser)
    _add_workers(parser)
    running = parser.add_argument_group("running")
    add_cache_dir(running)
    add_config(running)
    add_quiet(running, "progress")
    add_json(running)


def _add_training(parser: ArgumentParser) -> None:
    training = parser.add_argument_group("what is trained (as for `pairloom train`)")
    add_option(training, "dim", whole_number, "D", "length of the vectors")
    add_option(training, "negatives", whole_number, "K", "number of negatives for each pair")
    add_option(training, "epochs", whole_number, "N", "number of passes over the text")
    add_option(training, "window", window, "N", "largest distance of a context, or `sentence` for the whole line")
    add_choice(training, "window_shape", "how often a word at a distance is a context")
    add_switch(training, "positional", "a context is a word and its position")
    add_option(training, "sample", number, "T", "thin out words that make up more than this share of the text")


def _add_workers(parser: ArgumentParser) -> None:
    workers = parser.add_argument_group("where it is trained")
    workers.add_argument("--workers", type=whole_number, metavar="N", help="machines that train together (default: 1)")
    workers.add_argument(
        "--threads", type=whole_number, metavar="N", help="threads of each worker (default: cores of this machine)"
    )
    workers.add_argument(
        "--network",
        metavar="SPEED",
        help="what a worker receives in a second in practice: 10Gb are bits, 1.25GB are bytes (default: 10Gb)",
    )
    workers.add_argument("--latency", type=number, metavar="MS", help="milliseconds of a message (default: 1)")
    workers.add_argument(
        "--pairs-per-second",
        type=number,
        metavar="N",
        help="pairs that one thread of a worker trains in a second (default: measured here, which takes some seconds)",
    )
    workers.add_argument(
        "--worker-memory", metavar="SIZE", help="memory of each worker, for example 64GB (default: no limit)"
    )
    workers.add_argument(
        "--spare-copies",
        choices=["workers", "disk", "machine"],
        help="where second copies of a worker's rows are kept: in another's memory, on disk, or, if all workers are on "
        "one machine (--ray local), in its memory (default: workers)",
    )
    workers.add_argument("--chart", metavar="OUT.svg", help="also draw the time by number of workers to this file")


def run(args: Namespace) -> None:
    from pairloom.advice.planning.plan import plan
    from pairloom.system.files import check_folder

    if args.chart is not None:
        check_folder(args.chart)
        check_not_read(args.chart, *args.corpus, args.read_vocab, args.keep, args.drop)
    with progress(args.quiet) as on_progress:
        found = plan(
            input_paths(args.corpus) if args.corpus else None,
            vocabulary=args.read_vocab,
            keep=read_words(args.keep),
            drop=read_words(args.drop),
            cache_dir=args.cache_dir,
            on_progress=on_progress,
            **explicit_options(args, [*_SETUP, "spare_copies", *OPTIONS]),
        )
    if args.chart is not None:
        _draw(found, args.chart)
    if args.json:
        print(json.dumps(found.as_dict(), indent=2))
    else:
        _print(found, args.chart)


def _draw(found: "Prediction", path: str) -> None:
    from pairloom.advice.planning.chart import chart
    from pairloom.system.files import atomic_write

    work = found.workload
    title = f"{work.words.rows:,} words, {round(work.tokens):,} tokens, dim {work.config.dim}"
    with closed_pipe_is_no_error(), atomic_write(path) as file:
        file.write(chart([(title, found)]).encode())


def _print(found: "Prediction", path: str | None) -> None:
    from pairloom.advice.planning.tables import conclusion, introduction, tables

    print(introduction(found))
    for table in tables(found):
        print()
        print_table(*table)
    print(f"\n{conclusion(found)}")
    if path is not None:
        print(f"{path}: the time by number of workers, as a plot")
