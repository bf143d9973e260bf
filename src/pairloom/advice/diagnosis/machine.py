"""What the machine is: its processor and the instructions that kernels use, and its cores, within a container too."""

import os
import platform
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from pairloom.config import checked_threads

_ROOT = Path("/")
# The instructions that decide how fast kernels are, by processor. Without them the bytes are the same.
_FEATURES = {"x86_64": ("avx2", "fma", "avx512f"), "aarch64": ("neon", "sve")}
_NEEDED = {"x86_64": ("avx2", "fma"), "aarch64": ("neon",)}
_NAMES = {"AMD64": "x86_64", "arm64": "aarch64"}  # of Windows and macOS


class Processor(NamedTuple):
    """The processor, as LLVM knows it."""

    name: str  # of the model
    architecture: str
    llvm_name: str
    features: tuple[str, ...]
    missing: tuple[str, ...]  # of those that make kernels fast


def processor(root: Path = _ROOT) -> Processor:
    """The processor of this machine."""
    from llvmlite import binding

    architecture = _NAMES.get(platform.machine(), platform.machine())
    has = {name for name, there in binding.get_host_cpu_features().items() if there}
    return Processor(
        model_name(root) or platform.processor() or architecture,
        architecture,
        binding.get_host_cpu_name(),
        tuple(name for name in _FEATURES.get(architecture, ()) if name in has),
        tuple(name for name in _NEEDED.get(architecture, ()) if name not in has),
    )


def model_name(root: Path = _ROOT) -> str:
    """The name of the processor that Linux reports; "" elsewhere."""
    with suppress(OSError):
        for line in (root / "proc/cpuinfo").read_text(errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return ""


class Cores(NamedTuple):
    """How many cores there are, and how many of them this process may use."""

    machine: int
    usable: int  # what `threads=None` takes
    quota: float | None  # processor seconds in a second that a container allows; None without a limit


def cores(root: Path = _ROOT) -> Cores:
    """The cores of this machine."""
    return Cores(os.cpu_count() or 1, checked_threads(None), cpu_quota(root))


def cpu_quota(root: Path = _ROOT) -> float | None:
    """The processor time that control groups allow, the least of this group and its parents; None without a limit."""
    found = []
    with suppress(OSError):
        for line in (root / "proc/self/cgroup").read_text().splitlines():
            number, controllers, path = [*line.split(":", 2), "", ""][:3]
            names = path.strip("/").split("/")
            if number == "0" and not controllers:
                mount, read = root / "sys/fs/cgroup", _quota_of_v2
            elif "cpu" in controllers.split(","):
                mount, read = root / "sys/fs/cgroup/cpu", _quota_of_v1
            else:
                continue
            found += [read(mount.joinpath(*names[:n])) for n in range(len(names) + 1)]
    return min((quota for quota in found if quota is not None), default=None)


def _quota_of_v2(folder: Path) -> float | None:
    with suppress(OSError, ValueError):
        quota, period = (folder / "cpu.max").read_text().split()
        return int(quota) / int(period)  # "max" is no number: no limit
    return None


def _quota_of_v1(folder: Path) -> float | None:
    with suppress(OSError, ValueError):
        quota = int((folder / "cpu.cfs_quota_us").read_text())
        return quota / int((folder / "cpu.cfs_period_us").read_text()) if quota > 0 else None
    return None
