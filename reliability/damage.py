"""Damage: any change to a native file is detected; in word2vec's files, any change that can be.

A native file has hashes, so every change is detected. Files of other programs have none: a changed bit or digit of a
number, or a changed letter of a word, makes another valid file, and no reader can tell. Such a file is, byte for byte,
what we write for the vectors read from it. All other damage should be detected.
"""

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np

from pairloom.errors import PairloomError
from pairloom.formats import native, read_binary, read_text
from pairloom.formats.opening import ReadOptions, load_errors, unpack
from pairloom.formats.write_word2vec import write_binary, write_text
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.vectors import Vectors
from reliability.figures import Figure, Mutant, main
from reliability.mutate import pick

DAMAGES, SHORT = 10_000, 1_000
_RECORD = {"config": {f"option{i}": i for i in range(60)}}  # as long as the record of a training
MUTANTS = [
    Mutant(
        "the hash of a header is ignored",
        "system/tensors.py",
        "    if digest.hexdigest() != expected:",
        "    if False:",
    ),
    Mutant(
        "the hashes of the tensors are ignored",
        "system/tensors.py",
        "if name not in trusted and",
        "if False and",
    ),
    Mutant(
        "bytes after the last row of a binary file are ignored",
        "formats/read_binary.py",
        "        if rest not in wanted and",
        "        if False and",
    ),
    Mutant(
        "rows that lost a byte are accepted",
        "formats/read_binary.py",
        "        if odd.any() and not self.options.lenient:",
        "        if False:",
    ),
]


def measure(short: bool, seed: int) -> list[Figure]:
    """One figure for the native file, and one for each format of word2vec."""
    n = SHORT if short else DAMAGES
    with TemporaryDirectory() as folder:
        return [_native(Path(folder), n, seed), *_others(Path(folder), n, seed)]


def _model() -> Vectors:
    rng = np.random.default_rng(0)
    words = [f"w{i}" if i % 3 else f"wörter{i}" for i in range(60)]
    return Vectors(words, rng.normal(size=(60, 8)).astype(np.float32), np.arange(60, 0, -1))


def damages(raw: bytes, n: int, seed: str) -> Iterator[bytes]:
    """`n` copies of a file, each damaged in one place."""
    rng = Random(seed)
    while n:
        damaged = pick(rng, _KINDS)(rng, raw)
        if damaged != raw:
            n -= 1
            yield damaged


# --- Kinds of damage


def _span(rng: Random, raw: bytes) -> tuple[int, int]:
    """The begin and end of a few bytes, or of many."""
    at = int(rng.random() * len(raw))
    return at, at + int(rng.random() * pick(rng, (1, 16, 512))) + 1


def _flip(rng: Random, raw: bytes) -> bytes:
    at = int(rng.random() * len(raw))
    return raw[:at] + bytes([raw[at] ^ 1 << int(rng.random() * 8)]) + raw[at + 1 :]


def _cut(rng: Random, raw: bytes) -> bytes:
    return raw[: int(rng.random() * len(raw))]


def _lose(rng: Random, raw: bytes) -> bytes:
    begin, end = _span(rng, raw)
    return raw[:begin] + raw[end:]


def _insert(rng: Random, raw: bytes) -> bytes:
    begin, end = _span(rng, raw)
    return raw[:begin] + rng.randbytes(end - begin) + raw[begin:]


def _double(rng: Random, raw: bytes) -> bytes:
    begin, end = _span(rng, raw)
    return raw[:end] + raw[begin:]


def _overwrite(rng: Random, raw: bytes) -> bytes:
    begin, end = _span(rng, raw)
    return raw[:begin] + rng.randbytes(len(raw[begin:end])) + raw[end:]


def _zero(rng: Random, raw: bytes) -> bytes:
    begin, end = _span(rng, raw)
    return raw[:begin] + bytes(len(raw[begin:end])) + raw[end:]


