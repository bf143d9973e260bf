"""pairloom spell: give a model vectors for words that it has never seen."""

import json
import time
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from pairloom.cli.arguments import add_running, explicit_options, number, whole_number
from pairloom.cli.console import progress
from pairloom.cli.files import check_not_read
from pairloom.cli.models import add_model, load
from pairloom.system.display import number_of

if TYPE_CHECKING:
    from pairloom.vectors.embedding import Embedding

GROUP = "learn"
PURPOSE = "make vectors for unknown words possible, from how words are spelled"
EXAMPLE = "pairloom spell king.loom -o spelled.loom && pairloom near spelled.loom kinglike"


def arguments(parser: ArgumentParser) -> None:
    add_model(parser)
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        required=True,
        help="the file to write: the model with its n-grams, as .loom, or as fastText's .bin with --to fasttext",
    )
    parser.add_argument("--to", choices=["loom", "fasttext"], default="loom", help="format of OUT (default: loom)")
    parser.add_argument("--minn", type=whole_number, metavar="N", help="fewest letters of an n-gram (default: 3)")
    parser.add_argument("--maxn", type=whole_number, metavar="N", help="most letters of an n-gram (default: 6)")
    parser.add_argument(
        "--buckets",
        type=whole_number,
        metavar="N",
        help="number of buckets that n-grams are hashed into (default: 2000000, as in fastText); fewer make a smaller "
        "fastText file, and vectors that are slightly worse",
    )
    parser.add_argument(
        "--l2",
        type=number,
        metavar="X",
        help="weight of the penalty on the rows of n-grams (default: chosen by words that are left out for this)",
    )
    add_running(parser)


def run(args: Namespace) -> None:
    from pairloom import formats

    formats.check_output(args.output, args.to)
    check_not_read(args.output, args.model)
    options = explicit_options(args, ("minn", "maxn", "buckets", "l2", "threads"))
    model = load(args.model)
    began = time.perf_counter()
    with progress(args.quiet) as on_progress:
        spelled = model.with_spelling(on_progress=on_progress, **options)
    spelled.save(args.output, args.to)
    _report(args, spelled, time.perf_counter() - began)


def _report(args: Namespace, spelled: "Embedding", seconds: float) -> None:
    made = spelled.record["spelling"]
    facts = {"output": args.output, "words": len(spelled), **made, "seconds": round(seconds, 2)}
    if args.json:
        print(json.dumps(facts, indent=2))
    elif not args.quiet:
        words, ngrams = number_of(len(spelled), "word"), number_of(made["ngrams"], "n-gram")
        print(f"{args.output}: {words}, {ngrams}, l2 {made['l2']:g}{_explained(made['heldout'])}, {seconds:.1f} s")


def _explained(heldout: dict[str, float | None]) -> str:
    share = heldout["explained"]
    return "" if share is None else f", explains {share:z.0%} of {heldout['words']:,} words left out"
