"""How much memory there is, how much of it a run may take, and the refusal of what does not fit.

A run that cannot fit is refused before it allocates anything, with the sum; otherwise the system would kill it hours
later. `needs.py` has the sums. What counts is the resident memory of the whole process: of text that is mapped the
system keeps in memory what it has room for.
"""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from pairloom.config import is_whole
from pairloom.errors import ConfigError, InputError

RUNNING = (
    175_000_000  # bytes of Python, NumPy, Numba and compiled kernels; a first run, which compiles, takes 100 MB more
)
UNKNOWN = 4 << 30  # what counting takes a quarter of where the system does not say how much memory it has
SMALLEST_TABLES = 16 << 20  # for counting: less would write more files than words

_UNITS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(I?)B?\s*", re.ASCII | re.IGNORECASE)
_FILES = re.compile(r"^(?:in)?active_file (\d+)$", re.MULTILINE)
_ROOT = Path("/")


def checked_size(max_memory: object, name: str = "max_memory") -> int | None:
    """Bytes, from a number of them or from text such as 512MB, 2GB (10^9 bytes each) or 2GiB (2^30 each).

    >>> checked_size("1.5GB"), checked_size("2 GiB"), checked_size(10**9), checked_size(None)
    (1500000000, 2147483648, 1000000000, None)
    """
    if max_memory is None:
        return None
    size = _parsed(max_memory) if isinstance(max_memory, str) else max_memory
    if not is_whole(size):
        raise ConfigError(f"{name}={max_memory!r} is not an amount of memory. Use bytes, or 512MB, 2GB or 2GiB.")
    if not 1 <= size < 1 << 63:  # type: ignore[operator]  # a whole number
        raise ConfigError(f"{name}={max_memory} is out of range. Use 300MB or more.")
    return int(size)  # type: ignore[call-overload, no-any-return]


def _parsed(text: str) -> float | None:
    match = _SIZE.fullmatch(text)
    if match is None or len(text) > 40:
        return None
    number, unit, binary = match.groups()
    return int(float(number) * (1024.0 if binary else 1000.0) ** _UNITS[unit.upper()])


def shown(size: float) -> str:
    """Bytes for people.

    >>> shown(12_345), shown(1_234_567), shown(32_000_000_000)
    ('0.0 MB', '1.2 MB', '32.0 GB')
    """
    return f"{size / 1e9:,.1f} GB" if size >= 1e9 else f"{size / 1e6:,.1f} MB"


class MemoryItem(NamedTuple):
    """A part of a need."""

    what: str
    size: int


class Budget:
    """What a run may take: as much as was asked for, or what there is.

    begun is what the process takes before the work; the items of a need come on top of it.
    """

    def __init__(self, max_memory: object = None) -> None:
        self.limit = checked_size(max_memory)
        self.begun = max(RUNNING, resident())

    def begin(self) -> None:
        """What is there now is what every need comes on top of."""
        self.begun = max(RUNNING, resident())

    def check(self, items: Iterable[MemoryItem], advice: str = "Lower dim or raise min_count") -> None:
        """Refuse a need that cannot fit."""
        need = [MemoryItem("Python and compiled code", self.begun), *(item for item in items if item.size)]
        total = sum(item.size for item in need)
        there = self._there()
        if there is None or total <= there:
            return
        parts = " + ".join(f"{shown(item.size)} {item.what}" for item in need)
        limit = f"max_memory allows {shown(there)}" if self.limit else f"this machine has {shown(there)} to spare"
        more = ", or allow more (max_memory)" if self.limit else ""
        raise InputError(f"This needs {shown(total)} of memory ({parts}), and {limit}. {advice}{more}.")

    def room(self, items: Iterable[MemoryItem] = ()) -> int | None:
        """What is left beside these, 0 at least; None where nobody knows."""
        there = self._there()
        return None if there is None else max(0, there - self.begun - sum(item.size for item in items))

    def _there(self) -> int | None:
        """The limit; or what is free, and what the process has of it already."""
        if self.limit is not None:
            return self.limit
        free = available()
        return None if free is None else free + resident()


def for_counting(max_memory: int | None) -> int:
    """How much tables of words may take before they go to files: half of what max_memory leaves, or a quarter of what
    there is. What is counted does not depend on it.
    """
    if max_memory is not None:
        return max(SMALLEST_TABLES, (max_memory - max(RUNNING, resident())) // 2)
    free = available()
    return max(SMALLEST_TABLES, (UNKNOWN if free is None else free) // 4)


# --- What the system says


def resident(root: Path = _ROOT) -> int:
    """The memory that this process has now; 0 where the system does not say."""
    try:
        return int((root / "proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def available(root: Path = _ROOT) -> int | None:
    """What can be had without swapping, in this container if it is in one; None where the system does not say."""
    sizes = [*_of_machine(root), *_of_groups(root)]
    return max(0, min(sizes)) if sizes else None


def _of_machine(root: Path) -> Iterator[int]:
    with suppress(OSError, ValueError):
        lines = (root / "proc/meminfo").read_text().splitlines()
        yield from (int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))


def _of_groups(root: Path) -> Iterator[int]:
    """What the control groups of this process allow, and those that they are in: version 2, and version 1."""
    with suppress(OSError):
        for line in (root / "proc/self/cgroup").read_text().splitlines():
            number, kinds, path = [*line.split(":", 2), "", ""][:3]
            if number == "0" and not kinds:
                yield from _left(root / "sys/fs/cgroup", path, "memory.max", "memory.current")
            elif "memory" in kinds.split(","):
                yield from _left(root / "sys/fs/cgroup/memory", path, "memory.limit_in_bytes", "memory.usage_in_bytes")


def _left(mounted: Path, path: str, limit: str, usage: str) -> Iterator[int]:
    """The limit less what is used, where there is one; what files take of it would be given back."""
    names = path.strip("/").split("/")
    for folder in (mounted.joinpath(*names[:n]) for n in range(len(names) + 1)):
        with suppress(OSError, ValueError):
            free = int((folder / limit).read_text()) - int((folder / usage).read_text())
            with suppress(OSError):
                free += sum(map(int, _FILES.findall((folder / "memory.stat").read_text())))
            yield free


def give_back() -> None:
    """Give memory that is no longer used back to the system, where its C library keeps it unless asked (glibc)."""
    import ctypes  # 10 ms that --help need not wait for

    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)
