"""Counting in little memory: tables are written to files, and the vocabulary is the same to the byte."""

import random
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from pairloom.corpus.counting import count
from pairloom.corpus.sentences import open_corpus
from pairloom.corpus.spilling import CountedWords, WordFilter
from pairloom.corpus.vocabulary import Vocabulary, WordSelection
from pairloom.errors import InputError, OutputError
from pairloom.system import memory
from pairloom.system.spool import Spool
from tests.reading import read_in_blocks


def rare_and_frequent_words(n_words: int = 60_000, n_lines: int = 5_000, seed: int = 1) -> list[list[str]]:
    rng = random.Random(seed)
    words = [f"{'wört' if i % 3 else 'word'}{i:x}" for i in range(n_words)]
    return [[words[int(n_words * rng.random() ** 2)] for _ in range(20)] for _ in range(n_lines)]


@pytest.fixture
def small_tables(monkeypatch: pytest.MonkeyPatch, spilled: list[int]) -> list[int]:
    """Limit tables to some ten thousand words. Returns a list that gets an item for each table written to a file."""
    monkeypatch.setattr(memory, "SMALLEST_TABLES", 3 << 20)
    monkeypatch.setattr("pairloom.corpus.kinds.token_lists.WORDS_PER_BLOCK", 1000)
    monkeypatch.setattr("pairloom.corpus.inputs.word_lists.WORDS_PER_BLOCK", 1000)
    read_in_blocks(monkeypatch, 1 << 16)
    return spilled


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("options", [{"min_count": 1}, {"min_count": 3}, {"min_count": 1, "max_vocab": 5000}])
def test_a_vocabulary_is_the_same_bytes_whether_tables_went_to_files_or_not(
    tmp_path: Path, small_tables: list[int], threads: int, options: dict[str, int]
) -> None:
    sentences = rare_and_frequent_words()
    (tmp_path / "text").write_text("\n".join(map(" ".join, sentences)))
    keep, drop = ["wörtea5f", "never", "word3"], ["word0", "wört1"]
    with open_corpus(tmp_path / "text") as corpus:
        whole = Vocabulary.from_corpus(
            corpus, WordSelection(**options, keep=keep, drop=drop), threads=threads, max_memory=1 << 40
        )
        assert not small_tables
        small = Vocabulary.from_corpus(
            corpus, WordSelection(**options, keep=keep, drop=drop), threads=threads, max_memory=1
        )
    assert len(small_tables) > threads
    assert (small.words, small.digest) == (whole.words, whole.digest)
    with open_corpus(sentences) as corpus:
        lists = Vocabulary.from_corpus(corpus, WordSelection(**options, keep=keep, drop=drop), max_memory=1)
    assert lists.digest == whole.digest


def test_counts_of_token_lists_are_added_up_batch_by_batch(small_tables: list[int]) -> None:
    sentences = rare_and_frequent_words()
    expected = Counter(word for sentence in sentences for word in sentence)
    with open_corpus(sentences) as corpus:
        for max_memory in (1 << 40, 1):
            counts = count(corpus, max_memory=max_memory)
            found = dict(zip(counts.words(range(len(counts.counts))), counts.counts.tolist(), strict=True))
            assert found == expected
            assert (counts.n_tokens, counts.n_words) == (expected.total(), len(expected))
    assert small_tables


def test_tables_of_threads_that_together_are_too_large_go_to_files_instead_of_being_added_up_in_memory(
    tmp_path: Path, small_tables: list[int]
) -> None:
    (tmp_path / "text").write_text("\n".join(map(" ".join, rare_and_frequent_words(9_000))))
    with open_corpus(tmp_path / "text") as corpus:
        expected = count(corpus, threads=1)
        small_tables.clear()
        counts = count(corpus, threads=2, max_memory=1)
        assert len(small_tables) == 2  # each once, in the end
    assert counts.n_words == expected.n_words
    assert sorted(counts.counts.tolist()) == sorted(expected.counts.tolist())


