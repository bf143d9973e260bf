"""pairloom align: rotate a model into the space of another."""

import json
from argparse import ArgumentParser, Namespace

from pairloom.cli.arguments import add_running
from pairloom.cli.console import progress
from pairloom.cli.files import check_not_read
from pairloom.cli.models import load
from pairloom.config import checked_threads
from pairloom.system.display import number_of

GROUP = "convert"
PURPOSE = "rotate a model into the space of another"
EXAMPLE = "pairloom align 1990s.loom --to 1960s.loom -o 1990s-aligned.loom"


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "model", metavar="MODEL", help="the model to rotate, in any format that `pairloom convert` reads"
    )
    parser.add_argument("--to", required=True, metavar="OTHER", help="the model whose space it shall have")
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="OUT",
        help="the file to write: .loom, or .bin or .vec without contexts",
    )
    add_running(parser)


def run(args: Namespace) -> None:
    checked_threads(args.threads)
    from pairloom import formats
    from pairloom.judging.comparison import align

    formats.check_output(args.output, None, "float32")
    check_not_read(args.output, args.model, args.to)
    model, target = load(args.model), load(args.to)
    with progress(args.quiet) as on_progress:
        aligned = align(model, to=target, threads=args.threads, on_progress=on_progress)
    aligned.save(args.output)
    facts = {"output": args.output, **aligned.record["aligned"]}
    if args.json:
        print(json.dumps(facts))
    elif not args.quiet:
        common = number_of(facts["words"], "common word")
        print(f"{args.output}: rotated on {common}, whose cosine to themselves is now {facts['cosine']:.3f} on average")
