"""How fast this machine trains: the real kernels, timed for about a second on pairs and text drawn from the counts.

What is timed has the size of the real work: parts with as many rows, blocks with as many pairs, and as many hubs, so
that rows come from the cache or from memory as they will in training. Of a model too large to make, only a few parts
are made, and of a part too large, only some of its rows.
"""

import itertools
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.advice.planning.scanning import scanning_times
from pairloom.advice.planning.timing import cpu_seconds
from pairloom.advice.planning.workload import Side, Workload
from pairloom.cluster.holder import aligned_zeros, new_model
from pairloom.config import checked_threads
from pairloom.method.draws import key
from pairloom.pairs.hubs import CURVATURE
from pairloom.pairs.parts import Dealing, deal, noise_of_parts, rows_of_parts
from pairloom.pairs.source import DealtPairs
from pairloom.system.threads import Workers, workers
from pairloom.types import Float64s

if TYPE_CHECKING:  # the kernel brings Numba, which takes a second to import
    from pairloom.kernel.steps.block import RoundTables
    from pairloom.kernel.steps.parts import PartNoise
    from pairloom.kernel.steps.sgns import Model

MODEL_BYTES = 1 << 28  # both matrices together
PAIRS = 1_500_000
MOST_ROUNDS = 1_000
LONGEST_BLOCK = 200_000  # pairs: longer ones are as fast

# Measured on one core of an AMD EPYC (Zen 3), for machines that are not measured.
SECONDS_PER_TOKEN, SECONDS_PER_PAIR, SECONDS_PER_ROW = 9e-9, 5e-9, 8e-8


class Speed(NamedTuple):
    """How long a thread takes. The speed of a thread is measured while all of them run."""

    pairs_per_second: float  # trained
    token: float = SECONDS_PER_TOKEN  # seconds to subsample a token and draw its window
    pair: float = SECONDS_PER_PAIR  # seconds to count a pair and write it to its block
    row: float = SECONDS_PER_ROW  # seconds to deal a row to its part, for a round


def measured_speed(workload: Workload, threads: int) -> Speed:
    """The speed of this machine. More threads than it has cores are taken to be as fast as its cores."""
    cores = min(threads, checked_threads(None))
    with workers(cores) as pool:
        sample = Sample.of(workload, cores)
        pairs_per_second = _training_speed(workload, sample, cores, pool)
        token, pair = scanning_times(workload, cores, pool)
    return Speed(pairs_per_second, token, pair, sample.seconds_per_row)


class SampledRows(NamedTuple):
    """Rows of one matrix, drawn from the counts, dealt to parts. The first ones are hubs."""

    dealing: Dealing
    ids: npt.NDArray[np.int32]
    mass: Float64s  # of the pairs, for each row

    @classmethod
    def of(cls, mass: Float64s, hubs: int, parts: int) -> "SampledRows":
        """Deal rows with this mass, of which the first are hubs."""
        dealing = deal(len(mass), np.arange(hubs, dtype=np.int32), parts, key(1))
        return cls(dealing, rows_of_parts(dealing), mass)

    def masses(self, part: int, real_parts: int) -> Float64s:
        """The mass of each slot of a part. Hubs, in the slots after all others, are in each of `real_parts` parts."""
        return np.append(self.mass[self.ids[part]], self.mass[self.dealing.hubs] / real_parts)


class Sample(NamedTuple):
    """A small model like the real one."""

    words: SampledRows
    contexts: SampledRows
    noise: "PartNoise"
    seconds_per_row: float  # that dealing took

    @classmethod
    def of(cls, workload: Workload, cores: int) -> "Sample":
        """Rows for as many parts as there is room for, or for all parts."""
        power = workload.config.noise_power
        sizes = SampleSizes.of(workload, cores)
        mass, _ = _drawn_rows(workload.words, sizes, power, 1)
        words = SampledRows.of(mass, workload.words.hubs, sizes.parts)  # compiles what is timed below
        mass, probability = _drawn_rows(workload.contexts, sizes, power, 2)
        began = time.process_time()
        contexts = SampledRows.of(mass, workload.contexts.hubs, sizes.parts)
        seconds = time.process_time() - began
        tables = noise_of_parts(probability, contexts.dealing, contexts.ids)  # in another thread, while text is read
        return cls(words, contexts, tables, seconds / len(mass))


