"""Memory bombs: small files that claim a huge size or unpack to one, each given to a command in its own process.

Each must end with exit code 2 and one line, or with the right result. Compared with the same command on a small valid
file, it may take at most 2 s more of computing, and at most 64 MB plus twice the size of the file more memory.
"""

import bz2
import gzip
import json
import lzma
import os
import struct
import subprocess
import sys
import warnings
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from threading import Timer
from typing import NamedTuple

from reliability.figures import Figure, Mutant, main

SECONDS, MEMORY, PER_FILE_BYTE = 2.0, 64 << 20, 2
_TIMEOUT = 60  # seconds of the clock, for a process that hangs
MB = 1 << 20
MANY = 3_000_000
MUTANTS = [
    Mutant(
        "a header of nested brackets breaks the reader",
        "system/tensors.py",
        "except (ValueError, RecursionError) as error:  # ValueError: also",
        "except ValueError as error:  # ValueError: also",
    ),
    Mutant(
        "packed vectors are unpacked without end",
        "formats/opening.py",
        "if self.tell() > FREELY_UNPACKED",
        "if False and self.tell() > FREELY_UNPACKED",
    ),
    Mutant("a line without end is held whole", "corpus/lists.py", "        if length > longest:", "        if False:"),
    Mutant(
        "packed text is unpacked without end",
        "corpus/unpacking.py",
        "    if unpacked > _FREELY_UNPACKED",
        "    if False and unpacked",
    ),
]


class Bomb(NamedTuple):
    """A file, the command that reads it, and the exit code that this must have."""

    name: str
    use: str  # a key of _COMMANDS
    content: Callable[[], bytes]
    ends: int = 2
    short: bool = False  # part of the short form


class Ended(NamedTuple):
    """How a process ended."""

    code: int
    seconds: float  # of computing
    peak: int  # bytes of memory
    errors: str


_COMMANDS = {
    "vectors": "info {file}",
    "n-grams": "info {file}",
    "corpus": "vocab {file} -o {out}/counted --min-count 1 --quiet --threads 1",
    "keep": "vocab {corpus} -o {out}/counted --min-count 1 --quiet --threads 1 --keep {file}",
    "vocabulary": "train {corpus} -o {out}/v.loom --quiet --threads 1 --dim 2 --epochs 1 --sample 0 "
    "--read-vocab {file}",
    "pairs": "train {file} -o {out}/p.loom --pairs --quiet --threads 1 --dim 2 --epochs 1 --min-count 1",
    "questions": "evaluate {model} {file} --threads 1",
    "edges": "pairs edges {file} -o {out}/pairs --quiet",
    "phrases": "phrases {corpus} -o {out}/joined --quiet --threads 1 --phrases {file}",
}
# --- What bombs are made of


def _repeated(pack: Callable[[bytes], bytes], data: bytes, times: int) -> bytes:
    """Compressed data, repeated: several compressed streams in one file unpack to all of them in turn."""
    return pack(data) * times


def _zstd(data: bytes) -> bytes:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return bytes(zstd.compress(data))


