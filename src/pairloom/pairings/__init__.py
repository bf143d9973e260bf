"""Pairs (w, c) from other sources than windows of text, for `pairloom.train_pairs`.

dependency_pairs   words and the words they depend on, from parsed text in CoNLL-U (Levy & Goldberg 2014)
edge_pairs         the two ends of each edge of a graph
basket_pairs       things that are in the same basket, set or session

Each returns `Pairs`. You can iterate over them as often as you like, and save them as lines `w c` or `w c weight`:

    from pairloom.pairings import basket_pairs

    embedding = pairloom.train_pairs(basket_pairs("sessions.txt"), min_count=1)
"""

from pairloom.pairings.baskets import basket_pairs
from pairloom.pairings.dependencies import dependency_pairs
from pairloom.pairings.edges import edge_pairs
from pairloom.pairings.pairs import Pairs

__all__ = ["Pairs", "basket_pairs", "dependency_pairs", "edge_pairs"]
