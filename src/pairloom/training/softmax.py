"""Skip-gram by the softmax of equation (3), exact: expensive, as the paper says, but possible for small vocabularies.

    maximise  Σ_{(w,c) in D} log p(c | w)  =  Σ_w [ Σ_c n(w,c) v_c·v_w - n(w) log Σ_c' e^(v_c'·v_w) ]

The pairs of an epoch are counted first, so the cost does not grow with the text: a pass over all words takes three
products of the matrices, batch by batch, whatever the counts are. Each batch takes a step of Adagrad on its words and
on all contexts. Threads share the contexts, slice by slice, and the slices are summed in order, so the vectors are the
same bytes for any number of threads.
"""

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.cluster.holder import Holder
from pairloom.errors import InputError
from pairloom.method import elementary
from pairloom.method.draws import Purpose, draw, key
from pairloom.method.objective import adagrad
from pairloom.pairs.blocks import LONGEST_ROUND
from pairloom.pairs.parts import undealt
from pairloom.pairs.source import Dealings, Source
from pairloom.system.threads import Workers
from pairloom.training.checkpoint import State
from pairloom.training.heldout import HeldoutPairs
from pairloom.training.loop import Runtime, TrainingLoop
from pairloom.training.start import Start
from pairloom.types import Float64s, Ids, Matrix, Starts

if TYPE_CHECKING:
    from pairloom.kernel.steps.sgns import Model
    from pairloom.kernel.steps.softmax import Batch
    from pairloom.vectors.embedding import Embedding

MOST_CONTEXTS = 50_000
SWEEPS = 10  # over all words in an epoch: a sweep moves each word once, which is not enough
WORDS_PER_BATCH = 96  # with more there are fewer steps; with fewer, moving the contexts costs most of the time
CONTEXTS_PER_SLICE = 1024
ROWS_AT_ONCE = 256  # copied at a time for the held-out loss


class EpochCounts(NamedTuple):
    """n(w,c) of an epoch, in rows: word w has contexts[i] counts[i] times, for i in starts[w] to starts[w+1]."""

    starts: Starts
    contexts: Ids
    counts: Matrix


