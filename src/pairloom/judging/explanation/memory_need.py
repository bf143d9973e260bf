"""The memory that explaining a model needs, item by item. All of it is known before the corpus is read.

The pair counts themselves are in memory-mapped files. How much text is counted at a time depends on the memory left.
"""

from typing import NamedTuple

from pairloom.config import TrainConfig
from pairloom.corpus.decoding import READ_AHEAD_BYTES
from pairloom.judging.explanation.fit import MOST_SAMPLED, PAIRS_PER_PIECE
from pairloom.judging.explanation.windows import MOST_TOKENS
from pairloom.method.contexts import Windows
from pairloom.pairs.cooccurrence import ENTRIES_PER_PIECE, TOKENS_PER_SLAB
from pairloom.system.display import number_of
from pairloom.system.memory import Budget, MemoryItem
from pairloom.training.memory_need import STRING, total
from pairloom.vectors.embedding import Embedding

PER_NAME = 260  # bytes per word: in a tuple, as a key, in the lookup table, its counts, limits and bands
PER_TOKEN = 12  # bytes per token of a slab: its word, its position, and copies while they are sorted
PER_SAMPLE = 160  # bytes per pair whose ranks are compared: as drawn, concatenated, and sorted
SMALLEST_SLAB = 1 << 20  # tokens
_ADVICE = "Take fewer threads, or train with max_vocab"


class ExplanationSizes(NamedTuple):
    """The sizes that the memory need is computed from."""

    n_words: int
    n_letters: int  # of the words
    n_contexts: int
    dim: int
    n_tokens: int
    epochs: int
    n_pairs: int  # upper bound on the number of different pairs

    @classmethod
    def of(cls, embedding: Embedding, config: TrainConfig) -> "ExplanationSizes":
        words = embedding.words
        epochs = config.epochs if config.sample else 1
        n_letters, n_tokens, windows = sum(map(len, words.words)), int(words.counts.sum()), Windows.of(config)
        n_pairs = min(len(words) ** 2, epochs * n_tokens * (windows.left + windows.right))
        return cls(len(words), n_letters, len(embedding.contexts), words.dim, n_tokens, epochs, n_pairs)


def tokens_per_slab(budget: Budget, sizes: ExplanationSizes, threads: int, everything: bool = True) -> int:
    """Choose how many tokens to count at a time, or refuse if too little memory is left.

    everything: plan for the whole report, not only for the counts.
    """
    tokens = min(TOKENS_PER_SLAB, max(SMALLEST_SLAB, sizes.n_tokens))
    choices = [tokens >> n for n in range(tokens.bit_length()) if tokens >> n >= SMALLEST_SLAB]
    need_of = {tokens: total(counting_need(sizes, threads, tokens)) for tokens in choices}
    available = budget.spare()
    fitting = [tokens for tokens, size in need_of.items() if available is None or size <= available]
    tokens = fitting[0] if fitting else min(need_of, key=need_of.__getitem__)
    needs = [counting_need(sizes, threads, tokens), *([measuring_need(sizes, threads)] if everything else [])]
    budget.check(max(needs, key=total), _ADVICE)
    return tokens


def counting_need(sizes: ExplanationSizes, threads: int, tokens: int) -> list[MemoryItem]:
    """The memory to read the text and count its pairs, `tokens` at a time."""
    runs = 1 + sizes.epochs * -(-sizes.n_tokens // tokens)
    reading, rows = (
        READ_AHEAD_BYTES * threads,
        threads * (8 * sizes.n_words + 60 * min(ENTRIES_PER_PIECE, sizes.n_pairs)),
    )
    counting = rows + 24 * (sizes.n_words + 1) * runs + PER_TOKEN * tokens
    return [
        _names(sizes),
        MemoryItem("for text" if reading > counting else "for counting pairs", max(reading, counting)),
    ]


def measuring_need(sizes: ExplanationSizes, threads: int) -> list[MemoryItem]:
    """The memory to compare the model with the counts."""
    piece = 40 * min(sizes.n_pairs, max(PAIRS_PER_PIECE, sizes.n_words))
    observed = (2 * threads + 1) * piece + PER_SAMPLE * min(MOST_SAMPLED, sizes.n_pairs) + 48 * sizes.n_words
    contexts, rows = 4 * sizes.dim * (sizes.n_contexts + 64), 2 * 8 * sizes.dim * ((1 << 14) + sizes.dim)
    text = 32 * min(MOST_TOKENS, sizes.n_tokens)
    return [_names(sizes), MemoryItem("for measuring pairs", max(observed, contexts + rows, text))]


def check_similarity_memory(budget: Budget, embedding: Embedding) -> None:
    """Refuse a model whose contexts do not fit in memory as float64."""
    n, dim = len(embedding.contexts), embedding.dim
    size = 8 * dim * n + 4 * 8 * dim * dim + 100 * n
    budget.check(
        [MemoryItem(f"for {number_of(n, 'context')} of dim {dim} in float64", size)], "Use a model with fewer contexts"
    )


def _names(sizes: ExplanationSizes) -> MemoryItem:
    size = (PER_NAME + STRING) * sizes.n_words + 2 * sizes.n_letters
    return MemoryItem(f"for the names of {number_of(sizes.n_words, 'word')}", size)
