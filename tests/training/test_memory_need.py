"""What learning phrases and explaining a model take: refused in time, and the same answers in little memory."""

import json
import random
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pairloom
from pairloom import Phrases
from pairloom.cli.main import main
from pairloom.corpus import spilling
from pairloom.errors import InputError
from pairloom.judging.explanation import memory_need as explanation_needs
from pairloom.judging.explanation.memory_need import ExplanationSizes, counting_need, measuring_need
from pairloom.judging.explanation.report import count_corpus
from pairloom.pairs import cooccurrence
from pairloom.preparing.phrases import memory_need as phrase_needs
from pairloom.system import memory
from pairloom.system.memory import RUNNING, Budget
from pairloom.training.memory_need import total
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.record import recorded_config
from pairloom.vectors.vectors import Vectors


class Unread:
    """A corpus that nobody may read."""

    def __iter__(self) -> Any:
        raise AssertionError("it was read")


@pytest.fixture
def nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that has taken nothing, and blocks of text that take nothing."""
    monkeypatch.setattr(memory, "resident", lambda: 0)
    monkeypatch.setattr(phrase_needs, "READ_AHEAD_BYTES", 0)
    monkeypatch.setattr(explanation_needs, "READ_AHEAD_BYTES", 0)


def text_of(n_lines: int = 3000, n_words: int = 4000) -> list[list[str]]:
    rng = random.Random(1)
    return [[f"w{int(n_words * rng.random() ** 3)}" for _ in range(10)] for _ in range(n_lines)]


def test_room_is_what_a_need_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "resident", lambda: RUNNING)
    assert Budget(RUNNING + 100).spare([memory.MemoryItem("", 30)]) == 70
    assert Budget(RUNNING + 100).spare([memory.MemoryItem("", 300)]) == 0
    monkeypatch.setattr(memory, "available", lambda: None)
    assert Budget().spare() is None


# --- Phrases


def test_phrases_are_refused_before_the_text_is_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"for text\), and max_memory allows 0.0 MB. Allow more"):
        Phrases.learn(Unread(), max_memory=1000)
    phrases = Phrases(({("new", "york"): 1.0},))
    (tmp_path / "text").write_text("new york")
    with pytest.raises(InputError, match=r"for text \+ 0.0 MB for 1 phrase\), and max_memory allows 0.0 MB"):
        phrases.transform(tmp_path / "text", tmp_path / "out", max_memory=1000)
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("nothing")
@pytest.mark.parametrize(
    ("room", "message"),
    [
        (100_000, r"for 3,\d\d\d different words\), and .* Use less text, or allow more"),
        (1_200_000, r"different words \+ .* MB for .* pairs\), and .* Raise min_count, or use less text"),
        (4_000_000, r"pairs \+ .* MB for .* phrases\), and .* Raise the threshold or min_count"),
    ],
)
def test_words_pairs_and_phrases_that_do_not_fit_are_each_refused(tmp_path: Path, room: int, message: str) -> None:
    (tmp_path / "text").write_text("\n".join(map(" ".join, text_of())))
    learning: Any = {"min_count": 1, "threshold": -1, "scoring": "npmi", "cache_dir": tmp_path / "cache"}
    with pytest.raises(InputError, match=message):
        Phrases.learn(tmp_path / "text", **learning, max_memory=RUNNING + room)
    assert list((tmp_path / "cache").glob("*")) == []
    assert len(Phrases.learn(tmp_path / "text", **learning, max_memory=RUNNING + 30_000_000)) > 10_000


@pytest.mark.usefixtures("nothing")
def test_words_are_counted_through_files_and_refused_while_they_are_added_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = [[f"w{i}", f"v{i}", "x"] for i in range(60_000)]
    expected = Phrases.learn(text, min_count=1, threshold=-1, scoring="npmi")
    monkeypatch.setattr(memory, "SMALLEST_TABLES", 3 << 20)
    spilled: list[int] = []
    spill = spilling.TableBudget.spill
    monkeypatch.setattr(
        spilling.TableBudget, "spill", lambda tables, table: (spilled.append(1), spill(tables, table))[1]
    )
    monkeypatch.setattr("pairloom.preparing.phrases.pair_counts.count", _counting_in_little(monkeypatch))
    running: Any = {"min_count": 1, "threshold": -1, "scoring": "npmi", "cache_dir": tmp_path}
    assert Phrases.learn(text, **running, max_memory=RUNNING + 400_000_000) == expected
    assert spilled
    monkeypatch.setattr(spilling.WordFilter, "words", lambda _: pytest.fail("they were put together"))
    with pytest.raises(InputError, match=r"for \d+,\d+ different words\), and"):
        Phrases.learn(text, **running, max_memory=RUNNING + 9_000_000)
    assert list(tmp_path.iterdir()) == []


def _counting_in_little(monkeypatch: pytest.MonkeyPatch) -> Any:
    """`count`, as if there were hardly any memory."""
    from pairloom.corpus import counting

    monkeypatch.setattr(counting, "memory_for_counting", lambda _: 3 << 20)
    monkeypatch.setattr("pairloom.corpus.kinds.token_lists.WORDS_PER_BLOCK", 1000)
    monkeypatch.setattr("pairloom.corpus.inputs.word_lists.WORDS_PER_BLOCK", 1000)
    return counting.count


LEARN = """
import re, sys
from pathlib import Path
from pairloom import Phrases
from pairloom.system import memory
Phrases.learn(Path(sys.argv[1]).with_name("few"), min_count=1, threads=2)
memory.give_back()
Path("/proc/self/clear_refs").write_text("5")  # forget what compiling took
phrases = Phrases.learn(sys.argv[1], min_count=20, scoring="npmi", threshold=-1, threads=2, max_memory=sys.argv[2])
peak = re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]
print(1024 * int(peak), len(phrases), hash(tuple(phrases.phrases.items())))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured as Linux does")
def test_phrases_of_a_long_text_are_the_same_in_little_memory(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    words = (100_000 ** rng.random(3_000_000)).astype(int).reshape(-1, 20)
    (tmp_path / "text").write_text("\n".join(" ".join(f"w{i:x}" for i in line) for line in words.tolist()))
    (tmp_path / "few").write_text("a b c\n" * 9)
    found = []
    for limit in ("100GB", "300MB"):
        command = [sys.executable, "-c", LEARN, str(tmp_path / "text"), limit]
        run = subprocess.run(command, capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": "0"} | PATHS)
        found.append(run.stdout.split())
    (large, *phrases), (small, *same) = found
    assert phrases == same
    assert int(phrases[0]) > 10
    assert int(small) < 300_000_000
    assert int(large) > 1.2 * int(small)  # less if one thread does most of the work, but the limit always matters


PATHS = {"PYTHONPATH": ":".join(filter(None, sys.path))}


# --- Explaining


@pytest.fixture(scope="module")
def explained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Embedding, Path]:
    path = tmp_path_factory.mktemp("explained") / "text"
    path.write_text("\n".join(map(" ".join, text_of())))
    emb = pairloom.train(path, dim=20, epochs=2, min_count=1, sample=0.01)
    emb.save(path.with_name("model.loom"))
    return emb, path


def test_a_model_that_cannot_be_explained_in_memory_is_refused_before_the_corpus_is_read(
    explained: tuple[Embedding, Path],
) -> None:
    emb, _ = explained
    for ask in (pairloom.explain, count_corpus):
        with pytest.raises(InputError, match=r"names of 3,\d\d\d words \+ .* pairs\), and max_memory allows 0.0 MB"):
            ask(emb, Unread(), max_memory=1000)
    message = r"for 3,\d\d\d contexts of dim 20 in float64\), and max_memory allows 0.0 MB. Allow more"
    with pytest.raises(InputError, match=message):
        pairloom.explain_similarity(emb, "w0", "w1", max_memory="1000")


def test_less_text_is_counted_at_a_time_where_there_is_little_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "resident", lambda: 0)
    sizes = ExplanationSizes(
        n_words=1000, n_letters=0, n_contexts=1000, dim=10, n_tokens=10**9, epochs=1, n_pairs=10**6
    )
    most, little = (total(counting_need(sizes, 2, tokens)) for tokens in (1 << 25, 1 << 22))
    asked = {"sizes": sizes, "threads": 2, "everything": False}
    assert explanation_needs.tokens_per_slab(Budget(RUNNING + most), **asked) == 1 << 25
    assert explanation_needs.tokens_per_slab(Budget(RUNNING + most - 1), **asked) == 1 << 24
    assert explanation_needs.tokens_per_slab(Budget(RUNNING + little), **asked) == 1 << 22
    with pytest.raises(InputError, match="for counting pairs"):
        explanation_needs.tokens_per_slab(Budget(RUNNING + 1_000_000), **asked)


