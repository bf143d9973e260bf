"""Word vectors in scikit-learn's pipelines: documents in, a row of numbers for each out.

>>> from sklearn.linear_model import LogisticRegression
>>> from sklearn.pipeline import make_pipeline
>>> texts = ["the cat and the dog sleep", "the bank and the firm pay"] * 50
>>> vectorizer = DocumentVectorizer(dim=8, epochs=20, sample=0, weighting="tfidf")
>>> classifier = make_pipeline(vectorizer, LogisticRegression()).fit(texts, ["animals", "money"] * 50)
>>> classifier.predict(["a dog and another cat", "the firm"]).tolist()
['animals', 'money']
"""

import copy
import os
import reprlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from typing import Any, Literal, Self

from pairloom.config import Architecture, CbowGradient, Objective, Subsampling, TrainConfig, WindowShape
from pairloom.errors import ConfigError, CorpusTypeError
from pairloom.formats import load
from pairloom.pairs.from_text import TextSource
from pairloom.system.extras import need
from pairloom.training.train import train
from pairloom.types import Float64s, Matrix
from pairloom.vectors.documents import SIF_A, DocumentModel, Weighting, check_collection, check_weighting, checked_words
from pairloom.vectors.embedding import Embedding

need("sklearn.base", "sklearn", "pairloom.sklearn")
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin  # noqa: E402
from sklearn.utils.validation import check_is_fitted  # noqa: E402


