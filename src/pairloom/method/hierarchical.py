"""Hierarchical softmax (Morin & Bengio 2005; Mikolov et al. 2013): w predicts c by walking down a tree to it.

The contexts are the leaves of a binary tree with a vector v_n at every inner node n. At n the walk takes bit 0 with
probability σ(v_n·v_w) and bit 1 with σ(-v_n·v_w) = 1 - σ(v_n·v_w). So the probabilities

    p(c | w) = Π_{n on the path to c} σ(±v_n·v_w)        + where c's bit is 0, - where it is 1

add up to 1 over all c, for any vectors: no noise is drawn. It is Huffman's tree over the contexts' counts, so the path
to a context of probability p has about -log2(p) turns.

N is the matrix of the v_n. These definitions are in float64 NumPy. `kernel/steps/hierarchical.py` is tested against
them.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.method.objective import Floats, log_sigmoid, sigmoid
from pairloom.types import Counts, Ids, Starts

ROOT = "/"  # the name of the root; other nodes are named after the bits on the path to them, for example /0110


class Tree(NamedTuple):
    """The path to c, from the root down: nodes[starts[c] : starts[c + 1]], and the bit it takes at each node."""

    starts: Starts
    nodes: Ids
    bits: npt.NDArray[np.int8]

    def path(self, c: int) -> slice:
        """Where the path to c is in `nodes` and `bits`."""
        return slice(self.starts[c], self.starts[c + 1])


# --- The tree


def huffman(counts: Counts) -> Tree:
    """Huffman's tree for at least two counts. Inner nodes are numbered from the root, 0, parents before children.

    Between equal counts, leaves merge before nodes, and leaves with larger ids first. So the tree depends only on the
    counts and is the shallowest of the optimal trees. Of two children, the rarer one (which is taken first) has bit 1.

    >>> tree = huffman(np.array([5, 2, 1]))
    >>> [tree.bits[tree.path(c)].tolist() for c in range(3)]
    [[0], [1, 0], [1, 1]]
    """
    leaves = np.argsort(-counts, kind="stable")[::-1]
    children = _merge(counts[leaves].tolist())
    n_nodes = len(children)
    # Merges are in order of weight, so the last is the root. Merge i has the number n + i in `_merge`, and becomes node
    # n_nodes - 1 - i.
    parent, bit = np.zeros((2, 2 * n_nodes + 1), np.int32)
    for number, pair in enumerate(children):
        parent[pair,] = n_nodes - 1 - number
        bit[pair,] = 1, 0
    of_node = np.arange(2 * n_nodes, n_nodes, -1)  # a node's number in `_merge`
    of_leaf = np.empty(len(counts), np.intp)
    of_leaf[leaves] = np.arange(len(counts))
    return _paths(parent[of_leaf], bit[of_leaf], parent[of_node], bit[of_node])


def _merge(weights: list[int]) -> list[tuple[int, int]]:
    """Huffman's merges of ascending weights: for each merge, the rarer and the more frequent child.

    Leaf i has the number i, and the result of merge i has len(weights) + i. Leaves and results are both in ascending
    order, so the next one to merge is the first of one of the two queues.
    """
    n = len(weights)
    weights = [*weights]
    leaf, node = 0, n
    children = []

    def lightest() -> int:
        nonlocal leaf, node
        if leaf < n and (node == len(weights) or weights[leaf] <= weights[node]):
            leaf += 1
            return leaf - 1
        node += 1
        return node - 1

    for _ in range(n - 1):
        rarer, other = lightest(), lightest()
        children.append((rarer, other))
        weights.append(weights[rarer] + weights[other])
    return children


def _paths(leaf_parent: Ids, leaf_bit: Ids, node_parent: Ids, node_bit: Ids) -> Tree:
    """All leaves walk up to the root at the same time, and each writes its path from the end."""
    depth = np.zeros(len(node_parent), np.int64)
    for child, parent in enumerate(node_parent[1:].tolist(), 1):
        depth[child] = depth[parent] + 1
    starts = np.append(0, np.cumsum(depth[leaf_parent] + 1))
    nodes, bits = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.int8)
    at, node, bit = starts[1:] - 1, leaf_parent, leaf_bit
    while len(at):
        nodes[at], bits[at] = node, bit
        more = node > 0
        at, node, bit = at[more] - 1, node_parent[node[more]], node_bit[node[more]]
    return Tree(starts, nodes, bits)


def leaf_places(tree: Tree) -> npt.NDArray[np.int64]:
    """The place of each leaf from left to right, where bit 0 is left.

    >>> leaf_places(huffman(np.array([1, 2, 5]))).tolist()
    [2, 1, 0]
    """
    to_the_left = np.bincount(tree.nodes[tree.bits == 0], minlength=len(tree.starts) - 2)  # leaves below bit 0
    return np.asarray(np.add.reduceat(np.where(tree.bits, to_the_left[tree.nodes], 0), tree.starts[:-1]))


def node_names(tree: Tree) -> list[str]:
    """The name of each inner node: the bits on the path to it.

    >>> node_names(huffman(np.array([5, 2, 1])))
    ['/', '/1']
    """
    names = [ROOT] * (len(tree.starts) - 2)
    for begin, end in zip(tree.starts[:-1].tolist(), tree.starts[1:].tolist(), strict=True):
        path = tree.nodes[begin:end].tolist()
        bits = "".join(map(str, tree.bits[begin:end].tolist()))
        for turn in range(len(path) - 1, 0, -1):
            if names[path[turn]] != ROOT:
                break  # the nodes above it have their names, too
            names[path[turn]] = ROOT + bits[:turn]
    return names


def node_mass(tree: Tree, mass: Floats) -> Floats:
    """The number of tokens below each inner node; at the root, all."""
    total = np.zeros(len(mass) - 1)
    np.add.at(total, tree.nodes, np.repeat(mass, np.diff(tree.starts)))
    return total


# --- The loss and the gradient step


def path_loss(v_w: Floats, v_n: Floats, bits: npt.NDArray[np.int8]) -> float:
    """-log p(c | w) = -Σ_n log σ(±v_n·v_w), for the nodes on the path to c (the rows of v_n) and its bits."""
    return float(-log_sigmoid((1 - 2 * bits) * (v_n @ v_w)).sum())


def pairs_loss(W: npt.ArrayLike, N: npt.ArrayLike, w: Ids, c: Ids, tree: Tree) -> float:
    """The mean of -log p(c | w) over pairs."""
    W, N = np.asarray(W, np.float64), np.asarray(N, np.float64)
    paths = [tree.path(x) for x in c]
    return float(np.mean([path_loss(W[x], N[tree.nodes[s]], tree.bits[s]) for x, s in zip(w, paths, strict=True)]))


def path_step(W: Floats, N: Floats, w: Ids, nodes: Ids, bits: npt.NDArray[np.int8], lr: float) -> None:
    """One step of gradient descent, in place, on pairs (w_b, c) of one context c, whose path has these nodes and bits.

        loss = Σ_b -log p(c | w_b)        its slope in v_n·v_wb is σ(v_n·v_wb) - (1 - bit of n)

    All slopes are taken before the step. A w that occurs twice steps twice.
    """
    v_w, v_n = W[w], N[nodes]
    slope = sigmoid(v_w @ v_n.T) - (1 - bits)
    N[nodes] -= lr * (slope.T @ v_w)
    np.subtract.at(W, w, lr * (slope @ v_n))
