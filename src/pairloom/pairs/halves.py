"""Hierarchical softmax in blocks: every path is cut into an upper and a lower half.

All paths begin at the root, so no two contexts are without a node in common. Below the *top* of the tree they part. The
top has the nodes that are on the way to a large share of all pairs, and below it are *subtrees*. The loss of a pair is
a sum over the nodes on its path, so a pair can be trained as two, at different times:

    -log p(c | w) = -Σ_{upper half} log σ(±v_n·v_w) - Σ_{lower half} log σ(±v_n·v_w)

- Lower halves: subtrees are dealt to P parts, and a context belongs to the part of its subtree. So the blocks of a step
  share no node, as in negative sampling.
- Upper halves: the nodes of the top are hubs (`hubs.py`), of which every block has a copy. The upper half of a pair is
  dealt to a random part. In the part of its lower half, a copy of the root would see only paths that lead into this
  part, and would learn where they go instead of where words go.

Contexts of one subtree have the same upper half. If a context hangs directly on the top, its lower half is empty.
"""

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.method.draws import draw
from pairloom.method.hierarchical import Tree, leaf_places, node_mass
from pairloom.pairs.hubs import shares
from pairloom.pairs.parts import Dealing
from pairloom.types import Float64s, Ids

if TYPE_CHECKING:  # the kernel brings Numba
    from pairloom.kernel.steps.deal_halves import HalfLabels

SHARE_OF_THE_TOP = 0.1  # of the pairs that a part has on average: a node with more of them is in the top
MOST_TOP_NODES = 256


class Halves(NamedTuple):
    """The paths of a tree in halves. Half i has the nodes[begin[i] : begin[i] + turns[i]] of the tree.

    The lower halves of n contexts come first, then the upper halves of all subtrees.
    """

    tree: Tree
    n_top: int  # the nodes 0..n_top-1 are the top
    order: npt.NDArray[np.int64]  # the contexts from left to right in the tree
    subtree: Ids  # of each context, numbered from left to right
    begin: npt.NDArray[np.int64]
    turns: npt.NDArray[np.int64]
    node_share: Float64s  # of all pairs, those that pass each node

    @property
    def n_contexts(self) -> int:
        return len(self.subtree)

    @property
    def n_subtrees(self) -> int:
        return len(self.turns) - len(self.subtree)

    @property
    def longest(self) -> int:
        """The turns of the longest half."""
        return int(self.turns.max())

    @property
    def mean_turns(self) -> float:
        """The expected turns of a pair, both halves together. The sum is exact: NumPy's order depends on the CPU."""
        return math.fsum(self.node_share.tolist())

    @classmethod
    def of(cls, tree: Tree, context_share: Float64s, parts: int) -> "Halves":
        """Cut a tree whose contexts have these shares of all pairs, to be dealt to at most this number of parts."""
        node_share = node_mass(tree, shares(context_share))
        n_top = _top(node_share, parts)
        # Nodes are numbered from the root on, parents before children: on any path, those of the top come first.
        passed = np.append(0, np.cumsum(tree.nodes < n_top))
        upper = np.diff(passed[tree.starts])
        # Contexts have the same subtree if they have the same last turn within the top.
        last = tree.starts[:-1] + upper - 1
        turn = 2 * tree.nodes[last].astype(np.int64) + tree.bits[last] if n_top else np.zeros(len(upper), np.int64)
        order = np.argsort(leaf_places(tree))
        begins = np.diff(turn[order], prepend=-1) != 0
        first, subtree = order[begins], np.empty(len(order), np.int32)
        subtree[order] = np.cumsum(begins) - 1
        begin = np.concatenate([tree.starts[:-1] + upper, tree.starts[first]])
        turns = np.concatenate([np.diff(tree.starts) - upper, upper[first]])
        return cls(tree, n_top, order, subtree, begin, turns, node_share)

    def deal(self, parts: int, key: np.uint64) -> "DealtHalves":
        """Deal subtrees to parts by the order of their draws, and their contexts with them.

        The slots of a part follow the tree from left to right, so that neighbours share nodes.
        """
        subtrees = np.arange(self.n_subtrees)
        part_of = np.empty(self.n_subtrees, np.int64)
        part_of[np.argsort(draw(key, subtrees))] = subtrees % parts
        with_lower = self.order[self.turns[self.order] > 0]
        part = part_of[self.subtree[with_lower]]
        sizes = np.bincount(part, minlength=parts)
        order, slots = np.argsort(part, kind="stable"), int(sizes.max())
        slot = np.empty(len(part), np.int64)
        slot[order] = np.arange(len(part)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        lower = np.full(self.n_contexts, -1, np.int32)
        lower[with_lower] = slot * parts + part
        upper = (parts * (slots + self.subtree)).astype(np.int32) if self.n_top else np.full_like(lower, -1)
        return DealtHalves(Dealing(lower, parts, slots, np.arange(self.n_top, dtype=np.int32)), upper)


class DealtHalves(NamedTuple):
    """The halves of all contexts, dealt to parts."""

    lower: Dealing  # of each context the label of its lower half, -1 if that is empty; the hubs are the top's nodes
    upper: Ids  # of each context the label of its upper half in part 0, -1 if that is empty


class HalfDealings(NamedTuple):
    """How the words and the halves of a round are dealt, and the key of the draws that deal hubs and upper halves."""

    words: Dealing
    halves: DealtHalves
    key: np.uint64

    @property
    def parts(self) -> int:
        """P"""
        return self.words.parts

    @property
    def contexts(self) -> Dealing:
        """The lower halves, which belong to parts as contexts do in negative sampling."""
        return self.halves.lower

    def labels(self) -> "HalfLabels":
        """The form that kernels take."""
        from pairloom.kernel.steps.deal_halves import HalfLabels

        words, (lower, upper), key = self
        return HalfLabels(words.parts, words.labels, lower.labels, upper, words.first_hub, key)


def _top(node_share: Float64s, parts: int) -> int:
    """How many nodes, from the root on, are the top of a tree.

    >>> _top(np.array([1.0, 0.6, 0.4, 0.1, 0.3, 0.1]), parts=1), _top(np.array([1.0, 0.6, 0.2, 0.1]), parts=1024)
    (0, 4)
    """
    many = np.flatnonzero(parts * node_share > SHARE_OF_THE_TOP) if parts > 1 else np.empty(0, np.int64)
    return min(int(many.max(initial=-1)) + 1, MOST_TOP_NODES)
