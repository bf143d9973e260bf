"""Skip-gram by the softmax of equation (3), exact: what the paper calls expensive, for vocabularies that allow it.

    maximise  Σ_{(w,c) in D} log p(c | w)  =  Σ_w [ Σ_c n(w,c) v_c·v_w - n(w) log Σ_c' e^(v_c'·v_w) ]

The pairs of an epoch are counted first, so that the cost does not grow with the text: a pass over all words is three
products of the matrices, word batch by word batch, whatever the counts are. Each batch takes a step of Adagrad on its
words and on all contexts. Threads share the contexts slice by slice, and slices are added up in order, so the vectors
are the same bytes for any number of threads.
"""

import time
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.errors import InputError
from pairloom.method.draws import Purpose, draw, key
from pairloom.method.objective import adagrad
from pairloom.pairs.blocks import PAIRS_PER_ROUND
from pairloom.pairs.source import Source
from pairloom.system.threads import Workers
from pairloom.training.checkpoint import State
from pairloom.training.heldout import Heldout
from pairloom.training.loop import Running, Training
from pairloom.training.start import Start
from pairloom.types import Float64s, Ids, Matrix, Starts

if TYPE_CHECKING:
    from pairloom.kernel.steps.sgns import Model
    from pairloom.kernel.steps.softmax import Batch
    from pairloom.vectors.embedding import Embedding

MOST_CONTEXTS = 50_000
SWEEPS = 10  # over all words in an epoch: each moves a word once, so one would leave it far from where it belongs
WORDS_PER_BATCH = 96  # more make fewer steps, fewer make the contexts' own steps the larger part of the work
CONTEXTS_PER_SLICE = 1024
ROWS_AT_ONCE = 256  # that the held-out loss copies


class Counted(NamedTuple):
    """n(w,c) of an epoch: those of w are counts[starts[w] : starts[w + 1]], for the contexts of the same places."""

    starts: Starts
    contexts: Ids
    counts: Matrix


