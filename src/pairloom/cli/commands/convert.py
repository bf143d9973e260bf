"""pairloom convert: write vectors in another format."""

import json
import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from pairloom.cli.arguments import add_json, whole_number
from pairloom.cli.files import check_not_read, is_file
from pairloom.cli.models import load
from pairloom.errors import InputError
from pairloom.system.display import number_of

if TYPE_CHECKING:
    from pairloom.vectors.embedding import Embedding

GROUP = "convert"
PURPOSE = "write vectors in another format"
EXAMPLE = "pairloom convert GoogleNews-vectors-negative300.bin.gz news.loom --limit 500000 --dtype float16"

_FROM = ("loom", "bin", "text", "glove", "fasttext", "parquet")  # formats.READABLE, without loading NumPy
_TO = ("loom", "bin", "text", "glove", "fasttext", "parquet", "csv", "npz", "tensorboard", "static")
_TO_STDOUT = ("text", "glove", "csv")


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("input", metavar="IN", help="a file of vectors from pairloom, word2vec, GloVe or fastText")
    parser.add_argument(
        "output",
        metavar="OUT",
        help="the file to write: .loom (pairloom), .bin (word2vec binary), .vec or .txt (word2vec text) or .csv, these "
        "also with .gz, .npz (NumPy) or .parquet; for a folder use --to; - is standard output, with --to text, glove "
        "or csv",
    )
    parser.add_argument("--from", dest="of", choices=_FROM, help="format of IN (default: recognised by its content)")
    parser.add_argument(
        "--to", choices=_TO, help="format of OUT (default: by its suffix); tensorboard and static write a folder"
    )
    parser.add_argument("--limit", type=whole_number, metavar="N", help="read only the first N rows")
    parser.add_argument("--contexts", action="store_true", help="write the vectors of contexts instead of words")
    parser.add_argument(
        "--dtype",
        choices=["float32", "float16", "int8"],
        default="float32",
        help="type of the numbers in loom, and but for int8 in static (default: float32)",
    )
    parser.add_argument(
        "--errors",
        choices=["strict", "replace", "ignore"],
        default="strict",
        help="words that are not UTF-8: stop, replace the invalid bytes, or skip these bytes (default: strict)",
    )
    parser.add_argument(
        "--lenient",
        action="store_true",
        help="accept what other programs may write but may be damage too: repeated words (the first row counts), rows "
        "without a word (left out), words with spaces, no newline after the last row, newlines after only some binary "
        "rows",
    )
    add_json(parser)


def run(args: Namespace) -> None:
    from pairloom import formats

    if args.output == "-":
        _check_stdout(args)
    else:
        formats.check_output(args.output, args.to, args.dtype)
        check_not_read(args.output, args.input)
    options = {"limit": args.limit, "format": args.of, "errors": args.errors, "lenient": args.lenient}
    embedding = load(args.input, [] if is_file(args.input) else [args.output], **options)
    if args.contexts:
        embedding = _contexts(embedding, args.input)
    if args.output == "-":
        _print(embedding, args.to)
        return
    embedding.save(args.output, args.to, args.dtype)
    facts = {"output": args.output, "words": len(embedding), "contexts": len(embedding.contexts), "dim": embedding.dim}
    print(
        json.dumps(facts)
        if args.json
        else f"{args.output}: {number_of(len(embedding), 'word')}, {number_of(embedding.dim, 'dimension')}"
    )


def _check_stdout(args: Namespace) -> None:
    if args.to not in _TO_STDOUT or args.json:
        raise InputError("Standard output takes lines of text. Add --to text, glove or csv, and leave out --json.")


def _print(embedding: "Embedding", to: str) -> None:
    from pairloom.formats.write_tables import csv_lines
    from pairloom.formats.write_word2vec import text_lines

    lines = csv_lines(embedding.words) if to == "csv" else text_lines(embedding.words, header=to == "text")
    sys.stdout.flush()
    sys.stdout.buffer.writelines(lines)
    sys.stdout.buffer.flush()


def _contexts(embedding: "Embedding", name: str) -> "Embedding":
    from pairloom.vectors.embedding import Embedding

    if not len(embedding.contexts):
        raise InputError(f"{name} holds no contexts. Leave out --contexts to write the vectors of words.")
    return Embedding.of_words(embedding.contexts, embedding.record)
