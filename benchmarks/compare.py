"""Compare pairloom with word2vec.c, gensim and fastText: the same text, the same settings, one table.

    make bench                                              installs the peers and runs this with its defaults
    python -m benchmarks.compare --corpus F --dims 100,300 --threads 2 --repeat 3

The programs take turns, so that a phase in which the machine is slow affects all of them. The ratios are the result;
words/s vary with the machine.
"""

import argparse
import json
import statistics
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.programs import Run, Settings, run
from benchmarks.scores import read_binary, scores
from benchmarks.setting import (
    CORPUS_HELP,
    DATA,
    RESULTS,
    corpus_file,
    machine,
    markdown,
    plotting,
    report_progress,
    verdict,
)

PROGRAMS = ("pairloom", "word2vec.c", "gensim", "fasttext")
TARGET = {  # how many times as fast pairloom should be, by program and dim: with 2 threads, on Wikipedia
    ("word2vec.c", 100): 14,
    ("word2vec.c", 300): 18,
    ("gensim", 100): 6,
    ("gensim", 300): 11,
    ("fasttext", 100): 12,
    ("fasttext", 300): 18,
}


def main() -> None:
    """Measure, print the tables and save the results."""
    plotting()
    args = _arguments()
    with tempfile.TemporaryDirectory() as folder:
        corpus = corpus_file(args.corpus, Path(folder), args.megabytes)
        tokens = _tokens(corpus, args.min_count)
        runs, quality = _measure(args, corpus, Path(folder))
    report = {
        "machine": machine(),
        "settings": {"threads": args.threads, "tokens": tokens, "epochs": args.epochs, "repeat": args.repeat},
        "rows": _rows(runs, quality, tokens * args.epochs),
        "runs": [asdict(r) for r in runs],
    }
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "compare.json").write_text(json.dumps(report, indent=1) + "\n")
    table = _table(report["rows"])
    (RESULTS / "compare.md").write_text(table)
    _chart(report["rows"], RESULTS / "compare.png")
    print(table)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, help=CORPUS_HELP)
    parser.add_argument("--megabytes", type=int, help="only so much of the text")
    parser.add_argument("--dims", default="100,300", help="100,300")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--min-count", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=3, help="times that every program trains")
    parser.add_argument("--programs", default=",".join(PROGRAMS))
    parser.add_argument("--peers", type=Path, default=Path(".venv-peers/bin"), help="where the peers are installed")
    parser.add_argument(
        "--scores", type=Path, nargs="*", default=None, help="files of similarities (.tsv), analogies (.txt)"
    )
    args = parser.parse_args()
    if "pairloom" not in args.programs.split(","):
        parser.error("--programs has to have pairloom, with which the others are compared")
    return args


def _tokens(corpus: Path, min_count: int) -> int:
    """The tokens of words that are frequent enough. Words/s of every program counts these."""
    from pairloom.corpus.sentences import open_corpus
    from pairloom.corpus.vocabulary import Vocabulary, WordSelection

    with open_corpus(corpus) as opened:
        return Vocabulary.from_corpus(opened, WordSelection(min_count=min_count)).n_tokens


def _measure(args: argparse.Namespace, corpus: Path, folder: Path) -> tuple[list[Run], dict[tuple[str, int], Any]]:
    files = args.scores
    if files is None:
        wanted = ("similarity/ws353.tsv", "similarity/simlex999.tsv", "analogy/google_questions-words.txt")
        files = [DATA / name for name in wanted if (DATA / name).exists()]
    runs, quality = [], {}
    for _ in range(args.repeat):
        for dim in map(int, args.dims.split(",")):
            for program in args.programs.split(","):
                settings = Settings(corpus, dim, args.threads, min_count=args.min_count, epochs=args.epochs)
                output = folder / f"{program}.bin"
                runs.append(run(program, settings, output, args.peers))
                report_progress(f"{program}, dim {dim}: {runs[-1].training_seconds:.1f} s of training")
                if (program, dim) not in quality:
                    quality[program, dim] = scores(*read_binary(output), files)
    return runs, quality


def _rows(runs: list[Run], quality: dict[tuple[str, int], Any], words: int) -> list[dict[str, Any]]:
    rows = []
    for program, dim in dict.fromkeys((r.program, r.dim) for r in runs):
        mine = [r for r in runs if (r.program, r.dim) == (program, dim)]
        rates = [words / r.training_seconds for r in mine]
        ours = statistics.median(r.training_seconds for r in runs if (r.program, r.dim) == ("pairloom", dim))
        rows.append(
            {
                "program": program,
                "dim": dim,
                "words_per_second": statistics.median(rates),
                "slowest": min(rates),
                "fastest": max(rates),
                "pairloom_is_faster_by": statistics.median(r.training_seconds for r in mine) / ours,
                "total_seconds": statistics.median(r.total_seconds for r in mine),
                "peak_mb": max(r.peak_mb for r in mine),
                **quality[program, dim],
            }
        )
    return sorted(rows, key=lambda row: row["dim"])


def _table(rows: list[dict[str, Any]]) -> str:
    """The tables, in Markdown."""
    extra = [name for name in rows[0] if name not in _COLUMNS]
    heads = ["program", "dim", "words/s (median, range)", "pairloom is faster by", "target"]
    heads += ["text to vectors", "memory", *extra]
    lines = []
    for row in rows:
        rate, slow, fast = (f"{row[k] / 1e3:,.0f}k" for k in ("words_per_second", "slowest", "fastest"))
        cells = [row["program"], str(row["dim"]), f"{rate} ({slow} to {fast})", *_faster(row)]
        cells += [f"{row['total_seconds']:.1f} s", f"{row['peak_mb']:,.0f} MB", *(f"{row[name]:.1f}" for name in extra)]
        lines.append(cells)
    return markdown(heads, lines)


def _faster(row: dict[str, Any]) -> tuple[str, str]:
    if row["program"] == "pairloom":
        return "", ""
    ratio, target = row["pairloom_is_faster_by"], TARGET.get((row["program"], row["dim"]))
    return f"{ratio:.1f}x", f"{target}x: {verdict(ratio, target, at_least=True)}" if target else ""


_COLUMNS = {
    "program",
    "dim",
    "words_per_second",
    "slowest",
    "fastest",
    "pairloom_is_faster_by",
    "total_seconds",
    "peak_mb",
}


def _chart(rows: list[dict[str, Any]], path: Path) -> None:
    pyplot = plotting()

    dims = sorted({row["dim"] for row in rows})
    figure, axes = pyplot.subplots(1, len(dims), figsize=(4.5 * len(dims), 3), squeeze=False, layout="constrained")
    for axis, dim in zip(axes[0], dims, strict=True):
        mine = [row for row in rows if row["dim"] == dim]
        bars = axis.barh([row["program"] for row in mine], [row["words_per_second"] / 1e6 for row in mine])
        axis.bar_label(bars, fmt="%.2f", padding=3)
        axis.set(title=f"dim {dim}", xlabel="million words per second")
        axis.invert_yaxis()
        axis.margins(x=0.15)
    figure.savefig(path, dpi=130)


if __name__ == "__main__":
    main()
