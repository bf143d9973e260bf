"""pairloom analogy: a is to b as c is to what?"""

from argparse import ArgumentParser, Namespace

from pairloom.cli.arguments import say, whole
from pairloom.cli.commands.inputs import add_model, load, side
from pairloom.cli.commands.near import asked, show
from pairloom.errors import InputError

PURPOSE = "a is to b as c is to what?"
EXAMPLE = "pairloom analogy king.loom man king woman"
TYPED = {"topn": "-n"}  # what the library calls otherwise


def arguments(parser: ArgumentParser) -> None:
    """What can be typed after it."""
    add_model(parser)
    parser.add_argument("word", metavar="A B C", nargs="*", help="three words; without any, lines of three from stdin")
    parser.add_argument("-n", type=whole, default=10, metavar="N", help="how many answers (10)")
    parser.add_argument(
        "--method", choices=["add", "mul"], default="add", help="3CosAdd: b - a + c; 3CosMul: b c / a (add)"
    )
    parser.add_argument("--restrict-vocab", type=whole, metavar="N", help="look among the N most frequent words only")
    parser.add_argument("--json", action="store_true", help="print a line of JSON for each question")


def run(args: Namespace) -> None:
    """Answer question after question; one that cannot be answered does not keep the others from it."""
    vectors = side(load(args.model), args)
    vectors.most_similar_batch([], topn=args.n, restrict_vocab=args.restrict_vocab)  # refuses these once, not per line
    ask = vectors.most_similar if args.method == "add" else vectors.most_similar_cosmul
    failed = None
    for line in asked([" ".join(args.word)] if args.word else []):
        try:
            a, b, c = _three(line)
            near = ask([b, c], [a], args.n, restrict_vocab=args.restrict_vocab)
            show(f"{a} : {b} = {c} :", near, {"words": [a, b, c]} if args.json else None)
        except InputError as error:
            say(f"pairloom analogy: {error}")
            failed = error
    if failed:
        raise SystemExit(failed.exit_code)


def _three(line: str) -> list[str]:
    words = line.split()
    if len(words) != 3:
        raise InputError(f"{line[:60]!r} is not a question: give three words, as in: man king woman")
    return words
