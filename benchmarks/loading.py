"""How long a file of vectors takes to load, compared with gensim.

    python -m benchmarks.loading --rows 300000 --peers .venv-peers/bin

Both load the same synthetic file, in turn, each time in a new process. Imports do not count. Memory is the peak of the
process beyond its memory before loading; it is at least the matrix and the words.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.programs import HERE
from benchmarks.setting import RESULTS, machine, markdown, verdict
from pairloom import Embedding, Vectors

TARGET = 5  # times as fast as gensim


def main() -> None:
    """Measure, print the tables and save the results."""
    args = _arguments()
    with tempfile.TemporaryDirectory() as folder:
        rows = [_compared(_written(Path(folder), args, suffix), args) for suffix in (".bin", ".txt")]
    RESULTS.mkdir(exist_ok=True)
    report = {"machine": machine(), "rows": args.rows, "dim": args.dim, "repeat": args.repeat, "files": rows}
    (RESULTS / "loading.json").write_text(json.dumps(report, indent=1) + "\n")
    print(markdown(["file", "pairloom", "gensim", "faster by", "target", "memory", "gensim's"], map(_cells, rows)))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--dim", type=int, default=300)
    parser.add_argument("--repeat", type=int, default=3, help="times that each loads each file")
    parser.add_argument("--peers", type=Path, default=Path(".venv-peers/bin"), help="where gensim is installed")
    return parser.parse_args()


def _written(folder: Path, args: argparse.Namespace, suffix: str) -> Path:
    matrix = np.random.default_rng(0).normal(scale=0.1, size=(args.rows, args.dim)).astype(np.float32)
    path = folder / f"vectors{suffix}"
    Embedding.of_words(Vectors([f"word{i}" for i in range(args.rows)], matrix)).save(path)
    return path


def _compared(path: Path, args: argparse.Namespace) -> dict[str, Any]:
    pythons = {"pairloom": sys.executable, "gensim": str(args.peers / "python")}
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in pythons}
    for _ in range(args.repeat):
        for name, python in pythons.items():
            command = [python, str(HERE / "scripts" / f"{name}_load.py"), str(path)]
            done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
            runs[name].append(json.loads(done.stdout))
    return {"file": path.suffix, "bytes": path.stat().st_size, **runs}


def _cells(row: dict[str, Any]) -> list[str]:
    seconds, peaks = ({n: [r[key] for r in row[n]] for n in ("pairloom", "gensim")} for key in ("seconds", "peak_mb"))
    ours, theirs = (statistics.median(seconds[name]) for name in ("pairloom", "gensim"))
    ratio = theirs / ours
    return [
        f"{row['file']}, {row['bytes'] / 1e6:,.0f} MB",
        *(f"{statistics.median(some):.2f} s ({min(some):.2f} to {max(some):.2f})" for some in seconds.values()),
        f"{ratio:.1f}x",
        f"{TARGET}x: {verdict(ratio, TARGET, at_least=True)}",
        *(f"{max(some):,.0f} MB" for some in peaks.values()),
    ]


if __name__ == "__main__":
    main()
