"""SPPMI and SPPMI-SVD: the table that skip-gram with negative sampling approximates, computed (Levy & Goldberg 2014).

    SPPMI(w, c) = max(PMI(w, c) - log k, 0),    PMI(w, c) = log(#(w, c) / (#(w) p(c)))

p(c) is smoothed like the noise of training: p(c) ~ #(c)^noise_power. noise_power = 1 is PMI as in the paper of 2014;
Levy, Goldberg & Dagan (2015) found 0.75 to be better.

`sppmi_table` returns the table. Most of it is 0: a word is one number for each of its contexts, so one can read why two
words are alike.
`train_sppmi` makes vectors from its largest singular values, SPPMI ≈ U Σ Vᵀ of rank dim:

    W = U Σ^p,  C = V Σ^(1 - p),  with p = 1/2 both sides are symmetric, as in skip-gram

>>> table = sppmi_table([["cat", "purrs"], ["dog", "barks"]] * 5, negatives=1, sample=0)
>>> [(context, round(value, 3)) for context, value in table.row("cat")]  # log 4
[('purrs', 1.386)]
"""

import math
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from pairloom.config import TrainConfig, TrainKeywords, check_number, check_whole, checked_threads, split_options
from pairloom.corpus.encoding import Encoded
from pairloom.corpus.prepared import prepare
from pairloom.corpus.sentences import open_corpus
from pairloom.corpus.vocabulary import Vocabulary, WordSelection, noise
from pairloom.errors import ConfigError, InputError, NoPairsError, UnknownWordError
from pairloom.method import elementary
from pairloom.pairs.advice import no_pairs_in_text
from pairloom.pairs.cooccurrence import Cooccurrences, trained_pairs
from pairloom.pairs.from_text import TextSource
from pairloom.pairs.singular import SparseTable, largest_singular
from pairloom.progress import OnProgress, Progress, ignore
from pairloom.system.display import number_of, quoted
from pairloom.system.spelling import near_spellings
from pairloom.system.threads import workers
from pairloom.types import CorpusLike, Counts, Float64s, Ids, PathName
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.vectors import Vectors

PAIRS_AT_ONCE = 1 << 20


@dataclass(frozen=True, eq=False)
class Sppmi:
    """SPPMI(w, c) where it is above 0, in rows as in `Cooccurrences`. Word w is also context w."""

    vocabulary: Vocabulary
    indptr: Counts
    contexts: Ids
    values: Float64s

    def __len__(self) -> int:
        """The number of values above 0."""
        return len(self.values)

    def row(self, word: str, topn: int = 10) -> list[tuple[str, float]]:
        """The contexts that a word has more often than by chance, the largest SPPMI first."""
        contexts, values = self._row(self._id(word))
        order = np.argsort(-values, kind="stable")[:topn]
        return [(self.vocabulary.words[contexts[i]], float(values[i])) for i in order.tolist()]

    def similarity(self, a: str, b: str) -> float:
        """The cosine of two rows; 0 if one of them is empty."""
        return float(self._cosines(self._id(a))[self._id(b)])

    def most_similar(self, word: str, topn: int = 10) -> list[tuple[str, float]]:
        """The words whose rows are most similar, by cosine."""
        check_whole("topn", topn, 1, 2**31 - 1, "10 is usual")
        w = self._id(word)
        cosines = self._cosines(w)
        order = np.argsort(-cosines, kind="stable")
        return [(self.vocabulary.words[i], float(cosines[i])) for i in order[order != w][:topn].tolist()]

    @cached_property
    def norms(self) -> Float64s:
        """The length of each row."""
        return np.sqrt(_row_sums(self.indptr, self.values**2))

    def _cosines(self, w: int) -> Float64s:
        """The cosines of row w with all rows."""
        mine = np.zeros(len(self.vocabulary))
        contexts, values = self._row(w)
        mine[contexts] = values
        products = _row_sums(self.indptr, mine[self.contexts] * self.values)
        lengths = self.norms * self.norms[w]
        cosines: Float64s = np.divide(products, lengths, out=np.zeros(len(lengths)), where=lengths > 0)
        return cosines

    def _row(self, w: int) -> tuple[Ids, Float64s]:
        some = slice(int(self.indptr[w]), int(self.indptr[w + 1]))
        return self.contexts[some], self.values[some]

    def _id(self, word: str) -> int:
        if word not in self.vocabulary:
            meant = " or ".join(map(repr, near_spellings(word, self.vocabulary.index)))
            hint = f" Did you mean {meant}?" if meant else ""
            raise UnknownWordError(
                f"{quoted(word)} is not among the {number_of(len(self.vocabulary), 'word')} of this table.{hint}"
            )
        return self.vocabulary.index[word]


