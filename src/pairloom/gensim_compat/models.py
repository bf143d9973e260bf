"""gensim.models: the classes, and the modules by their names there."""

import sys

from pairloom.gensim_compat import callbacks, keyedvectors, phrases, word2vec
from pairloom.gensim_compat.keyedvectors import KeyedVectors
from pairloom.gensim_compat.phrases import FrozenPhrases, Phraser, Phrases
from pairloom.gensim_compat.word2vec import Word2Vec

__all__ = ["FrozenPhrases", "KeyedVectors", "Phraser", "Phrases", "Word2Vec"]

# So that `from pairloom.gensim_compat.models.word2vec import LineSentence` works as it does in gensim.
for _module in (callbacks, keyedvectors, phrases, word2vec):
    sys.modules[f"{__name__}.{_module.__name__.rpartition('.')[2]}"] = _module
