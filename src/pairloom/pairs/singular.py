"""The largest singular values of a sparse table, with their vectors: A ≈ U Σ Vᵀ.

Block Lanczos with restarts, on G = AᵀA:

    Q gets eight columns at a time: of G times the last eight, what is orthogonal to all columns so far
    H = Qᵀ G Q is small. An eigenvector s of it gives one of G, v ≈ Q s, and its eigenvalue is σ²
    when Q is full, the Q s with the largest eigenvalues take its place, and it goes on growing
    in the end σ = |A v| and u = A v / σ

The bits are the same on every machine and for any number of threads: all sums are those of our own kernels, in a fixed
order. Each call is short, so an interrupt (Ctrl-C) takes effect soon.
"""

from dataclasses import dataclass
from itertools import count

import numpy as np

from pairloom.method.draws import Purpose, key, uniform
from pairloom.system.spool import row_ranges
from pairloom.system.threads import Workers, spans
from pairloom.types import Counts, Float64s, Ids

BLOCK = 8  # `kernel.counts.singular.BLOCK`, without its compiler
BLOCKS_BETWEEN_LOOKS = 4
SPARE_BLOCKS = 8  # in a full Q, beside three columns for each value that is asked for
ROWS_PER_TASK = 2048
MOST_TASKS = 64
ENTRIES_PER_TASK = 1 << 20
STEPS_PER_CALL = 16
PRECISION = 1e-9  # of G v ≈ σ² v, relative to the smallest σ² that is asked for; the error of σ is about its square
NOISE = 1e-12  # less than this share of σ_1² is rounding error
LEAST = 1e-7  # a σ below this share of σ_1 is taken for 0


