"""What is fuzzed: for each reader some small valid files, and a function that reads bytes and checks the result."""

import io
import json
import marshal
import re
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from math import isfinite
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, cast

import numpy as np

from pairloom.corpus.decoding import text_blocks
from pairloom.corpus.finding import SourceFile
from pairloom.corpus.vocabulary import Vocabulary
from pairloom.errors import PairloomError
from pairloom.formats import fasttext, native, read_binary, read_text
from pairloom.formats.detect import HEAD, format_of
from pairloom.formats.opening import ReadOptions, VectorFile, load_errors, unpack
from pairloom.formats.write_word2vec import write_binary, write_text
from pairloom.judging.evaluation import questions
from pairloom.judging.evaluation.analogies import sections_of
from pairloom.judging.evaluation.categories import members_of
from pairloom.judging.evaluation.similarities import pairs_of
from pairloom.pairs.pair_reading import parse_block
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.vectors import Vectors
from reliability.mutate import BOUNDARIES, pick

NAME = "fuzzed"


class Target(NamedTuple):
    """A reader: valid files to begin with, how to read bytes (a PairloomError refuses them), and how to change them."""

    name: str
    seeds: list[bytes]
    read: Callable[[bytes], object]
    repair: Callable[[Random, bytes], bytes] | None = None  # changes the bytes instead of `mutated`
    share: float = 1.0  # its share of the executions of its reader


def targets() -> list[Target]:
    """All targets."""
    with TemporaryDirectory() as folder:
        looms = _written(Path(folder))
        binary = [_bytes(folder, lambda path, end=end: write_binary(_WORDS, path, end)) for end in (True, False)]
        text = [_bytes(folder, lambda path, head=head: write_text(_WORDS, path, head)) for head in (True, False)]
        vocabulary = _bytes(folder, lambda path: Vocabulary.of({"the": 30, "naïve": 5, "猫": 2}.items()).save(path))
    return [
        Target("native", looms, lambda data: _undamaged(data, looms), share=0.5),
        Target("native, hashes repaired", looms, _read_native, _repaired, share=0.5),
        Target("word2vec .bin", binary, _read_binary),
        Target("word2vec .vec", text, _read_text),
        Target("fastText .bin", [_fasttext(2, 2), _fasttext(3, 3), _fasttext(2, 2, first=True)], _read_fasttext),
        Target("vocabulary", [vocabulary, b"</s> 0\n" + vocabulary, b"a 1\r\nb 9223\r\n"], _read_vocabulary),
        Target("pairs", [b"cat sleeps\ncat eats 0.5\n", b"a b 1e-3\n\nc\td\t2\r\n", "猫 b\n".encode()], _read_pairs),
        Target("questions", _QUESTIONS, _read_questions),
    ]


# --- Valid files

_WORDS = Vectors(["the", "naïve", "猫"], [[1, -0.5], [0.1, 1e-7], [3e38, 0]], [30, 5, 2])
_QUESTIONS = [
    b": capitals\nAthens Greece Oslo Norway\n: gram\na b c d\n",
    b"tiger\tcat\t7.35\nking\tqueen\t8.58\n",
    b'word1,word2,score\n"a, b",c,1e-3\n',
    b"tiger;animal\noak;tree\n",
    b"# note\ntiger animal\noak tree\n",
]


def _bytes(folder: str, write: Callable[[Path], object]) -> bytes:
    path = Path(folder) / "seed"
    write(path)
    return path.read_bytes()


def _written(folder: Path) -> list[bytes]:
    contexts = Vectors(["a", "b"], [[1, 2], [3, 4]], [2, 1])
    whole = Embedding(words=_WORDS, contexts=contexts, record={"seed": 1, "config": {"dim": 2}})
    whole.save(folder / "a.loom")
    Embedding.of_words(contexts).save(folder / "b.loom", dtype="float16")
    return [(folder / name).read_bytes() for name in ("a.loom", "b.loom")]


