"""Where training begins: at random, or at vectors that somebody has, in any format.

Words that the vectors have begin there, the others at random. A frozen side stays where it is; the paper remarks that
what is then learnt is a logistic regression for each row of the other side.
"""

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, Literal, NamedTuple

import numpy as np

from pairloom.config import TextOptions, TrainConfig, check_choice
from pairloom.corpus.sentences import Corpus
from pairloom.corpus.vocabulary import Vocabulary
from pairloom.errors import ConfigError, InputError
from pairloom.types import Matrix
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.vectors import Vectors

Frozen = Literal["words", "contexts"]

_FRESH = {"epochs", "lr", "min_lr", "heldout", "patience"}  # options of a run, which the next one does not take over
_ANYWHERE = {"dim", "negatives", "noise_power", "seed"}


class Start(NamedTuple):
    """The vectors to begin with, whether their words all stay, and which side does not move."""

    embedding: Embedding
    grow: bool
    freeze: Frozen | None

    def options(self, given: Mapping[str, Any], kind: Literal["tokens", "pairs"]) -> dict[str, Any]:
        """The options with which the vectors were made, where no others are given; their dim in any case.

        Between text and pairs go only those that mean the same for both.
        """
        if given.get("dim", self.embedding.dim) != self.embedding.dim:
            raise ConfigError(
                f"dim={given['dim']} is not that of the vectors to start from, which is {self.embedding.dim}. "
                "Leave dim out."
            )
        record = self.embedding.record
        known = {**record.get("config", {}), **record.get("text", {})}
        names = {field.name for config in (TrainConfig, TextOptions) for field in fields(config)} - _FRESH
        if kind not in record.get("corpus", {}):
            names &= _ANYWHERE
        if known.get("model") == "sppmi-svd":  # which is computed, not trained
            names -= {"model"}
        return {**{name: known[name] for name in names & known.keys()}, "dim": self.embedding.dim, **given}

    @property
    def epochs(self) -> int:
        """How many epochs are behind the vectors, so that the next ones draw anew."""
        record = self.embedding.record
        return int(record.get("config", {}).get("epochs", 0)) + int(record.get("start", {}).get("epochs", 0))

    def vocabulary(self, corpus: Corpus, chosen: Vocabulary, drop: Collection[str]) -> Vocabulary:
        """The words of a text: those of the start, too, if they grow; only known ones if a side is frozen."""
        counted = dict(zip(chosen.words, chosen.counts.tolist(), strict=True))
        if self.freeze:
            known = self._frozen_side.key_to_index
            counted = {word: n for word, n in counted.items() if word in known}
            if len(counted) < 2:
                raise InputError(
                    f"The frozen {self.freeze} have {len(counted)} of the {len(chosen):,} words of {corpus.name}; "
                    "need at least 2. Start from vectors of such a text."
                )
        if self.grow:
            words = self.embedding.words
            for word, n in zip(words.words, words.counts.tolist(), strict=True):
                if word not in drop:
                    counted[word] = max(1, counted.get(word, 0) + n)
        return Vocabulary.of(counted.items())

    @property
    def _has_tree(self) -> bool:
        return self.embedding.objective == "hs"

    @property
    def _frozen_side(self) -> Vectors:
        return self.embedding.words if self.freeze == "words" else self.embedding.contexts

    def take_over(self, W: Matrix, C: Matrix, words: Sequence[str], contexts: Sequence[str]) -> dict[str, Any]:
        """Put the rows of known words and contexts in their places; gives what to write down of it."""
        if self._has_tree and (self.embedding.words.words, self.embedding.contexts.words) != ([*words], [*contexts]):
            taken = [_take_over(W, words, self.embedding.words), 0]  # the nodes of one tree are no good for another
        else:
            taken = [
                _take_over(matrix, names, side)
                for matrix, names, side in ((W, words, self.embedding.words), (C, contexts, self.embedding.contexts))
            ]
        if not any(taken):
            raise InputError(
                f"None of the {len(words):,} words have a vector to start from. Start from vectors of such words."
            )
        missing = len(words if self.freeze == "words" else contexts) - taken[self.freeze == "contexts"]
        if self.freeze and missing:
            raise InputError(
                f"{missing:,} of the {self.freeze} to be frozen have no vector to start from. "
                "Give a vocabulary of those that have, or leave out freeze."
            )
        facts: dict[str, Any] = {"words": taken[0], "contexts": taken[1], "epochs": self.epochs}
        return facts | ({"frozen": self.freeze} if self.freeze else {})


def open_start(start: object, *, grow: bool, freeze: str | None) -> Start | None:
    """What `start`, `grow` and `freeze` of `train` mean: an Embedding, Vectors, or the path of a file of either."""
    if not isinstance(grow, bool):
        raise ConfigError(f"grow={grow!r} is not a choice. Use True or False.")
    if start is None:
        if grow or freeze is not None:
            raise ConfigError(f"{'grow' if grow else 'freeze'} needs vectors to start from. Give them as start.")
        return None
    if freeze is not None:
        check_choice("freeze", freeze, Frozen)
    if isinstance(start, str | os.PathLike):
        from pairloom.formats import load

        start = load(start)
    if isinstance(start, Vectors):
        start = Embedding.of_words(start)
    if not isinstance(start, Embedding):
        raise ConfigError(f"start is a {type(start).__name__}. Give an Embedding, Vectors, or the path of a file.")
    if grow and freeze:
        raise ConfigError("New words cannot be learnt on a frozen side. Use grow or freeze, or fold new words in.")
    if freeze == "contexts" and not len(start.contexts):
        raise InputError("The start holds no contexts to freeze. Take a .loom file that pairloom trained.")
    return Start(start, grow, freeze)  # type: ignore[arg-type]  # checked above


def _take_over(matrix: Matrix, names: Iterable[str], side: Vectors) -> int:
    index = side.key_to_index
    rows = np.array([index.get(name, -1) for name in names], np.intp)
    there = np.flatnonzero(rows >= 0)
    for first in range(0, len(there), 1 << 16):  # a memory-mapped file is not copied whole
        some = there[first : first + (1 << 16)]
        matrix[some] = side.vectors[rows[some]]
    return len(there)