@dataclass(frozen=True, eq=False)
class SparseTable:
    """A square table by rows: row r has values[i] in columns[i], for i from starts[r] to starts[r + 1] - 1."""

    starts: Counts
    columns: Ids
    values: Float64s

    def __len__(self) -> int:
        return len(self.starts) - 1

    def transposed(self) -> "SparseTable":
        """The table by columns."""
        from pairloom.kernel.counts.singular import transpose

        starts = np.append(0, np.cumsum(np.bincount(self.columns, minlength=len(self))))
        columns, values, place = np.empty_like(self.columns), np.empty_like(self.values), starts[:-1].copy()
        for first, last in row_ranges(np.diff(self.starts), ENTRIES_PER_TASK):
            transpose(self.starts, self.columns, self.values, first, last, place, columns, values)
        return SparseTable(starts, columns, values)

    def times(self, X: Float64s, pool: Workers) -> Float64s:
        """A X, for a block X."""
        from pairloom.kernel.counts.singular import multiply

        out = np.empty_like(X)
        pieces = row_ranges(np.diff(self.starts), ENTRIES_PER_TASK // 4)
        list(pool.map(lambda rows: multiply(self.starts, self.columns, self.values, X, out, *rows), pieces))
        return out


def largest_singular(table: SparseTable, n: int, seed: int, pool: Workers) -> tuple[Float64s, Float64s, Float64s]:
    """U, σ, V: the n largest in falling order, with signs that make each column sum of U at least 0.

    n is below the size of the table. Where σ is 0, so are the columns of U and V.
    """
    V = LanczosBasis(table, n, seed, pool).right_vectors()
    U, lengths = np.empty_like(V), np.empty(V.shape[1])
    for at in range(0, V.shape[1], BLOCK):
        some = slice(at, at + BLOCK)
        U[:, some] = table.times(np.ascontiguousarray(V[:, some]), pool)
        lengths[some] = np.sqrt(np.add.reduce(U[:, some] ** 2, axis=0))
    order = np.argsort(-lengths, kind="stable")[:n]
    sizes = np.where(lengths[order] > LEAST * lengths.max(), lengths[order], 0.0)
    U, V = U[:, order], V[:, order]
    np.divide(U, sizes, out=U, where=sizes > 0)
    sign = np.where(sizes > 0, np.where(np.add.reduce(U, axis=0) < 0, -1.0, 1.0), 0.0)
    U *= sign
    V *= sign
    return U, sizes, V


class LanczosBasis:
    """The columns Q, as they grow, and H = Qᵀ G Q."""

    def __init__(self, table: SparseTable, n: int, seed: int, pool: Workers) -> None:
        self.table, self.transposed, self.n, self.pool = table, table.transposed(), n, pool
        self.key, self.drawn = key(seed, Purpose.START), 0
        self.tasks = spans(len(table), min(MOST_TASKS, -(-len(table) // ROWS_PER_TASK)))
        self.kept = _whole_blocks(n + n // 2)
        capacity = _whole_blocks(3 * n) + SPARE_BLOCKS * BLOCK
        self.Q, self.H = np.zeros((len(table), capacity)), np.zeros((capacity, capacity))
        self.m = 0  # columns in use
        self.scale = 1.0  # about σ_1²: H, and what is left of a new block, are in this unit
        self.values = np.zeros(n)  # at the last look

    def right_vectors(self) -> Float64s:
        """Vectors that span those of the n largest values, in whole blocks of columns."""
        block, _ = self._orthonormal(self._random_block())
        for blocks in count(1):
            block, rest = self._extend(block)
            full = self.m + BLOCK > self.Q.shape[1]
            if full or not block.any() or (blocks % BLOCKS_BETWEEN_LOOKS == 0 and self.m >= self.n):
                values, vectors = eigenvectors(self.H[: self.m, : self.m])
                if not block.any() or self._found(values, vectors, rest):
                    break
                if full:
                    self._restart(values, vectors)
        self._rotate(vectors[:, : _whole_blocks(self.n)])
        return self.Q[:, : _whole_blocks(self.n)]

    def _extend(self, block: Float64s) -> tuple[Float64s, Float64s]:
        """Add a block to Q. Returns the next one, and R of it: G block = Q h + next R."""
        last = slice(self.m, self.m + BLOCK)
        self.Q[:, last] = block
        self.m += BLOCK
        Z = self.transposed.times(self.table.times(block, self.pool), self.pool)
        if self.m == BLOCK:
            self.scale = max(float(np.sqrt(np.add.reduce(Z**2, axis=0).max())), 1e-300)
        Z /= self.scale
        h = self._project(Z)
        self.H[: self.m, last], self.H[last, : self.m] = h, h.T
        return self._orthonormal(Z)

    def _orthonormal(self, Z: Float64s) -> tuple[Float64s, Float64s]:
        """Z with orthonormal columns, and R of it. A column that is in Q already gives way to a random one.

        It becomes zero if that is in Q, too: then Q spans everything.
        """
        from pairloom.kernel.counts.singular import orthonormalise

        self._project(Z)
        rest: Float64s = orthonormalise(Z, NOISE)
        lost = np.diagonal(rest) == 0
        if lost.any():
            Z[:, lost] = self._random_block()[:, lost]
            self._project(Z)
            self._project(Z)
            orthonormalise(Z, NOISE)
        return Z, rest

    def _project(self, Z: Float64s) -> Float64s:
        """Subtract from Z what is in Q. Returns h = Qᵀ Z of before."""
        from pairloom.kernel.counts.singular import inner_products, subtract

        h = np.zeros((BLOCK, self.m))
        for part in self.pool.map(lambda rows: inner_products(self.Q, self.m, Z, *rows), self.tasks):
            h += part
        coefficients = np.ascontiguousarray(h.T)
        list(self.pool.map(lambda rows: subtract(self.Q, coefficients, Z, *rows), self.tasks))
        return coefficients

    def _found(self, values: Float64s, vectors: Float64s, rest: Float64s) -> bool:
        """Whether the vectors are precise enough, and the values those of the last look.

        |G v - σ² v| = |R s'|, where s' are the last entries of s. If a value occurs more often than a block has
        columns, it takes a random column, and so another look, to see that some of its vectors are missing.
        """
        before, self.values = self.values, values[: self.n]
        last = vectors[self.m - BLOCK :, : self.n]
        off = np.add.reduce(rest[:, :, None] * last, axis=1)
        allowed = max(PRECISION * values[self.n - 1], NOISE * values[0])
        is_precise = np.all(np.add.reduce(off**2, axis=0) <= allowed**2)
        return bool(is_precise and np.all(np.abs(before - self.values) <= allowed))

    def _restart(self, values: Float64s, vectors: Float64s) -> None:
        """Keep only the best vectors. The next block stays as it is."""
        self._rotate(vectors[:, : self.kept])
        self.m = self.kept
        self.H[:] = 0
        np.fill_diagonal(self.H[: self.m, : self.m], values[: self.m])

    def _rotate(self, vectors: Float64s) -> None:
        from pairloom.kernel.counts.singular import rotate

        S = np.ascontiguousarray(vectors)
        list(self.pool.map(lambda rows: rotate(self.Q, S, *rows), self.tasks))

    def _random_block(self) -> Float64s:
        """Numbers from -1/2 to 1/2, others in each call."""
        n = len(self.table) * BLOCK
        drawn = uniform(self.key, np.arange(self.drawn, self.drawn + n)) - 0.5
        self.drawn += n
        return drawn.reshape(-1, BLOCK)


def eigenvectors(H: Float64s) -> tuple[Float64s, Float64s]:
    """The eigenvalues of a symmetric matrix in falling order, and the vectors as columns."""
    from pairloom.kernel.counts.singular import diagonalise, tridiagonalise

    A, Z = H.copy(), np.eye(len(H))
    for at in range(0, len(H) - 2, STEPS_PER_CALL):
        tridiagonalise(A, Z, at, min(at + STEPS_PER_CALL, len(H) - 2))
    d, e = A.diagonal().copy(), np.append(A.diagonal(1), 0.0)
    tiny = 2.0**-53 * max(np.abs(d).max(), np.abs(e).max())
    for at in range(0, len(H), STEPS_PER_CALL):
        diagonalise(d, e, Z, tiny, at, min(at + STEPS_PER_CALL, len(H)))
    order = np.argsort(-d, kind="stable")
    return d[order], Z[order].T


def _whole_blocks(n: int) -> int:
    """n rounded up to whole blocks."""
    return -(-n // BLOCK) * BLOCK
