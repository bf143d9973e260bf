"""pairloom similarity: the cosine of pairs of words."""

import json
import sys
from argparse import ArgumentParser, Namespace

from pairloom.cli.arguments import add_json
from pairloom.cli.commands.near import answer_each
from pairloom.cli.models import add_matrix_choice, add_model, as_in_text, chosen_vectors, load
from pairloom.errors import InputError

GROUP = "ask"
PURPOSE = "print how similar two words are, by cosine"
EXAMPLE = "pairloom similarity king.loom king queen"


def arguments(parser: ArgumentParser) -> None:
    parser.usage = "%(prog)s MODEL A B [A B ...] [options]\n       %(prog)s MODEL [options] < PAIRS"
    add_model(parser)
    parser.add_argument(
        "word",
        metavar="A B",
        nargs="*",
        default=[],
        help="pairs of words; if none, they are read from stdin, two words per line",
    )
    add_matrix_choice(parser)
    add_json(parser, "a line for each pair")


def run(args: Namespace) -> None:
    if len(args.word) % 2:
        raise InputError(f"{args.word[-1]!r} has no second word. Give pairs of words, for example: king queen")
    embedding = load(args.model, args.word)
    vectors = chosen_vectors(embedding, args)

    def answer(pair: str) -> None:
        words = pair.split("\t") if "\t" in pair else pair.split()  # a tab lets words have spaces
        if len(words) != 2:
            raise InputError(f"{pair[:60]!r} is not a pair. Give two words, for example: king queen")
        a, b = (as_in_text(embedding, vectors, word) for word in words)
        cosine = vectors.similarity(a, b)
        facts = {"words": [a, b], "similarity": cosine}
        print(json.dumps(facts, ensure_ascii=False) if args.json else f"{cosine:6.3f}  {a} {b}", flush=True)

    pairs = zip(args.word[::2], args.word[1::2], strict=True)
    answer_each("similarity", map("\t".join, pairs) if args.word else sys.stdin or (), answer, "two words> ")