def _fasttext(model: int, loss: int, first: bool = False) -> bytes:
    """A file of two words, with one label if it is supervised, in fastText's layout or in its first one, of 2016."""
    words, bucket, dim = [b"</s>", "né".encode()], 2, 2
    labels = [b"__label__x"] if model == 3 else []
    raw = b"" if first else struct.pack("<ii", 793712314, 12)
    raw += struct.pack("<12id", dim, 5, 1, 1, 5, 1, loss, model, bucket, 2, 3, 100, 1e-4)
    raw += struct.pack("<iiiq", len(words) + len(labels), len(words), len(labels), 100)
    raw += b"" if first else struct.pack("<q", -1)
    raw += b"".join(word + b"\0" + struct.pack("<qb", 7, word in labels) for word in words + labels)
    for rows in (len(words) + bucket, len(labels) or len(words)):
        raw += (b"" if first else b"\0") + struct.pack("<qq", rows, dim) + np.arange(rows * dim, dtype="<f4").tobytes()
    return raw


# --- Reading, and what must be true of every accepted file (plain Python is faster here: the arrays are tiny)


def _checked(embedding: Embedding) -> None:
    for side in (embedding.words, embedding.contexts):
        assert side.vectors.shape == (len(side.words), embedding.dim), "rows"
        assert side.counts.shape == (len(side.words),) and min(side.counts.tolist(), default=0) >= 0, "counts"
        assert len({"", *side.words}) == len(side.words) + 1, "words"
        assert all(map(isfinite, side.vectors.ravel().tolist())), "finite"


def _undamaged(data: bytes, seeds: list[bytes]) -> None:
    native.read_from(memoryview(data), NAME)
    assert data in seeds, "damage was not detected"


def _read_native(data: bytes) -> None:
    _checked(native.read_from(memoryview(data), NAME))


def _source(data: bytes) -> VectorFile:
    return unpack(io.BytesIO(data), len(data))


def _read_binary(data: bytes) -> None:
    with load_errors(NAME):
        with suppress(PairloomError), load_errors(NAME):
            format_of(data[:HEAD])
        _checked(read_binary.read_from(_source(data), ReadOptions()))


def _read_text(data: bytes) -> None:
    with load_errors(NAME):
        read = read_text.read_glove_from if format_of(data[:HEAD]) == "glove" else read_text.read_from
        _checked(read(_source(data), ReadOptions()))


def _read_fasttext(data: bytes) -> None:
    with load_errors(NAME):
        embedding = fasttext.read_from(data, ReadOptions())
    _checked(embedding)
    with suppress(PairloomError):
        assert embedding.words.vector("猫né").shape == (embedding.dim,), "unknown word"


def _read_vocabulary(data: bytes) -> None:
    vocabulary = Vocabulary.read_from(io.BytesIO(data), NAME)
    counts = vocabulary.counts.tolist()
    assert len(set(vocabulary.words)) == len(counts) >= 2 and counts == sorted(counts, reverse=True), "order"
    assert all(word.split() == [word] for word in vocabulary.words), "words"


