"""The findings of `pairloom doctor`: each says what is so, whether that is right, and if not, what to do."""

import platform
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Literal, NamedTuple

from pairloom import __version__
from pairloom.advice.diagnosis import machine, packages, published
from pairloom.advice.diagnosis.kernels import cache_place
from pairloom.errors import PairloomError
from pairloom.system.cache_entries import cache_entries, cache_limit
from pairloom.system.cache_folder import cache_folder, temporary_folder
from pairloom.system.display import format_bytes, number_of
from pairloom.system.memory import available

_LITTLE_SPACE = 1e9  # bytes
_LITTLE_MEMORY = 1e9
_THREADS = (1, 2)


class Finding(NamedTuple):
    """One line of the report."""

    topic: str
    what: str
    status: Literal["ok", "note", "wrong"] = "ok"
    advice: str = ""  # what to do, unless all is well


def findings(kernels: bool = True, on_step: Callable[[str], object] = lambda what: None) -> Iterator[Finding]:
    """All findings, one after the other. kernels: also train what is published, which may compile for a minute."""
    yield Finding("pairloom", f"{__version__}, Python {platform.python_version()} on {platform.platform(terse=True)}")
    yield from _packages()
    yield _processor()
    yield _cores()
    yield _memory()
    yield _text_cache()
    yield _kernel_cache()
    yield _temporary_files()
    for name in published.CHECKED if kernels else ():
        on_step(name)
        yield _kernels(name)


def _packages() -> Iterator[Finding]:
    for package in packages.packages():
        topic = f"extra {package.extra}" if package.extra else "package"
        install = f"pip install --force-reinstall 'pairloom{f'[{package.extra}]' if package.extra else ''}'"
        if package.problem:
            what = f"{package.name} {package.version} cannot be imported: {package.problem}"
            yield Finding(topic, what, "wrong", f"Install it again with: {install}")
        elif package.version:
            yield Finding(topic, f"{package.name} {package.version}")
        elif package.extra:
            yield Finding(topic, f"{package.name} is not installed (pip install 'pairloom[{package.extra}]')")
        else:
            yield Finding(topic, f"{package.name} is not installed", "wrong", f"Install it with: {install}")


def _processor() -> Finding:
    found = machine.processor()
    what = f"{found.name} ({found.llvm_name}, {', '.join(found.features) or 'no known vector instructions'})"
    if not found.missing:
        return Finding("processor", what)
    advice = f"Training is slower without {' and '.join(found.missing)}; the bytes are the same. Try another machine."
    return Finding("processor", what, "note", advice)


def _cores() -> Finding:
    found = machine.cores()
    what = f"{found.usable} of {number_of(found.machine, 'core')} for this process"
    if found.quota is None or found.quota >= found.usable:
        return Finding("cores", what)
    threads = max(1, int(found.quota))
    advice = f"More threads than that wait for each other. Use --threads {threads}."
    return Finding("cores", f"{what}, and a limit of {found.quota:.1f}", "note", advice)


def _memory() -> Finding:
    free = available()
    if free is None:
        return Finding("memory", "the system does not say how much is free")
    if free < _LITTLE_MEMORY:
        advice = "Close other programs; `pairloom plan` says what a training needs."
        return Finding("memory", f"{format_bytes(free)} free", "note", advice)
    return Finding("memory", f"{format_bytes(free)} free")


def _text_cache() -> Finding:
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            folder = cache_folder()
            with temporary_folder(folder):
                pass
            entries, limit = cache_entries(folder), cache_limit()
        except PairloomError as error:
            return Finding("text cache", str(error), "wrong", "Set PAIRLOOM_CACHE to a folder that can be written.")
    if warned:
        return Finding("text cache", f"{folder} cannot be written", "note", str(warned[0].message))
    size = format_bytes(sum(entry.size_bytes for entry in entries))
    bound = f", at most {format_bytes(limit)}" if limit else ""
    return Finding("text cache", f"{folder}: {number_of(len(entries), 'text')}, {size}{bound}")


def _kernel_cache() -> Finding:
    try:
        place = cache_place()
    except PairloomError as error:
        return Finding("kernel cache", str(error), "wrong", "Set NUMBA_CACHE_DIR to a folder that can be written.")
    files = list(place.rglob("*.nbc"))
    size = 0
    for path in files:
        with suppress(OSError):  # another process may just replace it
            size += path.stat().st_size
    what = f"{place}: {number_of(len(files), 'kernel')}, {format_bytes(size)}"
    if "pairloom-kernels-" in place.name:
        return Finding("kernel cache", what, "note", "Kernels are compiled in every run. Set NUMBA_CACHE_DIR.")
    return Finding("kernel cache", what)


def _temporary_files() -> Finding:
    place = Path(tempfile.gettempdir())
    try:
        tempfile.TemporaryFile(dir=place).close()
        free = shutil.disk_usage(place).free
    except OSError as error:
        advice = "Set TMPDIR to a folder that can be written."
        return Finding("temporary files", f"{place}: {error.strerror}", "wrong", advice)
    what = f"{place}: {format_bytes(free)} free"
    if free < _LITTLE_SPACE:
        return Finding("temporary files", what, "note", "Set TMPDIR to a folder on a larger disk.")
    return Finding("temporary files", what)


def _kernels(name: str) -> Finding:
    """Train what is published with one thread and with two."""
    try:
        wrong = [threads for threads in _THREADS if not published.is_as_published(name, threads)]
    except (PairloomError, OSError) as error:
        return Finding("kernels", f"{name}: {error}", "wrong", "Mend what is named there, and ask the doctor again.")
    if not wrong:
        return Finding("kernels", f"{name}: the published bytes")
    advice = (
        "Vectors differ from those of other machines. Delete the kernel cache and try again; if they still differ, "
        "report this whole output."
    )
    what = f"{name}: other bytes than published, with {number_of(wrong[0], 'thread')}"
    return Finding("kernels", what, "wrong", advice)