def test_what_is_explained_is_the_same_however_much_text_is_counted_at_a_time(
    explained: tuple[Embedding, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    emb, path = explained
    expected = json.dumps(pairloom.explain(emb, path, threads=1).as_dict())
    slabs: list[int] = []
    of_slab = cooccurrence.CooccurrenceCounter._slab
    monkeypatch.setattr(cooccurrence.CooccurrenceCounter, "_slab", lambda *args: (slabs.append(1), of_slab(*args))[1])
    monkeypatch.setattr(explanation_needs, "TOKENS_PER_SLAB", 4000)
    monkeypatch.setattr(explanation_needs, "SMALLEST_SLAB", 1000)
    assert json.dumps(pairloom.explain(emb, path, threads=1).as_dict()) == expected
    assert len(slabs) > 2 * 4


@pytest.mark.parametrize("threads", [1, 3])
def test_the_sum_bounds_what_explaining_takes(explained: tuple[Embedding, Path], threads: int) -> None:
    _, path = explained
    rng = np.random.default_rng(1)
    names, record = [f"w{i}" for i in range(20_000)], {"config": {"sample": 0, "epochs": 1}}
    counts = np.maximum(1, 400_000 // np.arange(1, 20_001))
    W, C = rng.normal(size=(2, 20_000, 100)).astype(np.float32)
    emb = Embedding(words=Vectors(names, W, counts), contexts=Vectors(names, C, counts), record=record)
    pairloom.explain(emb, path, threads=threads, most_products=1000)  # compiles
    need = total(measuring_need(ExplanationSizes.of(emb, recorded_config(emb.record)), threads))
    tracemalloc.start()
    try:
        pairloom.explain(emb, path, threads=threads, most_products=1000)
        measuring = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        pairloom.explain_similarity(emb, "w0", "w1")
        similarity = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
    assert 0.1 * need < measuring < need
    assert similarity < 8 * 20_000 * 100 + 100 * 20_000 + 32 * 100 * 100


# --- The command line


@pytest.mark.parametrize("command", ["phrases {text}", "explain {model} {text}", "explain {model} w0 w1"])
def test_commands_refuse_what_does_not_fit(
    explained: tuple[Embedding, Path], capsys: pytest.CaptureFixture[str], command: str
) -> None:
    _, path = explained
    typed = command.format(text=path, model=path.with_name("model.loom")).split()
    assert main([*typed, "--quiet", "--max-memory", "1MB"]) == 2
    error = capsys.readouterr().err
    assert "and --max-memory allows 1.0 MB" in error and error.count("\n") == 1
    assert main([*typed, "--quiet", "--max-memory", "lots"]) == 2
    assert "--max-memory 'lots' is not an amount of memory" in capsys.readouterr().err
    assert main([*typed, "--quiet", "--max-memory", "64GB"]) == 0
