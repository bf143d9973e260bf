"""Where training starts: at random, or from existing vectors in any format.

Known words start from their vectors, new words at random. A frozen side does not move; each row of the other side is
then a logistic regression, as the paper remarks.
"""

import os
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from pairloom.config import check_choice
from pairloom.corpus.kinds.corpus import Corpus
from pairloom.corpus.vocabulary import Vocabulary
from pairloom.errors import ConfigError, CorpusWarning, InputError
from pairloom.pairs.source import Source
from pairloom.system.display import number_of, of_type
from pairloom.types import Matrix, PathName
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.record import recorded_options
from pairloom.vectors.vectors import Vectors

Frozen = Literal["words", "contexts"]
StartLike = Embedding | Vectors | PathName

_FRESH = {"epochs", "lr", "min_lr", "heldout", "patience"}  # options of one run, not inherited by the next
_ANYWHERE = {"dim", "negatives", "noise_power", "seed"}


class Start(NamedTuple):
    """The vectors to start from, whether all their words stay, and which side does not move."""

    embedding: Embedding
    grow: bool
    freeze: Frozen | None

    def options(self, given: Mapping[str, Any], kind: Literal["tokens", "pairs"]) -> dict[str, Any]:
        """The given options, completed by those that the vectors were made with. Their dim always counts.

        From text to pairs, or from pairs to text, only options that mean the same for both are inherited.
        """
        if given.get("dim", self.embedding.dim) != self.embedding.dim:
            raise ConfigError(
                f"dim={given['dim']} differs from the vectors to start from, whose dim is {self.embedding.dim}. "
                "Leave out dim."
            )
        record = self.embedding.record
        known: dict[str, Any] = {**recorded_options(record)}
        names = known.keys() - _FRESH
        if kind not in record.get("corpus", {}):
            names &= _ANYWHERE
        if known.get("model") == "sppmi-svd":  # computed, so training cannot go on with it
            names -= {"model"}
        return {**{name: known[name] for name in names}, "dim": self.embedding.dim, **given}

    @property
    def epochs(self) -> int:
        """How many epochs the vectors were trained for, so that the next ones make new draws."""
        record = self.embedding.record
        return int(record.get("config", {}).get("epochs", 0)) + int(record.get("start", {}).get("epochs", 0))

    def vocabulary(self, corpus: Corpus, chosen: Vocabulary, drop: Collection[str]) -> Vocabulary:
        """The words to learn: with `grow` also those of the start, with `freeze` only those of the frozen side."""
        counted = dict(zip(chosen.words, chosen.counts.tolist(), strict=True))
        if self.freeze:
            known = self._frozen_side.key_to_index
            counted = {word: n for word, n in counted.items() if word in known}
            share = 1 - sum(counted.values()) / max(1, chosen.n_tokens)
            if len(counted) < 2:
                raise InputError(
                    f"The frozen {self.freeze} include {len(counted)} of the {number_of(len(chosen), 'word')} of "
                    f"{corpus.name}; need at least 2. Start from vectors of a similar text."
                )
            if len(counted) < len(chosen):
                _warn(
                    f"{len(chosen) - len(counted):,} of the {len(chosen):,} words of {corpus.name}, {share:.1%} of its "
                    f"tokens, are not among the frozen {self.freeze} and are left out. To learn them, use grow "
                    "(--grow) instead of freeze."
                )
        if self.grow:
            words = self.embedding.words
            for word, n in zip(words.words, words.counts.tolist(), strict=True):
                if word not in drop:
                    counted[word] = max(1, counted.get(word, 0) + n)
        return Vocabulary.of(counted.items())

    def warn_of_left_out(self, source: Source) -> None:
        """Warn if words to start from, or contexts of given pairs, are not learnt and so not kept."""
        sides = [("words", self.embedding.words, source.words)]
        advice = "use grow (--grow) instead of freeze" if self.freeze else "use grow (--grow)"
        if source.unit == "pairs":
            sides.append(("contexts", self.embedding.contexts, source.contexts))
            advice = "give vocabularies that include them (--read-vocab, --read-contexts)"
        for what, old, new in sides:
            lost = np.ones(len(old), np.bool_)
            lost[[row for name in new.names if (row := old.key_to_index.get(name)) is not None]] = False
            n, tokens = np.count_nonzero(lost), int(old.counts.sum())
            share = f", {old.counts[lost].sum() / tokens:.1%} of their tokens," if tokens else ""
            if n and not self.grow:
                _warn(
                    f"{n:,} of the {len(old):,} {what} to start from{share} are not among the {what} to learn and are "
                    f"left out. To keep them, {advice}."
                )

    @property
    def _has_tree(self) -> bool:
        return self.embedding.objective == "hs"

    @property
    def _frozen_side(self) -> Vectors:
        return self.embedding.words if self.freeze == "words" else self.embedding.contexts

    def take_over(self, W: Matrix, C: Matrix, words: Sequence[str], contexts: Sequence[str]) -> dict[str, Any]:
        """Copy the rows of known words and contexts. Returns what the record says of it."""
        if self._has_tree and (self.embedding.words.words, self.embedding.contexts.words) != ([*words], [*contexts]):
            taken = [_take_over(W, words, self.embedding.words), 0]  # nodes of another tree mean something else
        else:
            taken = [
                _take_over(matrix, names, side)
                for matrix, names, side in ((W, words, self.embedding.words), (C, contexts, self.embedding.contexts))
            ]
        if not any(taken):
            raise InputError(
                f"None of the {number_of(len(words), 'word')} has a vector to start from. Use vectors that have some "
                f"of them."
            )
        missing = len(words if self.freeze == "words" else contexts) - taken[self.freeze == "contexts"]
        if self.freeze and missing:
            raise InputError(
                f"{missing:,} of the frozen {self.freeze} have no vector to start from. "
                "Give a vocabulary of those that do, or leave out freeze."
            )
        facts: dict[str, Any] = {"words": taken[0], "contexts": taken[1], "epochs": self.epochs}
        return facts | ({"frozen": self.freeze} if self.freeze else {})


