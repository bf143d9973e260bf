"""wordloom word2phrase: the flags and the output of the original, counted on all cores."""

import json
from argparse import ArgumentParser, Namespace

from wordloom.arguments import number, whole
from wordloom.commands.inputs import source
from wordloom.console import progress
from wordloom.errors import InputError
from wordloom.textfiles import is_among

PURPOSE = "join words to phrases as the original program does: same flags, same text"
EXAMPLE = "wordloom word2phrase -train text.txt -output phrases.txt -threshold 100"


def arguments(parser: ArgumentParser) -> None:
    """What can be typed after it: single dashes, as in the original."""
    parser.add_argument("-train", metavar="FILE", required=True, help="the text")
    parser.add_argument("-output", metavar="FILE", required=True, help="the text with phrases joined by _")
    parser.add_argument("-min-count", type=whole, default=5, metavar="N", help="rarer words make no phrase (5)")
    parser.add_argument("-threshold", type=number, default=100.0, metavar="X", help="more makes fewer phrases (100)")
    parser.add_argument("-debug", type=whole, default=2, metavar="N", help="0 says nothing while it works (2)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: Namespace) -> None:
    """Learn, and write the text anew."""
    from wordloom.files import check_folder
    from wordloom.phrases import Phrases

    check_folder(args.output)
    if is_among(args.output, [args.train]):
        raise InputError(f"{args.output} is, or is among, the files to be read. Choose another name for the output.")
    text = source([args.train])
    with progress(args.debug < 1) as on_progress:
        phrases = Phrases.learn(
            text, scoring="word2vec", min_count=args.min_count, threshold=args.threshold, on_progress=on_progress
        )
        phrases.transform(text, args.output, on_progress=on_progress)
    if args.json:
        print(json.dumps({"output": args.output, "phrases": len(phrases)}))
    elif args.debug > 0:
        print(f"{args.output}: {len(phrases):,} phrases")
