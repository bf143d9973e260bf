"""pairloom distance: the original's questions and answers about neighbours."""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from pairloom.cli.arguments import say
from pairloom.cli.commands.inputs import load
from pairloom.errors import InputError, UnknownWordError

if TYPE_CHECKING:
    from pairloom.vectors.vectors import Vectors

PURPOSE = "neighbours of words and sums of words, asked as in the original program"
EXAMPLE = "echo 'new york' | pairloom distance vectors.bin"

N = 40  # closest words that are shown, as in the original
_RULE = "-" * 72
_UNKNOWN = "Out of dictionary word!"


def arguments(parser: ArgumentParser) -> None:
    """What can be typed after it."""
    parser.add_argument("model", metavar="FILE", help="a file of vectors, of any format")
    parser.add_argument("--json", action="store_true", help="print a line of JSON for each question")


def run(args: Namespace) -> None:
    """Answer line after line: the words of a line are added up."""
    vectors = load(args.model).words

    def ask(words: list[str]) -> list[tuple[str, float]]:
        return vectors.most_similar(words, topn=N)

    converse("Enter word or sentence (EXIT to break): ", "Cosine distance", args.json, vectors, ask)


def converse(
    prompt: str, column: str, as_json: bool, vectors: "Vectors", ask: Callable[[list[str]], list[tuple[str, float]]]
) -> None:
    """Prompts and tables in the layout of the original, until EXIT or the end of the input."""
    for words in _questions("" if as_json else prompt):
        for word in [] if as_json else words:
            print(f"\nWord: {word}  Position in vocabulary: {vectors.key_to_index.get(word, -1)}")
            if word not in vectors:
                break
        try:
            near = ask(words)
        except UnknownWordError:
            print(json.dumps({"words": words, "near": None}, ensure_ascii=False) if as_json else _UNKNOWN, flush=True)
        except InputError as error:
            say(str(error))
        else:
            _show(words, near, column, as_json)


def _show(words: list[str], near: list[tuple[str, float]], column: str, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"words": words, "near": near}, ensure_ascii=False), flush=True)
        return
    print(f"\n{'Word':>50}{column:>22}\n{_RULE}")
    for word, score in near:
        print(f"{word:>50}\t\t{score:f}")


def _questions(prompt: str) -> Iterator[list[str]]:
    while True:
        print(prompt, end="", flush=True)
        line = sys.stdin.readline() if sys.stdin is not None else ""
        if not line or line.strip() == "EXIT":
            return
        if line.strip():
            yield line.split()
