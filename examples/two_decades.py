"""Which words mean something else in another time? Trains on two texts and compares the models.

    python examples/two_decades.py 1960s.txt 1990s.txt --dim 100

The lines of the first text are dealt into two halves at random. The second half is the yardstick: between the halves no
word has moved, so how far words move between them is noise, of training and of sampling alike.
"""

import argparse
from hashlib import blake2b
from pathlib import Path

import pairloom


def halves(text: str) -> tuple[list[list[str]], list[list[str]]]:
    """The lines of a text, dealt into two halves by a hash of their number."""
    dealt: tuple[list[list[str]], list[list[str]]] = [], []
    with Path(text).open(encoding="utf-8") as file:
        for number, line in enumerate(file):
            dealt[blake2b(str(number).encode()).digest()[0] % 2].append(line.split())
    return dealt


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("early", help="a text, one paragraph or sentence per line")
    parser.add_argument("late", help="another one, prepared in the same way")
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--sample", type=float, default=1e-3)
    parser.add_argument("-n", type=int, default=10, help="words to print")
    args = parser.parse_args()

    options = {"dim": args.dim, "epochs": args.epochs, "sample": args.sample}
    half, other_half = halves(args.early)
    early, yardstick = (pairloom.train(text, seed=seed, **options) for seed, text in enumerate((half, other_half)))
    late = pairloom.train(args.late, seed=2, **options)

    compared = pairloom.compare(early, late, noise=yardstick)
    print(f"{len(compared.words):,} common words, {len(compared.beyond):,} beyond the noise")
    shifts = compared.most_shifted(args.n)
    for one, near in zip(shifts, compared.neighbours([one.word for one in shifts], 5), strict=True):
        before, after = (", ".join(word.word for word in some) for some in (near.lost, near.gained))
        print(f"{one.word}  shift {one.shift:.2f}  z {one.z or 0:.1f}  lost: {before}  gained: {after}")


if __name__ == "__main__":
    main()
