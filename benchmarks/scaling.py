"""How pairloom's time and memory grow with the text, the vocabulary and the threads, and how long it takes to start.

    python -m benchmarks.scaling                            half an hour on two cores, 7 GB in the temporary folder
    python -m benchmarks.scaling --corpus F --sizes 1,10 --vocabularies 10,100 --dim 300 --threads 2 --repeat 3

The texts are made by `salted.py`, so that a token means the same work in all of them. The texts of a series take turns,
so that a phase in which the machine is slow affects all of them. Each training has its own process. Time per token is
that of training alone, per token of a word in the vocabulary. Memory is measured on Linux.
"""

import argparse
import json
import os
import statistics
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.programs import Run
from benchmarks.salted import Stretch
from benchmarks.series import TOKENS_TRAINED, Bench, Case
from benchmarks.setting import CORPUS_HELP, RESULTS, corpus_file, machine, markdown, plotting, verdict
from pairloom.pairs.blocks import stride_of

TEXT_MEGABYTES = 100  # of the corpus that is turned into ids
STRETCH_TOKENS = 1_000_000  # of the piece that is repeated
HEAD = 5_000  # words that are kept: 87 % of Wikipedia's tokens
WORDS = 50_000  # of the texts of different lengths

NOTES = f"""
Window 5, 5 negatives, sample 1e-4; medians, with the range in parentheses. Texts of less than {TOKENS_TRAINED:,} tokens
are trained on for as many epochs as make up that number, the others for one. "Before training" is count + encode and
the making of the model. Memory is the peak of the process: all of it, and without the pages of mapped files, which the
system can take back at any time (looked at 20 times a second). "Model" is both matrices and the vocabulary: strings
and counts as Python has them. The start of `pairloom train` is from its call to the first batch of a small text.
"""

Row = dict[str, Any]


class Bar(NamedTuple):
    """A target, and what was measured."""

    what: str
    measured: float
    target: float
    unit: str
    at_least: bool = False

    @property
    def verdict(self) -> str:
        return verdict(self.measured, self.target, self.at_least)


def main() -> None:
    """Measure, print the tables and save the results."""
    plotting()
    report, runs = _measure(_arguments())
    bars = list(_bars(report))
    report["bars"] = [bar._asdict() | {"verdict": bar.verdict} for bar in bars]
    report["runs"] = [case._asdict() | asdict(r) for case, mine in runs.items() for r in mine]
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "scaling.json").write_text(json.dumps(report, indent=1) + "\n")
    page = _page(report, bars)
    (RESULTS / "scaling.md").write_text(page)
    _chart(report["rows"], RESULTS / "scaling.png")
    print(page)


def _arguments() -> argparse.Namespace:
    def times(factor: int) -> Callable[[str], list[int]]:
        return lambda text: [round(float(number) * factor) for number in text.split(",")]

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, help=CORPUS_HELP)
    parser.add_argument("--sizes", type=times(10**6), default="1,10,100,500", help="millions of tokens")
    parser.add_argument("--vocabularies", type=times(1000), default="10,100,1000", help="thousands of words")
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--threads", type=int, default=2, help="to compare with one")
    parser.add_argument("--repeat", type=int, default=3, help="times that everything is measured")
    parser.add_argument("--folder", type=Path, help="where the texts are made, and removed (the system's own)")
    return parser.parse_args()


