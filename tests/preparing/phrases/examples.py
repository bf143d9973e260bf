"""A text about New York, and pairs counted by hand."""

import random
from collections import Counter

CITIES = ["i love new york", "new york is big", "she left new york for the bank of america", "the bank of america"]
TEXT = "\n".join(CITIES * 10) + "\n"


def lists(text):
    return [line.split() for line in text.splitlines()]


def counted(sentences, connectors=()):
    """Words and pairs by hand: ({word: n}, {(a, *connectors, b): n}, tokens)."""
    words, pairs, tokens = Counter(), Counter(), 0
    for sentence in sentences:
        open_words = []
        for word in sentence:
            tokens += 1
            if word in connectors:
                open_words += [word] if open_words else []
                continue
            words[word] += 1
            if open_words:
                pairs[(*open_words, word)] += 1
            open_words = [word]
    return words, pairs, tokens


def random_text(n_lines=3000, n_words=2000, seed=1):
    rng = random.Random(seed)
    words = [f"w{i}" for i in range(n_words)]
    return "\n".join(" ".join(words[int(n_words * rng.random() ** 4)] for _ in range(8)) for _ in range(n_lines))
