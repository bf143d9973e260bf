"""wordloom: vectors for words and their contexts, by skip-gram with negative sampling.

>>> import wordloom
>>> text = [["red", "green", "blue"], ["north", "south", "east"]] * 100
>>> emb = wordloom.train(text, dim=8, epochs=100, sample=0)
>>> sorted(word for word, _ in emb.most_similar("red", topn=2))
['blue', 'green']
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Names are looked up when they are first used: NumPy alone takes a tenth of a second to import, Numba more.
_HOME = {
    "CheckpointWarning": "errors",
    "Checkpoints": "checkpoint",
    "ConfigError": "errors",
    "CorpusChangedError": "errors",
    "CorpusTypeError": "errors",
    "CorpusWarning": "errors",
    "DivergedError": "errors",
    "Embedding": "vectors",
    "FastTextVectors": "formats",
    "FoldedIn": "fold_in",
    "InputError": "errors",
    "LockedError": "errors",
    "MissingExtraError": "errors",
    "OutputError": "errors",
    "Phrases": "phrases",
    "Progress": "progress",
    "StoppedError": "errors",
    "TextOptions": "config",
    "TrainConfig": "config",
    "UnknownWordError": "errors",
    "Vectors": "vectors",
    "VectorsWarning": "errors",
    "Vocabulary": "vocabulary",
    "WordloomError": "errors",
    "evaluate": "evaluation",
    "explain": "explanation",
    "explain_similarity": "explanation",
    "document_vectors": "documents",
    "load": "formats",
    "sppmi_table": "sppmi",
    "train": "training",
    "train_pairs": "training",
    "walk": "walks",
    "word_classes": "classes",
}

__all__ = [
    "CheckpointWarning",
    "Checkpoints",
    "ConfigError",
    "CorpusChangedError",
    "CorpusTypeError",
    "CorpusWarning",
    "DivergedError",
    "Embedding",
    "FastTextVectors",
    "FoldedIn",
    "InputError",
    "LockedError",
    "MissingExtraError",
    "OutputError",
    "Phrases",
    "Progress",
    "StoppedError",
    "TextOptions",
    "TrainConfig",
    "UnknownWordError",
    "Vectors",
    "VectorsWarning",
    "Vocabulary",
    "WordloomError",
    "__version__",
    "document_vectors",
    "evaluate",
    "explain",
    "explain_similarity",
    "load",
    "sppmi_table",
    "train",
    "train_pairs",
    "walk",
    "word_classes",
]

if TYPE_CHECKING:
    from wordloom.checkpoint import Checkpoints
    from wordloom.classes import word_classes
    from wordloom.config import TextOptions, TrainConfig
    from wordloom.documents import document_vectors
    from wordloom.errors import (
        CheckpointWarning,
        ConfigError,
        CorpusChangedError,
        CorpusTypeError,
        CorpusWarning,
        DivergedError,
        InputError,
        LockedError,
        MissingExtraError,
        OutputError,
        StoppedError,
        UnknownWordError,
        VectorsWarning,
        WordloomError,
    )
    from wordloom.evaluation import evaluate
    from wordloom.explanation import explain, explain_similarity
    from wordloom.fold_in import FoldedIn
    from wordloom.formats import FastTextVectors, load
    from wordloom.phrases import Phrases
    from wordloom.progress import Progress
    from wordloom.sppmi import sppmi_table
    from wordloom.training import train, train_pairs
    from wordloom.vectors import Embedding, Vectors
    from wordloom.vocabulary import Vocabulary
    from wordloom.walks import walk


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'wordloom' has no attribute {name!r}")
    globals()[name] = value = getattr(import_module(f"wordloom.{_HOME[name]}"), name)
    return value


def __dir__() -> list[str]:
    return __all__
