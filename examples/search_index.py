"""Search approximately: make an index of a model, keep it, and see what it finds and how fast.

    python examples/search_index.py MODEL [WORD ...]

Worth it from some 100,000 words on: below that, comparing with every word takes a few milliseconds. Every answer has
its exact cosine; what an index may do is miss a neighbour. Needs faiss: pip install 'pairloom[ann]'

With the model of examples/text.py, on a busy machine, `search_index.py text.loom month server` prints

    8,679 words of dim 100; of the ten nearest, the index finds 99.9%
    month: day, year, weekday, week, days (0 missed)
    server: tcp, socketserver, localhost, client, udp (0 missed)
    A question takes 6.15 ms exactly and 0.62 ms by the index
"""

import argparse
import time
from pathlib import Path

import pairloom
from pairloom import Index


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path, metavar="MODEL")
    parser.add_argument("words", nargs="*", metavar="WORD", help="(default: the three most frequent)")
    args = parser.parse_args()

    words = pairloom.load(args.model).words
    path = Path(f"{args.model}.index")  # where `pairloom near --approximate` looks for it, too
    Index.build(words).save(path)
    index = Index.load(path, words)  # refused if the vectors are not those of the index
    print(f"{len(words):,} words of dim {words.dim}; of the ten nearest, the index finds {index.recall(10):.1%}")
    for word in args.words or words.words[:3]:
        exact, approximate = words.most_similar(word, topn=5), index.most_similar(word, topn=5)
        missed = len(set(exact) - set(approximate))
        print(f"{word}: {', '.join(near for near, _ in approximate)} ({missed} missed)")
    asked = words.words[:1000]
    seconds = [timed(words.most_similar, asked), timed(index.most_similar, asked)]
    print(f"A question takes {seconds[0] * 1e3:.2f} ms exactly and {seconds[1] * 1e3:.2f} ms by the index")


def timed(question, words: list[str]) -> float:
    """Seconds for one question, the mean of many."""
    began = time.perf_counter()
    for word in words:
        question(word)
    return (time.perf_counter() - began) / len(words)


if __name__ == "__main__":
    main()
