"""A training that is stopped by a signal, and one that goes on: what was typed is kept beside its checkpoints."""

import json
import signal
import threading
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pairloom.cli.arguments import OPTIONS
from pairloom.errors import InputError, StoppedError

if TYPE_CHECKING:
    from pairloom.training.checkpoint import Checkpoints

_OF_THIS_RUN = {"command", "parser", "resume", "quiet", "json"}
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
}


@contextmanager
def stopping(checkpoints: "Checkpoints | None") -> Iterator[None]:
    """A signal asks the training for a checkpoint and an end; a second one, or one before it trains, ends it now."""
    if checkpoints is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    asked: list[int] = []

    def handler(number: int, _: object) -> None:
        if asked or not checkpoints.running:
            raise KeyboardInterrupt(number)
        asked.append(number)
        checkpoints.stop()

    numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {n: signal.signal(n, handler) for n in numbers if signal.getsignal(n) is not signal.SIG_IGN}  # nohup
    try:
        yield
    except StoppedError as stopped:
        stopped.exit_code = 128 + asked[0]
        raise
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def typed(args: Namespace) -> bytes:
    """What was typed, to be kept. Paths become absolute: whoever goes on may stand in another folder."""
    kept = {name: value for name, value in vars(args).items() if name not in _OF_THIS_RUN}
    for name in _PATHS & kept.keys():
        kept[name] = kept[name] and str(Path.cwd() / kept[name])
    kept["corpus"] = [path if path == "-" else str(Path.cwd() / path) for path in args.corpus]
    return json.dumps(kept, indent=2).encode() + b"\n"


def recall(args: Namespace) -> Namespace:
    """What was typed then, and what is typed now: another output or more threads are fine, other options are not."""
    from pairloom.training.checkpoint import COMMAND

    if args.checkpoint is not None and Path(args.checkpoint) != Path(args.resume):
        raise InputError(f"--resume {args.resume} goes on in that folder. Leave out --checkpoint {args.checkpoint}.")
    now = {
        name: value for name, value in vars(args).items() if value is not None and value is not False and value != []
    }
    _check_begun(Path(args.resume), COMMAND)
    then = {} if args.corpus else _read(Path(args.resume) / COMMAND)  # a whole command needs no other
    for name in OPTIONS:
        if name in now and then.get(name) not in (None, now[name]):
            raise InputError(
                f"--{name.replace('_', '-')} {now[name]} is not what the training in {args.resume} was begun with, "
                f"which is {then[name]}. Leave it out, or begin another training."
            )
    return Namespace(**vars(args) | then | now | {"checkpoint": args.resume})


def _check_begun(folder: Path, command: str) -> None:
    """Nobody who mistypes a folder wants to begin again, over what an earlier training has written."""
    with suppress(OSError):
        if any(path.name == command or path.suffix == ".checkpoint" for path in folder.iterdir()):
            return
    raise InputError(f"{folder} holds no training to go on with. Give the folder that was named by --checkpoint.")


def _read(path: Path) -> dict[str, Any]:
    try:
        typed = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        typed = None
    if not _is_command(typed):
        raise InputError(
            f"{path} is damaged or missing. Type the whole command again, with --resume instead of --checkpoint."
        )
    return dict(typed)


def _is_command(typed: Any) -> bool:
    """Whether it has the form that `typed` gives it."""
    if not isinstance(typed, dict) or not isinstance(corpus := typed.pop("corpus", None), list):
        return False
    plain = all(value is None or isinstance(value, str | int | float) for value in typed.values())
    paths = all(isinstance(typed.get(name), str | None) for name in {*_PATHS, "columns", "every"})
    typed["corpus"] = corpus
    return plain and paths and bool(corpus) and all(isinstance(path, str) for path in corpus)
