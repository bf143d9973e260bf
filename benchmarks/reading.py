"""How fast text, token lists and edges are read, by number of threads.

    python -m benchmarks.reading --corpus text.txt --megabytes 100 --threads 1 2

Text to ids is counting and encoding together, with an empty cache and the kernels loaded. Prose is the same text with
capitals and punctuation. Rows are measured in turn, and each figure is the median of `--repeat`.
"""

import argparse
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import count, islice
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.setting import CORPUS_HELP, DATA, corpus_file, markdown
from pairloom.config import TextOptions
from pairloom.corpus.prepared import prepare
from pairloom.corpus.sentences import open_corpus
from pairloom.preparing.graphs.edges import Edges
from pairloom.preparing.graphs.graph import graph_of

KOREAN = DATA / "text" / "kowiki_3mb.txt"
_SMALL = 20  # megabytes for what Python reads


def main() -> None:
    """Measure all kinds and print a table."""
    args = _arguments()
    with tempfile.TemporaryDirectory() as name:
        kinds = _kinds(Path(name), corpus_file(args.corpus, Path(name), args.megabytes), args.megabytes)
        rates: dict[tuple[str, int], list[float]] = {(kind, n): [] for kind in kinds for n in args.threads}
        for repetition in range(args.repeat + 1):  # the first, which loads kernels and files, is not measured
            for (kind, threads), mine in rates.items():
                megabytes, read = kinds[kind]
                began = time.perf_counter()
                read(threads)
                mine += [megabytes / (time.perf_counter() - began)] if repetition else []
    rows = [[kind, *(f"{statistics.median(rates[kind, n]):.0f} MB/s" for n in args.threads)] for kind in kinds]
    print(markdown(["", *(f"{n} threads" for n in args.threads)], rows))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, help=CORPUS_HELP)
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--repeat", type=int, default=3)
    return parser.parse_args()


def _kinds(folder: Path, text: Path, megabytes: int) -> dict[str, tuple[float, Callable[[int], object]]]:
    """The megabytes of each kind of input, and the function that reads it."""
    small = _written(folder / "small.txt", _lines(text), _SMALL)
    prose = _written(folder / "prose.txt", _prose(_lines(text)), megabytes)
    one_line = _written(folder / "one-line.txt", (line.replace("\n", " ") for line in _lines(text)), megabytes)
    short = _written(folder / "short.txt", (f"{word}\n" for line in _lines(text) for word in line.split()), megabytes)
    many = _written(folder / "many.txt", _salted(_lines(text)), megabytes)
    edges = _written(folder / "edges.txt", _edges(), _SMALL)
    lists = [line.split() for line in _lines(small)]
    kinds: dict[str, tuple[Path, Callable[[int], object]]] = {
        "text to ids": (text, lambda n: _to_ids(text, n)),
        "one line": (one_line, lambda n: _to_ids(one_line, n)),
        "lines of one word": (short, lambda n: _to_ids(short, n)),
        "half a million words and more": (many, lambda n: _to_ids(many, n)),
        "prose, tokenize=words": (prose, lambda n: _to_ids(prose, n, TextOptions(tokenize="words"))),
        "token lists": (small, lambda n: _to_ids(lists, n)),
        "a regular expression as tokenize=": (small, lambda n: _to_ids(small, n, tokenize=re.compile(r"\w+").findall)),
        "edges, to a graph": (edges, lambda n: graph_of(Edges(edges), threads=n)),
    }
    if KOREAN.exists():
        korean = _written(folder / "korean.txt", (line for _ in count() for line in _lines(KOREAN)), megabytes)
        kinds["Korean"] = korean, lambda n: _to_ids(korean, n)
    return {kind: (path.stat().st_size / 1e6, read) for kind, (path, read) in kinds.items()}


def _to_ids(source: Any, threads: int, text: TextOptions | None = None, **options: Any) -> None:
    with (
        tempfile.TemporaryDirectory() as cache,
        open_corpus(source, text=text or TextOptions(), **options) as corpus,
        prepare(corpus, cache_dir=cache, threads=threads),
    ):
        pass


def _written(path: Path, lines: Iterator[str], megabytes: float) -> Path:
    """A file of these lines, up to a size."""
    left = int(megabytes * 1e6)
    with path.open("w") as file:
        while left > 0 and (some := "".join(islice(lines, 1000))):
            left -= file.write(some)
    return path


def _lines(path: Path) -> Iterator[str]:
    with path.open() as file:
        yield from file


def _prose(lines: Iterator[str]) -> Iterator[str]:
    """Sentences of 17 words, with commas, quotation marks and brackets."""
    marks = {17: "{}.", 9: "{},", 61: "({})", 101: "\u201c{}\u201d"}
    number = 0
    for line in lines:
        words = line.split()
        for i, word in enumerate(words):
            form = next((form for every, form in marks.items() if number % every == every - 1), "{}")
            words[i] = form.format(word.capitalize() if number % 17 == 0 else word)
            number += 1
        yield " ".join(words) + "\n"


def _salted(lines: Iterator[str]) -> Iterator[str]:
    """The text with a number after each word, another one in each thousand lines: many more words, each rarer."""
    for number, line in enumerate(lines):
        yield " ".join(f"{word}{number // 1000 % 16}" for word in line.split()) + "\n"


def _edges() -> Iterator[str]:
    rng = np.random.default_rng(1)
    yield "# u v weight, or no weight\n"
    while True:
        ends = (200_000 * rng.random((10_000, 2)) ** 3).astype(int).tolist()
        for i, (u, v) in enumerate(ends):
            yield f"node{u} node{v} {1 + (u + v) % 997 / 10}\n" if i % 3 else f"node{u} node{v}\n"


if __name__ == "__main__":
    main()
