"""gensim's Word2Vec, KeyedVectors and Phrases under gensim's names, made of pairloom: see docs/from-gensim.md.

    from pairloom.gensim_compat.models import Word2Vec              # was: from gensim.models import Word2Vec
    from pairloom.gensim_compat.models.word2vec import LineSentence  # modules keep their names, too

options.py        the arguments of Word2Vec -> the options of `pairloom.train`, with warnings about what has no effect
vocabulary.py     counts, trim rules and min_count -> the words to learn
sentences.py      LineSentence and others -> what `pairloom.train` reads
word2vec.py       Word2Vec: build_vocab, train, save, load
prediction.py     predict_output_word and score
rows.py           words, vectors and counts that can be added to and changed
keyedvectors.py   KeyedVectors: the questions to ask about them, scores and files
files.py          what is read and written: the native file, and word2vec's
evaluating.py     evaluate_word_analogies and evaluate_word_pairs, in gensim's form
phrases.py        Phrases, FrozenPhrases
callbacks.py      CallbackAny2Vec
models.py, utils.py   gensim's places for the names above, and simple_preprocess

Nothing here reads or writes a pickle. What differs from gensim is listed in docs/from-gensim.md.
"""

from pairloom.gensim_compat import models, utils
from pairloom.gensim_compat.callbacks import CallbackAny2Vec
from pairloom.gensim_compat.keyedvectors import KeyedVectors
from pairloom.gensim_compat.phrases import ENGLISH_CONNECTOR_WORDS, FrozenPhrases, Phraser, Phrases
from pairloom.gensim_compat.sentences import LineSentence, PathLineSentences, Text8Corpus
from pairloom.gensim_compat.word2vec import Word2Vec

__all__ = [
    "ENGLISH_CONNECTOR_WORDS",
    "CallbackAny2Vec",
    "FrozenPhrases",
    "KeyedVectors",
    "LineSentence",
    "PathLineSentences",
    "Phraser",
    "Phrases",
    "Text8Corpus",
    "Word2Vec",
    "models",
    "utils",
]
