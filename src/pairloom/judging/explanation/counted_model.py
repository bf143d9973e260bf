"""A model with the pair counts of its corpus, counted again with the settings of its record."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pairloom.config import TrainConfig
from pairloom.corpus.vocabulary import Vocabulary
from pairloom.errors import InputError
from pairloom.pairs.cooccurrence import Cooccurrences
from pairloom.types import Float64s, Ids, Matrix
from pairloom.vectors.embedding import Embedding, as_embedding


@dataclass(frozen=True, eq=False, kw_only=True)
class CountedModel:
    """W and C with the counts #(w, c). Word w is also context w."""

    embedding: Embedding
    config: TrainConfig
    counts: Cooccurrences

    @property
    def W(self) -> Matrix:
        return self.embedding.words.vectors

    @property
    def C(self) -> Matrix:
        return self.embedding.contexts.vectors

    @property
    def k(self) -> int:
        return self.config.negatives

    @cached_property
    def noise(self) -> Float64s:
        """The distribution that the contexts of D' are drawn from."""
        return vocabulary_of(self.embedding).noise(self.config.noise_power)

    @cached_property
    def bands(self) -> Ids:
        """The frequency band of each word: 0 for counts of 1 to 9, 1 for 10 to 99, and so on."""
        return band_of(self.embedding.words.counts)


def band_of(counts: Any) -> Ids:
    """
    >>> band_of([1, 9, 10, 99, 100, 1000]).tolist()
    [0, 0, 1, 1, 2, 3]
    """
    return (np.char.str_len(np.asarray(counts, np.int64).astype(str)) - 1).astype(np.int32)


def band_name(band: int) -> str:
    """
    >>> band_name(2)
    '100 to 999'
    """
    return f"{10**band:,} to {10 ** (band + 1) - 1:,}"


def check_explainable(embedding: Embedding) -> None:
    """Refuse models without v_c, and models of another architecture, objective or kind of contexts."""
    as_embedding(embedding)
    if not len(embedding.contexts):
        raise InputError(
            "Explaining a model needs the vectors of its contexts, and this model has none. "
            "Use the .loom file that pairloom trained."
        )
    settings = embedding.record.get("config", {})
    for name, needed in (("model", "skipgram"), ("objective", "negative"), ("positional", False)):
        if settings.get(name, needed) != needed:
            raise InputError(
                "The theory of v_w·v_c is for skip-gram with negative sampling, and this model was trained with "
                f"{name}={settings[name]}. Train one with {name}={needed}."
            )


def check_trained_on_text(embedding: Embedding) -> None:
    """Refuse models that cannot be compared with a text: words and contexts differ, or a word has no count."""
    check_explainable(embedding)
    if embedding.words.words != embedding.contexts.words:
        raise InputError(
            "The contexts of this model are not its words, so it cannot be compared with a text. "
            "Use a model that was trained on text."
        )
    if embedding.words.counts.min() < 1:
        word = embedding.words.words[int(embedding.words.counts.argmin())]
        raise InputError(
            f"The word {word!r} of this model has no count, so it cannot be compared with a text. "
            "Use a .loom file that was trained on text, without words that the text does not have."
        )


def vocabulary_of(embedding: Embedding) -> Vocabulary:
    """The words of the model with their counts, in the model's order."""
    return Vocabulary(tuple(embedding.words.words), embedding.words.counts)
