"""Faults 1 to 26: bad and odd corpora."""

import bz2
import gzip
import lzma
import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pairloom
from pairloom.errors import CorpusChangedError
from reliability.cases.case import OUTPUT, Case, Make
from reliability.cases.folder import CONLLU, TEXT

TOY = ("--quiet", "--min-count", "1", "--dim", "4", "--epochs", "1", "--sample", "0")


def refused(name: str, content: Make | None, says: str, fault: int, *options: str, **case: Any) -> Case:
    """A corpus that must be refused; without content, the file does not exist."""
    given = {"min_count": 1} | {option.lstrip("-").replace("-", "_"): _value(v) for option, v in _pairs(options)}
    return Case(
        name,
        ["train", "c.txt", "-o", "old.loom", "--quiet", "--min-count", "1", *options],
        partial(pairloom.train, "c.txt", **given),
        says,
        fault=fault,
        make={} if content is None else {"c.txt": content},
        **case,
    )


def trained(name: str, content: Make, fault: int, words: dict[str, int], *options: str, **case: Any) -> Case:
    """An odd but valid corpus, which has exactly these words with these counts."""
    given = {option.lstrip("-").replace("-", "_"): _value(v) for option, v in _pairs(options)}
    return Case(
        name,
        ["train", "c.txt", "-o", OUTPUT, *TOY, *options],
        partial(pairloom.train, "c.txt", min_count=1, dim=4, epochs=1, sample=0.0, **given),
        code=0,
        fault=fault,
        make={"c.txt": content},
        right=lambda embedding: has_words(embedding, words),
        **case,
    )


def _pairs(options: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    return zip(options[::2], options[1::2], strict=True)


def _value(text: str) -> Any:
    try:
        return int(text)
    except ValueError:
        return text


def has_words(embedding: Any, words: dict[str, int]) -> None:
    """Check that the model has exactly these words with these counts, in order, and that every word was trained."""
    found = dict(zip(embedding.words.words, embedding.words.counts.tolist(), strict=True))
    assert found == words, f"{len(found)} words {sorted(found.items())[:5]} instead of {len(words)}"
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert embedding.record["corpus"]["tokens"] == sum(words.values())
    assert (abs(embedding.contexts.vectors).max(axis=1) > 0).all(), "some words were never trained"


WORDS = dict(Counter(TEXT.split()))
SCRIPTS = "שלום 世界\u3000😀 a\u00a0b\u2028c नमस्ते\n"
RUSSIAN = "Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему.\n"
TABLE = "id\ttext\n" + "1\ta\n" * 9
LONG_NAME = "/".join(["a-folder-with-a-long-name" * 4] * 8)  # 800 characters


def in_folders(path: Path) -> None:
    """c.txt as a link to a path too long for word2vec.c."""
    target = path.parent / LONG_NAME / "c.txt"
    target.parent.mkdir(parents=True)
    target.write_text(TEXT)
    path.symlink_to(target)


def pipe(path: Path) -> None:
    """A pipe that is written to once, when a reader opens it."""
    os.mkfifo(path)
    threading.Thread(target=path.write_text, args=(TEXT,), daemon=True).start()


def bomb(path: Path) -> None:
    """100 MB of one letter in 100 kB."""
    path.write_bytes(gzip.compress(b"a" * 10_000_000, 9) * 10)


def flipped(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 255]) + data[middle + 1 :]


def train_twice() -> Any:
    """Train twice with different numbers of threads and check that the bits are the same."""
    options: dict[str, Any] = {"min_count": 1, "dim": 8, "epochs": 2}
    first, second = (pairloom.train("text.txt", **options, threads=n) for n in (1, 3))
    assert first.words.vectors.tobytes() == second.words.vectors.tobytes()
    return first


def finite(embedding: Any) -> None:
    """Fault 1 is a matrix that was used before it was initialised."""
    size = abs(embedding.words.vectors)
    assert (size.max(axis=1) > 0).all() and size.max() < 10


