"""pairloom compute-accuracy: the analogies of a file, scored and printed as the original does."""

import json
import sys
from argparse import ArgumentParser, Namespace

from pairloom.cli.arguments import whole
from pairloom.cli.commands.inputs import load
from pairloom.errors import InputError

PURPOSE = "score analogies as the original program does (pairloom evaluate says more)"
EXAMPLE = "pairloom compute-accuracy vectors.bin 30000 < questions-words.txt"


def arguments(parser: ArgumentParser) -> None:
    """What can be typed after it."""
    parser.add_argument("model", metavar="FILE", help="a file of vectors, of any format; questions come from stdin")
    parser.add_argument("threshold", metavar="THRESHOLD", nargs="?", type=whole, default=0, help="only so many words")
    parser.add_argument("--json", action="store_true", help="print the lines as a list in JSON")


def run(args: Namespace) -> None:
    """Read all questions, then answer."""
    from pairloom.evaluation import compute_accuracy

    if args.threshold < 0:
        raise InputError(f"A threshold of {args.threshold} is not a number of words. Use 0 (all) or more.")
    vectors = load(args.model).words
    questions = sys.stdin.read() if sys.stdin is not None else ""
    lines = compute_accuracy(vectors, questions, args.threshold)
    print(json.dumps(lines, indent=1) if args.json else "\n".join(lines))
