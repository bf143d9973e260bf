"""Which option to change when a text, or given pairs, leave no pair to learn from.

Every option that may be the cause is tried: the pairs of an epoch are drawn again without it. The message names the
first one that helps.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from pairloom.config import TrainConfig
from pairloom.corpus.encoding import Encoded
from pairloom.corpus.vocabulary import WordSelection
from pairloom.errors import InputError
from pairloom.pairs.from_pairs import PairSource
from pairloom.pairs.from_text import TextSource
from pairloom.pairs.parts import undealt
from pairloom.pairs.segments import segments
from pairloom.pairs.source import Dealings
from pairloom.system.threads import Workers

_NOTHING = "so there are no pairs to learn from"


class Remedy(NamedTuple):
    """The options that leave no pairs, and what to do about it."""

    cause: str
    advice: str


def no_pairs_in_text(
    source: TextSource,
    name: str,
    selection: WordSelection | None,
    encode: Callable[[WordSelection], Encoded],
    pool: Workers,
) -> InputError:
    """The error for a text without pairs.

    name: of the text. selection: how its words were chosen; None if they were given. encode: encodes the text with
    another selection.
    """
    by_words = _other_words(source.config, selection, encode, pool) if selection else ()
    for cause, advice in chain(_less_thinning(source, pool), _full_windows(source, pool), by_words):
        return InputError(f"With {cause}, no two words of {name} are in one window, {_NOTHING}. {advice}.")
    if selection is None:
        return InputError(
            f"No line of {name} has two of the given words, {_NOTHING}. Put several on a line, or give other words."
        )
    return InputError(f"No line of {name} has two words, {_NOTHING}. Put several words on a line.")


def no_pairs_given(source: PairSource, name: str, pool: Workers) -> InputError:
    """The error for given pairs of which an epoch draws none. name: of the pairs."""
    for cause, advice in _less_thinning(source, pool):
        return InputError(f"With {cause}, no pair of {name} is left to learn from. {advice}.")
    return InputError(
        f"A pair is drawn as often as its weight says, and the weights of {name} add up to "
        f"{source.mean_weight * source.n_positions:g}, so none was drawn. Multiply all weights by the same number."
    )


def _less_thinning(source: TextSource | PairSource, pool: Workers) -> Iterator[Remedy]:
    """Without subsampling, or with nothing held out."""
    config = source.config
    for names in (("sample",), ("heldout",), ("sample", "heldout")):
        if all(getattr(config, name) for name in names):
            without: Any = {"patience": None, **dict.fromkeys(names, 0.0)}
            if _has_pairs(type(source)(source.encoded, replace(config, **without)), pool):  # type: ignore[arg-type]
                yield Remedy(
                    " and ".join(f"{name}={getattr(config, name):g}" for name in names),
                    f"Use {' and '.join(f'{name}=0' for name in names)}, or more {source.unit}",
                )


def _full_windows(source: TextSource, pool: Workers) -> Iterator[Remedy]:
    """With windows that skip words which are left out."""
    if source.config.clean:
        without = replace(_everything(source.config), clean=False)
        if _has_pairs(TextSource(source.encoded, without), pool):
            yield Remedy("clean windows", "Use a larger window, or leave out clean")


def _other_words(
    config: TrainConfig, selection: WordSelection, encode: Callable[[WordSelection], Encoded], pool: Workers
) -> Iterator[Remedy]:
    """With more words: each option that leaves out words is tried alone, then all of them."""
    remedies: dict[Remedy, dict[str, Any]] = {}
    if selection.min_count > 1:
        remedies[Remedy(f"min_count={selection.min_count}", "use min_count=1")] = {"min_count": 1}
    if selection.max_vocab is not None:
        remedies[Remedy(f"max_vocab={selection.max_vocab}", "leave out max_vocab")] = {"max_vocab": None}
    if selection.drop:
        remedies[Remedy("drop", "drop fewer words")] = {"drop": ()}
    if len(remedies) > 1:
        together = Remedy(*(" and ".join(texts) for texts in zip(*remedies, strict=True)))
        remedies[together] = {name: value for change in remedies.values() for name, value in change.items()}
    for (cause, advice), change in remedies.items():
        try:
            with encode(replace(selection, **change)) as encoded:
                if _has_pairs(TextSource(encoded, _everything(config)), pool):
                    yield Remedy(cause, advice[0].upper() + advice[1:])
        except InputError:  # for example too many words for the memory
            continue


def _everything(config: TrainConfig) -> TrainConfig:
    """The options without subsampling, and with nothing held out."""
    return replace(config, sample=0.0, heldout=0.0, patience=None)


def _has_pairs(source: TextSource | PairSource, pool: Workers) -> bool:
    """Whether the first epoch has a pair."""
    if isinstance(source, TextSource):
        return any(len(segment.places) > 0 for segment in segments(source, 0, pool))
    words, contexts = (undealt(len(side.names)) for side in (source.words, source.contexts))
    dealings = Dealings(words, contexts, np.uint64(0))
    return any(source.deal(0, a_round, dealings, pool).starts[-1] > 0 for a_round in source.rounds([0.0, 1.0]))
