"""Memory: sizes as text, what the machine has, and the refusal of runs that do not fit."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pairloom
from pairloom.cli.main import main
from pairloom.config import TrainConfig
from pairloom.corpus.vocabulary import Vocabulary
from pairloom.errors import ConfigError, InputError
from pairloom.pairs import pair_names as pair_sides
from pairloom.pairs.source import WeightedNames
from pairloom.system import memory
from pairloom.system.memory import Budget, MemoryItem, available, checked_size, memory_for_counting, resident
from pairloom.training import memory_need as needs

TEXT = [["the", "cat", "sat"], ["the", "dog", "sat"]] * 20


@pytest.mark.parametrize(
    ("max_memory", "size"),
    [
        ("512MB", 512_000_000),
        ("2GB", 2_000_000_000),
        ("2GiB", 2 << 30),
        ("1.5 gb", 1_500_000_000),
        ("100k", 100_000),
        ("1T", 10**12),
        ("12345", 12345),
        (np.int64(7), 7),
    ],
)
def test_an_amount_of_memory_is_bytes_or_text_with_a_unit(max_memory: object, size: int) -> None:
    assert checked_size(max_memory) == size


@pytest.mark.parametrize("max_memory", ["", "much", "2XB", "-1", "1e9", "GB", 1.5, True, [], "1" * 50])
def test_other_values_are_refused_as_amounts_of_memory(max_memory: object) -> None:
    with pytest.raises(ConfigError, match=r"is not an amount of memory. Use bytes, or 512MB, 2GB or 2GiB.$"):
        pairloom.train(TEXT, max_memory=max_memory)


@pytest.mark.parametrize(
    ("max_memory", "advice"),
    [
        (0, "300MB or more."),
        (-5, "300MB or more."),
        ("0", "300MB or more."),
        (1 << 63, "300MB or more and less than 2^63"),
    ],
)
def test_an_amount_out_of_range_is_refused(max_memory: object, advice: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(f"is out of range. Use {advice}")):
        pairloom.train_pairs([("a", "b")], max_memory=max_memory)


# --- What the system says


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


MEMINFO = {"proc/meminfo": "MemTotal: 9000 kB\nMemAvailable:    4000 kB\n"}


def test_available_memory_is_that_of_the_machine(tmp_path: Path) -> None:
    assert available(tmp_path) is None
    assert available(write(tmp_path, MEMINFO)) == 4_096_000
    assert available(write(tmp_path, {"proc/meminfo": "MemAvailable: lots\n"})) is None


def test_a_container_can_have_less_memory(tmp_path: Path) -> None:
    root = write(tmp_path, MEMINFO | {"proc/self/cgroup": "0::/a/b\nodd\n"})
    group = "sys/fs/cgroup"
    write(root, {f"{group}/a/b/memory.max": "max\n", f"{group}/a/b/memory.current": "1000\n"})
    assert available(root) == 4_096_000
    write(root, {f"{group}/a/memory.max": "2000000\n", f"{group}/a/memory.current": "1500000\n"})
    assert available(root) == 500_000
    write(root, {f"{group}/a/memory.stat": "anon 1\ninactive_file 100\nactive_file 20\n"})
    assert available(root) == 500_120
    write(root, {f"{group}/memory.max": "10\n", f"{group}/memory.current": "20\n"})
    assert available(root) == 0


def test_control_groups_of_the_first_version_are_read_too(tmp_path: Path) -> None:
    root = write(tmp_path, MEMINFO | {"proc/self/cgroup": "4:cpu,memory:/elsewhere\n3:cpuset:/\n"})
    group = "sys/fs/cgroup/memory"
    write(root, {f"{group}/memory.limit_in_bytes": "3000000\n", f"{group}/memory.usage_in_bytes": "1000000\n"})
    assert available(root) == 2_000_000


def test_resident_memory_is_that_of_this_process_or_0_if_unknown(tmp_path: Path) -> None:
    assert resident(tmp_path) == 0
    assert resident(write(tmp_path, {"proc/self/statm": "1\n"})) == 0
    if sys.platform == "linux":
        before, block = resident(), np.ones(10_000_000)
        assert 70_000_000 < resident() - before < 90_000_000
        del block


def test_counting_may_use_a_share_of_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "resident", lambda: 300_000_000)
    assert memory_for_counting(1_000_000_000) == 350_000_000
    assert memory_for_counting(1000) == memory.SMALLEST_TABLES
    monkeypatch.setattr(memory, "available", lambda: 4_000_000_000)
    assert memory_for_counting(None) == 1_000_000_000
    monkeypatch.setattr(memory, "available", lambda: None)
    assert memory_for_counting(None) == memory.ASSUMED // 4


# --- Refusals


def test_a_sum_is_compared_with_the_limit_or_with_the_free_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "resident", lambda: 200_000_000)
    items = [MemoryItem("for words", 10**9), MemoryItem("for nothing", 0)]
    Budget("1.2GB").check(items)
    with pytest.raises(InputError) as caught:
        Budget("1GB").check(items)
    assert str(caught.value) == (
        "This needs 1.2 GB of memory (200.0 MB Python and compiled code + 1.0 GB for words), and max_memory allows "
        "1.0 GB. Lower dim or raise min_count, or allow more (max_memory)."
    )
    monkeypatch.setattr(memory, "available", lambda: 10**9)  # in addition to what the process has already
    Budget().check(items)
    monkeypatch.setattr(memory, "available", lambda: 10**9 - 1)
    with pytest.raises(InputError, match=r"and this machine has 1.2 GB to spare. Lower dim or raise min_count.$"):
        Budget().check(items)
    monkeypatch.setattr(memory, "available", lambda: None)
    Budget().check(items)


def test_if_python_itself_takes_all_the_memory_no_option_is_advised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "resident", lambda: 200_000_000)
    with pytest.raises(InputError, match=r"and max_memory allows 100\.0 MB\. Allow more \(max_memory\)\.$"):
        Budget("100MB").check([MemoryItem("for words", 10)], "Lower dim")
    monkeypatch.setattr(memory, "RUNNING", 400_000_000)
    monkeypatch.setattr(memory, "available", lambda: 100_000_000)
    with pytest.raises(InputError, match=r"to spare\. Close other programs\.$"):
        Budget().check([MemoryItem("for words", 10)])


class Unread:
    """A corpus that must not be read."""

    def __iter__(self) -> Any:
        raise AssertionError("it was read")


@pytest.mark.parametrize("train", [pairloom.train, pairloom.train_pairs])
@pytest.mark.parametrize("options", [{"dim": 2_000_000_000}, {"dim": 4096, "max_memory": 1000}])
def test_a_model_that_cannot_fit_with_two_words_is_refused_before_the_corpus_is_read(train: Any, options: Any) -> None:
    with pytest.raises(InputError, match=r"16,000,000,000 bytes|max_memory allows 0.0 MB"):
        train(Unread(), **options)


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> int:
    """A limit that leaves 30 MB, whatever this process uses."""
    monkeypatch.setattr(memory, "resident", lambda: 0)
    monkeypatch.setattr(needs, "READ_AHEAD_BYTES", 0)
    return memory.RUNNING + 30_000_000


def test_a_vocabulary_that_does_not_fit_is_refused_before_the_text_is_encoded(tmp_path: Path, little: int) -> None:
    text = [[f"w{i}", f"w{i + 1}"] for i in range(2000)]
    for corpus in (text, text):  # token lists are never found in the cache
        with pytest.raises(InputError, match=r"2,001 words and 2,001 contexts of dim 4096.*names of 2,001 words"):
            pairloom.train(corpus, dim=4096, min_count=1, max_memory=little, cache_dir=tmp_path / "cache")
        assert list((tmp_path / "cache").iterdir()) == []
    (tmp_path / "text").write_text("\n".join(map(" ".join, text)))
    running: Any = {"min_count": 1, "epochs": 1, "cache_dir": tmp_path / "cache"}
    emb = pairloom.train(tmp_path / "text", dim=1, max_memory=little + 60_000_000, **running)
    for given in (None, Vocabulary.of(zip(emb.words, emb.words.counts.tolist(), strict=True))):  # in the cache; given
        options = running if given is None else {"vocabulary": given, **running, "min_count": None}
        with pytest.raises(InputError, match="2,001 words and 2,001 contexts of dim 4096"):
            pairloom.train(
                tmp_path / "text", dim=4096, max_memory=little, **{k: v for k, v in options.items() if v is not None}
            )


def test_pairs_that_do_not_fit_are_refused_before_they_are_written_again(tmp_path: Path, little: int) -> None:
    pairs = [(f"w{i}", f"c{i % 50}") for i in range(2000)]
    with pytest.raises(InputError, match="2,000 words and 50 contexts of dim 4096"):
        pairloom.train_pairs(pairs, dim=4096, min_count=1, max_memory=little, cache_dir=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_more_words_than_fit_are_counted_all_the_same(tmp_path: Path, little: int) -> None:
    pairs = [(f"w{i}", f"c{i % 50}") for i in range(400_000)] + [("often", "c1"), ("too", "c2")] * 1000
    least = {"min_count": 1000, "min_context_count": 8002}
    emb = pairloom.train_pairs(pairs, dim=1, epochs=1, **least, max_memory=little + 30_000_000, cache_dir=tmp_path)
    assert (list(emb.words), list(emb.contexts)) == (["often", "too"], ["c1", "c2"])
    assert list(tmp_path.iterdir()) == []


def test_more_chosen_words_than_fit_are_refused_before_their_names_are_gathered(
    tmp_path: Path, little: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pair_sides.NameTable, "selected", lambda *_: pytest.fail("they were gathered"))
    pairs = [(f"w{i}", f"c{i % 50}") for i in range(100_000)]
    with pytest.raises(InputError, match=r"100,000 words and 50 contexts of dim 300 \+ 10.4 MB for their names\)"):
        pairloom.train_pairs(pairs, dim=300, min_count=1, max_memory=little, cache_dir=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_command_line_takes_sizes_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "text").write_text("the cat sat\n" * 9)
    text, out = str(tmp_path / "text"), str(tmp_path / "out.loom")
    assert main(["train", text, "-o", out, "--max-memory", "lots"]) == 2
    assert "--max-memory 'lots' is not an amount of memory" in capsys.readouterr().err
    assert main(["train", text, "-o", out, "--max-memory", "1MB"]) == 2
    assert "allows 1.0 MB" in capsys.readouterr().err
    assert not Path(out).exists()
    assert main(["vocab", text, "--max-memory", "300MB", "--quiet"]) == 0
    assert capsys.readouterr().out == "cat 9\nsat 9\nthe 9\n"
    assert main(["vocab", text, "--max-memory", "x"]) == 2


# --- The sums


def test_early_stopping_takes_one_more_model() -> None:
    sizes = needs.of_text(Vocabulary.of([(f"w{i}", 9) for i in range(1000)]), TrainConfig(dim=100))
    once, best = (needs.total(needs.training_need(TrainConfig(dim=100, patience=n), sizes, 1)) for n in (None, 1))
    assert best - once == 4 * 2 * 1000 * 112


@pytest.mark.parametrize(
    ("options", "item"),
    [
        ({}, "for the pairs of a round"),
        ({"positional": True}, "for 3,000 words and 30,000 contexts of dim 50"),
        ({"window": "sentence"}, "for the pairs of a round"),
        ({"model": "cbow"}, "for text"),
        ({"objective": "hs"}, "for the tree"),
        ({"objective": "softmax"}, "for their squares"),
        ({"model": "sppmi-svd"}, "for singular vectors of dim 50"),
    ],
)
def test_every_kind_of_training_has_a_sum_that_grows_with_dim_and_words(options: dict[str, Any], item: str) -> None:
    def need(n_words: int, dim: int) -> list[MemoryItem]:
        config = TrainConfig(dim=dim, **options)
        words = Vocabulary.of([(f"w{i}", 1 + 100_000 // (i + 1)) for i in range(n_words)])
        return needs.training_need(config, needs.of_text(words, config), threads=2)

    assert item in [part.what for part in need(3000, 50)]
    assert all(part.size >= 0 for part in need(3000, 50))
    assert 0 < needs.total(need(3000, 50)) < needs.total(need(3000, 500)) < needs.total(need(30_000, 500))


def test_the_pairs_of_longer_rounds_take_no_more_memory() -> None:
    def need(scale: int, item: str) -> int:
        config = TrainConfig(dim=300)
        words = Vocabulary.of([(f"w{i}", scale * 10_000_000 // (i + 1)) for i in range(10_000)])
        items = needs.training_need(config, needs.of_text(words, config), threads=2)
        return next(part.size for part in items if part.what == item)

    usual, longer, longest = (need(scale, "for the pairs of a round") for scale in (1, 100, 10_000))
    assert usual < longer <= longest < usual + 200_000_000
    assert need(10_000, "for copies of frequent rows") < 700_000_000


def test_weighted_pairs_hold_their_weights() -> None:
    config, side = TrainConfig(dim=10), WeightedNames(["a", "b"], np.array([3e6, 5e6]))
    plain, weighted = (needs.of_pairs(side, side, 1_000_000, weighted) for weighted in (False, True))
    sums = [needs.total(needs.training_need(config, sizes, 1)) for sizes in (plain, weighted)]
    assert sums[1] - sums[0] > 4_000_000


def test_different_pairs_are_about_as_many_as_draws_make() -> None:
    rng = np.random.default_rng(1)
    mass = 1 / np.arange(1, 301)
    w, c = rng.choice(300, (2, 20_000), p=mass / mass.sum())
    assert needs.distinct(mass, mass, 20_000) == pytest.approx(len(set(zip(w, c, strict=True))), rel=0.03)


MEASURED = """
import json, re, sys
from pathlib import Path
from pairloom.system import memory
from pairloom.training import train as training
totals = []
memory.Budget.check = lambda self, items, advice="": totals.append(self.baseline + sum(item.size for item in items))
kind, path, options = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
run = getattr(training, kind)
run([("a", "b"), ("b", "a")] * 50, epochs=1, min_count=1, sample=0, threads=2, **options)
memory.give_back()
Path("/proc/self/clear_refs").write_text("5")  # forget what compiling took
run(path, epochs=1, min_count=1, threads=2, **options)
print(totals[-1], 1024 * int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured as Linux does")
@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("train", {"dim": 100}),
        ("train", {"dim": 300, "model": "cbow"}),
        ("train", {"dim": 50, "objective": "hs"}),
        ("train_pairs", {"dim": 200}),
    ],
)
def test_the_sum_is_near_the_memory_that_is_used(tmp_path: Path, kind: str, options: dict[str, Any]) -> None:
    rng = np.random.default_rng(1)
    width = 20 if kind == "train" else 2
    words = np.concatenate([np.arange(40_000), (40_000 ** rng.random(400_000)).astype(int)]).reshape(-1, width)
    (tmp_path / "text").write_text("\n".join(" ".join(f"word{i}" for i in line) for line in words.tolist()))
    command = [sys.executable, "-c", MEASURED, kind, str(tmp_path / "text"), json.dumps(options)]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    computed, taken = map(int, found.split())
    assert 0.9 < computed / taken < 1.3


@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured as Linux does")
def test_pages_are_given_back_while_their_array_exists() -> None:
    numbers = np.ones(4_000_000)
    half = numbers[2_000_000:]
    before = resident()
    memory.give_back_pages(half.ctypes.data, half.nbytes)
    assert before - resident() > 0.9 * half.nbytes
    assert numbers[:2_000_000].all()


def test_less_than_a_page_cannot_be_given_back() -> None:
    numbers = np.ones(10)
    memory.give_back_pages(numbers.ctypes.data, numbers.nbytes)
    assert numbers.all()
