"""Completion in shells: scripts for bash, zsh and fish, made from the parsers of the commands.

A script holds all commands, options and choices, so that a press of Tab starts no Python. It has to be made again
after an update of pairloom.
"""

import argparse
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pairloom.cli import commands
from pairloom.cli.parsing import parser_of

# What takes a value that is no file, if neither its type nor its choices say so.
_NOT_FILES = {"NAME", "SIZE", "WHEN", "ADDRESS", "SPEED", "D", "N", "W,C[,N]", "WORD", "A B C", "COMMAND"}


class Option(NamedTuple):
    """An option, or with no names the arguments of a command."""

    names: tuple[str, ...]
    help: str
    takes_value: bool
    choices: tuple[str, ...]
    takes_file: bool


class CommandLine(NamedTuple):
    """What can be typed after the name of a command."""

    name: str
    purpose: str
    options: list[Option]
    arguments: list[Option]

    @property
    def choices(self) -> tuple[str, ...]:
        """What the first argument may be, if that is a choice."""
        return self.arguments[0].choices if self.arguments else ()

    @property
    def takes_files(self) -> bool:
        return any(argument.takes_file for argument in self.arguments)


def script(shell: str) -> str:
    """The script for a shell."""
    lines = [_command_line(name) for name in commands.NAMES]
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](lines)


def _command_line(name: str) -> CommandLine:
    actions = [_option(action) for action in parser_of(name)._actions]
    purpose = commands.command(name).PURPOSE
    return CommandLine(name, purpose, [a for a in actions if a.names], [a for a in actions if not a.names])


def _option(action: argparse.Action) -> Option:
    choices = tuple(map(str, action.choices or ()))
    takes_value = action.nargs != 0
    takes_file = takes_value and not choices and action.type is None and str(action.metavar) not in _NOT_FILES
    # A help text may hold anything, so only the first part of it is taken, without characters that shells know.
    meaning = re.sub(r"[^\w ,.+/<>=-]", "", (action.help or "").split(" (")[0].split("; ")[0]).strip()
    return Option(tuple(action.option_strings), meaning, takes_value, choices, takes_file)


# --- bash


def _bash(lines: Sequence[CommandLine]) -> str:
    names = " ".join(line.name for line in lines)
    values = "\n".join(case for line in lines for case in _bash_values(line))
    options = "\n".join(f"            {line.name}) words='{' '.join(_names(line))}' ;;" for line in lines)
    no_files = "|".join(line.name for line in lines if not line.takes_files)
    first = "\n".join(f"        {line.name}:2) words='{' '.join(line.choices)}' ;;" for line in lines if line.choices)
    return f"""\
# Completion of pairloom for bash. To load it: source <(pairloom completion bash)
_pairloom_words() {{ COMPREPLY=($(compgen -W "$1" -- "$2")); _pairloom_no_files; }}
_pairloom_no_files() {{ compopt +o default +o bashdefault 2>/dev/null; }}
_pairloom() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} name=${{COMP_WORDS[1]}} words=
    COMPREPLY=()
    if [[ $current == "=" ]]; then  # --option=
        current=
    elif [[ $before == "=" ]]; then
        before=${{COMP_WORDS[COMP_CWORD-2]}}
    fi
    if ((COMP_CWORD == 1)); then
        _pairloom_words 'help {names} --help --version' "$current"
        return
    fi
    case $name:$before in
{values}
    esac
    if [[ $current == -* ]]; then
        case $name in
{options}
        esac
        _pairloom_words "$words" "$current"
        return
    fi
    case $name:$COMP_CWORD in
        help:2) words='{names}' ;;
{first}
    esac
    if [[ $words ]]; then
        _pairloom_words "$words" "$current"
        return
    fi
    case $name in help|{no_files}) _pairloom_no_files ;; esac
}}
complete -o bashdefault -o default -F _pairloom pairloom
"""


