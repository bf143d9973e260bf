"""gensim.models: the classes, and the modules by their names there."""

import sys
from typing import Any

from pairloom.gensim_compat import callbacks, keyedvectors, phrases, word2vec
from pairloom.gensim_compat.keyedvectors import KeyedVectors
from pairloom.gensim_compat.phrases import FrozenPhrases, Phraser, Phrases
from pairloom.gensim_compat.word2vec import Word2Vec

__all__ = ["FrozenPhrases", "KeyedVectors", "Phraser", "Phrases", "Word2Vec"]

_ELSEWHERE = {
    "FastText": "pairloom.load reads fastText's .bin, and emb.with_spelling() learns vectors for unseen words",
    "Doc2Vec": "pairloom.document_vectors and pairloom.sklearn.DocumentVectorizer make vectors of documents",
}


def __getattr__(name: str) -> Any:
    if name in _ELSEWHERE:
        raise ImportError(f"The bridge has no {name}: {_ELSEWHERE[name]}.")
    raise AttributeError(f"module {__name__} has no {name!r}")


# So that `from pairloom.gensim_compat.models.word2vec import LineSentence` works as it does in gensim.
for _module in (callbacks, keyedvectors, phrases, word2vec):
    sys.modules[f"{__name__}.{_module.__name__.rpartition('.')[2]}"] = _module
