"""Files read on a Ray cluster: the same vocabulary and ids for any number of machines, also if processes die."""

import gzip
import os
import signal
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from pairloom.cluster.tasks import RayReading
from pairloom.config import TextOptions
from pairloom.corpus import pieces
from pairloom.corpus.encoding import Encoded
from pairloom.corpus.pieces import TextPiece
from pairloom.corpus.prepared import prepare
from pairloom.corpus.reading import Reading
from pairloom.corpus.sentences import open_corpus
from pairloom.corpus.vocabulary import WordSelection
from pairloom.errors import InputError
from pairloom.progress import Progress
from tests.corpus.helpers import message
from tests.reading import write_odd_files

Machines = Callable[[int], None]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "PIECE_BYTES", 5000)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    return write_odd_files(tmp_path)


def prepared(source: Any, cache: Path, reading: Reading | None, text: TextOptions, **options: Any) -> Encoded:
    with open_corpus(source, text=text) as corpus:
        return prepare(corpus, WordSelection(min_count=2), cache_dir=cache, reading=reading, **options)


def outcome(*args: Any, **options: Any) -> dict[str, Any]:
    """What a reading leads to: words, ids and warnings."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        encoded = prepared(*args, **options)
    return {
        "words": encoded.vocabulary.words,
        "counts": encoded.vocabulary.counts.tolist(),
        "starts": encoded.starts.tobytes(),
        "digest": encoded.digest,
        "warnings": [str(warning.message) for warning in seen],
    }


OPTIONS: list[dict[str, Any]] = [
    {},
    {"gaps": True, "text": TextOptions(max_sentence=7)},
    {"max_memory": 1, "text": TextOptions(lowercase=True)},
]


@pytest.mark.parametrize("n", [1, 2, 3])
def test_any_number_of_machines_gives_the_same_bytes(
    machines: Machines, files: list[str], tmp_path: Path, n: int
) -> None:
    machines(n)
    for number, options in enumerate(OPTIONS):
        given = {"text": TextOptions()} | options
        here = outcome(files, tmp_path / f"{number}-here", None, **given)
        there = outcome(files, tmp_path / f"{number}-there", RayReading(), **given)
        assert there == here
    assert len(here["warnings"]) == 2  # words that are too long; NULs


def test_the_files_are_read_by_the_workers_and_not_here(
    machines: Machines, files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machines(2)
    here = outcome(files, tmp_path / "here", None, TextOptions())
    monkeypatch.setattr(pieces, "text_blocks", None)
    reports: list[Progress] = []
    assert outcome(files, tmp_path / "there", RayReading(), TextOptions(), on_progress=reports.append) == here
    size = sum(Path(file).stat().st_size for file in files)
    assert [report.stage for report in reports if report.done == size] == ["count", "encode"]


def test_the_error_is_that_of_the_first_bad_file(machines: Machines, tmp_path: Path) -> None:
    machines(2)
    contents = b"a b c\n" * 3000, b"a b\n" * 2000 + b"caf\xe9 au lait\n" + b"a b\n" * 2000, b"\x1f\x8b damaged"
    paths = [tmp_path / f"{number}.txt" for number in range(3)]
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content)
    here = message(InputError, prepared, paths, tmp_path, None, TextOptions())
    assert here.startswith(f"{paths[1]}, line 2001, byte 8003: 0xe9 is not valid utf-8.")
    assert message(InputError, prepared, paths, tmp_path, RayReading(), TextOptions()) == here


class Dying(RayReading):
    """In counting and in encoding, the first process that has sent a result is killed before it sends the next one."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def map(self, function: Any, pieces: Sequence[TextPiece]) -> Generator[Iterator[Any], None, None]:
        mark = self._folder / function.func.__name__

        def die_once(piece: TextPiece) -> Iterator[Any]:  # pickled by value, so workers need no tests
            for result in function(piece):
                yield result
                if not mark.exists():
                    mark.touch()
                    os.kill(os.getpid(), signal.SIGKILL)

        return super().map(die_once, pieces)


def test_ray_runs_a_task_again_whose_process_died(
    machines: Machines, files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machines(2)
    (tmp_path / "large.gz").write_bytes(gzip.compress(Path(files[0]).read_bytes() * 300))  # several results
    here = outcome([tmp_path / "large.gz", *files], tmp_path / "here", None, TextOptions())
    monkeypatch.setattr(pieces, "text_blocks", None)
    (tmp_path / "died").mkdir()
    there = outcome([tmp_path / "large.gz", *files], tmp_path / "there", Dying(tmp_path / "died"), TextOptions())
    assert there == here
    assert {path.name for path in (tmp_path / "died").iterdir()} == {"count_piece", "encode_piece"}


def test_a_file_that_a_worker_cannot_see_is_read_here(
    machines: Machines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machines(1)
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text("a b c\n" * 10)
    link = Path("link.txt")
    link.symlink_to("/proc/self/cwd/text.txt")  # another file, or none, in a process with another working folder
    here = outcome("text.txt", tmp_path / "here", None, TextOptions())
    there = outcome(str(link), tmp_path / "there", RayReading(), TextOptions())
    assert len(there["warnings"]) == 1
    assert there["warnings"][0].startswith("link.txt is read by this machine alone, since worker ")
    assert there["warnings"][0].endswith(" cannot see it. Put it on storage that all share.")
    assert there | {"warnings": []} == here


def test_token_lists_are_read_here(machines: Machines, tmp_path: Path) -> None:
    lists = [["a", "b", "a"], ["b", "c"]] * 3
    assert outcome(lists, tmp_path, RayReading(), TextOptions()) == outcome(lists, tmp_path, None, TextOptions())
