"""The parser: from what was typed to a namespace, or to help, or to one line that says what is wrong.

Only the parser of the command that was typed is built. Options may stand before, between and after other arguments:
`rearranged` brings them to the front, as argparse has it. (Its own `parse_intermixed_args` does not know `--`, and not
that an option with several values takes all of them.)
"""

import argparse
import re
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from typing import NamedTuple, NoReturn

from pairloom import __version__
from pairloom.cli import commands
from pairloom.cli.config_file import ConfigFileError, read_config
from pairloom.cli.console import print_message
from pairloom.config import PEER_NAMES, PEERS_ALONE

_NEGATIVE_NUMBER = re.compile(r"-\d+|-\d*\.\d+")
# Commands of fastText, methods of gensim and other words that people try, and our command for each.
PEER_COMMANDS = {
    **dict.fromkeys(("most_similar", "most-similar", "neighbours", "neighbors", "nn"), "near"),
    **dict.fromkeys(("skipgram", "cbow", "fit"), "train"),
    "analogies": "analogy",
    "check": "doctor",
}
LEAST_SIMILARITY = 0.65  # of a mistyped option to ours; with 0.6, `errors` would be taken for `verbose`
_USAGE = "pairloom COMMAND [arguments and options, in any order]"
_PURPOSE = "Learn vectors for words from text, then query, measure and convert them."
_EXIT_CODES = """\
exit codes:
  0    done
  2    an input or an option is wrong
  3    the training diverged
  4    the corpus changed while it was read
  5    the output could not be written
  6    another process uses the file
  7    workers of a cluster cannot be had, or were lost
  130  interrupted (143 for SIGTERM, 129 for SIGHUP)

`pairloom help COMMAND` lists the options of a command. To try it out: pairloom demo"""


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The command and its options. Exits with code 2 and one line if something is wrong with them.

    Without arguments it prints the help, and ends with code 2 (git with 1, pip with 0): a script whose variable is
    empty, as in `pairloom $COMMAND`, must not take that for success.
    """
    if not argv:
        build_parser().print_help(sys.stderr)
        sys.exit(2)
    if argv[0] == "help":
        argv = [*argv[1:], "--help"]
    name, *typed = argv
    if name.startswith("-"):
        build_parser().parse_args([name])
    if name not in commands.NAMES:
        build_parser().error(f"there is no command {name!r}. {_suggested_command(name)}")
    return _parsed(parser_of(name), typed)


def build_parser() -> argparse.ArgumentParser:
    """The parser of what may be typed in place of a command. Its help lists all commands."""
    parser = _Parser(
        prog="pairloom",
        usage=_USAGE,
        description=f"{_PURPOSE}\n\n{_list_of_commands()}",
        epilog=_EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"pairloom {__version__}", help="print the version")
    return parser


def parser_of(name: str) -> argparse.ArgumentParser:
    """The parser of one command."""
    command = commands.command(name)
    end = "" if command.PURPOSE.endswith("?") else "."
    parser = _Parser(
        prog=f"pairloom {name}",
        description=command.PURPOSE[0].upper() + command.PURPOSE[1:] + end,
        epilog=f"example: {command.EXAMPLE}",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser._positionals.title = "arguments"
    command.arguments(parser)
    if commands.group_of(name) != "word2vec" and "-v" not in parser._option_string_actions:
        parser.add_argument(
            "-v", "--verbose", action="count", default=0, help="print what is done on stderr; -vv prints more"
        )
    parser.set_defaults(parser=parser, command=name)
    return parser


class _Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line that says where to find help."""

    def error(self, message: str) -> NoReturn:
        end = "" if message.endswith(("?", ".")) else "."
        print_message(f"{self.prog}: {message}{end} See: {self.prog} --help")
        sys.exit(2)


def _list_of_commands() -> str:
    """All commands with their purposes, by group."""
    width = max(map(len, commands.NAMES))
    lines: dict[str, list[str]] = {key: [f"{title}:"] for key, title in commands.GROUPS.items()}
    for name in commands.NAMES:
        lines[commands.group_of(name)].append(f"  {name:{width}}  {commands.command(name).PURPOSE}")
    return "\n\n".join("\n".join(group) for group in lines.values() if len(group) > 1)


# --- From words to a namespace


class Typed(NamedTuple):
    """A command line, taken apart."""

    options: list[list[str]]  # each with its values
    arguments: list[str]  # the others, in order


def taken_apart(parser: argparse.ArgumentParser, typed: Sequence[str]) -> Typed:
    """Tell options with their values from other arguments. An option that does not exist stands alone."""
    options: list[list[str]] = []
    arguments: list[str] = []
    at = 0
    while at < len(typed):
        word = typed[at]
        at += 1
        if word == "--":
            arguments += typed[at:]
            break
        if not _is_option(word, parser):
            arguments.append(word)
            continue
        end = at + _n_values(_option_of(word, parser), typed[at:], parser)
        options.append([word, *typed[at:end]])
        at = end
    return Typed(options, arguments)


