"""pairloom word2phrase: the flags and the output of the original, counted on all cores."""

import json
from argparse import ArgumentParser, Namespace

from pairloom.cli.arguments import number, whole
from pairloom.cli.commands.inputs import check_not_read, closed_pipes, source
from pairloom.cli.console import progress

PURPOSE = "join words to phrases as the original program does: same flags, same text"
EXAMPLE = "pairloom word2phrase -train text.txt -output phrases.txt -threshold 100"


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
    from pairloom.corpus.sentences import open_corpus
    from pairloom.phrases import Phrases
    from pairloom.system.files import check_folder

    check_folder(args.output)
    check_not_read(args.output, args.train)
    options = {"scoring": "word2vec", "min_count": args.min_count, "threshold": args.threshold}
    with open_corpus(source([args.train])) as text, progress(args.debug < 1) as on_progress, closed_pipes():
        phrases = Phrases.learn(text, **options, on_progress=on_progress)
        phrases.transform(text, args.output, on_progress=on_progress)
    if args.output.startswith("/dev/"):
        return  # where the text itself went
    if args.json:
        print(json.dumps({"output": args.output, "phrases": len(phrases)}))
    elif args.debug > 0:
        print(f"{args.output}: {len(phrases):,} phrases")
