"""Pairs (w, c) of other things than words in a window, as `train_pairs` takes them.

dependency_pairs   words and what they depend on, from parsed text in CoNLL-U (Levy & Goldberg 2014)
edge_pairs         the ends of a graph's edges
basket_pairs       whatever is together in a basket or a session

Each gives `Pairs`: they can be iterated again and again, and saved as lines `w c` or `w c weight`.
"""

from pairloom.pairings.baskets import basket_pairs
from pairloom.pairings.dependencies import dependency_pairs
from pairloom.pairings.edges import edge_pairs
from pairloom.pairings.pairs import Pairs

__all__ = ["Pairs", "basket_pairs", "dependency_pairs", "edge_pairs"]
