"""How true is the noise line of `pairloom compare`? Seeds, halves and swapped words of one text.

    python benchmarks/shifts.py wiki100.txt.gz --words 5e6 --dim 100 --salt a

Lines are dealt into two halves at random. No word has moved between two seeds, or between the halves; in a copy of the
second half, 50 words of 50 or more occurrences are swapped in pairs of about the same frequency, and these have.
docs/comparing.md has the results.
"""

import argparse
import gzip
import math
import random
from collections import Counter
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path

import pairloom

Text = list[list[str]]
LEAST = 50  # occurrences of a swapped word in each half


def draw(number: int, salt: str) -> float:
    """A number from 0 to 1 for a line."""
    return int.from_bytes(blake2b(f"{salt}{number}".encode(), digest_size=8).digest(), "big") / 2**64


def lines_of(path: str, words: float, salt: str) -> Text:
    """Lines of a text with about this many words, chosen at random."""
    data = Path(path).read_bytes()
    lines = [line.split() for line in (gzip.decompress(data) if path.endswith(".gz") else data).decode().splitlines()]
    share = words / max(1, sum(map(len, lines)))
    return [line for number, line in enumerate(lines) if draw(number, f"size {salt}") < share]


def swaps(first: Text, second: Text, n: int, salt: str) -> dict[str, str]:
    """n words, each with another one of about its frequency to be written in its place."""
    rng = random.Random(salt)
    counts = [Counter(word for line in text for word in line) for text in (first, second)]
    words = [w for w, count in counts[1].most_common() if min(count, counts[0][w]) >= LEAST and len(w) > 2]
    found: dict[str, str] = {}
    while len(found) < n:
        rank = int(math.exp(rng.uniform(math.log(50), math.log(len(words) - 30))))
        one, other = words[rank], words[rank + rng.randint(5, 20)]
        if one not in found and other not in found:
            found |= {one: other, other: one}
    return found


def report(name: str, compared: pairloom.Comparison, moved: Iterable[str] = ()) -> None:
    beyond, swapped = {*compared.beyond}, {*moved}
    said = f"{name}: {len(compared.words):,} words, {len(beyond)} beyond the line (z {compared.line or 0:.2f})"
    if swapped:
        right = len(beyond & swapped)
        said += f", recall {right / len(swapped):.2f}, precision {right / max(1, len(beyond)):.2f}"
    print(said, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument(
        "--words", type=float, default=1e12, help="use about this many words of the text (default: all)"
    )
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--min-count", type=int, default=1, help="of compare")
    parser.add_argument("--salt", default="", help="other halves and other words")
    args = parser.parse_args()

    text = lines_of(args.corpus, args.words, args.salt)
    first = [line for number, line in enumerate(text) if draw(number, f"half {args.salt}") < 0.5]
    second = [line for number, line in enumerate(text) if draw(number, f"half {args.salt}") >= 0.5]
    exchange = swaps(first, second, 50, args.salt)
    swapped = [[exchange.get(word, word) for word in line] for line in second]
    whole, again, a, b, c = (
        pairloom.train(some, dim=args.dim, epochs=args.epochs, seed=seed)
        for some, seed in ((text, 1), (text, 2), (first, 1), (second, 2), (swapped, 2))
    )
    report("two seeds", pairloom.compare(whole, again, min_count=args.min_count))
    report("two halves", pairloom.compare(a, b, min_count=args.min_count))
    report("swapped words", pairloom.compare(a, c, min_count=args.min_count), exchange)


if __name__ == "__main__":
    main()