def _measure(args: argparse.Namespace) -> tuple[dict[str, Any], dict[Case, list[Run]]]:
    """The report without the targets, and every training behind it."""
    threads = sorted({1, args.threads})
    load = os.getloadavg()[0]  # load by other programs, which makes the rest doubtful
    with tempfile.TemporaryDirectory(prefix="pairloom-scaling-", dir=args.folder) as name:
        text = corpus_file(args.corpus, Path(name), TEXT_MEGABYTES)
        stretch = Stretch.read(text, min(STRETCH_TOKENS, *args.sizes), min(HEAD, min(args.vocabularies) // 2))
        bench = Bench(Path(name), stretch, args.dim, args.repeat)
        lengths = _lengths(stretch, args.sizes, threads)
        vocabularies = _vocabularies(stretch, args.vocabularies, threads)
        for cases in (lengths, vocabularies):
            bench.check_space(cases)
        report: dict[str, Any] = {
            "machine": machine() | {"load": load},
            "settings": {"dim": args.dim, "repeat": args.repeat, "text_mb": text.stat().st_size / 1e6},
            "start_seconds": bench.starts(text),
            "text_to_ids": bench.text_to_ids(text, threads),
        }
        runs = bench.trainings(lengths) | bench.trainings(vocabularies)
    return report | {"rows": [_row(case, mine) for case, mine in runs.items()]}, runs


def _lengths(stretch: Stretch, sizes: list[int], threads: list[int]) -> list[Case]:
    """Texts of different lengths with the same vocabulary."""
    n_words = min(WORDS, stretch.n_head + stretch.n_turns // 2)
    repetitions = [max(1, round(tokens / stretch.n_tokens)) for tokens in sizes]
    return [Case("length", n_words, r, r * stretch.n_tokens, n) for r in repetitions for n in threads]


def _vocabularies(stretch: Stretch, words: list[int], threads: list[int]) -> list[Case]:
    """Texts of one length, in which every word of the largest vocabulary occurs at least twice."""
    r = -(-2 * (max(words) - stretch.n_head) // stretch.n_turns)
    return [Case("vocabulary", n_words, r, r * stretch.n_tokens, n) for n_words in words for n in threads]


def _row(case: Case, runs: list[Run]) -> Row:
    facts = runs[0].facts
    nanoseconds = [1e9 * r.training_seconds / (facts["tokens"] * case.epochs) for r in runs]
    return case._asdict() | {
        "epochs": case.epochs,
        "ns_per_token": statistics.median(nanoseconds),
        "fastest": min(nanoseconds),
        "slowest": max(nanoseconds),
        "before_seconds": statistics.median(r.facts["prepared_ms"] / 1e3 for r in runs),
        "total_seconds": statistics.median(r.total_seconds for r in runs),
        "peak_mb": max(r.peak_mb for r in runs),
        "private_mb": max(r.facts["private_kb"] for r in runs) * 1.024e-3,
        "model_mb": (8 * case.n_words * stride_of(runs[0].dim) + facts["vocabulary_bytes"]) / 1e6,
    }


def _speed_up(row: Row, rows: list[Row]) -> float:
    """The speed relative to one thread."""
    same = ("series", "n_words", "repetitions")
    single = next(r for r in rows if r["threads"] == 1 and all(r[key] == row[key] for key in same))
    return float(single["ns_per_token"] / row["ns_per_token"])


def _bars(report: dict[str, Any]) -> Iterator[Bar]:
    rows, rates, (first, *later) = report["rows"], report["text_to_ids"], report["start_seconds"]
    lengths = [row for row in rows if row["series"] == "length"]
    for threads, mine in _by_threads(lengths):
        per_token = [row["ns_per_token"] for row in mine]
        yield Bar(f"time per token, slowest length by fastest, {threads}", max(per_token) / min(per_token), 1.1, "x")
    if gains := [_speed_up(row, rows) for row in lengths if row["threads"] == 2]:
        yield Bar("2 threads against 1, the length that gains least", min(gains), 1.8, "x", at_least=True)
    for key, what in (("private_mb", "without"), ("peak_mb", "with")):
        beyond = max(row[key] - row["model_mb"] for row in rows)
        yield Bar(f"peak memory beyond the model, {what} mapped files", beyond, 400, " MB")
    for n, target in ((1, 50), (2, 90)):
        if n in rates:
            yield Bar(f"text to ids, {_threads(n)}", rates[n], target, " MB/s", at_least=True)
    yield Bar("start of `pairloom train`, kernels compiled before", statistics.median(later), 1.5, " s")
    yield Bar("start of `pairloom train`, the first ever", first, 15, " s")


def _by_threads(rows: list[Row]) -> Iterator[tuple[str, list[Row]]]:
    for n in sorted({row["threads"] for row in rows}):
        yield _threads(n), [row for row in rows if row["threads"] == n]


def _threads(n: int) -> str:
    return "1 thread" if n == 1 else f"{n} threads"


def _page(report: dict[str, Any], bars: list[Bar]) -> str:
    """The tables, in Markdown."""
    here, settings, rows = report["machine"], report["settings"], report["rows"]
    head = f"{here['cpu']}, {here['cores']} cores (load before: {here['load']:.1f}), Python {here['python']}, "
    head += f"dim {settings['dim']}, runs of each: {settings['repeat']}.\n"
    verdicts = [
        (
            bar.what,
            f"{bar.measured:.4g}{bar.unit}",
            f"{'≥' if bar.at_least else '≤'} {bar.target:g}{bar.unit}",
            bar.verdict,
        )
        for bar in bars
    ]
    heads = ["tokens", "words", "threads", "ns/token", "speed-up", "before training", "text to vectors"]
    heads += ["memory", "without mapped files", "model"]
    tables = markdown(["bar", "measured", "target", ""], verdicts), markdown(heads, (_cells(row, rows) for row in rows))
    return "\n".join([head, *tables]) + NOTES


def _cells(row: Row, rows: list[Row]) -> list[str]:
    sizes = [f"{row['n_tokens'] / 1e6:,.1f} M", f"{row['n_words']:,}", str(row["threads"])]
    per_token = f"{row['ns_per_token']:.0f} ({row['fastest']:.0f} to {row['slowest']:.0f})"
    gain = f"{_speed_up(row, rows):.2f}x" if row["threads"] > 1 else ""
    seconds = [f"{row[key]:.1f} s" for key in ("before_seconds", "total_seconds")]
    memory = [f"{row[key]:,.0f} MB" for key in ("peak_mb", "private_mb", "model_mb")]
    return [*sizes, per_token, gain, *seconds, *memory]


def _chart(rows: list[Row], path: Path) -> None:
    """Time per token by length and by vocabulary, and memory by length, all with logarithmic axes."""
    pyplot = plotting()

    lengths, vocabularies = ([row for row in rows if row["series"] == name] for name in ("length", "vocabulary"))
    figure, (left, middle, right) = pyplot.subplots(1, 3, figsize=(13, 4), layout="constrained")
    for axis, mine, x in ((left, lengths, "n_tokens"), (middle, vocabularies, "n_words")):
        for threads, some in _by_threads(mine):
            axis.plot([row[x] for row in some], [row["ns_per_token"] for row in some], "o-", label=threads)
    threads, most = list(_by_threads(lengths))[-1]
    for key, label in (("peak_mb", "all"), ("private_mb", "without mapped files"), ("model_mb", "model alone")):
        right.plot([row["n_tokens"] for row in most], [row[key] for row in most], "o-", label=label)
    right.plot([row["n_tokens"] for row in most], [row["model_mb"] + 400 for row in most], "k--", label="model + 400")
    left.set(title=f"{lengths[0]['n_words']:,} words", xlabel="tokens", ylabel="training, ns per token")
    tokens = vocabularies[0]["n_tokens"] / 1e6
    middle.set(title=f"{tokens:,.1f} M tokens", xlabel="words in the vocabulary", ylabel="training, ns per token")
    right.set(title=f"{lengths[0]['n_words']:,} words, {threads}", xlabel="tokens", ylabel="peak memory, MB")
    for axis, mine, x in ((left, lengths, "n_tokens"), (middle, vocabularies, "n_words"), (right, lengths, "n_tokens")):
        _logarithmic(axis, sorted({row[x] for row in mine}))
    figure.savefig(path, dpi=130)


def _logarithmic(axis: Any, xs: list[int]) -> None:
    """Both axes, with room above for the legend and ticks that one can read: 10 k, 1 M; 20, 50, 100."""
    from matplotlib.ticker import EngFormatter, LogLocator, NullLocator, StrMethodFormatter

    low, high = axis.dataLim.intervaly
    axis.set(xscale="log", yscale="log", ylim=(low / 2, high * 4), xticks=xs)
    axis.xaxis.set_major_formatter(EngFormatter(places=0))
    axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    for scale in (axis.xaxis, axis.yaxis):
        scale.set_minor_locator(NullLocator())
    axis.grid(alpha=0.3)
    axis.legend(fontsize="small")


if __name__ == "__main__":
    main()