class DocumentVectorizer(  # named for `document_vectors`, which it wraps; WordVectorizer would promise a row a word
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]  # scikit-learn ships no types
    TransformerMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """Turn documents into the weighted means of their words' vectors, which `fit` learns from them.

    A document is a string or a list of words. Its words are one sequence to train on, whatever line breaks it has.
    The same documents and parameters give the same bits, for any number of threads.

    weighting, sif_a   how words count: "mean", "tfidf" or "sif" with its a; see `pairloom.vectors.documents`
    embedding          an Embedding, or the path of one: then fit trains nothing and only learns the weights
    tokenize           what makes words of a string, instead of str.split
    lowercase          fold strings and words to lower case first
    threads            all cores by default
    the others         the options of `pairloom.train`, with its defaults. For less than about 100 000 words in all,
                       sample=0 and more epochs are better.

    After fit:

    embedding_         the Embedding, trained or given
    document_model_    what makes a document's vector, apart from scikit-learn
    idf_               idf(w) by row of the embedding's words, or None if weighting is not "tfidf"
    component_         u, the direction that sif takes away, or None
    n_features_out_    the dim of the embedding
    """

    def __init__(
        self,
        *,
        weighting: Weighting = "mean",
        sif_a: float = SIF_A,
        embedding: Embedding | str | os.PathLike[str] | None = None,
        tokenize: Callable[[str], Iterable[str]] | None = None,
        lowercase: bool = False,
        dim: int = 100,
        window: int | Literal["sentence"] = 5,
        left: int | None = None,
        right: int | None = None,
        window_shape: WindowShape = "dynamic",
        positional: bool = False,
        clean: bool = False,
        negatives: int = 5,
        noise_power: float = 0.75,
        min_count: int = 5,
        max_vocab: int | None = None,
        sample: float = 1e-3,
        subsampling: Subsampling = "program",
        epochs: int = 5,
        lr: float | None = None,
        min_lr: float = 2.5e-6,
        seed: int = 1,
        heldout: float = 0.001,
        patience: int | None = None,
        model: Architecture = "skipgram",
        objective: Objective = "negative",
        cbow_gradient: CbowGradient = "derivative",
        threads: int | None = None,
    ) -> None:
        self.weighting = weighting
        self.sif_a = sif_a
        self.embedding = embedding
        self.tokenize = tokenize
        self.lowercase = lowercase
        self.dim = dim
        self.window = window
        self.left = left
        self.right = right
        self.window_shape = window_shape
        self.positional = positional
        self.clean = clean
        self.negatives = negatives
        self.noise_power = noise_power
        self.min_count = min_count
        self.max_vocab = max_vocab
        self.sample = sample
        self.subsampling = subsampling
        self.epochs = epochs
        self.lr = lr
        self.min_lr = min_lr
        self.seed = seed
        self.heldout = heldout
        self.patience = patience
        self.model = model
        self.objective = objective
        self.cbow_gradient = cbow_gradient
        self.threads = threads

    def fit(self, X: Iterable[Any], y: object = None) -> Self:
        """Train on the documents X, unless an embedding is given, and learn the weights from them."""
        return self._fit(list(self._words(X)))

    def transform(self, X: Iterable[Any]) -> Matrix:
        """A row for each document, float32 (n_documents, dim); zeros where no word is known."""
        check_is_fitted(self)
        return self.document_model_.transform(self._words(X))

    def fit_transform(self, X: Iterable[Any], y: object = None) -> Matrix:
        """`fit` and `transform`; words are made of X once, so that it may be an iterator."""
        documents = list(self._words(X))
        return self._fit(documents).document_model_.transform(documents)

    @property
    def idf_(self) -> Float64s | None:
        """idf(w) for each word of the embedding, in the order of its rows."""
        return self.document_model_.weights if self.document_model_.weighting == "tfidf" else None

    @property
    def component_(self) -> Float64s | None:
        """u, the first principal component of the documents of `fit`."""
        return self.document_model_.component

    @property
    def _n_features_out(self) -> int:
        """What get_feature_names_out asks for."""
        return self.n_features_out_

    def _fit(self, documents: list[list[str]]) -> Self:
        check_weighting(self.weighting, self.sif_a)  # before training
        self.embedding_ = self._made_embedding(documents)
        self.document_model_ = DocumentModel.learn(self.embedding_.words, documents, self.weighting, sif_a=self.sif_a)
        self.n_features_out_ = self.embedding_.dim
        return self

    def _made_embedding(self, documents: list[list[str]]) -> Embedding:
        if self.embedding is None:
            names = [field.name for field in fields(TrainConfig) if field.name not in TextSource.unused_options]
            options = {name: getattr(self, name) for name in names}
            return train(documents, threads=self.threads, **options)
        if isinstance(self.embedding, str | os.PathLike):
            return load(self.embedding)
        if not isinstance(self.embedding, Embedding):
            raise ConfigError(
                f"embedding is a {type(self.embedding).__name__}. Give a pairloom.Embedding or the path of one."
            )
        return self.embedding

    def _words(self, X: Iterable[Any]) -> Iterator[list[str]]:
        """The words of each document."""
        check_collection(X)
        split = self.tokenize or str.split
        for number, document in enumerate(X):
            if isinstance(document, str):
                words = split(document.lower() if self.lowercase else document)
                yield checked_words(words, f"tokenize(documents[{number}])")
            elif not isinstance(document, Iterable) or isinstance(document, bytes):
                raise _no_document(document, number)
            else:
                words = checked_words(document, f"documents[{number}]")
                yield [word.lower() for word in words] if self.lowercase else words

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.no_validation = True
        tags.transformer_tags.preserves_dtype = []  # what comes in is text, what goes out float32
        return tags

    def __sklearn_clone__(self) -> Self:
        """As of any estimator, but clones share the embedding: nobody writes to it, and it may be gigabytes."""
        without = copy.copy(self)
        without.embedding = None
        clone: Self = super(DocumentVectorizer, without).__sklearn_clone__()
        clone.embedding = self.embedding
        return clone


def _no_document(thing: object, number: int) -> CorpusTypeError:
    """The error for what is no document, above all pandas' marks for a missing one."""
    if isinstance(thing, bytes):
        advice = "Use .decode() on it."
    else:
        advice = "Leave it out, or make it an empty string, as table['text'].fillna('') does."
    return CorpusTypeError(
        f"A document is a string or a list of words, but documents[{number}] is {reprlib.repr(thing)}, "
        f"of type {type(thing).__name__}. {advice}"
    )
