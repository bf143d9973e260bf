"""The arguments of the command line: the parser, its errors, and the options that several commands share."""

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from difflib import get_close_matches
from typing import Any, NoReturn, get_args

from pairloom import __version__
from pairloom.cli import commands
from pairloom.cli.console import print_message
from pairloom.config import PEER_NAMES, PEERS_ALONE, TextOptions, TrainConfig

OPTIONS = {f.name: f.default for config in (TrainConfig, TextOptions) for f in fields(config)}
DECODING = ("encoding", "errors")
_TYPES = {f.name: f.type for config in (TrainConfig, TextOptions) for f in fields(config)}
_EXIT_CODES = """\
exit codes:
  0    done
  2    an input or an option is wrong
  3    the training diverged
  4    the corpus changed while it was read
  5    the output could not be written
  6    another process uses the file
  130  interrupted (143 for SIGTERM, 129 for SIGHUP)

`pairloom COMMAND --help` lists the options of a command. To try it out: pairloom demo"""


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The command and its options. Exits with code 2 and one line if something is wrong with them."""
    parser = build_parser()
    if not argv:
        parser.error(f"name a command. The commands are {', '.join(commands.NAMES)}")
    if not argv[0].startswith("-") and argv[0] not in commands.NAMES:
        parser.error(f"there is no command {argv[0]!r}. {_suggested_command(argv[0])}")
    args, unknown = parser.parse_known_args(argv)
    if unknown and unknown[0].startswith("-"):
        args.parser.error(f"there is no option {unknown[0]}{_suggested_option(unknown[0], args.parser)}")
    if unknown:
        args.parser.error(f"unexpected argument {unknown[0]!r}. {_expected_arguments(args.parser)}")
    _check_not_empty(args)
    return args


def explicit_options(args: argparse.Namespace, names: Iterable[str]) -> dict[str, Any]:
    """The options that the user gave a value. The library knows the defaults of the others."""
    return {name: value for name in names if (value := getattr(args, name, None)) is not None}


class _Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line that says where to find help."""

    def error(self, message: str) -> NoReturn:
        end = "" if message.endswith(("?", ".")) else "."
        print_message(f"{self.prog}: {message}{end} See: {self.prog} --help")
        sys.exit(2)


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    parser = _Parser(
        prog="pairloom",
        description="Learn vectors for words from text, then query, measure and convert them.",
        epilog=_EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"pairloom {__version__}", help="print the version")
    subparsers = parser.add_subparsers(
        title="commands", dest="command", metavar="COMMAND", required=True, parser_class=_Parser
    )
    for name in commands.NAMES:
        _add_command(subparsers, name, commands.command(name))
    return parser


def _add_command(subparsers: Any, name: str, command: commands.Command) -> None:
    end = "" if command.PURPOSE.endswith("?") else "."
    parser: _Parser = subparsers.add_parser(
        name,
        help=command.PURPOSE,
        description=command.PURPOSE[0].upper() + command.PURPOSE[1:] + end,
        epilog=f"example: {command.EXAMPLE}",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser._positionals.title = "arguments"
    command.arguments(parser)
    parser.set_defaults(parser=parser)


def _expected_arguments(parser: argparse.ArgumentParser) -> str:
    """What to do about too many arguments: a list of them may be interrupted by options, but not go on after them."""
    positional = [action for action in parser._actions if not action.option_strings]
    if any(action.nargs in ("*", "+") for action in positional):
        return "Put all files before the options"
    return f"Give only {' '.join(str(action.metavar) for action in positional)}" if positional else "Leave it out"


def _suggested_command(name: str) -> str:
    similar = get_close_matches(name, commands.NAMES, 1)
    return f"Did you mean {similar[0]}?" if similar else f"The commands are {', '.join(commands.NAMES)}"


def _suggested_option(unknown: str, parser: argparse.ArgumentParser) -> str:
    """A sentence that names our option for an option of word2vec, gensim or fastText, or the most similar one."""
    known = [option for action in parser._actions for option in action.option_strings]
    name = unknown.lstrip("-").split("=")[0]
    theirs = name.lower().replace("-", "_")
    if theirs in PEERS_ALONE and "--dim" in known:
        return f": {PEERS_ALONE[theirs]}"
    peer = PEER_NAMES.get(theirs)
    ours = f"--{peer.replace('_', '-')}" if peer else next(iter(get_close_matches(f"--{name}", known, 1)), None)
    return f". Did you mean {ours}?" if ours in known else ""


def _check_not_empty(args: argparse.Namespace) -> None:
    """Refuse empty values: a script passes one when it forgot to set a variable."""
    for action in args.parser._actions:
        value = getattr(args, action.dest, None)
        if value == "" or (isinstance(value, list) and "" in value):
            name = "/".join(action.option_strings) or action.metavar or action.dest
            args.parser.error(f"argument {name} is empty. Give it a value or leave it out")


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
    add_option(reading, "max_sentence", whole_number, "N", "split lines longer than N words into pieces of N words")
    add_as_text(reading)


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
    """--threads, --quiet, --json and, for commands with them, --max-memory and --cache-dir."""
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
    running.add_argument("--quiet", action="store_true", help="do not print progress or a summary")
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


def add_json(group: argparse._ActionsContainer, printed: str = "the result") -> None:
    """--json."""
    group.add_argument("--json", action="store_true", help=f"print {printed} as JSON, for programs")
