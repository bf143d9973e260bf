"""What the driver asks a worker between rounds: rows, and inner products of pairs."""

import numpy as np

from pairloom import __version__
from pairloom.cluster.workers.member import Member
from pairloom.cluster.workers.share import Side
from pairloom.types import Float64s, Ids, Matrix


class AnsweringMember(Member):
    """The part of a worker that answers questions."""

    def state(self) -> tuple[list[int], str]:
        """The shares that are here, and the version of pairloom."""
        return sorted(self.shares), __version__

    def rows(self, number: int, side: Side, first: int, last: int) -> tuple[np.ndarray, Matrix]:
        """Those of rows first..last-1 of a matrix that are here: which, and the rows without padding."""
        share = self.share(number)
        here, at = share.find(side, np.arange(first, last))
        return here, share.rows(side)[at, : self.maker.config.dim]

    def put_rows(self, number: int, side: Side, ids: np.ndarray, rows: Matrix) -> None:
        """Replace those of these rows that are here."""
        share = self.share(number)
        places = share.side(side)
        owner, at = places.find(ids)
        at = np.where(owner < 0, at + places.first_hub(self.number), at)
        here = np.flatnonzero((owner == self.number) | (owner < 0))
        share.rows(side)[at[here], : self.maker.config.dim] = rows[here]

    def largest(self, number: int) -> float:
        """The largest absolute component of the rows here."""
        return self.share(number).largest()

    def products(self, number: int, w: Ids, contexts: Ids) -> tuple[np.ndarray, Float64s]:
        """v_w·v_c for the pairs whose word is here: which, and their products. Contexts come from the other workers."""
        from pairloom.kernel.loss import list_products

        share, dim = self.share(number), self.maker.config.dim
        here, at = share.find("W", w)
        pair = np.arange(contexts[here].size) // contexts.shape[1]
        wanted = contexts[here].ravel()
        products = np.empty(len(wanted))
        order = np.argsort(wanted, kind="stable")
        W = share.rows("W")[:, :dim]
        for ids in self.pieces(np.unique(wanted)):
            C = self._gathered(number, ids)
            first, last = np.searchsorted(wanted[order], [ids[0], ids[-1] + 1])
            some = order[first:last]
            list_products(W, C, at[pair[some]], np.searchsorted(ids, wanted[some]), some, products)
        return here, products.reshape(-1, contexts.shape[1])

    def _gathered(self, number: int, ids: np.ndarray) -> Matrix:
        """Rows of C from all workers, without padding."""
        share, dim = self.share(number), self.maker.config.dim
        owner, at = share.places.contexts.find(ids)
        rows = np.empty((len(ids), dim), np.float32)
        rows[owner < 0] = share.hubs("C")[at[owner < 0], :dim]
        waiting = []
        for worker in np.unique(owner[owner >= 0]).tolist():
            theirs = np.flatnonzero(owner == worker)
            if worker == self.number:
                rows[theirs] = share.rows("C")[at[theirs], :dim]
            else:
                waiting.append((theirs, self.send(worker, "rows_at", (number, at[theirs]))))
        for theirs, answer in waiting:
            rows[theirs] = answer()
            self.received(len(theirs), 4 * dim * len(theirs))
        return rows

    def rows_at(self, number: int, at: np.ndarray) -> Matrix:
        """Rows of C by their place in memory, without padding."""
        return self.share(number).rows("C")[at, : self.maker.config.dim]