def _rows(head: bytes, row: bytes, times: int) -> bytes:
    return gzip.compress(head) + gzip.compress(row * (MB // len(row))) * times


def _zeros(rest: bytes) -> bytes:
    """A hundred megabytes of rows with different words."""
    return b"".join(b"%d%b" % (i, rest) for i in range(100 * MB // len(rest)))


def _many(head: bytes, last: bytes = b"", n: int = MANY) -> bytes:
    """Rows of text with a word and one number, between a head and a last row."""
    return head + b"".join(b"w%d 1\n" % i for i in range(n)) + last


def _wide() -> bytes:
    """Rows of a hundred digits that compress to more than a sixteenth; their matrix takes 100 MB."""
    rng = Random(0)
    digits = rng.choices((b" 0", b" 1"), (9, 1), k=1 << 16)
    rows = (b"w%d" % i + b"".join(digits[at : at + 100]) for i, at in enumerate(rng.choices(range(65_000), k=250_000)))
    return b"250000 100\n" + b"\n".join(rows) + b"x\n"


def _many_binary(head: bytes, last: bytes = b"") -> bytes:
    return head + b"".join(b"w%d \0\0\0\0\n" % i for i in range(MANY)) + last


def _loom(header: bytes) -> bytes:
    return len(header).to_bytes(8, "little") + header


def _fasttext(words: int = 1, rows: int = 3, word: bytes = b"a", maxn: int = 3) -> bytes:
    """A file in fastText's layout with one word and two buckets; its counts of words and rows may be false."""
    raw = struct.pack("<ii12id", 793712314, 12, 4, 5, 1, 1, 5, 1, 2, 2, 2, 1, maxn, 100, 1e-4)
    raw += struct.pack("<iiiqq", words, words, 0, 100, -1) + word + b"\0" + struct.pack("<qb", 7, 0)
    return (
        raw + b"\0" + struct.pack("<qq", rows, 4) + bytes(4 * 4 * 3) + b"\0" + struct.pack("<qq", 1, 4) + bytes(4 * 4)
    )


def _numbers_of_parquet() -> bytes:
    """A Parquet file of pairs whose footer claims 2^60 rows."""
    from arro3.core import Array, DataType, Table
    from arro3.io import write_parquet

    columns = {name: Array(["a", "b"] * 500, DataType.string()) for name in ("word", "context")}
    with TemporaryDirectory() as folder:
        write_parquet(Table.from_pydict(columns), Path(folder) / "p.parquet")
        raw = (Path(folder) / "p.parquet").read_bytes()
    footer = raw.rindex(_varint(1000))  # the number of rows of the whole file
    lie = raw[:footer] + _varint(2**60) + raw[footer + len(_varint(1000)) :]
    length = int.from_bytes(raw[-8:-4], "little") + len(lie) - len(raw)
    return lie[:-8] + length.to_bytes(4, "little") + b"PAR1"


def _varint(number: int) -> bytes:
    """A whole number as Thrift's compact protocol writes it: zigzag, seven bits at a time."""
    number, out = number * 2, bytearray()
    while number >= 128:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


_RIGHT = {
    "vectors": b"2 2\na 1 2\nb 3 4\n",
    "n-grams": _fasttext(1, 3, b"a" * 3000, 50),  # long enough to load the kernel
    "corpus": b"a b a b\n" * 20,
    "keep": b"a\n",
    "vocabulary": b"a 40\nb 40\n",
    "pairs": b"a b\nb a\n" * 20,
    "questions": b"a b a b\n",
    "edges": b"a b\nb c\n",
    "phrases": b'{"format": "pairloom-phrases-1", "delimiter": "_", "connectors": [], "phrases": [0]}\n',
}
_DEEP = b"[" * 500_000
_PACKINGS: dict[str, Callable[[bytes], bytes]] = {"": bytes, ".gz": lambda data: gzip.compress(data, 6)}
_LATE = {  # faults of files with many rows: (head, last row)
    "one row more promised": (b"%d 1\n" % (MANY + 1), b""),
    "one row less promised": (b"%d 1\n" % (MANY - 1), b""),
    "many times the rows promised": (b"%d 1\n" % (MANY * 3), b""),
    "the last row without its end": (b"%d 1\n" % (MANY + 1), b"w 1"),
    "a repeated word at the end": (b"%d 1\n" % (MANY + 1), b"w5 1\n"),
    "no number at the end": (b"%d 1\n" % (MANY + 1), b"w 1x\n"),
    "NaN at the end": (b"%d 1\n" % (MANY + 1), b"w nan\n"),
    "broken UTF-8 at the end": (b"%d 1\n" % (MANY + 1), b"\xff 1\n"),
    "without a header, a repeated word at the end": (b"", b"w5 1\n"),
    "without a header, no number at the end": (b"", b"w 1x\n"),
}
_LATE_IN_BINARY = {
    "one row more promised": (b"%d 1\n" % (MANY + 1), b""),
    "one row less promised": (b"%d 1\n" % (MANY - 1), b""),
    "the last row cut": (b"%d 1\n" % (MANY + 1), b"w \0\0"),
    "a repeated word at the end": (b"%d 1\n" % (MANY + 1), b"w5 \0\0\0\0\n"),
    "NaN at the end": (b"%d 1\n" % (MANY + 1), b"w \0\0\xc0\x7f\n"),
}
BOMBS = [
    Bomb(
        "a .bin of 17 kB that promises 3,000,000 x 300", "vectors", lambda: b"3000000 300\n" + bytes(17_000), short=True
    ),
    Bomb("a .bin that promises 2^63 x 2^63", "vectors", lambda: b"%d %d\nthe \0\1" % (2**63, 2**63)),
    Bomb("a .bin that promises no rows of 10^17 numbers", "vectors", lambda: b"0 %d\n" % 10**17),
    Bomb("a .vec that promises 10^12 x 300", "vectors", lambda: b"%d 300\nthe 1 2\n" % 10**12),
    Bomb("a .vec of one line of 30 MB", "vectors", lambda: b"1 2\nx " + b"1" * (30 * MB)),
    Bomb("a .vec of one row of a million numbers", "vectors", lambda: b"2 1000000\nx" + b" 1" * 1_000_000 + b"\n"),
    Bomb("GloVe's, with one line of 30 MB of numbers", "vectors", lambda: b"x" + b" 1" * (15 * MB)),
    Bomb("a native header of 2^63 bytes", "vectors", lambda: (2**63).to_bytes(8, "little") + b"{" * 99),
    Bomb("a native header that is a megabyte of brackets", "vectors", lambda: _loom(b'{"a":' + _DEEP), short=True),
    Bomb(
        "a native header of a megabyte of names",
        "vectors",
        lambda: _loom(json.dumps(dict.fromkeys(map(str, range(70_000)))).encode()),
    ),
    Bomb("a fastText dictionary of 2^31 - 1 words", "vectors", lambda: _fasttext(words=2**31 - 1), short=True),
    Bomb("a fastText matrix of 2^62 x 4", "vectors", lambda: _fasttext(rows=2**62)),
    Bomb("a fastText word of a megabyte, n-grams of 50 letters", "n-grams", lambda: _fasttext(1, 3, b"a" * MB, 50), 0),
    Bomb("a .vec.gz of a gigabyte in one line", "vectors", lambda: _rows(b"1 1000000\nx", b" 0", 1000), short=True),
    Bomb("a .vec.gz of a gigabyte of rows", "vectors", lambda: _rows(b"30000000 9\n", b"x 0 0 0 0 0 0 0 0 0\n", 1000)),
    Bomb("a .vec.gz of rows of zeros", "vectors", lambda: gzip.compress(b"9999 3000\n" + _zeros(b" 0" * 3000 + b"\n"))),
    Bomb(
        "a .bin.gz of a gigabyte of rows", "vectors", lambda: _rows(b"800000 300\n", b"x " + bytes(1200) + b"\n", 1000)
    ),
    Bomb(
        "a .bin.gz of rows of zeros",
        "vectors",
        lambda: gzip.compress(b"9999 3000\n" + _zeros(b" " + bytes(12_000) + b"\n")),
    ),
    Bomb("a .bin.gz of a gigabyte without a word's end", "vectors", lambda: _rows(b"3 3\n", b"\1\xff", 1000)),
    Bomb("a corpus.gz of a gigabyte in one word", "corpus", lambda: _repeated(gzip.compress, b"a" * MB, 1000)),
    Bomb(
        "a corpus.gz of a gigabyte of words",
        "corpus",
        lambda: _repeated(gzip.compress, b"a b " * (MB // 4), 1000),
        short=True,
    ),
    Bomb("a corpus.bz2 of a gigabyte", "corpus", lambda: _repeated(bz2.compress, b"a" * (10 * MB), 100)),
    Bomb("a corpus.xz of a gigabyte", "corpus", lambda: _repeated(lzma.compress, b"a" * (10 * MB), 100)),
    Bomb("a corpus.zst of a gigabyte", "corpus", lambda: _repeated(_zstd, b"a\n" * (5 * MB), 100)),
    Bomb("a corpus with a word of 30 MB", "corpus", lambda: b"a b " + b"x" * (30 * MB) + b" a b\n", ends=0),
    Bomb("a corpus of one line of 30 MB", "corpus", lambda: b"a b " * (30 * MB // 4), ends=0),
    Bomb("a list of words to keep with a line of 30 MB", "keep", lambda: b"x" * (30 * MB)),
    Bomb("a vocabulary with a line of 30 MB", "vocabulary", lambda: b"a 1\n" + b"x" * (30 * MB), short=True),
    Bomb("a vocabulary with a count of 5,000 digits", "vocabulary", lambda: b"a 1\nb " + b"9" * 5000 + b"\n"),
    Bomb("pairs with a line of 30 MB", "pairs", lambda: b"a b\na " + b"x " * (15 * MB)),
    Bomb("pairs.gz of a gigabyte in one line", "pairs", lambda: _repeated(gzip.compress, b"a" * MB, 1000)),
    Bomb(
        "pairs of Parquet that promise 2^60 rows", "pairs", _numbers_of_parquet, ends=0
    ),  # it has a thousand, and all are read
    Bomb("questions with a line of 30 MB", "questions", lambda: b"a b c d\n" + b"x " * (15 * MB), short=True),
    Bomb("edges.gz of a gigabyte in one line", "edges", lambda: _repeated(gzip.compress, b"a " * (MB // 2), 1000)),
    Bomb(
        "phrases with a head of 30 MB", "phrases", lambda: b'{"format": "pairloom-phrases-1", "x": "' + b"x" * (30 * MB)
    ),
    Bomb("phrases with a head of brackets", "phrases", lambda: b'{"format":' + _DEEP + b"\n"),
    *(
        Bomb(
            f"a .{kind}{suffix} of {MANY:,} rows of one number, {what}",
            "vectors",
            lambda m=make, p=pack, e=ends: p(m(*e)),
        )
        for kind, make, faults in (("vec", _many, _LATE), ("bin", _many_binary, _LATE_IN_BINARY))
        for suffix, pack in _PACKINGS.items()
        for what, ends in faults.items()
    ),
    Bomb(
        "a .vec.gz whose numbers are 10 times its bytes, with no number at the end",
        "vectors",
        lambda: gzip.compress(_wide(), 6),
    ),
]


def measure(short: bool, seed: int) -> list[Figure]:
    """One figure for all bombs."""
    bombs = [bomb for bomb in BOMBS if bomb.short or not short]
    with TemporaryDirectory() as folder:
        places = _places(Path(folder))
        bases = {use: _run(use, lambda use=use: _RIGHT[use], places) for use in {bomb.use: None for bomb in bombs}}
        misses = [f"{use}: exit code {base.code}, {base.errors}" for use, base in bases.items() if base.code != 0]
        most = slowest = 0.0
        for bomb in bombs:
            ended = _run(bomb.use, bomb.content, places)
            more = Ended(
                ended.code, ended.seconds - bases[bomb.use].seconds, ended.peak - bases[bomb.use].peak, ended.errors
            )
            most, slowest = max(most, more.peak), max(slowest, more.seconds)
            miss = _miss(bomb, Path(places["file"]).stat().st_size, more)
            misses += [f"{bomb.name}: {miss}"] if miss else []
    return [
        Figure(
            name="memory bombs",
            bar=f"{len(bombs)} of {len(bombs)} below 64 MB + {PER_FILE_BYTE} x file, in {SECONDS:g} s",
            found=f"{len(bombs) - len(misses)} of {len(bombs)}; at most {most / MB:.0f} MB and {slowest:.1f} s more",
            met=not misses,
            misses=misses,
        )
    ]


def _places(folder: Path) -> dict[str, str]:
    """The paths of the bomb and of the other files that commands need."""
    places = {
        "file": str(folder / "bomb"),
        "out": str(folder),
        "corpus": str(folder / "corpus"),
        "model": str(folder / "m"),
    }
    Path(places["corpus"]).write_bytes(_RIGHT["corpus"])
    Path(places["model"]).write_bytes(_RIGHT["vectors"])
    return places


def _run(use: str, content: Callable[[], bytes], places: dict[str, str]) -> Ended:
    """Run a command on a file. Another process makes the file: a child's peak memory starts at that of its parent."""
    maker = get_context("fork").Process(target=lambda: Path(places["file"]).write_bytes(content()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # about forking with threads; none of ours run
        maker.start()
    maker.join()
    words = [word.format(**places) for word in _COMMANDS[use].split()]
    with Path(places["out"], "errors").open("wb+") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "pairloom", *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env=os.environ | {"PAIRLOOM_CACHE": places["out"]},
        )
        timer = Timer(_TIMEOUT, process.kill)
        timer.start()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        timer.cancel()
        errors.seek(0)
        message = errors.read().decode(errors="replace")
    return Ended(process.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, message)


def _miss(bomb: Bomb, size: int, more: Ended) -> str:
    """What is wrong with how a bomb ended, or "". `more` is what it took beyond a small valid file."""
    if more.code != bomb.ends:
        return f"exit code {more.code} instead of {bomb.ends}: {more.errors[-300:]!r}"
    if more.errors.count("\n") > 1 or len(more.errors) > 1000 or (more.code and not more.errors):
        return f"not one line: {more.errors[:300]!r}"
    if more.peak > MEMORY + PER_FILE_BYTE * size:
        return f"{more.peak >> 20} MB more than a small file"
    return f"{more.seconds:.1f} s more than a small file" if more.seconds > SECONDS else ""


if __name__ == "__main__":
    main(measure)
