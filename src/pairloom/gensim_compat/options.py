"""The arguments of gensim's Word2Vec as options of `pairloom.train`, with a warning for those that have no effect."""

import warnings
from collections.abc import Mapping
from functools import cache
from typing import Any

from pairloom.config import TrainKeywords, check_whole, is_number
from pairloom.errors import ConfigError, IgnoredOptionWarning

# Arguments that have no effect here: gensim's default, and why.
_WITHOUT_EFFECT = {
    "hashfxn": (hash, "vectors start from the seed and the row of a word, so they are the same in every process"),
    "null_word": (0, "windows at the edge of a sentence are shorter and need no padding"),
    "sorted_vocab": (1, "words are always sorted by frequency"),
    "batch_words": (10_000, "the work is divided by the text alone, so the vectors never depend on it"),
    "max_vocab_size": (None, "counts are exact in bounded memory. To keep fewer words, use max_final_vocab"),
    "cbow_mean": (1, "the vectors of a window are averaged, not added up"),
}
_OLD_NAMES = {"size": "vector_size", "iter": "epochs", "docvecs": "wv"}


@cache
def warn_once(message: str) -> None:
    """Warn about something that has no effect: once for each message, however many models are made."""
    warnings.warn(message, IgnoredOptionWarning, stacklevel=4)


def warn_of_ignored(given: Mapping[str, Any]) -> None:
    """Say once which of these arguments have no effect, and why."""
    for name, (default, reason) in _WITHOUT_EFFECT.items():
        if name in given and given[name] != default:
            warn_once(f"{name}={_shown(given[name])} has no effect: {reason}.")
    if given.get("hs") and given.get("negative"):
        warn_once(
            f"negative={given['negative']} has no effect beside hs=1: pairloom trains one objective, and with "
            "hs=1 that is hierarchical softmax. Use negative=0 with hs=1."
        )


def _shown(value: object) -> str:
    return getattr(value, "__name__", None) or repr(value)


def check_known(unknown: Mapping[str, Any]) -> None:
    """Refuse arguments that Word2Vec does not have, for example those of gensim before 4.0."""
    for name in unknown:
        hint = f"Did you mean {_OLD_NAMES[name]!r}?" if name in _OLD_NAMES else "Leave it out."
        raise ConfigError(f"Word2Vec has no argument {name!r}. {hint}")


def check_arguments(given: Mapping[str, Any]) -> None:
    """Refuse combinations with which nothing could be learnt. Single values are checked by `pairloom.train`."""
    if not given["hs"] and not given["negative"]:
        raise ConfigError("hs=0 and negative=0 leave nothing to train with. Use negative=5, or hs=1.")
    check_whole("min_count", given["min_count"], 0, 2**62, "5 is usual, 1 keeps every word")


def train_options(given: Mapping[str, Any], n_tokens: int) -> TrainKeywords:
    """The options of `pairloom.train` that mean the same as gensim's arguments.

    n_tokens: of the words to learn. From 1 on, gensim's `sample` is about counts instead of shares.
    """
    check_arguments(given)
    options: TrainKeywords = {
        "dim": given["vector_size"],
        "window": given["window"],
        "window_shape": "dynamic" if given["shrink_windows"] else "fixed",
        "sample": _sample(given["sample"], n_tokens),
        "seed": given["seed"],
        "epochs": given["epochs"],
        "lr": given["alpha"],
        "min_lr": given["min_alpha"],
        "model": "skipgram" if given["sg"] else "cbow",
        "objective": "hs" if given["hs"] else "negative",
    }
    if not given["sg"]:
        options["cbow_gradient"] = "undivided"  # gensim's, with cbow_mean=1
    if not given["hs"]:
        options |= {"negatives": given["negative"], "noise_power": given["ns_exponent"]}
    return options


def _sample(sample: Any, n_tokens: int) -> float:
    """A share. gensim takes 1 or more for a count, times (3 + sqrt(5)) / 2, from which on words are thinned out."""
    if is_number(sample) and sample >= 1:
        return min(1.0, int(sample * (3 + 5**0.5) / 2) / max(1, n_tokens))
    return sample or 0.0  # gensim also takes None
