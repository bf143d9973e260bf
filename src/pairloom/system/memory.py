"""How much memory the machine has, and how much of it a run may use.

A run that cannot fit is refused before it allocates anything, with an error that adds up what it needs. Otherwise the
system would kill it hours later. The `memory_need.py` of each folder has the sums. Sizes are resident memory of the
whole process. Mapped text is not counted: the system keeps as much of it in memory as it has space for.
"""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from pairloom.config import is_whole
from pairloom.errors import ConfigError, InputError
from pairloom.system.display import format_bytes

# Bytes that Python, NumPy, Numba and compiled kernels take. The first run, which compiles, takes 100 MB more.
RUNNING = 175_000_000
ASSUMED = 4 << 30  # free memory, where the system does not report it
SMALLEST_TABLES = 16 << 20  # for counting: smaller tables would write more files than words

_UNITS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(I?)B?\s*", re.ASCII | re.IGNORECASE)
_CACHED_FILES = re.compile(r"^(?:in)?active_file (\d+)$", re.MULTILINE)
_ROOT = Path("/")


def checked_size(max_memory: object, name: str = "max_memory", least: str = "300MB") -> int | None:
    """A size in bytes, from a whole number or from text: 512MB, 2GB (10^9 bytes each) or 2GiB (2^30 bytes each).

    >>> checked_size("1.5GB"), checked_size("2 GiB"), checked_size(10**9), checked_size(None)
    (1500000000, 2147483648, 1000000000, None)
    """
    if max_memory is None:
        return None
    size = _parsed(max_memory) if isinstance(max_memory, str) else max_memory
    if not is_whole(size):
        raise ConfigError(f"{name}={max_memory!r} is not an amount of memory. Use bytes, or 512MB, 2GB or 2GiB.")
    if not 1 <= size < 1 << 63:  # type: ignore[operator]  # a whole number
        most = " and less than 2^63 bytes" if size > 0 else ""  # type: ignore[operator]
        raise ConfigError(f"{name}={max_memory} is out of range. Use {least} or more{most}.")
    return int(size)  # type: ignore[call-overload, no-any-return]


def _parsed(text: str) -> float | None:
    match = _SIZE.fullmatch(text)
    if match is None or len(text) > 40:
        return None
    number, unit, binary = match.groups()
    return int(float(number) * (1024.0 if binary else 1000.0) ** _UNITS[unit.upper()])


class MemoryItem(NamedTuple):
    """One line of a sum: what takes memory, and how many bytes."""

    what: str
    size: int


class Budget:
    """The memory that a run may use: max_memory if given, otherwise what the machine has.

    `baseline` is what the process used before the work began. Every sum starts from it.
    """

    def __init__(self, max_memory: object = None) -> None:
        self.limit = checked_size(max_memory)
        self.set_baseline()

    def set_baseline(self) -> None:
        """Take the memory in use now as the baseline, for example after the kernels were compiled."""
        self.baseline = max(RUNNING, resident())

    def check(self, items: Iterable[MemoryItem], advice: str = "Lower dim or raise min_count") -> None:
        """Raise an InputError if the baseline and these items do not fit."""
        need = [MemoryItem("Python and compiled code", self.baseline), *(item for item in items if item.size)]
        total = sum(item.size for item in need)
        allowed = self._allowed()
        if allowed is None or total <= allowed:
            return
        parts = " + ".join(f"{format_bytes(item.size)} {item.what}" for item in need)
        size = format_bytes(allowed)
        limit = f"max_memory allows {size}" if self.limit else f"this machine has {size} to spare"
        if self.baseline >= allowed:  # no option of the training would help
            advice = "Allow more (max_memory)" if self.limit else "Close other programs"
        elif self.limit:
            advice += ", or allow more (max_memory)"
        raise InputError(f"This needs {format_bytes(total)} of memory ({parts}), and {limit}. {advice}.")

    def spare(self, items: Iterable[MemoryItem] = ()) -> int | None:
        """Bytes left after the baseline and these items, at least 0; None if the system does not report memory."""
        allowed = self._allowed()
        return None if allowed is None else max(0, allowed - self.baseline - sum(item.size for item in items))

    def _allowed(self) -> int | None:
        """The limit, or without one the free memory plus what this process already has."""
        if self.limit is not None:
            return self.limit
        free = available()
        return None if free is None else free + resident()


def memory_for_counting(max_memory: int | None) -> int:
    """Bytes that tables of words may take before they are written to files. The counts do not depend on it.

    Half of what max_memory leaves, or without a limit a quarter of the free memory.
    """
    if max_memory is not None:
        return max(SMALLEST_TABLES, (max_memory - max(RUNNING, resident())) // 2)
    free = available()
    return max(SMALLEST_TABLES, (ASSUMED if free is None else free) // 4)


# --- What the system reports


def resident(root: Path = _ROOT) -> int:
    """Bytes of memory that this process has now; 0 if the system does not report it."""
    try:
        return int((root / "proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def own_memory(root: Path = _ROOT) -> int:
    """Bytes of memory that no other process shares, as mapped files or Ray's objects; 0 if the system does not say."""
    with suppress(OSError, ValueError, StopIteration):
        lines = (root / "proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon:"))
    return 0


def available(root: Path = _ROOT) -> int | None:
    """Bytes that can be allocated without swapping, within the container if there is one; None if unknown."""
    sizes = [*_free_on_machine(root), *_free_in_groups(root)]
    return max(0, min(sizes)) if sizes else None


def _free_on_machine(root: Path) -> Iterator[int]:
    with suppress(OSError, ValueError):
        lines = (root / "proc/meminfo").read_text().splitlines()
        yield from (int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))


def _free_in_groups(root: Path) -> Iterator[int]:
    """Free memory of the control groups of this process and of their parents, for cgroup versions 2 and 1."""
    with suppress(OSError):
        for line in (root / "proc/self/cgroup").read_text().splitlines():
            number, controllers, path = [*line.split(":", 2), "", ""][:3]
            if number == "0" and not controllers:
                yield from _free_in_group(root / "sys/fs/cgroup", path, "memory.max", "memory.current")
            elif "memory" in controllers.split(","):
                yield from _free_in_group(
                    root / "sys/fs/cgroup/memory", path, "memory.limit_in_bytes", "memory.usage_in_bytes"
                )


def _free_in_group(mount: Path, path: str, limit: str, usage: str) -> Iterator[int]:
    """limit - usage of a group and its parents, where they have a limit. Cached files count as free."""
    names = path.strip("/").split("/")
    for folder in (mount.joinpath(*names[:n]) for n in range(len(names) + 1)):
        with suppress(OSError, ValueError):
            free = int((folder / limit).read_text()) - int((folder / usage).read_text())
            with suppress(OSError):
                free += sum(map(int, _CACHED_FILES.findall((folder / "memory.stat").read_text())))
            yield free


def give_back() -> None:
    """Return unused memory to the system. (glibc keeps freed memory until it is asked.)"""
    import ctypes  # takes 10 ms: too long for --help

    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def give_back_pages(address: int, size: int) -> None:
    """Return the whole pages of an array to the system while the array still exists. Their content is lost."""
    import ctypes
    import mmap

    begin, end = -(-address // mmap.PAGESIZE) * mmap.PAGESIZE, (address + size) // mmap.PAGESIZE * mmap.PAGESIZE
    with suppress(OSError, AttributeError, TypeError):
        if begin < end:
            ctypes.CDLL(None).madvise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), mmap.MADV_DONTNEED)
