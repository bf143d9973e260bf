"""Text read in small blocks, for tests of words and lines that cross their edges, and files of many kinds."""

import gzip
import random

from pairloom.corpus import decoding, unpacking


def read_in_blocks(patch, n_bytes):
    """Read text in blocks of n_bytes, instead of a megabyte."""
    for module in (unpacking, decoding):
        patch.setattr(module, "BLOCK_BYTES", n_bytes)


def write_odd_files(folder):
    """Files with all that text may have: line ends of each kind, none at the end, NULs, long lines and words."""
    rng = random.Random(3)
    words = [f"Wört{i}" if i % 3 else f"word{i}" for i in range(300)]

    def lines(n, end="\n"):
        return "".join(" ".join(rng.choices(words, k=rng.randrange(12))) + end for _ in range(n))

    contents = {
        "a-unix.txt": lines(400).encode(),
        "b-dos.txt": ("\ufeff" + lines(300, "\r\n")).encode(),
        "c-packed.txt.gz": gzip.compress(lines(300).encode(), mtime=0),
        "d-empty.txt": b"",
        "e-mac.txt": lines(100, "\r").encode(),
        "f-long-lines.txt": (" ".join(rng.choices(words, k=2500)) + "\n" + lines(3)).encode() * 4,
        "g-long-words.txt": f"{'x' * 2000} and {'y' * 3000}\n{lines(5)}".encode(),
        "h-nuls.txt": b"one\0two three\n" + lines(200).encode() + b"\0\0 \xe3\x80\x80 word1",
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return [str(folder / name) for name in contents]
