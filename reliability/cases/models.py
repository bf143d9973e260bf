"""Faults 53 to 66: bad and odd files of vectors."""

import gzip
import struct
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import pairloom
from pairloom.errors import InputError
from reliability.cases.case import Case, Make

DIM = 5
WORDS = [f"word{i}" for i in range(8)]
ROWS = [[(i * DIM + j + 1) / 8 for j in range(DIM)] for i in range(8)]
VEC = f"8 {DIM}\n" + "".join(f"{word} {' '.join(map(str, row))}\n" for word, row in zip(WORDS, ROWS, strict=True))
BIN = f"8 {DIM}\n".encode() + b"".join(
    f"{word} ".encode() + struct.pack(f"<{DIM}f", *row) + b"\n" for word, row in zip(WORDS, ROWS, strict=True)
)
PICKLE = b"cos\nsystem\n(S'touch hacked'\ntR."  # runs a command when it is unpickled


def fasttext(first: bool = False) -> bytes:
    """A fastText model of 8 words without subwords, as fastText writes it, or as it did at first, in 2016."""
    arguments = struct.pack("<12i", DIM, 5, 5, 1, 5, 1, 2, 2, 0, 0, 0, 0) + struct.pack("<d", 1e-4)
    entries = b"".join(word.encode() + b"\0" + struct.pack("<qb", 10, 0) for word in WORDS)
    matrix = struct.pack("<2q", 8, DIM) + np.array(ROWS, "<f4").tobytes()
    if first:
        return arguments + struct.pack("<3iq", 8, 8, 0, 80) + entries + matrix + matrix
    dictionary = struct.pack("<3i2q", 8, 8, 0, 80, -1) + entries
    return struct.pack("<2i", 793712314, 12) + arguments + dictionary + b"\0" + matrix + b"\0" + matrix


FT, FIRST_FT = fasttext(), fasttext(first=True)


def model(name: str, file: str, content: Make, says: str, fault: int, *options: str, **case: Any) -> Case:
    """A file of vectors that must be refused with a message that names it."""
    given = dict(zip([option.lstrip("-") for option in options[::2]], options[1::2], strict=True))
    given = {"format" if name == "from" else name: value for name, value in given.items()}
    argv = ["convert", file, "old.loom", *options]
    return Case(
        name, argv, partial(pairloom.load, file, **given), says or file, fault=fault, make={file: content}, **case
    )


def good(name: str, file: str, content: Make, fault: int, dim: int = DIM) -> Case:
    """A valid file, which must be read with these words and numbers."""

    def right(embedding: Any) -> None:
        assert embedding.words.words == WORDS, embedding.words.words
        assert embedding.words.vectors[:, :DIM].tolist() == ROWS and embedding.dim == dim

    return Case(
        name,
        ["convert", file, "new.loom"],
        partial(pairloom.load, file),
        code=0,
        fault=fault,
        make={file: content},
        right=right,
    )


def native(change: Any) -> Make:
    """The bytes of the valid model, changed."""

    def make(path: Path) -> None:
        path.write_bytes(change(path.with_name("model.loom").read_bytes()))

    return make


def flip(at: float) -> Any:
    def change(data: bytes) -> bytes:
        where = int(at * (len(data) - 1))
        return data[:where] + bytes([data[where] ^ 16]) + data[where + 1 :]

    return change


def vectors_with(words: list[str]) -> pairloom.Vectors:
    return pairloom.Vectors(words, np.eye(len(words), 3, dtype=np.float32) + 1)


def saved(words: list[str], path: str) -> Any:
    """Save words that a format cannot hold."""
    return lambda: pairloom.Embedding.of_words(vectors_with(words)).save(path)


