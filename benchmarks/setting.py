"""What the benchmarks share: the text, the machine, and how results are written."""

import gzip
import os
import platform
import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent.parent.parent / "shared" / "data"
RESULTS = Path(__file__).parent / "results"
CORPUS_HELP = "a text, perhaps .gz (100 MB of Wikipedia where present, else the demo's)"


def corpus_file(given: Path | None, folder: Path, megabytes: int | None = None) -> Path:
    """The text as one plain file, the only form that all programs read."""
    text = folder / "corpus.txt"
    source = given or DATA / "wiki100.txt.gz"
    if given is None and not source.exists():
        from pairloom.cli.demo_text import write_corpus

        write_corpus(text)
    elif source.suffix == ".gz":
        with gzip.open(source) as packed, text.open("wb") as plain:
            shutil.copyfileobj(packed, plain)
    else:
        shutil.copy(source, text)
    if megabytes is not None:
        data = text.read_bytes()[: megabytes * 10**6]
        text.write_bytes(data[: data.rfind(b"\n") + 1 or None])  # text8, for example, is one line without a newline
    return text


def machine() -> dict[str, str | int | None]:
    """What the figures were measured on."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    cpu = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.processor())
    return {"cpu": cpu, "cores": os.cpu_count(), "python": platform.python_version(), "system": platform.system()}


def markdown(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table."""
    lines = ["| " + " | ".join(cells) + " |" for cells in (heads, *rows)]
    return "\n".join([lines[0], "|" + " --- |" * len(heads), *lines[1:]]) + "\n"


def verdict(measured: float, target: float, at_least: bool) -> str:
    """Whether a target was met, or by how much it was missed."""
    ratio = measured / target
    met = ratio >= 1 if at_least else ratio <= 1
    return "met" if met else f"missed by {abs(ratio - 1):.1%}"


def plotting() -> Any:
    """matplotlib's pyplot, for files. Called first, so that a missing package shows before an hour of measuring."""
    try:
        import matplotlib
    except ImportError:
        raise SystemExit("The chart needs matplotlib. Install it with: pip install 'matplotlib>=3.9'") from None
    matplotlib.use("agg")
    from matplotlib import pyplot

    return pyplot


def report_progress(line: str) -> None:
    """Report progress on stderr, apart from the results."""
    print(line, file=sys.stderr, flush=True)
