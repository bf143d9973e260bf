"""pairloom fold-in: add vectors of new words to a model, and leave its own vectors unchanged."""

import json
import time
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from pairloom.cli.arguments import add_corpus, add_running, explicit_options, number, whole_number
from pairloom.cli.console import progress
from pairloom.cli.files import check_not_read, input_paths, read_words
from pairloom.cli.models import load

if TYPE_CHECKING:
    from pairloom.unseen.fold_in.fold_in import FoldedIn
    from pairloom.vectors.embedding import Embedding

GROUP = "learn"
PURPOSE = "add vectors of new words to a model, and leave its own vectors unchanged"
EXAMPLE = "pairloom fold-in king.loom news.txt -o more.loom --min-count 10"

_OPTIONS = ("side", "min_count", "l2", "most_contexts", "window", "sample", "negatives", "noise_power")
_TEXT_OPTIONS = (
    "lowercase",
    "encoding",
    "errors",
    "max_sentence",
    "as_text",
    "tokenize",
    "column",
    "session",
    "item",
    "order",
)
_MOST_SHOWN = 10  # of the words left out


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="a .loom file with words and contexts")
    parser.add_argument(
        "-o", "--output", metavar="OUT", required=True, help="the file to write: the model with the new words"
    )
    parser.add_argument("--only-new", action="store_true", help="write only the new words")
    add_corpus(parser)
    _add_words(parser)
    _add_solving(parser)
    add_running(parser, cache_dir=True)


def _add_words(parser: ArgumentParser) -> None:
    words = parser.add_argument_group("which words to add")
    words.add_argument("--words", metavar="FILE", help="the new words, one per line (default: all unknown words)")
    words.add_argument(
        "--min-count",
        type=whole_number,
        metavar="N",
        help="without --words, ignore words that occur fewer than N times (default: as for training)",
    )
    words.add_argument("--side", choices=["words", "contexts"], help="add new words, or new contexts (default: words)")
    words.add_argument(
        "--pairs",
        action="store_true",
        help="CORPUS holds pairs instead of text: `word context` or `word context weight` per line",
    )


def _add_solving(parser: ArgumentParser) -> None:
    solving = parser.add_argument_group("how to compute the vectors")
    solving.add_argument(
        "--l2", type=number, metavar="X", help="weight of the penalty on the length of a vector (default: 20)"
    )
    solving.add_argument(
        "--most-contexts",
        type=whole_number,
        metavar="N",
        help="if a word has more than N contexts, use N that represent them all (default: 256)",
    )
    for name, kind, metavar in (
        ("window", whole_number, "N"),
        ("sample", number, "T"),
        ("negatives", whole_number, "K"),
        ("noise-power", number, "P"),
    ):
        solving.add_argument(
            f"--{name}", type=kind, metavar=metavar, help="as in `pairloom train` (default: as the model was trained)"
        )


def run(args: Namespace) -> None:
    from pairloom import formats

    formats.check_output(args.output)
    check_not_read(args.output, args.model, *args.corpus, args.words)
    options = explicit_options(args, (*_OPTIONS, *_TEXT_OPTIONS))
    if args.words:
        options["words"] = read_words(args.words)
    model = load(args.model, args.corpus)
    paths = input_paths(args.corpus)
    began = time.perf_counter()
    with progress(args.quiet) as on_progress:
        folded = model.fold_in(
            None if args.pairs else paths,
            pairs=paths if args.pairs else None,
            threads=args.threads,
            cache_dir=args.cache_dir,
            on_progress=on_progress,
            **options,
        )
    _save(model, folded, args)
    _report(args, folded, time.perf_counter() - began)


def _save(model: "Embedding", folded: "FoldedIn", args: Namespace) -> None:
    from pairloom.vectors.embedding import Embedding

    record = {**model.record, "folded_in": [folded.record]}
    result = Embedding.of_words(folded.vectors, record) if args.only_new else model.with_words(folded)
    result.save(args.output)


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
    shown = " ".join(words[:_MOST_SHOWN]) + (" ..." if len(words) > _MOST_SHOWN else "")
    return f" ({len(words):,} left out for lack of a known context: {shown})"
