"""pairloom fold-in: a model gets vectors for new words, and keeps those it has."""

import json
import time
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from pairloom.cli.arguments import add_cache_dir, add_corpus, add_running, number, whole
from pairloom.cli.commands.inputs import check_not_read, given, load, source, words_in
from pairloom.cli.console import progress
from pairloom.config import checked_threads

if TYPE_CHECKING:
    from pairloom.fold_in.fold_in import FoldedIn

PURPOSE = "give a model vectors for new words, and leave its own as they are"
EXAMPLE = "pairloom fold-in king.loom news.txt -o more.loom --min-count 10"

_OPTIONS = ("min_count", "l2", "most_contexts", "window", "sample", "negatives", "noise_power")
_TEXT = ("lowercase", "encoding", "errors", "max_sentence")
_SHOWN = 10  # words left out that are named


def arguments(parser: ArgumentParser) -> None:
    """What can be typed after it."""
    parser.add_argument("model", metavar="MODEL", help="a .loom file with words and contexts")
    add_corpus(parser)
    parser.add_argument(
        "-o", "--output", metavar="OUT", required=True, help="the file to write: the model and new words"
    )
    parser.add_argument("--only-new", action="store_true", help="write the new words alone")
    what = parser.add_argument_group("what to solve for")
    what.add_argument("--words", metavar="FILE", help="file of the new words, one per line")
    what.add_argument(
        "--min-count", type=whole, metavar="N", help="without --words: all unknown words seen so often (as in training)"
    )
    what.add_argument("--side", choices=["words", "contexts"], help="contexts keeps the words as they are (words)")
    what.add_argument(
        "--pairs", action="store_true", help="CORPUS is lines of `word context` or `word context weight`, not text"
    )
    how = parser.add_argument_group("how")
    how.add_argument("--l2", type=number, metavar="X", help="how strongly vectors are held to 0 (20)")
    how.add_argument("--most-contexts", type=whole, metavar="N", help="of more contexts so many stand for all (256)")
    for name, kind, metavar in (("window", whole, "N"), ("sample", number, "T"), ("negatives", whole, "K")):
        how.add_argument(f"--{name}", type=kind, metavar=metavar, help="as for train (as the model was trained)")
    how.add_argument("--noise-power", type=number, metavar="P", help="as for train (as the model was trained)")
    add_running(parser)
    add_cache_dir(parser)


def run(args: Namespace) -> None:
    """Do it."""
    from pairloom import formats

    checked_threads(args.threads)
    formats.check_output(args.output)
    check_not_read(args.output, args.model, *args.corpus, args.words)
    options = given(args, ("side", *_OPTIONS)) | ({"words": words_in(args.words)} if args.words else {})
    model = load(args.model)
    began = time.perf_counter()
    with progress(args.quiet) as on_progress:
        read = {"pairs" if args.pairs else "corpus": source(args.corpus), **given(args, _TEXT)}
        running = {"threads": args.threads, "cache_dir": args.cache_dir, "on_progress": on_progress}
        folded = model.fold_in(**read, **options, **running)
    _save(model, folded, args)
    _report(args, folded, time.perf_counter() - began)


def _save(model: Any, folded: "FoldedIn", args: Namespace) -> None:
    from pairloom.vectors.embedding import Embedding

    record = {**model.record, "folded_in": [folded.record]}
    whole = Embedding.of_words(folded.vectors, record) if args.only_new else model.with_words(folded)
    whole.save(args.output)


def _report(args: Namespace, folded: "FoldedIn", seconds: float) -> None:
    facts = {
        "output": args.output,
        "new": len(folded.vectors),
        "left_out": folded.left_out,
        "seconds": round(seconds, 2),
    }
    if args.json:
        print(json.dumps({**facts, "made": folded.record}, indent=2, ensure_ascii=False))
    elif not args.quiet:
        print(f"{args.output}: {len(folded.vectors):,} new {folded.side}{_left_out(folded.left_out)}, {seconds:.1f} s")


def _left_out(words: list[str]) -> str:
    if not words:
        return ""
    shown = " ".join(words[:_SHOWN]) + (" ..." if len(words) > _SHOWN else "")
    return f" ({len(words):,} without any known context left out: {shown})"
