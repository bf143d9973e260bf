"""The options that several commands share, and the types of their values. `parsing.py` has the parser itself."""

import argparse
from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any, get_args

from pairloom.config import Rule, TextOptions, TrainConfig

OPTIONS = {f.name: f.default for config in (TrainConfig, TextOptions) for f in fields(config)}
DECODING = ("encoding", "errors")
_TYPES = {f.name: f.type for config in (TrainConfig, TextOptions) for f in fields(config)}


def explicit_options(args: argparse.Namespace, names: Iterable[str]) -> dict[str, Any]:
    """The options that the user gave a value. The library knows the defaults of the others."""
    return {name: value for name in names if (value := getattr(args, name, None)) is not None}


# --- Types of values


def whole_number(text: str) -> int:
    """For argparse: a whole number."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None


def number(text: str) -> float:
    """For argparse: a number."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None


def whole_number_or_fraction(text: str) -> float:
    """For argparse: an int if the text is a whole number, otherwise a float."""
    try:
        return int(text)
    except ValueError:
        return number(text)


# --- Options that mirror the library's


def add_option(
    group: argparse._ActionsContainer, name: str, kind: Callable[[str], Any], metavar: str, meaning: str
) -> None:
    """An option with a value. The default, shown in the help, is that of the library."""
    default = "" if OPTIONS[name] is None else f" (default: {OPTIONS[name]})"
    group.add_argument(f"--{name.replace('_', '-')}", type=kind, metavar=metavar, help=meaning + default)


def add_choice(group: argparse._ActionsContainer, name: str, meaning: str) -> None:
    """An option whose value is one of those of a Literal."""
    choices = get_args(_TYPES[name])
    group.add_argument(f"--{name.replace('_', '-')}", choices=choices, help=f"{meaning} (default: {OPTIONS[name]})")


def add_switch(group: argparse._ActionsContainer, name: str, meaning: str) -> None:
    """An option without a value."""
    group.add_argument(f"--{name.replace('_', '-')}", action="store_const", const=True, help=meaning)


# --- Arguments that several commands take


def add_corpus(parser: argparse.ArgumentParser, nargs: str = "+") -> None:
    """CORPUS... and how to read it."""
    parser.add_argument(
        "corpus",
        metavar="CORPUS",
        nargs=nargs,
        default=[],
        help="text with one sentence or paragraph per line: files, folders or quoted globs, also compressed (.gz, "
        ".bz2, .xz, .zst), or - for standard input",
    )
    reading = add_reading(parser)
    add_columns(reading)
    add_option(reading, "max_sentence", whole_number, "N", "split lines longer than N words into pieces of N words")
    add_as_text(reading)
    add_tokenize(reading, " (default: spaces)")


def add_columns(group: argparse._ActionsContainer) -> None:
    """--column, --session, --item and --order."""
    for name, meaning in (
        (
            "column",
            "CORPUS is JSON Lines, CSV, TSV, Parquet or Arrow: read this column, which holds texts or lists of "
            "words. review.body is a nested value",
        ),
        ("session", "the same, but rows with one value in this column are a sentence: the items of a session"),
        ("item", "for --session: the column of the items"),
        ("order", "for --session: sort its rows by this column, for example a time (default: as they are)"),
    ):
        group.add_argument(f"--{name}", metavar="NAME", help=meaning)


def add_tokenize(group: argparse._ActionsContainer, default: str = "") -> None:
    """--tokenize."""
    group.add_argument(
        "--tokenize",
        choices=get_args(Rule),
        help="spaces: words are what white space separates. words: Unicode's words in lower case, without punctuation. "
        f"icu: the same for languages without spaces, with the extra icu{default}",
    )


def add_reading(
    parser: argparse.ArgumentParser, title: str = "reading the text", lowercase: bool = True
) -> argparse._ArgumentGroup:
    """--lowercase, --encoding and --errors. Returns the group, for more options."""
    reading = parser.add_argument_group(title)
    if lowercase:
        add_switch(reading, "lowercase", "convert the text to lower case")
    add_decoding(reading)
    return reading


def add_decoding(group: argparse._ActionsContainer) -> None:
    """--encoding and --errors, which messages about undecodable text advise. Every command that reads text has them."""
    group.add_argument(
        "--encoding", metavar="NAME", help="encoding of the text, for example latin-1 or utf-16-le (default: utf-8)"
    )
    add_choice(group, "errors", "bytes that are invalid in the encoding: stop, replace them by U+FFFD, or skip them")


def add_as_text(group: argparse._ActionsContainer) -> None:
    """--as-text."""
    add_switch(group, "as_text", "read files that look like JSON, CSV, CoNLL-U, XML or HTML as they are")


def add_vocabulary(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Which words take part. Returns the group, for more options."""
    vocabulary = parser.add_argument_group("vocabulary")
    add_option(vocabulary, "min_count", whole_number_or_fraction, "N", "remove words that occur fewer than N times")
    add_option(vocabulary, "max_vocab", whole_number, "N", "keep only the N most frequent words")
    vocabulary.add_argument(
        "--keep", metavar="FILE", help="keep the words in this file even if they are rare (one word per line)"
    )
    vocabulary.add_argument("--drop", metavar="FILE", help="remove the words in this file (one word per line)")
    return vocabulary


def add_running(parser: argparse.ArgumentParser, *, max_memory: bool = False, cache_dir: bool = False) -> None:
    """--threads, --config, --quiet, --json and, for commands with them, --max-memory and --cache-dir."""
    running = parser.add_argument_group("running")
    add_threads(running, "the result is the same for any number of threads")
    if max_memory:
        running.add_argument(
            "--max-memory",
            metavar="SIZE",
            help="use at most this much memory, for example 512MB, 2GB or 2GiB (default: all of the machine's). Counts "
            "that do not fit go to temporary files. If the rest does not fit, stop at once and say how much it needs",
        )
    if cache_dir:
        add_cache_dir(running)
    add_config(running)
    add_quiet(running)
    add_json(running)


def add_threads(group: argparse._ActionsContainer, effect: str) -> None:
    """--threads, with what their number changes or does not change."""
    group.add_argument(
        "--threads", type=whole_number, metavar="N", help=f"number of threads (default: all cores); {effect}"
    )


def add_cache_dir(group: argparse._ActionsContainer) -> None:
    """--cache-dir."""
    group.add_argument(
        "--cache-dir", metavar="DIR", help="folder for encoded corpora (default: $PAIRLOOM_CACHE, or the user's cache)"
    )


def add_config(group: argparse._ActionsContainer) -> None:
    """--config. `parsing.py` reads the file."""
    group.add_argument(
        "--config",
        metavar="FILE",
        help="take options from this TOML file, for example dim = 300; those of the command line win",
    )


def add_quiet(group: argparse._ActionsContainer, hidden: str = "progress or a summary") -> None:
    """-q, unless the command has another use for it (-q of `walk` is node2vec's), and --quiet."""
    short = [] if "-q" in group._option_string_actions else ["-q"]
    group.add_argument(*short, "--quiet", action="store_true", help=f"do not print {hidden}")


def add_json(group: argparse._ActionsContainer, printed: str = "the result") -> None:
    """--json."""
    group.add_argument("--json", action="store_true", help=f"print {printed} as JSON, for programs")
