"""Damage: whatever happens to the bytes of a native file is seen; of word2vec's files, whatever can be seen.

A native file has hashes, so that any change is refused. Files of other programs have none: a changed bit of a number,
digit of a number or letter of a word makes another file that is as right as the first. Those cannot be seen by anybody;
all other damage should be: what is accepted must have the same rows, but for such changes in place.
"""

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np

from reliability.figures import Figure, Mutant, main
from reliability.mutate import pick
from wordloom.errors import WordloomError
from wordloom.formats import native, read_binary, read_text
from wordloom.formats.source import Reading, refusals, unpacked
from wordloom.formats.word2vec import write_binary, write_text
from wordloom.vectors import Embedding, Vectors

DAMAGES, SHORT = 10_000, 1_000
MUTANTS = [
    Mutant(
        "the hash of a header is not looked at",
        "formats/tensors.py",
        "    if digest.hexdigest() != expected:",
        "    if False:",
    ),
    Mutant(
        "the hashes of the tensors are not looked at",
        "formats/tensors.py",
        "if name not in trusted and",
        "if False and",
    ),
    Mutant(
        "bytes after the last row of a binary file are not seen",
        "formats/read_binary.py",
        "        if rest not in wanted and",
        "        if False and",
    ),
    Mutant(
        "a last line that was cut is taken for whole",
        "formats/read_text.py",
        "        if not lenient:",
        "        if False:",
    ),
]


def measure(short: bool, seed: int) -> list[Figure]:
    """One figure for the native file, one for each of word2vec's."""
    n = SHORT if short else DAMAGES
    with TemporaryDirectory() as folder:
        return [_native(Path(folder), n, seed), *_others(Path(folder), n, seed)]


def _model() -> Vectors:
    rng = np.random.default_rng(0)
    words = [f"w{i}" if i % 3 else f"wörter{i}" for i in range(60)]
    return Vectors(words, rng.normal(size=(60, 8)).astype(np.float32), np.arange(60, 0, -1))


def damages(raw: bytes, n: int, seed: str) -> Iterator[bytes]:
    """So many copies of a file, each with one damage, none without."""
    rng = Random(seed)
    while n:
        damaged = pick(rng, _KINDS)(rng, raw)
        if damaged != raw:
            n -= 1
            yield damaged


# --- What happens to files


def _span(rng: Random, raw: bytes) -> tuple[int, int]:
    """A place and the end of a few bytes from there, or of many."""
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
    """Two blocks, as after a write in the wrong order."""
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
    Embedding(words=vectors, contexts=vectors, record={"seed": 1}).save(path)
    raw, misses = path.read_bytes(), []
    for damaged in damages(raw, n, f"{seed}/native"):
        try:
            native.read_from(memoryview(damaged), "damaged.loom")
            misses.append(f"not seen: {_difference(raw, damaged)}")
        except WordloomError:
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


# --- word2vec's


def _others(folder: Path, n: int, seed: int) -> Iterator[Figure]:
    vectors = _model()
    write_binary(vectors, folder / "model.bin")
    write_text(vectors, folder / "model.vec")
    yield _other("word2vec .bin", (folder / "model.bin").read_bytes(), read_binary.read_from, vectors, n, seed)
    yield _other("word2vec .vec", (folder / "model.vec").read_bytes(), read_text.read_from, vectors, n, seed)


def _other(name: str, raw: bytes, read: Callable[..., Embedding], vectors: Vectors, n: int, seed: int) -> Figure:
    refused, in_place, misses = 0, 0, []
    for damaged in damages(raw, n, f"{seed}/{name}"):
        try:
            with refusals(name):
                found = read(unpacked(io.BytesIO(damaged), len(damaged)), Reading()).words
        except WordloomError:
            refused += 1
            continue
        if _is_in_place(vectors, found, raw, damaged):
            in_place += 1
        else:
            misses.append(_difference(raw, damaged))
    visible = n - in_place
    return Figure(
        name=f"random damage to {name}",
        bar="95 % of what can be seen is detected",
        found=f"{refused / visible:.1%} of {visible:,}; {in_place:,} others changed digits, letters or bits of numbers",
        met=refused >= 0.95 * visible,
        misses=misses if refused < 0.95 * visible else (),
    )


def _is_in_place(vectors: Vectors, found: Vectors, raw: bytes, damaged: bytes) -> bool:
    """Whether all rows are still there, with other letters or numbers: a file that is as right as the first."""
    same_rows = sum(a == b for a, b in zip(vectors.words, found.words, strict=False))
    same_numbers = np.count_nonzero((vectors.vectors == found.vectors).all(axis=1)) if len(found) == len(vectors) else 0
    changed = len(vectors) - max(same_rows, int(same_numbers))
    return len(found) == len(vectors) and found.dim == vectors.dim and changed * 2 < len(vectors)


if __name__ == "__main__":
    main(measure)
