"""pairloom phrases: join words that belong together into one."""

import json
import time
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from typing import TYPE_CHECKING, Any

from pairloom.cli.arguments import add_corpus, add_running, explicit_options, number, whole_number
from pairloom.cli.console import print_message, progress
from pairloom.cli.files import check_not_read, closed_pipe_is_no_error, input_paths, is_same_file, read_words
from pairloom.config import TextOptions, checked_threads
from pairloom.errors import InputError
from pairloom.system.display import number_of
from pairloom.system.memory import checked_size

if TYPE_CHECKING:
    from pairloom.preparing.phrases import Phrases

GROUP = "prepare"
PURPOSE = "join words that belong together: new york becomes new_york"
EXAMPLE = "pairloom phrases corpus.txt -o joined.txt --connectors english --passes 2"

_LEARNING = ("min_count", "threshold", "scoring", "connectors", "passes", "delimiter")
_N_BEST = 100  # phrases that --json prints


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        help="write the text with joined phrases to this file (default: print the phrases and their scores)",
    )
    add_corpus(parser)
    _add_learning(parser)
    saved = parser.add_argument_group("learning once, joining many texts")
    saved.add_argument("--save-phrases", metavar="FILE", help="save the phrases to this file, for --phrases")
    saved.add_argument("--phrases", metavar="FILE", help="join the phrases saved in this file, without learning others")
    add_running(parser, max_memory=True, cache_dir=True)


def _add_learning(parser: ArgumentParser) -> None:
    learning = parser.add_argument_group("which phrases to learn")
    learning.add_argument(
        "--min-count", type=whole_number, metavar="N", help="a phrase occurs at least N times (default: 5)"
    )
    learning.add_argument(
        "--threshold",
        type=_numbers,
        metavar="X",
        help="least score of a phrase (default: 10 for gensim, 100 for word2vec, 0.5 for npmi), or one for each pass, "
        "for example 200,100",
    )
    learning.add_argument("--scoring", metavar="NAME", help="formula: gensim, word2vec or npmi (default: gensim)")
    learning.add_argument(
        "--connectors",
        metavar="english|FILE",
        help="words allowed inside a phrase but not at its ends, for example of in bank_of_america: `english` for a "
        "built-in list, or a file with one word per line (default: none)",
    )
    learning.add_argument(
        "--passes",
        type=whole_number,
        metavar="N",
        help="number of passes; each joins phrases to longer ones (default: 1)",
    )
    learning.add_argument("--delimiter", metavar="D", help="what joins the words of a phrase (default: _)")


def _numbers(text: str) -> float | list[float]:
    """For argparse: a number, or several separated by commas."""
    try:
        numbers = [number(part) for part in text.split(",")]
    except ArgumentTypeError:
        raise ArgumentTypeError(f"{text!r} is not a number, nor numbers like 200,100") from None
    return numbers[0] if len(numbers) == 1 else numbers


def run(args: Namespace) -> None:
    from pairloom.corpus.sentences import open_corpus
    from pairloom.preparing.phrases import Phrases

    threads = checked_threads(args.threads)
    memory: dict[str, Any] = {"max_memory": checked_size(args.max_memory)}
    _check_paths(args)
    options = _options(args)
    text = TextOptions(**explicit_options(args, TextOptions.__dataclass_fields__))
    phrases = Phrases.load(args.phrases) if args.phrases else None
    began = time.perf_counter()
    with open_corpus(input_paths(args.corpus), text=text) as corpus, progress(args.quiet) as on_progress:
        corpus.check_beginning()
        if phrases is None:
            running = {"threads": threads, "cache_dir": args.cache_dir, "on_progress": on_progress}
            phrases = Phrases.learn(corpus, **options, **running, **memory)
        if args.save_phrases:
            phrases.save(args.save_phrases)
        if args.output:
            with closed_pipe_is_no_error():
                phrases.transform(corpus, args.output, threads=threads, on_progress=on_progress, **memory)
    _report(args, phrases, time.perf_counter() - began)


def _check_paths(args: Namespace) -> None:
    """Report a wrong path before the work begins."""
    from pairloom.system.files import check_folder

    if args.phrases and not args.output:
        raise InputError("--phrases writes a text with joined phrases. Name the file to write: -o OUT")
    for path in filter(None, (args.output, args.save_phrases)):
        check_folder(path)
        check_not_read(path, *args.corpus, args.phrases, args.connectors)
    if args.output and args.save_phrases and is_same_file(args.output, args.save_phrases):
        raise InputError(f"{args.output} cannot hold both the text and the phrases. Choose another name for one.")


def _options(args: Namespace) -> dict[str, Any]:
    """The options of learning."""
    options = explicit_options(args, _LEARNING)
    if args.phrases and options:
        raise InputError(
            f"--phrases learns nothing, so --{next(iter(options)).replace('_', '-')} has no effect. Leave out one."
        )
    if options.get("connectors", "english") != "english":
        options["connectors"] = read_words(args.connectors)
    return options


def _report(args: Namespace, phrases: "Phrases", seconds: float) -> None:
    if args.output and args.output.startswith("/dev/"):
        return  # the text itself may be on stdout
    if args.json:
        facts = {
            "output": args.output,
            "phrases": len(phrases),
            "seconds": round(seconds, 2),
            "made": dict(phrases.made),
        }
        best = dict(list(phrases.phrases.items())[:_N_BEST])
        print(json.dumps({**facts, "best": best}, indent=2, ensure_ascii=False))
    elif not args.output:
        for phrase, score in phrases.phrases.items():
            print(f"{score:.6g}\t{phrase}")
        if not phrases.phrases and not args.quiet:
            print_message("pairloom phrases: no phrase was found. Lower --threshold or --min-count to find more.")
    elif not args.quiet:
        print(f"{args.output}: {number_of(len(phrases), 'phrase')}, {seconds:.1f} s")
