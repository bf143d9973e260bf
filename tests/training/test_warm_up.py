"""Kernels are ready before anything is read: none is compiled, or loaded from the cache, while a training runs."""

import subprocess
import sys

import pytest

from pairloom.advice.diagnosis.kernels import only_loaded
from pairloom.errors import InputError
from pairloom.kernel import compile
from pairloom.kernel.steps.block import train_steps
from pairloom.training import warm_up
from pairloom.training.warm_up import load_kernels

SCRIPT = """
import sys
import numpy as np
import pairloom

def compiled():
    modules = [m for name, m in sys.modules.items() if name.startswith("pairloom.kernel.")]
    found = {f"{m.__name__}.{n}": f for m in modules for n, f in vars(m).items() if hasattr(f, "signatures")}
    return {(name, str(signature)) for name, function in found.items() for signature in function.signatures}

before = None
def on_progress(progress):
    global before
    if progress.stage != "compile" and before is None:
        before = compiled()

def train(kind, corpus, **options):
    global before
    common = dict(min_count=1, threads=2, cache_dir="cache")
    start = options.pop("start", None)
    if start:
        options["start"] = start = kind(corpus, dim=4, epochs=1, **common)
    else:
        options["dim"] = 4
    before = None
    kind(corpus, epochs=1, on_progress=on_progress, **common, **options)
    assert before, "the training has reported nothing"
    late = compiled() - before
    print(*sorted(f"{name}{signature}" for name, signature in late), sep="\\n", end="")

words = np.random.default_rng(1).integers(0, N, (4_000, 20)).astype(str).tolist()
with open("text.txt", "w") as file:
    file.writelines(" ".join(line) + "\\n" for line in words)
with open("pairs.txt", "w") as file:
    file.writelines(f"{line[0]} {line[1]}\\n" for line in words)
"""


def late_kernels(tmp_path, call, n_words=40_000):
    """What is compiled after the stage "compile", in a process of its own; more words than a table first holds."""
    script = SCRIPT.replace("N, (", f"{n_words}, (") + call
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "options",
    [
        "",
        "positional=True, window=2",
        "clean=True",
        "window='sentence'",
        "window_shape='harmonic', sample=0",
        "patience=1",
        "heldout=0",
        "objective='hs'",
        "model='cbow'",
        "model='cbow', objective='hs'",
        "model='cbow', cbow_gradient='undivided'",
        "start=True, freeze='words'",
        "start=True, freeze='contexts'",
        "start=True, grow=True",
        "checkpoint='run'",
    ],
)
def test_of_text(tmp_path, options):
    assert late_kernels(tmp_path, f"train(pairloom.train, 'text.txt', {options})") == ""


def test_of_text_by_softmax(tmp_path):
    assert late_kernels(tmp_path, "train(pairloom.train, 'text.txt', objective='softmax')", n_words=300) == ""


def test_of_text_by_sppmi_svd(tmp_path):
    assert (
        late_kernels(tmp_path, "train(pairloom.train, 'text.txt', model='sppmi-svd', negatives=1)", n_words=300) == ""
    )


def test_of_token_lists(tmp_path):
    assert late_kernels(tmp_path, "train(pairloom.train, words)") == ""


@pytest.mark.parametrize(
    ("pairs", "options"),
    [
        ("'pairs.txt'", ""),
        ("'pairs.txt'", "sample=1e-3"),
        ("[(line[0], line[1], 2.5) for line in words]", ""),
        ("[(line[0], line[1]) for line in words]", ""),
        ("'pairs.txt'", "start=True, freeze='words'"),
        ("'pairs.txt'", "start=True, freeze='contexts'"),
    ],
)
def test_of_pairs(tmp_path, pairs, options):
    assert late_kernels(tmp_path, f"train(pairloom.train_pairs, {pairs}, {options})") == ""


def test_of_pairs_in_parquet(tmp_path):
    pytest.importorskip("arro3.io")
    table = """
import arro3.core, arro3.io
columns = {name: arro3.core.Array(values, arro3.core.DataType.utf8()) for name, values in
           (("w", [line[0] for line in words]), ("c", [line[1] for line in words]))}
arro3.io.write_parquet(arro3.core.Table.from_pydict(columns), "pairs.parquet")
"""
    assert late_kernels(tmp_path, table + "train(pairloom.train_pairs, 'pairs.parquet')") == ""


def test_of_pairs_by_softmax(tmp_path):
    assert late_kernels(tmp_path, "train(pairloom.train_pairs, 'pairs.txt', objective='softmax')", n_words=300) == ""


def test_a_kind_of_training_compiles_no_other(tmp_path):
    """Pairs never read windows; SPPMI-SVD takes no steps."""
    code = "print(*sorted({name.rpartition('.')[0] for name, _ in compiled()}))"
    of_pairs = late_kernels(tmp_path, f"pairloom.train_pairs('pairs.txt', dim=4, epochs=1, min_count=1)\n{code}")
    assert "deal_pairs" in of_pairs and "deal_text" not in of_pairs and "hierarchical" not in of_pairs
    factored = late_kernels(
        tmp_path, f"pairloom.train('text.txt', model='sppmi-svd', negatives=1, dim=4)\n{code}", n_words=300
    )
    assert "cooccur" in factored and "sgns" not in factored and "block" not in factored


def test_lines_are_parsed_by_kernels_that_tuples_do_not_compile(tmp_path):
    code = "print(*sorted({name.rpartition('.')[0] for name, _ in compiled()}))"
    call = "pairloom.train_pairs([('a', 'b'), ('b', 'a')] * 50, dim=4, epochs=1, min_count=1)"
    assert "pair_lines" not in late_kernels(tmp_path, f"{call}\n{code}")


# --- The kernel that another process compiles


def test_the_process_beside_compiles_for_the_types_of_trainings():
    load_kernels()
    before = train_steps.signatures.copy()
    warm_up.train_nothing()
    assert before and train_steps.signatures == before


class Beside:
    """A process that only notes what is done with it."""

    def __init__(self, code=0):
        self.code, self.done = code, []

    def wait(self):
        self.done.append("wait")
        return self.code

    def kill(self):
        self.done.append("kill")


@pytest.fixture
def beside(monkeypatch):
    process = Beside()
    monkeypatch.setattr(warm_up, "begin", lambda *_: process.done.append("begin") or process)
    return process


def test_a_missing_kernel_has_the_steps_compiled_beside_and_they_are_waited_for(beside):
    with warm_up._steps_beside():
        assert not compile.on_missing("words.count") and not compile.on_missing("scan.scan")
        assert beside.done == ["begin"]
        assert compile.on_missing("block.train_steps")
        assert beside.done == ["begin", "wait"]
    assert beside.done == ["begin", "wait", "kill", "wait"] and compile.on_missing is None


def test_steps_are_compiled_here_if_they_alone_are_missing_or_the_process_failed(beside):
    with warm_up._steps_beside():
        assert not compile.on_missing("block.train_steps")
        assert beside.done == []
    beside.code = 1
    with warm_up._steps_beside():
        compile.on_missing("words.count")
        assert not compile.on_missing("block.train_steps")


def test_an_interrupt_ends_the_process_beside(beside):
    with pytest.raises(KeyboardInterrupt), warm_up._steps_beside():
        compile.on_missing("words.count")
        raise KeyboardInterrupt
    assert beside.done == ["begin", "kill", "wait"]


def test_where_nothing_may_be_compiled_nothing_is_compiled_beside(beside):
    with only_loaded(), warm_up._steps_beside(), pytest.raises(InputError, match="count is not compiled"):
        compile.on_missing("words.count")
    assert beside.done == []
