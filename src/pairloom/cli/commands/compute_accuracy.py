"""pairloom compute-accuracy: score analogies, with the output of word2vec's compute-accuracy."""

import json
import sys
from argparse import ArgumentParser, Namespace

from pairloom.cli.arguments import add_json, whole_number
from pairloom.cli.models import add_model, load
from pairloom.errors import InputError

GROUP = "word2vec"
PURPOSE = "score analogies like word2vec's compute-accuracy (pairloom evaluate shows more)"
EXAMPLE = "pairloom compute-accuracy vectors.bin 30000 < questions-words.txt"


def arguments(parser: ArgumentParser) -> None:
    parser.usage = "%(prog)s MODEL [THRESHOLD] [options] < QUESTIONS"
    add_model(parser)
    parser.add_argument(
        "threshold",
        metavar="THRESHOLD",
        nargs="?",
        type=whole_number,
        default=0,
        help="use only this many of the most frequent words (default: 0, all)",
    )
    add_json(parser, "the lines")


def run(args: Namespace) -> None:
    from pairloom.judging.evaluation import compute_accuracy

    if args.threshold < 0:
        raise InputError(f"THRESHOLD {args.threshold} is not a number of words. Use 1 or more, or 0 for all.")
    vectors = load(args.model).words
    questions = sys.stdin.read() if sys.stdin is not None else ""
    lines = compute_accuracy(vectors, questions, args.threshold)
    print(json.dumps(lines, indent=1) if args.json else "\n".join(lines))
