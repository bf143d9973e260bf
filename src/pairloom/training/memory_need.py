"""How much memory a training needs, item by item, from its options and the sizes of its vocabularies.

Each number stands for an array (or list) that training makes. Of several that are never there at the same time, the
largest counts. docs/memory.md explains the same for users, and how it was measured.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from pairloom.cluster.rounds import PAIRS_AT_ONCE, steps_at_once
from pairloom.config import TrainConfig
from pairloom.corpus.decoding import READ_AHEAD_BYTES
from pairloom.corpus.vocabulary import Vocabulary
from pairloom.method.contexts import Windows
from pairloom.pairs.blocks import LONGEST_ROUND, TOKENS_PER_CHUNK, Division, stride_of
from pairloom.pairs.from_pairs import MOST_COPIES, MOST_PASSES, PairSource
from pairloom.pairs.from_text import LONGEST_WHOLE_LINE, MOST_SURVIVORS, TextSource
from pairloom.pairs.halves import MOST_TOP_NODES
from pairloom.pairs.hubs import most_hubs
from pairloom.pairs.segments import tokens_per_segment
from pairloom.pairs.source import FEWEST_STRETCHES, LARGEST_SHARE, MOST_COUNTS, MOST_HELDOUT, Source, WeightedNames
from pairloom.system.display import number_of
from pairloom.system.memory import Budget, MemoryItem
from pairloom.training.heldout import WORDS_AT_ONCE
from pairloom.training.softmax import ROWS_AT_ONCE
from pairloom.types import Float64s

STRING = 64  # bytes of a Python string without its characters, and of its entry in a list
PER_NAME = 40  # mass, count, limit, and its entry in the lists of the finished model
PER_CONTEXT = 64  # noise, parts and alias tables, and what is needed to make them
PER_PAIR_KEPT_ASIDE = 130  # as tuples, while they are collected
PER_NODE = 530  # of the tree of hierarchical softmax: its name, the paths through it, and their halves
WORDS_AROUND = 20  # if a window is a whole line, whose length is not known yet
BESIDE_SINGULAR = 128  # numbers for each word: columns of the basis beyond 3 * dim, and blocks in work
SLABS = 12 * (1 << 25)  # bytes of text whose pairs sppmi-svd counts at a time


class TrainingSizes(NamedTuple):
    """What the need is computed from."""

    words: Float64s  # the mass of each
    contexts: Float64s
    name_bytes: int  # of all names
    n_positions: int  # tokens of the text, or pairs, in an epoch
    kept: float  # the share of them that subsampling keeps
    n_pairs: float  # in an epoch
    n_weights: int = 0


def check_smallest(budget: Budget, config: TrainConfig) -> None:
    """Refuse options that would not fit even with a vocabulary of two words."""
    budget.check(_model(config, 2, 2), "Lower dim")


class MemoryCheck(NamedTuple):
    """Checks that a training fits into memory, as soon as its sizes are known.

    driver: workers have the matrices and train, and this process does neither.
    """

    budget: Budget
    config: TrainConfig
    threads: int
    driver: bool = False

    def names(self, n_words: int, n_contexts: int) -> None:
        """Refuse vocabularies that would not fit even with the shortest names."""
        names = MemoryItem("for their names", (STRING + PER_NAME) * (n_words + n_contexts))
        self.budget.check([names] if self.driver else [*_model(self.config, n_words, n_contexts), names])

    def text(self, vocabulary: Vocabulary) -> None:
        """Refuse a text whose vocabulary does not fit."""
        encoding = encoding_need(len(vocabulary), sum(map(len, vocabulary.words)), self.threads)
        self.budget.check(max(encoding, self._need(of_text(vocabulary, self.config)), key=total))

    def pairs(self, words: WeightedNames, contexts: WeightedNames, n_pairs: int, weighted: bool) -> None:
        """Refuse pairs whose vocabularies do not fit."""
        self.budget.check(self._need(of_pairs(words, contexts, n_pairs, weighted)))

    def _need(self, sizes: TrainingSizes) -> list[MemoryItem]:
        if self.driver:
            return [_names(sizes), _kept_aside(self.config, sizes, self.threads)]
        return training_need(self.config, sizes, self.threads)


def of_text(vocabulary: Vocabulary, config: TrainConfig) -> TrainingSizes:
    """The sizes of a text, from its vocabulary alone."""
    windows = Windows.of(config)
    keep = vocabulary.keep_probability(config.sample, config.subsampling)
    tokens, mass = vocabulary.n_tokens, vocabulary.counts.astype(np.float64)
    kept = float(mass @ keep) / tokens
    n_bytes = sum(map(len, vocabulary.words))
    per_word = WORDS_AROUND if config.window == "sentence" else windows.contexts_per_word
    if config.positional:
        contexts = np.repeat(mass, windows.n_offsets)
        n_bytes += windows.n_offsets * (n_bytes + (STRING + 4) * len(vocabulary))
        return TrainingSizes(mass, contexts, n_bytes, tokens, kept, tokens * kept * per_word)
    return TrainingSizes(mass, mass, n_bytes, tokens, kept, tokens * kept * per_word)


def of_pairs(words: WeightedNames, contexts: WeightedNames, n_pairs: int, weighted: bool) -> TrainingSizes:
    """The sizes of given pairs."""
    n_bytes = sum(map(len, words.names)) + sum(map(len, contexts.names)) + STRING * len(contexts.names)
    total = float(words.mass.sum()) if weighted else float(n_pairs)
    return TrainingSizes(words.mass, contexts.mass, n_bytes, n_pairs, 1.0, max(total, 1.0), n_pairs if weighted else 0)


def spare_memory(budget: Budget, source: Source, threads: int) -> int | None:
    """Bytes that a training leaves free. None if the system does not report memory."""
    config = source.config
    if isinstance(source, TextSource):
        sizes = of_text(source.encoded.vocabulary, config)
    else:
        assert isinstance(source, PairSource)
        sizes = of_pairs(source.words, source.contexts, source.n_positions, source.weighted)
    return budget.spare(training_need(config, sizes, threads))


def training_need(config: TrainConfig, sizes: TrainingSizes, threads: int) -> list[MemoryItem]:
    """What training needs."""
    n_words, n_contexts, names = len(sizes.words), len(sizes.contexts), _names(sizes)
    if config.model == "sppmi-svd":
        return [names, *_factored(config, sizes, threads)]
    items = [*_model(config, n_words, n_contexts), names, _kept_aside(config, sizes, threads)]
    if config.objective == "softmax":
        return [*items, *_softmax(config, sizes)]
    noise = MemoryItem("for noise", PER_CONTEXT * n_contexts)
    tree = MemoryItem("for the tree", PER_NODE * n_contexts)
    items.append(tree if config.objective == "hs" else noise)
    return [*items, *(_blocks(config, sizes, threads) if config.trains_in_blocks else [_segments(sizes, threads)])]


def _names(sizes: TrainingSizes) -> MemoryItem:
    n_words, n_contexts = len(sizes.words), len(sizes.contexts)
    size = sizes.name_bytes + (STRING + PER_NAME) * n_words + PER_NAME * (n_contexts if n_contexts != n_words else 0)
    return MemoryItem(f"for the names of {number_of(n_words, 'word')}", size)


def _kept_aside(config: TrainConfig, sizes: TrainingSizes, threads: int) -> MemoryItem:
    return MemoryItem("for what is held out", _heldout(config, sizes) + _copied(config, threads))


def encoding_need(n_words: int, n_bytes: int, threads: int) -> list[MemoryItem]:
    """What encoding a text needs. n_bytes: of all names."""
    names = MemoryItem(f"for the names of {number_of(n_words, 'word')}", n_bytes + STRING * n_words)
    return [
        names,
        MemoryItem("to find them", 64 * n_words + n_bytes),
        MemoryItem("for text", READ_AHEAD_BYTES * threads),
    ]


def _model(config: TrainConfig, n_words: int, n_contexts: int) -> list[MemoryItem]:
    size = 4 * stride_of(config.dim) * (n_words + n_contexts)
    what = f"for {number_of(n_words, 'word')} and {number_of(n_contexts, 'context')} of dim {config.dim}"
    return [MemoryItem(what, size), MemoryItem("for the best state of them", 0 if config.patience is None else size)]


def _blocks(config: TrainConfig, sizes: TrainingSizes, threads: int) -> list[MemoryItem]:
    """The pairs of a round, and the buffers of the threads."""
    n_words, n_contexts, in_halves = len(sizes.words), len(sizes.contexts), config.objective == "hs"
    sizes = sizes._replace(n_pairs=2 * sizes.n_pairs) if in_halves else sizes
    whole = sizes.n_pairs * config.epochs
    division = Division.of(n_words, n_contexts, config.dim, config.negatives, whole)
    division = division.of_halves(whole) if in_halves else division
    pairs = int(min(sizes.n_pairs, division.most_pairs(sizes.n_pairs, config.epochs)))
    positions = -(-sizes.n_positions * pairs // max(1, int(sizes.n_pairs)))
    parts, hubs = division.parts_of(pairs), MOST_TOP_NODES if in_halves else most_hubs(division.parts)
    at_once = steps_at_once(pairs, parts, PAIRS_AT_ONCE) / parts
    weight = max(1.0, sizes.n_pairs / sizes.n_positions) if sizes.n_weights else 1.0
    passes = int(min(MOST_PASSES, 4 * weight)) if sizes.n_weights else 1
    chunks = (positions // TOKENS_PER_CHUNK + 1) * passes
    counts = min(chunks, max(FEWEST_STRETCHES, MOST_COUNTS // parts**2)) * parts**2
    copies = min(int(positions * min(MOST_PASSES, 2 * weight)), MOST_COPIES)
    dealt = (
        int(9 * at_once * pairs)
        + (20 if in_halves else 16) * int(min(positions * sizes.kept, MOST_SURVIVORS))
        + 4 * (sizes.n_weights + copies)
        + int((8 + 24 * at_once) * counts)
    )
    block = min(pairs, 4 * pairs // parts**2 + 1000)  # blocks differ in size
    contexts = n_contexts // division.fewest_parts + hubs
    plan = 64 * block if in_halves else block // 6 * 8 * (12 + config.negatives)
    room = plan + 4 * block + 32 * contexts
    hub_rows = 2 * 4 * stride_of(config.dim) * division.parts * hubs if division.parts > 1 else 0
    return [
        MemoryItem("for copies of frequent rows", hub_rows),
        MemoryItem("for the pairs of a round", dealt),
        MemoryItem(f"for {threads} threads", threads * (room + 2_000_000)),
    ]


def _round(sizes: TrainingSizes, most: int) -> tuple[int, int, int]:
    """How many rounds an epoch has, and how many pairs and positions are in one."""
    rounds = max(1, int(-(-sizes.n_pairs // most)))
    return rounds, int(sizes.n_pairs / rounds), -(-sizes.n_positions // rounds)


def _heldout(config: TrainConfig, sizes: TrainingSizes) -> int:
    share = max(config.heldout, LARGEST_SHARE) if config.heldout else 0.0
    n = int(min(MOST_HELDOUT, share * sizes.n_pairs))
    return n * (PER_PAIR_KEPT_ASIDE + 16 * config.negatives) + 16 * len(sizes.contexts)


def _copied(config: TrainConfig, threads: int) -> int:
    """Rows copied in float64 for the held-out loss: two of each pair, or the words, sums and means of windows."""
    if not config.heldout:
        return 0
    if config.objective == "softmax":
        return 2 * (4 + 8) * config.dim * ROWS_AT_ONCE
    windows = Windows.of(config)
    words = max(WORDS_AT_ONCE, min(windows.left + windows.right, LONGEST_WHOLE_LINE))
    return threads * (4 + 8 + 8 + 8) * config.dim * words if config.model == "cbow" else 0


def _segments(sizes: TrainingSizes, threads: int) -> MemoryItem:
    return MemoryItem("for text", (6 + threads) * 20 * tokens_per_segment(sizes.n_positions))


def _softmax(config: TrainConfig, sizes: TrainingSizes) -> list[MemoryItem]:
    """Adagrad's squares, products with all contexts, and the distinct pairs of an epoch."""
    n_words, n_contexts = len(sizes.words), len(sizes.contexts)
    rounds, pairs, positions = _round(sizes, LONGEST_ROUND)
    in_round = distinct(sizes.words, sizes.contexts, pairs)
    counted = 60 * in_round * rounds + 32 * pairs + 16 * positions
    squares = 4 * stride_of(config.dim) * (n_words + n_contexts)
    return [
        MemoryItem("for their squares", squares + 512 * n_contexts),
        MemoryItem("for counting pairs", int(counted)),
    ]


