"""pairloom word-analogy: the original's questions and answers about analogies."""

from argparse import ArgumentParser, Namespace

from pairloom.cli.commands.distance import N, converse
from pairloom.cli.commands.inputs import load
from pairloom.errors import InputError

PURPOSE = "analogies, asked as in the original program"
EXAMPLE = "echo 'man king woman' | pairloom word-analogy vectors.bin"


def arguments(parser: ArgumentParser) -> None:
    """What can be typed after it."""
    parser.add_argument("model", metavar="FILE", help="a file of vectors, of any format")
    parser.add_argument("--json", action="store_true", help="print a line of JSON for each question")


def run(args: Namespace) -> None:
    """a b c: the words nearest to b - a + c."""
    vectors = load(args.model).words

    def ask(words: list[str]) -> list[tuple[str, float]]:
        if len(words) < 3:
            raise InputError(f"{len(words)} words are too few for a question. Enter three, as in: man king woman")
        a, b, c = words[:3]  # the original takes the first three too
        return vectors.most_similar([b, c], [a], topn=N)

    converse("Enter three words (EXIT to break): ", "Distance", args.json, vectors, ask)