def _bash_values(line: CommandLine) -> Iterator[str]:
    """What may stand after the options that take a value. Where COMPREPLY stays empty, bash itself offers files."""
    by_answer: dict[str, list[str]] = {}
    for option in line.options:
        if option.takes_value:
            choices = f"_pairloom_words '{' '.join(option.choices)}' \"$current\""
            answer = choices if option.choices else ":" if option.takes_file else "_pairloom_no_files"
            by_answer.setdefault(answer, []).extend(f"{line.name}:{name}" for name in option.names)
    for answer, names in by_answer.items():
        yield f"        {'|'.join(names)}) {answer}; return ;;"


def _names(line: CommandLine) -> list[str]:
    return [name for option in line.options for name in option.names]


# --- zsh


def _zsh(lines: Sequence[CommandLine]) -> str:
    names = "\n".join(f"        '{line.name}:{_zsh_text(line.purpose)}'" for line in lines)
    cases = "\n".join(f"        {line.name})\n            _arguments {_zsh_specs(line)} ;;" for line in lines)
    return f"""\
#compdef pairloom
# Completion of pairloom for zsh. To load it: source <(pairloom completion zsh)
_pairloom() {{
    local -a names=(
        'help:show the options of a command'
{names}
    )
    if (( CURRENT == 2 )) || [[ $words[2] == help ]]; then
        _describe command names
        return
    fi
    local name=$words[2]
    shift words
    (( CURRENT-- ))
    case $name in
{cases}
    esac
}}
if [[ $funcstack[1] == _pairloom ]]; then _pairloom "$@"; else compdef _pairloom pairloom; fi
"""


def _zsh_specs(line: CommandLine) -> str:
    specs = [_zsh_option(option) for option in line.options]
    if line.choices:
        specs.append(f"'1:what:({' '.join(line.choices)})'")
    specs.append("'*:file:_files'" if line.takes_files else "'*: :'")
    return " \\\n                ".join(specs)


def _zsh_option(option: Option) -> str:
    """For example '(-o --output)'{-o,--output}'[the file to write]:value:_files'."""
    value = ""
    if option.takes_value:
        value = f":value:({' '.join(option.choices)})" if option.choices else f":value:{'_files' * option.takes_file}"
    rest = f"[{_zsh_text(option.help)}]{value}'"
    if len(option.names) == 1:
        return f"'*{option.names[0]}{rest}"
    return f"'({' '.join(option.names)})'{{{','.join(option.names)}}}'{rest}"


def _zsh_text(text: str) -> str:
    return re.sub(r"[\[\]:'\\]", "", text)


# --- fish


def _fish(lines: Sequence[CommandLine]) -> str:
    return "\n".join(
        [
            "# Completion of pairloom for fish. To load it: pairloom completion fish | source",
            "complete -c pairloom -f",
            "complete -c pairloom -n __fish_use_subcommand -a help -d 'show the options of a command'",
            *(
                f"complete -c pairloom -n __fish_use_subcommand -a {line.name} -d '{_fish_text(line.purpose)}'"
                for line in lines
            ),
            f"complete -c pairloom -n '__fish_seen_subcommand_from help' -a '{' '.join(line.name for line in lines)}'",
            *(entry for line in lines for entry in _fish_entries(line)),
            "",
        ]
    )


def _fish_entries(line: CommandLine) -> Iterator[str]:
    start = f"complete -c pairloom -n '__fish_seen_subcommand_from {line.name}'"
    if line.choices:
        yield f"{start} -a '{' '.join(line.choices)}'"
    if line.takes_files:
        yield f"{start} -F"
    for option in line.options:
        names = " ".join(_fish_name(name) for name in option.names)
        value = ""
        if option.takes_value:
            value = (
                f" -x -a '{' '.join(option.choices)}'" if option.choices else " -r -F" if option.takes_file else " -x"
            )
        yield f"{start} {names}{value} -d '{_fish_text(option.help)}'"


def _fish_name(name: str) -> str:
    """-l output for --output, -s o for -o, -o train for -train."""
    if name.startswith("--"):
        return f"-l {name[2:]}"
    return f"-s {name[1:]}" if len(name) == 2 else f"-o {name[1:]}"


def _fish_text(text: str) -> str:
    return re.sub(r"['\\]", "", text)
