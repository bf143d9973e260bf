"""pairloom distance: neighbours, with the prompts and tables of word2vec's distance."""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from pairloom.cli.arguments import add_json
from pairloom.cli.console import print_message
from pairloom.cli.models import add_model, load
from pairloom.errors import InputError, UnknownWordError

if TYPE_CHECKING:
    from pairloom.vectors.vectors import Vectors

GROUP = "word2vec"
PURPOSE = "print the neighbours of words and of sums of words, like word2vec's distance"
EXAMPLE = "echo 'new york' | pairloom distance vectors.bin"

N_CLOSEST = 40  # as in word2vec's distance.c
_RULE = "-" * 72
_UNKNOWN = "Out of dictionary word!"


def arguments(parser: ArgumentParser) -> None:
    add_model(parser)
    add_json(parser, "a line for each question")


def run(args: Namespace) -> None:
    vectors = load(args.model).words

    def nearest_to_sum(words: list[str]) -> list[tuple[str, float]]:
        return vectors.most_similar(words, topn=N_CLOSEST)

    answer_lines("Enter word or sentence (EXIT to break): ", "Cosine distance", args.json, vectors, nearest_to_sum)


def answer_lines(
    prompt: str, column: str, as_json: bool, vectors: "Vectors", nearest: Callable[[list[str]], list[tuple[str, float]]]
) -> None:
    """Answer lines of words until EXIT or the end of stdin, in the layout of the original programs."""
    for words in _lines("" if as_json else prompt):
        if not as_json:
            _print_positions(words, vectors)
        try:
            near = nearest(words)
        except UnknownWordError:
            print(json.dumps({"words": words, "near": None}, ensure_ascii=False) if as_json else _UNKNOWN, flush=True)
        except InputError as error:
            print_message(str(error))
        else:
            _print_answer(words, near, column, as_json)


def _lines(prompt: str) -> Iterator[list[str]]:
    """The words of each line of stdin that is not blank."""
    while True:
        print(prompt, end="", flush=True)
        line = sys.stdin.readline() if sys.stdin is not None else ""
        if not line or line.strip() == "EXIT":
            return
        if line.strip():
            yield line.split()


def _print_positions(words: list[str], vectors: "Vectors") -> None:
    """As the original does, up to the first unknown word."""
    for word in words:
        print(f"\nWord: {word}  Position in vocabulary: {vectors.key_to_index.get(word, -1)}")
        if word not in vectors:
            return


def _print_answer(words: list[str], near: list[tuple[str, float]], column: str, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"words": words, "near": near}, ensure_ascii=False), flush=True)
        return
    print(f"\n{'Word':>50}{column:>22}\n{_RULE}")
    for word, score in near:
        print(f"{word:>50}\t\t{score:f}")
