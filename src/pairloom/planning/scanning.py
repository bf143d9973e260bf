"""How fast this machine turns text into pairs: `thin`, `count` and `deal`, timed on a text drawn from the counts."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.method.contexts import Windows, keep_limit
from pairloom.method.draws import Purpose, key
from pairloom.pairs.blocks import TOKENS_PER_CHUNK
from pairloom.pairs.parts import deal
from pairloom.pairs.source import Dealings
from pairloom.planning.timing import cpu_seconds
from pairloom.planning.workload import Workload
from pairloom.system.threads import Workers
from pairloom.types import Ids

MOST_WORDS = 1 << 22  # of a larger vocabulary: its tables, 50 MB, fit no cache either
CHUNKS_PER_THREAD = 4
SENTENCE = 64  # tokens; TOKENS_PER_CHUNK is a multiple of it


class _Text(NamedTuple):
    """Ids drawn from the counts, the probability that each word stays, and buffers for the tokens that stay."""

    ids: Ids
    keep: npt.NDArray[np.float64]
    buffers: npt.NDArray[np.int32]


def scanning_times(workload: Workload, cores: int, pool: Workers) -> tuple[float, float]:
    """Seconds that a thread needs to subsample a token and count its pairs, and seconds to write a pair."""
    from pairloom.kernel.steps import deal_text as kernel

    chunks = CHUNKS_PER_THREAD * cores
    text = _text(workload, chunks * TOKENS_PER_CHUNK)
    parts = workload.usual.parts
    dealing = deal(len(text.keep), np.arange(workload.words.hubs, dtype=np.int32), parts, key(1))
    labels = Dealings(dealing, dealing, key(1)).labels()
    windows = Windows.of(workload.config)
    # Windows of whole sentences and positional contexts have kernels of their own; these come near enough.
    reach = kernel.Reach.of(windows._replace(left=min(windows.left, 100), right=min(windows.right, 100)))
    keys = np.array([key(1, Purpose.KEEP, 0), key(1, Purpose.WINDOW, 0), key(1)])
    draws = kernel.TextDraws(keep_limit(text.keep), reach, keys, np.uint64(0))
    starts = np.arange(0, len(text.ids) + 1, SENTENCE)
    sentences = TOKENS_PER_CHUNK // SENTENCE
    counts = np.zeros((chunks, parts**2), np.int64)

    def count(chunk: int) -> int:
        counts[chunk] = 0
        span = kernel.SentenceSpan(text.ids, starts, chunk * sentences, (chunk + 1) * sentences)
        survivors = kernel.Survivors(*text.buffers[:, chunk * TOKENS_PER_CHUNK :])
        n: int = kernel.thin(span, draws, survivors)
        kernel.count(survivors, n, labels, counts[chunk])
        return n

    kept = list(pool.map(count, range(chunks)))
    token = cpu_seconds(lambda: list(pool.map(count, range(chunks)))) / len(text.ids)
    begins = np.cumsum(counts.T.ravel()).reshape(-1, chunks).T - counts
    pairs = np.empty(max(1, int(counts.sum())), np.int64)

    def write(chunk: int) -> None:
        survivors = kernel.Survivors(*text.buffers[:, chunk * TOKENS_PER_CHUNK :])
        kernel.deal(survivors, kept[chunk], labels, begins[chunk].copy(), pairs)

    list(pool.map(write, range(chunks)))
    return token, cpu_seconds(lambda: list(pool.map(write, range(chunks)))) / len(pairs)


def _text(workload: Workload, tokens: int) -> _Text:
    """Ids by rank, most frequent first. If there are more than MOST_WORDS words, ranks are scaled down."""
    bins, config = workload.words.bins, workload.config
    n = min(bins.n_words, MOST_WORDS)
    rng = np.random.default_rng(4)
    last = np.cumsum(bins.words)
    bin_of = rng.choice(len(bins.words), tokens, p=bins.counts * bins.words / bins.n_tokens)
    ranks = last[bin_of] - 1 - rng.random(tokens) * (bins.words[bin_of] - 1)
    scale = np.where(last > n / 2, n / bins.n_words, 1.0)[bin_of] if n < bins.n_words else 1.0
    keep = bins.kept(config.sample, config.subsampling)
    of_rank = keep[np.minimum(np.searchsorted(last, np.arange(n), side="right"), len(keep) - 1)]
    ids = np.minimum(ranks * scale, n - 1).astype(np.int32)
    return _Text(ids, of_rank, np.empty((4, tokens), np.int32))
