"""Word vectors for scikit-learn: a transformer that turns each document into a row of numbers.

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
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from functools import partial
from typing import Any, Literal, Self, cast

from pairloom.config import (
    Architecture,
    CbowGradient,
    Objective,
    Rule,
    Subsampling,
    TrainConfig,
    TrainKeywords,
    WindowShape,
    check_choice,
)
from pairloom.errors import ConfigError, CorpusTypeError
from pairloom.formats import load
from pairloom.method.tokens.choosing import splitter
from pairloom.pairs.from_text import TextSource
from pairloom.system.display import quoted
from pairloom.system.extras import need
from pairloom.training.train import train
from pairloom.types import Float64s, Matrix, PathName
from pairloom.vectors.documents import SIF_A, DocumentModel, Weighting, check_collection, check_weighting, checked_words
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.record import split_as_recorded
from pairloom.vectors.vectors import Vectors

need("sklearn.base", "sklearn", "pairloom.sklearn")
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin  # noqa: E402
from sklearn.utils.validation import check_is_fitted  # noqa: E402

Document = str | Sequence[str]


class DocumentVectorizer(  # named after `document_vectors`; WordVectorizer would suggest a row for each word
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]  # scikit-learn ships no types
    TransformerMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """Turn documents into weighted means of word vectors. `fit` learns the word vectors from the documents.

    A document is a string or a list of words. Training treats it as one sentence, even if it has line breaks. The same
    documents and parameters give the same bits, for any number of threads.

    weighting, sif_a   how words are weighted: "mean", "tfidf" or "sif" with its a, see `pairloom.vectors.documents`
    embedding          an Embedding, its `.words`, or the path of a file. Then fit only learns the weights
    tokenize           how a string is split into words: "spaces", "words", "icu" or a function. By default as the text
                       of `embedding` was, or at white space
    lowercase          convert strings and words to lower case first
    threads            the number of threads, by default all cores
    other parameters   the options of `pairloom.train`, with its defaults. For fewer than about 100 000 words in total,
                       use sample=0 and more epochs

    After fit:

    embedding_         the Embedding that was trained or given
    document_model_    the DocumentModel that computes the vectors, independent of scikit-learn
    idf_               idf(w) for each row of the embedding's words, or None if weighting is not "tfidf"
    component_         u, the direction that sif removes, or None if weighting is not "sif"
    n_features_out_    the dim of the embedding
    """

    def __init__(
        self,
        *,
        weighting: Weighting = "mean",
        sif_a: float = SIF_A,
        embedding: Embedding | Vectors | PathName | None = None,
        tokenize: Rule | Callable[[str], Iterable[str]] | None = None,
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

    def fit(self, X: Iterable[Document], y: object = None) -> Self:
        """Train on the documents X, unless an embedding was given, and learn the weights. y is ignored."""
        given = self._given()
        return self._fit(list(self._words(X, given)), given)

    def transform(self, X: Iterable[Document]) -> Matrix:
        """A row for each document, float32 (n_documents, dim). Documents without a known word have zeros."""
        check_is_fitted(self)
        return self.document_model_.transform(self._words(X, self.embedding_))

    def fit_transform(self, X: Iterable[Document], y: object = None) -> Matrix:
        """`fit`, then `transform`. Reads X only once, so it may be an iterator."""
        given = self._given()
        documents = list(self._words(X, given))
        return self._fit(documents, given).document_model_.transform(documents)

    @property
    def idf_(self) -> Float64s | None:
        """idf(w) for each word of the embedding, in the order of its rows."""
        return self.document_model_.weights if self.document_model_.weighting == "tfidf" else None

    @property
    def component_(self) -> Float64s | None:
        """u, the first principal component of the documents given to `fit`."""
        return self.document_model_.component

    @property
    def _n_features_out(self) -> int:
        """Needed by get_feature_names_out."""
        return self.n_features_out_

    def _fit(self, documents: list[list[str]], given: Embedding | None) -> Self:
        check_weighting(self.weighting, self.sif_a)  # now, not after the training
        self.embedding_ = self._train(documents) if given is None else given
        self.document_model_ = DocumentModel.learn(self.embedding_.words, documents, self.weighting, sif_a=self.sif_a)
        self.n_features_out_ = self.embedding_.dim
        return self

    def _train(self, documents: list[list[str]]) -> Embedding:
        names = [field.name for field in fields(TrainConfig) if field.name not in TextSource.unused_options]
        options = cast(TrainKeywords, {name: getattr(self, name) for name in names})
        return train(documents, threads=self.threads, **options)

    def _given(self) -> Embedding | None:
        """The given embedding, if any."""
        if self.embedding is None:
            return None
        return opened_embedding(self.embedding)

    def _words(self, X: Iterable[object], given: Embedding | None) -> Iterator[list[str]]:
        """The words of each document."""
        check_collection(X)
        split = self._splitter(given)
        for number, document in enumerate(X):
            if isinstance(document, str):
                words = split(document.lower() if self.lowercase else document)
                yield checked_words(words, f"tokenize(documents[{number}])")
            elif not isinstance(document, Iterable) or isinstance(document, bytes):
                raise _not_a_document(document, number)
            else:
                words = checked_words(document, f"documents[{number}]")
                yield [word.lower() for word in words] if self.lowercase else words

    def _splitter(self, given: Embedding | None) -> Callable[[str], Iterable[str]]:
        """The function that splits a string."""
        if callable(self.tokenize):
            return self.tokenize
        if self.tokenize is not None:
            check_choice("tokenize", self.tokenize, Rule)
            return splitter(self.tokenize)
        return partial(split_as_recorded, given.record) if given is not None else str.split

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.no_validation = True
        tags.transformer_tags.preserves_dtype = []  # the input is text, the output is float32
        return tags

    def __sklearn_clone__(self) -> Self:
        """Clone as usual, but share the embedding: it is read-only, and may have gigabytes."""
        without = copy.copy(self)
        without.embedding = None
        clone: Self = super(DocumentVectorizer, without).__sklearn_clone__()
        clone.embedding = self.embedding
        return clone


def opened_embedding(given: object) -> Embedding:
    """The `embedding` of an estimator: as it is, made of Vectors, or loaded from a file."""
    if isinstance(given, str | os.PathLike):
        return load(given)
    if isinstance(given, Vectors):
        return Embedding.of_words(given)
    if not isinstance(given, Embedding):
        raise ConfigError(
            f"embedding has the type {type(given).__name__}. Give a pairloom.Embedding or the path of one."
        )
    return given


def _not_a_document(value: object, number: int) -> CorpusTypeError:
    """The error for a value that is not a document. The most common one is a missing value of pandas."""
    if isinstance(value, bytes):
        advice = "Use .decode() on it."
    else:
        advice = "Leave it out, or make it an empty string, as table['text'].fillna('') does."
    return CorpusTypeError(
        f"A document is a string or a list of words, but documents[{number}] is {quoted(value)}, "
        f"of type {type(value).__name__}. {advice}"
    )
