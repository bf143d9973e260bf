"""What can be typed after `pairloom`, and the errors for what cannot."""

import argparse
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import fields
from difflib import get_close_matches
from typing import Any, NoReturn, get_args

from pairloom import __version__
from pairloom.cli import commands
from pairloom.config import PEER_NAMES, TextOptions, TrainConfig

OPTIONS = {f.name: f.default for config in (TrainConfig, TextOptions) for f in fields(config)}
_TYPES = {f.name: f.type for config in (TrainConfig, TextOptions) for f in fields(config)}


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The command and its options; exits with code 2 and one line if something is wrong with them."""
    parser = _parser()
    if argv and not argv[0].startswith("-") and argv[0] not in commands.NAMES:
        near = get_close_matches(argv[0], commands.NAMES, 1)
        instead = f"did you mean {near[0]}?" if near else f"there are {', '.join(commands.NAMES)}"
        parser.error(f"there is no command {argv[0]!r}; {instead}")
    args, unknown = parser.parse_known_args(argv)
    if unknown and unknown[0].startswith("-"):
        args.parser.error(f"there is no option {unknown[0]}{_meant(unknown[0], args.parser)}")
    if unknown:
        args.parser.error(f"{unknown[0]!r} is one argument too many; name all files before the options")
    _check_not_empty(args)
    return args


def _check_not_empty(args: argparse.Namespace) -> None:
    """Nothing is named by an empty string: it is what a script gives whose variable is not set."""
    for action in args.parser._actions:
        value = getattr(args, action.dest, None)
        if value == "" or (isinstance(value, list) and "" in value):
            name = "/".join(action.option_strings) or action.metavar or action.dest
            args.parser.error(f"argument {name}: it is empty; give a value, or leave it out")


def say(line: str) -> None:
    """A line for the person, apart from the output."""
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(line + "\n")


class _Parser(argparse.ArgumentParser):
    """argparse, with errors of one line that end in an action."""

    def error(self, message: str) -> NoReturn:
        end = "" if message.endswith("?") else "."
        say(f"{self.prog}: {message}{end} See: {self.prog} --help")
        sys.exit(2)


def _meant(typed: str, parser: argparse.ArgumentParser) -> str:
    """The option that was probably meant, as the end of a sentence."""
    known = [option for action in parser._actions for option in action.option_strings]
    name = typed.lstrip("-").split("=")[0]
    peer = PEER_NAMES.get(name.lower().replace("-", "_"))
    meant = f"--{peer.replace('_', '-')}" if peer else next(iter(get_close_matches(f"--{name}", known, 1)), None)
    return f"; did you mean {meant}?" if meant in known else ""


def whole(text: str) -> int:
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


def quantity(text: str) -> float:
    """For argparse: a number, whole where it is written so."""
    try:
        return int(text)
    except ValueError:
        return number(text)


def _parser() -> _Parser:
    parser = _Parser(
        prog="pairloom",
        description="Learn vectors for words from text, and ask them questions.",
        epilog="exit codes: 0 done, 2 bad input or option, 3 diverged, 4 corpus changed, 5 unwritable, 6 locked, "
        "130 interrupted",
    )
    parser.add_argument("--version", action="version", version=f"pairloom {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=_Parser)
    for name in commands.NAMES:
        _add_command(subparsers, name, commands.command(name))
    return parser


def _add_command(subparsers: Any, name: str, command: commands.Command) -> None:
    parser: _Parser = subparsers.add_parser(
        name,
        help=command.PURPOSE,
        description=command.PURPOSE[0].upper() + command.PURPOSE[1:] + ".",
        epilog=f"example: {command.EXAMPLE}",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.arguments(parser)
    parser.set_defaults(parser=parser)


# --- What several commands take


def add_corpus(parser: argparse.ArgumentParser, nargs: str = "+") -> None:
    """CORPUS... and how to read it."""
    parser.add_argument(
        "corpus",
        metavar="CORPUS",
        nargs=nargs,
        help="files, globs or folders of text, a sentence or paragraph a line (.gz .bz2 .xz .zst too); - is stdin",
    )
    reading = parser.add_argument_group("reading")
    add_switch(reading, "lowercase", "fold words to lower case")
    reading.add_argument(
        "--encoding", metavar="NAME", help="encoding of the text, such as latin-1 or utf-16-le (utf-8)"
    )
    add_choice(reading, "errors", "what to do with bad bytes")
    add_option(reading, "max_sentence", whole, "N", "longer lines are cut into pieces of so many words")


def add_vocabulary(parser: argparse.ArgumentParser) -> Any:
    """Which words take part; gives the group, for more."""
    vocabulary = parser.add_argument_group("vocabulary")
    add_option(vocabulary, "min_count", quantity, "N", "rarer words leave the text")
    add_option(vocabulary, "max_vocab", whole, "N", "at most so many words, the most frequent")
    vocabulary.add_argument(
        "--keep", metavar="FILE", help="file of words to keep however rare (if they occur), one per line"
    )
    vocabulary.add_argument("--drop", metavar="FILE", help="file of words to leave out, one per line")
    return vocabulary


def add_running(parser: argparse.ArgumentParser) -> None:
    """--threads, --quiet, --json."""
    running = parser.add_argument_group("running")
    running.add_argument(
        "--threads",
        type=whole,
        metavar="N",
        help="how many threads (all cores); the result is the same for any number",
    )
    running.add_argument("--quiet", action="store_true", help="no progress")
    running.add_argument("--json", action="store_true", help="print JSON for programs")


def add_max_memory(parser: argparse.ArgumentParser) -> None:
    """--max-memory."""
    parser.add_argument(
        "--max-memory",
        metavar="SIZE",
        help="memory that this may take, as 512MB, 2GB or 2GiB (what there is); what cannot fit is refused at once, "
        "and counts of more words than fit go through files; the result is the same",
    )


def add_cache_dir(parser: argparse.ArgumentParser) -> None:
    """--cache-dir."""
    parser.add_argument("--cache-dir", metavar="DIR", help="where encoded corpora are kept (or set PAIRLOOM_CACHE)")


def add_option(group: Any, name: str, kind: Callable[[str], Any], metavar: str, meaning: str) -> None:
    """An option whose default the library knows; help shows it."""
    default = "" if OPTIONS[name] is None else f" ({OPTIONS[name]})"
    group.add_argument(f"--{name.replace('_', '-')}", type=kind, metavar=metavar, help=meaning + default)


def add_choice(group: Any, name: str, meaning: str) -> None:
    """An option that is one of the values of a Literal."""
    choices = get_args(_TYPES[name])
    group.add_argument(f"--{name.replace('_', '-')}", choices=choices, help=f"{meaning} ({OPTIONS[name]})")


def add_switch(group: Any, name: str, meaning: str) -> None:
    """An option that is on or off."""
    group.add_argument(f"--{name.replace('_', '-')}", action="store_const", const=True, help=meaning)
