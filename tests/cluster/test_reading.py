"""Files read on a Ray cluster: the same vocabulary and ids for any number of machines, also if processes die."""

import gzip
import os
import signal
import sys
import unicodedata
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pairloom.cluster import tasks
from pairloom.cluster.tasks import RayReading
from pairloom.config import TextOptions, TrainConfig
from pairloom.corpus import pieces
from pairloom.corpus.encoding import Encoded
from pairloom.corpus.prepared import prepare
from pairloom.corpus.reading import Pieces, Reading
from pairloom.corpus.sentences import open_corpus
from pairloom.corpus.vocabulary import WordSelection
from pairloom.errors import ConfigError, InputError, MissingExtraError
from pairloom.progress import Progress
from pairloom.training.plan import Plan
from pairloom.training.sources import encoded_text
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
    monkeypatch.setattr(pieces, "byte_blocks", None)
    reports: list[Progress] = []
    assert outcome(files, tmp_path / "there", RayReading(), TextOptions(), on_progress=reports.append) == here
    size = sum(Path(file).stat().st_size for file in files)
    assert [report.stage for report in reports if report.done == size] == ["count", "encode"]


def test_a_training_hands_its_workers_on(
    machines: Machines, files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machines(2)
    plan = Plan(config=TrainConfig(min_count=2), cache_dir=tmp_path / "here")
    with open_corpus(files[:3]) as corpus:
        here = encoded_text(plan, corpus, plan.word_choice())
        monkeypatch.setattr(pieces, "text_blocks", None)
        monkeypatch.setattr(pieces, "byte_blocks", None)
        there = replace(plan, executor=SimpleNamespace(reading=RayReading()), cache_dir=tmp_path / "there")
        assert encoded_text(there, corpus, plan.word_choice()).digest == here.digest


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
    """In counting and in encoding, a process that has sent its first result is killed before it sends the next one.

    This happens `times` times, and only while the file large.gz is read.
    """

    def __init__(self, folder: Path, times: int) -> None:
        super().__init__()
        self._folder, self._times = folder, times

    def map(self, function: Any, groups: Sequence[Pieces]) -> Generator[Iterator[Any], None, None]:
        folder, times = self._folder / function.func.__name__, self._times
        folder.mkdir(parents=True)

        def die(pieces: Pieces) -> Iterator[Any]:  # pickled by value, so workers need no tests
            for result in function(pieces):
                yield result
                deaths = len(list(folder.iterdir()))
                if deaths < times and pieces[0].file.path.name == "large.gz":
                    (folder / str(deaths)).touch()
                    os.kill(os.getpid(), signal.SIGKILL)

        return super().map(die, groups)

    def deaths(self) -> dict[str, int]:
        return {folder.name: len(list(folder.iterdir())) for folder in self._folder.iterdir()}


@pytest.fixture
def with_large(files: list[str], tmp_path: Path) -> list[str]:
    """The files, and one that takes several results."""
    large = tmp_path / "large.gz"
    large.write_bytes(gzip.compress(Path(files[0]).read_bytes() * 300))
    return [files[0], str(large), *files[1:]]


def test_ray_runs_a_task_again_whose_process_died(
    machines: Machines, with_large: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machines(2)
    here = outcome(with_large, tmp_path / "here", None, TextOptions())
    monkeypatch.setattr(pieces, "text_blocks", None)  # this process reads nothing
    monkeypatch.setattr(pieces, "byte_blocks", None)
    dying = Dying(tmp_path / "deaths", times=1)
    assert outcome(with_large, tmp_path / "there", dying, TextOptions()) == here
    assert dying.deaths() == {"count_pieces": 1, "encode_pieces": 1}


def test_a_file_that_kills_every_worker_is_read_here(machines: Machines, with_large: list[str], tmp_path: Path) -> None:
    machines(2)
    here = outcome(with_large, tmp_path / "here", None, TextOptions())
    dying = Dying(tmp_path / "deaths", times=4)
    assert outcome(with_large, tmp_path / "there", dying, TextOptions()) == here
    assert dying.deaths() == {"count_pieces": 4, "encode_pieces": 4}


def test_the_cluster_goes_on_after_an_interrupt(machines: Machines, files: list[str], tmp_path: Path) -> None:
    machines(2)

    def interrupt(progress: Progress) -> None:
        if progress.stage == "encode":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        outcome(files, tmp_path / "there", RayReading(), TextOptions(), on_progress=interrupt)
    assert not list((tmp_path / "there").iterdir())
    here = outcome(files, tmp_path / "here", None, TextOptions())
    assert outcome(files, tmp_path / "there", RayReading(), TextOptions()) == here


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


# --- Without a cluster


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    assert message(MissingExtraError, RayReading) == (
        "Reading on a cluster needs an extra package. Install it with: pip install 'pairloom[ray]'"
    )


def test_a_connection_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(is_initialized=lambda: False))  # type: ignore[arg-type]
    assert message(ConfigError, RayReading) == ("This process is not connected to a Ray cluster. Call ray.init first.")


def test_workers_need_the_same_version() -> None:
    tasks._check_versions(tasks._look([])._replace(host="node7"))
    assert message(ConfigError, tasks._check_versions, tasks._look([])._replace(host="node7", unicode="9.0.0")) == (
        f"Worker node7 has Unicode 9.0.0, and this machine has {unicodedata.unidata_version}. "
        "Install the same pairloom on the same Python everywhere."
    )
