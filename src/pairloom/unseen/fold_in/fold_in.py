"""Vectors for new words, solved for while the rest of the model stays fixed.

With the contexts fixed the model "reduces to logistic regression, and is convex" (paper, remarks of section 2), and
every new word w is a separate problem. With n(w, c) pairs (w, c), n(w) = Σ_c n(w, c) and k drawn contexts for each
pair, v_w minimises

    Σ_c n(w, c) * -log σ(v_c·v_w)  +  k n(w) Σ_c noise(c) * -log σ(-v_c·v_w)  +  l2/2 |v_w|²

The l2 term makes the optimum unique. The starting point, the order of the words and the number of threads do not
matter. Nothing is drawn at random: `occurrences.py` computes the n(w, c) that training would expect from a text.

A sum over more than `most_contexts` contexts is approximated. Both sums stay convex:
- The first sum takes `most_contexts` rows: contexts with a large weight exactly, and a systematic sample of the others
  (`kernel.rows.thinned`). A linear term corrects the mean of this sample to that of a sample five times as large.
- The second sum, which is the same for all words, takes the most_contexts / 8 most probable contexts exactly. A normal
  distribution replaces the others, with the mean and covariance of those (`logistic.context_noise`).
most_contexts=None uses all contexts, and is slower.

For new contexts with the words fixed, exchange w and c. D' then holds k |D| noise(c) pairs of c, which is
k noise(c) / p(c) for each of its pairs in D, where p(c) is the share of c in D. Words are as frequent in D' as in D.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, Unpack, get_args

import numpy as np

from pairloom.config import (
    TextKeywords,
    TextOptions,
    TrainConfig,
    check_min_count,
    check_names,
    check_whole,
    checked_threads,
    is_number,
)
from pairloom.corpus.prepared import prepare
from pairloom.corpus.sentences import open_corpus
from pairloom.corpus.vocabulary import keep_probability, noise
from pairloom.drawing.notebook import card, first_words
from pairloom.errors import ConfigError, InputError
from pairloom.method.contexts import Windows
from pairloom.pairs.pair_reading import open_pairs
from pairloom.progress import OnProgress, Progress, ignore, logged, reporter
from pairloom.system.display import number_of, quoted
from pairloom.system.threads import Workers, workers
from pairloom.types import CorpusLike, Float64s, PairsLike, PathName
from pairloom.unseen.fold_in.logistic import context_noise, solve
from pairloom.unseen.fold_in.occurrences import (
    Occurrences,
    occurrences_in_pairs,
    occurrences_in_text,
    text_vocabulary,
    unknown_words,
)
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.record import recorded_config, recorded_text
from pairloom.vectors.subwords import with_subwords_of
from pairloom.vectors.vectors import Vectors

Side = Literal["words", "contexts"]

L2 = 20.0  # 10 to 30 score the same (benchmarks/README.md); with less, rare words follow single pairs too far
MOST_CONTEXTS = 256  # 176 finds a thirtieth fewer of the right neighbours, 1024 a sixteenth more (benchmarks/README.md)


class PairKeywords(TextKeywords, total=False):
    """How a corpus becomes pairs: the options of training that `fold_in` takes too."""

    window: int | Literal["sentence"]
    sample: float
    negatives: int
    noise_power: float


class FoldInKeywords(PairKeywords, total=False):
    """All keyword arguments of `fold_in`, for functions that pass them on."""

    pairs: PairsLike | None
    words: Iterable[str] | None
    side: Side
    min_count: int | None
    l2: float
    most_contexts: int | None
    threads: int | None
    cache_dir: PathName | None
    on_progress: OnProgress


_MODEL = ("window", "sample", "negatives", "noise_power")
_TEXT = tuple(f.name for f in fields(TextOptions))


@dataclass(frozen=True, eq=False, kw_only=True)
class FoldedIn:
    """New words and their vectors. `Embedding.with_words` adds them to the model they were made for.

    left_out: words without a vector, because none of their pairs is with a context that the model knows.
    """

    vectors: Vectors
    side: Side
    left_out: list[str]
    record: dict[str, Any]

    def __repr__(self) -> str:
        return f"FoldedIn({number_of(len(self.vectors), self.side[:-1])}, {len(self.left_out):,} left out)"

    def _repr_html_(self) -> str:
        some = {self.side: self.vectors.words, "left out": self.left_out}
        rows = [[name, f"{len(words):,}", first_words(words)] for name, words in some.items()]
        return card(f"FoldedIn: {number_of(len(self.vectors), self.side[:-1])}, dim {self.vectors.dim}", rows)


@dataclass(frozen=True, kw_only=True)
class _ReadingOptions:
    """How a corpus is read. None of these options changes the result."""

    threads: int
    cache_dir: PathName | None
    on_progress: OnProgress


def fold_in(
    embedding: Embedding,
    corpus: CorpusLike | None = None,
    *,
    pairs: PairsLike | None = None,
    words: Iterable[str] | None = None,
    side: Side = "words",
    min_count: int | None = None,
    l2: float = L2,
    most_contexts: int | None = MOST_CONTEXTS,
    threads: int | None = None,
    cache_dir: PathName | None = None,
    on_progress: OnProgress = ignore,
    **options: Unpack[PairKeywords],
) -> FoldedIn:
    """Solve for the vectors of words that the model does not have, from a corpus (as for `train`) or from pairs.

    pairs          pairs instead of a corpus, as for `train_pairs`
    words          the new words; by default all words that the model does not know
    min_count      without `words`: how often a word of the corpus must occur (by default the model's min_count)
    side           "contexts" solves for new contexts
    l2             how strongly vectors are pulled towards 0; see the formula at the head of this file
    most_contexts  how many contexts a sum takes before it is approximated; None takes all
    options        window, sample, negatives and noise_power (by default the model's), and the fields of `TextOptions`
    """
    config, text = _settings(embedding.record, options, min_count)
    on_progress = logged(on_progress)
    reading = _ReadingOptions(threads=checked_threads(threads), cache_dir=cache_dir, on_progress=on_progress)
    fixed, known = _fixed_and_growing(embedding, side)
    _check(l2, most_contexts, corpus, pairs, min_count)
    if pairs is None and "window" not in embedding.record.get("config", {"window": 5}):
        raise InputError("This model was trained on pairs, so it has no windows for a text. Give pairs= instead.")
    new = None if words is None else _checked_words(words, known)
    with workers(reading.threads) as pool:
        if pairs is None:
            found, digest = _corpus_occurrences(corpus, text, new, fixed, known, config, side, pool, reading)
        else:
            with open_pairs(pairs, text=text) as opened:
                found, digest = occurrences_in_pairs(opened, new, fixed, known, side == "words"), None
        usable, left_out = _split_off_unusable(found)
        on_progress(Progress(stage="solve", total=len(usable.words)))
        report = reporter("solve", len(usable.words), on_progress)
        drawn = context_noise(fixed.vectors, _drawn_from(fixed, config, side), most_contexts)
        per_pair = _drawn_per_pair(usable, known, config, side)
        V = solve(usable, fixed.vectors, drawn, per_pair, l2, most_contexts, pool, report)
    made = {name: getattr(config, name) for name in _MODEL} | {"l2": float(l2), "most_contexts": most_contexts}
    record = {"side": side, "words": len(V), "left_out": len(left_out), "corpus": digest, **made}
    return FoldedIn(vectors=Vectors(usable.words, V, usable.counts), side=side, left_out=left_out, record=record)


def with_words(embedding: Embedding, folded: FoldedIn) -> Embedding:
    """Return the model with the new words after its own, whose rows do not change. Its record lists what was added."""
    old = embedding.words if folded.side == "words" else embedding.contexts
    if folded.vectors.dim != old.dim:
        raise InputError(
            f"These new vectors have dim {folded.vectors.dim}, and the model has dim {old.dim}. "
            "Add them to the model that they were made for."
        )
    twice = next((word for word in folded.vectors if word in old), None)
    if twice is not None:
        raise InputError(f"{quoted(twice)} is already in the model. Add each set of new words to a model once.")
    new = folded.vectors
    vectors, counts = np.concatenate([old.vectors, new.vectors]), np.concatenate([old.counts, new.counts])
    joined = with_subwords_of(old, [*old.words, *new.words], vectors, counts)
    record = {**embedding.record, "folded_in": [*embedding.record.get("folded_in", []), folded.record]}
    if folded.side == "words":
        return Embedding(words=joined, contexts=embedding.contexts, record=record)
    return Embedding(words=embedding.words, contexts=joined, record=record)


# --- Options


def _settings(
    record: dict[str, Any], options: Mapping[str, object], min_count: int | None
) -> tuple[TrainConfig, TextOptions]:
    """The options that the model was trained with, overridden by `options` and `min_count`."""
    others = ("words", "side", "min_count", "l2", "most_contexts", "threads", "cache_dir", "on_progress", "pairs")
    check_names(options, [*_MODEL, *_TEXT, *others])
    trained = record.get("config", {})
    for name, ours in (("objective", "negative"), ("model", "skipgram")):
        if trained.get(name, ours) != ours:
            raise InputError(
                f"This model was trained with {name}={trained[name]}, and folding words in needs {name}={ours}. "
                f"Train a model with {name}={ours}."
            )
    for name in ("clean", "positional"):
        if trained.get(name):
            raise InputError(f"Words cannot be folded into a model with {name} windows. Train one with {name}=False.")
    changes: dict[str, Any] = {name: options[name] for name in _MODEL if name in options}
    if min_count is not None:
        check_min_count(min_count)
        changes["min_count"] = min_count
    reading: Any = {name: options[name] for name in _TEXT if name in options}
    return recorded_config(record, **changes), recorded_text(record, **reading)


def _fixed_and_growing(embedding: Embedding, side: Side) -> tuple[Vectors, Vectors]:
    """Return the side that stays fixed, and the side that new words are added to."""
    if side not in get_args(Side):
        raise ConfigError(f"side={side!r} is not a choice. Use 'words' or 'contexts'.")
    if not len(embedding.contexts) or not len(embedding.words):
        raise InputError(
            "Folding words in needs the vectors of contexts, and these vectors hold no contexts. "
            "Use a .loom file that pairloom trained."
        )
    fixed, known = embedding.words, embedding.contexts
    fixed, known = (known, fixed) if side == "words" else (fixed, known)
    fixed.check()
    if not fixed.counts.any() or not known.counts.any():
        raise InputError(
            "This model has no word counts, and without them the noise is unknown. "
            "Use a .loom file that pairloom trained."
        )
    return fixed, known


def _check(l2: float, most_contexts: int | None, corpus: object, pairs: object, min_count: int | None) -> None:
    if not (is_number(l2) and 1e-9 <= l2 <= 1e9):
        raise ConfigError(f"l2={l2!r} is out of range. Use a number from 1e-9 to 1e9; 10 to 30 is usual.")
    if most_contexts is not None:
        check_whole("most_contexts", most_contexts, 1, 2**31 - 1, "256 is usual, more is slower")
    if (corpus is None) == (pairs is None):
        raise ConfigError("New words are learnt either from a corpus or from pairs. Give one of the two.")
    if pairs is not None and min_count is not None:
        raise ConfigError("min_count is for a corpus; pairs use all new words. Leave it out, or list the words.")


def _checked_words(words: Iterable[str], known: Vectors) -> list[str]:
    if isinstance(words, str) or not isinstance(words, Iterable):
        raise ConfigError(f"words={quoted(words)} is not a list of words. Use a list of strings.")
    given = list(words)
    if not given or not all(isinstance(word, str) and word for word in given):
        raise ConfigError("words must be a list of one or more strings, none of them empty.")
    new = sorted(set(given))  # the order in which they were given must not change the result
    old = next((word for word in new if word in known), None)
    if old is not None:
        raise InputError(f"{quoted(old)} is already in the model. Give only words that are new to it.")
    return new


# --- The terms of each problem


def _corpus_occurrences(
    corpus: CorpusLike | None,
    text: TextOptions,
    new: list[str] | None,
    fixed: Vectors,
    known: Vectors,
    config: TrainConfig,
    side: Side,
    pool: Workers,
    reading: _ReadingOptions,
) -> tuple[Occurrences, str]:
    """Return the occurrences of the new words in a corpus, and the digest of its text."""
    with open_corpus(corpus, text=text) as opened:  # type: ignore[arg-type]  # `_check` has refused None
        if new is None:
            new = unknown_words(opened, known, config.min_count, reading.threads, reading.on_progress)
        vocabulary = text_vocabulary(fixed, known, new)
        n_known = len(vocabulary) - sum(word not in fixed for word in new)
        with prepare(opened, vocabulary=vocabulary, **vars(reading)) as encoded:
            found = occurrences_in_text(encoded, new, len(fixed), n_known, config, *_reach(config, side), pool)
            return found, encoded.digest


def _reach(config: TrainConfig, side: Side) -> tuple[Float64s, Float64s]:
    """Return the probabilities that a window reaches the (s + 1)-th token to the left, and to the right."""
    windows = Windows.of(config)
    left, right = windows.weights(windows.left), windows.weights(windows.right)
    return (left, right) if side == "words" else (right, left)  # seen from a context, the sides swap


def _split_off_unusable(found: Occurrences) -> tuple[Occurrences, list[str]]:
    """Return the words that have a known context, and the names of the others."""
    some = np.diff(found.starts) > 0
    left_out = [word for word, kept in zip(found.words, some, strict=True) if not kept]
    if not some.any():
        raise InputError(
            "None of the new words occurs with a context that the model knows, so nothing can be learnt about them. "
            "Give text or pairs in which they occur beside known words."
        )
    words = [word for word, kept in zip(found.words, some, strict=True) if kept]
    starts = np.append(found.starts[:-1][some], found.starts[-1])
    counts, model_counts, share = found.counts[some], found.model_counts[some], found.share[some]
    return Occurrences(words, counts, model_counts, share, found.rows, found.times, starts), left_out


def _drawn_from(fixed: Vectors, config: TrainConfig, side: Side) -> Float64s:
    """The distribution of the fixed side in D': the noise of contexts, or the shares of words in D."""
    counts = np.maximum(1, fixed.counts)
    if side == "words":
        return noise(counts, config.noise_power)
    stay = keep_probability(counts, config.sample, config.subsampling) * counts
    return np.asarray(stay / stay.sum())


def _drawn_per_pair(found: Occurrences, known: Vectors, config: TrainConfig, side: Side) -> Float64s:
    """|D'| / |D| for the pairs of each new word: k, or k noise(c) / p(c)."""
    if side == "words":
        return np.full(len(found.words), float(config.negatives))
    noise = found.model_counts**config.noise_power / np.sum(np.maximum(1, known.counts) ** config.noise_power)
    return np.asarray(config.negatives * noise / found.share)
