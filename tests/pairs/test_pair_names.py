"""The words of pairs in little memory: tables go to files, and what comes out is the same to the byte."""

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pairloom
from pairloom.corpus import spilling
from pairloom.corpus.vocabulary import Vocabulary
from pairloom.errors import InputError
from pairloom.pairs import pair_names, pair_reading
from pairloom.pairs.pair_encoding import EncodedPairs, encode_pairs
from pairloom.pairs.pair_names import Selection
from pairloom.pairs.pair_reading import open_pairs
from pairloom.system import memory
from tests.reading import read_in_blocks

Pair = tuple[str, str] | tuple[str, str, float]


def many_pairs(weighted: bool, n: int = 120_000) -> list[Pair]:
    """Of 60,000 words with 30,000 contexts; weights are such that the order in which they are added up matters."""
    rng = random.Random(1)
    pairs: list[Pair] = []
    for _ in range(n):
        pair = f"wört{int(60_000 * rng.random() ** 2):x}", f"c{int(30_000 * rng.random() ** 2)}"
        pairs.append((*pair, 10 ** rng.uniform(-9, 5)) if weighted else pair)
    return pairs


@pytest.fixture
def small_tables(monkeypatch: pytest.MonkeyPatch, spilled: list[int]) -> list[int]:
    """Tables for a few thousand words. Returns a list that gets an entry for each table that goes to a file."""
    monkeypatch.setattr(memory, "SMALLEST_TABLES", 3 << 20)
    monkeypatch.setattr(spilling, "FEWEST_ENTRIES", 1 << 10)
    monkeypatch.setattr(pair_names, "FEWEST_ENTRIES", 1 << 10)
    monkeypatch.setattr(pair_names, "PAIRS_AT_ONCE", 1 << 12)
    monkeypatch.setattr(pair_reading, "TUPLES_PER_CHUNK", 1 << 11)
    read_in_blocks(monkeypatch, 1 << 16)
    return spilled


def encoded(pairs: object, folder: Path, max_memory: int, threads: int = 1, **selected: Any) -> tuple[object, ...]:
    """All that comes of pairs."""
    words = {"min_count": 1.0, "max_size": None, "vocabulary": None} | selected
    with open_pairs(pairs) as corpus:
        result = encode_pairs(
            corpus,
            folder,
            Selection("word", "min_count", **words),
            Selection("context", "min_context_count", 1.5, None, None),
            max_memory=max_memory,
            threads=threads,
        )
    return _facts(result)


def _facts(result: EncodedPairs) -> tuple[object, ...]:
    sides = [(list(side.names), side.mass.tobytes()) for side in (result.words, result.contexts)]
    return result.pairs.tobytes(), result.weights.tobytes(), sides, result.digest


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "selected",
    [{}, {"min_count": 3.5}, {"max_size": 700}, {"vocabulary": Vocabulary.of([("wört7", 5), ("no", 2), ("wört0", 1)])}],
)
def test_pairs_are_the_same_bytes_whether_tables_went_to_files_or_not(
    tmp_path: Path, small_tables: list[int], threads: int, weighted: bool, selected: dict[str, Any]
) -> None:
    pairs = many_pairs(weighted)
    (tmp_path / "pairs").write_text("".join(" ".join(map(str, pair)) + "\n" for pair in pairs))
    whole = encoded(tmp_path / "pairs", tmp_path, 1 << 40, **selected)
    assert not small_tables
    assert encoded(tmp_path / "pairs", tmp_path, 1, threads, **selected) == whole
    assert len(small_tables) > 4
    assert encoded(pairs, tmp_path, 1, threads, **selected) == whole


def test_what_a_word_weighs_is_added_up_in_the_order_of_its_pairs(tmp_path: Path, small_tables: list[int]) -> None:
    pairs: list[Any] = many_pairs(weighted=True)
    mass: dict[str, float] = {}
    for word, _, weight in pairs:
        mass[word] = mass.get(word, 0.0) + float(np.float32(weight))
    backwards: dict[str, float] = {}
    for word, _, weight in reversed(pairs):
        backwards[word] = backwards.get(word, 0.0) + float(np.float32(weight))
    assert mass != backwards  # so that another order would show
    with open_pairs(pairs) as corpus:
        selections = Selection("word", "min_count", 1e-30, None, None), Selection("context", "", 1e-30, None, None)
        found = encode_pairs(corpus, tmp_path, *selections, max_memory=1).words
    assert small_tables
    assert dict(zip(found.names, found.mass.tolist(), strict=True)) == mass


def test_errors_and_vectors_are_the_same_too(
    tmp_path: Path, small_tables: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs, messages, vectors = many_pairs(weighted=False), [], []
    for table_bytes in (1 << 40, 1):
        assert not small_tables
        monkeypatch.setattr("pairloom.pairs.pair_encoding.memory_for_counting", lambda _, n=table_bytes: n)
        running: Any = {"cache_dir": tmp_path, "dim": 2, "epochs": 1}
        with pytest.raises(InputError) as caught:
            pairloom.train_pairs(pairs, min_count=1e9, **running)
        messages.append(str(caught.value))
        vectors.append(pairloom.train_pairs(pairs, min_count=1, max_vocab=500, **running).words.vectors.tobytes())
    assert small_tables
    assert messages[0] == messages[1]
    assert messages[0].startswith("min_count=1e+09 leaves none of the ")
    assert vectors[0] == vectors[1]
    assert list(tmp_path.iterdir()) == []


ENCODE = """
import re, sys
from pathlib import Path
import numpy as np
from pairloom.kernel.text.words import picked
from pairloom.system.memory import give_back, resident
from pairloom.pairs.pair_reading import open_pairs
from pairloom.pairs.pair_encoding import encode_pairs
from pairloom.pairs.pair_names import Selection
from pairloom.training.warm_up import load_kernels

def run(pairs, max_memory):
    with open_pairs(pairs) as corpus:
        least = Selection("word", "min_count", 2, None, None), Selection("context", "min_context_count", 2, None, None)
        return encode_pairs(corpus, Path(sys.argv[2]), *least, threads=2, max_memory=max_memory)

load_kernels()
picked(np.zeros(1, np.uint8), np.array([0, 1]), np.array([0]))
Path(sys.argv[2], "few").write_text("a b\\nc d\\n" * 9)
run(Path(sys.argv[2], "few"), None)
give_back()
before = resident()
Path("/proc/self/clear_refs").write_text("5")  # forget what compiling took
pairs = run(sys.argv[1], int(sys.argv[3]))
peak = re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]
print(1024 * int(peak) - before, len(pairs.words.names), pairs.digest)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured as Linux does")
def test_pairs_of_millions_of_words_are_counted_in_little_memory(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    with (tmp_path / "pairs").open("w") as file:
        for first in range(0, 1_500_000, 50_000):
            some = first + rng.permutation(50_000)
            lines = np.append(some, some[some % 90 == 0]).tolist()
            file.write("".join(f"w{i * 7919:x} c{i * 104729:x}\n" for i in lines))
    found = []
    for max_memory in (1 << 40, 1):
        command = [sys.executable, "-c", ENCODE, str(tmp_path / "pairs"), str(tmp_path), str(max_memory)]
        found.append(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
    (large, *result), (small, *same) = found
    assert result == same
    assert result[0] == "16667"
    assert int(large) > 250_000_000
    assert int(small) < 120_000_000
