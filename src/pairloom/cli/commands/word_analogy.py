"""pairloom word-analogy: analogies, with the prompts and tables of word2vec's word-analogy."""

from argparse import ArgumentParser, Namespace

from pairloom.cli.arguments import add_json
from pairloom.cli.commands.distance import N_CLOSEST, answer_lines
from pairloom.cli.models import add_model, load
from pairloom.errors import InputError

GROUP = "word2vec"
PURPOSE = "answer analogies, like word2vec's word-analogy"
EXAMPLE = "echo 'man king woman' | pairloom word-analogy vectors.bin"


def arguments(parser: ArgumentParser) -> None:
    add_model(parser)
    add_json(parser, "a line for each question")


def run(args: Namespace) -> None:
    vectors = load(args.model).words

    def nearest_to_b_minus_a_plus_c(words: list[str]) -> list[tuple[str, float]]:
        if len(words) < 3:
            raise InputError(f"{' '.join(words)!r} is not a question. Enter three words, for example: man king woman")
        a, b, c = words[:3]  # the original ignores further words too
        return vectors.most_similar([b, c], [a], topn=N_CLOSEST)

    answer_lines("Enter three words (EXIT to break): ", "Distance", args.json, vectors, nearest_to_b_minus_a_plus_c)
