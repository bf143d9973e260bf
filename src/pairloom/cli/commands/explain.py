"""pairloom explain: show from a corpus why a model works, or why two of its words are similar."""

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pairloom.cli.arguments import add_as_text, add_columns, add_running, add_tokenize, explicit_options, whole_number
from pairloom.cli.console import progress
from pairloom.cli.files import check_not_read, closed_pipe_is_no_error, input_paths
from pairloom.cli.models import load
from pairloom.cli.tables import print_table
from pairloom.config import TextOptions, checked_threads
from pairloom.errors import InputError
from pairloom.progress import OnProgress
from pairloom.system.display import number_of, quoted
from pairloom.system.memory import checked_size

if TYPE_CHECKING:
    from pairloom.drawing.page import Table
    from pairloom.judging.explanation import SharedContexts
    from pairloom.pairs.cooccurrence import Cooccurrences
    from pairloom.vectors.embedding import Embedding

GROUP = "look"
PURPOSE = "explain why a model works, or why two words are similar"
EXAMPLE = "pairloom explain king.loom corpus.txt --page king.html; pairloom explain king.loom king queen"
OPTION_NAMES = {"topn": "-n"}


def arguments(parser: ArgumentParser) -> None:
    parser.usage = "%(prog)s MODEL CORPUS [CORPUS ...] [options]\n       %(prog)s MODEL WORD WORD [options]"
    parser.add_argument("model", metavar="MODEL", help="a .loom file that was trained on text")
    parser.add_argument(
        "what",
        metavar="CORPUS | WORD WORD",
        nargs="+",
        help="the text that the model was trained on (files, folders, quoted globs, or - for standard input); or two "
        "words, if no files have these names",
    )
    _add_model_options(parser)
    _add_word_options(parser)
    _add_reading(parser)
    add_running(parser, max_memory=True, cache_dir=True)


def _add_model_options(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--page", metavar="OUT.html", help="also write a page with plots, which loads nothing from the network"
    )
    model = parser.add_argument_group("explaining a model")
    model.add_argument(
        "--most-products",
        type=whole_number,
        metavar="N",
        help="compute at most N inner products for the objective; if all words with all contexts make more, use only "
        "the most frequent words (default: 5000000000)",
    )


def _add_word_options(parser: ArgumentParser) -> None:
    words = parser.add_argument_group("explaining two words")
    words.add_argument(
        "-n", type=whole_number, default=10, metavar="N", help="contexts to show for and against (default: 10)"
    )
    words.add_argument(
        "--corpus", metavar="CORPUS", nargs="+", help="also show how often the contexts occur in this text"
    )


def _add_reading(parser: ArgumentParser) -> None:
    """As `add_reading`, but the defaults are in the model's record."""
    reading = parser.add_argument_group("reading the text (default: as for training)")
    reading.add_argument("--lowercase", action="store_const", const=True, help="convert the text to lower case")
    reading.add_argument("--encoding", metavar="NAME", help="encoding of the text")
    reading.add_argument(
        "--errors",
        choices=["strict", "replace", "ignore"],
        help="bytes that are invalid in the encoding: stop, replace them by U+FFFD, or skip them",
    )
    add_as_text(reading)
    add_columns(reading)
    add_tokenize(reading)


def run(args: Namespace) -> None:
    from pairloom.corpus.finding import names_files

    checked_threads(args.threads)
    args.max_memory = checked_size(args.max_memory)
    embedding = load(args.model, args.what)
    files = [name for name in args.what if names_files(name)]
    if len(args.what) == 2 and not files:
        _explain_words(embedding, args)
    else:
        _check_no_words(embedding, [name for name in args.what if name not in files], args.model)
        _explain_model(embedding, args)


def _check_no_words(embedding: "Embedding", names: list[str], model: str) -> None:
    """Refuse words of the model where only files are read."""
    word = next((name for name in names if name in embedding), None)
    if word is not None:
        raise InputError(
            f"{quoted(word)} is a word of the model, not a text. Give two words and no files, or the text alone. "
            f"For the neighbours of one word: pairloom near {model} {word}"
        )


