"""pairloom map: draw a map of words."""

import json
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from pairloom.cli.arguments import add_json, add_quiet, add_threads, whole_number
from pairloom.cli.console import progress
from pairloom.cli.files import check_not_read, closed_pipe_is_no_error
from pairloom.cli.models import add_matrix_choice, add_model, chosen_vectors, load
from pairloom.config import checked_threads
from pairloom.errors import InputError
from pairloom.system.display import number_of

if TYPE_CHECKING:
    from pairloom.maps.plot import WordMap

GROUP = "look"
PURPOSE = "draw a map of words, in which similar words are near each other"
EXAMPLE = "pairloom map king.loom -o king.svg"
OPTION_NAMES = {"n": "-n", "neighbours_of": "--neighbours-of", "to": "--to", "colour": "--colour"}
TABLES = (".tsv", ".csv")


def arguments(parser: ArgumentParser) -> None:
    add_model(parser)
    parser.add_argument(
        "word", metavar="WORD", nargs="*", default=[], help="draw these words only (default: the most frequent words)"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        help="the picture to write, by the end of its name .svg, .html (shows the word under the pointer) or .png; or "
        "a table of words and places, .tsv or .csv",
    )
    parser.add_argument(
        "-n",
        type=whole_number,
        metavar="N",
        help="number of words: the most frequent (default: 3000), or with --neighbours-of the nearest (default: 50)",
    )
    parser.add_argument("--neighbours-of", metavar="WORD", help="draw a word and the words nearest to it")
    _add_looks(parser)
    add_matrix_choice(parser)
    running = parser.add_argument_group("running")
    add_threads(running, "the map is the same for any number of threads")
    add_quiet(running)
    add_json(running, "the words with their places")


def _add_looks(parser: ArgumentParser) -> None:
    looks = parser.add_argument_group("places and colours")
    looks.add_argument(
        "--method",
        choices=["auto", "tsne", "pca"],
        default="auto",
        help="tsne shows groups and needs the extra `map`; pca shows the two main directions (default: auto, which is "
        "tsne if it is installed and there are at least 50 words)",
    )
    looks.add_argument(
        "--seed", type=whole_number, default=1, metavar="N", help="another seed gives another map (default: 1)"
    )
    looks.add_argument(
        "--colour",
        choices=["frequency", "class", "similarity"],
        help="what the colours show (default: frequency)",
    )
    looks.add_argument("--to", metavar="WORD", help="with --colour similarity: colour by the cosine to this word")
    looks.add_argument(
        "--classes",
        metavar="K",
        help="with --colour class: number of classes, or a file that `pairloom classes -o` wrote (default: 12)",
    )
    looks.add_argument("--title", metavar="TEXT", help="title of the picture")


def run(args: Namespace) -> None:
    from pairloom.maps.plot import plot

    checked_threads(args.threads)
    if args.output is None and not args.json:
        raise InputError("-o is missing. Name the picture to write, for example -o map.svg, or use --json.")
    _check_output(args)
    colours = _colour_options(args)
    vectors = chosen_vectors(load(args.model, args.word), args)
    words = args.word or None
    if words is not None and len(set(words)) == 1:
        raise InputError(
            f"A map needs at least 2 words. Name more words, or draw its neighbours with --neighbours-of {words[0]}."
        )
    # Only the map of the words themselves is kept: it is the one that is asked for most.
    model_path = None if args.contexts or args.combined else args.model
    with progress(args.quiet) as on_progress:
        drawn = plot(
            vectors,
            words,
            neighbours_of=args.neighbours_of,
            n=args.n,
            **colours,
            method=args.method,
            seed=args.seed,
            title=args.title,
            model_path=model_path,
            threads=args.threads,
            on_progress=on_progress,
        )
    _write(drawn, args)
    _print(drawn, args)


def _colour_options(args: Namespace) -> dict[str, Any]:
    """--to alone means similarity, and --classes alone means class."""
    colour = args.colour or ("similarity" if args.to else "class" if args.classes is not None else "frequency")
    if args.classes is not None and colour != "class":
        raise InputError(f"--classes and --colour {colour} do not go together. Leave out one of them.")
    options = {"colour": colour, "to": args.to}
    if args.classes is None:
        return options
    is_number = args.classes.removeprefix("-").isdecimal()
    if is_number and int(args.classes) < 1:
        raise InputError(f"--classes {args.classes} is not a number of classes. Use 1 or more; 12 is usual.")
    return options | {"classes": int(args.classes) if is_number else args.classes}


def _check_output(args: Namespace) -> None:
    from pairloom.drawing.picture import SUFFIXES, check_can_save

    if args.output is not None:
        check_can_save(args.output, SUFFIXES + TABLES)
        check_not_read(args.output, args.model, args.classes)


def _write(drawn: "WordMap", args: Namespace) -> None:
    from pairloom.drawing.picture import SUFFIXES

    if args.output is None:
        return
    with closed_pipe_is_no_error():
        if args.output.lower().endswith(SUFFIXES):
            drawn.save(args.output)
        else:
            _write_table(drawn, args.output)


def _write_table(drawn: "WordMap", path: str) -> None:
    """word, x, y: separated by tabs, or by commas with quotes where they are needed."""
    import csv
    import io

    from pairloom.system.files import atomic_write

    text = io.StringIO()
    table = csv.writer(text, dialect="excel-tab" if path.lower().endswith(".tsv") else "excel", lineterminator="\n")
    table.writerow(("word", "x", "y"))
    table.writerows((word, f"{x:.6f}", f"{y:.6f}") for word, x, y in _rows(drawn))
    with atomic_write(path) as file:
        file.write(text.getvalue().encode("utf-8", "backslashreplace"))


def _rows(drawn: "WordMap") -> list[tuple[str, float, float]]:
    return [(word, x, y) for word, (x, y) in zip(drawn.words, drawn.coordinates.tolist(), strict=True)]


def _print(drawn: "WordMap", args: Namespace) -> None:
    if args.json:
        places = [{"word": word, "x": round(x, 6), "y": round(y, 6)} for word, x, y in _rows(drawn)]
        print(json.dumps({"title": drawn.title, "words": places}, ensure_ascii=False))
    elif not args.quiet:
        print(f"{args.output}: {number_of(len(drawn.words), 'word')}")
