"""pairloom phrases: words that belong together become one."""

import json
import time
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from typing import TYPE_CHECKING, Any

from pairloom.cli.arguments import add_cache_dir, add_corpus, add_max_memory, add_running, number, whole
from pairloom.cli.commands.inputs import check_not_read, closed_pipes, given, source, words_in
from pairloom.cli.console import progress
from pairloom.config import TextOptions, checked_threads
from pairloom.corpus.finding import would_overwrite
from pairloom.errors import InputError
from pairloom.system.memory import checked_size

if TYPE_CHECKING:
    from pairloom.phrases import Phrases

PURPOSE = "join words that belong together: new york becomes new_york"
EXAMPLE = "pairloom phrases corpus.txt -o joined.txt --connectors english --passes 2"

_LEARNING = ("min_count", "threshold", "scoring", "connectors", "passes", "delimiter")
_BEST = 100  # phrases that --json shows


def arguments(parser: ArgumentParser) -> None:
    """What can be typed after it."""
    add_corpus(parser)
    parser.add_argument(
        "-o", "--output", metavar="OUT", help="the text with phrases joined; without it, phrases and scores are printed"
    )
    learn = parser.add_argument_group("phrases")
    learn.add_argument("--min-count", type=whole, metavar="N", help="a pair seen less often is no phrase (5)")
    learn.add_argument(
        "--threshold",
        type=_numbers,
        metavar="X",
        help="how high the score of a phrase must be (gensim 10, word2vec 100, npmi 0.5); one a pass, as 200,100",
    )
    learn.add_argument("--scoring", metavar="NAME", help="gensim, word2vec or npmi (gensim)")
    learn.add_argument(
        "--connectors",
        metavar="english|FILE",
        help="words that a phrase may span but not begin or end with: English ones, or those of a file, one per line",
    )
    learn.add_argument("--passes", type=whole, metavar="N", help="a second pass joins phrases to longer ones (1)")
    learn.add_argument("--delimiter", metavar="D", help="what joins the words of a phrase (_)")
    learn.add_argument("--save-phrases", metavar="FILE", help="keep the phrases, for --phrases")
    learn.add_argument("--phrases", metavar="FILE", help="learn nothing: join the phrases that were kept in this file")
    add_running(parser)
    add_max_memory(parser)
    add_cache_dir(parser)


def _numbers(text: str) -> float | list[float]:
    """For argparse: a number, or several with commas between."""
    try:
        numbers = [number(part) for part in text.split(",")]
    except ArgumentTypeError:
        raise ArgumentTypeError(f"{text!r} is not a number, nor numbers like 200,100") from None
    return numbers[0] if len(numbers) == 1 else numbers


def run(args: Namespace) -> None:
    """Do it."""
    from pairloom.corpus.sentences import open_corpus
    from pairloom.phrases import Phrases

    threads = checked_threads(args.threads)
    memory: dict[str, Any] = {"max_memory": checked_size(args.max_memory)}
    _check_paths(args)
    options = _options(args)
    text = TextOptions(**given(args, ("lowercase", "encoding", "errors", "max_sentence")))
    phrases = Phrases.load(args.phrases) if args.phrases else None
    began = time.perf_counter()
    with open_corpus(source(args.corpus), text=text) as corpus, progress(args.quiet) as on_progress:
        if phrases is None:
            running = {"threads": threads, "cache_dir": args.cache_dir, "on_progress": on_progress}
            phrases = Phrases.learn(corpus, **options, **running, **memory)
        if args.save_phrases:
            phrases.save(args.save_phrases)
        if args.output:
            with closed_pipes():
                phrases.transform(corpus, args.output, threads=threads, on_progress=on_progress, **memory)
    _report(args, phrases, time.perf_counter() - began)


def _check_paths(args: Namespace) -> None:
    """What cannot be read or written is said before the work."""
    from pairloom.system.files import check_folder

    if args.phrases and not args.output:
        raise InputError("--phrases joins phrases in a text, and that has to go somewhere. Name a file by -o.")
    for path in filter(None, (args.output, args.save_phrases)):
        check_folder(path)
        check_not_read(path, *args.corpus, args.phrases, args.connectors)
    if args.output and args.save_phrases and would_overwrite(args.output, [args.save_phrases]):
        raise InputError(f"{args.output} cannot hold both the text and the phrases. Choose another name for one.")


def _options(args: Namespace) -> dict[str, Any]:
    """The options of learning, checked before a stream is read."""
    from pairloom.phrases.scores import PhraseOptions

    options = given(args, _LEARNING)
    if args.phrases and options:
        raise InputError(f"--phrases learns nothing, so there is no use for --{next(iter(options)).replace('_', '-')}.")
    if options.get("connectors", "english") != "english":
        options["connectors"] = words_in(args.connectors)
    PhraseOptions.checked(**options)
    return options


def _report(args: Namespace, phrases: "Phrases", seconds: float) -> None:
    if args.output and args.output.startswith("/dev/"):
        return  # where the text itself went
    if args.json:
        facts = {
            "output": args.output,
            "phrases": len(phrases),
            "seconds": round(seconds, 2),
            "made": dict(phrases.made),
        }
        best = dict(list(phrases.phrases.items())[:_BEST])
        print(json.dumps({**facts, "best": best}, indent=2, ensure_ascii=False))
    elif not args.output:
        for phrase, score in phrases.phrases.items():
            print(f"{score:.6g}\t{phrase}")
    elif not args.quiet:
        print(f"{args.output}: {len(phrases):,} phrases, {seconds:.1f} s")
