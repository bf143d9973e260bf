"""The command line of a training, saved beside its checkpoints so that --resume needs no other argument."""

import json
from argparse import Namespace
from contextlib import suppress
from pathlib import Path
from typing import Any

from pairloom.cli.arguments import OPTIONS
from pairloom.errors import InputError
from pairloom.system.addresses import has_secret, is_address, shown

_NOT_SAVED = {"command", "parser", "resume", "quiet", "json", "config", "verbose"}
_LISTS = ("corpus", "evaluate")  # of paths
_PATHS = {
    "output",
    "contexts_output",
    "keep",
    "drop",
    "read_vocab",
    "read_contexts",
    "start",
    "cache_dir",
    "checkpoint",
    "copies",
    "round_log",
    "report",
}
_SECRET = "#not-saved"  # in place of a password or a signature
_COLUMNS = {"columns", "column", "session", "item", "order"}


def to_json(args: Namespace) -> bytes:
    """The arguments of a training. Paths become absolute, since --resume may run in another folder."""
    saved = {name: value for name, value in vars(args).items() if name not in _NOT_SAVED}
    for name in _PATHS & saved.keys():
        saved[name] = saved[name] and str(Path.cwd() / saved[name])
    for name in _LISTS:
        saved[name] = [_absolute(path) for path in saved[name]]
    return json.dumps(saved, indent=2).encode() + b"\n"


def _absolute(path: str) -> str:
    """A path that holds in any folder. An address is kept without its secrets, and `_read` asks for them."""
    return shown(path) + _SECRET * has_secret(path) if path == "-" or is_address(path) else str(Path.cwd() / path)


def with_saved(args: Namespace) -> Namespace:
    """The arguments of a --resume, completed by the saved ones.

    A new argument replaces a saved one (another output, more threads), but options that change the vectors must agree.
    """
    from pairloom.training.checkpoint import COMMAND

    if args.checkpoint is not None and Path(args.checkpoint) != Path(args.resume):
        raise InputError(
            f"--resume {args.resume} writes checkpoints to that folder again. Leave out --checkpoint {args.checkpoint}."
        )
    now = {
        name: value for name, value in vars(args).items() if value is not None and value is not False and value != []
    }
    _check_begun(Path(args.resume), COMMAND)
    saved = {} if args.corpus else _read(Path(args.resume) / COMMAND)  # a whole command needs no other
    for name in OPTIONS:
        if name in now and saved.get(name) not in (None, now[name]):
            option = f"--{name.replace('_', '-')}"
            raise InputError(
                f"{option} {now[name]} differs from {option} {saved[name]}, with which the training in {args.resume} "
                "was begun. Leave it out, or begin another training."
            )
    return Namespace(**vars(args) | saved | now | {"checkpoint": args.resume})


def _check_begun(folder: Path, command: str) -> None:
    """Refuse a mistyped folder: training from the start would overwrite the output of an earlier training."""
    with suppress(OSError):
        if any(path.name == command or path.suffix == ".checkpoint" for path in folder.iterdir()):
            return
    raise InputError(f"{folder} holds no training to resume. Give the folder that was named by --checkpoint.")


def _read(path: Path) -> dict[str, Any]:
    try:
        saved = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        saved = None
    if not _is_command(saved):
        raise InputError(
            f"{path} is damaged or missing. Type the whole command again, with --resume instead of --checkpoint."
        )
    for source in saved["corpus"]:
        if source.endswith(_SECRET):
            raise InputError(
                f"The password or query of {source.removesuffix(_SECRET)} was not saved. Type the whole command again, "
                "with --resume instead of --checkpoint."
            )
    return dict(saved)


def _is_command(saved: Any) -> bool:
    """Whether this has the form that `to_json` writes."""
    if not isinstance(saved, dict) or not all(_are_paths(saved.get(name, [])) for name in _LISTS):
        return False
    others = {name: value for name, value in saved.items() if name not in _LISTS}
    plain = all(value is None or isinstance(value, str | int | float) for value in others.values())
    paths = all(isinstance(others.get(name), str | None) for name in {*_PATHS, *_COLUMNS, "every"})
    return plain and paths and bool(saved.get("corpus"))


def _are_paths(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(path, str) for path in value)
