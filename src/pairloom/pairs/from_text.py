"""Text as a source of pairs: ids are thinned and windows are taken anew in every epoch."""

import math
from collections.abc import Iterator
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.config import LONGEST_SENTENCE, TrainConfig
from pairloom.corpus.encoding import Encoded, release_pages
from pairloom.errors import InputError
from pairloom.method.contexts import Windows, keep_limit, sentence_pairs
from pairloom.method.draws import Purpose, heldout_key, key
from pairloom.pairs.blocks import TOKENS_PER_CHUNK, ranges
from pairloom.pairs.source import Dealt, Round, Source, WeightedNames, heldout_limit, item_draws
from pairloom.system.threads import Workers
from pairloom.types import Float64s, Ids

if TYPE_CHECKING:  # the kernel brings Numba
    from pairloom.kernel.steps.deal_text import Parts, Reach

LONGEST_WHOLE = 5_000  # words of a line that is one window, which makes 25 million pairs
MOST_PLACED = 50_000_000  # positional contexts
_FIXED = 0  # stands where the seed and the epoch would, in what does not depend on them


class _Chunk(NamedTuple):
    """Sentences first..last-1, which work in the memory of their round from `at` on."""

    first: int
    last: int
    at: int


class TextSource(Source):
    """The pairs of an encoded corpus."""

    unit = "words"
    unused = frozenset({"min_context_count"})
    without_pairs = (
        "No line of the corpus keeps two words after min_count and sample, so there are no pairs to learn from. "
        "Put several words on a line, or lower min_count."
    )

    def __init__(self, encoded: Encoded, config: TrainConfig) -> None:
        super().__init__(config)
        self.encoded, self.windows = encoded, Windows.of(config)
        vocabulary = encoded.vocabulary
        _check_windows(encoded, self.windows)
        keep = vocabulary.keep_probability(config.sample, config.subsampling)
        self.limit = keep_limit(keep)
        self.words = WeightedNames(vocabulary.words, vocabulary.counts.astype(np.float64))
        self.contexts = _placed(encoded, self.windows) if config.positional else self.words
        self.same = not config.positional
        self.n_positions = encoded.n_tokens
        self.n_pairs = expected_pairs(encoded, keep, self.windows)
        self.record = {"sha256": encoded.digest, "tokens": encoded.n_tokens}
        self.heldout_limit = np.uint64(heldout_limit(encoded.n_sentences, self.n_pairs, config))
        self._room = np.empty((4, 0), np.int32)  # of each survivor: word, first and last context, place or part

    @cached_property
    def reach(self) -> "Reach":
        from pairloom.kernel.steps.deal_text import Reach

        return Reach.of(self.windows)

    def rounds(self, pairs: int) -> Iterator[Round]:
        tokens = -(-self.n_positions // max(1, math.ceil(self.n_pairs / pairs)))  # no short one is left over
        starts = self.encoded.starts
        for number, (first, last) in enumerate(ranges(starts, tokens)):
            yield Round(number, first, last, int(starts[first]), int(starts[last]))

    def deal(self, epoch: int, a_round: Round, parts: int, word_part: Ids, context_part: Ids, pool: Workers) -> Dealt:
        from pairloom.kernel.steps.deal_text import Parts

        starts = self.encoded.starts[a_round.first : a_round.last + 1]
        if self._room.shape[1] < a_round.end - a_round.begin:
            self._room = np.empty((4, a_round.end - a_round.begin), np.int32)
        chunks = [
            _Chunk(a_round.first + a, a_round.first + b, int(starts[a] - starts[0]))
            for a, b in ranges(starts, TOKENS_PER_CHUNK)
        ]
        keys = np.array([key(self.config.seed, p, epoch) for p in (Purpose.KEEP, Purpose.WINDOW)] + [heldout_key()])
        where = Parts(parts, word_part, context_part)
        dealt = self._deal_chunks(chunks, parts, partial(self._count, keys, where), partial(self._write, where), pool)
        self.encoded.release(a_round.first, a_round.last)
        return dealt

    def _count(
        self,
        keys: npt.NDArray[np.uint64],
        where: "Parts",
        chunk: _Chunk,
        counts: npt.NDArray[np.int64],
    ) -> int:
        """Thin a chunk into its memory and count its pairs; gives the number of its survivors."""
        from pairloom.kernel.steps import deal_text as pairs

        survivors = pairs.Survivors(*self._room[:, chunk.at :])
        sentences = pairs.SentenceSpan(self.encoded.ids, self.encoded.starts, chunk.first, chunk.last)
        draws = pairs.TextDraws(self.limit, self.reach, keys, self.heldout_limit)
        n: int = pairs.thin(sentences, draws, survivors)
        if self.windows.positional:
            pairs.count_placed(survivors, n, self.windows.left, self.windows.n_offsets, where, counts)
        else:
            pairs.count(survivors, n, where, counts)
        return n

    def _write(
        self,
        where: "Parts",
        chunk: _Chunk,
        n: int,
        places: npt.NDArray[np.int64],
        dealt: npt.NDArray[np.int64],
    ) -> None:
        from pairloom.kernel.steps import deal_text as pairs

        survivors = pairs.Survivors(*self._room[:, chunk.at :])
        if self.windows.positional:
            pairs.deal_placed(survivors, n, self.windows.left, self.windows.n_offsets, where, places, dealt)
        else:
            pairs.deal(survivors, n, where, places, dealt)

    def heldout_pairs(self) -> Iterator[tuple[int, int]]:
        """The pairs of the held-out sentences, by the definition in `contexts.py`."""
        for first, draws in item_draws(self.encoded.n_sentences if self.heldout_limit else 0):
            for sentence in (first + np.flatnonzero(draws < self.heldout_limit)).tolist():
                begin, end = self.encoded.starts[sentence : sentence + 2].tolist()
                yield from sentence_pairs(
                    self.encoded.ids[begin:end],
                    begin,
                    windows=self.windows,
                    limit=self.limit,
                    keep_key=key(_FIXED, Purpose.KEEP),
                    window_key=key(_FIXED, Purpose.WINDOW),
                )
            self.encoded.release(first, first + len(draws))


def _check_windows(encoded: Encoded, windows: Windows) -> None:
    """Refuse what would not fit into memory."""
    if windows.left + windows.right > LONGEST_SENTENCE:
        starts = (encoded.starts[at : at + 1_000_001] for at in range(0, encoded.n_sentences, 1_000_000))
        longest = max(int(np.diff(some).max()) for some in starts)
        if longest > LONGEST_WHOLE:
            raise InputError(
                f"The longest line has {longest:,} words, and with window=sentence each is a context of every other. "
                f"Cut lines at {LONGEST_WHOLE:,} words or less by max_sentence, or use a window of 1 to 1000."
            )
    n_contexts = len(encoded.vocabulary) * windows.n_offsets if windows.positional else 0
    if n_contexts > MOST_PLACED:
        raise InputError(
            f"{len(encoded.vocabulary):,} words at {windows.n_offsets:,} places make {n_contexts:,} positional "
            f"contexts; {MOST_PLACED:,} is the limit. Use a smaller window, or raise min_count."
        )


def expected_pairs(encoded: Encoded, keep_probability: Float64s, windows: Windows) -> float:
    """About how many pairs an epoch has: survivors times contexts, which a sentence has no more of than words."""
    vocabulary, tokens = encoded.vocabulary, encoded.n_tokens
    kept = math.fsum(vocabulary.counts * keep_probability) / vocabulary.n_tokens  # exact: BLAS' order varies by CPU
    known = _known(encoded) if windows.clean else tokens
    share = kept * known / tokens  # of the places that have a survivor
    contexts = windows.contexts_per_word * (share if windows.clean else 1.0)
    if contexts > tokens / encoded.n_sentences:
        contexts = min(contexts, _mean_length(encoded) * share)
    return tokens * share * contexts


def _known(encoded: Encoded) -> int:
    """Tokens that are not gaps."""
    known = 0
    for first in range(0, encoded.n_tokens, 1 << 22):
        known += int(np.count_nonzero(encoded.ids[first : first + (1 << 22)] >= 0))
        release_pages(encoded.ids, first, min(first + (1 << 22), encoded.n_tokens))
    return known


def _mean_length(encoded: Encoded) -> float:
    """Of the sentence that a token is in."""
    squares = 0.0
    for first in range(0, encoded.n_sentences, 1_000_000):
        squares += float((np.diff(encoded.starts[first : first + 1_000_001]).astype(np.float64) ** 2).sum())
    return squares / encoded.n_tokens


def _placed(encoded: Encoded, windows: Windows) -> WeightedNames:
    """The contexts of which each is a word and its place, with how often they occur in windows."""
    from pairloom.kernel.steps.deal_text import count_places

    n_words = len(encoded.vocabulary)
    counts = np.zeros(n_words * windows.n_offsets, np.int64)
    for first, last in ranges(encoded.starts, 1 << 22):
        count_places(encoded.ids, encoded.starts, first, last, windows.left, windows.right, counts)
        encoded.release(first, last)
    weights = np.concatenate([windows.weights(windows.left)[::-1], windows.weights(windows.right)])
    names = [f"{word}_{offset:+d}" for word in encoded.vocabulary.words for offset in windows.offsets]
    return WeightedNames(names, (counts.reshape(n_words, -1) * weights).ravel())