LONG = "x" * 80
CASES = [
    good("a text file", "m.vec", VEC, 60),
    good("a binary file", "m.bin", BIN, 60),
    good("a fastText file", "m.bin", FT, 60),
    good("a fastText file of 2016", "m.bin", FIRST_FT, 60),
    good("a binary file under the name of a text", "m.txt", BIN, 60),
    good("a text file under the name of a binary", "m.bin", VEC, 60),
    good("a packed text file", "m.vec.gz", gzip.compress(VEC.encode()), 66),
    good("a text file with CRLF", "m.vec", VEC.replace("\n", "\r\n"), 60),
    model("a binary file cut in a row", "m.bin", BIN[:-7], "m.bin", 53),
    model("a binary file cut after a row", "m.bin", BIN[: -len(BIN) // 4], "m.bin", 53),
    model("a binary file cut in its header", "m.bin", BIN[:2], "m.bin", 53),
    model("a fastText file cut in its dictionary", "m.bin", FT[:150], "m.bin", 53),
    model("a fastText file cut in its header", "m.bin", FT[:20], "m.bin", 53),
    model("a fastText file cut in its matrix", "m.bin", FT[: -(8 * DIM * 4 + 40)], "m.bin", 54),
    model("a fastText file of 2016 cut in its matrix", "m.bin", FIRST_FT[:-40], "m.bin", 54),
    model("a text file cut in its last number", "m.vec", VEC[:-3], "m.vec", 55),
    model("a text file cut after a row", "m.vec", VEC[: VEC.rindex("\n", 0, -1) + 1], "m.vec", 55),
    model("a text file with a number too few", "m.vec", VEC.replace(" 1.0 ", " "), "m.vec", 55),
    *(model(f"an empty .{suffix}", f"m.{suffix}", b"", f"m.{suffix}", 56) for suffix in ("loom", "bin", "vec", "txt")),
    model("a header of 3 000 000 x 300", "m.bin", BIN.replace(b"8 5\n", b"3000000 300\n", 1), "m.bin", 57),
    model("a header of 2^63 x 2^63", "m.bin", BIN.replace(b"8 5\n", b"9223372036854775808 9223372036854775808\n", 1),
          "m.bin", 58),
    model("a header of 3 000 000 rows of text", "m.vec", VEC.replace("8 5\n", "3000000 5\n", 1), "m.vec", 57),
    model("a header of negative numbers", "m.vec", VEC.replace("8 5\n", "-8 -5\n", 1), "m.vec", 58, "--from", "text"),
    model("a fastText dictionary of 2^31 words", "m.bin", FT.replace(struct.pack("<3i", 8, 8, 0),
          struct.pack("<3i", 2**31 - 1, 2**31 - 1, 0), 1), "m.bin", 57),
    model("a fastText matrix of 2^62 rows", "m.bin", FT.replace(struct.pack("<2q", 8, DIM),
          struct.pack("<2q", 2**62, 4), 1), "m.bin", 58),
    model("fewer rows in the header of a binary file", "m.bin", BIN.replace(b"8 5\n", b"5 5\n", 1), "m.bin", 59),
    model("fewer rows in the header of a text", "m.vec", VEC.replace("8 5\n", "5 5\n", 1), "m.vec", 59),
    model("a text file read as binary", "m.vec", VEC, "m.vec", 60, "--from", "bin"),
    model("a binary file read as text", "m.bin", BIN, "m.bin", 60, "--from", "text"),
    model("a text that holds no vectors", "m.txt", "the cat sat on the mat\n" * 9, "m.txt", 60),
    *(model(f"{value} among the numbers of a text", "m.vec", VEC.replace("1.0", value, 1), "m.vec", 61)
      for value in ("nan", "inf", "-inf", "1e999", "NaN")),
    model("NaN in a binary file", "m.bin", BIN.replace(struct.pack("<f", 1.0), struct.pack("<f", np.nan), 1), "word1",
         61),
    model("infinity in a binary file", "m.bin", BIN.replace(struct.pack("<f", 1.0), struct.pack("<f", np.inf), 1),
         "word1",
          61),
    model("a word twice in a text", "m.vec", VEC.replace("word3", "word2"), "word2", 62),
    Case("a word twice in a text, read leniently", ["convert", "m.vec", "new.loom", "--lenient"],
         partial(pairloom.load, "m.vec", lenient=True), code=0, fault=62,
         make={"m.vec": VEC.replace("word3", "word2")}, right=lambda e: e.words.words == [*WORDS[:3], *WORDS[4:]]),
    *(Case(f"{word!r} saved as {path}", None, saved(["a", word], path), repr(word)[1:-1].split("\\")[0][:3], fault=63)
      for word in ("new york", "line\nend", "tab\there", "nb\u00a0sp") for path in ("old.bin", "old.vec", "old.txt")),
    Case("an empty word saved", None, saved(["a", ""], "old.loom"), "empty", fault=63),
    Case("half a character saved", None, saved(["a", "\ud800"], "old.loom"), "not Unicode", fault=63),
    *(model(f"a pickle as .{suffix}", f"m.{suffix}", PICKLE, f"m.{suffix}", 64)
      for suffix in ("loom", "bin", "vec", "txt", "npy")),
    model("a NumPy archive of objects", "m.npz", lambda path: np.savez(path, a=np.array([{}], object)), "m.npz", 64),
    Case("a word of 80 letters", ["near", "m.vec", LONG], lambda: pairloom.load("m.vec").most_similar(LONG), code=0,
         fault=65, make={"m.vec": VEC.replace("word1", LONG)}),
    Case("3 000 dimensions", ["convert", "m.vec", "new.loom"], partial(pairloom.load, "m.vec"), code=0, fault=65,
         make={"m.vec": "2 3000\na " + "1 " * 2999 + "1\nb " + "2 " * 2999 + "2\n"}, right=lambda e: e.dim == 3000),
    model("a packed bomb of text", "m.vec.gz", gzip.compress(b"2 3\na " + b"1" * 50_000_000), "m.vec.gz", 66,
         long=True),
    model("a packed bomb of binary", "m.bin.gz", gzip.compress(b"2 3\n" + b"a" * 50_000_000), "m.bin.gz", 66,
         long=True),
    model("a packed file cut short", "m.vec.gz", gzip.compress(VEC.encode())[:-9], "m.vec.gz", 55),
    model("a native file cut short", "m.loom", native(lambda data: data[:-1]), "m.loom", 53),
    model("a native file cut in half", "m.loom", native(lambda data: data[: len(data) // 2]), "m.loom", 53),
    model("a native file with more at its end", "m.loom", native(lambda data: data + b"\0"), "m.loom", 59),
    *(model(f"a native file with another bit at {at}", "m.loom", native(flip(at)), "m.loom", 53)
      for at in (0, 0.001, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999, 1)),
    model("a native header of 2^63 bytes", "m.loom", native(lambda data: b"\xff" * 8 + data[8:]), "m.loom", 57),
]  # fmt: skip
assert all(case.error is InputError for case in CASES)