class SampleSizes(NamedTuple):
    """How many parts to make, a power of two, how many rows of a part, and how many of them there really are."""

    parts: int
    slots: int
    real_slots: int

    @classmethod
    def of(cls, workload: Workload, cores: int) -> "SampleSizes":
        """As many as MODEL_BYTES hold, with two parts for each core at least."""
        real = workload.usual.parts
        slots = -(-max(workload.words.rows, workload.contexts.rows) // real)
        fitting = max(1, MODEL_BYTES // (2 * slots * workload.row_bytes))
        fewest = min(real, 1 << (2 * cores - 1).bit_length())
        parts = max(fewest, min(real, 1 << (fitting.bit_length() - 1)))
        return cls(parts, max(2, min(slots, MODEL_BYTES // (2 * parts * workload.row_bytes))), slots)


def _drawn_rows(side: Side, sizes: SampleSizes, power: float, seed: int) -> tuple[Float64s, Float64s]:
    """The mass and the noise of the hubs, and of other rows as they would come into parts.

    If there is no room for all rows, frequent words keep their number and mass, and a row stands for several rare ones.
    """
    bins, rng = side.bins, np.random.default_rng(seed)
    rows, real = sizes.parts * sizes.slots, sizes.parts * sizes.real_slots
    before = np.cumsum(bins.words) * real / bins.words.sum()
    head = before <= (rows / 2 if rows < real else np.inf)
    n_head = round(float(before[head].max(initial=0.0)))
    drawn = np.concatenate([_choice(bins.words * head, n_head, rng), _choice(bins.words * ~head, rows - n_head, rng)])
    stands_for = np.where(head[drawn], 1.0, (real - n_head) / max(1, rows - n_head))
    hubs, hub_counts = (bins.first(values, side.hubs) for values in (side.share, bins.counts))
    largest = hubs[-1] if len(hubs) else 1.0  # what is drawn should not be one of the hubs
    mass = np.concatenate([hubs, np.minimum(side.share[drawn], largest) * stands_for])
    weights = np.concatenate([hub_counts**power, bins.counts[drawn] ** power * stands_for])
    return mass, weights / weights.sum()


def _choice(weights: Float64s, n: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """n bins, drawn in proportion to their weights."""
    return np.asarray(rng.choice(len(weights), n, p=weights / weights.sum()) if n else np.empty(0, np.int64))


def _training_speed(workload: Workload, sample: Sample, cores: int, pool: Workers) -> float:
    """Pairs that a thread trains in a second of its time."""
    from pairloom.kernel.steps.block import Descent, Steps, begin_steps, make_buffers, train_steps
    from pairloom.kernel.steps.parts import Merging

    config, parts = workload.config, sample.words.dealing.parts
    model = new_model(np.ones(len(sample.words.mass)), len(sample.contexts.mass), config.dim, 1, pool)
    last, rounds = _rounds(workload, sample, model)
    longest = max(int(np.diff(tables.starts).max()) for tables in rounds)
    slots = sample.noise.cut.shape[1]
    buffers = [make_buffers(config.negatives, longest, slots, model.width) for _ in range(cores)]
    some = np.arange(1)
    word_steps, context_steps = (np.ones(len(side.dealing.hubs)) for side in (sample.words, sample.contexts))
    merging = Merging(some, some, word_steps, context_steps, CURVATURE)
    rates = np.full(parts + 1, config.lr)

    def train_round(number: int, tables: "RoundTables") -> None:
        steps = Steps(parts, last, begin_steps(parts, 0), parts**2)
        descent = Descent(config.negatives, np.uint64(number), rates)
        list(pool.map(lambda own: train_steps(model, own, tables, steps, merging, descent, None), buffers))

    def train() -> None:
        for number, tables in enumerate(rounds):
            train_round(number, tables)

    train()  # compiles, and brings the rows into memory
    return sum(int(tables.starts[-1]) for tables in rounds) / cpu_seconds(train)


def _rounds(workload: Workload, sample: Sample, model: "Model") -> "tuple[int, list[RoundTables]]":
    """Rounds of pairs for the blocks of the first steps, PAIRS in all; and the number of steps.

    With fewer different pairs, their rows would all come from the cache.
    """
    from pairloom.kernel.steps.block import RoundTables
    from pairloom.kernel.steps.parts import PartRows

    parts, real = sample.words.dealing.parts, workload.usual.parts
    pairs_of_a_step = parts * min(workload.usual.pairs / real**2, LONGEST_BLOCK)
    last = int(max(1, min(parts, PAIRS // pairs_of_a_step)))
    rounds = int(max(1, min(MOST_ROUNDS, PAIRS // (last * pairs_of_a_step))))
    words, contexts = (
        PartRows(side.ids, side.dealing.hubs, aligned_zeros(parts * len(side.dealing.hubs) * model.stride))
        for side in (sample.words, sample.contexts)
    )
    drawn = _drawn_pairs(sample, pairs_of_a_step / parts, last, real, rounds)
    return last, [RoundTables(*dealt, words, contexts, sample.noise) for dealt in drawn]


def _drawn_pairs(sample: Sample, block: float, last: int, real_parts: int, rounds: int) -> Iterator[DealtPairs]:
    """The pairs of the first steps of rounds. block: the mean number of pairs in a block."""
    parts, rng = sample.words.dealing.parts, np.random.default_rng(3)
    sides = sample.words, sample.contexts
    of_words, of_contexts = ([np.cumsum(side.masses(part, real_parts)) for part in range(parts)] for side in sides)
    mean = sum(edges[-1] for edges in of_words) * sum(edges[-1] for edges in of_contexts) / parts**2
    for _ in range(rounds):
        drawn = [np.empty(0, np.int64)] * parts**2
        for i, step in itertools.product(range(parts), range(last)):
            j = (i + step) % parts
            n = max(1, min(round(block * of_words[i][-1] * of_contexts[j][-1] / mean), 4 * LONGEST_BLOCK))
            w, c = (np.searchsorted(edges, rng.random(n) * edges[-1]) for edges in (of_words[i], of_contexts[j]))
            drawn[i * parts + j] = ((w * parts + i) << 32) | (c * parts + j)
        yield DealtPairs(np.concatenate(drawn), np.append(0, np.cumsum([len(some) for some in drawn])))
