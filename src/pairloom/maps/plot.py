"""`Vectors.plot` and `pairloom map`: choose words, find their places, colour and draw them."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

import numpy as np

from pairloom.config import check_choice, check_whole
from pairloom.drawing.picture import Picture, check_can_save
from pairloom.errors import ConfigError, InputError
from pairloom.maps.colouring import (
    CLASSES,
    Colour,
    Colouring,
    by_class,
    by_frequency,
    by_similarity,
    k_means_labels,
    labels_in,
)
from pairloom.maps.coordinates import Method, by_falling_count, coordinates
from pairloom.maps.picture import draw_map
from pairloom.maps.saved import most_frequent_map
from pairloom.progress import OnProgress, ignore
from pairloom.system.display import number_of
from pairloom.types import Matrix, PathName, Rows
from pairloom.vectors.embedding import Embedding, as_vectors
from pairloom.vectors.similarity import list_of_words
from pairloom.vectors.vectors import Vectors

MOST_WORDS = 3000  # that a map shows if nothing else is asked for
NEIGHBOURS = 50


class PlotKeywords(TypedDict, total=False):
    """The options of `plot`."""

    neighbours_of: str | None
    n: int | None
    colour: Colour
    to: str | None
    classes: int | PathName
    method: Method
    seed: int
    title: str | None
    model_path: PathName | None
    threads: int | None
    on_progress: OnProgress


@dataclass(frozen=True, eq=False, kw_only=True)
class WordMap(Picture):
    """A map of words: `svg`, `html` and `png`, and the places that are drawn."""

    words: list[str]
    coordinates: Matrix  # (n, 2), in [-1, 1]
    colouring: Colouring


def plot(
    vectors: Vectors | Embedding,
    words: Iterable[str] | None = None,
    path: PathName | None = None,
    *,
    neighbours_of: str | None = None,
    n: int | None = None,
    colour: Colour = "frequency",
    to: str | None = None,
    classes: int | PathName = CLASSES,
    method: Method = "auto",
    seed: int = 1,
    title: str | None = None,
    model_path: PathName | None = None,
    threads: int | None = None,
    on_progress: OnProgress = ignore,
) -> WordMap:
    """A map of words, which notebooks show. With a path it is also saved, as .svg, .html or .png.

    words          these words, laid out by themselves; without them the n (3000) most frequent, laid out with up to
                   20,000 others
    neighbours_of  this word and its n (50) nearest
    colour         "frequency", "class" (`classes` by k-means, or a file of `word class` lines) or "similarity" to `to`
    method, seed   see `pairloom.maps.coordinates.coordinates`
    model_path     the file of the vectors: the map of its most frequent words is kept beside it, as MODEL.map
    """
    vectors = as_vectors(vectors)
    if path is not None:
        check_can_save(path)
    rows = _chosen_rows(vectors, words, neighbours_of, n)
    colouring = _colouring(vectors, rows, colour, to, classes, seed)
    options: dict[str, Any] = {"seed": seed, "threads": threads, "on_progress": on_progress}
    if words is None and neighbours_of is None:
        places = most_frequent_map(model_path, vectors, len(rows), method, **options)
    else:
        own = Vectors([vectors.words[row] for row in rows.tolist()], vectors.vectors[rows])
        places = coordinates(own, method, **options)
    drawn = _word_map(
        vectors, rows, places, colouring, title or _title(vectors, rows, words, neighbours_of, model_path)
    )
    if path is not None:
        drawn.save(path)
    return drawn


def _chosen_rows(vectors: Vectors, words: Iterable[str] | None, neighbours_of: str | None, n: int | None) -> Rows:
    """The rows to draw, the most important first."""
    if n is not None:
        check_whole("n", n, 1, 2**31 - 1, f"{MOST_WORDS} is usual for a whole map, {NEIGHBOURS} for neighbours")
    if neighbours_of is not None:
        if words is not None:
            raise ConfigError("Words and neighbours_of do not go together. Leave out one of them.")
        near = vectors.most_similar(neighbours_of, topn=n or NEIGHBOURS)
        return np.array([vectors.get_index(word) for word in (neighbours_of, *(word for word, _ in near))], np.intp)
    if words is None:
        rows = by_falling_count(vectors)[: n or MOST_WORDS]
    else:
        rows = np.array([vectors.get_index(word) for word in dict.fromkeys(list_of_words(words))], np.intp)[:n]
    if len(rows) < 2:
        raise InputError(f"A map needs at least 2 words, and here is {number_of(len(rows), 'word')}. Name more words.")
    return rows


def _colouring(
    vectors: Vectors, rows: Rows, colour: Colour, to: str | None, classes: int | PathName, seed: int
) -> Colouring:
    check_choice("colour", colour, Colour)
    if (colour == "similarity") != (to is not None):
        raise ConfigError("colour='similarity' and the word `to` go together. Give both, or leave out both.")
    if to is not None:
        return by_similarity(vectors, rows, to)
    if colour == "frequency":
        return by_frequency(vectors, rows)
    if isinstance(classes, str | os.PathLike):
        return by_class(vectors, rows, labels_in(classes, vectors, rows))
    return by_class(vectors, rows, k_means_labels(vectors, rows, classes, seed))


def _word_map(vectors: Vectors, rows: Rows, places: Matrix, colouring: Colouring, title: str) -> WordMap:
    words = [vectors.words[row] for row in rows.tolist()]
    counts = vectors.counts[rows].tolist()
    hints = [f"{word}: {count:,}" if count else word for word, count in zip(words, counts, strict=True)]
    exact = places.astype(np.float64)
    return WordMap(
        title=title,
        svg=draw_map(words, exact, colouring, title),
        detailed_svg=draw_map(words, exact, colouring, title, hints=hints),
        words=words,
        coordinates=places,
        colouring=colouring,
    )


def _title(
    vectors: Vectors,
    rows: Rows,
    words: Iterable[str] | None,
    neighbours_of: str | None,
    model_path: PathName | None,
) -> str:
    of = f" of {Path(model_path).name}" if model_path is not None else ""
    if neighbours_of is not None:
        return f"{neighbours_of} and its {number_of(len(rows) - 1, 'nearest word')}"
    if words is not None or len(rows) == len(vectors):
        return f"{number_of(len(rows), 'word')}{of}"
    return f"The {len(rows):,} most frequent words{of}"