def open_start(start: StartLike | None, *, grow: bool, freeze: str | None) -> Start | None:
    """The `start`, `grow` and `freeze` of `train`, checked, and loaded if `start` is a path."""
    if not isinstance(grow, bool):
        raise ConfigError(f"grow={grow!r} is not a choice. Use True or False.")
    if start is None:
        if grow or freeze is not None:
            raise ConfigError(f"{'grow' if grow else 'freeze'} needs vectors to start from. Name them with start.")
        return None
    if freeze is not None:
        check_choice("freeze", freeze, Frozen)
    if isinstance(start, str | os.PathLike):
        from pairloom.formats import load

        start = load(start)
    if isinstance(start, Vectors):
        start = Embedding.of_words(start)
    if not isinstance(start, Embedding):
        raise ConfigError(f"start is {of_type(start)}. Give an Embedding, Vectors, or the path of a file.")
    if grow and freeze:
        raise ConfigError(
            "grow and freeze exclude each other: a frozen side learns no new words. Use one of them, or fold-in."
        )
    if freeze == "contexts" and not len(start.contexts):
        raise InputError(
            "The vectors to start from have no contexts to freeze. Use a .loom file that pairloom trained."
        )
    return Start(start, grow, freeze)  # type: ignore[arg-type]  # checked above


def _warn(message: str) -> None:
    warnings.warn(message, CorpusWarning, stacklevel=3)


def _take_over(matrix: Matrix, names: Iterable[str], side: Vectors) -> int:
    index = side.key_to_index
    rows = np.array([index.get(name, -1) for name in names], np.intp)
    there = np.flatnonzero(rows >= 0)
    for first in range(0, len(there), 1 << 16):  # a memory-mapped file is not copied whole
        some = there[first : first + (1 << 16)]
        matrix[some] = side.vectors[rows[some]]
    return len(there)