def _is_option(word: str, parser: argparse.ArgumentParser) -> bool:
    known = word in parser._option_string_actions
    return known or (word.startswith("-") and word != "-" and not _NEGATIVE_NUMBER.fullmatch(word))


def _option_of(word: str, parser: argparse.ArgumentParser) -> argparse.Action | None:
    """The option that takes its value from what follows: none if `word` has the value in it (--dim=5, -n5).

    One letter after another may be options without values: -vqn 5 is -v -q -n 5.
    """
    known = parser._option_string_actions
    if word in known:
        return known[word]
    if word.startswith("--"):
        return None
    for at, letter in enumerate(word[1:], 2):
        action = known.get(f"-{letter}")
        if action is None or action.nargs != 0:
            return action if at == len(word) else None
    return None


def _n_values(action: argparse.Action | None, rest: Sequence[str], parser: argparse.ArgumentParser) -> int:
    """How many of the words after an option are its values."""
    if action is None or action.nargs == 0:
        return 0
    if action.nargs is None:
        return min(1, len(rest))
    end = next((at for at, word in enumerate(rest) if word == "--" or _is_option(word, parser)), len(rest))
    return min(end, 1) if action.nargs == "?" else end


def rearranged(typed: Typed) -> list[str]:
    """Options first, then `--` and the others, which may begin with - themselves."""
    options = [word for option in typed.options for word in option]
    return [*options, "--", *typed.arguments] if typed.arguments else options


def _parsed(parser: argparse.ArgumentParser, words: Sequence[str]) -> argparse.Namespace:
    typed = _with_config(parser, taken_apart(parser, words))
    args, unknown = parser.parse_known_args(rearranged(typed))
    unknown = [word for word in unknown if word != "--"]  # which stays if the command has no arguments at all
    if unknown and unknown[0].startswith("-") and unknown[0] not in typed.arguments:
        parser.error(f"there is no option {unknown[0]}{_suggested_option(unknown[0], parser)}")
    if unknown:
        parser.error(f"unexpected argument {unknown[0]!r}. {_expected_arguments(parser)}")
    _check_not_empty(args)
    return args


def _with_config(parser: argparse.ArgumentParser, typed: Typed) -> Typed:
    """Put the options of --config before those that were typed, which then win. Typed arguments replace the file's."""
    if "--config" not in parser._option_string_actions:
        return typed
    for option in typed.options:
        name, _, value = option[0].partition("=")
        path = value or "".join(option[1:2])
        if name == "--config" and path:
            try:
                config = read_config(path, parser)
            except ConfigFileError as error:
                parser.error(str(error))
            return Typed(config.options + typed.options, typed.arguments or config.arguments)
    return typed


# --- What is wrong


def _expected_arguments(parser: argparse.ArgumentParser) -> str:
    """What to do about too many arguments."""
    positional = [action for action in parser._actions if not action.option_strings]
    return f"Give only {' '.join(str(action.metavar) for action in positional)}" if positional else "Leave it out"


def _suggested_command(name: str) -> str:
    """A sentence that names our command for one of fastText or a method of gensim, or the most similar one."""
    similar = [PEER_COMMANDS[name]] if name in PEER_COMMANDS else get_close_matches(name, commands.NAMES, 1)
    return f"Did you mean {similar[0]}?" if similar else f"The commands are {', '.join(commands.NAMES)}"


def _suggested_option(unknown: str, parser: argparse.ArgumentParser) -> str:
    """A sentence that names our option for an option of word2vec, gensim or fastText, or the most similar one."""
    known = [option for action in parser._actions for option in action.option_strings]
    name = unknown.lstrip("-").split("=")[0]
    theirs = name.lower().replace("-", "_")
    if theirs in PEERS_ALONE and "--dim" in known:
        return f": {PEERS_ALONE[theirs]}"
    if theirs in {"topn", "top_n", "k"} and "-n" in known:
        return ". Did you mean -n?"
    peer = PEER_NAMES.get(theirs)
    long = [option.removeprefix("--") for option in known if option.startswith("--")]
    similar = [peer.replace("_", "-")] if peer else get_close_matches(name, long, 1, LEAST_SIMILARITY)
    return f". Did you mean --{similar[0]}?" if set(similar) & set(long) else ""


def _check_not_empty(args: argparse.Namespace) -> None:
    """Refuse empty values: a script passes one when it forgot to set a variable."""
    for action in args.parser._actions:
        value = getattr(args, action.dest, None)
        if value == "" or (isinstance(value, list) and "" in value):
            name = "/".join(action.option_strings) or action.metavar or action.dest
            args.parser.error(f"argument {name} is empty. Give it a value or leave it out")
