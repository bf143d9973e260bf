"""Two trainings with one output, and readers while a writer saves: no file is ever a mixture of two.

Two trainings with different seeds start through the command line with the same output, and read their text from
standard input. They get the text only after one of them has ended, so both certainly run at the same time. One must end
with exit code 6, the other then with 0, and the file must be the one of its seed.

Readers load a model again and again while a writer saves two models over it in turn. The model is native, or in
word2vec's binary format, which has no checksum to detect a mixture. Each load must give one of the two models, whole.
"""

import hashlib
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

import pairloom
from pairloom.errors import PairloomError
from pairloom.formats import load
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.vectors import Vectors
from reliability.figures import Figure, Mutant, main

_READERS = 8
_NAMES = ("model.loom", "model.bin")
_PATIENCE = 15.0  # seconds, for a process that should end at once

MUTANTS = [
    Mutant(
        "a lock is ignored",
        "system/temporary.py",
        "        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)\n",
        "        pass\n",
    ),
    Mutant(
        "training does not lock its output",
        "training/outputs.py",
        "                claims.enter_context(claim(path))",
        "                pass",
    ),
    Mutant(
        "files are written in place",
        "system/files.py",
        "        if target is None:\n            with Path(path)",
        "        if True:\n            with Path(path)",
    ),
]


# --- Two trainings

_OPTIONS = ("--dim", "8", "--epochs", "1", "--min-count", "1", "--sample", "0", "--threads", "1", "--quiet")


def _training(out: Path, seed: int) -> subprocess.Popen[bytes]:
    cache = ("--cache-dir", str(out.parent.with_name("cache")))
    command = [sys.executable, "-m", "pairloom", "train", "-", "-o", str(out), *_OPTIONS, *cache, "--seed", str(seed)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)


def _first_to_end(pair: list[subprocess.Popen[bytes]]) -> subprocess.Popen[bytes] | None:
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        for process in pair:
            if process.poll() is not None:
                return process
        time.sleep(0.01)
    return None


def _text(seed: int) -> bytes:
    rng = np.random.default_rng(seed)
    return "".join(" ".join(f"w{i}" for i in rng.zipf(1.3, 10) % 500) + "\n" for _ in range(2000)).encode()


def _alone(folder: Path, text: bytes, seed: int) -> bytes:
    """The file that a training writes when it runs alone, through the library."""
    (folder / "text.txt").write_bytes(text)
    emb = pairloom.train(folder / "text.txt", dim=8, epochs=1, min_count=1, sample=0, seed=seed, cache_dir=folder / "c")
    emb.save(folder / "alone.loom")
    return (folder / "alone.loom").read_bytes()


def pair_of_trainings(out: Path, text: bytes, alone: list[bytes], delay: float) -> str:
    """What is wrong after two trainings at once, or "". `alone` has the file that each writes when it runs alone."""
    pair = [_training(out, 1)]
    time.sleep(delay)
    pair.append(_training(out, 2))
    refused = _first_to_end(pair)
    said = [process.communicate(text if process is not refused else None)[1].decode() for process in pair]
    codes = [process.returncode for process in pair]
    if sorted(codes) != [0, 6]:
        return f"they ended with {codes}: {said}"
    if out.read_bytes() != alone[codes.index(0)]:
        return f"the file is not that of training {codes.index(0) + 1}, which ended with 0"
    if not all(word in said[codes.index(6)] for word in (str(out), f"process {pair[codes.index(0)].pid}")):
        return f"the refusal does not name the output and the holder: {said[codes.index(6)]}"
    left = sorted(path.name for path in out.parent.iterdir() if path != out)
    return f"left behind: {left}" if left else ""


