"""A soak: train, save, load, query, convert, fold in and fail, again and again: nothing may grow or be left behind.

It runs in its own process, on one core. After every cycle it counts what the process holds: resident memory (after a
garbage collection, and after the C library returned unused memory), blocks of Python's allocator, open files, threads,
and files in the folders that it may write to. The first fifth is warm-up. It takes ten minutes, or longer if 1,000
cycles do.

How growth is judged: the samples after the warm-up are cut into ten intervals, and the minimum of each is taken. Noise
only ever adds memory, so the minima are free of it; a leak raises them. Of the 45 slopes between all pairs of the ten,
growth is the 20th, from the smallest on, times the cycles that the ten intervals span. (The Theil-Sen slope, the 23rd,
is not 0 if the allocator takes one step in the middle, which is between 25 of the pairs. Python 3.13's takes 2 MB in
one of the first hundred cycles, and nothing in the 300 after them.) Memory may grow by 1 kB per cycle, or by 0.5 MB if
that is more. (It is more in the short form, where it makes 7 kB per cycle; a small model has 100 kB.)
Blocks may grow by 1,000, or by one in two cycles if that is more, since free lists and type tables fill for a while.
(Python 3.12.1 keeps every name that pathlib has ever seen: 13 blocks in a cycle, 850 in the short form.)
Nothing else may grow at all.

The first 90 cycles of a process are few: Python 3.13's allocator once took 1.4 MB in them, in several steps, and 0.2 to
0.5 MB in ten other runs. A leak comes in every process, so what the short form finds must come again in a second one.
"""

import gc
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from reliability.figures import Figure, Mutant, main

SECONDS, FEWEST_CYCLES, SHORT_CYCLES = 600, 1000, 90
MOST_BYTES, MOST_BYTES_PER_CYCLE = 500_000, 1000
MOST_BLOCKS, MOST_BLOCKS_PER_CYCLE = 1000, 0.5
INTERVALS = 10

WARM_UP = SHORT_CYCLES // 5  # cycles, after which everything is imported and every kind of training has run
NICENESS = 15  # the figures that run beside it go first

MUTANTS = [
    Mutant(
        "the matrices of all models are kept",
        "vectors/vectors.py",
        "        self._norms: Float64s | None = None\n",
        "        self._norms: Float64s | None = None\n"
        '        globals().setdefault("_KEPT", []).append(self.vectors.copy())\n',
    ),
    Mutant(
        "a mapped file stays open",
        "corpus/encoding.py",
        '    with path.open("rb") as file:\n        return np.frombuffer(mmap',
        '    with os.fdopen(os.dup(os.open(path, os.O_RDONLY)), "rb") as file:\n        return np.frombuffer(mmap',
    ),
    Mutant(
        "a temporary folder stays after a failure",
        "system/cache_folder.py",
        "    finally:\n        temporary.remove()\n",
        "    except KeyboardInterrupt:\n        temporary.remove()\n",
    ),
    Mutant(
        "every load keeps a list",
        "formats/__init__.py",
        "def load(",
        "def load(*args, **options):\n"
        '    globals().setdefault("_KEPT", []).append([object() for _ in range(20)])\n'
        "    return _load(*args, **options)\n\n\ndef _load(",
    ),
]


class Sample(NamedTuple):
    """What the process holds after a cycle."""

    resident: int
    blocks: int
    files: int
    threads: int
    left: int  # files and folders in the folders that it may write to


def measure(short: bool, seed: int) -> list[Figure]:
    """Run the soak. The short form runs again if it finds something."""
    figure = _soaked(short, seed)
    return [figure if figure.met or not short else _soaked(short, seed)]


def _soaked(short: bool, seed: int) -> Figure:
    """Run the soak in its own process, and judge its samples."""
    command = [sys.executable, "-m", "reliability.soak", "--inside", str(seed), "0" if short else str(SECONDS)]
    began = time.monotonic()
    child = subprocess.run(command, cwd=Path(__file__).parents[1], capture_output=True, text=True)
    name, bar = "soak: train, save, load, query in a loop", "no growth after warm-up, no leaked file handles"
    if child.returncode:
        error = (child.stderr.strip().splitlines() or ["no output"])[-1]
        return Figure(name, bar, f"a cycle failed: {error}", False, child.stderr.strip().splitlines()[-20:])
    samples = [Sample(*numbers) for numbers in json.loads(child.stdout)]
    grown, misses = judge(samples)
    if not short and len(samples) < FEWEST_CYCLES:
        misses.append(f"{len(samples):,} cycles, fewer than {FEWEST_CYCLES:,}")
    minutes = (time.monotonic() - began) / 60
    found = f"{len(samples):,} cycles in {minutes:.1f} minutes, {grown}"
    return Figure(name, f"{'10 minutes, ' if not short else ''}{bar}", found, not misses, misses)


