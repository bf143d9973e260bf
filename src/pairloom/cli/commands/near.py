"""pairloom near: the neighbours of words."""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from pairloom.cli.arguments import add_json, whole_number
from pairloom.cli.console import is_conversation, print_message, typed_lines
from pairloom.cli.files import is_file
from pairloom.cli.models import add_matrix_choice, add_model, as_in_text, chosen_vectors, load
from pairloom.errors import InputError

if TYPE_CHECKING:
    from pairloom.vectors.index import Index
    from pairloom.vectors.search import Neighbours
    from pairloom.vectors.vectors import Vectors

GROUP = "ask"
PURPOSE = "print the words nearest to a word, by cosine"
EXAMPLE = "pairloom near king.loom king queen"
OPTION_NAMES = {"topn": "-n"}

NOT_SEEN = "  (not seen in training: from its spelling)"


def arguments(parser: ArgumentParser) -> None:
    add_model(parser)
    parser.add_argument(
        "word", metavar="WORD", nargs="*", default=[], help="words; if none, they are read from stdin, one per line"
    )
    add_search(parser)
    parser.add_argument("--approximate", action="store_true", help="search faster with the index of `pairloom index`")
    parser.add_argument(
        "--chart", metavar="OUT", help="also draw the cosines as bars: .svg, .html or .png, by the end of the name"
    )
    add_matrix_choice(parser)
    add_json(parser, "a line for each word")


def add_search(parser: ArgumentParser) -> None:
    """-n and --restrict-vocab."""
    parser.add_argument("-n", type=whole_number, default=10, metavar="N", help="number of neighbours (default: 10)")
    parser.add_argument(
        "--restrict-vocab", type=whole_number, metavar="N", help="search only the N most frequent words (default: all)"
    )


def run(args: Namespace) -> None:
    if args.chart is not None:
        _check_chart(args)
    embedding = load(args.model, args.word)
    vectors = chosen_vectors(embedding, args)
    index = _index(args, vectors) if args.approximate else None
    check_search(vectors, args)
    found: dict[str, Neighbours] = {}

    def answer(word: str) -> None:
        spelt = as_in_text(embedding, vectors, word)
        near = vectors.most_similar(spelt, topn=args.n, restrict_vocab=args.restrict_vocab, indexer=index)
        seen = spelt in vectors
        print_neighbours(word if seen else word + NOT_SEEN, near, {"word": word, "seen": seen} if args.json else None)
        if args.chart is not None:
            found[word] = near

    try:
        answer_each("near", args.word or sys.stdin or (), answer)
    finally:
        if found:
            _draw(found, args.chart)


def _check_chart(args: Namespace) -> None:
    from pairloom.cli.files import check_not_read
    from pairloom.drawing.picture import check_can_save

    check_can_save(args.chart)
    check_not_read(args.chart, args.model)


def _draw(found: "dict[str, Neighbours]", path: str) -> None:
    from pairloom.cli.files import closed_pipe_is_no_error
    from pairloom.maps.bars import neighbour_chart

    with closed_pipe_is_no_error():
        neighbour_chart(found).save(path)


def check_search(vectors: "Vectors", args: Namespace) -> None:
    """Check -n and --restrict-vocab once, so that a wrong value is not reported for every query."""
    vectors.most_similar_batch([], topn=args.n, restrict_vocab=args.restrict_vocab)


def answer_each(
    command: str, queries: Iterable[str], answer: Callable[[str], None], prompt: str = "word> ", *, blank: bool = False
) -> None:
    """Answer every query. If one fails, report it, answer the others, and exit with its code.

    Queries that a person types at a terminal are asked for by a prompt, and a failed one is no failure of the command.
    Blank ones are passed over there, and elsewhere unless `blank`.
    """
    is_prompt = queries is sys.stdin and is_conversation()
    code = 0
    for query in map(str.strip, typed_lines(prompt) if is_prompt else queries):
        if not query and (is_prompt or not blank):
            continue
        try:
            answer(query)
        except InputError as error:
            hint = f" {query} is a file. To ask for what it holds: pairloom {command} MODEL < {query}"
            print_message(f"pairloom {command}: {error}{hint if is_file(query) else ''}")
            code = error.exit_code
    if code and not is_prompt:
        raise SystemExit(code)


def print_neighbours(title: str, near: list[tuple[str, float]], query: dict[str, object] | None) -> None:
    """Print one answer: a title and a line for each neighbour, or, with a query, JSON that repeats it."""
    if query is not None:
        print(json.dumps({**query, "near": near}, ensure_ascii=False), flush=True)
    else:
        print(title, *(f"  {cosine:6.3f}  {word}" for word, cosine in near), sep="\n", flush=True)


def _index(args: Namespace, vectors: "Vectors") -> "Index":
    from pairloom.vectors.index import SUFFIX, Index

    if args.contexts or args.combined:
        raise InputError("An index holds the words' vectors only. Leave out --approximate, --contexts or --combined.")
    return Index.load(args.model + SUFFIX, vectors)