class Softmax(Training):
    """One training by equation (3). It has the schedule of `Training`, and passes over words instead of blocks."""

    def __init__(self, source: Source, start: Start | None, running: Running) -> None:
        n_words, n_contexts = len(source.words.names), len(source.contexts.names)
        if max(n_words, n_contexts) > MOST_CONTEXTS:
            raise InputError(
                f"objective=softmax multiplies every word with every context, and there are {n_words:,} and "
                f"{n_contexts:,}; it takes up to {MOST_CONTEXTS:,}. Use max_vocab={MOST_CONTEXTS}, or objective=hs."
            )
        super().__init__(source, start, running)
        self.products = _Products(self.model, n_contexts, self.pool)
        self.heldout = HeldoutSoftmax(Heldout(source), self.products)
        self.squares = np.zeros((n_words, self.model.width), np.float32), np.zeros_like(self.model.C)
        self.likelihoods: list[float] = []
        self.likelihood = 0.0  # of the pairs of the words that this sweep has stepped with

    def _lr(self, position: float) -> float:
        """Stays: Adagrad lowers the rates itself. (Falling as well, words stop before they are there.)"""
        return self.config.lr

    def _train_epoch(self, epoch: int) -> Iterator[int]:
        """A step is a batch of words; SWEEPS times all words, in an order of their own each time, make an epoch."""
        draws = self.epochs_before + epoch
        counted = self._count(draws)
        n_of = np.add.reduceat(np.append(counted.counts, 0), counted.starts[:-1], dtype=np.float64)
        n_of[np.diff(counted.starts) == 0] = 0  # reduceat gives the next word's there
        self.n_pairs += int(n_of.sum()) if self.step == 0 else 0
        words = np.flatnonzero(n_of)
        batches = max(1, -(-len(words) // WORDS_PER_BATCH))
        for sweep in range(self.step // batches, SWEEPS):
            order = words[np.argsort(draw(key(self.config.seed, Purpose.PARTS, draws, sweep), words), kind="stable")]
            for batch in range(self.step % batches, batches):
                some = order[batch * WORDS_PER_BATCH :][:WORDS_PER_BATCH]
                position = int((epoch + (sweep + batch / batches) / SWEEPS) * self.source.n_positions)
                self.likelihood = self.likelihood if batch else 0.0
                self.likelihood += self._step(some, counted, n_of, self._lr(position))
                self._check(bool(np.isfinite(self.likelihood)), position)
                if time.perf_counter() >= self.report_due:
                    self._report(position)
                self.step += 1
                yield position
        self.likelihoods.append(float(f"{self.likelihood:.12g}"))

    def _place(self) -> dict[str, Any]:
        return super()._place() | {"likelihoods": self.likelihoods, "likelihood": self.likelihood}

    def _arrays(self) -> dict[str, Matrix]:
        words, contexts = self.squares
        return super()._arrays() | {"squares_W": words, "squares_C": contexts.reshape(-1, self.model.stride)}

    def _restore(self, state: State) -> None:
        super()._restore(state)
        self.likelihoods, self.likelihood = state.place["likelihoods"], state.place["likelihood"]

    def _step(self, words: npt.NDArray[np.intp], counted: Counted, n_of: Float64s, lr: float) -> float:
        """A step of Adagrad with some words; gives the log-likelihood of their pairs as it was before."""
        batch = self.products.batch(words, counted)
        seen, logs, scale = self.products.expect(batch)
        n = np.zeros(len(batch.words))
        n[: len(words)] = n_of[words]
        gradient = self.products.descend(batch, scale * n, self.squares[1], lr)[: len(words)]
        W = self.model.W.reshape(-1, self.model.stride)[:, : self.model.width]
        moved, squares = W[words], self.squares[0][words]
        adagrad(moved, gradient, squares, np.float32(lr))  # type: ignore[arg-type]  # here in float32
        W[words], self.squares[0][words] = moved, squares
        return seen - float(n @ logs)

    def _count(self, draws: int) -> Counted:
        """The pairs of an epoch, each once, with how often it occurs."""
        word_part, context_part = (
            np.zeros(len(side.names), np.int32) for side in (self.source.words, self.source.contexts)
        )
        found = []
        for a_round in self.source.rounds(PAIRS_PER_ROUND):
            self._pause(self.position)
            dealt = self.source.deal(draws, a_round, 1, word_part, context_part, self.pool)
            found.append(np.unique(dealt.pairs[: dealt.starts[-1]], return_counts=True))
        return _merged(found, len(self.source.words.names))

    def _embedding(self) -> "Embedding":
        embedding = super()._embedding()
        embedding.record["likelihood"] = {"pairs": self.n_pairs, "log": self.likelihoods}
        return embedding


def _merged(found: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]], n_words: int) -> Counted:
    """Pairs w * 2^32 + c with their counts, from several rounds, as rows."""
    pairs, counts = (np.concatenate(side) for side in zip(*found, strict=True))
    order = np.argsort(pairs, kind="stable")
    pairs, counts = pairs[order], counts[order]
    first = np.flatnonzero(np.append(True, pairs[1:] != pairs[:-1])[: len(pairs)])
    pairs, counts = pairs[first], np.add.reduceat(counts, first) if len(first) else counts
    starts = np.searchsorted(pairs >> 32, np.arange(n_words + 1))
    return Counted(starts, (pairs & 0xFFFFFFFF).astype(np.int32), counts.astype(np.float32))


class _Products:
    """The dense products of batches of words with all contexts, slice by slice."""

    def __init__(self, model: "Model", n_contexts: int, pool: Workers) -> None:
        from pairloom.kernel.simd import LANES
        from pairloom.kernel.steps.six import SIX

        self._model, self._pool = model, pool
        self._sixes = WORDS_PER_BATCH // SIX
        self._slices = list(pairwise([*range(0, n_contexts, CONTEXTS_PER_SLICE), n_contexts]))
        self._x = np.zeros((self._sixes, n_contexts, LANES), np.float32)
        self._nobody = np.zeros(model.width, np.float32)

    def batch(self, words: npt.NDArray[np.intp], counted: Counted) -> "Batch":
        """At most WORDS_PER_BATCH words, filled up by nobody."""
        from pairloom.kernel.steps.softmax import Batch

        rows = np.full(WORDS_PER_BATCH, self._nobody.ctypes.data)
        begin, end = np.zeros((2, WORDS_PER_BATCH), np.int64)
        rows[: len(words)] = self._model.W.ctypes.data + 4 * self._model.stride * words
        begin[: len(words)], end[: len(words)] = counted.starts[words], counted.starts[words + 1]
        return Batch(rows, begin, end, counted.contexts, counted.counts, self._x)

    def expect(self, batch: "Batch") -> tuple[float, Float64s, Float64s]:
        """Σ n(w,c) v_c·v_w; then log Σ_c e^(v_c·v_w) of each word; and for each slice what makes p(c | w) of its x."""
        from pairloom.kernel.steps.softmax import expect

        def of_slice(span: tuple[int, int]) -> tuple[float, npt.NDArray[np.float32], npt.NDArray[np.float32]]:
            largest, total = np.empty((2, WORDS_PER_BATCH + 2), np.float32)  # two lanes more are written at the end
            seen = expect(self._model, batch, *span, largest, total)
            return seen, largest[:-2], total[:-2]

        seen, largest, total = zip(*self._pool.map(of_slice, self._slices), strict=True)
        top = np.max(largest, axis=0).astype(np.float64)
        factor = np.exp(np.array(largest, np.float64) - top)
        all_of = (factor * np.array(total, np.float64)).sum(axis=0)
        return sum(seen), top + np.log(all_of), factor / all_of

    def descend(self, batch: "Batch", scale: Float64s, squares: npt.NDArray[np.float32], lr: float) -> Matrix:
        """Step with all contexts; gives the gradient of the words. scale makes n(w) p(c | w) of a slice's x."""
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
        nothing = Counted(np.zeros(words.max(initial=0) + 2, np.int64), np.empty(0, np.int32), np.empty(0, np.float32))
        for at in range(0, len(words), WORDS_PER_BATCH):
            some = words[at : at + WORDS_PER_BATCH]
            yield self.expect(self.batch(some, nothing))[1][: len(some)]


class HeldoutSoftmax:
    """The mean of -log p(c | w) over the held-out pairs, by equation (3)."""

    def __init__(self, pairs: Heldout, products: _Products) -> None:
        self._pairs, self._products = pairs, products
        self._words, self._row = np.unique(pairs.w, return_inverse=True)

    def __len__(self) -> int:
        return len(self._pairs)

    def loss(self, W: Matrix, C: Matrix, pool: Workers) -> float | None:
        """The logarithm of the number of contexts before training."""
        if not len(self):
            return None
        logs = np.concatenate(list(self._products.logs(self._words.astype(np.intp))))[self._row]
        return float(f"{(logs - self._scores(W, C)).mean():.9g}")

    def _scores(self, W: Matrix, C: Matrix) -> Float64s:
        """v_w·v_c of all pairs, in float64, which needs copies: of few rows at a time."""
        scores = np.empty(len(self))
        for at in range(0, len(self), ROWS_AT_ONCE):
            some = slice(at, at + ROWS_AT_ONCE)
            w, c = W[self._pairs.w[some]].astype(np.float64), C[self._pairs.c[some]].astype(np.float64)
            np.einsum("ij,ij->i", w, c, out=scores[some])
        return scores
