"""One function for each question that can be asked. Each answers with what a call of the library returns.

Answers are plain data for JSON, or bytes. Wrong questions raise the library's own errors.
"""

from collections.abc import Sequence
from threading import Lock
from typing import Any

import numpy as np

from pairloom import __version__
from pairloom.errors import InputError
from pairloom.explorer.models import ExploredModel
from pairloom.explorer.parameters import Asked
from pairloom.judging.explanation.report import as_plain_data
from pairloom.judging.explanation.shared_contexts import explain_similarity
from pairloom.system.display import number_of
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.path import path_between
from pairloom.vectors.search import Neighbours, products
from pairloom.vectors.vectors import Vectors

Plain = dict[str, Any]


class Explorer:
    """The models that are explored, by number."""

    def __init__(self, models: Sequence[ExploredModel]) -> None:
        if not models:
            raise InputError("There is no model to explore. Give one or more.")
        self.models = list(models)
        self._common: dict[tuple[int, int], tuple[Vectors, Vectors]] = {}
        self._lock = Lock()

    def model(self, asked: Asked, name: str = "model") -> ExploredModel:
        """The model whose number was asked for."""
        number = asked[name]
        if number >= len(self.models):
            raise InputError(
                f"There is no model {number} here: {number_of(len(self.models), 'model')} can be explored. "
                f"Use a number from 0 to {len(self.models) - 1}."
            )
        return self.models[number]

    def common(self, a: int, b: int) -> tuple[Vectors, Vectors]:
        """The vectors of two models for the words that both have, most frequent in `a` first."""
        with self._lock:
            if (a, b) not in self._common:
                one, other = (self.models[number].embedding.words for number in (a, b))
                both = [word for word in one if word in other]
                self._common[a, b] = _only(one, both), _only(other, both)
            return self._common[a, b]


def _only(vectors: Vectors, words: list[str]) -> Vectors:
    return vectors if len(words) == len(vectors) else vectors.vectors_for_all(words)


# --- The models, their map and their words


def models(explorer: Explorer, asked: Asked) -> Plain:
    return {"models": [describe(model) for model in explorer.models], "version": __version__}


def describe(model: ExploredModel) -> Plain:
    """The facts about a model that the page shows."""
    embedding = model.embedding
    return {
        "name": model.name,
        "words": len(embedding),
        "contexts": len(embedding.contexts),
        "dim": embedding.dim,
        "mapped": model.mapped,
        "objective": embedding.objective,
        "has_counts": bool(embedding.words.counts.any()),
        "record": as_plain_data(embedding.record),
    }


def coordinates(explorer: Explorer, asked: Asked) -> bytes:
    return explorer.model(asked).map_bytes


def words(explorer: Explorer, asked: Asked) -> Plain:
    vectors = explorer.model(asked).embedding.words
    some = slice(asked["start"], asked["start"] + asked["n"])
    return {"start": asked["start"], "words": vectors.words[some], "counts": vectors.counts[some].tolist()}


def classes(explorer: Explorer, asked: Asked) -> bytes:
    return explorer.model(asked).classes(asked["k"]).tobytes()


def similarity_to(explorer: Explorer, asked: Asked) -> bytes:
    model = explorer.model(asked)
    vectors, n = model.embedding.words, model.mapped
    direction = vectors.get_vector(asked["word"], norm=True)
    # By BLAS, in float32: `1 - distances` takes ten times as long, and a colour does not show the last digits.
    dots = vectors.vectors[:n] @ direction
    lengths = np.where(vectors.norms[:n] > 0, vectors.norms[:n], 1)
    return np.clip(dots / lengths, -1, 1).astype("<f4").tobytes()


def complete(explorer: Explorer, asked: Asked) -> Plain:
    model = explorer.model(asked)
    vectors = model.embedding.words
    rows = model.completion.rows(asked["prefix"], asked["n"])
    return {"words": [{"word": vectors.words[row], "row": row, "count": int(vectors.counts[row])} for row in rows]}


# --- Neighbours


def near(explorer: Explorer, asked: Asked) -> Plain:
    model = explorer.model(asked)
    if asked["against"] == "contexts":
        return _predicted(model, asked["word"], asked["n"])
    vectors = _matrix(model, asked["of"])
    faster = model.shortlist if asked["of"] == "words" else None
    found = vectors.most_similar(asked["word"], topn=asked["n"], indexer=faster)
    return {
        "word": asked["word"],
        "row": [vectors.key_to_index.get(word) for word in asked["word"]],
        "near": _named(vectors, found),
    }


def _matrix(model: ExploredModel, of: str) -> Vectors:
    if of == "words":
        return model.embedding.words
    if model.embedding.objective == "hs":
        raise InputError(
            "This model was trained with hierarchical softmax, so it has nodes of a tree instead of contexts. "
            "Ask for of=words."
        )
    return model.embedding.contexts