def judge(samples: Sequence[Sample]) -> tuple[str, list[str]]:
    """What has grown after the warm-up, as half a sentence, and what has grown too much."""
    late = samples[len(samples) // 5 :]
    resident, blocks = growth([s.resident for s in late]), growth([s.blocks for s in late])
    misses = []
    if resident > max(MOST_BYTES, MOST_BYTES_PER_CYCLE * len(late)):
        misses.append(f"resident memory grew by {resident / 1e6:.1f} MB in {len(late)} cycles")
    if blocks > max(MOST_BLOCKS, MOST_BLOCKS_PER_CYCLE * len(late)):
        misses.append(f"Python's objects grew by {blocks:.0f} blocks in {len(late)} cycles")
    for name in ("files", "threads", "left"):
        counts = [getattr(sample, name) for sample in late]
        if max(counts) > counts[0]:
            misses.append(f"{name}: {counts[0]} became {max(counts)}")
    handles = late[-1].files - late[0].files
    return f"memory {resident / 1e6:+.2f} MB, Python's objects {blocks:+.0f}, open files {handles:+d}", misses


def growth(values: Sequence[int]) -> float:
    """What a leak adds to the minima of ten intervals: by the 20th of their 45 slopes, which one step does not change.

    >>> growth([7 + i // 10 + 5 * (i % 3) for i in range(100)])
    9.0
    """
    edges = [round(len(values) * i / INTERVALS) for i in range(INTERVALS + 1)]
    least = [min(values[begin:end]) for begin, end in pairwise(edges)]
    slopes = sorted((b - a) / (j - i) for (i, a), (j, b) in combinations(enumerate(least), 2))
    across_a_step = (INTERVALS // 2) ** 2
    return slopes[len(slopes) - across_a_step - 1] * (INTERVALS - 1)


# --- In the process of the soak


def inside(seed: int, seconds: float) -> None:
    """Run cycles for `seconds`, but not fewer than the form requires, and print all samples."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    fewest = FEWEST_CYCLES if seconds else SHORT_CYCLES
    os.nice(NICENESS if seconds else 0)
    with tempfile.TemporaryDirectory(prefix="pairloom-soak-") as folder:
        os.environ["PAIRLOOM_CACHE"] = f"{folder}/cache"
        cycle, samples, end = Cycle(Path(folder), seed), array("q"), time.monotonic() + seconds
        number = 0
        while time.monotonic() < end or number < fewest:
            cycle.run(number)
            if number == WARM_UP:
                gc.freeze()  # otherwise every collection would scan all of Numba, which takes half of the time
            samples.extend(sample(Path(folder)))  # as plain numbers, which are not Python objects
            number += 1
        width = len(Sample._fields)
        print(json.dumps([samples[at : at + width].tolist() for at in range(0, len(samples), width)]))


def sample(folder: Path) -> Sample:
    """What the process holds now."""
    from pairloom.system.memory import give_back, resident

    gc.collect()
    give_back()
    # Not the list of files that were found whole: it has a bound, and is written only if a cycle takes some seconds.
    ours = sum(path.name != "verified.txt" for path in folder.rglob("*"))
    files = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").is_dir() else 0  # noqa: PTH208 (no need of paths)
    return Sample(resident(), sys.getallocatedblocks(), files, threading.active_count(), ours)


class Cycle:
    """One of everything, on small data that differs between cycles and repeats after some."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.seed = folder, seed
        for name, text in (
            ("questions.txt", ": letters\nw1 w2 w3 w4\nw2 w3 w4 w5\n"),
            ("similar.tsv", "w1\tw2\t3.5\nw3\tw4\t2.0\nw5\tw6\t1.0\n"),
        ):
            (folder / name).write_text(text)

    def run(self, number: int) -> None:
        import pairloom

        sentences = self._sentences(number % 7)
        kinds: list[dict[str, Any]] = [
            {},
            {"threads": 2},
            {"model": "cbow"},
            {"objective": "hs", "threads": 2},
            {"window_shape": "harmonic", "positional": True},
        ]
        options = {"dim": 8, "epochs": 1, "min_count": 1, "sample": 0, "threads": 1} | kinds[number % len(kinds)]
        corpus: object = sentences
        if number % 2:
            corpus = self.folder / "text.txt"
            (self.folder / "text.txt").write_text("".join(" ".join(words) + "\n" for words in sentences))
        model = pairloom.train(corpus, **options)
        self._query(model, number)
        self._files(model)
        self._fail(sentences)
        bought = pairloom.train_pairs(((w, f"c{w}", 1.5) for words in sentences for w in words), dim=4, threads=1)
        assert 0 < bought.probability("w1", "cw1") < 1
        from pairloom.system.cache_entries import clear_cache

        stayed = list((self.folder / "cache").glob("pairloom-tmp-*"))  # before clearing removes it
        assert not stayed, f"{stayed[0].name} was left in the cache folder"
        clear_cache()
        (self.folder / "text.txt").unlink(missing_ok=True)

    def _sentences(self, number: int) -> list[list[str]]:
        rng = random.Random(self.seed * 1000 + number)
        return [[f"w{int(60 * rng.random() ** 2)}" for _ in range(12)] for _ in range(120)]

    def _query(self, model: Any, number: int) -> None:
        import pairloom

        assert len(model.most_similar("w1", topn=5)) == 5
        assert len(model.most_similar(["w1", "w2"], ["w3"], topn=3)) == 3
        assert -1 <= model.similarity("w1", "w2") <= 1
        for name in ("questions.txt", "similar.tsv"):
            pairloom.evaluate(model, self.folder / name, threads=1)
        if (
            model.objective != "hs"
            and not model.record["config"]["positional"]
            and model.record["config"]["model"] == "skipgram"
        ):
            more = model.with_words(model.fold_in(pairs=[(f"new{number}", "w1"), (f"new{number}", "w2")], threads=1))
            assert f"new{number}" in more
        expect(pairloom.UnknownWordError, lambda: model.most_similar(f"unknown{number}"))

    def _files(self, model: Any) -> None:
        """Save, load, convert and read back; a damaged file must be refused."""
        import numpy as np

        import pairloom

        native = self.folder / "model.loom"
        model.save(native)
        again = pairloom.load(native)
        assert np.array_equal(again.words.vectors, model.words.vectors)
        for name in ("model.bin", "model.vec"):
            again.save(self.folder / name)
            assert pairloom.load(self.folder / name).words.words == model.words.words
        del again
        data = bytearray(native.read_bytes())
        data[len(data) // 2] ^= 1
        (self.folder / "damaged.loom").write_bytes(data)
        expect(pairloom.InputError, lambda: pairloom.load(self.folder / "damaged.loom"))
        expect(pairloom.PairloomError, lambda: model.save(self.folder / "missing" / "model.loom"))
        expect(pairloom.PairloomError, lambda: model.save(self.folder))

    def _fail(self, sentences: list[list[str]]) -> None:
        """Trainings that fail: by an exception of the caller in either reading, and for lack of memory."""
        import pairloom

        for reading in (1, 2):
            expect(
                KeyError, lambda reading=reading: pairloom.train(Failing(sentences, reading), min_count=1, threads=2)
            )
        expect(pairloom.InputError, lambda: pairloom.train(sentences, max_memory="1MB"))


class Failing:
    """Sentences that raise an exception in their n-th reading, not counting the first look at them."""

    def __init__(self, sentences: list[list[str]], reading: int) -> None:
        self.sentences, self.left = sentences, reading

    def __iter__(self) -> Iterator[list[str]]:
        for number, sentence in enumerate(self.sentences):
            if number == 50:
                self.left -= 1
                if self.left == 0:
                    raise KeyError("the caller's own")
            yield sentence


def expect(kind: type[BaseException], function: Callable[[], object]) -> None:
    """Call a function that must raise this exception."""
    try:
        function()
    except kind:
        return
    raise AssertionError(f"{kind.__name__} was expected")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        inside(int(sys.argv[2]), float(sys.argv[3]))
    else:
        main(measure)