def trainings(folder: Path, n: int, seed: int) -> Figure:
    """Try `n` pairs of trainings; the second begins up to a second after the first."""
    text, rng = _text(seed), random.Random(seed)
    out = folder / "out" / "model.loom"
    out.parent.mkdir()
    alone = [_alone(folder, text, number) for number in (1, 2)]
    name, bar = "two trainings on one output", "in each pair one trains and one ends with code 6; 0 mixed files"
    for tried in range(n):
        if wrong := pair_of_trainings(out, text, alone, rng.choice([0.0, rng.random()])):
            return Figure(name, bar, f"{tried} of {n} pairs, then a wrong one", False, [wrong])
    return Figure(name, bar, f"{n} of {n} pairs", True)


# --- Readers while a writer saves


def _embedding(seed: int) -> Embedding:
    words = [f"{seed}-{i}" for i in range(2000)]
    rows = np.random.default_rng(seed).normal(size=(len(words), 64)).astype(np.float32)
    return Embedding.of_words(Vectors(words, rows, np.ones(len(words), np.int64)))


def digest(embedding: Embedding) -> str:
    """SHA-256 of all words and all their numbers."""
    words = "\n".join(embedding.words.words).encode()
    return hashlib.sha256(words + np.ascontiguousarray(embedding.words.vectors).tobytes()).hexdigest()


def write_in_turn(folder: Path, is_over: Callable[[], bool]) -> int:
    """Save two models over each other until `is_over`. Returns the number of saves."""
    models, n = (_embedding(1), _embedding(2)), 0
    while n == 0 or not is_over():
        for name in _NAMES:
            models[n % 2].save(folder / name)
        n += 1
    return n


def read_again_and_again(path: Path, seconds: float) -> Counter[str]:
    """How often each result came: digests of models, or messages of errors."""
    found: Counter[str] = Counter()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            found[digest(load(path))] += 1
        except PairloomError as error:
            found[str(error)] += 1
    return found


class _Reader(NamedTuple):
    process: subprocess.Popen[str]

    @classmethod
    def of(cls, path: Path, seconds: float) -> "_Reader":
        code = (
            "import sys; from pathlib import Path; from reliability.concurrency import read_again_and_again as read\n"
            "for what, n in read(Path(sys.argv[1]), float(sys.argv[2])).items(): print(n, what)"
        )
        command = [sys.executable, "-c", code, str(path), str(seconds)]
        root = Path(__file__).parents[1]
        return cls(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=root))

    def found(self) -> dict[str, int]:
        lines = self.process.communicate()[0].splitlines()
        if self.process.returncode:
            return {f"a reader died: {lines[-1:]}": 1}
        return {what: int(n) for n, what in (line.split(" ", 1) for line in lines)}


def readers(folder: Path, seconds: float) -> Figure:
    """Eight readers, half of them for each format."""
    write_in_turn(folder, lambda: True)
    whole = {digest(_embedding(seed)) for seed in (1, 2)}
    reading = [_Reader.of(folder / _NAMES[i % 2], seconds) for i in range(_READERS)]
    n_saves = write_in_turn(folder, lambda: all(reader.process.poll() is not None for reader in reading))
    found: Counter[str] = Counter()
    for reader in reading:
        found.update(reader.found())
    misses = [f"{n} times: {what}" for what, n in found.items() if what not in whole]
    loads = f"{sum(found.values()):,} loads during {len(_NAMES) * n_saves:,} saves, {len(misses)} mixed"
    seen_both = whole <= found.keys()
    return Figure(f"{_READERS} readers during saves", "0 mixed files", loads, seen_both and not misses, misses)


def measure(short: bool, seed: int = 0) -> list[Figure]:
    """Both figures; the seed changes the text and the delays."""
    with tempfile.TemporaryDirectory() as root:
        for name in ("trainings", "readers"):
            (Path(root) / name).mkdir()
        return [
            readers(Path(root) / "readers", 1.5 if short else 15.0),
            trainings(Path(root) / "trainings", 2 if short else 20, seed),
        ]


if __name__ == "__main__":
    main(measure)
