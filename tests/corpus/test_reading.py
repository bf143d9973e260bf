"""Workers that read pieces of files: the same vocabulary, ids, errors and warnings as without workers.

These workers are in this process. `tests/cluster` has those of Ray.
"""

import pickle
import warnings
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from pairloom.config import TextOptions
from pairloom.corpus import counting, pieces
from pairloom.corpus.encoding import Encoded
from pairloom.corpus.finding import SourceFile
from pairloom.corpus.prepared import prepare
from pairloom.corpus.reading import Pieces, Reading, WorkerError
from pairloom.corpus.sentences import open_corpus
from pairloom.corpus.vocabulary import WordSelection
from pairloom.errors import CorpusChangedError, InputError
from pairloom.progress import Progress
from tests.corpus.helpers import message
from tests.reading import read_in_blocks, write_odd_files


class WorkersHere:
    """Reads all pieces in this process. Everything is pickled on its way, and errors lose their type."""

    def __init__(self, fails_after: int | None = None) -> None:
        self._fails_after = fails_after
        self.n_pieces = 0

    def can_read(self, files: Sequence[SourceFile]) -> bool:
        return True

    def map(self, function: Any, groups: Sequence[Pieces]) -> Generator[Iterator[Any], None, None]:
        for group in groups:
            self.n_pieces += len(group)
            yield self._results(*pickle.loads(pickle.dumps((function, group))))

    def _results(self, function: Any, pieces: Pieces) -> Iterator[Any]:
        try:
            for n, result in enumerate(function(pieces)):
                if n == self._fails_after:
                    raise MemoryError
                yield pickle.loads(pickle.dumps(result))
        except Exception as error:
            raise WorkerError(str(error)) from error


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "PIECE_BYTES", 2000)
    read_in_blocks(monkeypatch, 700)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    return write_odd_files(tmp_path)


def prepared(
    source: Any, cache: Path, reading: Reading | None, text: TextOptions | None = None, **options: Any
) -> tuple[Encoded, list[str]]:
    """The encoded text, and the warnings."""
    with open_corpus(source, text=text or TextOptions()) as corpus, warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        encoded = prepare(
            corpus, WordSelection(min_count=2), cache_dir=cache / str(reading is None), reading=reading, **options
        )
    return encoded, [str(warning.message) for warning in seen]


def assert_same(source: Any, cache: Path, reading: Reading, **options: Any) -> None:
    (here, told_here), (there, told_there) = (prepared(source, cache, each, **options) for each in (None, reading))
    assert there.vocabulary == here.vocabulary
    assert there.digest == here.digest
    assert there.starts.tolist() == here.starts.tolist()
    assert told_there == told_here


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"threads": 1},
        {"threads": 3},
        {"gaps": True},
        {"max_memory": 1},
        {"text": TextOptions(lowercase=True)},
        {"text": TextOptions(max_sentence=7)},
        {"text": TextOptions(errors="replace", encoding="ascii")},
    ],
    ids=str,
)
def test_workers_change_nothing(files: list[str], tmp_path: Path, options: dict[str, Any]) -> None:
    workers = WorkersHere()
    assert_same(files, tmp_path, workers, **options)
    assert workers.n_pieces >= 2 * len(files)


def test_invalid_bytes_are_replaced_in_the_same_places(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"".join(bytes([0xE3, 0x80, n, 0x0A, n, 0x20, 0xC3, 0x0D, 0x0A]) for n in range(256)) * 8)
    assert_same(path, tmp_path, WorkersHere(), text=TextOptions(errors="replace"))


def test_many_small_tables_add_up_to_the_same(
    files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "_WORKER_TABLE", 1)
    monkeypatch.setattr("pairloom.corpus.counting.memory_for_counting", lambda max_memory: 1)
    monkeypatch.setattr("pairloom.kernel.text.words.empty_table.__defaults__", (8, 64))
    assert_same(files, tmp_path, WorkersHere())


@pytest.mark.parametrize("fails_after", [0, 1, 2])
def test_what_a_worker_does_not_finish_is_read_here(files: list[str], tmp_path: Path, fails_after: int) -> None:
    assert_same(files, tmp_path, WorkersHere(fails_after))


@pytest.mark.parametrize(
    ("second", "third"),
    [
        (b"a b c\n" * 2000 + b"caf\xe9 au lait\n" + b"a b\n" * 2000, b"\xff\xfe"),
        (b"a b c\n" * 2000 + "größer\n".encode() * 20 + b"\xe9\n", b"fine\n"),
        (b"{'a': 1}\n", b"\x1f\x8b damaged"),
        (b"fine\n", b"\x1f\x8b damaged"),
        (b"a b\n" * 2000 + b"\xe3\x80", b"PK\x03\x04"),
        (b"a,b,text\n" + b"1,2,three\n" * 3000, b""),
    ],
)
def test_errors_are_those_of_the_first_file_that_has_one(tmp_path: Path, second: bytes, third: bytes) -> None:
    paths = [tmp_path / name for name in ("a.txt", "b.txt", "c.txt")]
    for path, content in zip(paths, (b"a b c\n" * 3000, second, third), strict=True):
        path.write_bytes(content)
    here, there = (message(InputError, prepared, paths, tmp_path, reading) for reading in (None, WorkersHere()))
    assert there == here


def test_an_error_of_a_worker_leaves_no_trace_in_the_error_here(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"a b\xff\n")
    with pytest.raises(InputError) as caught:
        prepared(tmp_path / "a.txt", tmp_path, WorkersHere())
    assert caught.value.__context__ is None or caught.value.__suppress_context__


def test_a_file_that_changes_while_workers_read_it_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("a b c\n" * 1000)

    class Changing(WorkersHere):
        def map(self, function: Any, groups: Sequence[Pieces]) -> Generator[Iterator[Any], None, None]:
            path.write_text("a b d\n" * 1000)
            return super().map(function, groups)

    assert message(CorpusChangedError, prepared, path, tmp_path, Changing()) == (
        f"{path} was changed while it was read. Start again when nothing writes to it."
    )


def test_progress_counts_the_bytes_of_all_files(files: list[str], tmp_path: Path) -> None:
    reports: list[Progress] = []
    prepared(files, tmp_path, WorkersHere(), on_progress=reports.append)
    size = sum(Path(file).stat().st_size for file in files)
    for stage in ("count", "encode"):
        done = [report.done for report in reports if report.stage == stage]
        assert done == sorted(done)
        assert done[-1] == size
    assert {report.total for report in reports} == {size}


def test_workers_that_do_not_see_the_files_are_left_out(files: list[str], tmp_path: Path) -> None:
    class Blind(WorkersHere):
        def can_read(self, files: Sequence[SourceFile]) -> bool:
            return False

    workers = Blind()
    assert_same(files, tmp_path, workers)
    assert workers.n_pieces == 0
