"""Which words mean something else in another time? Trains on two texts and compares the models.

    python examples/two_decades.py 1960s.txt 1990s.txt --dim 100

The lines of the first text are dealt into two halves at random. The second half is the yardstick: between the halves no
word has moved, so how far words move between them is noise, of training and of sampling alike.

With the two texts of docs/tutorial.md, in which `month` and `password` have changed places, and half a million words in
each half, `two_decades.py python.txt swapped.txt --sample 1e-4 -n 4` puts both first, though one stays below the line:

    6,133 common words, 1 beyond the noise
    month  shift 1.12  z 4.7  lost: year, day, week, days, weekday  gained: passwd, login, mgr, username, realm
    password  shift 1.04  z 4.2  lost: passwd, realm, getpass, mgr, login  gained: day, year, weekday, week, ymd
    reverse  shift 0.72  z 2.7  lost: delitem, stem, np, brackets, netstat  gained: solidus, sorted, ...
    make  shift 0.54  z 2.4  lost: lazy, closes, lfoo, permissions  gained: scanner, easier, life, maybe
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
