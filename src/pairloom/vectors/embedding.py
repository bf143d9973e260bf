"""The result of training: vectors for words and for contexts, and the record of how they were made.

Methods whose work is in a later folder, for example `save` and `fold_in`, import their module when called.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import numpy.typing as npt

from pairloom.config import is_whole
from pairloom.drawing.notebook import card, first_words
from pairloom.errors import InputError
from pairloom.method.hierarchical import Tree, huffman, path_loss
from pairloom.method.objective import log_sigmoid, sigmoid
from pairloom.system.display import number_of, of_type
from pairloom.types import CorpusLike, Float64s, PathName
from pairloom.vectors.query import Query, known_words
from pairloom.vectors.record import recorded_options
from pairloom.vectors.search import (
    Indexer,
    Neighbours,
    ScoredRows,
    best,
    check_topn,
    largest_products,
    products,
)
from pairloom.vectors.similarity import list_of_words
from pairloom.vectors.vectors import Vectors

if TYPE_CHECKING:
    from pairloom.formats import NumberType, WritableFormat
    from pairloom.maps.plot import PlotKeywords, WordMap
    from pairloom.unseen.fold_in.fold_in import FoldedIn, FoldInKeywords
    from pairloom.unseen.spelling.fit import SpellingKeywords


def as_vectors(given: object) -> Vectors:
    """The vectors given, or those of the words of an Embedding. Anything else, for example a path, is an InputError."""
    if isinstance(given, Embedding):
        return given.words
    if not isinstance(given, Vectors):
        raise InputError(f"Vectors cannot be {of_type(given)}. Give Vectors, or load a file by pairloom.load.")
    return given


def as_embedding(given: object) -> "Embedding":
    """The Embedding given. Anything else is an InputError."""
    if not isinstance(given, Embedding):
        raise InputError(
            f"An embedding cannot be {of_type(given)}. Give the result of pairloom.train or pairloom.load."
        )
    return given


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Embedding:
    """The result of training: v_w for the words, v_c for the contexts, and the record of how they were made.

    `record` is plain JSON (dicts with string keys, lists, strings, numbers, None) and the same for equal runs.
    Queries go to `.words`; `.contexts` answers the same ones. Files of other programs hold words only: then `.contexts`
    has no rows. In CBOW, `.words` are averaged and `.contexts` are predicted. In hierarchical softmax, `.contexts` are
    the nodes of the tree, each named by the bits on the path to it: `/` is the root.
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
    def wv(self) -> Vectors:
        """gensim's name for `words`."""
        return self.words

    @property
    def objective(self) -> str:
        """The objective of training: "negative", "hs" or "softmax", as in `TrainConfig`."""
        return str(recorded_options(self.record).get("objective", "negative"))

    def probability(self, w: str, c: str) -> float:
        """The probability that the model gives to context c of word w.

        negative  p(D=1 | w, c) = σ(v_c·v_w), the probability that the pair is from the corpus (paper, section 2)
        softmax   p(c | w) = e^(v_c·v_w) / Σ_c' e^(v_c'·v_w), over all contexts c' (equation 3)
        hs        p(c | w) = Π_n σ(±v_n·v_w), along the path to c (see `hierarchical.py`)

        For CBOW this is the probability of c in a window that holds only w.
        """
        self._check_contexts()
        v_w = self.words[w].astype(np.float64)
        if self.objective == "hs":
            return self._probability_by_tree(v_w, self.words.get_index(c))
        x = float(self.contexts[c].astype(np.float64) @ v_w)
        if self.objective == "softmax":
            products = self.contexts.vectors @ v_w
            return float(1 / np.exp(products - x).sum())
        return float(sigmoid(x))

    def predict(self, words: str | Sequence[str], topn: int = 10, *, ignore_missing: bool = False) -> Neighbours:
        """The `topn` contexts that are most probable for a word, with their probabilities: see `probability`.

        Several words predict with the mean of their vectors, as the words of a window do in CBOW. Contexts are ranked
        by v_c·v, since probabilities near 1 look equal; where products are equal, the earlier row comes first.
        ignore_missing leaves out unknown words. It is an error if none is left.
        `pairloom.gensim_compat` has gensim's `predict_output_word`, whose probabilities sum to 1.
        """
        side = self.words if self.objective == "hs" else self.contexts
        if ignore_missing:
            words = known_words(self.words, [words] if isinstance(words, str) else list_of_words(words))
        return self.predicted(words, topn).named(side.words.__getitem__)

    def predicted(self, words: str | Sequence[str], topn: int = 10) -> ScoredRows:
        """`predict` with rows of contexts (for hierarchical softmax, of words) in place of their names."""
        check_topn(topn)
        self._check_contexts()
        names = [words] if isinstance(words, str) else list_of_words(words)
        if not names:
            raise InputError("There is no word to predict contexts from. Give one or more.")
        v = np.mean([self.words.vector(name).astype(np.float64) for name in names], axis=0)
        if self.objective == "hs":
            return best(np.arange(len(self.words)), self._leaf_probabilities(v), topn)
        found = largest_products(self.contexts.vectors, self.contexts.norms, v, topn)
        if self.objective == "softmax":
            every = products(self.contexts.vectors, np.arange(len(self.contexts)), v)
            return ScoredRows(found.rows, np.exp(found.scores - every.max()) / np.exp(every - every.max()).sum())
        return ScoredRows(found.rows, np.asarray(sigmoid(found.scores), np.float64))

    def _check_contexts(self) -> None:
        if not len(self.contexts):
            raise InputError(
                "A probability needs the vectors of contexts, and these vectors hold no contexts. "
                "Use a .loom file that pairloom trained."
            )

    def _leaf_probabilities(self, v: Float64s) -> Float64s:
        """p(c | w) of every leaf c of the tree."""
        self._check_tree()
        at_node = products(self.contexts.vectors, np.arange(len(self.contexts)), v)
        turns = log_sigmoid((1 - 2 * self._tree.bits) * at_node[self._tree.nodes])
        return np.asarray(np.exp(np.add.reduceat(turns, self._tree.starts[:-1])), np.float64)

    def _check_tree(self) -> None:
        if len(self.contexts) != len(self.words) - 1:
            raise InputError(
                "A probability by hierarchical softmax needs the whole tree, and only a part of the model was loaded. "
                "Load it without limit."
            )

    def _probability_by_tree(self, v_w: Float64s, c: int) -> float:
        self._check_tree()
        path = self._tree.path(c)
        v_n = self.contexts.vectors[self._tree.nodes[path]].astype(np.float64)
        return math.exp(-path_loss(v_w, v_n, self._tree.bits[path]))

    @cached_property
    def _tree(self) -> Tree:
        return huffman(self.words.counts)

    def similarity(self, w1: str, w2: str) -> float:
        """`Vectors.similarity` of the words."""
        return self.words.similarity(w1, w2)

    def most_similar(
        self,
        positive: Query | None = None,
        negative: Query | None = None,
        topn: int = 10,
        *,
        restrict_vocab: int | None = None,
        weights: Sequence[float] | None = None,
        indexer: Indexer | None = None,
        candidates: Iterable[str] | None = None,
        ignore_missing: bool = False,
    ) -> Neighbours:
        """`Vectors.most_similar` of the words."""
        return self.words.most_similar(
            positive,
            negative,
            topn,
            restrict_vocab=restrict_vocab,
            weights=weights,
            indexer=indexer,
            candidates=candidates,
            ignore_missing=ignore_missing,
        )

    def combined(self) -> Vectors:
        """v_w + v_c for every word that is also a context (Levy, Goldberg and Dagan 2015: better at similarity)."""
        if self.objective == "hs":
            raise InputError(
                "Words and contexts of this model cannot be added: its contexts are the nodes of a tree "
                "(objective=hs). Use .words."
            )
        both = [word for word in self.words if word in self.contexts]
        if not both:
            raise InputError("No word of this model is also a context, so there is nothing to add up. Use .words.")
        w, c = self.words.vectors_for_all(both, copy_vecattrs=True), self.contexts.vectors_for_all(both)
        return Vectors(both, w.vectors + c.vectors, w.counts)

    def fold_in(self, corpus: CorpusLike | None = None, **options: "Unpack[FoldInKeywords]") -> "FoldedIn":
        """Vectors for new words, with the contexts unchanged: see `pairloom.unseen.fold_in.fold_in.fold_in`."""
        from pairloom.unseen.fold_in.fold_in import fold_in

        return fold_in(self, corpus, **options)

    def with_words(self, folded: "FoldedIn") -> "Embedding":
        """This model with the words that `fold_in` made for it, after its own."""
        from pairloom.unseen.fold_in.fold_in import with_words

        return with_words(self, folded)

    def with_spelling(self, **options: "Unpack[SpellingKeywords]") -> "Embedding":
        """This model, with vectors for words never seen too: see `pairloom.unseen.spelling.fit.with_spelling`."""
        from pairloom.unseen.spelling.fit import with_spelling

        return with_spelling(self, **options)

    def plot(
        self, words: Iterable[str] | None = None, path: PathName | None = None, **options: "Unpack[PlotKeywords]"
    ) -> "WordMap":
        """`Vectors.plot` of the words."""
        return self.words.plot(words, path, **options)

    def save(self, path: PathName, format: "WritableFormat | None" = None, dtype: "NumberType" = "float32") -> None:
        """Write to a file, in the given format or the format of the suffix: see `pairloom.formats`.

        `dtype="float16"` halves the size of a native file, or of a folder of format "static", and keeps three digits.
        `dtype="int8"` makes a native file a quarter as large, with nearly the same neighbours.
        """
        from pairloom.formats import save

        save(self, path, format, dtype)

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """The matrix of the words, for NumPy. For that of the contexts, use `np.asarray(embedding.contexts)`."""
        return self.words.__array__(dtype, copy)

    def __getitem__(self, key_or_keys: str | Iterable[str]) -> npt.NDArray[np.float32]:
        return self.words[key_or_keys]

    def get(self, word: str, default: Any = None) -> Any:
        """`Vectors.get` of the words."""
        return self.words.get(word, default)

    def keys(self) -> list[str]:
        """`Vectors.keys` of the words."""
        return self.words.keys()

    def __contains__(self, word: object) -> bool:
        return word in self.words

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __repr__(self) -> str:
        return f"Embedding(n_words={len(self)}, n_contexts={len(self.contexts)}, dim={self.dim})"

    def _repr_html_(self) -> str:
        options, corpus = recorded_options(self.record), self.record.get("corpus", {})
        losses = [loss for loss in self.record.get("heldout", {}).get("loss", []) if loss is not None]
        shown = {
            "first words": first_words(self.words.words),
            "contexts": f"{len(self.contexts):,}",
            "trained by": f"{options.get('model', 'skipgram')}, {self.objective}" if options else "",
            "trained on": "".join(
                f"{corpus[unit]:,} {unit}" for unit in ("tokens", "pairs") if is_whole(corpus.get(unit))
            ),
            "held-out loss": f"{losses[0]:.4f} before, {losses[-1]:.4f} after" if losses else "",
        }
        title = f"Embedding: {number_of(len(self), 'word')}, dim {self.dim}"
        return card(title, [[name, value] for name, value in shown.items() if value])
