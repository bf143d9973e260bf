"""pairloom explain: why a model works, from the counts of its corpus; or why two of its words are alike."""

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pairloom.cli.arguments import add_cache_dir, add_max_memory, add_running, whole
from pairloom.cli.commands.inputs import check_not_read, closed_pipes, given, load, source
from pairloom.cli.commands.tables import print_table
from pairloom.cli.console import progress
from pairloom.config import TextOptions, checked_threads
from pairloom.corpus.finding import names_files
from pairloom.errors import InputError
from pairloom.progress import OnProgress
from pairloom.system.memory import checked_size

if TYPE_CHECKING:
    from pairloom.explanation import SharedContexts
    from pairloom.explanation.tables import Table
    from pairloom.pairs.cooccurrence import Cooccurrences
    from pairloom.vectors.embedding import Embedding

PURPOSE = "why a model works, or why two words are alike"
EXAMPLE = "pairloom explain king.loom corpus.txt --page king.html; pairloom explain king.loom king queen"
TYPED = {"topn": "-n"}


def arguments(parser: ArgumentParser) -> None:
    """What can be typed after it."""
    parser.add_argument("model", metavar="MODEL", help="a .loom file that was trained on text")
    parser.add_argument(
        "what",
        metavar="CORPUS | WORD WORD",
        nargs="+",
        help="the text that it was trained on: files, globs, folders, - for stdin; or two words, if there are no such "
        "files",
    )
    parser.add_argument("--page", metavar="OUT.html", help="write a page with plots too; it needs no network")
    words = parser.add_argument_group("two words")
    words.add_argument("-n", type=whole, default=10, metavar="N", help="contexts on either side (10)")
    words.add_argument("--corpus", metavar="CORPUS", nargs="+", help="the text, to count the contexts in")
    reading = parser.add_argument_group("reading, where it was not as the model's record says")
    reading.add_argument("--lowercase", action="store_const", const=True, help="fold words to lower case")
    reading.add_argument("--encoding", metavar="NAME", help="encoding of the text (utf-8)")
    reading.add_argument("--errors", choices=["strict", "replace", "ignore"], help="what to do with bad bytes (strict)")
    parser.add_argument(
        "--most-products",
        type=whole,
        metavar="N",
        help="the objective takes all words with all contexts; with more than this, only the most frequent words "
        "(5000000000)",
    )
    add_running(parser)
    add_max_memory(parser)
    add_cache_dir(parser)


def run(args: Namespace) -> None:
    """Do it."""
    checked_threads(args.threads)
    args.max_memory = checked_size(args.max_memory)
    embedding = load(args.model)
    if len(args.what) == 2 and not any(map(names_files, args.what)):
        _explain_words(embedding, args)
    else:
        _explain_model(embedding, args)


def _explain_words(embedding: "Embedding", args: Namespace) -> None:
    from pairloom.explanation import explain_similarity
    from pairloom.explanation.report import as_plain_data
    from pairloom.explanation.tables import similarity_tables

    if args.page is not None:
        raise InputError("A page is made of a corpus, not of two words. Leave out --page, or give the corpus.")
    a, b = args.what
    asked: dict[str, Any] = {"topn": args.n, "max_memory": args.max_memory}
    explain_similarity(embedding, a, b, **asked)  # refuses before a corpus is counted
    with progress(args.quiet) as on_progress:
        counts = _counts(embedding, args, on_progress) if args.corpus else None
    found = explain_similarity(embedding, a, b, counts=counts, **asked)
    if args.json:
        facts = as_plain_data(found)
        del facts["contributions"]  # as many as there are contexts
        print(json.dumps(facts, indent=2, ensure_ascii=False))
    else:
        print(_sentence(found))
        for table in similarity_tables(found):
            if table.rows:
                print()
                _print(table)


def _sentence(found: "SharedContexts") -> str:
    parts = f"{found.common:.4f} that all words have in common + {found.contributions.sum():.4f} by contexts"
    rest = f" + {found.unexplained:.4f} unexplained" if abs(found.unexplained) >= 5e-5 else ""
    half = f"{found.half:,} of {len(found.contributions):,} contexts make up half of what speaks for it"
    return f"{found.words[0]} and {found.words[1]}: cosine {found.cosine:.4f} = {parts}{rest}; {half}."


def _counts(embedding: "Embedding", args: Namespace, on_progress: OnProgress) -> "Cooccurrences":
    from pairloom.explanation.report import count_corpus

    return count_corpus(
        embedding,
        source(args.corpus),
        threads=args.threads,
        max_memory=args.max_memory,
        cache_dir=args.cache_dir,
        on_progress=on_progress,
        **_reading(args),
    )


def _explain_model(embedding: "Embedding", args: Namespace) -> None:
    from pairloom.explanation import explain
    from pairloom.explanation.tables import tables
    from pairloom.system.files import check_folder

    if args.corpus:
        raise InputError("--corpus goes with two words. Name the corpus right after the model.")
    if args.page is not None:
        check_folder(args.page)
        check_not_read(args.page, args.model, *args.what)
    options = {} if args.most_products is None else {"most_products": args.most_products}
    with progress(args.quiet) as on_progress:
        report = explain(
            embedding,
            source(args.what),
            threads=args.threads,
            max_memory=args.max_memory,
            cache_dir=args.cache_dir,
            on_progress=on_progress,
            **options,
            **_reading(args),
        )
    if args.page is not None:
        _write_page(report, args)
    if args.json:
        print(json.dumps(report.as_dict(), indent=2, ensure_ascii=False))
        return
    from pairloom.explanation.page import introduction

    print(introduction(report))
    for table in tables(report):
        print()
        _print(table)
    if args.page is not None:
        print(f"\n{args.page}: the same with plots")


def _reading(args: Namespace) -> dict[str, Any]:
    return given(args, [name for name in TextOptions.__dataclass_fields__ if name != "max_sentence"])


def _write_page(report: Any, args: Namespace) -> None:
    from pairloom.explanation.page import page
    from pairloom.system.files import atomic_write

    with closed_pipes(), atomic_write(args.page) as file:
        file.write(page(report, Path(args.model).name).encode("utf-8", "backslashreplace"))


def _print(table: "Table") -> None:
    print(table.title)
    print_table(table.heads, table.rows)
