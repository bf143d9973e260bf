"""pairloom index: make the index of a model, for approximate search."""

import json
import time
from argparse import ArgumentParser, Namespace

from pairloom.cli.arguments import whole
from pairloom.cli.commands.inputs import load
from pairloom.config import checked_threads

PURPOSE = "make an index beside a model, to search large vocabularies faster"
EXAMPLE = "pairloom index king.loom, then: pairloom near king.loom king --approximate"


def arguments(parser: ArgumentParser) -> None:
    """What can be typed after it."""
    parser.add_argument("model", metavar="MODEL", help="the vectors; the index is written to MODEL.index")
    parser.add_argument("--links", type=whole, default=16, metavar="N", help="links per word (16)")
    parser.add_argument("--effort", type=whole, default=200, metavar="N", help="words looked at for each (200)")
    parser.add_argument(
        "--threads", type=whole, default=1, metavar="N", help="more are faster, and give another graph each time (1)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: Namespace) -> None:
    """Build, measure, save."""
    from pairloom.system.files import check_folder
    from pairloom.vectors.index import SUFFIX, Index

    checked_threads(args.threads)
    output = args.model + SUFFIX
    check_folder(output)
    vectors = load(args.model).words
    began = time.perf_counter()
    index = Index.build(vectors, links=args.links, effort=args.effort, threads=args.threads)
    seconds = time.perf_counter() - began
    recall = index.recall()
    index.save(output)
    facts = {"output": output, "words": len(vectors), "seconds": round(seconds, 2), "recall_at_10": round(recall, 4)}
    if args.json:
        print(json.dumps(facts))
    else:
        print(f"{output}: {len(vectors):,} words in {seconds:.1f} s; finds {recall:.1%} of the ten nearest")
