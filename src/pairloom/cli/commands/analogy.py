"""pairloom analogy: a is to b as c is to what?"""

import sys
from argparse import ArgumentParser, Namespace

from pairloom.cli.arguments import add_json
from pairloom.cli.commands.near import add_search, answer_each, check_search, print_neighbours
from pairloom.cli.models import add_matrix_choice, add_model, as_in_text, chosen_vectors, load
from pairloom.errors import InputError

GROUP = "ask"
PURPOSE = "answer: a is to b as c is to what?"
EXAMPLE = "pairloom analogy king.loom man king woman"
OPTION_NAMES = {"topn": "-n"}


def arguments(parser: ArgumentParser) -> None:
    parser.usage = "%(prog)s MODEL A B C [options]\n       %(prog)s MODEL [options] < QUESTIONS"
    add_model(parser)
    parser.add_argument(
        "word",
        metavar="A B C",
        nargs="*",
        default=[],
        help="three words; if none, questions are read from stdin, three words per line",
    )
    add_search(parser)
    parser.add_argument(
        "--method",
        choices=["add", "mul"],
        default="add",
        help="3CosAdd (b - a + c) or 3CosMul (b * c / a) (default: add)",
    )
    add_matrix_choice(parser)
    add_json(parser, "a line for each question")


def run(args: Namespace) -> None:
    embedding = load(args.model, args.word)
    vectors = chosen_vectors(embedding, args)
    check_search(vectors, args)
    most_similar = vectors.most_similar if args.method == "add" else vectors.most_similar_cosmul

    def answer(question: str) -> None:
        a, b, c = (as_in_text(embedding, vectors, word) for word in _three_words(question))
        near = most_similar([b, c], [a], args.n, restrict_vocab=args.restrict_vocab)
        print_neighbours(f"{a} : {b} = {c} :", near, {"words": [a, b, c]} if args.json else None)

    answer_each("analogy", [" ".join(args.word)] if args.word else sys.stdin or (), answer, "three words> ")


def _three_words(question: str) -> list[str]:
    words = question.split()
    if len(words) != 3:
        raise InputError(f"{question[:60]!r} is not a question. Give three words, for example: man king woman")
    return words
