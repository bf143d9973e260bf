"""Where cases are tried: one folder, one process that has loaded everything, and a time limit for each case."""

import io
import os
import re
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from pairloom.errors import PairloomError
from reliability.cases import folder, grammar, options
from reliability.cases.case import OUTPUT, Case

SECONDS = 20  # limit of a case; most take a hundredth of a second

Attempt = Callable[["Bench", Case], Iterator[str]]


class Hung(BaseException):
    """A case that did not end. Not an Exception, so that no handler hides it."""


class CommandResult(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


class Bench:
    """A folder with valid files, in which cases leave no trace, a cache, and a folder for temporary files."""

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
        """Run the body in the folder, with the bench's cache and its folder for temporary files."""
        english = {"LANGUAGE": "C"}  # otherwise argparse would look for a translation of every word
        with (
            chdir(self.folder),
            mock.patch.dict(os.environ, {"PAIRLOOM_CACHE": str(self.cache), **english}),
            mock.patch.object(tempfile, "tempdir", str(self.temporary)),
        ):
            yield

    def problems(self, case: Case) -> list[str]:
        """What is wrong with how a case ended, through the command line and through the library."""
        attempts: list[tuple[str, Attempt]] = []
        if case.argv is not None:
            attempts.append(("command", by_command))
        if case.call is not None:
            attempts.append(("library", by_library))
        return [
            f"{case.name} ({name}): {problem}" for name, attempt in attempts for problem in self._tried(case, attempt)
        ]

    def _tried(self, case: Case, attempt: Attempt) -> list[str]:
        folder.add(self.folder, dict(case.make))
        before = folder.snapshot(self.folder)
        try:
            with self.entered(), limited(SECONDS):
                return [*attempt(self, case), *self._traces(before, case)]
        except Hung:
            return [f"did not end within {SECONDS} s"]
        finally:
            folder.restore(self.folder, self.good)

    def _traces(self, before: dict[str, object], case: Case) -> Iterator[str]:
        """What a case left in the folder, among the temporary files, or unfinished in the cache."""
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
    ended = run(case.argv or (), case.stdin)
    says = case.says if isinstance(case.says, str) else case.says[0]
    if ended.code != case.code:
        yield f"exit code {ended.code}, not {case.code}: {ended.err[-400:]!r}"
    elif case.code == 0:
        yield from _wrong(case, lambda: _read(case))
    else:
        if ended.err.count("\n") != 1 or not ended.err.startswith("pairloom"):
            yield f"not one line on stderr: {ended.err[-400:]!r}"
        if says not in ended.err:
            yield f"{says!r} is not in {ended.err!r}"
        yield from (f"advises {option}, which does not exist" for option in _unknown_options(case, ended.err))
        yield from (f"{fault} in {ended.err!r}" for fault in grammar.faults(ended.err.rstrip("\n")))
        if ended.out:
            yield f"printed {ended.out[:100]!r}"


def _unknown_options(case: Case, message: str) -> Iterator[str]:
    """The options in a message that neither the command nor, in `pairloom COMMAND --option`, the named one has."""
    given = {str(part).partition("=")[0] for part in case.argv or ()}
    for command, option in re.findall(r"(?:pairloom ([\w-]+) )?(?<![\w-])(--[a-z][a-z0-9-]*)", message):
        parser = options.parsers().get(command or str((case.argv or [""])[0]))
        known = parser._option_string_actions if parser else {"--help"}
        if option not in known and option not in given:
            yield f"{command} {option}".strip()


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
        elif isinstance(error, PairloomError):  # other messages are Python's
            yield from (f"{fault} in {str(error)!r}" for fault in grammar.faults(str(error)))
    else:
        yield "nothing was raised"


def _wrong(case: Case, made: Callable[[], Any]) -> Iterator[str]:
    """Check the result of a case."""
    try:
        with warnings.catch_warnings(action="ignore"):
            if case.right is not None and case.right(made()) is False:
                yield "the result is wrong"
    except Hung:
        raise
    except Exception as error:
        yield f"the result is wrong: {type(error).__name__}: {error}"


def _read(case: Case) -> Any:
    """The model that a command wrote, if any."""
    import pairloom

    return pairloom.load(OUTPUT) if Path(OUTPUT).exists() else None


def run(argv: Any, stdin: str = "") -> CommandResult:
    """Run `pairloom argv...` in this process, as if in its own."""
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
    return CommandResult(code, *(stream.buffer.getvalue().decode() for stream in (out, err)))  # type: ignore[attr-defined]


def _code(main: Callable[[list[str]], int], argv: list[str]) -> int:
    """The exit code that a process would have: 1 after a traceback."""
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
