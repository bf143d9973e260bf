"""Text as a source of pairs (`method/contexts.py` has the definitions).

In every epoch, subsampling thins the text again and every word draws its window again. All draws are functions of the
seed, the epoch and the position of the token, so any thread can take any chunk of sentences.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.config import LONGEST_SENTENCE, TrainConfig
from pairloom.corpus.encoding import Encoded
from pairloom.errors import InputError
from pairloom.method.contexts import Windows, keep_limit, sentence_pairs
from pairloom.method.draws import Purpose, heldout_key, key
from pairloom.pairs.blocks import LONGEST_ROUND, TOKENS_PER_CHUNK, ranges, spread_order
from pairloom.pairs.halves import HalfDealings
from pairloom.pairs.hubs import shares
from pairloom.pairs.source import AnyDealings, CountedRound, Round, Source, WeightedNames, heldout_draws, heldout_limit
from pairloom.system.tensors import release_pages
from pairloom.system.threads import Workers
from pairloom.types import Float64s

if TYPE_CHECKING:  # the kernel brings Numba
    from pairloom.kernel.steps.deal_halves import HalfLabels
    from pairloom.kernel.steps.deal_text import Labels, Reach, Survivors, Wanted

Buffers = npt.NDArray[np.int32]  # (n_buffers, tokens): what `Survivors` has of each token that stays

LONGEST_WHOLE_LINE = 5_000  # words, if the whole line is one window: 25 million pairs
MOST_POSITIONAL_CONTEXTS = 50_000_000
# A round takes short slices from all over the text, so that what is read last counts no more than the rest. Slices of a
# large corpus are longer: reading many short ones from a disk would take time.
TOKENS_PER_SLICE, MOST_SLICES = 1 << 10, 1 << 16
MOST_SURVIVORS = LONGEST_ROUND  # tokens of a round that are kept while it is dealt: 16 bytes each
_NO_SEED = 0  # held-out pairs do not depend on the seed
_AT_ONCE = 1 << 22  # tokens read at a time when the whole text is scanned


class _Chunk(NamedTuple):
    """A chunk of a round: slices of the text. Slice i has the sentences first[i] to last[i] - 1.

    Their buffers begin at column `at` of those of the round.
    """

    first: npt.NDArray[np.int64]
    last: npt.NDArray[np.int64]
    at: int
    tokens: int


class TextSlices(NamedTuple):
    """Slices of the text, in its order. Slice i has the sentences first[i] to last[i] - 1."""

    first: npt.NDArray[np.int64]
    last: npt.NDArray[np.int64]


class TextSource(Source):
    """The pairs of an encoded corpus."""

    unit = "words"
    unused_options = frozenset({"min_context_count"})

    def __init__(self, encoded: Encoded, config: TrainConfig) -> None:
        super().__init__(config)
        self.encoded, self.windows = encoded, Windows.of(config)
        vocabulary = encoded.vocabulary
        _check_windows(encoded, self.windows)
        keep = vocabulary.keep_probability(config.sample, config.subsampling)
        self.limit, self.kept = keep_limit(keep), math.fsum(vocabulary.counts * keep) / vocabulary.n_tokens
        self.words = WeightedNames(vocabulary.words, vocabulary.counts.astype(np.float64))
        self.contexts = _positional_contexts(encoded, self.windows) if config.positional else self.words
        self.one_vocabulary = not config.positional
        self.n_positions = encoded.n_tokens
        self.n_pairs = expected_pairs(encoded, keep, self.windows)
        self.word_share = shares(self.words.mass * keep)
        self.context_share = (
            shares(self.contexts.mass * np.repeat(keep, self.windows.n_offsets))
            if config.positional
            else self.word_share
        )
        self.record = {"sha256": encoded.digest, "tokens": encoded.n_tokens}
        self.heldout_limit = np.uint64(heldout_limit(encoded.n_sentences, self.n_pairs, config))
        # For each token that stays: its id, where its window begins and ends, and its place or its label. Hierarchical
        # softmax needs one number more, the label of its upper half.
        self.n_buffers = 5 if config.objective == "hs" else 4
        self._buffers = np.empty((self.n_buffers, 0), np.int32)

    @cached_property
    def reach(self) -> "Reach":
        """The windows in the form that the kernel takes."""
        from pairloom.kernel.steps.deal_text import Reach

        return Reach.of(self.windows)

    @cached_property
    def slice_edges(self) -> npt.NDArray[np.int64]:
        """Slice i of the text has the sentences slice_edges[i] to slice_edges[i + 1] - 1."""
        n = min(MOST_SLICES, -(-self.n_positions // TOKENS_PER_SLICE))
        tokens = np.arange(n + 1) * self.n_positions // n
        return np.unique(np.searchsorted(self.encoded.starts, tokens))  # a long sentence is a slice

    @cached_property
    def order(self) -> npt.NDArray[np.int64]:
        """The slices of the text, in the order in which rounds take them."""
        return spread_order(len(self.slice_edges) - 1)

    def rounds(self, edges: Sequence[float]) -> Iterator[Round]:
        """The rounds of an epoch. `first` and `last` count slices, in their order."""
        taken = np.append(0, np.cumsum(np.diff(self.encoded.starts[self.slice_edges])[self.order]))
        slices = np.unique(np.searchsorted(taken, [round(edge * self.n_positions) for edge in edges])).tolist()
        for number, (first, last) in enumerate(pairwise(slices)):
            yield Round(number, first, last, int(taken[first]), int(taken[last]))

    def slices(self, a_round: Round) -> TextSlices:
        """The slices of a round."""
        slices = np.sort(self.order[a_round.first : a_round.last])
        return TextSlices(self.slice_edges[slices], self.slice_edges[slices + 1])

    def count(
        self, epoch: int, a_round: Round, dealings: AnyDealings, pool: Workers, rows: range | None = None
    ) -> CountedRound:
        first, last = self.slices(a_round)
        at = np.append(0, np.cumsum(self.encoded.starts[last] - self.encoded.starts[first]))
        chunks = [
            _Chunk(first[a:b], last[a:b], int(at[a]), int(at[b] - at[a])) for a, b in ranges(at, TOKENS_PER_CHUNK)
        ]
        keep = self.kept * (a_round.end - a_round.begin) <= MOST_SURVIVORS
        if keep and self._buffers.shape[1] < a_round.end - a_round.begin:
            self._buffers = np.empty((self.n_buffers, a_round.end - a_round.begin), np.int32)
        of_round = _TextChunks(self, epoch, dealings, rows, self._buffers if keep else None)
        return self._counted(chunks, dealings, rows, of_round, pool)

    def heldout_pairs(self) -> Iterator[tuple[int, int]]:
        """The pairs of the held-out sentences, by the definition in `method/contexts.py`."""
        for first, draws in heldout_draws(self.encoded.n_sentences if self.heldout_limit else 0):
            for sentence in (first + np.flatnonzero(draws < self.heldout_limit)).tolist():
                begin, end = self.encoded.starts[sentence : sentence + 2].tolist()
                yield from sentence_pairs(
                    self.encoded.ids[begin:end],
                    begin,
                    windows=self.windows,
                    limit=self.limit,
                    keep_key=key(_NO_SEED, Purpose.KEEP),
                    window_key=key(_NO_SEED, Purpose.WINDOW),
                )
            self.encoded.release(first, first + len(draws))


class _TextChunks:
    """The chunks of a round (`source.RoundChunks`).

    The tokens that stay are found once and kept in the buffers of the round. Without these, they are found again
    whenever a chunk is dealt, in buffers for one chunk that each thread has.
    """

    def __init__(
        self, source: TextSource, epoch: int, dealings: AnyDealings, rows: range | None, buffers: "Buffers | None"
    ) -> None:
        from pairloom.kernel.steps.deal_text import TextDraws, Wanted

        seed, purposes = source.config.seed, (Purpose.KEEP, Purpose.WINDOW)
        keys = np.array([key(seed, purpose, epoch) for purpose in purposes] + [heldout_key()])
        self._encoded, self._windows, self._labels = source.encoded, source.windows, dealings.labels()
        self._in_halves = isinstance(dealings, HalfDealings)
        self._draws = TextDraws(source.limit, source.reach, keys, source.heldout_limit)
        self._rows = None if rows is None else Wanted(rows.start, rows.stop, 0, dealings.parts)
        self._n_buffers = source.n_buffers
        self._of_round, self._unused = buffers, list[Buffers]()
        self._listed = None if rows is None else True  # for kernels: whether words are listed by `put_labels`
        self._stay: dict[int, int] = {}  # how many tokens of a chunk stay, by its `at`
        self._words: dict[int, int] = {}  # how many of them are words of these rows

    def count(self, chunks: Sequence[_Chunk], counts: npt.NDArray[np.int64]) -> None:
        from pairloom.kernel.steps import deal_halves as halves
        from pairloom.kernel.steps import deal_text as kernel

        for chunk in chunks:
            with self._buffers_for(chunk) as buffers:
                survivors, labels, n = _survivors(buffers), self._labels_for(chunk), self._thin(chunk, buffers)
                if self._in_halves:
                    halves.put_half_labels(survivors, buffers[4], n, labels)
                    halves.count_halves(survivors, buffers[4], n, labels, counts, self._rows)
                elif self._windows.positional:
                    places = self._windows.left, self._windows.n_offsets
                    kernel.count_placed(survivors, n, *places, labels, counts, self._rows)
                else:
                    n = self._words[chunk.at] = kernel.put_labels(survivors, n, labels, self._rows)
                    kernel.count(survivors, n, labels, counts, self._listed)
        self._release(chunks)

    def write(
        self,
        chunks: Sequence[_Chunk],
        begins: npt.NDArray[np.int64],
        pairs: npt.NDArray[np.int64],
        wanted: "Wanted | None",
    ) -> None:
        from pairloom.kernel.steps import deal_halves as halves
        from pairloom.kernel.steps import deal_text as kernel

        for chunk in chunks:
            with self._buffers_for(chunk) as buffers:
                survivors, labels, kept = _survivors(buffers), self._labels_for(chunk), self._of_round is not None
                n = self._stay[chunk.at] if kept else self._thin(chunk, buffers)
                if self._in_halves:
                    if not kept:
                        halves.put_half_labels(survivors, buffers[4], n, labels)
                    halves.deal_halves(survivors, buffers[4], n, labels, begins, pairs, wanted)
                elif self._windows.positional:
                    places = self._windows.left, self._windows.n_offsets
                    kernel.deal_placed(survivors, n, *places, labels, begins, pairs, wanted)
                else:
                    n = self._words[chunk.at] if kept else kernel.put_labels(survivors, n, labels, self._rows)
                    kernel.deal(survivors, n, labels, begins, pairs, wanted, self._listed)
        if self._of_round is None:
            self._release(chunks)

    def _thin(self, chunk: _Chunk, buffers: "Buffers") -> int:
        """Find the tokens of a chunk that stay. Returns their number."""
        from pairloom.kernel.steps import deal_text as kernel

        slices = kernel.Slices(self._encoded.ids, self._encoded.starts, chunk.first, chunk.last)
        n: int = kernel.thin(slices, self._draws, _survivors(buffers))
        self._stay[chunk.at] = n
        return n

    @contextmanager
    def _buffers_for(self, chunk: _Chunk) -> "Iterator[Buffers]":
        if self._of_round is not None:
            yield self._of_round[:, chunk.at :]
            return
        buffers = self._unused.pop() if self._unused else np.empty((self._n_buffers, 0), np.int32)
        if buffers.shape[1] < chunk.tokens:
            buffers = np.empty((self._n_buffers, int(1.1 * chunk.tokens)), np.int32)
        yield buffers
        self._unused.append(buffers)

    def _labels_for(self, chunk: _Chunk) -> "Labels | HalfLabels":
        """The labels with a key for the survivors of this chunk, which are numbered from 0."""
        return self._labels._replace(key=key(int(self._labels.key), int(chunk.first[0])))

    def _release(self, chunks: Sequence[_Chunk]) -> None:
        self._encoded.release(int(chunks[0].first[0]), int(chunks[-1].last[-1]))


def _survivors(buffers: "Buffers") -> "Survivors":
    from pairloom.kernel.steps.deal_text import Survivors

    return Survivors(*buffers[:4])


def _check_windows(encoded: Encoded, windows: Windows) -> None:
    """Refuse windows that make more pairs or contexts than fit into memory."""
    if windows.left + windows.right > LONGEST_SENTENCE:
        starts = (encoded.starts[at : at + 1_000_001] for at in range(0, encoded.n_sentences, 1_000_000))
        longest = max(int(np.diff(some).max()) for some in starts)
        if longest > LONGEST_WHOLE_LINE:
            raise InputError(
                "With window=sentence all words of a line are contexts of each other, and the longest line has "
                f"{longest:,} words. Cut lines at {LONGEST_WHOLE_LINE:,} words or fewer with max_sentence, "
                "or use a window of 1 to 1000."
            )
    n_contexts = len(encoded.vocabulary) * windows.n_offsets if windows.positional else 0
    if n_contexts > MOST_POSITIONAL_CONTEXTS:
        raise InputError(
            f"{len(encoded.vocabulary):,} words at {windows.n_offsets:,} places make {n_contexts:,} positional "
            f"contexts, and {MOST_POSITIONAL_CONTEXTS:,} is the limit. Use a smaller window, or raise min_count."
        )


def expected_pairs(encoded: Encoded, keep_probability: Float64s, windows: Windows) -> float:
    """The expected number of pairs in an epoch: tokens that stay, times contexts per token."""
    vocabulary, tokens = encoded.vocabulary, encoded.n_tokens
    # The sum is exact. The order in which BLAS adds depends on the CPU.
    kept = math.fsum(vocabulary.counts * keep_probability) / vocabulary.n_tokens
    known = _n_known_tokens(encoded) if windows.clean else tokens
    share = kept * known / tokens  # of the positions whose token stays
    contexts = windows.contexts_per_word * (share if windows.clean else 1.0)
    if contexts > tokens / encoded.n_sentences:  # wider than sentences are long
        contexts = min(contexts, _mean_sentence_length(encoded) * share)
    return tokens * share * contexts


def _n_known_tokens(encoded: Encoded) -> int:
    """Tokens that are in the vocabulary, rather than gaps."""
    known = 0
    for first in range(0, encoded.n_tokens, _AT_ONCE):
        known += int(np.count_nonzero(encoded.ids[first : first + _AT_ONCE] >= 0))
        release_pages(encoded.ids, first, min(first + _AT_ONCE, encoded.n_tokens))
    return known


def _mean_sentence_length(encoded: Encoded) -> float:
    """The mean over tokens of the length of their sentence."""
    squares = 0.0
    for first in range(0, encoded.n_sentences, 1_000_000):
        squares += float((np.diff(encoded.starts[first : first + 1_000_001]).astype(np.float64) ** 2).sum())
    return squares / encoded.n_tokens


def _positional_contexts(encoded: Encoded, windows: Windows) -> WeightedNames:
    """The contexts word_offset, for example cat_-1, with the expected number of windows that each is in."""
    from pairloom.kernel.steps.deal_text import count_places

    n_words = len(encoded.vocabulary)
    counts = np.zeros(n_words * windows.n_offsets, np.int64)
    for first, last in ranges(encoded.starts, _AT_ONCE):
        count_places(encoded.ids, encoded.starts, first, last, windows.left, windows.right, counts)
        encoded.release(first, last)
    weights = np.concatenate([windows.weights(windows.left)[::-1], windows.weights(windows.right)])
    names = [f"{word}_{offset:+d}" for word in encoded.vocabulary.words for offset in windows.offsets]
    return WeightedNames(names, (counts.reshape(n_words, -1) * weights).ravel())
