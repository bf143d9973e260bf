"""Which item comes next in a session: clicks in a shop, songs of an evening, words of a query.

Items of a session predict those that come after them. With the items w_1 ... w_m of a session, the last one last,

    x_c = v_c·q + log noise(c),   q = Σ_i decay^(m - i) v_wi

The optimum of negative sampling is v_w·v_c = log p(c | w) - log (k noise(c)). So for one item x_c is log p(c | w) but
for a constant, and items are ranked by their probability. Older items count less. A session without a known item has
q = 0, and gets the most frequent items.

>>> sessions = [["bread", "butter", "jam"], ["bow", "arrow", "quiver"]] * 50
>>> recommender = ItemRecommender(dim=8).fit(sessions)
>>> recommender.predict([["bread"], ["arrow", "bow"]]).tolist()
['butter', 'quiver']
"""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from pairloom.config import check_number, check_whole
from pairloom.corpus.vocabulary import noise
from pairloom.errors import ConfigError, CorpusTypeError
from pairloom.sklearn.documents import opened_embedding
from pairloom.system.display import of_type
from pairloom.system.extras import need
from pairloom.training.train import train
from pairloom.types import Float64s, Matrix, PathName
from pairloom.vectors.documents import check_collection, checked_words
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.record import recorded_options
from pairloom.vectors.search import Neighbours, ScoredRows, largest_products

need("sklearn.base", "sklearn", "pairloom.sklearn")
from sklearn.base import BaseEstimator  # noqa: E402
from sklearn.utils.validation import check_is_fitted  # noqa: E402

Session = Sequence[str]


class ItemRecommender(BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """Recommend items for sessions. `fit` learns vectors of items from sessions, each a list of items in their order.

    n                 how many items `recommend` returns and `score` looks at
    exclude_seen      do not recommend what the session has already
    decay             how much less an item counts than the one after it: 1 counts all alike, 0 only the last
    embedding         an Embedding with contexts, or the path of one. Then fit does not train
    threads           the number of threads, by default all cores; the result is the same for any number
    other parameters  options of `pairloom.train`. Their defaults suit clicks in a shop (examples/sessions.py)

    After fit:

    embedding_        the Embedding that was trained or given
    n_items_          the number of items that can be recommended
    """

    def __init__(
        self,
        *,
        n: int = 10,
        exclude_seen: bool = True,
        decay: float = 0.5,
        embedding: Embedding | PathName | None = None,
        dim: int = 100,
        window: int | Literal["sentence"] = 5,
        negatives: int = 15,
        noise_power: float = 0.75,
        min_count: int = 1,
        sample: float = 0.0,
        epochs: int = 40,
        lr: float = 0.05,
        seed: int = 1,
        threads: int | None = None,
    ) -> None:
        self.n = n
        self.exclude_seen = exclude_seen
        self.decay = decay
        self.embedding = embedding
        self.dim = dim
        self.window = window
        self.negatives = negatives
        self.noise_power = noise_power
        self.min_count = min_count
        self.sample = sample
        self.epochs = epochs
        self.lr = lr
        self.seed = seed
        self.threads = threads

    def fit(self, X: Iterable[Session] | None = None, y: object = None) -> Self:
        """Learn from the sessions X, which may be left out if an embedding was given. y is ignored."""
        check_number("decay", self.decay, 0.0, 1.0, "0.5 is usual")
        if self.embedding is not None:
            self.embedding_ = opened_embedding(self.embedding)
        elif X is not None:
            self.embedding_ = self._trained(X)
        else:
            raise CorpusTypeError("There is nothing to learn from. Give fit a list of sessions, or set embedding.")
        self._rows, self._norms = _rows_with_noise(self.embedding_)
        self.n_items_ = len(self._rows)
        return self

    def _trained(self, X: Iterable[Session]) -> Embedding:
        return train(
            [session for session in _sessions(X) if session],
            dim=self.dim,
            window=self.window,
            negatives=self.negatives,
            noise_power=self.noise_power,
            min_count=self.min_count,
            sample=self.sample,
            epochs=self.epochs,
            lr=self.lr,
            seed=self.seed,
            threads=self.threads,
        )

    def recommend(self, X: Iterable[Session], n: int | None = None) -> list[Neighbours]:
        """For each session the n best items, each with its x_c, which is log p but for a constant of the session."""
        check_is_fitted(self)
        n = self.n if n is None else n
        check_whole("n", n, 1, 2**31 - 1, "10 is usual")
        names = self.embedding_.contexts.words
        return [self._best(session, n).named(names.__getitem__) for session in _sessions(X)]

    def predict(self, X: Iterable[Session]) -> npt.NDArray[np.object_]:
        """The best item for each session; None if it has all items already."""
        best = [near[0][0] if near else None for near in self.recommend(X, 1)]
        return np.array(best, object)

    def score(self, X: Iterable[Session], y: Iterable[str]) -> float:
        """The share of sessions whose next item, y, is among their n best.

        With exclude_seen, an item that the session has already is never a hit: to count people who come back to an
        item, set exclude_seen=False.
        """
        wanted, found = checked_words(list(y), "y"), self.recommend(X)
        if len(wanted) != len(found):
            raise CorpusTypeError(f"There are {len(found)} sessions and {len(wanted)} next items. Give one for each.")
        hits = (any(item == next_item for item, _ in near) for near, next_item in zip(found, wanted, strict=True))
        return sum(hits) / max(1, len(wanted))

    def _best(self, session: list[str], n: int) -> ScoredRows:
        seen = {row for item in session if (row := self.embedding_.contexts.get_index(item, -1)) >= 0}
        found = largest_products(self._rows, self._norms, self._query(session), n + len(seen) * self.exclude_seen)
        kept = [i for i, row in enumerate(found.rows.tolist()) if not (self.exclude_seen and row in seen)][:n]
        return ScoredRows(found.rows[kept], found.scores[kept])

    def _query(self, session: list[str]) -> Float64s:
        """q, and 1 for the logarithm of the noise."""
        words, q = self.embedding_.words, np.zeros(self.embedding_.dim)
        for item in session:
            if item in words:
                q = self.decay * q + words[item].astype(np.float64)
        return np.append(q, 1.0)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.no_validation = True
        return tags


def _rows_with_noise(embedding: Embedding) -> tuple[Matrix, Float64s]:
    """(v_c, log noise(c)) for each item, and the length of each row. For softmax v_c·v_w is log p(c | w) by itself."""
    contexts, options = embedding.contexts, recorded_options(embedding.record)
    if not len(contexts) or embedding.objective == "hs":
        raise ConfigError(
            "An item recommender needs vectors of contexts. Give a model that was trained with negatives, as it was "
            "saved (.loom): files of other programs have no contexts."
        )
    shares = np.zeros(len(contexts))
    if embedding.objective == "negative":
        shares = np.log(noise(np.maximum(1, contexts.counts), options.get("noise_power", 0.75)))
    rows = np.column_stack([contexts.vectors, shares]).astype(np.float32)
    return rows, np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))


def _sessions(X: Iterable[Session]) -> Iterable[list[str]]:
    if len(getattr(X, "shape", (0,))) != 1:
        raise CorpusTypeError(
            f"The sessions are {of_type(X)}. Give lists of items, for example "
            "table.groupby('session')['item'].agg(list); or pairloom.train(table, session=..., item=...), and its "
            "result as embedding."
        )
    check_collection(X)
    return (checked_words(session, f"sessions[{number}]") for number, session in enumerate(X))
