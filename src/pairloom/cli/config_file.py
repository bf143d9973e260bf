"""Options in a file: `pairloom train --config run.toml`.

    corpus = ["corpus.txt"]
    output = "king.loom"
    dim = 300
    min-count = 10      # or min_count
    lowercase = true

The file becomes what one could have typed, so that the parser checks it like a command line. `to_toml` writes one.
"""

import json
from argparse import Action, ArgumentParser
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

from pairloom.config import PEER_NAMES, PEERS_ALONE

_LARGEST = 1_000_000  # bytes: a corpus or a device is not worth reading


class ConfigFileError(Exception):
    """What is wrong with the file, in one line."""


class Config(NamedTuple):
    """What a file says, as words of a command line."""

    options: list[list[str]]
    arguments: list[str]


def read_config(path: str, parser: ArgumentParser) -> Config:
    """The options and arguments in a file."""
    known = {_name(action): action for action in parser._actions if _name(action) not in ("help", "config")}
    options: list[list[str]] = []
    arguments: dict[str, list[str]] = {}
    for key, value in _table(path).items():
        name = key.replace("_", "-")
        if name not in known:
            raise ConfigFileError(f"{path} has {key!r}, which is not an option here{_suggestion(name, list(known))}")
        words = _words(known[name], value, f"{path}: {key}")
        if known[name].option_strings:
            options += words
        else:
            arguments[name] = [word for (word,) in words]
    return Config(options, [word for name in known for word in arguments.get(name, [])])


def _name(action: Action) -> str:
    """The name of an option without its dashes; the longest, if it has several."""
    return max(action.option_strings, key=len).lstrip("-") if action.option_strings else action.dest


def _table(path: str) -> dict[str, Any]:
    import tomllib  # here, because it would slow down every command

    try:
        with Path(path).open("rb") as file:
            content = file.read(_LARGEST + 1)
        if len(content) > _LARGEST:
            raise ConfigFileError(f"{path} has more than {_LARGEST:,} bytes. Give a TOML file of options")
        return tomllib.loads(content.decode("utf-8-sig"))
    except OSError as error:
        raise ConfigFileError(f"{path} cannot be read: {error.strerror}. Give the path of a TOML file") from None
    except (ValueError, RecursionError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise ConfigFileError(f"{path} is not a TOML file: {reason}. Write lines like: dim = 300") from None


def _words(action: Action, value: object, where: str) -> list[list[str]]:
    """What one would type for a value: a list of words for an option, or one for each argument."""
    if action.nargs == 0:
        if not isinstance(value, bool):
            raise ConfigFileError(f"{where} is a switch. Use true or false")
        return [[action.option_strings[-1]]] if value else []
    several = isinstance(value, list) and action.nargs in ("*", "+")
    values = value if several and isinstance(value, list) else [value]
    if not all(isinstance(one, str | int | float) and not isinstance(one, bool) for one in values):
        kind = "a text, a number, or a list of them" if action.nargs in ("*", "+") else "a text or a number"
        raise ConfigFileError(f"{where} is of another type. Use {kind}")
    texts = [one if isinstance(one, str) else repr(one) for one in values]
    if not action.option_strings:
        return [[text] for text in texts]
    option = action.option_strings[-1]
    return [[option, *texts]] if several else [[f"{option}={texts[0]}"]]


def _suggestion(name: str, known: list[str]) -> str:
    theirs = name.lower().replace("-", "_")
    if theirs in PEERS_ALONE and "dim" in known:
        return f": {PEERS_ALONE[theirs]}"
    peer = PEER_NAMES.get(theirs, "").replace("_", "-")
    similar = [peer] if peer in known else get_close_matches(name, known, 1)
    return f". Did you mean {similar[0]}?" if similar else ""


def to_toml(options: Mapping[str, Any]) -> str:
    """Lines of a file with these options. None is left out: TOML has no such value."""
    return "".join(f"{name} = {_toml(value)}\n" for name, value in options.items() if value is not None)


def _toml(value: str | float) -> str:
    """A value. A string in JSON is one in TOML too, except that TOML also wants DEL escaped."""
    if isinstance(value, bool):
        return str(value).lower()
    return json.dumps(value).replace("\x7f", "\\u007f") if isinstance(value, str) else repr(value)
