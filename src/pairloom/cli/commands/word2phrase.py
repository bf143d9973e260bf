"""pairloom word2phrase: join phrases, with the flags and the output of word2vec's word2phrase."""

import json
from argparse import ArgumentParser, Namespace

from pairloom.cli.arguments import DECODING, add_as_text, add_decoding, add_json, explicit_options, number, whole_number
from pairloom.cli.console import progress
from pairloom.cli.files import check_not_read, closed_pipe_is_no_error, input_paths
from pairloom.config import TextOptions
from pairloom.system.display import number_of

GROUP = "word2vec"
PURPOSE = "join words into phrases like word2vec's word2phrase: same flags, same text"
EXAMPLE = "pairloom word2phrase -train text.txt -output phrases.txt -threshold 100"
OPTION_NAMES = {"min_count": "-min-count", "threshold": "-threshold"}


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("-train", metavar="FILE", required=True, help="the text")
    parser.add_argument("-output", metavar="FILE", required=True, help="the text to write, with phrases joined by _")
    parser.add_argument(
        "-min-count",
        type=whole_number,
        default=5,
        metavar="N",
        help="ignore words that occur fewer than N times (default: 5)",
    )
    parser.add_argument(
        "-threshold", type=number, default=100.0, metavar="X", help="least score of a phrase (default: 100)"
    )
    parser.add_argument(
        "-debug", type=whole_number, default=2, metavar="N", help="0: print no progress and no summary (default: 2)"
    )
    add_decoding(parser)
    add_as_text(parser)
    add_json(parser)


def run(args: Namespace) -> None:
    from pairloom.corpus.sentences import open_corpus
    from pairloom.preparing.phrases import Phrases
    from pairloom.system.files import check_folder

    check_folder(args.output)
    check_not_read(args.output, args.train)
    options = {"scoring": "word2vec", "min_count": args.min_count, "threshold": args.threshold}
    with (
        open_corpus(
            input_paths([args.train]), text=TextOptions(**explicit_options(args, (*DECODING, "as_text")))
        ) as text,
        progress(args.debug < 1) as on_progress,
        closed_pipe_is_no_error(),
    ):
        phrases = Phrases.learn(text, **options, on_progress=on_progress)
        phrases.transform(text, args.output, on_progress=on_progress)
    if args.output.startswith("/dev/"):
        return  # the text itself may be on stdout
    if args.json:
        print(json.dumps({"output": args.output, "phrases": len(phrases)}))
    elif args.debug > 0:
        print(f"{args.output}: {number_of(len(phrases), 'phrase')}")
