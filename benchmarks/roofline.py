"""What share of the machine the kernel uses: its GFLOP/s, the peak of multiply-adds, and the memory's bandwidth.

    python -m benchmarks.roofline
    python -m benchmarks.roofline --corpus F --dims 64,100,300 --negatives 5,15 --repeat 7

Everything runs on one core. A pair counts as 6 dim (negatives + 1) operations: an inner product and two steps for its
context and for each negative. Everything else that the kernel computes (sigmoids, draws, gathering batches) takes time
but counts as nothing. The rows come from
    cache    a model that fits the core's own cache,
    text     the blocks of a round of text, as in training: rows come from everywhere in the model,
    memory   the blocks of a model of a gigabyte with equally likely rows: hardly two pairs of a block share one.
The peak is measured again for every figure, so that a phase in which the machine is slow affects both.
"""

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from benchmarks.setting import CORPUS_HELP, RESULTS, corpus_file, machine, markdown, plotting, report_progress, verdict
from pairloom.cluster.holder import aligned_zeros, new_model
from pairloom.config import TrainConfig
from pairloom.corpus.encoding import Encoded
from pairloom.corpus.prepared import prepare
from pairloom.corpus.sentences import open_corpus
from pairloom.kernel.compile import COLUMNS
from pairloom.kernel.memory import address
from pairloom.kernel.simd import LANES, add, broadcast, fma, load, load_wide, multiply, store
from pairloom.kernel.steps.block import Descent, RoundTables, Steps, begin_steps, make_buffers, train_steps
from pairloom.kernel.steps.parts import Merging, PartRows
from pairloom.kernel.steps.sgns import Model
from pairloom.method.draws import Purpose, key
from pairloom.pairs.blocks import Division
from pairloom.pairs.from_text import TextSource
from pairloom.pairs.hubs import hubs_of
from pairloom.pairs.parts import Dealing, deal, noise_of_parts, rows_of_parts
from pairloom.pairs.source import Dealings, DealtPairs
from pairloom.system.threads import workers
from pairloom.training.warm_up import load_kernels
from pairloom.types import Float64s

CACHE_BYTES = 2**17  # of each matrix
MEMORY_BYTES = 2**29
PAIRS = 60_000  # of any two words, in all blocks together
NO_HUBS = np.empty(0, np.int32)
DIAGONALS = 2  # number of diagonals of blocks to train
TARGET = {100: 0.4} | dict.fromkeys((200, 256, 300, 384, 512), 0.5)  # of the peak by dim: rows of a text, 5 negatives


class Work(NamedTuple):
    """Blocks to train."""

    model: Model
    tables: RoundTables
    parts: int


def main() -> None:
    """Measure, print the tables and save the results."""
    plotting()
    args = _arguments()
    load_kernels()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        text = corpus_file(args.corpus, Path(folder))
        with open_corpus(text) as corpus, prepare(corpus, cache_dir=folder) as encoded:
            for dim in map(int, args.dims.split(",")):
                for where, work in _works(encoded, dim):
                    for negatives in map(int, args.negatives.split(",")):
                        rows.append(_row(work, where, dim, negatives, args.repeat))
                        report_progress(f"dim {dim}, {negatives} negatives, rows in {where}: {rows[-1]['share']:.0%}")
    report = {
        "machine": machine(),
        "peak_gflops": statistics.median(row["peak_gflops"] for row in rows),
        "bandwidth": {name: _bandwidth(size) for name, size in (("cache", CACHE_BYTES), ("memory", MEMORY_BYTES))},
        "words": len(encoded.vocabulary),
        "rows": rows,
    }
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "roofline.json").write_text(json.dumps(report, indent=1) + "\n")
    page = _page(report)
    (RESULTS / "roofline.md").write_text(page)
    _chart(report, RESULTS / "roofline.png")
    print(page)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, help=CORPUS_HELP)
    parser.add_argument("--dims", default="64,100,128,200,256,300,384,512")
    parser.add_argument("--negatives", default="5,15")
    parser.add_argument("--repeat", type=int, default=5, help="times that everything is measured")
    return parser.parse_args()


