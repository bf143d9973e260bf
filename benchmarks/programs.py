"""The programs to compare: each trains on a text in its own process and is timed from outside.

Training time is the time between the first and the last progress report of the program, or between the lines that its
script prints, so that counting words and writing vectors do not count in words/s. Total time is that of the whole
process, from text to saved vectors. Other facts are lines `name = number` at the end of the output.
"""

import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Settings:
    """Settings, the same for every program."""

    corpus: Path
    dim: int
    threads: int
    window: int = 5
    negatives: int = 5
    sample: float = 1e-4
    min_count: int = 5
    epochs: int = 1


@dataclass(frozen=True)
class Run:
    """What one training took."""

    program: str
    dim: int
    training_seconds: float
    total_seconds: float
    peak_mb: float
    facts: dict[str, int]  # other numbers that the scripts print


def command(program: str, s: Settings, output: Path, peers: Path) -> list[str]:
    """The command line with which a program trains on a text and saves word2vec's text or binary format."""
    if program == "word2vec.c":
        flags = {
            "train": s.corpus,
            "output": output,
            "size": s.dim,
            "window": s.window,
            "negative": s.negatives,
            "sample": s.sample,
            "min-count": s.min_count,
            "iter": s.epochs,
            "threads": s.threads,
            "cbow": 0,
            "hs": 0,
            "binary": 1,
            "debug": 2,
        }
        return [str(peers / "word2vec"), *(str(x) for name, value in flags.items() for x in (f"-{name}", value))]
    python = sys.executable if program == "pairloom" else str(peers / "python")
    script = HERE / "scripts" / f"{program}_train.py"
    options = (s.corpus, output, s.dim, s.threads, s.window, s.negatives, s.sample, s.min_count, s.epochs)
    return [python, str(script), *map(str, options)]


_PROGRESS = re.compile(rb"Progress: *([\d.]+)%|^(begin|end)$")
_FACT = re.compile(rb"^(\w+) = (\d+)$", re.MULTILINE)


def run(
    program: str, settings: Settings, output: Path, peers: Path, environment: Mapping[str, str] | None = None
) -> Run:
    """Train once, with these variables added to the environment."""
    began = time.perf_counter()
    launcher = [sys.executable, str(HERE / "scripts" / "measured.py")]
    process = subprocess.Popen(
        [*launcher, *command(program, settings, output, peers)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=os.environ | (environment or {}),
    )
    assert process.stdout is not None
    first = last = None
    said = b""
    while data := os.read(process.stdout.fileno(), 65536):
        said = (said + data)[-4000:]
        if any(_PROGRESS.search(line) for line in re.split(rb"[\r\n]", data)):
            last = time.perf_counter()
            first = first or last
    status = process.wait()
    ended = time.perf_counter()
    facts = {name.decode(): int(number) for name, number in _FACT.findall(said)}
    if status or "peak_kb" not in facts or first is None or last is None:
        raise RuntimeError(f"{program} failed with status {status}:\n{said.decode(errors='replace')}")
    return Run(program, settings.dim, last - first, ended - began, facts["peak_kb"] * 1.024e-3, facts)
