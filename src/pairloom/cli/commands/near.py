"""pairloom near: the neighbours of words."""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from pairloom.cli.arguments import say, whole
from pairloom.cli.commands.inputs import add_model, load, side
from pairloom.errors import InputError

if TYPE_CHECKING:
    from pairloom.vectors.index import Index
    from pairloom.vectors.vectors import Vectors

PURPOSE = "the words nearest to a word, by cosine"
EXAMPLE = "pairloom near king.loom king queen"
TYPED = {"topn": "-n"}  # what the library calls otherwise


def arguments(parser: ArgumentParser) -> None:
    """What can be typed after it."""
    add_model(parser)
    parser.add_argument("word", metavar="WORD", nargs="*", help="words; without any, one per line is read from stdin")
    parser.add_argument("-n", type=whole, default=10, metavar="N", help="how many (10)")
    parser.add_argument("--restrict-vocab", type=whole, metavar="N", help="look among the N most frequent words only")
    parser.add_argument("--approximate", action="store_true", help="use the index that `pairloom index` made")
    parser.add_argument("--json", action="store_true", help="print a line of JSON for each word")


def run(args: Namespace) -> None:
    """Answer word after word; one that cannot be answered does not keep the others from it."""
    vectors = side(load(args.model), args)
    index = _index(args, vectors) if args.approximate else None
    vectors.most_similar_batch([], topn=args.n, restrict_vocab=args.restrict_vocab)  # refuses these once, not per word
    failed = None
    for word in asked(args.word):
        try:
            near = vectors.most_similar(word, topn=args.n, restrict_vocab=args.restrict_vocab, indexer=index)
            show(word, near, {"word": word} if args.json else None)
        except InputError as error:
            say(f"pairloom near: {error}")
            failed = error
    if failed:
        raise SystemExit(failed.exit_code)


def asked(words: list[str]) -> Iterator[str]:
    """The words that were typed, or else the lines of stdin."""
    lines: Iterable[str] = words or sys.stdin or ()
    return filter(None, map(str.strip, lines))


def show(query: str, near: list[tuple[str, float]], as_json: dict[str, object] | None) -> None:
    """One answer, as a table or as JSON that begins with what was asked."""
    if as_json is not None:
        print(json.dumps({**as_json, "near": near}, ensure_ascii=False), flush=True)
    else:
        print(query, *(f"  {cosine:6.3f}  {other}" for other, cosine in near), sep="\n", flush=True)


def _index(args: Namespace, vectors: "Vectors") -> "Index":
    from pairloom.vectors.index import SUFFIX, Index

    if args.contexts or args.combined:
        raise InputError("An index is of the words' vectors. Leave out --approximate, --contexts and --combined.")
    return Index.load(args.model + SUFFIX, vectors)
