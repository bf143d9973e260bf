"""A graph as lists of neighbours, and the definition of a step."""

import numpy as np
import pytest

from pairloom.preparing.graphs.edges import Edges
from pairloom.preparing.graphs.graph import graph_of, step_probabilities

# a triangle a b c with a tail c d e, and f that only d knows
TAIL = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e"), ("d", "f")]


def graph(edges, directed=False):
    return graph_of(Edges(edges), directed=directed)


# --- The graph


def test_a_graph_has_its_nodes_in_order_and_edges_both_ways():
    g = graph([("b", "a"), ("b", "c")])
    assert g.nodes == ("a", "b", "c")
    assert [g.neighbours(v).tolist() for v in range(3)] == [[1], [0, 2], [1]]
    assert g.weights is None


def test_a_directed_graph_has_edges_one_way_and_sinks():
    g = graph([("b", "a"), ("b", "c")], directed=True)
    assert [g.neighbours(v).tolist() for v in range(3)] == [[], [0, 2], []]
    assert g.n_sinks == 2


def test_an_edge_given_twice_weighs_the_sum_and_a_loop_is_its_own_way_back():
    g = graph([("a", "b"), ("b", "a", 2.5), ("a", "a", 4), ("c", "a")])
    assert g.neighbours(0).tolist() == [0, 1, 2]
    assert g.edge_weights(0).tolist() == [4.0, 3.5, 1.0]
    assert g.edge_weights(1).tolist() == [3.5]


# --- Steps


def test_the_definition_on_a_graph_that_can_be_checked_by_eye():
    g = graph(TAIL)
    a, c, d = (g.nodes.index(name) for name in "acd")
    assert g.neighbours(c).tolist() == [0, 1, 3]  # a, b, d
    assert step_probabilities(g, c).tolist() == pytest.approx([1 / 3] * 3)
    # from a to c: back to a 1/p, to b (a neighbour of a) 1, on to d 1/q
    assert step_probabilities(g, c, a, p=0.5, q=4.0) == pytest.approx(np.array([2, 1, 0.25]) / 3.25)
    assert step_probabilities(g, c, d, p=0.5, q=4.0) == pytest.approx(np.array([0.25, 0.25, 2]) / 2.5)


def test_distance_in_a_directed_graph_is_from_where_the_walk_came():
    g = graph([("t", "v"), ("v", "x"), ("v", "y"), ("t", "x"), ("y", "t")], directed=True)
    t, v, x, y = (g.nodes.index(name) for name in "tvxy")
    assert g.neighbours(v).tolist() == [x, y]
    assert step_probabilities(g, v, t, q=4.0) == pytest.approx([0.8, 0.2])  # there is t -> x; y -> t does not count
