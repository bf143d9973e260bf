"""Compiles the kernels, or loads them from Numba's cache, before the corpus is counted.

Numba compiles a function when it is first called, for the types of its arguments. So each kind of training runs once
on a text, or on pairs, of a few words, from reading to the last step. All that the real training calls is then ready,
and nothing else is compiled.

Half of the time goes to the kernel that trains blocks. If kernels are missing, another process compiles it while this
one compiles the others: the first start ever takes 10 s instead of 17 on two cores.
"""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import cast

import numpy as np

from pairloom.config import Architecture, Objective, Rule, TextOptions, TrainConfig, checked_threads
from pairloom.corpus.sentences import open_corpus
from pairloom.corpus.separating import separator
from pairloom.pairs.pair_reading import open_pairs
from pairloom.system.files import output_errors
from pairloom.system.processes import begin
from pairloom.training.learn import learn
from pairloom.training.plan import Plan, SideChoice
from pairloom.training.sources import source_of_pairs, source_of_text
from pairloom.training.start import Start
from pairloom.vectors.embedding import Embedding

_SENTENCES = [["a", "b", f"c{i % 4}", "d"] for i in range(40)]
_PAIRS = [("a", "b", 1.0), ("b", "c", 2.5), ("c", "d", 1.0), ("d", "a", 1.0)] * 20
_STEPS = "block.train_steps"
_CONFIG = TrainConfig(dim=2, negatives=1, epochs=1, min_count=1, sample=0.5, heldout=0.5)


@cache
def load_kernels(
    *,
    pairs: bool = False,
    from_lines: bool = True,
    model: Architecture = "skipgram",
    objective: Objective = "negative",
    positional: bool = False,
    frozen: bool = False,
    rule: str = "spaces",
) -> None:
    """Make all kernels ready that this kind of training calls.

    rule: how words are found in text, if not by a function of the user.
    from_lines: words or pairs are read from lines of text. Those of Python objects and of Parquet need other kernels.
    """
    config = replace(_CONFIG, model=model, objective=objective, positional=positional)
    steps = _steps_beside() if config.is_sgns and checked_threads(None) > 1 else nullcontext()
    with steps, output_errors(tempfile.gettempdir()), tempfile.TemporaryDirectory(prefix="pairloom-") as folder:
        file = Path(folder) / "toy.txt" if from_lines else None
        plan = Plan(config=config, cache_dir=folder)
        _grow_tables()
        separator(TextOptions(tokenize=cast(Rule, rule)))(np.frombuffer(b"a", np.uint8))
        train_toy = _train_pairs if pairs else _train_text
        embedding = train_toy(plan, file)
        if frozen:
            train_toy(replace(plan, start=Start(embedding, grow=False, freeze="words")), file)


def _grow_tables() -> None:
    """Call what the toy text would not: growing a full table of words, and merging the tables of several threads."""
    from pairloom.kernel.text import words

    line = np.frombuffer(b"a b a b\n", np.uint8)
    counted, _, _ = words.count(words.empty_table(1, 1), line)
    words.merge(counted, *words.contents(counted))


def _train_text(plan: Plan, file: Path | None) -> Embedding:
    if file:
        file.write_text("".join(" ".join(sentence) + "\n" for sentence in _SENTENCES))
    with open_corpus(file or _SENTENCES) as corpus, source_of_text(plan, corpus, plan.word_choice()) as source:
        return learn(source, plan)


def _train_pairs(plan: Plan, file: Path | None) -> Embedding:
    """Without weights, then with weights."""
    for pairs in ([pair[:2] for pair in _PAIRS], _PAIRS):
        if file:
            file.write_text("".join(" ".join(map(str, pair)) + "\n" for pair in pairs))
        with open_pairs(file or pairs) as opened, source_of_pairs(plan, opened, SideChoice()) as source:
            embedding = learn(source, plan)
    return embedding


# --- The kernel that trains blocks, compiled beside the others


@contextmanager
def _steps_beside() -> Iterator[None]:
    """While the body runs: if another kernel is missing, a process compiles `train_steps`, which waits for it."""
    from pairloom.kernel import compile as kernel
    from pairloom.kernel import numba_cache_dir

    began: list[subprocess.Popen[bytes] | None] = []

    def on_missing(name: str) -> bool:
        if name == _STEPS and began and began[0]:
            return began[0].wait() == 0
        if not began and name != _STEPS:
            folder = {"NUMBA_CACHE_DIR": numba_cache_dir()} if numba_cache_dir() else {}
            began.append(begin(__name__, train_nothing.__name__, os.environ | folder))
            _merge_nothing()  # so early that the process need not compile it
        return False

    if kernel.on_missing is not None:  # nothing is to be compiled
        yield
        return
    kernel.on_missing = on_missing
    try:
        yield
    finally:
        kernel.on_missing = None
        for process in filter(None, began):
            process.kill()
            process.wait()


def _merge_nothing() -> None:
    """Call the kernel that merges hubs, which is part of `train_steps`, with no hubs."""
    from pairloom.cluster.holder import aligned_zeros
    from pairloom.kernel.steps.parts import PartRows, merge_hubs

    row, ids = aligned_zeros(16), np.zeros((1, 1), np.int32)
    merge_hubs(row, PartRows(ids, ids[0, :0], row[:0]), 1, 16, 8, np.zeros(0), 1.0)


def train_nothing() -> None:
    """Call the kernel that trains blocks, with no pairs: it is then compiled, for the types that trainings have."""
    from pairloom.cluster.holder import aligned_zeros
    from pairloom.kernel.steps.block import Descent, RoundTables, Steps, begin_steps, make_buffers, train_steps
    from pairloom.kernel.steps.parts import Merging, PartNoise, PartRows
    from pairloom.kernel.steps.sgns import Model

    ids, row, sampled = np.zeros((1, 1), np.int32), aligned_zeros(16), np.zeros(1, np.int64)
    rows, no_hubs = PartRows(ids, ids[0, :0], row[:0]), np.zeros(0)
    noise = PartNoise(np.zeros((1, 1), np.uint64), ids, np.ones(1, np.float32), 1.0)
    train_steps(
        Model(row, row.copy(), 8, 16),
        make_buffers(1, 1, 1, 8),
        RoundTables(sampled[:0], np.zeros(2, np.int64), rows, rows, noise),
        Steps(1, 1, begin_steps(1, 0), 1),
        Merging(sampled, sampled, no_hubs, no_hubs, 1.0),
        Descent(1, np.uint64(1), np.zeros(2)),
        None,
    )
