"""What the colours of a map say: how frequent a word is, its class, or how similar it is to one word."""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from pairloom.errors import InputError
from pairloom.system.display import quoted
from pairloom.types import Float64s, PathName, Rows
from pairloom.vectors.vectors import Vectors

Colour = Literal["frequency", "class", "similarity"]

STEPS = 16  # of a continuous scale
CLASSES = 12
NAMES_IN_LEGEND = 12  # classes that are named; of more, the eye cannot tell the colours
WORDS_IN_NAME = 2


@dataclass(frozen=True, eq=False, kw_only=True)
class Colouring:
    """A number for the colour of each word, and what the numbers mean."""

    numbers: Rows  # (n,), from 0 to n_colours - 1
    n_colours: int
    legend: str
    ends: tuple[str, str] | None = None  # of a continuous scale: its lowest and highest value
    names: list[str] = field(default_factory=list)  # of classes, the largest first

    @property
    def is_scale(self) -> bool:
        """Whether the colours stand for values of a scale."""
        return self.ends is not None


def by_frequency(vectors: Vectors, rows: Rows) -> Colouring:
    """The logarithm of each word's count; without counts, of its rank."""
    counts = vectors.counts[rows]
    if counts.min() < 1:
        return _scale(-np.log(rows + 1.0), "rank", f"{rows.max() + 1:,}", f"{rows.min() + 1:,}")
    return _scale(np.log(counts), "occurrences", f"{counts.min():,}", f"{counts.max():,}")


def by_similarity(vectors: Vectors, rows: Rows, word: str) -> Colouring:
    """The cosine of each word to one word. The word itself does not count for the ends of the scale."""
    from pairloom.vectors.query import unit_vector
    from pairloom.vectors.search import cosines

    values = cosines(vectors.vectors, vectors.norms, rows, unit_vector(vectors, word))
    own = vectors.key_to_index.get(word)
    others = values[rows != own]  # at least one, since a map has two words
    low, high = float(others.min()), float(others.max())
    return _scale(np.clip(values, low, high), f"cosine to {word}", f"{low:.2f}", f"{high:.2f}")


def by_class(vectors: Vectors, rows: Rows, labels: Rows) -> Colouring:
    """A colour for each class that occurs, the largest class first. A class is named by its most frequent words."""
    found, first, sizes = np.unique(labels, return_index=True, return_counts=True)
    order = np.lexsort((first, -sizes))
    number = np.empty(len(found), np.intp)
    number[order] = np.arange(len(found))
    numbers = number[np.searchsorted(found, labels)]
    by_rank = np.argsort(rows, kind="stable")
    names = []
    for one in range(min(len(found), NAMES_IN_LEGEND)):
        members = by_rank[numbers[by_rank] == one][:WORDS_IN_NAME]
        names.append(", ".join(vectors.words[rows[member]] for member in members))
    return Colouring(numbers=numbers, n_colours=len(found), legend=f"{len(found)} classes", names=names)


def k_means_labels(vectors: Vectors, rows: Rows, k: int, seed: int) -> Rows:
    """The classes of words by `vectors/classes.py`, made of these words alone."""
    from pairloom.vectors.classes import word_classes

    own = Vectors([vectors.words[row] for row in rows.tolist()], vectors.vectors[rows])
    labels: Rows = word_classes(own, k, seed=seed).labels.astype(np.intp)
    return labels


def labels_in(path: PathName, vectors: Vectors, rows: Rows) -> Rows:
    """The classes in a file of `word class` lines, as `pairloom classes -o` writes. Other words are in class -1."""
    from pairloom.corpus.lists import numbered_lines, opened

    wanted = "Give a UTF-8 file of `word class` lines, as `pairloom classes MODEL -k K -o FILE` writes it."
    place = {vectors.words[row]: position for position, row in enumerate(rows.tolist())}
    labels = np.full(len(rows), -1, np.intp)
    names: dict[str, int] = {}
    with opened(str(path), wanted) as file:
        for number, line in numbered_lines(file, str(path)):
            parts = line.split()
            if not parts:
                continue
            if len(parts) != 2:
                raise InputError(f"Line {number} of {path} is {quoted(line.strip())}. {wanted}")
            label = names.setdefault(parts[1], len(names))
            if parts[0] in place:
                labels[place[parts[0]]] = label
    if len(rows) and labels.max() < 0:
        raise InputError(f"{path} has none of the words of this picture. {wanted}")
    return labels


def _scale(values: Float64s, legend: str, low: str, high: str) -> Colouring:
    """Values divided into STEPS colours of equal ranges."""
    least, span = float(values.min()), float(np.ptp(values))
    share = (values - least) / span if span > 0 else np.ones(len(values))
    numbers = np.minimum((share * STEPS).astype(np.intp), STEPS - 1)
    return Colouring(numbers=numbers, n_colours=STEPS, legend=legend, ends=(low, high))
