"""pairloom: vectors for words and their contexts, by skip-gram with negative sampling.

>>> import pairloom
>>> text = [[colour, "paint"] for colour in ("red", "green", "blue")] * 100
>>> text += [[side, "wind"] for side in ("north", "south", "east")] * 100
>>> emb = pairloom.train(text, dim=8, epochs=20, sample=0)
>>> sorted(word for word, _ in emb.most_similar("red", topn=2))
['blue', 'green']

Beside the names here, `pairloom.pairings` makes pairs from parses, graphs and baskets for `train_pairs`,
`pairloom.sklearn` is for scikit-learn's pipelines, and `pairloom.gensim_compat` for scripts written for gensim.
"""

import logging
from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

logging.getLogger(__name__).addHandler(logging.NullHandler())  # nothing is printed unless the program asks for it

# Names are looked up when they are first used: NumPy alone takes a tenth of a second to import, Numba more.
_HOME = {
    "CheckpointWarning": "errors",
    "Checkpoints": "training.checkpoint",
    "ConfigError": "errors",
    "CorpusChangedError": "errors",
    "CorpusTypeError": "errors",
    "CorpusWarning": "errors",
    "DivergedError": "errors",
    "Embedding": "vectors.embedding",
    "Epoch": "training.monitoring",
    "FastTextVectors": "formats",
    "FoldedIn": "unseen.fold_in.fold_in",
    "Index": "vectors.index",
    "InputError": "errors",
    "LearningCurve": "judging.reports",
    "LockedError": "errors",
    "MissingExtraError": "errors",
    "MissingFileError": "errors",
    "OutputError": "errors",
    "Phrases": "preparing.phrases",
    "Progress": "progress",
    "ClusterError": "errors",
    "RayExecutor": "cluster.ray_executor",
    "SmallTextWarning": "errors",
    "StoppedError": "errors",
    "TextOptions": "config",
    "TrainConfig": "config",
    "UnknownWordError": "errors",
    "Vectors": "vectors.vectors",
    "VectorsWarning": "errors",
    "Vocabulary": "corpus.vocabulary",
    "PairloomError": "errors",
    "Comparison": "judging.comparison",
    "Trajectory": "judging.comparison",
    "align": "judging.comparison",
    "compare": "judging.comparison",
    "trajectory": "judging.comparison",
    "evaluate": "judging.evaluation",
    "count_corpus": "judging.explanation",
    "explain": "judging.explanation",
    "explain_similarity": "judging.explanation",
    "document_vectors": "vectors.documents",
    "load": "formats",
    "plan": "advice.planning.plan",
    "report": "judging.reports",
    "spool": "corpus.inputs.spooled",
    "sppmi_table": "training.sppmi",
    "train": "training.train",
    "train_pairs": "training.train",
    "TuningResult": "advice.tuning",
    "tune": "advice.tuning",
    "walk": "preparing.graphs.walks",
    "word_classes": "vectors.classes",
}

__all__ = [
    "CheckpointWarning",
    "Checkpoints",
    "ClusterError",
    "Comparison",
    "ConfigError",
    "CorpusChangedError",
    "CorpusTypeError",
    "CorpusWarning",
    "DivergedError",
    "Embedding",
    "Epoch",
    "FastTextVectors",
    "FoldedIn",
    "Index",
    "InputError",
    "LearningCurve",
    "LockedError",
    "MissingExtraError",
    "MissingFileError",
    "OutputError",
    "PairloomError",
    "Phrases",
    "Progress",
    "RayExecutor",
    "SmallTextWarning",
    "StoppedError",
    "TextOptions",
    "TrainConfig",
    "Trajectory",
    "TuningResult",
    "UnknownWordError",
    "Vectors",
    "VectorsWarning",
    "Vocabulary",
    "__version__",
    "align",
    "compare",
    "count_corpus",
    "document_vectors",
    "evaluate",
    "explain",
    "explain_similarity",
    "load",
    "plan",
    "report",
    "spool",
    "sppmi_table",
    "train",
    "train_pairs",
    "trajectory",
    "tune",
    "walk",
    "word_classes",
]

if TYPE_CHECKING:
    from pairloom.advice.planning.plan import plan
    from pairloom.advice.tuning import TuningResult, tune
    from pairloom.cluster.ray_executor import RayExecutor
    from pairloom.config import TextOptions, TrainConfig
    from pairloom.corpus.inputs.spooled import spool
    from pairloom.corpus.vocabulary import Vocabulary
    from pairloom.errors import (
        CheckpointWarning,
        ClusterError,
        ConfigError,
        CorpusChangedError,
        CorpusTypeError,
        CorpusWarning,
        DivergedError,
        InputError,
        LockedError,
        MissingExtraError,
        MissingFileError,
        OutputError,
        PairloomError,
        SmallTextWarning,
        StoppedError,
        UnknownWordError,
        VectorsWarning,
    )
    from pairloom.formats import FastTextVectors, load
    from pairloom.judging.comparison import Comparison, Trajectory, align, compare, trajectory
    from pairloom.judging.evaluation import evaluate
    from pairloom.judging.explanation import count_corpus, explain, explain_similarity
    from pairloom.judging.reports import LearningCurve, report
    from pairloom.preparing.graphs.walks import walk
    from pairloom.preparing.phrases import Phrases
    from pairloom.progress import Progress
    from pairloom.training.checkpoint import Checkpoints
    from pairloom.training.monitoring import Epoch
    from pairloom.training.sppmi import sppmi_table
    from pairloom.training.train import train, train_pairs
    from pairloom.unseen.fold_in.fold_in import FoldedIn
    from pairloom.vectors.classes import word_classes
    from pairloom.vectors.documents import document_vectors
    from pairloom.vectors.embedding import Embedding
    from pairloom.vectors.index import Index
    from pairloom.vectors.vectors import Vectors


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'pairloom' has no attribute {name!r}")
    globals()[name] = value = getattr(import_module(f"pairloom.{_HOME[name]}"), name)
    return value


def __dir__() -> list[str]:
    return __all__
