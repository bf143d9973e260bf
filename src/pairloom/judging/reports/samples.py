"""Some frequent, middle and rare words with their neighbours, chosen by rank: the same for every report of a model."""

import numpy as np

from pairloom.drawing.page import Table, section, table
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.vectors import Vectors

PER_BAND = 4
NEIGHBOURS = 6
_BANDS = {"Frequent words": (0.005, 0.02), "Middle words": (0.2, 0.4), "Rare words": (0.9, 1.0)}  # shares of all ranks
_LEAST = 12  # words to choose from, if there are as many


def samples_section(embedding: Embedding) -> str:
    """A table for each of the three bands."""
    words = embedding.words
    if len(words) < 2:
        return section("Sample neighbours", "There are too few words for neighbours.", "")
    order = np.argsort(-words.counts, kind="stable").tolist()  # of equal counts the earlier row first
    tables = []
    for title, band in _BANDS.items():
        chosen = sample(words, order, band)
        near = words.most_similar_batch(chosen, topn=NEIGHBOURS)
        rows = [[word, _count(words, word), _listed(found)] for word, found in zip(chosen, near, strict=True)]
        tables.append(
            f"<h3>{title}</h3>\n" + table(Table("", ["word", "occurs", "nearest words (cosine)"], rows), "text")
        )
    text = (
        "The words whose vectors point in the most similar direction, with the cosine of the angle. Neighbours of "
        "frequent words should be of the same kind or topic. Those of rare words show how much a few occurrences "
        "were enough for."
    )
    return section("Sample neighbours", text, "\n".join(tables))


def sample(words: Vectors, order: list[int], band: tuple[float, float]) -> list[str]:
    """PER_BAND words of a band of ranks, evenly spaced; words of letters if there are enough of them."""
    n = len(order)
    first = min(int(band[0] * n), max(0, n - _LEAST))
    last = max(int(band[1] * n), min(n, first + _LEAST))
    names = [words.words[row] for row in order[first:last]]
    letters = [name for name in names if name.isalpha() and len(name) > 2]
    names = letters if len(letters) >= PER_BAND else names
    places = np.linspace(0, len(names) - 1, min(PER_BAND, len(names))).astype(int).tolist()
    return [names[place] for place in dict.fromkeys(places)]


def _count(words: Vectors, word: str) -> str:
    return f"{words.get_vecattr(word, 'count'):,}" if words.counts.any() else "-"


def _listed(near: list[tuple[str, float]]) -> str:
    return ", ".join(f"{word} ({cosine:.2f})" for word, cosine in near)
