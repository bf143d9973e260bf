"""A text is counted and encoded once: the same bytes however it is stored, and from the cache the next time."""

import bz2
import gc
import gzip
import json
import lzma
import os
import random
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pairloom.config import TextOptions
from pairloom.corpus import decoding
from pairloom.corpus.encoding import Encoded
from pairloom.corpus.finding import SourceFile
from pairloom.corpus.prepared import prepare
from pairloom.corpus.sentences import open_corpus
from pairloom.corpus.vocabulary import Vocabulary, WordSelection
from pairloom.errors import ConfigError, CorpusChangedError, InputError, OutputError
from pairloom.progress import Progress
from pairloom.system.cache_entries import cache_entries, clear_cache
from pairloom.system.cache_folder import cache_folder
from pairloom.system.temporary import IN_CACHE, Temporary, is_held
from tests.corpus.helpers import as_lists, message
from tests.corpus.selecting import split
from tests.reading import read_in_blocks

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


AB = Vocabulary(("a", "b"), np.array([5, 3]))


def some_text(n_lines: int = 1500) -> str:
    rng = random.Random(2)
    words = [f"wört{i}" if i % 3 else f"word{i}" for i in range(400)]
    return "".join(
        " ".join(words[int(400 * rng.random() ** 3)] for _ in range(rng.randrange(12))) + "\n" for _ in range(n_lines)
    )


def test_a_corpus_of_other_words_is_an_error(tmp_path: Path) -> None:
    with open_corpus([["x", "y"]]) as corpus:
        assert message(InputError, prepare, corpus, vocabulary=AB, cache_dir=tmp_path) == (
            "None of the words of the corpus (a list) are in the vocabulary. Use the vocabulary of a similar text."
        )
    assert not list(tmp_path.iterdir())


# --- The same ids for the same text


def as_one_file(text: str, folder: Path) -> object:
    (folder / "one.txt").write_bytes(text.encode())
    return folder / "one.txt"