def _works(encoded: Encoded, dim: int) -> list[tuple[str, Work]]:
    return [
        ("cache", _drawn(CACHE_BYTES // (4 * dim), dim)),
        ("text", _of_text(encoded, dim)),
        ("memory", _drawn(MEMORY_BYTES // (4 * dim), dim)),
    ]


def _drawn(n_words: int, dim: int) -> Work:
    """Pairs of random words, in the blocks of the first diagonals."""
    parts = Division.of(n_words, n_words, dim, 5, PAIRS).parts
    dealing = deal(n_words, NO_HUBS, parts, key(1))
    blocks = [i * parts + (i + s) % parts for s in range(min(parts, DIAGONALS)) for i in range(parts)]
    lengths = np.zeros(parts * parts, np.int64)
    lengths[blocks] = PAIRS // len(blocks)
    starts = np.append(0, np.cumsum(lengths))
    pairs = np.empty(starts[-1], np.int64)
    rng = np.random.default_rng(0)
    for block in blocks:
        w, c = (rng.integers(0, n_words // parts, lengths[block]) * parts + part for part in divmod(block, parts))
        pairs[starts[block] : starts[block + 1]] = (w << 32) | c
    return _work(DealtPairs(pairs, starts), dealing, np.full(n_words, 1 / n_words), dim)


def _of_text(encoded: Encoded, dim: int) -> Work:
    """The blocks of a text's first long round."""
    n_words = len(encoded.vocabulary)
    with workers(1) as pool:
        source = TextSource(encoded, TrainConfig(dim=dim, sample=1e-4, heldout=0.0))
        division = Division.of(n_words, n_words, dim, 5, source.n_pairs)
        hubs = hubs_of(source.word_share, division.parts)
        dealing = deal(n_words, hubs, division.parts, key(1, Purpose.PARTS, 0, 0))
        edges = 0.0, min(1.0, division.longest_round / source.n_pairs)
        dealt = source.deal(0, next(source.rounds(edges)), Dealings(dealing, dealing, key(1)), pool)
        return _work(dealt, dealing, encoded.vocabulary.noise(0.75), dim)


def _work(dealt: DealtPairs, dealing: Dealing, probability: Float64s, dim: int) -> Work:
    with workers(1) as pool:
        model = new_model(np.ones(len(dealing.labels)), len(dealing.labels), dim, 1, pool)
    ids = rows_of_parts(dealing)
    copies = [aligned_zeros(dealing.parts * len(dealing.hubs) * model.stride) for _ in range(2)]
    words, contexts = (PartRows(ids, dealing.hubs, some) for some in copies)
    tables = RoundTables(dealt.pairs, dealt.starts, words, contexts, noise_of_parts(probability, dealing, ids))
    return Work(model, tables, dealing.parts)


def _row(work: Work, where: str, dim: int, negatives: int, repeat: int) -> dict[str, Any]:
    model, tables, parts = work
    sizes = np.diff(tables.starts)
    buffers = make_buffers(negatives, int(sizes.max()), tables.noise.cut.shape[1], model.width)
    descent = Descent(negatives, np.uint64(1), np.full(parts + 1, 0.025))
    steps, row = np.ones(len(tables.words.hubs)), np.zeros(1, np.int64)
    merging = Merging(row, row, steps, steps, 1.0)
    shifts = range(min(parts, DIAGONALS))
    pairs = sum(int(sizes[[i * parts + (i + s) % parts for i in range(parts)]].sum()) for s in shifts)

    def train() -> None:
        train_steps(
            model, buffers, tables, Steps(parts, len(shifts), begin_steps(parts, 0), parts**2), merging, descent
        )

    train()
    peaks, rates = [], []
    for _ in range(repeat):
        peaks.append(_peak())
        rates.append(6 * dim * (negatives + 1) * pairs / _seconds(train) / 1e9)
    shares = [rate / peak for rate, peak in zip(rates, peaks, strict=True)]
    return {
        "rows": where,
        "dim": dim,
        "negatives": negatives,
        "gflops": statistics.median(rates),
        "peak_gflops": statistics.median(peaks),
        "share": statistics.median(shares),
        "least": min(shares),
        "most": max(shares),
    }


def _seconds(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


@njit(nogil=True, cache=True)
def _multiply_add(array, times):
    """Ten independent sums: two multiply-adds can begin in each cycle, and each takes four cycles."""
    p = address(array)
    x = load_wide(p, 0)
    a, b, c, d, e = (
        load_wide(p, 1),
        load_wide(p, 2),
        load_wide(p, 3),
        load_wide(p, 4),
        load_wide(p, 5),
    )  # differ, so no sum can be shared
    f, g, h, i, j = load_wide(p, 6), load_wide(p, 7), load_wide(p, 8), load_wide(p, 9), load_wide(p, 10)
    for _ in range(times):
        a, b, c, d, e = fma(x, x, a), fma(x, x, b), fma(x, x, c), fma(x, x, d), fma(x, x, e)
        f, g, h, i, j = fma(x, x, f), fma(x, x, g), fma(x, x, h), fma(x, x, i), fma(x, x, j)
    store(p, 0, add(add(add(a, b), add(c, d)), add(add(e, f), add(add(g, h), add(i, j)))))


def _peak() -> float:
    """GFLOP/s of multiply-adds in registers as wide as the CPU has them."""
    times, array = 2_000_000, np.zeros(COLUMNS + 10, np.float32)
    _multiply_add(array, 1)
    return 2 * COLUMNS * 10 * times / _seconds(lambda: _multiply_add(array, times)) / 1e9


@njit(nogil=True, cache=True)
def _scale(array, factor, times):
    p, factor = address(array), broadcast(factor)
    for _ in range(times):
        for i in range(0, len(array), LANES):
            store(p, i, multiply(factor, load(p, i)))


def _bandwidth(size: int) -> float:
    """GB/s, read and written together, of a pass over this many bytes."""
    array, times = np.ones(size // 4, np.float32), max(1, 2**30 // size)
    one = np.float32(1.0)  # an argument: with a constant the compiler would drop the loop
    _scale(array, one, 1)
    return 2 * size * times / min(_seconds(lambda: _scale(array, one, times)) for _ in range(3)) / 1e9


def _page(report: dict[str, Any]) -> str:
    heads = ["dim", "negatives", *(f"rows in {where}" for where in ("cache", "text", "memory")), "target for text"]
    rows = report["rows"]
    lines = []
    for dim, negatives in dict.fromkeys((row["dim"], row["negatives"]) for row in rows):
        mine = {row["rows"]: row for row in rows if (row["dim"], row["negatives"]) == (dim, negatives)}
        shares = [f"{mine[w]['gflops']:.0f} GFLOP/s, {mine[w]['share']:.0%}" for w in ("cache", "text", "memory")]
        lines.append([str(dim), str(negatives), *shares, _target(mine["text"])])
    about = (
        f"One core of {report['machine']['cpu']}: {report['peak_gflops']:.0f} GFLOP/s of multiply-adds at most, "
        f"{report['bandwidth']['cache']:.0f} GB/s to and from its own cache, {report['bandwidth']['memory']:.0f} GB/s "
        f"to and from memory. The text has {report['words']:,} words.\n\n"
    )
    return about + markdown(heads, lines)


def _target(row: dict[str, Any]) -> str:
    target = TARGET.get(row["dim"]) if row["negatives"] == 5 else None
    return f"{target:.0%}: {verdict(row['share'], target, at_least=True)}" if target else ""


def _chart(report: dict[str, Any], path: Path) -> None:
    pyplot = plotting()

    all_negatives = sorted({row["negatives"] for row in report["rows"]})
    figure, axes = pyplot.subplots(
        1, len(all_negatives), figsize=(4.5 * len(all_negatives), 3.2), sharey=True, squeeze=False, layout="constrained"
    )
    for axis, negatives in zip(axes[0], all_negatives, strict=True):
        for where in ("cache", "text", "memory"):
            mine = [row for row in report["rows"] if (row["rows"], row["negatives"]) == (where, negatives)]
            axis.plot(
                [row["dim"] for row in mine], [100 * row["share"] for row in mine], "o-", label=f"rows in {where}"
            )
        axis.axhline(50, color="gray", linewidth=0.8, linestyle="--")
        axis.set(title=f"{negatives} negatives", xlabel="dim", ylim=(0, 100))
        axis.grid(alpha=0.3)
    axes[0, 0].set_ylabel("% of the peak of multiply-adds")
    axes[0, 0].legend()
    figure.savefig(path, dpi=130)


if __name__ == "__main__":
    main()
