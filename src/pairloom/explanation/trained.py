"""What a model was trained on, counted anew from its corpus by the settings of its record."""

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from pairloom.config import TextOptions, TrainConfig
from pairloom.corpus.vocabulary import Vocabulary
from pairloom.errors import InputError
from pairloom.pairs.cooccurrence import Cooccurrences
from pairloom.types import Float64s, Ids, Matrix
from pairloom.vectors.embedding import Embedding, as_embedding


@dataclass(frozen=True, eq=False, kw_only=True)
class Trained:
    """W and C beside #(w, c). Word w is also context w."""

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
        """What contexts of D' are drawn from."""
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
    """Refuse models that have no v_c, or whose contexts are not the words of a text."""
    as_embedding(embedding)
    if not len(embedding.contexts):
        raise InputError(
            "To explain a model takes the vectors of its contexts, and this one has none. "
            "Take the .loom file that pairloom trained."
        )
    settings = embedding.record.get("config", {})
    for name, needed in (("model", "skipgram"), ("objective", "negative"), ("positional", False)):
        if settings.get(name, needed) != needed:
            raise InputError(
                f"What is known of v_w·v_c holds for skip-gram with negative sampling, and this model was trained with "
                f"{name}={settings[name]}. Train one with {name}={needed}."
            )


def check_of_text(embedding: Embedding) -> None:
    """Refuse what cannot be compared with a text: words and contexts that differ, or words without counts."""
    check_explainable(embedding)
    if embedding.words.words != embedding.contexts.words:
        raise InputError(
            "The contexts of this model are not its words, so no text can be counted for it. "
            "Explain a model that was trained on text."
        )
    if embedding.words.counts.min() < 1:
        word = embedding.words.words[int(embedding.words.counts.argmin())]
        raise InputError(
            f"The word {word!r} of this model has no count, so its text is not known. "
            "Take a .loom file that was trained on text, without words that the text does not have."
        )


def config_of(embedding: Embedding) -> TrainConfig:
    """The settings of training as the record has them; what it does not have is taken to be the default."""
    known = {field.name for field in fields(TrainConfig)}
    recorded = embedding.record.get("config", {})
    return TrainConfig(**{name: value for name, value in recorded.items() if name in known})


def text_of(embedding: Embedding, given: dict[str, Any]) -> TextOptions:
    """How its text was read, where the record knows and nobody says otherwise."""
    known = {field.name for field in fields(TextOptions)}
    recorded = {name: value for name, value in embedding.record.get("text", {}).items() if name in known}
    return TextOptions(**{**recorded, **given})


def vocabulary_of(embedding: Embedding) -> Vocabulary:
    """The words of the model, in its order."""
    return Vocabulary(tuple(embedding.words.words), embedding.words.counts)
