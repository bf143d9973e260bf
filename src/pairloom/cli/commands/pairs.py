"""pairloom pairs: write the pairs of parses, graphs or baskets to a file."""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable

from pairloom.cli.arguments import add_json, add_quiet, add_reading, explicit_options, whole_number
from pairloom.cli.files import check_not_read, closed_pipe_is_no_error, input_paths
from pairloom.errors import InputError
from pairloom.system.display import number_of

GROUP = "prepare"
PURPOSE = "extract pairs for `train --pairs` from parses, graphs or baskets"
EXAMPLE = "pairloom pairs conllu parsed.conllu -o pairs.txt --lowercase"

_OPTIONS = {"conllu": ("collapse", "lemmas"), "edges": ("directed",), "baskets": ("largest",)}
_TEXT_OPTIONS = ("lowercase", "encoding", "errors")
_NEGATED = {"collapse": "--no-collapse"}


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("kind", choices=list(_OPTIONS), help="what the files hold")
    parser.add_argument("files", metavar="FILE", nargs="+", help="files, also compressed, or - for standard input")
    parser.add_argument(
        "-o",
        "--output",
        metavar="PAIRS",
        required=True,
        help="the file to write, one pair per line (compressed if it ends in .gz), or - for standard output",
    )
    add_quiet(parser, "a summary")
    add_json(parser)
    _add_conllu(parser)
    edges = parser.add_argument_group("edges: the two ends of each line `u v` or `u v weight`")
    edges.add_argument("--directed", action="store_const", const=True, help="make the pair (u, v) but not (v, u)")
    baskets = parser.add_argument_group("baskets: each item of a line with each other item")
    baskets.add_argument(
        "--largest", type=whole_number, metavar="N", help="stop at a basket of more than N items (default: 1000)"
    )
    add_reading(parser)


def _add_conllu(parser: ArgumentParser) -> None:
    conllu = parser.add_argument_group("conllu: each word with its head and its dependents, and their relation")
    conllu.add_argument("--lemmas", action="store_const", const=True, help="use the LEMMA column instead of FORM")
    conllu.add_argument(
        "--no-collapse",
        dest="collapse",
        action="store_const",
        const=False,
        help="keep prepositions as words, instead of making contexts like prep_with_telescope",
    )


def run(args: Namespace) -> None:
    from pairloom import pairings
    from pairloom.system.files import check_folder

    _check_options(args)
    if args.output != "-":
        check_folder(args.output)
        check_not_read(args.output, *args.files)
    makers: dict[str, Callable[..., pairings.Pairs]] = {
        "conllu": pairings.dependency_pairs,
        "edges": pairings.edge_pairs,
        "baskets": pairings.basket_pairs,
    }
    pairs = makers[args.kind](input_paths(args.files), **explicit_options(args, (*_OPTIONS[args.kind], *_TEXT_OPTIONS)))
    if args.output == "-":
        for lines in pairs.lines():
            sys.stdout.buffer.write("".join(lines).encode())
        return
    with closed_pipe_is_no_error():
        n = pairs.save(args.output)
    if args.output.startswith("/dev/"):
        return  # the pairs themselves may be on stdout
    if args.json:
        print(json.dumps({"output": args.output, "pairs": n}))
    elif not args.quiet:
        print(f"{args.output}: {number_of(n, 'pair')}")


def _check_options(args: Namespace) -> None:
    """Refuse an option of another kind of file, which would silently do nothing."""
    for kind, names in _OPTIONS.items():
        if kind != args.kind:
            for name in explicit_options(args, names):
                option = _NEGATED.get(name, f"--{name}")
                raise InputError(f"{option} is for {kind}, not for {args.kind}. Leave it out.")
