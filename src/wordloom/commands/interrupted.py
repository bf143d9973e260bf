"""A training that is stopped by a signal, and one that goes on: what was typed is kept beside its checkpoints."""

import json
import signal
import threading
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordloom.arguments import OPTIONS
from wordloom.errors import InputError, StoppedError

if TYPE_CHECKING:
    from wordloom.checkpoint import Checkpoints

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

    names = [name for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {name: signal.signal(getattr(signal, name), handler) for name in names}
    try:
        yield
    except StoppedError as stopped:
        stopped.exit_code = 128 + asked[0]
        raise
    finally:
        for name, old in before.items():
            signal.signal(getattr(signal, name), old)


def typed(args: Namespace) -> bytes:
    """What was typed, to be kept. Paths become absolute: whoever goes on may stand in another folder."""
    kept = {name: value for name, value in vars(args).items() if name not in _OF_THIS_RUN}
    for name in _PATHS & kept.keys():
        kept[name] = kept[name] and str(Path.cwd() / kept[name])
    kept["corpus"] = [path if path == "-" else str(Path.cwd() / path) for path in args.corpus]
    return json.dumps(kept, indent=2).encode() + b"\n"


def recall(args: Namespace) -> Namespace:
    """What was typed then, and what is typed now: another output or more threads are fine, other options are not."""
    from wordloom.checkpoint import COMMAND

    then = _read(Path(args.resume) / COMMAND)
    now = {name: value for name, value in vars(args).items() if value not in (None, False, [])}
    for name in OPTIONS:
        if name in now and then.get(name) not in (None, now[name]):
            raise InputError(
                f"--{name.replace('_', '-')} {now[name]} is not what the training in {args.resume} was begun with, "
                f"which is {then[name]}. Leave it out, or begin another training."
            )
    return Namespace(**vars(args) | then | now | {"checkpoint": args.resume})


def _read(path: Path) -> dict[str, Any]:
    try:
        typed = json.loads(path.read_bytes())
        if not isinstance(typed, dict) or not isinstance(typed.get("corpus"), list):
            raise ValueError
    except OSError:
        raise InputError(
            f"{path.parent} holds no training to go on with. Give the folder that was named by --checkpoint."
        ) from None
    except (ValueError, RecursionError):
        raise InputError(f"{path} is damaged. Type the whole command again, with --checkpoint and --resume.") from None
    return typed
