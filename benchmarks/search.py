"""How fast neighbours are found, compared with the machine's memory, with a bare matrix product and with gensim.

    python -m benchmarks.search --peers .venv-peers/bin --model wiki.loom

All take turns on the same synthetic matrix, after an answer that loads kernels and computes lengths. The recall of int8
is measured on `--model`, a file of float32. A last part starts `pairloom near` on a file of a million rows.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import pairloom
from benchmarks.programs import HERE
from benchmarks.setting import RESULTS, machine, markdown, report_progress, verdict
from pairloom import Embedding, Vectors
from pairloom.config import checked_threads
from pairloom.kernel import search as kernel
from pairloom.kernel.compile import njit
from pairloom.kernel.memory import address
from pairloom.kernel.simd import add, load, store, zero
from pairloom.system.threads import on_spans
from pairloom.vectors.rough import ROWS_AT_ONCE
from pairloom.vectors.shortlist import Shortlist
from pairloom.vectors.stored import StoredMatrix, as_int8

TOPN, BATCH = 10, 100
_TIMED_LOAD = """
import sys, time
from pairloom.formats import load

began = time.perf_counter()
model = load(sys.argv[1])
print(time.perf_counter() - began)
"""
_TASK = 1 << 22  # numbers that a thread sums at a time


def main() -> None:
    """Measure, print the table and save the results."""
    args = _arguments()
    found = {**_searches(args), **_started(args)}
    if args.model is not None:
        found["recall@10 of int8"] = _recall(args.model)
    RESULTS.mkdir(exist_ok=True)
    report = {"machine": machine(), "rows": args.rows, "dim": args.dim, "repeat": args.repeat, **found}
    (RESULTS / "search.json").write_text(json.dumps(report, indent=1) + "\n")
    print(markdown(["", "measured", "bar"], _cells(found)))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--file-rows", type=int, default=1_000_000, help="rows of the file that `near` is started on")
    parser.add_argument("--dim", type=int, default=300)
    parser.add_argument("--repeat", type=int, default=9)
    parser.add_argument("--model", type=Path, help="a trained model, for the recall of int8")
    parser.add_argument("--file", type=Path, help="a file of FILE_ROWS rows from an earlier run")
    parser.add_argument("--peers", type=Path, default=Path(".venv-peers/bin"), help="where gensim is installed")
    return parser.parse_args()


# --- Searches in memory


@njit(nogil=True, cache=True)
def _sum(numbers, begin, end, out):
    """The sum of some numbers, in four chains: the least that reading them can take."""
    x, a, b, c, d = address(numbers), zero(), zero(), zero(), zero()
    for i in range(begin, end - 31, 32):
        a, b = add(a, load(x, i)), add(b, load(x, i + 8))
        c, d = add(c, load(x, i + 16)), add(d, load(x, i + 24))
    store(address(out), 0, add(add(a, b), add(c, d)))


def _bare_batch(matrix: Any, directions: Any) -> None:
    """A matrix product and a partition, a block of rows at a time: no cosines, nothing exact."""
    for begin in range(0, len(matrix), ROWS_AT_ONCE):
        np.partition(directions @ matrix[begin : begin + ROWS_AT_ONCE].T, -TOPN, axis=1)


def _searches(args: argparse.Namespace) -> dict[str, float]:
    """Medians of seconds, all measured in turn."""
    report_progress("searches in memory")
    matrix = np.random.default_rng(0).standard_normal((args.rows, args.dim), np.float32)
    matrix.flags.writeable = False
    words = [f"word{i}" for i in range(args.rows)]
    stored = {"float32": matrix, "float16": StoredMatrix(matrix.astype(np.float16)), "int8": as_int8(matrix)}
    vectors = {dtype: Vectors(words, numbers) for dtype, numbers in stored.items()}
    threads, flat, out = checked_threads(None), matrix.reshape(-1), np.empty(8, np.float32)
    asked = iter(np.random.default_rng(1).permutation(args.rows).tolist())
    directions = matrix[:BATCH] / vectors["float32"].norms[:BATCH, None].astype(np.float32)
    narrow = np.array(directions[0])
    shortlist, gensim = Shortlist(vectors["float32"]), _Gensim(args)
    cases: dict[str, Callable[[], object]] = {
        "sum": lambda: on_spans(lambda b, e: _sum(flat, b, e, out.copy()), flat.size, _TASK, threads),
        **{name: lambda v=v: v.most_similar(f"word{next(asked)}") for name, v in vectors.items()},  # type: ignore[misc]
        "shortlist": lambda: vectors["float32"].most_similar(f"word{next(asked)}", indexer=shortlist),
        "gensim": lambda: gensim.ask(next(asked)),
        "product": lambda: matrix @ narrow,
        "batch": lambda: vectors["float32"].most_similar_batch(words[:BATCH]),
        "bare batch": lambda: _bare_batch(matrix, directions),
    }
    assert kernel.padded(narrow).size  # imported, so that searches use it
    seconds: dict[str, list[float]] = {name: [] for name in cases}
    for turn in range(args.repeat + 1):
        for name, call in cases.items():
            began = time.perf_counter()
            own = call()
            seconds[name] += [own if isinstance(own, float) else time.perf_counter() - began] if turn else []
    gensim.close()
    return {name: statistics.median(some) for name, some in seconds.items()} | {"bytes": float(matrix.nbytes)}


class _Gensim:
    """gensim in a process of its own, which is idle except while it answers."""

    def __init__(self, args: argparse.Namespace) -> None:
        script = [str(args.peers / "python"), str(HERE / "scripts" / "gensim_search.py")]
        command = [*script, str(args.rows), str(args.dim), str(TOPN)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self._process.stdout.readline()

    def ask(self, row: int) -> float:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(f"{row}\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline())

    def close(self) -> None:
        self._process.communicate()


# --- Recall, and a file


def _recall(path: Path, queries: int = 1000) -> float:
    """The share of the ten nearest words by float32 that are also among those by int8, for random words."""
    given = pairloom.load(path).words
    small = Vectors(given.words, as_int8(given.vectors))
    asked = [given.words[row] for row in np.random.default_rng(2).permutation(len(given))[:queries]]
    answers = zip(given.most_similar_batch(asked), small.most_similar_batch(asked), strict=True)
    return float(np.mean([len({w for w, _ in a} & {w for w, _ in b}) / TOPN for a, b in answers]))


def _started(args: argparse.Namespace) -> dict[str, float]:
    """Seconds of `pairloom near` and of `pairloom.load` in new processes, on a file that is in the page cache."""
    report_progress(f"a file of {args.file_rows:,} rows")
    with tempfile.TemporaryDirectory() as folder:
        path = args.file or Path(folder) / "large.loom"
        if not path.exists():
            matrix = np.random.default_rng(0).standard_normal((args.file_rows, args.dim), np.float32)
            Embedding.of_words(Vectors([f"word{i}" for i in range(args.file_rows)], matrix)).save(path)
            time.sleep(4)  # a file that has only just changed is not remembered
        near = [sys.executable, "-m", "pairloom", "near", str(path), "word12345"]
        load = [sys.executable, "-c", _TIMED_LOAD, str(path)]
        seconds: dict[str, list[float]] = {"near": [], "load": []}
        for turn in range(args.repeat + 1):  # in the first turn, the checksums are verified
            began = time.perf_counter()
            subprocess.run(near, check=True, stdout=subprocess.DEVNULL)
            took = time.perf_counter() - began
            loaded = float(subprocess.run(load, check=True, stdout=subprocess.PIPE).stdout)
            seconds["near"] += [took] if turn else []
            seconds["load"] += [loaded] if turn else []
            report_progress(f"  near {took:.2f} s, load {loaded:.3f} s" + ("" if turn else ", the first time"))
    return {name: statistics.median(some) for name, some in seconds.items()}


def _cells(found: dict[str, float]) -> list[list[str]]:
    def at_least(value: float, bar: float) -> str:
        return f"{bar}: {verdict(value, bar, at_least=True)}"

    speed = {name: found["bytes"] / found[name] / 1e9 for name in ("sum", "float32")}
    share, batch = found["sum"] / found["float32"], found["bare batch"] / found["batch"]
    rows = [
        ["compiled sum of the matrix, all cores", f"{found['sum'] * 1e3:.1f} ms, {speed['sum']:.1f} GB/s", ""],
        ["one query, float32", f"{found['float32'] * 1e3:.1f} ms, {share:.0%} of the sum", at_least(share, 0.6)],
        ["bare matrix-vector product", f"{found['product'] * 1e3:.1f} ms", ""],
        ["gensim", f"{found['gensim'] * 1e3:.1f} ms", at_least(found["gensim"] / found["float32"], 1)],
        [f"{BATCH} queries at once", f"{found['batch']:.2f} s, {batch:.0%} of bare", at_least(batch, 0.7)],
    ]
    names = {"float16": "float16", "int8": "int8", "shortlist": "int8 first, then float32 (`Shortlist`)"}
    for name, bar in (("float16", 1.0), ("int8", 3.0), ("shortlist", 3.0)):
        ratio = found["float32"] / found[name]
        rows.append([f"one query, {names[name]}", f"{found[name] * 1e3:.1f} ms, {ratio:.1f}x", at_least(ratio, bar)])
    if "recall@10 of int8" in found:
        recall = found["recall@10 of int8"]
        rows.append(["recall@10 of int8", f"{recall:.4f}", at_least(recall, 0.99)])
    for name, limit in (("near", 0.5), ("load", 0.1)):
        rows.append([name, f"{found[name]:.3f} s", f"{limit} s: {verdict(found[name], limit, at_least=False)}"])
    return rows


if __name__ == "__main__":
    main()
