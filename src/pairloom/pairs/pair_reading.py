"""Given pairs (w, c), with or without weights: read from text files, from Parquet or from Python.

A line of a file is `word context` or `word context weight`, separated by any white space. Empty lines are skipped. A
weight is a fractional count: a pair of weight 2 counts like two equal pairs. Weights are kept as float32, to seven
digits.

>>> chunk = next(open_pairs([("cat", "sleeps"), ("cat", "eats", 0.5)]).chunks())
>>> chunk.words.texts, chunk.contexts.texts, chunk.w.tolist(), chunk.c.tolist(), chunk.weights.tolist()
(['cat'], ['sleeps', 'eats'], [0, 0], [0, 1], [1.0, 0.5])
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from pairloom.config import MAX_WORD_BYTES, TextOptions, is_number
from pairloom.corpus.decoding import TextBlock
from pairloom.corpus.inputs.word_lists import is_word, not_a_word_error
from pairloom.corpus.kinds.text_files import TextCorpus
from pairloom.errors import ConfigError, CorpusTypeError, InputError
from pairloom.system.display import number_of, of_type, quoted
from pairloom.system.extras import need
from pairloom.system.threads import in_order
from pairloom.types import Ids, PathName

LARGEST_WEIGHT = 1e6
TUPLES_PER_CHUNK = 1 << 17  # tuples from Python read at a time
_LINE_FORMAT = "Each line must read like: cat sleeps, or with a weight: cat sleeps 2.5"


class Utf8Strings(NamedTuple):
    """Strings in UTF-8, end to end: string i is arena[offsets[i] : offsets[i + 1]]."""

    arena: npt.NDArray[np.uint8]
    offsets: npt.NDArray[np.int64]

    @classmethod
    def of(cls, texts: Iterable[str]) -> "Utf8Strings":
        encoded = [text.encode() for text in texts]
        offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
        return cls(np.frombuffer(b"".join(encoded), np.uint8), offsets)

    @property
    def texts(self) -> list[str]:
        """The strings as Python has them."""
        data = self.arena.tobytes()
        return [data[a:b].decode() for a, b in pairwise(self.offsets.tolist())]


class PairChunk(NamedTuple):
    """Consecutive pairs: words[w[i]] with contexts[c[i]], of weight weights[i], or 1 if `weights` is None."""

    words: Utf8Strings
    contexts: Utf8Strings
    w: Ids
    c: Ids
    weights: npt.NDArray[np.float32] | None
    done: int  # bytes or pairs read so far


class PairCorpus(ABC):
    """Pairs that are read in order, chunk by chunk. Close it, or use `with`, to remove spooled standard input."""

    name: str  # for messages
    has_lines = False  # whether pairs are parsed from lines of text, by kernels
    size: int | None = None  # in the unit of `PairChunk.done`, if known

    @abstractmethod
    def chunks(self, threads: int = 1) -> Iterator[PairChunk]:
        """All pairs. Raises InputError at the first line or tuple that is not a pair."""

    def check_unchanged(self) -> None:  # noqa: B027 (pairs in memory have no files)
        """Raise CorpusChangedError if a file has changed since it was opened."""

    def close(self) -> None:  # noqa: B027 (pairs in memory have nothing to close)
        """Remove spooled input."""

    def __enter__(self) -> "PairCorpus":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_pairs(
    source: object,  # PairsLike, checked here
    *,
    text: TextOptions = TextOptions(),  # noqa: B008 (frozen, so one for all calls is safe)
    columns: Sequence[str] | None = None,
) -> PairCorpus:
    """Open pairs in files or from Python.

    source: a path (a file, compressed or not, a glob, a folder, "-" for standard input), a list of paths, a Parquet
    file, or an iterable of (word, context) or (word, context, weight).
    columns: the columns of a Parquet file that hold words, contexts and, if any, weights. None takes the first three,
    or two if there are only two.
    """
    if text.columns:
        raise ConfigError("column, session, item and order are for text. Name the columns of pairs by columns=.")
    paths = _paths(source)
    if paths is None:
        if columns is not None:
            raise CorpusTypeError(f"columns= is for Parquet files, and the pairs are {of_type(source)}. Leave it out.")
        return _TuplePairs(source, text.lowercase)
    if all(map(_is_parquet, paths)):
        return _ParquetPairs(paths, columns, text.lowercase)
    if columns is not None:
        raise InputError(f"columns= is for Parquet files, and {paths[0]} is not one. Leave it out.")
    return _TextPairs(TextCorpus(paths, text))


def _paths(source: object) -> list[PathName] | None:
    if isinstance(source, str | os.PathLike):
        return [source]
    if isinstance(source, list | tuple) and source and all(isinstance(item, str | os.PathLike) for item in source):
        return list(source)
    return None


# --- Lines of text


class _TextPairs(PairCorpus):
    """Lines of files, parsed by all threads."""

    has_lines = True

    def __init__(self, corpus: TextCorpus) -> None:
        self._corpus, self.name, self.size = corpus, corpus.name, corpus.size_bytes

    def chunks(self, threads: int = 1) -> Iterator[PairChunk]:
        yield from in_order(lambda block: parse_block(*block), self._numbered_blocks(), threads)
        self.check_unchanged()

    def check_unchanged(self) -> None:
        self._corpus.check_unchanged()

    def _numbered_blocks(self) -> Iterator[tuple[str, int, TextBlock]]:
        """The blocks of text, each with the name of its file and the number of its first line."""
        before, line = "", 1
        for name, block in self._corpus.file_blocks():
            before, line = name, line if name == before else 1
            yield name, line, block
            line += block.text.count("\n")

    def close(self) -> None:
        self._corpus.close()


def parse_block(name: str, first_line: int, block: TextBlock) -> PairChunk:
    """The pairs of a block of text. It ends with a whole line, unless the line is far too long to be a pair."""
    from pairloom.kernel.text.pair_lines import parse
    from pairloom.kernel.text.words import contents

    text = block.text if block.text.endswith("\n") else block.text + "\n"
    data = np.frombuffer(text.encode(), np.uint8)
    parsed = parse(data)
    weights = _checked_weights(parsed.weights, parsed.odd, parsed.lines, text, f"{name}, line ", first_line)
    if parsed.bad_line >= 0:
        _refuse_line(text.split("\n")[parsed.bad_line], f"{name}, line {first_line + parsed.bad_line}")
    if block.goes_on:
        raise InputError(
            f"{name}, line {first_line + text.count(chr(10)) - 1}: far too long for a pair. {_LINE_FORMAT}"
        )
    words, contexts = (Utf8Strings(*contents(table)[:2]) for table in (parsed.words, parsed.contexts))
    return PairChunk(words, contexts, parsed.w, parsed.c, weights if parsed.weighted else None, block.read)


def _checked_weights(
    weights: npt.NDArray[np.float32],
    odd: npt.NDArray[np.int64],
    lines: npt.NDArray[np.int32],
    text: str,
    where: str,
    first_line: int,
) -> npt.NDArray[np.float32]:
    """The weights, all checked. Those marked odd the kernel left to Python, since they are not plain decimals."""
    by_line = text.split("\n") if (odd >= 0).any() else []
    for i in np.flatnonzero(odd >= 0).tolist():
        field = by_line[lines[i]].split()[2]
        try:
            weights[i] = min(float(field.replace("_", "?")), 2 * LARGEST_WEIGHT)  # float() alone would accept 1_000
        except ValueError:
            raise InputError(
                f"{where}{first_line + lines[i]}: the weight {quoted(field)} is not a number. {_LINE_FORMAT}"
            ) from None
    bad = np.flatnonzero(~((weights >= 0) & (weights <= LARGEST_WEIGHT)))
    if len(bad):
        line = int(lines[bad[0]])
        _refuse_weight(text.split("\n")[line].split()[2], f"{where}{first_line + line}")
    return weights


def _refuse_line(line: str, where: str) -> NoReturn:
    fields = line.split()
    if 2 <= len(fields) <= 3:
        raise InputError(f"{where}: a word is longer than {MAX_WORD_BYTES} bytes. Shorten it.")
    if len(fields) == 1:
        raise InputError(f"{where}: {quoted(line)} has no context. {_LINE_FORMAT}")
    raise InputError(f"{where}: {quoted(line)} has {number_of(len(fields), 'field')}. {_LINE_FORMAT}")


def _refuse_weight(weight: str, where: str) -> NoReturn:
    raise InputError(
        f"{where}: a pair cannot have the weight {weight:.30}. Weights are counts, from 0 to {LARGEST_WEIGHT:,.0f}. "
        "If they are larger, divide all of them by the same number."
    )


# --- Tuples from Python


class _TuplePairs(PairCorpus):
    """Tuples from an iterable, which is read once."""

    def __init__(self, source: Any, lowercase: bool) -> None:
        if isinstance(source, bytes | bytearray) or not isinstance(source, Iterable):
            raise CorpusTypeError(
                f"Pairs cannot be of type {type(source).__name__}. Give a path, or (word, context) tuples."
            )
        if isinstance(source, set | frozenset):
            raise CorpusTypeError(
                "A set has no fixed order, so the result could not be reproduced. Give a list of pairs."
            )
        self._source, self.name, self._lowercase = source, f"the {type(source).__name__} of pairs", lowercase

    def chunks(self, threads: int = 1) -> Iterator[PairChunk]:
        at, items = 0, iter(self._source)
        while pairs := list(islice(items, TUPLES_PER_CHUNK)):
            yield _chunk_of(pairs, at, self._lowercase)
            at += len(pairs)


def _chunk_of(pairs: list[Any], first: int, lowercase: bool) -> PairChunk:
    """These pairs, checked. first: the number of pairs[0], for messages."""
    w, c = np.empty((2, len(pairs)), np.int32)
    weights, weighted = np.ones(len(pairs), np.float32), False
    words: dict[str, int] = {}
    contexts: dict[str, int] = {}
    for i, pair in enumerate(pairs):
        word, context, *weight = _checked_pair(pair, first + i)
        if lowercase:
            word, context = word.lower(), context.lower()
        w[i] = words.setdefault(word, len(words))
        c[i] = contexts.setdefault(context, len(contexts))
        if weight:
            weights[i], weighted = weight[0], True
    done = first + len(pairs)
    return PairChunk(Utf8Strings.of(words), Utf8Strings.of(contexts), w, c, weights if weighted else None, done)


def _checked_pair(pair: Any, number: int) -> Sequence[Any]:
    where = f"pairs[{number}]"
    if isinstance(pair, str) or not isinstance(pair, list | tuple) or not 2 <= len(pair) <= 3:
        raise CorpusTypeError(
            f"{where} is {quoted(pair)}, which is not a pair. Give (word, context) or (word, context, weight)."
        )
    for side, word in zip(("word", "context"), pair, strict=False):
        if not is_word(word):
            raise not_a_word_error(word, f"The {side} of {where}")
        if len(word) > MAX_WORD_BYTES // 4 and len(word.encode()) > MAX_WORD_BYTES:
            raise InputError(f"The {side} of {where} is longer than {MAX_WORD_BYTES} bytes. Shorten it.")
    if len(pair) == 3 and not is_number(pair[2]) and not isinstance(pair[2], float):
        raise CorpusTypeError(
            f"The weight of {where} is {quoted(pair[2])}, which is not a number. Give an int or a float."
        )
    if len(pair) == 3 and not 0 <= pair[2] <= LARGEST_WEIGHT:
        _refuse_weight(f"{pair[2]:g}", where)
    return pair


# --- Parquet


def _is_parquet(path: PathName) -> bool:
    try:
        with Path(path).open("rb") as file:
            return Path(path).is_file() and file.read(4) == b"PAR1"
    except (OSError, ValueError):
        return False  # the reader of text says what is wrong with it


class _ParquetPairs(PairCorpus):
    """Two or three columns of Parquet files."""

    def __init__(self, paths: Sequence[PathName], columns: Sequence[str] | None, lowercase: bool) -> None:
        for module in ("arro3.core", "arro3.io"):
            need(module, "parquet", "Parquet")
        self._paths, self._columns, self._lowercase = paths, columns, lowercase
        self.name = os.fspath(paths[0])

    def chunks(self, threads: int = 1) -> Iterator[PairChunk]:
        for path in self._paths:
            self.name, at = os.fspath(path), 0
            for table in self._tables(path):
                rows = list(zip(*table, strict=True))
                for begin in range(0, len(rows), TUPLES_PER_CHUNK):
                    pairs = rows[begin : begin + TUPLES_PER_CHUNK]
                    try:
                        yield _chunk_of(pairs, at, self._lowercase)
                    except CorpusTypeError as error:
                        raise InputError(f"{self.name}, whose rows are pairs[0], pairs[1], ...: {error}") from None
                    at += len(pairs)

    def _tables(self, path: PathName) -> Iterator[list[list[Any]]]:
        from arro3.io import read_parquet

        try:
            reader = read_parquet(Path(path))
            names = reader.schema.names
            chosen = self._chosen(names)
            for batch in reader:
                yield [list(batch.column(names.index(name)).to_pylist()) for name in chosen]
        except InputError:
            raise
        except Exception as error:  # arro3 raises plain Exception
            raise InputError(f"{self.name} cannot be read as Parquet: {error}. Get the file again.") from None

    def _chosen(self, names: list[str]) -> list[str]:
        chosen = names[:3] if self._columns is None else list(self._columns)
        missing = [name for name in chosen if name not in names]
        if missing or not 2 <= len(chosen) <= 3:
            raise InputError(
                f"{self.name} has the columns {', '.join(names)}. "
                "Name two or three of them in columns=: words, contexts and, if there are any, weights."
            )
        return chosen
