"""Vectors for new words while the contexts stay as they are: the model then "reduces to logistic regression, and is
convex" (section 2 of the paper, in its remarks).

Every new w is a problem of its own. With n(w, c) pairs (w, c), n(w) = Σ_c n(w, c), and k drawn contexts for each pair,
v_w is what minimises

    Σ_c n(w, c) * -log σ(v_c·v_w)  +  k n(w) Σ_c noise(c) * -log σ(-v_c·v_w)  +  l2/2 |v_w|²

By its l2 the optimum is unique: it does not matter where one starts, in which order words come, or who solves them.
Nothing is drawn at random: n(w, c) is what `seen.py` expects of a text. Where a sum has more than `most_contexts`
contexts, so many rows stand for all. In the first sum these are the contexts of much weight as they are, and of the
others a systematic sample (`kernel.rows.thinned`); a linear term gives them the mean of a sample five times as large.
In the second, the same for all words, the most probable contexts, an eighth as many, stay as they are, and a normal
distribution with their mean and covariance stands for the others (`logistic.noise_of`). Both sums stay convex.
most_contexts=None takes all contexts, and time.

New contexts while the words stay as they are: the same with w and c exchanged. D' then holds k |D| noise(c) pairs of c,
that is k noise(c) / p(c) for each of D, where p(c) is the share of c in D; the w of both are as frequent as in D.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args

import numpy as np

from pairloom.config import (
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
from pairloom.errors import ConfigError, InputError
from pairloom.fold_in.logistic import noise_of, solve
from pairloom.fold_in.occurrences import Seen, seen_in_pairs, seen_in_text, text_vocabulary, unknown_words
from pairloom.method.contexts import Windows
from pairloom.pairs.pair_reading import open_pairs
from pairloom.progress import OnProgress, Progress, ignore
from pairloom.system.spelling import quoted
from pairloom.system.threads import Workers, workers
from pairloom.types import Float64s
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.vectors import Vectors

Side = Literal["words", "contexts"]

L2 = 20.0  # 10 to 30 are alike (benchmarks/README.md); with less, rare words follow single pairs too far
MOST_CONTEXTS = 256  # of the neighbours 176 lose a thirtieth, 1024 gain a sixteenth (benchmarks/README.md)

_MODEL = ("window", "sample", "negatives", "noise_power")  # the options of training that matter here
_TEXT = tuple(f.name for f in fields(TextOptions))


@dataclass(frozen=True, eq=False, kw_only=True)
class FoldedIn:
    """New words with their vectors; `Embedding.with_words` joins them to the model that they were made for.

    left_out are the words that got no vector, because they have no pair with anything that the model knows.
    """

    vectors: Vectors
    side: Side
    left_out: list[str]
    record: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class _Reading:
    """How a corpus is read: what does not change the result."""

    threads: int
    cache_dir: str | os.PathLike[str] | None
    on_progress: OnProgress


def fold_in(
    embedding: Embedding,
    corpus: object = None,
    *,
    pairs: object = None,
    words: Iterable[str] | None = None,
    side: Side = "words",
    min_count: int | None = None,
    l2: float = L2,
    most_contexts: int | None = MOST_CONTEXTS,
    threads: int | None = None,
    cache_dir: str | os.PathLike[str] | None = None,
    on_progress: OnProgress = ignore,
    **options: Any,
) -> FoldedIn:
    """Solve for the vectors of words that the model does not have, from a corpus (as for `train`) or from pairs.

    pairs: whatever `train_pairs` takes, in place of a corpus. words: the new words; by default all that
    the model does not know, of a corpus those that occur min_count times (by default the model's own min_count). side:
    "contexts" solves for new contexts. l2, most_contexts (None: all): see the head of this file. options: window,
    sample, negatives and noise_power, by default those that the model was trained with, and those of `TextOptions`.
    """
    config, text = _settings(embedding.record, options, min_count)
    reading = _Reading(threads=checked_threads(threads), cache_dir=cache_dir, on_progress=on_progress)
    fixed, known = _sides(embedding, side)
    _check(l2, most_contexts, corpus, pairs, min_count)
    if pairs is None and "window" not in embedding.record.get("config", {"window": 5}):
        raise InputError("This model was trained on pairs, so it knows nothing of windows. Fold in by pairs=.")
    new = None if words is None else _checked_words(words, known)
    with workers(reading.threads) as pool:
        if pairs is None:
            seen, digest = _seen_in_corpus(corpus, text, new, fixed, known, config, side, pool, reading)
        else:
            with open_pairs(pairs, text=text) as opened:
                seen, digest = seen_in_pairs(opened, new, fixed, known, side == "words"), None
        usable, left_out = _with_contexts(seen)
        report = _reporter(len(usable.words), on_progress)
        report(0)
        drawn = noise_of(fixed.vectors, _drawn_from(fixed, config, side), most_contexts)
        per_pair = _drawn_per_pair(usable, known, config, side)
        V = solve(usable, fixed.vectors, drawn, per_pair, l2, most_contexts, pool, report)
    made = {name: getattr(config, name) for name in _MODEL} | {"l2": float(l2), "most_contexts": most_contexts}
    record = {"side": side, "words": len(V), "left_out": len(left_out), "corpus": digest, **made}
    return FoldedIn(vectors=Vectors(usable.words, V, usable.counts), side=side, left_out=left_out, record=record)


def with_words(embedding: Embedding, folded: FoldedIn) -> Embedding:
    """The model and the new words, after its own, whose rows stay as they are; the record says what was added."""
    old = embedding.words if folded.side == "words" else embedding.contexts
    if folded.vectors.dim != old.dim:
        raise InputError(f"Vectors of dim {folded.vectors.dim} do not belong to a model of dim {old.dim}.")
    twice = next((word for word in folded.vectors if word in old), None)
    if twice is not None:
        raise InputError(f"{quoted(twice)} is already in the model. Fold words into the model that they are new to.")
    new = folded.vectors
    joined = Vectors(
        [*old.words, *new.words], np.concatenate([old.vectors, new.vectors]), np.concatenate([old.counts, new.counts])
    )
    record = {**embedding.record, "folded_in": [*embedding.record.get("folded_in", []), folded.record]}
    if folded.side == "words":
        return Embedding(words=joined, contexts=embedding.contexts, record=record)
    return Embedding(words=embedding.words, contexts=joined, record=record)


# --- What was asked


def _settings(
    record: dict[str, Any], options: dict[str, Any], min_count: int | None
) -> tuple[TrainConfig, TextOptions]:
    """The model's own options, with those given in their place."""
    others = ("words", "side", "min_count", "l2", "most_contexts", "threads", "cache_dir", "on_progress", "pairs")
    check_names(options, [*_MODEL, *_TEXT, *others])
    trained, text = record.get("config", {}), record.get("text", {})
    for name, ours in (("objective", "negative"), ("model", "skipgram")):
        if trained.get(name, ours) != ours:
            raise InputError(
                f"This model was trained with {name}={trained[name]}, and words can be folded into one trained with "
                f"{name}={ours} only. Train such a model."
            )
    for name in ("clean", "positional"):
        if trained.get(name):
            raise InputError(f"Words cannot be folded into a model of {name} windows. Train it with {name}=False.")
    config = TrainConfig(**{f.name: trained[f.name] for f in fields(TrainConfig) if f.name in trained})
    given = {name: options[name] for name in _MODEL if name in options}
    if min_count is not None:
        check_min_count(min_count)
        given["min_count"] = min_count
    reading = {name: text[name] for name in _TEXT if name in text}
    return replace(config, **given), TextOptions(**reading | {name: options[name] for name in _TEXT if name in options})


def _sides(embedding: Embedding, side: Side) -> tuple[Vectors, Vectors]:
    """The side that stays as it is, and the one that new words go to."""
    if side not in get_args(Side):
        raise ConfigError(f"side={side!r} is not a choice. Use 'words' or 'contexts'.")
    if not len(embedding.contexts) or not len(embedding.words):
        raise InputError(
            "Words are folded into a model by the vectors of its contexts, and these vectors hold no contexts. "
            "Take a .loom file that pairloom trained."
        )
    fixed, known = embedding.words, embedding.contexts
    fixed, known = (known, fixed) if side == "words" else (fixed, known)
    fixed.check()
    if not fixed.counts.any() or not known.counts.any():
        raise InputError(
            "The model does not know how often its words occur, so the noise is not known. "
            "Take a .loom file that pairloom trained."
        )
    return fixed, known


def _check(l2: float, most_contexts: int | None, corpus: object, pairs: object, min_count: int | None) -> None:
    if not (is_number(l2) and 1e-9 <= l2 <= 1e9):
        raise ConfigError(f"l2={l2!r} is out of range: use a number from 1e-9 to 1e9; 10 to 30 is usual.")
    if most_contexts is not None:
        check_whole("most_contexts", most_contexts, 1, 2**31 - 1, "256 is usual, more is slower")
    if (corpus is None) == (pairs is None):
        raise ConfigError("New words are learnt from a corpus or from pairs. Give one of the two.")
    if pairs is not None and min_count is not None:
        raise ConfigError("min_count is for a corpus: of pairs all new words are taken. Leave it out, or give words.")


def _checked_words(words: Iterable[str], known: Vectors) -> list[str]:
    if isinstance(words, str) or not isinstance(words, Iterable):
        raise ConfigError(f"words={words!r:.60} is not a list of words. Use a list of strings.")
    given = list(words)
    if not given or not all(isinstance(word, str) and word for word in given):
        raise ConfigError("words has to be a list of strings, of one at least, and none of them empty.")
    new = sorted(set(given))  # by code point: not by the order in which they were given
    old = next((word for word in new if word in known), None)
    if old is not None:
        raise InputError(f"{quoted(old)} is in the model already. Give words that are new to it.")
    return new


# --- What the problems are made of


def _seen_in_corpus(
    corpus: object,
    text: TextOptions,
    new: list[str] | None,
    fixed: Vectors,
    known: Vectors,
    config: TrainConfig,
    side: Side,
    pool: Workers,
    reading: _Reading,
) -> tuple[Seen, str]:
    """What the new words were seen with, and the digest of the text."""
    with open_corpus(corpus, text=text) as opened:  # type: ignore[arg-type]  # `_check` has refused None
        if new is None:
            new = unknown_words(opened, known, config.min_count, reading.threads, reading.on_progress)
        if not new:
            raise InputError(
                f"{opened.name} has no word that occurs {config.min_count} times and that the model does not know. "
                "Lower min_count, or give other text."
            )
        vocabulary = text_vocabulary(fixed, known, new)
        n_known = len(vocabulary) - sum(word not in fixed for word in new)
        with prepare(opened, vocabulary=vocabulary, **vars(reading)) as encoded:
            seen = seen_in_text(encoded, new, len(fixed), n_known, config, *_reach(config, side), pool)
            return seen, encoded.digest


def _reach(config: TrainConfig, side: Side) -> tuple[Float64s, Float64s]:
    """How likely a window reaches the (s + 1)-th token to the left, and to the right: of words, or to contexts."""
    windows = Windows.of(config)
    left, right = windows.weights(windows.left), windows.weights(windows.right)
    return (left, right) if side == "words" else (right, left)  # a context is left of the words that it is right of


def _with_contexts(seen: Seen) -> tuple[Seen, list[str]]:
    """The words that were seen with something, and the others."""
    some = np.diff(seen.starts) > 0
    left_out = [word for word, kept in zip(seen.words, some, strict=True) if not kept]
    if not some.any():
        raise InputError(
            "None of the new words was seen with a context that the model knows, so nothing can be learnt of them. "
            "Give text or pairs in which they stand beside known words."
        )
    words = [word for word, kept in zip(seen.words, some, strict=True) if kept]
    starts = np.append(seen.starts[:-1][some], seen.starts[-1])
    counts, as_known, share = seen.counts[some], seen.as_known[some], seen.share[some]
    return Seen(words, counts, as_known, share, seen.rows, seen.times, starts), left_out


def _drawn_from(fixed: Vectors, config: TrainConfig, side: Side) -> Float64s:
    """The distribution of the fixed side in D': the contexts' noise, or the words as they stand in D."""
    counts = np.maximum(1, fixed.counts)
    if side == "words":
        return noise(counts, config.noise_power)
    stay = keep_probability(counts, config.sample, config.subsampling) * counts
    return np.asarray(stay / stay.sum())


def _drawn_per_pair(seen: Seen, known: Vectors, config: TrainConfig, side: Side) -> Float64s:
    """|D'| / |D| for the pairs of each new word: k, or k noise(c) / p(c)."""
    if side == "words":
        return np.full(len(seen.words), float(config.negatives))
    noise = seen.as_known**config.noise_power / np.sum(np.maximum(1, known.counts) ** config.noise_power)
    return np.asarray(config.negatives * noise / seen.share)


def _reporter(total: int, on_progress: OnProgress) -> Any:
    return lambda done: on_progress(Progress(stage="solve", done=done, total=total))
