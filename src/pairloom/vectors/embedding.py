"""Both sides of what training learns: vectors for words and for contexts, and the record of how they were made."""

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pairloom.errors import InputError
from pairloom.method.hierarchical import Tree, huffman, path_loss
from pairloom.method.objective import sigmoid
from pairloom.types import Float64s
from pairloom.vectors.queries import Neighbours
from pairloom.vectors.query import Query

if TYPE_CHECKING:
    from pairloom.fold_in.fold_in import FoldedIn
from pairloom.vectors.vectors import Vectors


def as_vectors(given: object) -> "Vectors":
    """Vectors, also those of the words of an Embedding; an InputError for what is neither, such as the path of one."""
    if isinstance(given, Embedding):
        return given.words
    if not isinstance(given, Vectors):
        raise InputError(f"Vectors cannot be a {type(given).__name__}. Give Vectors, or load a file by pairloom.load.")
    return given


def as_embedding(given: object) -> "Embedding":
    """An Embedding, or an InputError."""
    if not isinstance(given, Embedding):
        raise InputError(
            f"An embedding cannot be a {type(given).__name__}. Give what train or load of pairloom has given."
        )
    return given


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Embedding:
    """What training gives: v_w for the words, v_c for the contexts, and the record of how they were made.

    `record` is plain JSON (dicts with string keys, lists, strings, numbers, None) and the same for equal runs.
    Queries go to `.words`; `.contexts` answers the same ones. Files of other programs hold words only: `.contexts` then
    has no rows. Of CBOW `.words` are those that are averaged and `.contexts` those that are predicted. Of hierarchical
    softmax `.contexts` are the nodes of its tree, each named by the bits on the path to it: `/` is the root.
    """

    words: Vectors
    contexts: Vectors
    record: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.words.dim != self.contexts.dim:
            raise InputError(
                f"Words of dim {self.words.dim} and contexts of dim {self.contexts.dim} have no product. "
                "Give two matrices of the same dim."
            )

    @classmethod
    def of_words(cls, words: Vectors, record: dict[str, Any] | None = None) -> "Embedding":
        """Words without contexts."""
        return cls(words=words, contexts=Vectors([], np.empty((0, words.dim), np.float32)), record=record or {})

    @property
    def dim(self) -> int:
        """d, the length of each v_w and v_c."""
        return self.words.dim

    @property
    def objective(self) -> str:
        """What the vectors were trained by: "negative", "hs" or "softmax", as in `TrainConfig`."""
        config = self.record.get("config")
        return str(config.get("objective", "negative")) if isinstance(config, dict) else "negative"

    def probability(self, w: str, c: str) -> float:
        """What the model says of c where w is.

        negative  p(D=1 | w, c) = σ(v_c·v_w), the probability that the pair is of the corpus (paper, section 2)
        softmax   p(c | w) = e^(v_c·v_w) / Σ_c' e^(v_c'·v_w), over all contexts c' (equation 3)
        hs        p(c | w) = Π_n σ(±v_n·v_w), along the path to c (see `hierarchical.py`)

        Of CBOW it is that of c in a window which has w alone.
        """
        if not len(self.contexts):
            raise InputError(
                "A probability needs the vectors of contexts, and these vectors hold no contexts. "
                "Take a .loom file that pairloom trained."
            )
        v_w = self.words[w].astype(np.float64)
        if self.objective == "hs":
            return self._probability_by_tree(v_w, self.words.get_index(c))
        x = float(self.contexts[c].astype(np.float64) @ v_w)
        if self.objective == "softmax":
            products = self.contexts.vectors @ v_w
            return float(1 / np.exp(products - x).sum())
        return float(sigmoid(x))

    def _probability_by_tree(self, v_w: Float64s, c: int) -> float:
        if len(self.contexts) != len(self.words) - 1:
            raise InputError(
                "A probability by hierarchical softmax needs the whole tree, and only a part of the model is here. "
                "Load it without limit."
            )
        path = self._tree.path(c)
        v_n = self.contexts.vectors[self._tree.nodes[path]].astype(np.float64)
        return math.exp(-path_loss(v_w, v_n, self._tree.bits[path]))

    @cached_property
    def _tree(self) -> Tree:
        return huffman(self.words.counts)

    def similarity(self, a: str, b: str) -> float:
        """`Vectors.similarity` of the words."""
        return self.words.similarity(a, b)

    def most_similar(self, positive: Query = (), negative: Query = (), topn: int = 10, **options: Any) -> Neighbours:
        """`Vectors.most_similar` of the words."""
        return self.words.most_similar(positive, negative, topn, **options)

    def combined(self) -> Vectors:
        """v_w + v_c for every word that is also a context (Levy, Goldberg and Dagan 2015: better at similarity)."""
        if self.objective == "hs":
            raise InputError(
                "In the place of contexts this model has the nodes of a tree (objective=hs), which are no words to add "
                "to words. Use .words."
            )
        both = [word for word in self.words if word in self.contexts]
        if not both:
            raise InputError("No word of this model is also a context, so there is nothing to add up. Use .words.")
        w, c = self.words.vectors_for_all(both), self.contexts.vectors_for_all(both)
        return Vectors(both, w.vectors + c.vectors, w.counts)

    def fold_in(self, corpus: object = None, **options: Any) -> "FoldedIn":
        """Vectors for words that are new, with the contexts as they are: see `pairloom.fold_in.fold_in.fold_in`."""
        from pairloom.fold_in.fold_in import fold_in  # downstream, like formats

        return fold_in(self, corpus, **options)

    def with_words(self, folded: "FoldedIn") -> "Embedding":
        """This model and the words that `fold_in` made for it, after its own."""
        from pairloom.fold_in.fold_in import with_words

        return with_words(self, folded)

    def save(self, path: str | os.PathLike[str], format: str | None = None, dtype: str = "float32") -> None:
        """Write to a file, in the format that is named or that the suffix says: see `pairloom.formats`.

        `dtype="float16"` halves the size of a native file, or of a folder of format "static", and keeps three digits.
        """
        from pairloom.formats import save  # formats stand downstream: the look ahead is only for this convenience

        save(self, path, format, dtype)

    def __getitem__(self, word: str) -> npt.NDArray[np.float32]:
        return self.words[word]

    def __contains__(self, word: object) -> bool:
        return word in self.words

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __repr__(self) -> str:
        return f"Embedding(n_words={len(self)}, n_contexts={len(self.contexts)}, dim={self.dim})"
