"""Hierarchical softmax (Morin & Bengio 2005; Mikolov et al. 2013): w predicts c by walking down a tree to it.

The contexts are the leaves of a binary tree with a vector v_n at every inner node n. At n the walk turns to bit 0 with
probability σ(v_n·v_w) and to bit 1 with σ(-v_n·v_w) = 1 - σ(v_n·v_w), so that

    p(c | w) = Π_{n on the way to c} σ(±v_n·v_w)        + where c's bit is 0, - where it is 1

adds up to 1 over all c, whatever the vectors are: no noise is needed, and none is drawn. The tree is Huffman's over the
contexts' counts, so the way to a context of probability p takes about -log2(p) turns.

Definitions in float64 NumPy; `kernel/hierarchical.py` is held to them. N is the matrix of the v_n.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairloom.method.objective import Floats, log_sigmoid, sigmoid
from pairloom.types import Counts, Ids, Starts

ROOT = "/"  # the name of the root; a node is named after the bits on the way to it, such as /0110


class Tree(NamedTuple):
    """The way to c, from the root down: nodes[starts[c] : starts[c + 1]], and the turn that it takes at each."""

    starts: Starts
    nodes: Ids
    bits: npt.NDArray[np.int8]


def huffman(counts: Counts) -> Tree:
    """Huffman's tree for at least two counts. Inner nodes are numbered from the root, 0, and never before their parent.

    Of equal counts a leaf is taken before a node, and the leaf with the larger id first: the tree depends on the counts
    alone, and is the shallowest of the optimal ones. Of two children the rarer, which is taken first, has bit 1.

    >>> tree = huffman(np.array([5, 2, 1]))
    >>> [tree.bits[a:b].tolist() for a, b in zip(tree.starts, tree.starts[1:])]
    [[0], [1, 0], [1, 1]]
    """
    leaves = np.argsort(-counts, kind="stable")[::-1]
    children = _merge(counts[leaves].tolist())
    n_nodes = len(children)
    # Merges are in order of weight, so the last is the root. What `_merge` numbers n + i is its i-th merge, which
    # becomes node n_nodes - 1 - i.
    parent, bit = np.zeros((2, 2 * n_nodes + 1), np.int32)
    for number, pair in enumerate(children):
        parent[pair,] = n_nodes - 1 - number
        bit[pair,] = 1, 0
    of_node = np.arange(2 * n_nodes, n_nodes, -1)  # the number that a node had
    of_leaf = np.empty(len(counts), np.intp)
    of_leaf[leaves] = np.arange(len(counts))
    return _ways(parent[of_leaf], bit[of_leaf], parent[of_node], bit[of_node])


def _merge(weights: list[int]) -> list[tuple[int, int]]:
    """Huffman's merges of ascending weights: of each the rarer and the more frequent child.

    Leaf i is i, the result of merge i is len(weights) + i. Both leaves and results come in ascending order, so the
    next to merge is the first of one of the two queues.
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


def _ways(leaf_parent: Ids, leaf_bit: Ids, node_parent: Ids, node_bit: Ids) -> Tree:
    """All leaves walk up together, a turn at a time, and each writes its way from the end."""
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


def node_names(tree: Tree) -> list[str]:
    """Each inner node by the bits on the way to it.

    >>> node_names(huffman(np.array([5, 2, 1])))
    ['/', '/1']
    """
    names = [ROOT] * (len(tree.starts) - 2)
    for begin, end in zip(tree.starts[:-1].tolist(), tree.starts[1:].tolist(), strict=True):
        way = tree.nodes[begin:end].tolist()
        bits = "".join(map(str, tree.bits[begin:end].tolist()))
        for turn in range(len(way) - 1, 0, -1):
            if names[way[turn]] != ROOT:
                break  # and so have all above it
            names[way[turn]] = ROOT + bits[:turn]
    return names


def node_mass(tree: Tree, mass: Floats) -> Floats:
    """How many occurrences are below each inner node; at the root all."""
    total = np.zeros(len(mass) - 1)
    np.add.at(total, tree.nodes, np.repeat(mass, np.diff(tree.starts)))
    return total


# --- What is learnt


def way_loss(v_w: Floats, v_n: Floats, bits: npt.NDArray[np.int8]) -> float:
    """-log p(c | w) = -Σ_n log σ(±v_n·v_w), for the nodes on the way to c (the rows of v_n) and its bits."""
    return float(-log_sigmoid((1 - 2 * bits) * (v_n @ v_w)).sum())


def pairs_loss(W: npt.ArrayLike, N: npt.ArrayLike, w: Ids, c: Ids, tree: Tree) -> float:
    """The mean of -log p(c | w) over pairs."""
    W, N = np.asarray(W, np.float64), np.asarray(N, np.float64)
    ways = [slice(tree.starts[x], tree.starts[x + 1]) for x in c]
    return float(np.mean([way_loss(W[x], N[tree.nodes[s]], tree.bits[s]) for x, s in zip(w, ways, strict=True)]))


def way_step(W: Floats, N: Floats, w: Ids, nodes: Ids, bits: npt.NDArray[np.int8], lr: float) -> None:
    """One step of gradient descent, in place, on pairs (w_b, c) of one context c, whose way has these nodes and bits.

    The loss is Σ_b -log p(c | w_b); its slope in v_n·v_wb is σ(v_n·v_wb) - (1 - bit of n). All slopes are those from
    before the step. A w that occurs twice steps twice.
    """
    v_w, v_n = W[w], N[nodes]
    slope = sigmoid(v_w @ v_n.T) - (1 - bits)
    N[nodes] -= lr * (slope.T @ v_w)
    np.subtract.at(W, w, lr * (slope @ v_n))
