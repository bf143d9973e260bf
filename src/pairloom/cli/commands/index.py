"""pairloom index: build the index of a model, for approximate search."""

import json
import time
from argparse import ArgumentParser, Namespace

from pairloom.cli.arguments import add_json, add_quiet, whole_number
from pairloom.cli.console import progress
from pairloom.cli.files import check_not_read
from pairloom.cli.models import load
from pairloom.config import checked_threads
from pairloom.system.display import number_of

GROUP = "convert"
PURPOSE = "build an index for a model, to search a large vocabulary faster"
EXAMPLE = "pairloom index king.loom && pairloom near king.loom king --approximate"


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="a file of vectors; the index is written to MODEL.index")
    parser.add_argument(
        "--links", type=whole_number, default=16, metavar="N", help="links from each word to others (default: 16)"
    )
    parser.add_argument(
        "--effort",
        type=whole_number,
        default=200,
        metavar="N",
        help="words to compare before linking a word; more is slower and finds more (default: 200)",
    )
    parser.add_argument(
        "--threads",
        type=whole_number,
        default=1,
        metavar="N",
        help="number of threads (default: 1); with more, the index differs slightly from run to run",
    )
    add_quiet(parser)
    add_json(parser)


def run(args: Namespace) -> None:
    from pairloom.system.files import check_folder
    from pairloom.vectors.index import SUFFIX, Index

    checked_threads(args.threads)
    output = args.model + SUFFIX
    check_folder(output)
    check_not_read(output, args.model)
    vectors = load(args.model).words
    began = time.perf_counter()
    with progress(args.quiet) as on_progress:
        index = Index.build(
            vectors, links=args.links, effort=args.effort, threads=args.threads, on_progress=on_progress
        )
    seconds = time.perf_counter() - began
    recall = index.recall()
    index.save(output)
    facts = {"output": output, "words": len(vectors), "seconds": round(seconds, 2), "recall_at_10": round(recall, 4)}
    if args.json:
        print(json.dumps(facts))
    elif not args.quiet:
        print(f"{output}: {number_of(len(vectors), 'word')}, finds {recall:.1%} of the ten nearest, {seconds:.1f} s")
