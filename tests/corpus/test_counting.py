"""Counting: the same sums for any number of threads, and a word about what is odd."""

import random
import threading
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pairloom.config import TextOptions
from pairloom.corpus.counting import count
from pairloom.corpus.sentences import open_corpus
from pairloom.corpus.vocabulary import Vocabulary, WordSelection
from pairloom.errors import ConfigError, CorpusChangedError, CorpusWarning
from pairloom.progress import Progress
from pairloom.system.threads import in_order
from tests.corpus.helpers import message
from tests.corpus.selecting import split
from tests.reading import read_in_blocks


def vocabulary_of(source: object, **options: Any) -> Vocabulary:
    with open_corpus(source) as corpus:
        selection, others = split(**options)
        return Vocabulary.from_corpus(corpus, selection, **others)


def text_with_rare_and_frequent_words(n_lines: int = 3000) -> str:
    rng = random.Random(1)
    words = [f"{'wört' if i % 3 else 'word'}{i}" for i in range(2000)]
    return "\n".join(" ".join(words[int(2000 * rng.random() ** 4)] for _ in range(8)) for _ in range(n_lines))


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_counts_do_not_depend_on_threads_or_blocks(
    tmp_path: Path, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = text_with_rare_and_frequent_words()
    (tmp_path / "corpus.txt").write_text(text)
    expected = Counter(text.split())
    for block in (1000, 1 << 20):
        read_in_blocks(monkeypatch, block)
        with open_corpus(tmp_path / "corpus.txt") as corpus:
            counts = count(corpus, threads=threads)
        words = counts.words(range(len(counts.counts)))
        assert dict(zip(words, counts.counts.tolist(), strict=True)) == expected
        assert counts.n_tokens == expected.total()


def test_token_lists_tokenizers_and_files_give_the_same_counts(tmp_path: Path) -> None:
    text = text_with_rare_and_frequent_words(300)
    (tmp_path / "corpus.txt").write_text(text)
    lists = [line.split() for line in text.splitlines()]
    with open_corpus(tmp_path / "corpus.txt", tokenize=str.split) as corpus:
        by_tokenizer = Vocabulary.from_corpus(corpus, WordSelection(min_count=2))
    assert by_tokenizer == vocabulary_of(lists, min_count=2) == vocabulary_of(tmp_path / "corpus.txt", min_count=2)


def test_progress_is_reported_in_bytes_up_to_all_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read_in_blocks(monkeypatch, 1000)
    (tmp_path / "corpus.txt").write_text(text_with_rare_and_frequent_words(500))
    size = (tmp_path / "corpus.txt").stat().st_size
    reports: list[Progress] = []
    started = time.monotonic()
    with open_corpus(tmp_path / "corpus.txt") as corpus:
        count(corpus, threads=2, on_progress=reports.append)
    assert reports[-1] == Progress(stage="count", done=size, total=size)
    assert len(reports) <= 2 + 4 * (time.monotonic() - started)


def test_an_error_in_the_reader_or_in_a_thread_reaches_the_caller() -> None:
    def items() -> Iterator[int]:
        yield from range(10)
        raise KeyError("reader")

    def fail_at_five(item: int) -> int:
        if item == 5:
            raise KeyError("thread")
        return item

    before = threading.active_count()
    for threads in (1, 3):
        with pytest.raises(KeyError, match="thread"):
            list(in_order(fail_at_five, range(10**9), threads))
        with pytest.raises(KeyError, match="reader"):
            list(in_order(str, items(), threads))
    assert threading.active_count() == before


def test_results_come_in_order_with_few_in_flight() -> None:
    taken = 0

    def items() -> Iterator[int]:
        nonlocal taken
        while taken < 100:
            taken += 1
            yield taken

    for result in in_order(lambda item: item, items(), 3):
        assert result <= taken <= result + 7


def test_a_file_that_changes_while_it_is_counted_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "corpus.txt"
    path.write_text("a b\n")
    with open_corpus(path) as corpus:
        path.write_text("a b c\n")
        assert "was changed while it was read" in message(CorpusChangedError, count, corpus)


@pytest.mark.parametrize(
    ("threads", "problem"), [(0, "out of range"), (-1, "out of range"), (1.5, "not a whole number")]
)
def test_a_number_of_threads_below_one_is_refused(tmp_path: Path, threads: Any, problem: str) -> None:
    (tmp_path / "corpus.txt").write_text("a b\n")
    with open_corpus(tmp_path / "corpus.txt") as corpus:
        assert message(ConfigError, count, corpus, threads=threads) == (
            f"threads={threads} is {problem}. Use 1 to 256; leave it out to use all cores."
        )


def test_words_too_long_are_reported_once(tmp_path: Path) -> None:
    path = tmp_path / "corpus.txt"
    path.write_text(f"a b {'x' * 1001} a\n{'y' * 5000} b\n")
    lists = [line.split() for line in path.read_text().splitlines()]
    for source, name in ((path, str(path)), (lists, "the corpus (a list)")):
        with pytest.warns(CorpusWarning) as caught:
            assert vocabulary_of(source).words == ("a", "b")
        expected = f"{name}: left out 2 words of more than 1000 bytes. Check the text if there should be none."
        assert [str(w.message) for w in caught] == [expected]


def test_nul_characters_are_kept_and_reported_with_their_file(tmp_path: Path) -> None:
    (tmp_path / "1.txt").write_text("a\0b c\0\n")
    (tmp_path / "2.txt").write_text("c \0\n")
    with pytest.warns(CorpusWarning) as caught:
        assert vocabulary_of(tmp_path).words == ("\0", "a\0b", "c", "c\0")
    assert [str(w.message) for w in caught] == [
        f"{tmp_path / '1.txt'} has 2 NUL characters (there are more in 1 other file), kept as parts of words. "
        "Check the text if there should be none."
    ]


@pytest.mark.parametrize("lowercase", [False, True])
def test_invalid_bytes_that_are_replaced_are_reported_with_their_file(tmp_path: Path, lowercase: bool) -> None:
    path = tmp_path / "german.txt"
    path.write_bytes("schön grün\nüber alles\n".encode("latin-1"))
    text = TextOptions(errors="replace", lowercase=lowercase)
    with open_corpus(path, text=text) as corpus, pytest.warns(CorpusWarning) as caught:
        Vocabulary.from_corpus(corpus, WordSelection(min_count=1))
    assert [str(w.message) for w in caught] == [
        f"{path} has 3 invalid characters, replaced by U+FFFD, kept as parts of words. "
        "Words around them are damaged. If the file is not utf-8, name its encoding."
    ]


def test_ordinary_text_gives_no_warning(tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_text(text_with_rare_and_frequent_words(50))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        vocabulary_of(tmp_path / "corpus.txt")


def test_lower_case_is_counted_together(tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_text("Cat cat CAT Éa éa\n")
    for source in (tmp_path / "corpus.txt", [["Cat", "cat", "CAT", "Éa", "éa"]]):
        with open_corpus(source, text=TextOptions(lowercase=True)) as corpus:
            vocabulary = Vocabulary.from_corpus(corpus, WordSelection(min_count=1))
        assert (vocabulary.words, vocabulary.counts.tolist()) == (("cat", "éa"), [3, 2])
