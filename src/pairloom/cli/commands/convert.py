"""pairloom convert: vectors in another format."""

import json
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from pairloom.cli.arguments import whole
from pairloom.cli.commands.inputs import check_not_read
from pairloom.errors import InputError

if TYPE_CHECKING:
    from pairloom.vectors.embedding import Embedding

PURPOSE = "write vectors in another format"
EXAMPLE = "pairloom convert GoogleNews-vectors-negative300.bin.gz news.loom --limit 500000 --dtype float16"

_FROM = ("loom", "bin", "text", "glove", "fasttext")  # as formats.READABLE, which would bring NumPy
_TO = ("loom", "bin", "text", "glove", "parquet", "tensorboard", "static")


def arguments(parser: ArgumentParser) -> None:
    """What can be typed after it."""
    parser.add_argument("input", metavar="IN", help="a file of vectors: pairloom's, word2vec's, GloVe's or fastText's")
    parser.add_argument(
        "output",
        metavar="OUT",
        help=".loom is ours, .bin word2vec binary, .vec and .txt word2vec text (these three also with .gz), "
        ".parquet a table; a folder needs --to",
    )
    parser.add_argument("--from", dest="of", choices=_FROM, help="the format of IN (found out from its content)")
    parser.add_argument(
        "--to", choices=_TO, help="the format of OUT (by its suffix); tensorboard and static are folders"
    )
    parser.add_argument("--limit", type=whole, metavar="N", help="only the first N rows")
    parser.add_argument("--contexts", action="store_true", help="write the contexts' vectors instead of the words'")
    parser.add_argument("--dtype", choices=["float32", "float16"], default="float32", help="for loom and static")
    parser.add_argument(
        "--errors", choices=["strict", "replace", "ignore"], default="strict", help="words that are not UTF-8 (strict)"
    )
    parser.add_argument(
        "--lenient",
        action="store_true",
        help="take files of other programs that look damaged and may be whole: words twice (the first row counts), "
        "spaces in words, no end of the last line, line feeds only between some rows",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: Namespace) -> None:
    """Do it."""
    from pairloom import formats

    formats.check_output(args.output, args.to, args.dtype)
    check_not_read(args.output, args.input)
    embedding = formats.load(args.input, limit=args.limit, format=args.of, errors=args.errors, lenient=args.lenient)
    if args.contexts:
        embedding = _contexts(embedding, args.input)
    embedding.save(args.output, args.to, args.dtype)
    facts = {"output": args.output, "words": len(embedding), "contexts": len(embedding.contexts), "dim": embedding.dim}
    print(json.dumps(facts) if args.json else f"{args.output}: {len(embedding):,} words, {embedding.dim} dimensions")


def _contexts(embedding: "Embedding", name: str) -> "Embedding":
    from pairloom.vectors.embedding import Embedding

    if not len(embedding.contexts):
        raise InputError(f"{name} holds no contexts. Leave out --contexts to write the words' vectors.")
    return Embedding.of_words(embedding.contexts, embedding.record)