class _InMemory:
    """The part of a path that `text_blocks` uses."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def open(self, _: str) -> io.BytesIO:
        return io.BytesIO(self.data)


def _read_pairs(data: bytes) -> None:
    file, line = SourceFile(cast(Path, _InMemory(data)), NAME, False, len(data), (0, 0, 0)), 1
    for block in text_blocks(file, encoding="utf-8", errors="strict", keep_unspaced=False):
        lot = parse_block(NAME, line, block)
        line += block.text.count("\n")
        assert len(lot.w) == len(lot.c), "rows"
        for ids, strings in ((lot.w, lot.words), (lot.c, lot.contexts)):
            texts = strings.texts
            assert set(ids.tolist()) <= set(range(len(texts))), "ids"
            assert len(set(texts)) == len(texts) and all(text.split() == [text] for text in texts), "texts"
        weights = [1.0] * len(lot.w) if lot.weights is None else lot.weights.tolist()
        assert len(weights) == len(lot.w) and all(map(isfinite, weights)), "weights"


def _read_questions(data: bytes) -> None:
    file = questions.read_from(io.BytesIO(data), NAME)
    with suppress(PairloomError):
        questions.kind_of(file)
    with suppress(PairloomError):
        assert all(len(question) == 4 for section in sections_of(file) for question in section.questions), "four"
    with suppress(PairloomError):
        assert all(isfinite(number) for _, _, number in pairs_of(file)), "number"
    with suppress(PairloomError):
        assert all(word and category for word, category in members_of(file)), "members"


# --- A native file that is changed and hashed again, to reach the code behind the check of hashes

_SEAL = re.compile(rb'"header_sha256":"([^"]*)"')
_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"))


def _repaired(rng: Random, raw: bytes) -> bytes:
    """Change some fields of the header, or bytes of the tensors, and set all hashes to those of the result."""
    begin, header = _header(raw)
    fields, data = marshal.loads(header), bytearray(raw[begin:])  # a copy to change
    for _ in range(pick(rng, (1, 1, 2, 3))):
        if rng.random() < 0.5:
            _change_field(rng, fields)
        else:
            _change_data(rng, data)
    with suppress(Exception):  # if nothing is left to hash
        fields["__metadata__"]["sha256"] = json.dumps(_hashes(fields, bytes(data)))
    return _sealed(fields) + bytes(data)


@cache
def _header(raw: bytes) -> tuple[int, bytes]:
    """Where the data begin, and the header in a form that is ten times faster to read than JSON."""
    begin = 8 + int.from_bytes(raw[:8], "little")
    return begin, marshal.dumps(json.loads(raw[8:begin]))


def _change_field(rng: Random, fields: dict[str, Any]) -> None:
    name = pick(rng, list(fields) or [""])
    entry = fields.get(name)
    if not isinstance(entry, dict) or not entry or rng.random() < 0.1:
        fields[pick(rng, (name, "W2", "words"))] = _value(rng)
        return
    key = pick(rng, list(entry))
    value = entry[key]
    if isinstance(value, list) and value and rng.random() < 0.8:
        place = int(rng.random() * len(value))
        value[place] = _value(rng) if rng.random() < 0.3 else _moved(rng, value[place])
    elif rng.random() < 0.2:
        del entry[key]
    else:
        entry[key] = _value(rng)


def _value(rng: Random) -> Any:
    """Any value. Lists and dictionaries are new objects each time, since they may be changed next."""
    value = pick(rng, _VALUES)
    return type(value)(value) if isinstance(value, list | dict) else value


def _moved(rng: Random, value: Any) -> Any:
    return value + pick(rng, (-8, -4, -1, 1, 2, 4, 8)) if isinstance(value, int) else value


def _change_data(rng: Random, data: bytearray) -> None:
    if not data:
        return
    at = int(rng.random() * len(data))
    kind = int(rng.random() * 4)
    if kind == 0:
        data[at] ^= 1 << int(rng.random() * 8)
    elif kind == 1:
        data[at - at % 8 : at - at % 8 + 8] = pick(rng, BOUNDARIES)[:8].ljust(8, b"\0")
    elif kind == 2:
        data[at:at] = rng.randbytes(4)
    else:
        del data[at:]


_VALUES = [
    0,
    1,
    -1,
    3,
    2**31,
    2**62,
    2**63,
    2**64,
    1.5,
    True,
    None,
    "",
    "F16",
    "I64",
    "1",
    "2",
    "{}",
    [],
    [0, 0],
    {},
    "é",
]


def _hashes(fields: dict[str, Any], data: bytes) -> dict[str, str]:
    spans = {name: entry["data_offsets"] for name, entry in fields.items() if name != "__metadata__"}
    return {name: sha256(data[max(0, begin) : max(0, end)]).hexdigest() for name, (begin, end) in spans.items()}


def _sealed(fields: dict[str, Any]) -> bytes:
    text = _ENCODER.encode(fields).encode()
    header = len(text).to_bytes(8, "little") + text
    found = _SEAL.search(header)
    if found is None or len(found[1]) != 64:
        return header
    open_, close = found.span(1)
    digest = sha256(header[:open_] + b"0" * 64 + header[close:]).hexdigest().encode()
    return header[:open_] + digest + header[close:]


def main() -> None:
    """Read files by the reader named first, to reproduce a finding."""
    wanted, *paths = sys.argv[1:]
    target = next(target for target in targets() if target.name == wanted)
    for path in paths:
        print(path, target.read(Path(path).read_bytes()))


if __name__ == "__main__":
    main()