def _factored(config: TrainConfig, sizes: TrainingSizes, threads: int) -> list[MemoryItem]:
    n = len(sizes.words)
    entries = distinct(sizes.words, sizes.contexts, sizes.n_pairs)
    slab = min(SLABS, 12 * sizes.n_positions) + threads * (8 * n + 60_000_000)
    return [
        MemoryItem("for counting pairs", slab),
        MemoryItem("for the table", int(40 * entries)),
        MemoryItem(f"for singular vectors of dim {config.dim}", 8 * n * (8 * config.dim + BESIDE_SINGULAR)),
    ]


def distinct(words: Float64s, contexts: Float64s, n_pairs: float) -> float:
    """How many distinct pairs are among n_pairs if words and contexts are independent. Real text has fewer.

    Σ_w Σ_c 1 - exp(-n p(w) p(c)),    summed over bins of words and of contexts with nearly the same p
    """
    (p_w, n_w), (p_c, n_c) = _binned(words), _binned(contexts)
    return float((n_w[:, None] * n_c * -np.expm1(-n_pairs * p_w[:, None] * p_c)).sum())


def _binned(mass: Float64s) -> tuple[Float64s, Float64s]:
    """The mean probability in each bin, and the size of the bin."""
    bins = np.floor(8 * np.log2(np.maximum(mass, 1e-9))).astype(np.int64)
    _, place, sizes = np.unique(bins, return_inverse=True, return_counts=True)
    return np.bincount(place, mass) / sizes / mass.sum(), sizes.astype(np.float64)


def total(items: Iterable[MemoryItem]) -> int:
    """The sum of the items."""
    return sum(item.size for item in items)
