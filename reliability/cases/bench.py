"""Where cases are tried: one folder, one process that is warm, and a limit of time for each."""

import io
import os
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from reliability.cases import folder
from reliability.cases.case import OUTPUT, Case

SECONDS = 20  # that a case may take; most take a hundredth of one

Way = Callable[["Bench", Case], Iterator[str]]


class Hung(BaseException):
    """A case that did not end; no `except Exception` may hide it."""


class Typed(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


class Bench:
    """A folder with good files, in which cases leave no trace; beside it a cache and a place for temporary files."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder, self.temporary, self.cache = (root / name for name in ("folder", "temporary", "cache"))
        for path in (self.folder, self.temporary, self.cache):
            path.mkdir()
        with self.entered():
            folder.build(self.folder)
        self.good = folder.snapshot(self.folder)

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Run the body in the folder, with a cache and a place for temporary files that can be looked into."""
        english = {"LANGUAGE": "C"}  # of argparse, which would look for another language at every word
        with (
            chdir(self.folder),
            mock.patch.dict(os.environ, {"PAIRLOOM_CACHE": str(self.cache), **english}),
            mock.patch.object(tempfile, "tempdir", str(self.temporary)),
        ):
            yield

    def problems(self, case: Case) -> list[str]:
        """What is wrong with how a case ended, by each way in which it can be tried; nothing, if all is well."""
        ways: list[tuple[str, Way]] = []
        if case.argv is not None:
            ways.append(("command", by_command))
        if case.call is not None:
            ways.append(("library", by_library))
        return [f"{case.name} ({name}): {problem}" for name, way in ways for problem in self._tried(case, way)]

    def _tried(self, case: Case, way: Way) -> list[str]:
        folder.add(self.folder, dict(case.make))
        before = folder.snapshot(self.folder)
        try:
            with self.entered(), limited(SECONDS):
                return [*way(self, case), *self._traces(before, case)]
        except Hung:
            return [f"did not end within {SECONDS} s"]
        finally:
            folder.restore(self.folder, self.good)

    def _traces(self, before: dict[str, object], case: Case) -> Iterator[str]:
        """What a case has left in the folder, among temporary files, or half done in the cache."""
        after = folder.snapshot(self.folder)
        allowed = {*case.changes, *([OUTPUT] if case.code == 0 else [])}
        for name in sorted(before.keys() | after.keys()):
            if before.get(name) != after.get(name) and name not in allowed:
                yield f"{name} was {'written' if name not in before else 'changed'}"
        for path in (*self.temporary.iterdir(), *self.cache.glob("pairloom-tmp-*")):
            yield f"{path.name} was left in {path.parent.name}"
            folder.restore(path.parent, {})


def by_command(bench: Bench, case: Case) -> Iterator[str]:
    """Try a case as `pairloom ...`, in this process."""
    typed = run(case.argv or (), case.stdin)
    says = case.says if isinstance(case.says, str) else case.says[0]
    if typed.code != case.code:
        yield f"exit code {typed.code}, not {case.code}: {typed.err[-400:]!r}"
    elif case.code == 0:
        yield from _wrong(case, lambda: _read(case))
    else:
        if typed.err.count("\n") != 1 or not typed.err.startswith("pairloom"):
            yield f"not one line on stderr: {typed.err[-400:]!r}"
        if says not in typed.err:
            yield f"{says!r} is not in {typed.err!r}"
        if typed.out:
            yield f"printed {typed.out[:100]!r}"


def by_library(bench: Bench, case: Case) -> Iterator[str]:
    """Try a case as a call of the library."""
    assert case.call is not None
    says = case.says if isinstance(case.says, str) else case.says[1]
    if case.code == 0:
        yield from _wrong(case, case.call)
        return
    try:
        with warnings.catch_warnings(action="ignore"):
            case.call()
    except Hung:
        raise
    except BaseException as error:
        if not isinstance(error, case.error):
            yield f"{type(error).__name__}, not {case.error.__name__}: {error}"
        elif "\n" in str(error):
            yield f"not one line: {error}"
        elif says not in str(error):
            yield f"{says!r} is not in {str(error)!r}"
    else:
        yield "nothing was raised"


def _wrong(case: Case, made: Callable[[], Any]) -> Iterator[str]:
    """Whether what a case has made is not what it has to be."""
    try:
        with warnings.catch_warnings(action="ignore"):
            if case.right is not None and case.right(made()) is False:
                yield "the result is wrong"
    except Hung:
        raise
    except Exception as error:
        yield f"the result is wrong: {type(error).__name__}: {error}"


def _read(case: Case) -> Any:
    """What a command has written, if that can be loaded."""
    import pairloom

    return pairloom.load(OUTPUT) if Path(OUTPUT).exists() else None


def run(argv: Any, stdin: str = "") -> Typed:
    """`pairloom argv...` in this process, as in one of its own."""
    from pairloom.cli.main import main

    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    before = sys.stdin, {name: signal.getsignal(name) for name in (signal.SIGTERM, signal.SIGHUP)}
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
    try:
        with warnings.catch_warnings(), redirect_stdout(out), redirect_stderr(err):
            code = _code(main, list(argv))
    finally:
        sys.stdin = before[0]
        for number, handler in before[1].items():
            signal.signal(number, handler)
    for stream in (out, err):
        stream.flush()
    return Typed(code, *(stream.buffer.getvalue().decode() for stream in (out, err)))  # type: ignore[attr-defined]


def _code(main: Callable[[list[str]], int], argv: list[str]) -> int:
    """The exit code that Python would give a process, which is 1 after a traceback."""
    import traceback

    try:
        return main(argv)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 1
    except Hung:
        raise
    except BaseException:
        traceback.print_exc()
        return 1


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise Hung in the body if it takes longer."""

    def stop(*_: object) -> None:
        raise Hung

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
