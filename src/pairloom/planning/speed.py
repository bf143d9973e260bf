"""How fast this machine trains: the real kernels, timed for about a second on pairs and text drawn from the counts.

What is timed has the size of the real work: parts with as many rows, blocks with as many pairs, and as many hubs, so
that rows come from the cache or from memory as they will in training. Of a model too large to make, only a few parts
are made, and of a part too large, only some of its rows.
"""

import time
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.config import checked_threads
from pairloom.corpus.vocabulary import noise
from pairloom.method.draws import key
from pairloom.pairs.hubs import CURVATURE
from pairloom.pairs.parts import Dealing, deal, noise_of_parts, rows_of_parts
from pairloom.planning.scanning import scanning_times
from pairloom.planning.timing import seconds_of
from pairloom.planning.workload import Side, Workload
from pairloom.system.threads import Workers, workers
from pairloom.training.start import aligned_zeros, new_model
from pairloom.types import Float64s

if TYPE_CHECKING:  # the kernel brings Numba, which takes a second to import
    from pairloom.kernel.steps.block import RoundTables
    from pairloom.kernel.steps.parts import PartNoise
    from pairloom.kernel.steps.sgns import Model

MODEL_BYTES = 1 << 28  # both matrices together
MOST_PAIRS = 3_000_000
LONGEST_BLOCK = 200_000  # pairs: longer ones are as fast

# Measured on one core of an AMD EPYC (Zen 3), for machines that are not measured.
SECONDS_PER_TOKEN, SECONDS_PER_PAIR, SECONDS_PER_ROW = 6e-9, 2e-9, 1e-7


class Speed(NamedTuple):
    """How long a thread takes. The speed of a thread is measured while all of them run."""

    pairs_per_second: float  # trained
    token: float = SECONDS_PER_TOKEN  # seconds to subsample a token and count its pairs
    pair: float = SECONDS_PER_PAIR  # seconds to write a pair to its block
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
        parts, slots = _size(workload, cores)
        sides = workload.words, workload.contexts
        of_words, of_contexts = (_drawn_mass(side, parts * slots, seed) for seed, side in enumerate(sides))
        probability = noise(of_contexts, workload.config.noise_power)
        words = SampledRows.of(of_words, workload.words.hubs, parts)  # compiles what the next lines call, or most of it
        began = time.perf_counter()
        contexts = SampledRows.of(of_contexts, workload.contexts.hubs, parts)
        seconds = time.perf_counter() - began
        tables = noise_of_parts(probability, contexts.dealing, contexts.ids)  # beside the text, in another thread
        return cls(words, contexts, tables, seconds / len(of_contexts))


def _drawn_mass(side: Side, rows: int, seed: int) -> Float64s:
    """The mass of the hubs, and of other rows as they would come into parts."""
    bins, rng = side.bins, np.random.default_rng(seed)
    drawn = rng.choice(len(bins.words), rows, p=bins.words / bins.words.sum())
    hubs = bins.first(side.share, side.hubs)
    return np.concatenate([hubs, np.minimum(side.share[drawn], hubs[-1] if len(hubs) else 1.0)])


def _size(workload: Workload, cores: int) -> tuple[int, int]:
    """How many parts to make, a power of two, and how many rows in each."""
    real = workload.usual.parts
    slots = -(-max(workload.words.rows, workload.contexts.rows) // real)
    fitting = max(1, MODEL_BYTES // (2 * slots * workload.row_bytes))
    fewest = min(real, 1 << (2 * cores - 1).bit_length())
    parts = max(fewest, min(real, 1 << (fitting.bit_length() - 1)))
    return parts, max(2, min(slots, MODEL_BYTES // (2 * parts * workload.row_bytes)))


def _training_speed(workload: Workload, sample: Sample, cores: int, pool: Workers) -> float:
    """Pairs that a thread trains in a second."""
    from pairloom.kernel.steps.block import Descent, Steps, begin_steps, make_buffers, train_steps
    from pairloom.kernel.steps.parts import Merging

    config, parts = workload.config, sample.words.dealing.parts
    model = new_model(np.ones(len(sample.words.mass)), len(sample.contexts.mass), config.dim, 1, pool)
    tables, last = _tables(workload, sample, model)
    longest = int(np.diff(tables.starts).max())
    buffers = [make_buffers(config.negatives, longest, tables.noise.cut.shape[1], model.width) for _ in range(cores)]
    some = np.arange(1)
    word_steps, context_steps = (np.ones(len(side.dealing.hubs)) for side in (sample.words, sample.contexts))
    merging = Merging(some, some, word_steps, context_steps, CURVATURE)
    descent = Descent(config.negatives, np.uint64(1), np.full(parts + 1, config.lr))

    def train() -> None:
        steps = Steps(parts, last, begin_steps(parts, 0), parts**2)
        list(pool.map(lambda own: train_steps(model, own, tables, steps, merging, descent, None), buffers))

    train()  # compiles, and brings the rows into memory
    return float(tables.starts[-1]) / seconds_of(train) / cores


def _tables(workload: Workload, sample: Sample, model: "Model") -> "tuple[RoundTables, int]":
    """Pairs for the blocks of the first steps, as many as MOST_PAIRS allows; and the number of steps."""
    from pairloom.kernel.steps.block import RoundTables
    from pairloom.kernel.steps.parts import PartRows

    parts, real = sample.words.dealing.parts, workload.usual.parts
    mean = min(workload.usual.pairs / real**2, LONGEST_BLOCK)
    last = int(max(1, min(parts, MOST_PAIRS // (parts * mean))))
    sides = sample.words, sample.contexts
    of_words, of_contexts = ([np.cumsum(side.masses(part, real)) for part in range(parts)] for side in sides)
    total = sum(cum[-1] for cum in of_words) * sum(cum[-1] for cum in of_contexts) / parts**2
    rng, drawn = np.random.default_rng(3), [np.empty(0, np.int64)] * parts**2
    for step in range(last):
        for i in range(parts):
            j = (i + step) % parts
            n = max(1, min(round(mean * of_words[i][-1] * of_contexts[j][-1] / total), 4 * LONGEST_BLOCK))
            w, c = (np.searchsorted(cum, rng.random(n) * cum[-1]) for cum in (of_words[i], of_contexts[j]))
            drawn[i * parts + j] = ((w * parts + i) << 32) | (c * parts + j)
    starts = np.append(0, np.cumsum([len(some) for some in drawn]))
    words, contexts = (
        PartRows(side.ids, side.dealing.hubs, aligned_zeros(parts * len(side.dealing.hubs) * model.stride))
        for side in sides
    )
    return RoundTables(np.concatenate(drawn), starts, words, contexts, sample.noise), last
