"""Compiles the kernels, or loads them from Numba's cache, before the corpus is counted.

Numba compiles a function when it is first called, for the types of its arguments. So each kind of training runs once
on a text, or on pairs, of a few words, from reading to the last step. All that the real training calls is then ready,
and nothing else is compiled.
"""

import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import cast

import numpy as np

from pairloom.config import Architecture, Objective, Rule, TextOptions, TrainConfig
from pairloom.corpus.sentences import open_corpus
from pairloom.corpus.separating import separator
from pairloom.pairs.pair_reading import open_pairs
from pairloom.system.files import output_errors
from pairloom.training.learn import learn
from pairloom.training.plan import Plan, SideChoice
from pairloom.training.sources import source_of_pairs, source_of_text
from pairloom.training.start import Start
from pairloom.vectors.embedding import Embedding

_SENTENCES = [["a", "b", f"c{i % 4}", "d"] for i in range(40)]
_PAIRS = [("a", "b", 1.0), ("b", "c", 2.5), ("c", "d", 1.0), ("d", "a", 1.0)] * 20
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
    with output_errors(tempfile.gettempdir()), tempfile.TemporaryDirectory(prefix="pairloom-") as folder:
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
