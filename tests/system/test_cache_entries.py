"""The texts in the cache: their names and ages, and which are deleted when there are too many."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import pairloom
from pairloom.cli.main import main
from pairloom.corpus.prepared import prepare
from pairloom.corpus.sentences import open_corpus
from pairloom.corpus.vocabulary import WordSelection
from pairloom.system import cache_entries as module
from pairloom.system import temporary
from pairloom.system.cache_entries import cache_entries, cache_limit, clear_cache, hold, shrink_cache

DAY = 24 * 3600


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


def prepared(path, cache):
    with open_corpus(path) as corpus:
        return prepare(corpus, WordSelection(min_count=1), cache_dir=cache)


@pytest.fixture
def three(cache, tmp_path):
    """Three texts in the cache, the first of which was used last."""
    for age, name in enumerate(["c.txt", "b.txt", "a.txt"]):
        (tmp_path / name).write_text(f"some words of {name}\n" * 100)
        prepared(tmp_path / name, cache)
        entry = next(entry for entry in cache_entries(cache) if entry.name == str(tmp_path / name))
        os.utime(entry.path / "meta.json", (0, 1_000_000 + age * DAY))
    return cache


def names(cache):
    return sorted(Path(entry.name).name for entry in cache_entries(cache))


def test_an_entry_has_the_name_of_its_text_and_the_time_of_its_last_use(three, tmp_path):
    assert names(three) == ["a.txt", "b.txt", "c.txt"]
    before = {entry.name: entry.used for entry in cache_entries(three)}
    prepared(tmp_path / "b.txt", three).close()
    after = {entry.name: entry.used for entry in cache_entries(three)}
    assert [Path(name).name for name in before if before[name] != after[name]] == ["b.txt"]


def test_those_unused_for_longest_go_first(three):
    sizes = [entry.size_bytes for entry in cache_entries(three)]
    assert shrink_cache(sum(sizes), three) == 0
    assert shrink_cache(sum(sizes) - 1, three) > 0
    assert names(three) == ["a.txt", "b.txt"]  # c.txt was the oldest
    shrink_cache(1, three)
    assert names(three) == []


def test_what_is_in_use_stays(three, tmp_path):
    encoded = prepared(tmp_path / "c.txt", three)
    assert [entry.in_use for entry in cache_entries(three) if entry.name.endswith("c.txt")] == [True]
    assert shrink_cache(1, three) > 0 and names(three) == ["c.txt"]
    assert clear_cache(three) == 0
    encoded.close()
    assert clear_cache(three) > 0 and names(three) == []


def test_what_another_process_uses_stays(three):
    entry = cache_entries(three)[0]
    code = (
        "import sys; from pathlib import Path; from pairloom.system.cache_entries import hold;"
        "hold(Path(sys.argv[1])); print(flush=True); input()"
    )
    command = [sys.executable, "-c", code, str(entry.path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"\n"
        shrink_cache(1, three)
        assert [left.path for left in cache_entries(three)] == [entry.path]
        other.communicate(b"\n")
    assert shrink_cache(1, three) > 0


def test_without_locks_what_was_used_today_stays(three, monkeypatch):
    monkeypatch.setattr(temporary, "HAS_LOCKS", False)
    entry = cache_entries(three)[0]
    hold(entry.path)()
    shrink_cache(1, three)
    assert [left.path for left in cache_entries(three)] == [entry.path]


def test_the_variable_limits_the_cache_after_a_new_text(three, tmp_path, monkeypatch):
    largest = max(entry.size_bytes for entry in cache_entries(three))
    monkeypatch.setenv("PAIRLOOM_CACHE_SIZE", str(largest * 2))
    (tmp_path / "d.txt").write_text("some words of d.txt\n" * 100)
    encoded = prepared(tmp_path / "d.txt", three)
    assert names(three) == ["a.txt", "d.txt"]
    monkeypatch.setenv("PAIRLOOM_CACHE_SIZE", "1")
    (tmp_path / "e.txt").write_text("some words of e.txt\n" * 100)
    second = prepared(tmp_path / "e.txt", three)
    assert names(three) == ["d.txt", "e.txt"]  # both in use, though too large
    del encoded, second


def test_a_wrong_variable_is_refused(monkeypatch):
    monkeypatch.setenv("PAIRLOOM_CACHE_SIZE", "lots")
    with pytest.raises(pairloom.ConfigError, match=r"^\$PAIRLOOM_CACHE_SIZE='lots' is not an amount"):
        cache_limit()


def test_an_entry_that_cannot_be_held_or_named_is_no_error(three):
    hold(three / "nothing")()
    entry = cache_entries(three)[0]
    (entry.path / "name.txt").unlink()
    assert cache_entries(three)[0].name == "unknown"
    (entry.path / "meta.json").unlink()
    assert module._is_in_use(entry.path / "meta.json", 0.0) is False
    assert module._time(entry.path / "meta.json") == 0.0


def test_the_command_shows_names_and_ages_and_shrinks(three, capsys):
    assert main(["cache", "--cache-dir", str(three)]) == 0
    out = capsys.readouterr().out
    assert "a.txt" in out and " years ago" in out and "bytes in 3 corpora in" in out
    assert main(["cache", "--cache-dir", str(three), "--max-size", "2KB"]) == 0
    assert "bytes freed" in capsys.readouterr().out
    assert main(["cache", "--cache-dir", str(three), "--clear", "--max-size", "2KB"]) == 2
    assert "--clear deletes all, and --max-size only some." in capsys.readouterr().err


# --- A cache that cannot be written costs a warning, not the run

TRAIN = ["-m", "pairloom", "train", "text.txt", "-o", "m.loom", "-q", "--min-count", "1", "--dim", "4", "--epochs", "1"]
WARNING = "cannot be written, so nothing is kept for the next run."


@pytest.mark.parametrize("place", ["home below a file", "no home", "variable below a file"])
def test_training_goes_on_without_a_cache(place, tmp_path):
    (tmp_path / "text.txt").write_text("the king is a man\nthe queen is a woman\n" * 50)
    (tmp_path / "file").write_text("in the way")
    hidden = ("PAIRLOOM_CACHE", "XDG_CACHE_HOME", "HOME")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    environment |= {
        "home below a file": {"HOME": str(tmp_path / "file")},
        "no home": {"HOME": "/nonexistent/home"} if os.geteuid() else {"HOME": "/proc/none"},
        "variable below a file": {"PAIRLOOM_CACHE": str(tmp_path / "file" / "cache"), "HOME": str(tmp_path)},
    }[place]
    done = subprocess.run([sys.executable, *TRAIN], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")
    assert WARNING in done.stderr and done.stderr.count("\n") == 1
    assert len(pairloom.load(tmp_path / "m.loom")) == 7


def test_a_cache_that_can_only_be_read_is_read(tmp_path, monkeypatch):
    """As a folder of a read-only image would be. What is not there is encoded elsewhere."""
    (tmp_path / "text.txt").write_text("a b c\n" * 20)
    (tmp_path / "other.txt").write_text("d e f\n" * 20)
    monkeypatch.setenv("PAIRLOOM_CACHE", str(tmp_path / "cache"))
    first = prepared(tmp_path / "text.txt", None)
    real = temporary.Temporary.folder.__func__

    def refuse(cls, parent, kind):
        if parent == tmp_path / "cache":
            raise PermissionError(13, "Permission denied")
        return real(cls, parent, kind)

    monkeypatch.setattr(temporary.Temporary, "folder", classmethod(refuse))
    assert prepared(tmp_path / "text.txt", None).folder == first.folder
    with pytest.warns(UserWarning, match=WARNING):
        other = prepared(tmp_path / "other.txt", None)
    assert other.vocabulary.words == ("d", "e", "f") and other.folder.parent != tmp_path / "cache"