def as_five_files(text: str, folder: Path) -> object:
    lines = text.splitlines(keepends=True)
    for i in range(5):
        part = "".join(lines[i * len(lines) // 5 : (i + 1) * len(lines) // 5])
        (folder / f"part{i}.txt").write_bytes(part.encode())
    return str(folder / "part*.txt")


def as_lists_of_words(text: str, folder: Path) -> object:
    return [line.split() for line in text.splitlines()]


def packed_by(pack: Callable[[bytes], bytes]) -> Callable[[str, Path], object]:
    def write(text: str, folder: Path) -> object:
        (folder / "packed").write_bytes(pack(text.encode()))
        return folder / "packed"

    return write


FORMS = {
    "one file": as_one_file,
    "five files": as_five_files,
    "lists": as_lists_of_words,
    "gzip": packed_by(gzip.compress),
    "bzip2": packed_by(bz2.compress),
    "xz": packed_by(lzma.compress),
    "zstd": packed_by(zstd.compress),
    "CRLF": lambda text, folder: as_one_file(text.replace("\n", "\r\n"), folder),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_text_gives_the_same_bytes(tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = some_text()
    read_in_blocks(monkeypatch, 5000)
    with open_corpus(FORMS[form](text, tmp_path)) as corpus:
        encoded = prepare(corpus, WordSelection(min_count=3), cache_dir=tmp_path / "cache")
        words = encoded.vocabulary.words
        expected = [[w for w in line.split() if w in encoded.vocabulary] for line in text.splitlines()]
        assert [[words[i] for i in s] for s in as_lists(encoded)] == [line for line in expected if line]
    assert encoded.digest == reference_digest(tmp_path)


def reference_digest(folder: Path) -> str:
    with open_corpus([line.split() for line in some_text().splitlines()]) as corpus:
        return prepare(corpus, WordSelection(min_count=3), cache_dir=folder / "reference", threads=1).digest


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_any_number_of_threads_gives_the_same_bytes(
    tmp_path: Path, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_in_blocks(monkeypatch, 1000)
    with open_corpus(as_one_file(some_text(), tmp_path)) as corpus:
        encoded = prepare(corpus, WordSelection(min_count=3), threads=threads, cache_dir=tmp_path / "cache")
    assert encoded.digest == reference_digest(tmp_path)


def test_the_digest_knows_words_ids_and_sentences(tmp_path: Path) -> None:
    corpora: list[list[list[str]]] = [
        [["a", "b"]],
        [["b", "a"]],
        [["a"], ["b"]],
        [["a", "c"]],
        [["a", "b"], ["a", "b"]],
    ]
    digests = [prepare(open_corpus(c), WordSelection(min_count=1), cache_dir=tmp_path).digest for c in corpora]
    assert len(set(digests)) == len(digests)


def test_one_line_of_many_words_is_cut_not_dropped(tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_text("a b " * 150_000)
    with open_corpus(tmp_path / "corpus.txt") as corpus, prepare(corpus, cache_dir=tmp_path) as encoded:
        assert encoded.n_tokens == 300_000
        assert np.unique(np.diff(encoded.starts)).tolist() == [10_000]
    with open_corpus([["a", "b"] * 12_500]) as lists, prepare(lists, cache_dir=tmp_path) as encoded:
        assert np.diff(encoded.starts).tolist() == [10_000, 10_000, 5_000]


def test_progress_goes_from_counting_to_encoding(tmp_path: Path) -> None:
    reports: list[Progress] = []
    with open_corpus(as_one_file(some_text(), tmp_path)) as corpus:
        prepare(corpus, cache_dir=tmp_path / "cache", on_progress=reports.append)
        size = corpus.size_bytes
    finished = [(report.stage, report.done, report.total) for report in reports if report.done == report.total]
    assert finished == [("count", size, size), ("encode", size, size)]


# --- Change


class Dwindling:
    """Has one sentence less at each reading."""

    def __init__(self) -> None:
        self.left = 10

    def __iter__(self) -> Iterator[list[str]]:
        self.left -= 1
        return iter([["a", "b"]] * self.left)


class Shifting(Dwindling):
    """Has as many words as before, but other ones."""

    def __iter__(self) -> Iterator[list[str]]:
        self.left -= 1
        return iter([["a"] * self.left + ["b"] * (20 - self.left)])


@pytest.mark.parametrize("kind", [Dwindling, Shifting])
def test_an_iterable_that_changes_between_its_readings_is_noticed(tmp_path: Path, kind: type[Dwindling]) -> None:
    with open_corpus(kind()) as corpus:
        said = message(CorpusChangedError, prepare, corpus, WordSelection(min_count=1), cache_dir=tmp_path)
    assert said.startswith(f"the corpus (a {kind.__name__}) was not the same when read again: first ")
    assert said.endswith(" Give one that is the same each time, for example a list.")
    assert not list(tmp_path.iterdir())


# --- The cache


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.txt"
    path.write_text("a b c\n" * 10 + "a d\n")
    return path


def readings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of files, one for each time that one is read."""
    seen: list[str] = []

    def noted(read: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
        def blocks(file: SourceFile, **options: Any) -> Iterator[Any]:
            seen.append(file.name)
            return read(file, **options)

        return blocks

    monkeypatch.setattr("pairloom.corpus.pieces.text_blocks", noted(decoding.text_blocks))
    monkeypatch.setattr("pairloom.corpus.pieces.byte_blocks", noted(decoding.byte_blocks))
    return seen


def prepared(source: object, cache: Path, text: TextOptions | None = None, **options: Any) -> Encoded:
    with open_corpus(source, text=text or TextOptions()) as corpus:
        selection, others = split(**options)
        return prepare(corpus, selection, cache_dir=cache, **others)


def test_the_second_run_reads_no_text(path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = prepared(path, cache)
    seen = readings(monkeypatch)
    second = prepared(path, cache)
    assert seen == []
    assert second.digest == first.digest
    assert second.vocabulary == first.vocabulary
    assert as_lists(second) == as_lists(first)


@pytest.mark.parametrize(
    "options",
    [
        {"min_count": 2},
        {"max_vocab": 3},
        {"keep": ["d"]},
        {"drop": ["b"]},
        {"vocabulary": AB},
        {"text": TextOptions(max_sentence=2)},
        {"text": TextOptions(lowercase=True)},
        {"text": TextOptions(encoding="latin-1")},
        {"text": TextOptions(errors="ignore")},
        {"text": TextOptions(as_text=True)},
    ],
)
def test_other_options_are_another_entry(path: Path, cache: Path, options: dict[str, Any]) -> None:
    prepared(path, cache)
    prepared(path, cache, **options)
    assert len(cache_entries(cache)) == 2


def test_a_changed_file_is_read_again(path: Path, cache: Path) -> None:
    first = prepared(path, cache)
    path.write_text(path.read_text() + "a e\n")
    second = prepared(path, cache)
    assert "e" in second.vocabulary and "e" not in first.vocabulary


@pytest.mark.parametrize("name", ["ids.bin", "starts.bin", "vocabulary.json", "meta.json"])
@pytest.mark.parametrize("damage", ["missing", "short", "flipped", "empty"])
def test_a_damaged_entry_is_made_again(path: Path, cache: Path, name: str, damage: str) -> None:
    first = prepared(path, cache)
    expected = as_lists(first)
    file = cache_entries(cache)[0].path / name
    data = file.read_bytes()
    file.unlink()
    if damage != "missing":
        middle = len(data) // 2
        flipped = data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]
        file.write_bytes({"short": data[:-4], "flipped": flipped, "empty": b""}[damage])
    again = prepared(path, cache)
    assert (again.digest, as_lists(again), again.vocabulary) == (first.digest, expected, first.vocabulary)
    assert (cache_entries(cache)[0].path / name).read_bytes() == data
    assert [entry.name for entry in cache.iterdir()] == [cache_entries(cache)[0].path.name]


def test_a_failed_run_leaves_nothing(path: Path, cache: Path) -> None:
    path.write_bytes(b"a b \xff")
    with pytest.raises(InputError):
        prepared(path, cache)
    assert not list(cache.iterdir())


def test_bad_options_leave_not_even_the_folder(path: Path, cache: Path) -> None:
    with pytest.raises(ConfigError):
        prepared(path, cache, min_count=0)
    assert message(InputError, prepared, path, cache, vocabulary=Vocabulary(("a",), np.array([1]))) == (
        "The given vocabulary has 1 word, and at least 2 words are needed. Give a larger one."
    )
    assert not cache.exists()


def test_ids_of_a_corpus_without_identity_are_deleted_when_closed_or_forgotten(cache: Path) -> None:
    with prepared([["a", "b"]], cache) as encoded:
        assert len(cache_entries(cache)) == 1
    assert not list(cache.iterdir())
    forgotten = prepared([["a", "b"]], cache)
    assert len(cache_entries(cache)) == 1
    ids = forgotten.ids
    del forgotten, encoded
    gc.collect()
    assert not list(cache.iterdir())
    assert ids.tolist() == [0, 1]


def test_a_given_vocabulary_is_used_as_it_is(path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = readings(monkeypatch)
    encoded = prepared(path, cache, vocabulary=Vocabulary(("b", "a"), np.array([7, 7])))
    assert seen == [str(path)]  # once, to encode
    assert as_lists(encoded) == [[1, 0]] * 10 + [[1]]


def test_clearing_the_cache_removes_what_is_ours_and_nothing_else(path: Path, cache: Path) -> None:
    prepared(path, cache)
    (cache / "pairloom-tmp-killed").mkdir()
    (cache / "pairloom-tmp-killed" / "ids.bin").write_bytes(bytes(100))
    for mine in ("holiday", "thesis"):
        (cache / mine).mkdir()
    (cache / "thesis" / "meta.json").write_text(json.dumps({"format": "something else"}))
    (cache / "note.txt").write_text("mine")
    (cache / "pairloom-tmp-link").symlink_to(cache / "holiday")
    entries = cache_entries(cache)
    assert len(entries) == 2
    assert entries[-1].size_bytes == 100
    assert clear_cache(cache) == sum(entry.size_bytes for entry in entries)
    assert sorted(entry.name for entry in cache.iterdir()) == ["holiday", "note.txt", "pairloom-tmp-link", "thesis"]
    assert clear_cache(cache) == 0
    assert cache_entries(cache / "nowhere") == []


def test_clearing_the_cache_leaves_what_a_run_is_just_writing(cache: Path) -> None:
    cache.mkdir(exist_ok=True)
    writing = Temporary.folder(cache, IN_CACHE)
    (writing.path / "ids.bin").write_bytes(bytes(100))
    assert clear_cache(cache) == 0 and writing.path.exists()
    os.close(writing._lock or 0)  # as when the process ends
    assert clear_cache(cache) == 100 and not writing.path.exists() and not is_held(writing.path)


@pytest.mark.parametrize("name", ["meta.json", "vocabulary.json"])
def test_an_entry_nested_too_deeply_is_not_taken(path: Path, cache: Path, name: str) -> None:
    expected = as_lists(prepared(path, cache))
    (entry,) = cache.iterdir()
    (entry / name).write_text("[" * 100_000 + "]" * 100_000)
    assert len(cache_entries(cache)) == (name != "meta.json")  # without it nothing says that it is ours
    assert as_lists(prepared(path, cache)) == expected


def test_the_cache_is_where_the_environment_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PAIRLOOM_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.delenv("PAIRLOOM_CACHE")
    assert cache_folder().name == "pairloom"


def test_a_cache_that_cannot_be_written_is_reported(path: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    cache = tmp_path / "file" / "cache"
    assert message(OutputError, prepared, path, cache) == (
        f"The cache folder {cache} cannot be written: Not a directory. "
        "Set PAIRLOOM_CACHE, or the option cache_dir, to another folder."
    )


def test_a_full_disk_is_reported_and_leaves_nothing(path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "fsync", full)
    said = message(OutputError, prepared, path, cache)
    assert said.endswith(" could not be written: No space left on device. Free some space or choose another place.")
    assert not list(cache.iterdir())


def test_many_processes_may_encode_the_same_text_at_once(path: Path, tmp_path: Path) -> None:
    """As a search over seeds does: all of them find nothing in the cache, build, and put their result in place."""
    for attempt in range(10):
        with ThreadPoolExecutor(6) as pool:
            digests = list(pool.map(lambda _: prepared(path, tmp_path / str(attempt)).digest, range(6)))  # noqa: B023
        assert len(set(digests)) == 1
        assert len(list((tmp_path / str(attempt)).iterdir())) == 1
