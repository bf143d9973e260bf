"""Record the calls by which a file is written, and make one of them fail.

Python writes in C, which cannot be patched. So files are opened as a subclass of the raw file that Python would have
opened. The calls, and the bytes on the disk, are those of the package.
"""

import errno
import io
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock


class Call(NamedTuple):
    """A call, and the inode of its file or folder."""

    kind: str  # open, write, flush, fsync, chmod, rename, close
    inode: int
    into: int = 0  # for a rename: the folder with the new name


class Trap:
    """Records calls and passes them on. Call number `at` fails with an error or kills the process."""

    def __init__(self, at: int | None = None, fault: str = "") -> None:
        self.calls: list[Call] = []
        self.at, self.fault = at, fault
        self._full = False

    def passed(self, call: Call, act: Callable[[], Any], half: Callable[[], Any] = lambda: None) -> Any:
        """Make the call and return its result. If it must fail, do `half` of it before."""
        self.calls.append(call)
        if len(self.calls) - 1 == self.at:
            half()
            self._full = self.fault == "ENOSPC"
            self.fail()
        if self._full and call.kind == "write":
            self.fail()  # a full disk stays full
        return act()

    def fail(self) -> None:
        """Raise the error, or kill the process."""
        if self.fault == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        number = getattr(errno, self.fault)
        raise OSError(number, os.strerror(number))


@contextmanager
def trapped(trap: Trap) -> Iterator[Trap]:
    """Send all calls of the body through the trap."""
    real = {name: getattr(os, name) for name in ("open", "close", "fsync", "chmod", "replace", "mkdir")}

    def opened(path: Any, flags: int, *more: Any, **named: Any) -> int:
        if flags & os.O_CREAT:
            return int(trap.passed(Call("open", 0), lambda: real["open"](path, flags, *more, **named)))
        return int(real["open"](path, flags, *more, **named))

    def closed(descriptor: int) -> None:
        call = Call("close", _inode(descriptor))
        real["close"](descriptor)  # which it is afterwards, also if the call fails
        trap.passed(call, lambda: None)

    def replaced(source: Any, target: Any, **named: Any) -> None:
        call = Call("rename", Path(source).stat().st_ino, Path(target).parent.stat().st_ino)
        trap.passed(call, lambda: real["replace"](source, target, **named))

    patches = {
        "open": opened,
        "close": closed,
        "fsync": lambda descriptor: trap.passed(Call("fsync", _inode(descriptor)), lambda: real["fsync"](descriptor)),
        "chmod": lambda *a, **b: trap.passed(Call("chmod", Path(a[0]).stat().st_ino), lambda: real["chmod"](*a, **b)),
        "mkdir": lambda *a, **b: trap.passed(Call("open", 0), lambda: real["mkdir"](*a, **b)),
        "replace": replaced,
    }
    with mock.patch.multiple(os, **patches), mock.patch.object(io, "open", _opener(trap, io.open)):
        yield trap


def _inode(descriptor: int) -> int:
    return os.fstat(descriptor).st_ino


def _opener(trap: Trap, real: Callable[..., Any]) -> Callable[..., Any]:
    class Raw(io.FileIO):
        def write(self, data: Any) -> int:
            view = memoryview(data).cast("B")
            call = Call("write", _inode(self.fileno()))
            write = super().write
            return int(trap.passed(call, lambda: write(view), lambda: write(view[: len(view) // 2])))

        def close(self) -> None:
            if self.closed:
                return
            call = Call("close", _inode(self.fileno()))
            super().close()
            trap.passed(call, lambda: None)

    class Buffered(io.BufferedWriter):
        def flush(self) -> None:
            trap.passed(Call("flush", _inode(self.fileno())), super().flush)

    def opened(file: Any, mode: str = "r", *more: Any, **named: Any) -> Any:
        return Buffered(Raw(file, mode.replace("b", ""))) if mode in ("wb", "xb") else real(file, mode, *more, **named)

    return opened


def after_power_cut(calls: list[Call]) -> set[str]:
    """What the path may hold after a power cut that follows these calls.

    A disk keeps for sure only what was flushed; a rename may be kept before anything else. So the new name may be there
    from the rename on, with what was flushed before it, and for sure once its folder is flushed.
    """
    renames = [i for i, call in enumerate(calls) if call.kind == "rename"]
    if not renames:
        return {"old"}
    last = renames[-1]
    dirty = {call.inode for call in calls if call.kind == "write"}
    flushed = {call.inode for i, call in enumerate(calls[:last]) if call.kind == "fsync" and not _written(calls, i)}
    new = "new" if dirty | {calls[last].inode} <= flushed else "mixture"
    is_kept = Call("fsync", calls[last].into) in calls[last:]
    return {new} if is_kept else {"old", new}


def _written(calls: list[Call], since: int) -> bool:
    """Whether the same file is written again after a flush."""
    return any(call.kind == "write" and call.inode == calls[since].inode for call in calls[since:])
