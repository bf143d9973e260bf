"""What explaining a model takes, item by item; all of it is known before the corpus is read.

The counts of pairs themselves are mapped files. How much text is counted at a time depends on the room that there is.
"""

from typing import NamedTuple

from pairloom.config import TrainConfig
from pairloom.corpus.decoding import READ_AHEAD_BYTES
from pairloom.explanation.fit import PAIRS_PER_PIECE, SAMPLED
from pairloom.explanation.windows import MOST_TOKENS
from pairloom.method.contexts import Windows
from pairloom.pairs.cooccurrence import ENTRIES_PER_PIECE, TOKENS_PER_SLAB
from pairloom.system.memory import Budget, MemoryItem
from pairloom.training.memory_need import STRING, total
from pairloom.vectors.embedding import Embedding

PER_NAME = 260  # bytes of a word: in a tuple, as a key, in the table that finds it, its counts, limits and bands
PER_TOKEN = 12  # of a slab: its word, its place, and what passes while these are sorted
PER_SAMPLE = 160  # of a pair whose ranks are compared: as it was drawn, put together, and sorted
SMALLEST_SLAB = 1 << 20  # tokens
_ADVICE = "Take fewer threads, or train with max_vocab"


class ExplanationSizes(NamedTuple):
    """What the need follows from."""

    n_words: int
    n_letters: int  # of their names
    n_contexts: int
    dim: int
    n_tokens: int
    epochs: int
    n_pairs: int  # that are different, at most

    @classmethod
    def of(cls, embedding: Embedding, config: TrainConfig) -> "ExplanationSizes":
        words = embedding.words
        epochs = config.epochs if config.sample else 1
        n_letters, n_tokens, windows = sum(map(len, words.words)), int(words.counts.sum()), Windows.of(config)
        n_pairs = min(len(words) ** 2, epochs * n_tokens * (windows.left + windows.right))
        return cls(len(words), n_letters, len(embedding.contexts), words.dim, n_tokens, epochs, n_pairs)


def slab(budget: Budget, sizes: ExplanationSizes, threads: int, everything: bool = True) -> int:
    """How many tokens are counted at a time, if all fits; else a refusal. everything: not the counts alone."""
    tokens = min(TOKENS_PER_SLAB, max(SMALLEST_SLAB, sizes.n_tokens))
    choices = [tokens >> n for n in range(tokens.bit_length()) if tokens >> n >= SMALLEST_SLAB]
    of_choice = {tokens: total(counting_need(sizes, threads, tokens)) for tokens in choices}
    room = budget.room()
    fitting = [tokens for tokens, size in of_choice.items() if room is None or size <= room]
    tokens = fitting[0] if fitting else min(of_choice, key=of_choice.__getitem__)
    needs = [counting_need(sizes, threads, tokens), *([measuring_need(sizes, threads)] if everything else [])]
    budget.check(max(needs, key=total), _ADVICE)
    return tokens


def counting_need(sizes: ExplanationSizes, threads: int, tokens: int) -> list[MemoryItem]:
    """What it takes to read the text and to count its pairs, so many tokens at a time."""
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
    """What it takes to ask the model about them."""
    piece = 40 * min(sizes.n_pairs, max(PAIRS_PER_PIECE, sizes.n_words))
    observed = (2 * threads + 1) * piece + PER_SAMPLE * min(SAMPLED, sizes.n_pairs) + 48 * sizes.n_words
    contexts, rows = 4 * sizes.dim * (sizes.n_contexts + 64), 2 * 8 * sizes.dim * ((1 << 14) + sizes.dim)
    text = 32 * min(MOST_TOKENS, sizes.n_tokens)
    return [_names(sizes), MemoryItem("for what is asked of pairs", max(observed, contexts + rows, text))]


def check_similarity(budget: Budget, embedding: Embedding) -> None:
    """Refuse contexts that do not fit in float64."""
    n, dim = len(embedding.contexts), embedding.dim
    size = 8 * dim * n + 4 * 8 * dim * dim + 100 * n
    budget.check([MemoryItem(f"for {n:,} contexts of dim {dim} in float64", size)], "Take a model of fewer contexts")


def _names(sizes: ExplanationSizes) -> MemoryItem:
    size = (PER_NAME + STRING) * sizes.n_words + 2 * sizes.n_letters
    return MemoryItem(f"for the names of {sizes.n_words:,} words", size)
