"""How fast this machine turns text into pairs: `thin`, `count` and `deal`, timed on a text drawn from the counts."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pairloom.advice.planning.timing import cpu_seconds
from pairloom.advice.planning.workload import Workload
from pairloom.method.contexts import Windows, keep_limit
from pairloom.method.draws import Purpose, key
from pairloom.pairs.blocks import TOKENS_PER_CHUNK
from pairloom.pairs.parts import deal
from pairloom.pairs.source import Dealings
from pairloom.system.threads import Workers
from pairloom.types import Float64s, Ids

if TYPE_CHECKING:  # the kernel brings Numba, which takes a second to import
    from pairloom.kernel.steps.deal_text import Survivors, TextDraws

MOST_WORDS = 1 << 22  # of a larger vocabulary: its tables, 50 MB, fit no cache either
CHUNKS_PER_THREAD = 4
SENTENCE = 64  # tokens; TOKENS_PER_CHUNK is a multiple of it
WIDEST = 100  # words to each side: wider windows, of whole sentences, are hardly slower for each pair


def scanning_times(workload: Workload, cores: int, pool: Workers) -> tuple[float, float]:
    """Seconds that a thread needs to subsample a token and draw its window, and to count and write a pair."""
    text = SampledText(workload, CHUNKS_PER_THREAD * cores)
    chunks = range(text.chunks)
    text.make_room(list(pool.map(text.count, chunks)))
    list(pool.map(text.write, chunks))  # compiles
    thinning, counting, writing = (
        cpu_seconds(partial(_run, pool, work, chunks)) for work in (text.thin, text.count, text.write)
    )
    return thinning / len(text.ids), (max(0.0, counting - thinning) + writing) / len(text.pairs)


def _run(pool: Workers, work: object, chunks: range) -> None:
    list(pool.map(work, chunks))  # type: ignore[arg-type]  # a method of SampledText


class SampledText:
    """A text drawn from the counts. Positional contexts have kernels of their own; those used here come near enough."""

    def __init__(self, workload: Workload, chunks: int) -> None:
        self.chunks, parts = chunks, workload.usual.parts
        self.ids, keep = _drawn_text(workload, chunks * TOKENS_PER_CHUNK)
        dealing = deal(len(keep), np.arange(workload.words.hubs, dtype=np.int32), parts, key(1))
        self._labels = Dealings(dealing, dealing, key(1)).labels()
        self._draws = _draws(workload, keep)
        self._starts = np.arange(0, len(self.ids) + 1, SENTENCE)
        self._buffers = np.empty((4, len(self.ids)), np.int32)
        self._counts = np.zeros((chunks, parts**2), np.int64)

    def _survivors(self, chunk: int) -> "Survivors":
        from pairloom.kernel.steps.deal_text import Survivors

        return Survivors(*self._buffers[:, chunk * TOKENS_PER_CHUNK :])

    def thin(self, chunk: int) -> int:
        """Subsample a chunk and draw windows. Returns how many tokens stay."""
        from pairloom.kernel.steps.deal_text import Slices, thin

        first, last = (np.array([n * TOKENS_PER_CHUNK // SENTENCE]) for n in (chunk, chunk + 1))
        slices = Slices(self.ids, self._starts, first, last)
        n: int = thin(slices, self._draws, self._survivors(chunk))
        return n

    def count(self, chunk: int) -> int:
        """`thin`, and count the pairs of each block."""
        from pairloom.kernel.steps.deal_text import count

        n = self.thin(chunk)
        self._counts[chunk] = 0
        count(self._survivors(chunk), n, self._labels, self._counts[chunk], None)
        return n

    def make_room(self, kept: list[int]) -> None:
        """Prepare to write the pairs that were counted. kept: what `count` returned for each chunk."""
        self._kept = kept
        self._begins = np.cumsum(self._counts.T.ravel()).reshape(-1, self.chunks).T - self._counts
        self.pairs = np.empty(max(1, int(self._counts.sum())), np.int64)

    def write(self, chunk: int) -> None:
        """Write the pairs of a chunk to their blocks."""
        from pairloom.kernel.steps.deal_text import deal

        survivors, begins = self._survivors(chunk), self._begins[chunk].copy()
        deal(survivors, self._kept[chunk], self._labels, begins, self.pairs, None)


def _draws(workload: Workload, keep: Float64s) -> "TextDraws":
    from pairloom.kernel.steps.deal_text import Reach, TextDraws

    windows = Windows.of(workload.config)
    reach = Reach.of(windows._replace(left=min(windows.left, WIDEST), right=min(windows.right, WIDEST)))
    keys = np.array([key(1, Purpose.KEEP, 0), key(1, Purpose.WINDOW, 0), key(1)])
    return TextDraws(keep_limit(keep), reach, keys, np.uint64(0))


def _drawn_text(workload: Workload, tokens: int) -> tuple[Ids, npt.NDArray[np.float64]]:
    """Ids, and the probability that each word stays. If there are more than MOST_WORDS words, ranks are scaled down."""
    bins, config = workload.words.bins, workload.config
    n, rng, last = min(bins.n_words, MOST_WORDS), np.random.default_rng(4), np.cumsum(bins.words)
    bin_of = rng.choice(len(bins.words), tokens, p=bins.counts * bins.words / bins.n_tokens)
    ranks = last[bin_of] - 1 - rng.random(tokens) * (bins.words[bin_of] - 1)
    scale = np.where(last > n / 2, n / bins.n_words, 1.0)[bin_of] if n < bins.n_words else 1.0
    keep = bins.kept(config.sample, config.subsampling)
    of_rank = keep[np.minimum(np.searchsorted(last, np.arange(n), side="right"), len(keep) - 1)]
    return np.minimum(ranks * scale, n - 1).astype(np.int32), of_rank
