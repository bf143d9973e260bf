"""Corpora of any length and vocabulary size, made from a piece of real text.

The most frequent words of the piece, its head, are kept. Every other token is replaced: by one of a given number of
words `~n`, the tail, in turn, or (one in NEW) by a word that occurs nowhere else. The piece is then written again and
again, each time with other words in its gaps. So for all lengths and vocabulary sizes

- the shares of head, tail and new tokens are the same, and the head has the same frequencies;
- subsampling keeps the same share, since all words of the tail are rarer than its threshold;
- exactly the words of head and tail occur twice or more, so min_count=2 keeps just these.

The tail is flat, unlike that of real text. This is hard on the caches, since no row is used more often than another.
"""

import re
from collections import Counter
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

NEW = 64  # 1 token in 500 of Wikipedia is new: a million words in 500 M tokens, about what more real text would have
MIXER = 15_485_863  # a prime, so that the words of the tail do not take turns in the order of their ids


@dataclass(frozen=True)
class Stretch:
    """Real text with gaps: pieces[0] gap pieces[1] gap ... pieces[-1]."""

    pieces: list[bytes]
    n_tokens: int
    n_head: int  # words of the head

    @property
    def n_gaps(self) -> int:
        return len(self.pieces) - 1

    @property
    def n_turns(self) -> int:
        """The number of gaps for words of the tail; the others are for new words."""
        return self.n_gaps - -(-self.n_gaps // NEW)

    @property
    def n_bytes(self) -> int:
        """The approximate bytes of one repetition."""
        return sum(map(len, self.pieces)) + 8 * self.n_gaps

    @classmethod
    def read(cls, path: Path, tokens: int, head: int) -> "Stretch":
        """Take about this many tokens from the beginning of a text, and keep this many words of them."""
        text = _beginning(path, tokens)
        counts = Counter(text.split())
        frequent = {word for word, n in counts.most_common(head) if n > 1}
        pieces, at = [], 0
        for token in re.finditer(rb"\S+", text):
            if token[0] not in frequent:
                pieces.append(text[at : token.start()])
                at = token.end()
        return cls([*pieces, text[at:]], counts.total(), len(frequent))

    def write(self, path: Path, repetitions: int, n_words: int) -> None:
        """Write the piece repeatedly, with words that make a vocabulary of n_words."""
        tail = n_words - self.n_head
        if repetitions * self.n_turns < 2 * tail:
            raise ValueError(f"{n_words:,} words need more than {repetitions} repetitions to occur twice each.")
        new = np.arange(self.n_gaps) % NEW == 0
        numbers = np.empty(self.n_gaps, np.int64)
        parts = [b""] * (2 * self.n_gaps + 1)
        parts[::2] = self.pieces
        with path.open("wb") as file:
            for r in range(repetitions):
                numbers[new] = tail + r * new.sum() + np.arange(new.sum())
                numbers[~new] = (r * self.n_turns + np.arange(self.n_turns)) * MIXER % tail
                parts[1::2] = [b"~%d" % n for n in numbers.tolist()]
                file.write(b"".join(parts))


def _beginning(path: Path, tokens: int) -> bytes:
    """The first lines with this many tokens in total, or all lines of a shorter text."""
    lines, n = [], 0
    with path.open("rb") as file:
        for line in iter(partial(file.readline, 1 << 16), b""):  # a whole text may be one line
            lines.append(line)
            n += len(line.split())
            if n >= tokens:
                break
    return b"".join(lines).rstrip() + b"\n"