def long_list() -> Any:
    """25,000 different words in one list."""
    tokens = [f"w{i}" for i in range(25_000)]
    embedding = pairloom.train([tokens], min_count=1, dim=4, epochs=1, sample=0.0, heldout=0.0)
    has_words(embedding, dict.fromkeys(sorted(tokens), 1))
    return embedding


def changed_during_training(how: str, change: Callable[[Path], object], fault: int) -> Case:
    """A training of several epochs whose corpus changes in the second."""

    def train() -> Any:
        changed: list[object] = []

        def on_progress(progress: pairloom.Progress) -> None:
            if progress.stage == "train" and progress.epoch == 2 and not changed:
                changed.append(change(Path("c.txt")))

        return pairloom.train("c.txt", min_count=1, epochs=4, dim=4, sample=0.0, on_progress=on_progress)

    name = f"a corpus that is {how} while training"
    make = {"c.txt": TEXT}
    return Case(name, None, train, "c.txt", 4, CorpusChangedError, fault, make, changes=("c.txt",))


NOTHING = "has no words"
CASES = [
    Case("an ordinary corpus", ["train", "text.txt", "-o", OUTPUT, *TOY], train_twice, code=0, fault=1, right=finite),
    refused("an empty file", b"", NOTHING, 2),
    refused("a file that is missing", None, "does not exist", 3),
    refused("a folder without text", lambda path: path.mkdir(), "has no text files", 4),
    refused("only line ends", "\n" * 1000, NOTHING, 5),
    refused("only spaces", "  \t " * 1000, NOTHING, 6),
    refused("only a byte order mark", b"\xef\xbb\xbf", NOTHING, 13),
    refused("only odd white space", "\u3000\u2028 \u00a0", NOTHING, 6),
    trained("no line end at the end", TEXT + "a last", 7, {**WORDS, "a": 1, "last": 1}),
    trained("300 000 tokens on a line", " ".join(TEXT.split() * 188), 8, {w: 188 * n for w, n in WORDS.items()}),
    Case("a list of 25 000 tokens", None, long_list, code=0, fault=9),
    trained("a word of 10 MB", TEXT + "x" * 10_000_000 + " end\n", 10, {**WORDS, "end": 1}),
    trained(
        "two long words that begin alike", f"{'x' * 990}a {'x' * 990}b\n", 10, {f"{'x' * 990}{c}": 1 for c in "ab"}
    ),
    trained("NUL bytes", TEXT + "od\0d word\n", 11, {**WORDS, "od\0d": 1, "word": 1}),
    refused("full of NUL bytes", b"\0" * 5000, "full of NUL", 11),
    refused("Latin-1", TEXT.encode() + "ein caf\u00e9\n".encode("latin-1"), "line 201, byte", 12),
    refused("UTF-8 cut in a character", TEXT.encode() + "é".encode()[:1], "ends within a character of utf-8", 12),
    refused("Russian in cp1251", RUSSIAN.encode("cp1251"), "use --encoding cp1251", 12),
    refused("Russian in UTF-16 without a mark", RUSSIAN.encode("utf-16-le"), "looks like UTF-16-LE", 16),
    refused("damaged UTF-8", RUSSIAN.encode() + b"\xff\n", "damaged here", 12),
    refused("random bytes", bytes(i * i % 251 for i in range(5000)), "`file -i`", 12),
    refused("UTF-16 cut in a character", TEXT.encode("utf-16")[:-1], "cut short", 16, "--encoding", "utf-16"),
    trained(
        "Latin-1 that is named",
        TEXT.encode() + "caf\u00e9\n".encode("latin-1"),
        12,
        {**WORDS, "café": 1},
        "--encoding",
        "latin-1",
    ),
    trained(
        "bad bytes that are replaced", TEXT.encode() + b"ab\xff\n", 12, {**WORDS, "ab\ufffd": 1}, "--errors", "replace"
    ),
    trained("a byte order mark", b"\xef\xbb\xbf" + TEXT.encode(), 13, WORDS),
    trained("a byte order mark, decoded", b"\xef\xbb\xbf" + TEXT.encode(), 13, WORDS, "--errors", "replace"),
    trained("CRLF", TEXT.replace("\n", "\r\n"), 14, WORDS),
    trained("CR only", TEXT.replace("\n", "\r"), 15, WORDS),
    *(
        refused(f"{name}, not named", TEXT.encode(name), f"looks like {says}", 16)
        for name, says in (
            ("utf-16", "UTF-16"),
            ("utf-16-le", "UTF-16-LE"),
            ("utf-16-be", "UTF-16-BE"),
            ("utf-32", "UTF-32"),
        )
    ),
    trained("UTF-16 that is named", TEXT.encode("utf-16"), 16, WORDS, "--encoding", "utf-16"),
    trained("scripts, emoji and odd spaces", SCRIPTS * 10, 17, dict.fromkeys(sorted(SCRIPTS.split()), 10)),
    *(
        trained(f"packed by {pack.__module__.strip('_')}", pack(TEXT.encode()), 18, WORDS)
        for pack in (gzip.compress, bz2.compress, lzma.compress)
    ),
    trained(
        "two packed files, one after the other",
        gzip.compress(TEXT.encode()) * 2,
        18,
        {word: 2 * n for word, n in WORDS.items()},
    ),
    *(
        refused(f"{pack.__module__.strip('_')} cut short", pack(TEXT.encode() * 9)[:-20], "damaged", 19)
        for pack in (gzip.compress, bz2.compress, lzma.compress)
    ),
    *(
        refused(f"{pack.__module__.strip('_')} with other bits", flipped(pack(TEXT.encode() * 9)), "damaged", 19)
        for pack in (gzip.compress, bz2.compress, lzma.compress)
    ),
    refused("JSON lines", '{"id": 1, "text": "a b"}\n' * 9, "--column text", 18),
    refused("CSV", "id,text\n" + "1,a b c\n" * 9, "a table, separated by commas", 18),
    refused("a parse", CONLLU, "pairloom pairs conllu", 18),
    refused("a PDF", b"%PDF-1.7\n" + bytes(100), "a PDF", 18),
    refused("a table with tabs", TABLE, "a table, separated by tabs", 18),
    Case(
        "a table read as it is",
        ["train", "c.txt", "-o", OUTPUT, *TOY, "--as-text"],
        partial(pairloom.train, "c.txt", min_count=1, dim=4, epochs=1, sample=0.0, as_text=True),
        code=0,
        fault=18,
        make={"c.txt": TABLE},
        right=lambda embedding: has_words(embedding, {"1": 9, "a": 9, "id": 1, "text": 1}),
    ),
    refused("a zip archive", b"PK\x03\x04" + bytes(100), "a zip archive", 18),
    refused("a gzip bomb of one word", bomb, "unpacks to more than 200 times", 20, long=True),
    trained("a pipe, read once and spooled", pipe, 21, WORDS),
    refused("a device", lambda path: path.symlink_to("/dev/zero"), "is a device", 21),
    refused("rare words only", TEXT, ("Use --min-count 100, or", "Use min_count=100, or"), 22, "--min-count", "100000"),
    refused("one word, many times", "word " * 100, "2 words", 23),
    refused("one word, once", "word", "2 words", 23),
    refused("lines of one word", "one\ntwo\n" * 50, "no pairs", 23),
    trained("a path of 800 characters", in_folders, 44, WORDS),
    changed_during_training("cut short", lambda path: os.truncate(path, 100), 24),
    changed_during_training("overwritten", lambda path: path.write_bytes(os.urandom(len(TEXT))), 25),
    changed_during_training("deleted", lambda path: path.unlink(), 26),
]
