"""pairloom pairs: parses, graphs and baskets become a file of pairs."""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable

from pairloom.cli.arguments import whole
from pairloom.cli.commands.inputs import check_not_read, closed_pipes, given, source
from pairloom.errors import InputError

PURPOSE = "make pairs `word context [weight]` of parses, graphs or baskets"
EXAMPLE = "pairloom pairs conllu parsed.conllu -o pairs.txt --lowercase"

_TEXT = ("lowercase", "encoding", "errors")
_OPTIONS = {"conllu": ("collapse", "lemmas"), "edges": ("directed",), "baskets": ("largest",)}
_SWITCHES = {"collapse": "--no-collapse"}


def arguments(parser: ArgumentParser) -> None:
    """What can be typed after it."""
    parser.add_argument("kind", choices=list(_OPTIONS), help="what the files are")
    parser.add_argument("files", metavar="FILE", nargs="+", help="files, packed or not; - is stdin")
    parser.add_argument(
        "-o", "--output", metavar="PAIRS", required=True, help="a line for each pair; packed if .gz, - is stdout"
    )
    conllu = parser.add_argument_group("conllu: each word with what it modifies and what modifies it, and how")
    conllu.add_argument("--lemmas", action="store_const", const=True, help="take LEMMA instead of FORM")
    conllu.add_argument(
        "--no-collapse",
        dest="collapse",
        action="store_const",
        const=False,
        help="leave prepositions words, instead of prep_with_telescope",
    )
    edges = parser.add_argument_group("edges: lines `u v` or `u v weight`")
    edges.add_argument("--directed", action="store_const", const=True, help="the pair (u, v) alone, not (v, u)")
    baskets = parser.add_argument_group("baskets: lines of items, each with each other")
    baskets.add_argument("--largest", type=whole, metavar="N", help="a basket of more items is an error (1000)")
    reading = parser.add_argument_group("reading")
    reading.add_argument("--lowercase", action="store_const", const=True, help="fold all to lower case")
    reading.add_argument("--encoding", metavar="NAME", help="encoding of the file (utf-8)")
    reading.add_argument("--errors", choices=["strict", "replace", "ignore"], help="what to do with bad bytes (strict)")
    parser.add_argument("--quiet", action="store_true", help="no summary")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: Namespace) -> None:
    """Do it."""
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
    pairs = makers[args.kind](source(args.files), **given(args, (*_OPTIONS[args.kind], *_TEXT)))
    if args.output == "-":
        for lines in pairs.lines():
            sys.stdout.buffer.write("".join(lines).encode())
        return
    with closed_pipes():
        n = pairs.save(args.output)
    if args.output.startswith("/dev/"):
        return  # where the pairs themselves went
    if args.json:
        print(json.dumps({"output": args.output, "pairs": n}))
    elif not args.quiet:
        print(f"{args.output}: {n:,} pairs")


def _check_options(args: Namespace) -> None:
    """An option of another kind would do nothing, and nobody would notice."""
    for kind, names in _OPTIONS.items():
        if kind != args.kind:
            for name in given(args, names):
                option = _SWITCHES.get(name, f"--{name}")
                raise InputError(f"{option} is for {kind}, and these are {args.kind}. Leave it out.")
