"""Models for the tests in a browser. The Python of the package runs this, not that of the browser.

    python make_models.py FOLDER

topics.loom and other.loom are trained on text with three planted topics and some words that a page must not trust.
hundred.bin (100,000 words x 300) and million.bin (1,000,000 x 3) are random, in the format of word2vec.
"""

import random
import sys
from pathlib import Path

import numpy as np

import pairloom

TOPICS = (
    "king queen prince crown throne palace royal duke".split(),
    "apple pear plum cherry grape melon fruit orchard".split(),
    "piano violin cello trumpet guitar drum music orchestra".split(),
)
HOSTILE = ("<img/src=x/onerror=hacked=1>", "\u202egnik", "شاه", "מלך", "国王", "a&amp;b", "'\"<b>", "#near?word=king")
COMMON = "the of and in was with to for".split()


def main(folder: Path) -> None:
    for name, seed, dim in (("topics", 1, 24), ("other", 2, 16)):
        pairloom.train(sentences(seed), dim=dim, epochs=12, min_count=1, seed=seed, threads=1).save(
            folder / f"{name}.loom"
        )
    write_random(folder / "hundred.bin", 100_000, 300)
    write_random(folder / "million.bin", 1_000_000, 3)


def sentences(seed: int) -> list[list[str]]:
    """Each sentence has one topic and some common words. Hostile words belong to the first topic."""
    draw = random.Random(seed)
    topics = [[*TOPICS[0], *HOSTILE], *TOPICS[1:]]
    fillers = [f"filler{i}" for i in range(200)]
    made = []
    for _ in range(4000):
        words = draw.choices(draw.choice(topics), k=6) + draw.choices(COMMON, k=3) + draw.choices(fillers, k=1)
        draw.shuffle(words)
        made.append(words)
    return made


def write_random(path: Path, n: int, dim: int) -> None:
    """Random vectors as word2vec writes them: `word`, a space, float32 values, a line feed."""
    vectors = np.random.default_rng(1).standard_normal((n, dim), dtype=np.float32)
    rows = np.empty(n, dtype=[("word", "S8"), ("space", "S1"), ("values", np.float32, dim), ("end", "S1")])
    rows["word"] = np.char.mod("w%07d", np.arange(n))
    rows["space"], rows["values"], rows["end"] = b" ", vectors, b"\n"
    with path.open("wb") as file:
        file.write(f"{n} {dim}\n".encode())
        rows.tofile(file)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
