"""Pairs of animals and colours, and helpers to write and encode pairs."""

from pairloom.pairs.pair_encoding import encode_pairs
from pairloom.pairs.pair_names import Selection
from pairloom.pairs.pair_reading import open_pairs

TOY = {"dim": 16, "epochs": 10, "min_count": 1}
ANIMALS, COLOURS = ("cat", "dog", "cow"), ("red", "blue")
PAIRS = [(a, c) for a in ANIMALS for c in ("eats", "sleeps", "is")] + [(a, c) for a in COLOURS for c in ("fades", "is")]


def write(path, pairs, separator="\t"):
    path.write_text("".join(separator.join(map(str, pair)) + "\n" for pair in pairs))
    return path


def encoded(pairs, folder, least=1, context_least=1, words=None, contexts=None):
    with open_pairs(pairs) as corpus:
        selections = (
            Selection("word", "min_count", least, None, words),
            Selection("context", "min_context_count", context_least, None, contexts),
        )
        return encode_pairs(corpus, folder, *selections)