def test_errors_count_the_words_that_were_left_out_too(tmp_path: Path, small_tables: list[int]) -> None:
    sentences = rare_and_frequent_words()
    frequent = Counter(word for sentence in sentences for word in sentence).most_common(1)[0][1]
    messages = []
    for max_memory in (1 << 40, 1):
        for least in (frequent, frequent + 1):
            with open_corpus(sentences) as corpus, pytest.raises(InputError) as caught:
                Vocabulary.from_corpus(corpus, WordSelection(min_count=least), max_memory=max_memory)
            messages.append(str(caught.value))
    assert small_tables
    assert messages[:2] == messages[2:]
    assert f"min_count={frequent} leaves 1 of the 43,430" in messages[0]
    assert f"min_count={frequent + 1} leaves none of the 43,430" in messages[1]


def test_no_file_stays_in_the_cache_folder_and_one_that_cannot_be_written_is_named(
    tmp_path: Path, small_tables: list[int]
) -> None:
    cache = tmp_path / "cache"
    with open_corpus(rare_and_frequent_words()) as corpus:
        Vocabulary.from_corpus(corpus, max_memory=1, cache_dir=cache)
        assert small_tables
        assert list(cache.iterdir()) == []
        cache.rmdir()
        cache.write_text("no folder")
        with pytest.raises(OutputError, match="could not be written"):
            Vocabulary.from_corpus(corpus, max_memory=1, cache_dir=cache)


def words_of(counted: dict[bytes, int]) -> CountedWords:
    arena = np.frombuffer(b"".join(counted), np.uint8)
    return CountedWords(arena, np.cumsum([0, *map(len, counted)]), np.array([*counted.values()], np.int64))


def test_a_filter_keeps_the_most_frequent_words_and_of_equal_ones_the_first() -> None:
    word_filter = WordFilter(min_count=2, max_vocab=2, keep=["rare"], drop=["the"])
    word_filter.add(words_of({b"the": 9, b"d": 3, b"once": 1, b"b": 3}))
    word_filter.add(words_of({b"rare": 1, b"c": 3, b"a": 3}))
    word_filter.add(words_of({b"e": 2, b"f": 4}))
    arena, offsets, counts, _ = word_filter.words()
    found = [bytes(arena[a:b]) for a, b in pairwise(offsets)]
    assert dict(zip(found, counts.tolist(), strict=True)) == {b"rare": 1, b"a": 3, b"b": 3, b"f": 4}
    assert (word_filter.n_words, word_filter.highest) == (9, [4, 3])


def test_a_spool_gives_any_part_of_what_was_added(tmp_path: Path) -> None:
    with Spool(tmp_path, np.uint16) as spool:
        spool.add(np.arange(5))
        spool.add(np.arange(5, 9))
        assert spool.read(1, 4).tolist() == [1, 2, 3]
        assert spool.read(0, 9).tolist() == list(range(9))
        assert spool.read(3, 3).tolist() == []


COUNT = """
import re, sys
from pathlib import Path
import numpy as np
from pairloom.corpus.sentences import open_corpus
from pairloom.kernel.text.words import picked
from pairloom.system.memory import give_back, resident
from pairloom.training.warm_up import load_kernels
from pairloom.corpus.vocabulary import Vocabulary, WordSelection
load_kernels()
picked(np.zeros(1, np.uint8), np.array([0, 1]), np.array([0]))
give_back()
before = resident()
Path("/proc/self/clear_refs").write_text("5")  # forget what compiling took
with open_corpus(sys.argv[1]) as corpus:
    chosen = WordSelection(min_count=2, max_vocab=20_000)
    words = Vocabulary.from_corpus(corpus, chosen, threads=2, max_memory=int(sys.argv[2]))
peak = re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]
print(1024 * int(peak) - before, len(words), words.digest)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured as Linux does")
def test_millions_of_words_are_counted_in_little_memory(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    with (tmp_path / "text").open("w") as file:
        for first in range(0, 2_000_000, 20_000):
            some = first + rng.permutation(20_000)
            file.write(" ".join(f"w{i * 7919:x}" for i in np.append(some, some[some % 9 == 0]).tolist()) + "\n")
    found = []
    for max_memory in (1 << 40, 1):
        command = [sys.executable, "-c", COUNT, str(tmp_path / "text"), str(max_memory)]
        found.append(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
    (large, *vocabulary), (small, *same) = found
    assert vocabulary == same
    assert vocabulary[0] == "20000"
    assert int(large) > 250_000_000
    assert int(small) < 100_000_000
