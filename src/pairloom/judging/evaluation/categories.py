"""Categories: whether words of the same category form a cluster.

k-means puts the words into as many clusters as there are categories. The score is the purity of the clusters:

    purity = 1/N Σ over clusters of the size of the largest category in the cluster

A line holds a word and its category, separated by a tab, comma, semicolon or space.
"""

import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pairloom.config import check_whole
from pairloom.errors import InputError
from pairloom.judging.evaluation.lines import ScoreLine, ScoresTable, covered, file_name, percent
from pairloom.judging.evaluation.lookup import DEFAULT_POLICY, Lookup, Policy, unit_rows
from pairloom.judging.evaluation.questions import QuestionFile, columns, read
from pairloom.system.extras import data_frame, need
from pairloom.system.threads import one_thread
from pairloom.types import Float64s, PathName
from pairloom.vectors.embedding import Embedding, as_vectors
from pairloom.vectors.vectors import Vectors

_STARTS = 10  # runs of k-means, from which the best is kept


@dataclass(frozen=True, kw_only=True, slots=True)
class CategoryScores(ScoresTable):
    """The purity for a file of categories, or None if no word is known."""

    file: str
    policy: Policy
    purity: float | None
    clusters: int
    words: int  # in the file: N if unknown words count as wrong
    known: int  # N if they are skipped
    seed: int

    @property
    def coverage(self) -> float:
        return self.known / self.words

    def lines(self) -> Iterator[ScoreLine]:
        """The purity."""
        yield ScoreLine(file_name(self.file), "purity", percent(self.purity), covered(self.known, self.words))

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        head = {"kind": "categories", "file": self.file, **self.policy.as_dict()}
        names = ("purity", "clusters", "words", "known", "coverage", "seed")
        return head | {name: getattr(self, name) for name in names}

    def to_pandas(self) -> Any:
        """A DataFrame of one row."""
        return data_frame([self.as_dict()])


def categories(
    vectors: Vectors | Embedding, path: PathName | QuestionFile, *, policy: Policy = DEFAULT_POLICY, seed: int = 1
) -> CategoryScores:
    """Cluster the words of a file and measure how well the clusters match its categories. Needs scikit-learn.

    The words' unit vectors are clustered. The result is the same for any number of threads.
    """
    check_whole("seed", seed, 0, 2**32 - 1, "any whole number")
    file, words = read(path), as_vectors(vectors)
    members, lookup = members_of(file), Lookup.of(words, policy)
    rows = [lookup.rows([word]) for word, _ in members]
    labels = [label for (_, label), row in zip(members, rows, strict=True) if row is not None]
    unit = unit_rows(words, np.array([row[0] for row in rows if row is not None], np.intp))
    n_clusters = len(set(labels))
    clusters = _k_means(unit, n_clusters, seed) if labels else []
    counted = len(members) if policy.unknown == "wrong" else len(labels)
    return CategoryScores(
        file=file.path,
        policy=policy,
        purity=majority(clusters, labels) / counted if counted else None,
        clusters=n_clusters,
        words=len(members),
        known=len(labels),
        seed=seed,
    )


def members_of(file: QuestionFile) -> list[tuple[str, str]]:
    """The words of a file with their categories."""
    lines = columns(file)
    for number, parts in lines:
        if len(parts) != 2 or not all(parts):
            raise InputError(
                f"{file.where(number)}: {' '.join(parts)[:60]!r} is not a word and its category. "
                "Each line must read like: tiger<TAB>animal"
            )
    return [(word, category) for _, (word, category) in lines]


def majority(clusters: Sequence[int], labels: Sequence[str]) -> int:
    """Count the items whose label is the most frequent one of their cluster.

    >>> majority([0, 0, 0, 1, 1], ["cat", "cat", "dog", "dog", "dog"])
    4
    """
    largest: dict[int, int] = {}
    for (cluster, _), size in Counter(zip(clusters, labels, strict=True)).items():
        largest[cluster] = max(size, largest.get(cluster, 0))
    return sum(largest.values())


def _k_means(unit: Float64s, n_clusters: int, seed: int) -> list[int]:
    cluster = need("sklearn.cluster", "sklearn", "Scoring categories, by k-means,")
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # equal vectors leave clusters empty, and the purity shows it
        clusters: list[int] = cluster.KMeans(n_clusters, n_init=_STARTS, random_state=seed).fit_predict(unit).tolist()
    return clusters
