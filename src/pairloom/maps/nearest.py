"""The nearest mapped words of many words, by exact cosines, on any number of threads with the same result."""

from typing import NamedTuple

import numpy as np

from pairloom.progress import OnProgress, Stage, reporter
from pairloom.system.threads import in_order
from pairloom.types import Float64s, Rows
from pairloom.vectors.rough import SearchMatrix
from pairloom.vectors.search import ScoredRows, nearest
from pairloom.vectors.stored import stored
from pairloom.vectors.vectors import Vectors

ROWS_PER_TASK = 256  # about 0.2 s for 20,000 mapped words of dim 300: an interrupt waits for one task per thread


class Nearest(NamedTuple):
    """For each of some rows its nearest mapped words, by their position in the map, and the cosines."""

    positions: Rows  # (n, k)
    cosines: Float64s  # (n, k), falling


def nearest_mapped(
    vectors: Vectors, asked: Rows, mapped: Rows, k: int, threads: int, stage: Stage, on_progress: OnProgress
) -> Nearest:
    """The k nearest of the rows `mapped` to each row of `asked`, which is never its own neighbour."""
    targets = SearchMatrix(stored(vectors.vectors[mapped]), lambda position: vectors.words[mapped[position]])
    place = {row: position for position, row in enumerate(mapped.tolist())}
    found = Nearest(np.empty((len(asked), k), np.intp), np.empty((len(asked), k)))
    report = reporter(stage, len(asked), on_progress)

    def search(start: int) -> tuple[int, list[ScoredRows]]:
        rows = asked[start : start + ROWS_PER_TASK]
        own = [(place[row],) if row in place else () for row in rows.tolist()]
        return start, list(nearest(targets, _directions(vectors, rows), k, own))

    for start, some in in_order(search, range(0, len(asked), ROWS_PER_TASK), threads):
        for number, scored in enumerate(some, start):
            found.positions[number], found.cosines[number] = scored
        report(start + len(some))
    return found


def _directions(vectors: Vectors, rows: Rows) -> Float64s:
    """Rows at length 1 in float64; a row of zeros stays zero."""
    norms = vectors.norms[rows, None]
    return vectors.vectors[rows] / np.where(norms > 0, norms, 1.0)
