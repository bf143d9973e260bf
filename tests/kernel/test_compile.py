"""Compiled kernels are kept where they can be written, and damage to what is kept costs time only."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

import numba
import pytest
from numba.core.dispatcher import Dispatcher

from pairloom import kernel
from pairloom.errors import OutputError
from pairloom.kernel.compile import KernelFile, njit


@pytest.fixture
def nowhere(tmp_path):
    """A path that cannot be written, not even by root: it is below a file."""
    (tmp_path / "file").write_text("in the way")
    return tmp_path / "file" / "folder"


def test_where_the_user_says_if_that_can_be_written(tmp_path, nowhere):
    assert kernel._cache_dir(str(tmp_path / "given"), tmp_path / "package", pytest.fail) == str(tmp_path / "given")
    assert kernel._cache_dir(str(nowhere), tmp_path / "package", pytest.fail) == ""


def test_beside_the_source_if_that_can_be_written(tmp_path, nowhere):
    assert kernel._cache_dir("", tmp_path / "package", pytest.fail) == ""
    assert list((tmp_path / "package" / "__pycache__").iterdir()) == []


@pytest.mark.parametrize("given", ["", "below a file"])
def test_in_our_cache_folder_if_not(given, tmp_path, nowhere):
    given = str(nowhere) if given else ""
    assert kernel._cache_dir(given, nowhere, lambda: tmp_path / "ours") == str(tmp_path / "ours" / "kernels")
    assert (tmp_path / "ours" / "kernels").is_dir()


def test_in_a_folder_of_this_process_if_nothing_else_can_be_written(nowhere, monkeypatch):
    registered = []
    monkeypatch.setattr(kernel.atexit, "register", lambda *args, **_: registered.append(args))
    with pytest.warns(UserWarning, match="so kernels are compiled again in every run. Set NUMBA_CACHE_DIR"):
        folder = kernel._cache_dir("", nowhere, lambda: nowhere)
    assert os.path.isdir(folder)  # noqa: PTH112
    assert registered[0][1] == folder
    os.rmdir(folder)  # noqa: PTH106


def test_a_machine_without_any_folder_to_write_to_is_told_so_in_one_line(nowhere, monkeypatch):
    monkeypatch.setattr(kernel.tempfile, "tempdir", str(nowhere))
    with pytest.raises(OutputError, match=r"^Compiled code cannot be saved: .*Set NUMBA_CACHE_DIR to a folder"):
        kernel._cache_dir("", nowhere, lambda: nowhere)


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("NUMBA_DISABLE_JIT=1", "NUMBA_DISABLE_JIT is set, and kernels only run when they are compiled. Unset it.\n"),
        (
            "NUMBA_NUM_THREADS=0",
            "Numba cannot be loaded: Number of threads specified must be > 0. "
            "Check the environment variables NUMBA_*.\n",
        ),
    ],
)
def test_settings_of_numba_that_stop_kernels_are_refused_in_one_line(setting, says, tmp_path):
    (tmp_path / "text.txt").write_text("a b c\n" * 20)
    command = [sys.executable, "-m", "pairloom", "train", "text.txt", "-o", "m.loom", "--quiet"]
    name, _, value = setting.partition("=")
    done = subprocess.run(command, env={**os.environ, name: value}, capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, f"pairloom train: {says}")


# --- What is kept heals itself

KERNEL = """
import numpy as np
from pairloom.kernel.rng import draw
print(hex(draw(np.uint64(1), np.uint64(2))), draw.stats.cache_hits.total())
"""


def run_kernel(folder):
    """A real kernel in its own process: its result, and whether it came from the cache."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    command = [sys.executable, "-c", KERNEL]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    drawn, hits = done.stdout.split()
    return drawn, int(hits) > 0


