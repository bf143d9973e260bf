"""The folder in which cases are tried: valid files of every kind, and old outputs that must stay unchanged."""

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import suppress
from itertools import combinations
from pathlib import Path

from reliability.cases.case import Make

ANIMALS = ["cat", "dog", "horse", "cow", "sheep", "goat", "hen", "duck", "pig", "goose"]
COLOURS = ["red", "green", "blue", "white", "black", "brown", "pink", "grey", "violet", "yellow"]
TEXT = "".join(
    " ".join(topic[(i * step) % 10] for i in range(8)) + "\n"
    for topic in (ANIMALS, COLOURS)
    for step in (1, 3, 7, 9)
    for _ in range(25)
)
CONLLU = (
    "1\tcats\tcat\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tsleep\tsleep\tVERB\t_\t_\t0\troot\t_\t_\n"
    "3\tin\tin\tADP\t_\t_\t4\tcase\t_\t_\n4\tbarns\tbarn\tNOUN\t_\t_\t2\tobl\t_\t_\n\n"
)
GOOD: dict[str, str] = {
    "text.txt": TEXT,
    "more.txt": TEXT.replace("cat", "kitten").replace("red", "crimson"),
    "edges.txt": "a b\nb c 2\nc d\nd a 0.5\n",
    "baskets.txt": "milk bread eggs\nbread butter\n",
    "parsed.conllu": CONLLU,
    "pairs.txt": "cat sleeps\ncat runs\ndog runs\ndog barks\n" * 20,
    "questions.txt": ": animals\ncat dog cow pig\nhen duck pig goose\n: colours\nred green blue white\n",
    "similar.tsv": "cat\tdog\t9\ncat\tred\t1\nred\tgreen\t8\nhen\tblue\t2\n",
    "animals.tsv": "".join(f"{a}\t{b}\t{len(a) + len(b)}\n" for a, b in combinations(ANIMALS, 2)),
    "words.txt": "kitten\ncrimson\n",
    "counted.txt": "cat 100\ndog 90\nhorse 80\n",
    "contexts.txt": "runs 40\nsleeps 20\nbarks 20\n",
    "old.vocab": "what was here before\n",
    "old.txt": "what was here before\n",
    "old.vec": "what was here before\n",
    "old.html": "what was here before\n",
}


def build(folder: Path) -> None:
    """Fill an empty folder. Its models are trained, saved and converted by the package itself."""
    import pairloom

    for name, content in GOOD.items():
        (folder / name).write_text(content)
    embedding = pairloom.train(folder / "text.txt", dim=4, epochs=2, min_count=1, sample=0.0)
    for name in ("model.loom", "old.loom", "vectors.bin", "vectors.vec"):
        embedding.save(folder / name)
    pairloom.Phrases.learn(folder / "text.txt", min_count=1, threshold=0.1).save(folder / "phrases.txt")


def add(folder: Path, files: dict[str, Make]) -> None:
    """Add the files of a case."""
    for name, make in files.items():
        path = folder / name
        if callable(make):
            make(path)
        else:
            path.write_bytes(make.encode() if isinstance(make, str) else make)


def snapshot(folder: Path) -> dict[str, object]:
    """Every path below a folder, with its bytes, or its type if it is not a file."""
    return dict(_found(str(folder), ""))


def _found(folder: str, prefix: str) -> Iterator[tuple[str, object]]:
    """As `snapshot`, by plain strings for speed: every case makes three snapshots. Unreadable folders are skipped."""
    with suppress(PermissionError), os.scandir(folder) as entries:
        for entry in entries:
            mode = entry.stat(follow_symlinks=False).st_mode
            yield prefix + entry.name, _bytes(entry.path) if stat.S_ISREG(mode) else stat.S_IFMT(mode)
            if stat.S_ISDIR(mode):
                yield from _found(entry.path, f"{prefix}{entry.name}/")


def _bytes(path: str) -> bytes:
    with open(path, "rb") as file:  # noqa: PTH123 (as above)
        return file.read()


def restore(folder: Path, good: dict[str, object]) -> None:
    """Remove files that are not in `good`, and restore those that were changed."""
    found = snapshot(folder)
    for name in sorted(found.keys() - good.keys(), reverse=True):
        path = folder / name
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)
            shutil.rmtree(path)
        else:
            path.unlink()
    for name, content in good.items():
        if isinstance(content, bytes) and found.get(name) != content:
            (folder / name).write_bytes(content)