def sppmi_table(
    corpus: CorpusLike,
    *,
    threads: int | None = None,
    cache_dir: PathName | None = None,
    on_progress: OnProgress = ignore,
    **options: Unpack[TrainKeywords],
) -> Sppmi:
    """The SPPMI table of a corpus. The options are those of `train` about windows, vocabulary, sampling and noise."""
    config, text = split_options(options, ["threads", "cache_dir", "on_progress"])
    running: dict[str, Any] = {"threads": threads, "cache_dir": cache_dir, "on_progress": on_progress}
    selection = WordSelection(min_count=config.min_count, max_vocab=config.max_vocab)
    with open_corpus(corpus, text=text) as opened:

        def encode(selection: WordSelection) -> Encoded:
            return prepare(opened, selection, gaps=config.clean, **running)

        with encode(selection) as encoded:
            try:
                counts = _counts(encoded, config, **running)
            except NoPairsError:
                with workers(checked_threads(threads)) as pool:
                    source = TextSource(encoded, config)
                    raise no_pairs_in_text(source, opened.name, selection, encode, pool) from None
            return sppmi_of(counts, encoded.vocabulary, config)


def train_sppmi(
    encoded: Encoded,
    config: TrainConfig,
    *,
    power: float = 0.5,
    threads: int | None = None,
    cache_dir: PathName | None = None,
    on_progress: OnProgress = ignore,
) -> Embedding:
    """SPPMI-SVD of an encoded corpus. The vectors are the same on any machine and for any number of threads.

    power: p, the share of the singular values that goes to W. Options of gradient descent (lr, epochs) have no effect.
    """
    check_number("power", power, 0.0, 1.0, "0.5 is usual, 0 leaves the singular values out of W")
    if config.dim >= len(encoded.vocabulary):
        raise ConfigError(
            f"dim={config.dim} is too large: a table of {number_of(len(encoded.vocabulary), 'word')} has fewer "
            f"singular values. Use {len(encoded.vocabulary) - 1} or less."
        )
    counts = _counts(encoded, config, threads=threads, cache_dir=cache_dir, on_progress=on_progress)
    table = sppmi_of(counts, encoded.vocabulary, config)
    on_progress(Progress(stage="factor"))
    with workers(checked_threads(threads)) as pool:
        U, sizes, V = largest_singular(
            SparseTable(table.indptr, table.contexts, table.values), config.dim, config.seed, pool
        )
    words, contexts = U * elementary.power(sizes, power), V * elementary.power(sizes, 1 - power)
    names, occurrences = encoded.vocabulary.words, encoded.vocabulary.counts
    record = {"config": asdict(config), "corpus": {"sha256": encoded.digest, "tokens": encoded.n_tokens}}
    return Embedding(
        words=Vectors(names, words, occurrences), contexts=Vectors(names, contexts, occurrences), record=record
    )


def sppmi_of(counts: Cooccurrences, vocabulary: Vocabulary, config: TrainConfig) -> Sppmi:
    """The table of counted pairs."""
    log_k_p = elementary.log(config.negatives * noise(counts.of_contexts, config.noise_power))
    log_w = elementary.log(counts.of_words)  # -inf for a word without pairs, which is never looked up
    contexts, values, lengths, best = [], [], np.zeros(counts.n_words, np.int64), -math.inf
    for at in range(0, len(counts), PAIRS_AT_ONCE):
        c = counts.contexts[at : at + PAIRS_AT_ONCE]
        w = np.searchsorted(counts.indptr, np.arange(at, at + len(c)), side="right") - 1
        value = elementary.log(counts.weights[at : at + PAIRS_AT_ONCE]) - log_w[w] - log_k_p[c]
        above = value > 0
        contexts.append(c[above])
        values.append(value[above])
        lengths += np.bincount(w[above], minlength=counts.n_words)
        best = max(best, float(value.max()))
    if not lengths.any():
        raise _too_many_negatives(config.negatives, best)
    return Sppmi(vocabulary, np.append(0, np.cumsum(lengths)), np.concatenate(contexts), np.concatenate(values))


def _too_many_negatives(negatives: int, best: float) -> InputError:
    """The error for a table of zeros. best: the largest log(p(w, c) / (p(w) p(c) k)) of all pairs."""
    times = negatives * math.exp(best)  # as often as by chance
    most = math.ceil(times * (1 - 1e-9)) - 1
    advice = f"Use negatives={most}, or more text" if most >= 1 else "Use a text with more different words"
    often = "more often than" if f"{times:.3g}" == "1" else f"more than {times:.3g} times as often as"
    return InputError(
        f"No pair occurs {often} by chance, so SPPMI with negatives={negatives} is 0 everywhere. {advice}."
    )


def _counts(encoded: Encoded, config: TrainConfig, **running: Any) -> Cooccurrences:
    """#(w, c) by the windows and the subsampling of training. Nothing is held out: no loss is measured."""
    if config.positional:
        raise ConfigError("SPPMI does not count positional contexts. Leave out positional, or use model=skipgram.")
    return trained_pairs(TextSource(encoded, replace(config, heldout=0.0)), **running)


def _row_sums(indptr: Counts, values: npt.NDArray[np.float64]) -> Float64s:
    """
    >>> _row_sums(np.array([0, 2, 2, 3]), np.array([1.0, 2.0, 4.0])).tolist()
    [3.0, 0.0, 4.0]
    """
    sums = np.zeros(len(indptr) - 1)
    some = np.flatnonzero(np.diff(indptr))  # for an empty row reduceat would return the first value of the next
    if len(some):
        sums[some] = np.add.reduceat(values, indptr[some])
    return sums
