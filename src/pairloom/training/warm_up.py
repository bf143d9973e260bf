"""Compiles the kernels, or loads them from Numba's cache, before the corpus is counted.

Numba compiles a function when it is first called, for the types of its arguments. So each kind of training runs once
on a text, or on pairs, of a few words, from reading to the last step. All that the real training calls is then ready,
and nothing else is compiled.
"""

import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from pairloom.config import Architecture, Objective, TextOptions, TrainConfig
from pairloom.corpus.sentences import open_corpus
from pairloom.pairs.pair_reading import open_pairs
from pairloom.system.files import output_errors
from pairloom.training.learn import learn
from pairloom.training.plan import Plan, SideChoice
from pairloom.training.sources import encoded_text, source_of_pairs, source_of_text
from pairloom.training.start import Start
from pairloom.vectors.embedding import Embedding

_SENTENCES = [["a", "b", f"c{i % 4}", "d"] for i in range(40)]
_PAIRS = [("a", "b", 1.0), ("b", "c", 2.5), ("c", "d", 1.0), ("d", "a", 1.0)] * 20
_CONFIG = TrainConfig(dim=2, negatives=1, epochs=1, min_count=1, sample=0.5, heldout=0.5)


@cache
def load_kernels(
    *,
    pairs: bool = False,
    model: Architecture = "skipgram",
    objective: Objective = "negative",
    positional: bool = False,
    frozen: bool = False,
) -> None:
    """Make all kernels ready that this kind of training calls."""
    config = replace(_CONFIG, model=model, objective=objective, positional=positional)
    with output_errors(tempfile.gettempdir()), tempfile.TemporaryDirectory(prefix="pairloom-") as folder:
        _grow_tables()
        plan = Plan(config=config, cache_dir=folder)
        train_toy = _train_pairs if pairs else _train_text
        embedding = train_toy(plan, Path(folder))
        if frozen:
            train_toy(replace(plan, start=Start(embedding, grow=False, freeze="words")), Path(folder))


def _grow_tables() -> None:
    """Call what the toy text would not: growing a full table of words, and merging the tables of several threads."""
    from pairloom.kernel.text import words

    line = np.frombuffer(b"a b a b\n", np.uint8)
    counted, _, _ = words.count(words.empty_table(1, 1), line)
    words.merge(counted, *words.contents(counted))


def _train_text(plan: Plan, folder: Path) -> Embedding:
    """Files and token lists are counted and encoded by different kernels, so both are read here."""
    file = folder / "toy.txt"
    file.write_text("".join(" ".join(sentence) + "\n" for sentence in _SENTENCES))
    with open_corpus(_SENTENCES) as corpus, encoded_text(replace(plan, start=None), corpus, plan.word_choice()):
        pass
    with open_corpus(file) as corpus, source_of_text(plan, corpus, plan.word_choice()) as source:
        return learn(source, plan)


def _train_pairs(plan: Plan, folder: Path) -> Embedding:
    """From a file without weights, then from an iterable with weights."""
    file = folder / "toy.txt"
    file.write_text("".join(f"{word} {context}\n" for word, context, _ in _PAIRS))
    with open_pairs(file, text=TextOptions()) as pairs, source_of_pairs(plan, pairs, SideChoice()) as source:
        learn(source, plan)
    with open_pairs(_PAIRS, text=TextOptions()) as pairs, source_of_pairs(plan, pairs, SideChoice()) as source:
        return learn(source, plan)
