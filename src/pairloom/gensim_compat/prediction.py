"""What a trained Word2Vec predicts: the word in the middle of others, and how likely sentences are.

    predict_output_word   p(w) = e^(v_c·h) / Σ_c' e^(v_c'·h)      h the mean of the vectors of the words around it
    score, skip-gram      Σ log p(c | w) over all pairs of a sentence not farther apart than the window
    score, CBOW           Σ log p(w | h) over its words

with p of the tree of hierarchical softmax (`pairloom.method.hierarchical`) in both scores.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from pairloom.errors import InputError
from pairloom.method.hierarchical import Tree, huffman, path_loss
from pairloom.types import Float64s
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.search import Neighbours


def output_words(embedding: Embedding, words: Sequence[str], topn: int) -> Neighbours:
    """The topn words with the highest p(w), for known words around it.

    gensim reads a model of negative sampling as if it had been trained by softmax, and so do we here.
    """
    return replace(embedding, record={"config": {"objective": "softmax"}}).predict(words, topn)


class SentenceScores:
    """log p of sentences, by a model of hierarchical softmax."""

    def __init__(self, embedding: Embedding, window: int, cbow: bool) -> None:
        self._row = embedding.words.key_to_index
        self._W, self._N = (side.vectors.astype(np.float64) for side in (embedding.words, embedding.contexts))
        if len(self._N) != len(self._W) - 1:
            raise InputError("A score needs the whole tree, and words were added to these vectors. Train again.")
        self._tree: Tree = huffman(embedding.words.counts)
        self._window, self._cbow = window, cbow

    def of(self, sentences: Iterable[Sequence[str]]) -> npt.NDArray[np.float32]:
        """One for each sentence. Unknown words are left out."""
        return np.array([self._score(sentence) for sentence in sentences], np.float32)

    def _score(self, sentence: Sequence[str]) -> float:
        rows = [self._row[word] for word in sentence if word in self._row]
        total = 0.0
        for place, row in enumerate(rows):
            around = rows[max(0, place - self._window) : place] + rows[place + 1 : place + 1 + self._window]
            if self._cbow:
                total += self._log_p(row, self._W[around].mean(axis=0)) if around else 0.0
            else:
                total += sum(self._log_p(row, self._W[other]) for other in around)
        return total

    def _log_p(self, c: int, v: Float64s) -> float:
        path = self._tree.path(c)
        return -path_loss(v, self._N[self._tree.nodes[path]], self._tree.bits[path])