def _named(vectors: Vectors, found: Neighbours, score: str = "cosine") -> list[Plain]:
    return [{"word": word, "row": vectors.key_to_index[word], score: value} for word, value in found]


def _predicted(model: ExploredModel, words: list[str], n: int) -> Plain:
    embedding = model.embedding
    found = embedding.predicted(words, n)
    by_tree = embedding.objective == "hs"
    names = embedding.words.words if by_tree else embedding.contexts.words
    mean = np.mean([embedding.words.vector(word).astype(np.float64) for word in words], axis=0)
    values: list[float | None] = (
        [None] * len(found.rows) if by_tree else products(embedding.contexts.vectors, found.rows, mean).tolist()
    )
    rows, probabilities = found.rows.tolist(), found.scores.tolist()
    return {
        "word": words,
        "row": [embedding.words.key_to_index.get(word) for word in words],
        "against": "contexts",
        "near": [
            {"word": names[row], "row": row, "probability": probability, "product": product}
            for row, probability, product in zip(rows, probabilities, values, strict=True)
        ],
    }


def analogy(explorer: Explorer, asked: Asked) -> Plain:
    model = explorer.model(asked)
    vectors, faster = _matrix(model, asked["of"]), model.shortlist if asked["of"] == "words" else None
    positive, negative = [asked["b"], asked["c"]], [asked["a"]]
    if asked["method"] == "mul":
        return {"near": _named(vectors, vectors.most_similar_cosmul(positive, negative, asked["n"]), "score")}
    return {"near": _named(vectors, vectors.most_similar(positive, negative, asked["n"], indexer=faster))}


def odd(explorer: Explorer, asked: Asked) -> Plain:
    if len(asked["word"]) < 2:
        raise InputError("The odd one out is found among several words. Give two or more.")
    ranked = explorer.model(asked).embedding.words.rank_by_centrality(asked["word"])
    return {"odd": ranked[-1][1], "words": [{"word": word, "cosine": cosine} for cosine, word in ranked]}


def path(explorer: Explorer, asked: Asked) -> Plain:
    vectors = explorer.model(asked).embedding.words
    steps = path_between(vectors, asked["from"], asked["to"], asked["n"])
    return {"path": [{"row": vectors.key_to_index.get(step.word), **step._asdict()} for step in steps]}


# --- Pairs


def pair(explorer: Explorer, asked: Asked) -> Plain:
    model, a, b = explorer.model(asked), asked["a"], asked["b"]
    return {
        "cosine": model.embedding.similarity(a, b),
        "probability": _probabilities(model.embedding, a, b),
        **_explained(model, a, b, asked["n"]),
    }


def _probabilities(embedding: Embedding, a: str, b: str) -> Plain | None:
    """How probable each word is as a context of the other. None where a word is no context."""
    if not len(embedding.contexts):
        return None
    contexts = embedding.words if embedding.objective == "hs" else embedding.contexts
    return {
        name: embedding.probability(w, c) if c in contexts else None for name, w, c in (("a_b", a, b), ("b_a", b, a))
    }


def _explained(model: ExploredModel, a: str, b: str, n: int) -> Plain:
    try:
        found = explain_similarity(model.embedding, a, b, topn=n, space=model.context_space)
    except InputError as error:  # not every model has what it takes, nor has every word a row
        return {"explanation": None, "reason": str(error)}
    facts = {name: as_plain_data(value) for name, value in found._asdict().items() if name != "contributions"}
    return {"explanation": {**facts, "n_contexts": len(found.contributions)}, "reason": None}


def probability(explorer: Explorer, asked: Asked) -> Plain:
    embedding = explorer.model(asked).embedding
    value = embedding.probability(asked["w"], asked["c"])
    if embedding.objective == "hs":
        return {"probability": value, "product": None}
    row = np.array([embedding.contexts.get_index(asked["c"])])
    v_w = embedding.words.vector(asked["w"]).astype(np.float64)
    return {"probability": value, "product": float(products(embedding.contexts.vectors, row, v_w)[0])}


# --- Two models


def compare(explorer: Explorer, asked: Asked) -> Plain:
    for name in ("a", "b"):
        explorer.model(asked, name)
    one, other = explorer.common(asked["a"], asked["b"])
    word, n = asked["word"], asked["n"]
    in_a, in_b = (dict(vectors.most_similar(word, topn=n)) for vectors in (one, other))

    def entries(words: list[str]) -> list[Plain]:
        return [
            {"word": near, "cosine_a": one.similarity(word, near), "cosine_b": other.similarity(word, near)}
            for near in words
        ]

    return {
        "kept": entries([near for near in in_a if near in in_b]),
        "gained": entries([near for near in in_b if near not in in_a]),
        "lost": entries([near for near in in_a if near not in in_b]),
        "common": len(one),
    }