def _swap(rng: Random, raw: bytes) -> bytes:
    """Swap two blocks, as if they were written in the wrong order."""
    size = pick(rng, (4, 64, 512))
    a, b = sorted(int(rng.random() * len(raw)) for _ in range(2))
    b = max(b, a + size)
    return raw[:a] + raw[b : b + size] + raw[a + size : b] + raw[a : a + size] + raw[b + size :]


def _append(rng: Random, raw: bytes) -> bytes:
    return raw + rng.randbytes(int(rng.random() * 64) + 1)


_KINDS = (_flip, _cut, _lose, _insert, _double, _overwrite, _zero, _swap, _append)


# --- The native file


def _native(folder: Path, n: int, seed: int) -> Figure:
    vectors, path = _model(), folder / "model.loom"
    Embedding(words=vectors, contexts=vectors, record=_RECORD).save(path)
    raw, misses = path.read_bytes(), []
    for damaged in damages(raw, n, f"{seed}/native"):
        try:
            native.read_from(memoryview(damaged), "damaged.loom")
            misses.append(f"not detected: {_difference(raw, damaged)}")
        except PairloomError:
            continue
    return Figure(
        name="random damage to a native file",
        bar=f"{n:,} of {n:,} detected",
        found=f"{n - len(misses):,} of {n:,} detected",
        met=not misses,
        misses=misses,
    )


def _difference(raw: bytes, damaged: bytes) -> str:
    at = next((i for i, (a, b) in enumerate(zip(raw, damaged, strict=False)) if a != b), min(len(raw), len(damaged)))
    return f"{len(damaged):,} bytes instead of {len(raw):,}, from byte {at:,} on {damaged[at : at + 20]!r}"


# --- word2vec's files


def _others(folder: Path, n: int, seed: int) -> Iterator[Figure]:
    vectors = _model()
    write_binary(vectors, folder / "model.bin")
    write_text(vectors, folder / "model.vec")
    yield _other("word2vec .bin", (folder / "model.bin").read_bytes(), read_binary.read_from, vectors, n, seed)
    yield _other("word2vec .vec", (folder / "model.vec").read_bytes(), read_text.read_from, vectors, n, seed)


def _other(name: str, raw: bytes, read: Callable[..., Embedding], vectors: Vectors, n: int, seed: int) -> Figure:
    refused, another, misses = 0, 0, []
    for damaged in damages(raw, n, f"{seed}/{name}"):
        try:
            with load_errors(name):
                found = read(unpack(io.BytesIO(damaged), len(damaged)), ReadOptions()).words
        except PairloomError:
            refused += 1
            continue
        if _as_written(found, name.endswith(".vec")) == (_plain(damaged) if name.endswith(".vec") else damaged):
            another += 1
        else:
            misses.append(_difference(raw, damaged))
    visible = n - another
    return Figure(
        name=f"random damage to {name}",
        bar="95 % detected, apart from damage that makes another valid file",
        found=f"{refused / visible:.2%} of {visible:,}; {another:,} more made another valid file",
        met=refused >= 0.95 * visible,
        misses=misses if refused < 0.95 * visible else (),
    )


def _as_written(vectors: Vectors, text: bool) -> bytes:
    """The file that we write for these vectors."""
    rows = zip(vectors.words, vectors.vectors, strict=True)
    head = b"%d %d\n" % (len(vectors), vectors.dim)
    if text:
        return head + b"".join(
            b"%b %b\n" % (word.encode(), b" ".join([b"%r" % x for x in row.tolist()])) for word, row in rows
        )
    return head + b"".join(b"%b %b\n" % (word.encode(), row.tobytes()) for word, row in rows)


def _plain(text: bytes) -> bytes:
    """Text with the numbers of all rows spelt as we write them, since a number has many spellings."""
    head, *lines = text.split(b"\n")
    rows = [line.split(b" ") for line in lines[:-1]]
    spelt = [b" ".join([row[0], *(b"%r" % float(np.float32(float(x or "nan"))) for x in row[1:])]) for row in rows]
    return b"\n".join([head, *spelt, b""])


if __name__ == "__main__":
    main(measure)