class SoftmaxTraining(TrainingLoop):
    """One training by equation (3): a step is a batch of words with all contexts."""

    def __init__(self, source: Source, start: Start | None, runtime: Runtime) -> None:
        n_words, n_contexts = len(source.words.names), len(source.contexts.names)
        if max(n_words, n_contexts) > MOST_CONTEXTS:
            raise InputError(
                f"objective=softmax multiplies every word by every context, and is limited to {MOST_CONTEXTS:,} of "
                f"each. There are {n_words:,} and {n_contexts:,}. Use max_vocab={MOST_CONTEXTS}, or objective=hs."
            )
        super().__init__(source, start, runtime)
        self.products = _Products(self.model, n_contexts, self.pool)
        self.heldout = self._measure_of(source)
        self.squares = np.zeros((n_words, self.model.width), np.float32), np.zeros_like(self.model.C)
        self.likelihoods: list[float] = []
        self.likelihood = 0.0  # of the pairs of the words that this sweep has moved

    def _measure_of(self, source: Source) -> "HeldoutSoftmax":
        return HeldoutSoftmax(HeldoutPairs(source), self.products)

    def lr_at(self, position: float) -> float:
        """Constant: Adagrad lowers the rates itself. (If this one fell too, words would stop too early.)"""
        return self.config.lr

    def _train_epoch(self, epoch: int) -> Iterator[int]:
        """Go through all words SWEEPS times, each time in another order."""
        draws = self.epochs_before + epoch
        counted = self._count(draws)
        n_of = np.add.reduceat(np.append(counted.counts, 0), counted.starts[:-1], dtype=np.float64)
        n_of[np.diff(counted.starts) == 0] = 0  # reduceat returns the next word's there
        self.n_pairs += int(n_of.sum()) if self.step == 0 else 0
        words = np.flatnonzero(n_of)
        batches = max(1, -(-len(words) // WORDS_PER_BATCH))
        for sweep in range(self.step // batches, SWEEPS):
            order = words[np.argsort(draw(key(self.config.seed, Purpose.PARTS, draws, sweep), words), kind="stable")]
            for batch in range(self.step % batches, batches):
                some = order[batch * WORDS_PER_BATCH :][:WORDS_PER_BATCH]
                position = int((epoch + (sweep + batch / batches) / SWEEPS) * self.source.n_positions)
                self.likelihood = self.likelihood if batch else 0.0
                self.likelihood += self._step(some, counted, n_of, self.lr_at(position))
                self.health.check(bool(np.isfinite(self.likelihood)), position)
                if self.reports.are_due:
                    self.report(position)
                self.step += 1
                yield position
        self.likelihoods.append(float(f"{self.likelihood:.12g}"))

    def place(self) -> dict[str, Any]:
        return super().place() | {"likelihoods": self.likelihoods, "likelihood": self.likelihood}

    def arrays(self) -> dict[str, Matrix]:
        words, contexts = self.squares
        return super().arrays() | {"squares_W": words, "squares_C": contexts.reshape(-1, self.model.stride)}

    def restore(self, state: State) -> None:
        super().restore(state)
        self.likelihoods, self.likelihood = state.place["likelihoods"], state.place["likelihood"]

    def _step(self, words: npt.NDArray[np.intp], counted: EpochCounts, n_of: Float64s, lr: float) -> float:
        """Take a step of Adagrad with some words. Returns the log-likelihood of their pairs before the step."""
        batch = self.products.batch(words, counted)
        observed, logs, scale = self.products.expect(batch)
        n = np.zeros(len(batch.words))
        n[: len(words)] = n_of[words]
        gradient = self.products.descend(batch, scale * n, self.squares[1], lr)[: len(words)]
        W = self.model.W.reshape(-1, self.model.stride)[:, : self.model.width]
        moved, squares = W[words], self.squares[0][words]
        adagrad(moved, gradient, squares, np.float32(lr))  # type: ignore[arg-type]  # here in float32
        W[words], self.squares[0][words] = moved, squares
        return observed - float(n @ logs)

    def _count(self, draws: int) -> EpochCounts:
        """The pairs of an epoch with their counts."""
        words, contexts = (undealt(len(side.names)) for side in (self.source.words, self.source.contexts))
        dealings = Dealings(words, contexts, np.uint64(0))
        edges = np.linspace(0, 1, 1 + math.ceil(self.source.n_pairs / LONGEST_ROUND)).tolist()
        found = []
        for a_round in self.source.rounds(edges):
            self.checkpoint_writer.write_if_due(self.position)
            dealt = self.source.deal(draws, a_round, dealings, self.pool)
            found.append(np.unique(dealt.pairs[: dealt.starts[-1]], return_counts=True))
        return _merged(found, len(self.source.words.names))

    def _embedding(self) -> "Embedding":
        embedding = super()._embedding()
        embedding.record["likelihood"] = {"pairs": self.n_pairs, "log": self.likelihoods}
        return embedding


def _merged(found: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]], n_words: int) -> EpochCounts:
    """Counts of pairs w * 2^32 + c from several rounds, added up and put into rows."""
    pairs, counts = (np.concatenate(side) for side in zip(*found, strict=True))
    order = np.argsort(pairs, kind="stable")
    pairs, counts = pairs[order], counts[order]
    first = np.flatnonzero(np.append(True, pairs[1:] != pairs[:-1])[: len(pairs)])
    pairs, counts = pairs[first], np.add.reduceat(counts, first) if len(first) else counts
    starts = np.searchsorted(pairs >> 32, np.arange(n_words + 1))
    return EpochCounts(starts, (pairs & 0xFFFFFFFF).astype(np.int32), counts.astype(np.float32))


class _Products:
    """The dense products of batches of words with all contexts, slice by slice."""

    def __init__(self, model: "Model", n_contexts: int, pool: Workers) -> None:
        from pairloom.kernel.simd import LANES
        from pairloom.kernel.steps.six import SIX

        self._model, self._pool, self.n_contexts = model, pool, n_contexts
        self._sixes = WORDS_PER_BATCH // SIX
        self._slices = list(pairwise([*range(0, n_contexts, CONTEXTS_PER_SLICE), n_contexts]))
        self._x = np.zeros((self._sixes, n_contexts, LANES), np.float32)
        self._zeros = np.zeros(model.width, np.float32)

    def batch(self, words: npt.NDArray[np.intp], counted: EpochCounts) -> "Batch":
        """At most WORDS_PER_BATCH words, padded with rows of zeros."""
        from pairloom.kernel.steps.softmax import Batch

        rows = np.full(WORDS_PER_BATCH, self._zeros.ctypes.data)
        begin, end = np.zeros((2, WORDS_PER_BATCH), np.int64)
        rows[: len(words)] = self._model.W.ctypes.data + 4 * self._model.stride * words
        begin[: len(words)], end[: len(words)] = counted.starts[words], counted.starts[words + 1]
        return Batch(rows, begin, end, counted.contexts, counted.counts, self._x)

    def expect(self, batch: "Batch") -> tuple[float, Float64s, Float64s]:
        """Σ n(w,c) v_c·v_w; log Σ_c e^(v_c·v_w) of each word; the factor that turns a slice's x into p(c | w)."""
        from pairloom.kernel.steps.softmax import expect

        def of_slice(span: tuple[int, int]) -> tuple[float, npt.NDArray[np.float32], npt.NDArray[np.float32]]:
            largest, total = np.empty(
                (2, WORDS_PER_BATCH + 2), np.float32
            )  # the kernel writes two lanes more at the end
            observed = expect(self._model, batch, *span, largest, total)
            return observed, largest[:-2], total[:-2]

        observed, largest, total = zip(*self._pool.map(of_slice, self._slices), strict=True)
        top = np.max(largest, axis=0).astype(np.float64)
        factor = elementary.exp(np.array(largest, np.float64) - top)
        all_of = (factor * np.array(total, np.float64)).sum(axis=0)
        return sum(observed), top + elementary.log(all_of), factor / all_of

    def descend(self, batch: "Batch", scale: Float64s, squares: npt.NDArray[np.float32], lr: float) -> Matrix:
        """Move all contexts. Returns the gradient of the words. `scale` turns a slice's x into n(w) p(c | w)."""
        from pairloom.kernel.simd import LANES
        from pairloom.kernel.steps.six import SIX
        from pairloom.kernel.steps.softmax import TILE, descend

        def of_slice(span: tuple[int, int], scale: Float64s) -> Matrix:
            by = np.zeros((self._sixes, LANES), np.float32)
            by[:, :SIX] = scale.reshape(self._sixes, SIX)
            gradient = np.zeros((WORDS_PER_BATCH, self._model.width), np.float32)
            gradients = np.empty(TILE * self._model.width, np.float32)
            descend(self._model, squares, batch, *span, by, lr, gradients, gradient)
            return gradient

        total = np.zeros((WORDS_PER_BATCH, self._model.width), np.float32)
        for gradient in self._pool.map(of_slice, self._slices, scale):
            total += gradient
        return total

    def logs(self, words: npt.NDArray[np.intp]) -> Iterator[Float64s]:
        """log Σ_c e^(v_c·v_w) of words, some at a time."""
        nothing = EpochCounts(
            np.zeros(words.max(initial=0) + 2, np.int64), np.empty(0, np.int32), np.empty(0, np.float32)
        )
        for at in range(0, len(words), WORDS_PER_BATCH):
            some = words[at : at + WORDS_PER_BATCH]
            yield self.expect(self.batch(some, nothing))[1][: len(some)]


class HeldoutSoftmax:
    """The mean of -log p(c | w) over the held-out pairs, by equation (3)."""

    def __init__(self, pairs: HeldoutPairs, products: _Products) -> None:
        self._pairs, self._products = pairs, products
        self._words, self._row = np.unique(pairs.w, return_inverse=True)

    def __len__(self) -> int:
        return len(self._pairs)

    @property
    def untrained(self) -> float:
        return math.log(self._products.n_contexts)

    def loss(self, holder: Holder, pool: Workers) -> float | None:
        if not len(self):
            return None
        logs = np.concatenate(list(self._products.logs(self._words.astype(np.intp))))[self._row]
        return float(f"{(logs - self._scores(holder.W, holder.C)).mean():.9g}")

    def _scores(self, W: Matrix, C: Matrix) -> Float64s:
        """v_w·v_c of all pairs, in float64. That copies rows, so it takes a few at a time."""
        scores = np.empty(len(self))
        for at in range(0, len(self), ROWS_AT_ONCE):
            some = slice(at, at + ROWS_AT_ONCE)
            w, c = W[self._pairs.w[some]].astype(np.float64), C[self._pairs.c[some]].astype(np.float64)
            np.einsum("ij,ij->i", w, c, out=scores[some])
        return scores
