"""wordloom near: the neighbours of words."""

import json
import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from wordloom.arguments import say, whole
from wordloom.commands.inputs import load
from wordloom.errors import UnknownWordError

if TYPE_CHECKING:
    from wordloom.vectors import Vectors

PURPOSE = "the words nearest to a word, by cosine"
EXAMPLE = "wordloom near king.loom king queen"


def arguments(parser: ArgumentParser) -> None:
    """What can be typed after it."""
    parser.add_argument("model", metavar="MODEL", help="a .loom or .safetensors file")
    parser.add_argument("word", metavar="WORD", nargs="*", help="words; without any, one per line is read from stdin")
    parser.add_argument("-n", type=whole, default=10, metavar="N", help="how many (10)")
    parser.add_argument("--contexts", action="store_true", help="ask the contexts' vectors instead of the words'")
    parser.add_argument("--json", action="store_true", help="print a line of JSON for each word")


def run(args: Namespace) -> None:
    """Do it."""
    embedding = load(args.model)
    vectors = embedding.contexts if args.contexts else embedding.words
    unknown = None
    for word in args.word or (line.strip() for line in sys.stdin or ()):
        try:
            if word:
                _print_neighbours(vectors, word, args)
        except UnknownWordError as error:  # the others are answered all the same
            say(f"wordloom near: {error}")
            unknown = error
    if unknown:
        raise SystemExit(unknown.exit_code)


def _print_neighbours(vectors: "Vectors", word: str, args: Namespace) -> None:
    near = vectors.most_similar(word, topn=args.n)
    if args.json:
        print(json.dumps({"word": word, "near": near}, ensure_ascii=False))
    else:
        print(word, *(f"  {cosine:6.3f}  {other}" for other, cosine in near), sep="\n")