def _explain_words(embedding: "Embedding", args: Namespace) -> None:
    from pairloom.judging.explanation import explain_similarity
    from pairloom.judging.explanation.report import as_plain_data
    from pairloom.judging.explanation.tables import similarity_tables

    _check_page(args, *(args.corpus or ()))
    a, b = args.what
    options: dict[str, Any] = {"topn": args.n, "max_memory": args.max_memory}
    explain_similarity(embedding, a, b, **options)  # to report unknown words before a corpus is counted
    with progress(args.quiet) as on_progress:
        counts = _counts(embedding, args, on_progress) if args.corpus else None
    shared_contexts = explain_similarity(embedding, a, b, counts=counts, **options)
    if args.page is not None:
        from pairloom.judging.explanation.two_words import similarity_page

        _write_page(similarity_page(shared_contexts, embedding, Path(args.model).name), args)
    if args.json:
        facts = as_plain_data(shared_contexts)
        del facts["contributions"]  # one for each context of the model
        print(json.dumps(facts, indent=2, ensure_ascii=False))
    else:
        print(_sentence(shared_contexts))
        for table in similarity_tables(shared_contexts):
            if table.rows:
                print()
                _print(table)
        _print_end(args)


def _check_page(args: Namespace, *inputs: str) -> None:
    """Check before the work that the page can be written."""
    from pairloom.system.files import check_folder

    if args.page is not None:
        check_folder(args.page)
        check_not_read(args.page, args.model, *inputs)


def _print_end(args: Namespace) -> None:
    if args.page is not None:
        print(f"\n{args.page}: the same, with plots")


def _sentence(found: "SharedContexts") -> str:
    parts = f"{found.common:.4f} shared by all words + {found.contributions.sum():.4f} from contexts"
    rest = f" + {found.unexplained:.4f} unexplained" if abs(found.unexplained) >= 5e-5 else ""
    half = (
        f"{found.half:,} of {number_of(len(found.contributions), 'context')} make up half of the positive contributions"
    )
    return f"{found.words[0]} and {found.words[1]}: cosine {found.cosine:.4f} = {parts}{rest}. {half}."


def _counts(embedding: "Embedding", args: Namespace, on_progress: OnProgress) -> "Cooccurrences":
    from pairloom.judging.explanation.report import count_corpus

    return count_corpus(
        embedding,
        input_paths(args.corpus),
        threads=args.threads,
        max_memory=args.max_memory,
        cache_dir=args.cache_dir,
        on_progress=on_progress,
        **_reading(args),
    )


def _explain_model(embedding: "Embedding", args: Namespace) -> None:
    from pairloom.judging.explanation import explain
    from pairloom.judging.explanation.tables import tables

    if args.corpus:
        raise InputError("--corpus is only for two words. Name the corpus right after the model instead.")
    _check_page(args, *args.what)
    options = {} if args.most_products is None else {"most_products": args.most_products}
    with progress(args.quiet) as on_progress:
        report = explain(
            embedding,
            input_paths(args.what),
            threads=args.threads,
            max_memory=args.max_memory,
            cache_dir=args.cache_dir,
            on_progress=on_progress,
            **options,
            **_reading(args),
        )
    if args.page is not None:
        from pairloom.judging.explanation.page import page

        _write_page(page(report, Path(args.model).name), args)
    if args.json:
        print(json.dumps(report.as_dict(), indent=2, ensure_ascii=False))
        return
    from pairloom.judging.explanation.page import introduction

    print(introduction(report))
    for table in tables(report):
        print()
        _print(table)
    _print_end(args)


def _reading(args: Namespace) -> dict[str, Any]:
    return explicit_options(args, [name for name in TextOptions.__dataclass_fields__ if name != "max_sentence"])


def _write_page(page: str, args: Namespace) -> None:
    from pairloom.system.files import atomic_write

    with closed_pipe_is_no_error(), atomic_write(args.page) as file:
        file.write(page.encode("utf-8", "backslashreplace"))


def _print(table: "Table") -> None:
    print(table.title)
    print_table(table.heads, table.rows)