@pytest.fixture
def compiled(tmp_path, monkeypatch):
    """A maker of one function, compiled through a cache of its own as if by a new process each time."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))

    def make():
        return njit(cache=True)(twice_and_one)

    make.folder = tmp_path
    return make


def twice_and_one(x):
    return 2 * x + 1


def entries(folder):
    return sorted(folder.rglob("*.nbc"))


def hits(kernel):
    return sum(kernel.stats.cache_hits.values())


def test_what_was_compiled_is_found_again(compiled):
    assert (compiled()(20), compiled()(1.5)) == (41, 4.0)
    assert len(entries(compiled.folder)) == 2  # a file for each type
    again = compiled()
    assert (again(20), again(1.5), hits(again)) == (41, 4.0, 2)


DAMAGES = {
    "emptied": lambda content: b"",
    "cut in the middle": lambda content: content[: len(content) // 2],
    "cut by a byte": lambda content: content[:-1],
    "garbage": lambda content: b"\x80\x04garbage" * 100,
    "zeros after a power cut": lambda content: bytes(len(content)),
    "with more at its end": lambda content: content + b"more",
    "another bit in the code": lambda content: flipped(content, len(content) // 2),
    "another bit in the digest": lambda content: flipped(content, -1),
}


def flipped(content, at):
    changed = bytearray(content)
    changed[at] ^= 4
    return bytes(changed)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_entry_is_compiled_anew_and_written_over(damage, compiled):
    compiled()(20)
    (entry,) = entries(compiled.folder)
    good = entry.read_bytes()
    entry.write_bytes(DAMAGES[damage](good))
    healed = compiled()
    assert (healed(20), hits(healed)) == (41, 0)
    after = compiled()
    assert (after(20), hits(after)) == (41, 1)
    assert entries(compiled.folder) == [entry]


def test_every_single_byte_of_an_entry_counts(compiled):
    compiled()(20)
    (entry,) = entries(compiled.folder)
    good = entry.read_bytes()
    file = compiled()._cache._cache_file
    key, _ = file._load_data(entry.name)
    for at in range(0, len(good), 97):
        entry.write_bytes(flipped(good, at))
        assert file.load(key) is None
    entry.write_bytes(good)
    assert file.load(key) is not None


def test_a_kernel_of_ours_survives_damage_to_all_of_its_files(tmp_path):
    drawn, found = run_kernel(tmp_path)
    assert not found and run_kernel(tmp_path) == (drawn, True)
    for number, entry in enumerate(entries(tmp_path)):
        entry.write_bytes([b"", b"garbage", entry.read_bytes()[:-40]][number % 3])
    assert run_kernel(tmp_path) == (drawn, False)
    assert run_kernel(tmp_path) == (drawn, True)


def test_two_processes_that_compile_at_once_do_not_disturb_each_other(tmp_path):
    with ThreadPoolExecutor(3) as pool:
        results = list(pool.map(run_kernel, [tmp_path] * 3))
    assert len({drawn for drawn, _ in results}) == 1
    assert run_kernel(tmp_path) == (results[0][0], True)


def test_entries_of_two_types_written_at_the_same_time_keep_their_own_code(compiled, monkeypatch):
    """With an index, both would take the number 1, and one type would find the other's machine code."""
    first, second = compiled(), compiled()
    late = []
    save = KernelFile.save
    monkeypatch.setattr(KernelFile, "save", lambda *args: late.append(args))
    assert (first(20), second(1.5)) == (41, 4.0)
    for args in reversed(late):
        save(*args)
    again = compiled()
    assert (again(20), again(1.5), hits(again)) == (41, 4.0, 2)


def test_an_entry_for_something_else_is_not_taken(compiled):
    """Were two keys ever to get the same name, the key inside would tell."""
    compiled()(20)
    (entry,) = entries(compiled.folder)
    file = compiled()._cache._cache_file
    file._path = lambda key: entry
    assert file.load(("another", "key")) is None


def test_another_version_of_numba_or_of_the_source_compiles_anew(compiled):
    compiled()(20)
    for attribute, value in (("_version", "0.1"), ("_source_stamp", (0.0, 1))):
        other = compiled()
        setattr(other._cache._cache_file, attribute, value)
        assert (other(20), hits(other)) == (41, 0)


def test_a_cache_that_cannot_be_written_costs_time_and_nothing_else(compiled, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(KernelFile, "_open_for_write", full)
    assert compiled()(20) == 41
    assert entries(compiled.folder) == []


def test_every_kernel_is_kept_this_way():
    package = Path(kernel.__file__).parent
    for path in sorted(package.rglob("*.py")):
        module = import_module(".".join(["pairloom.kernel", *path.relative_to(package).with_suffix("").parts]))
        for name, value in vars(module).items():
            if isinstance(value, Dispatcher):
                assert type(value._cache._cache_file) is KernelFile, f"{path.stem}.{name}"
