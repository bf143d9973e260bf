"""Pairs (w, c) that somebody else made, with or without weights: from files, from Parquet, from Python.

A line is `word context` or `word context weight`, parted by white space of any kind; empty lines are skipped. A weight
is a fractional count: a pair of weight 2 counts as if it were there twice. Weights have the seven digits of a float32.

>>> lot = next(open_pairs([("cat", "sleeps"), ("cat", "eats", 0.5)]).lots())
>>> lot.words.texts, lot.contexts.texts, lot.w.tolist(), lot.c.tolist(), lot.weights.tolist()
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
from pairloom.corpus.sentences import TextCorpus, is_word, not_a_word_error
from pairloom.errors import CorpusTypeError, InputError
from pairloom.system.display import quoted
from pairloom.system.extras import need
from pairloom.system.threads import in_order
from pairloom.types import Ids, PathName

LARGEST_WEIGHT = 1e6
_LOT = 1 << 17  # pairs of Python's that are taken at once
_LINE = "Each line must read like: cat sleeps, or with a weight: cat sleeps 2.5"


class Strings(NamedTuple):
    """Some texts, in UTF-8, one after the other: the i-th is arena[offsets[i] : offsets[i + 1]]."""

    arena: npt.NDArray[np.uint8]
    offsets: npt.NDArray[np.int64]

    @classmethod
    def of(cls, texts: Iterable[str]) -> "Strings":
        encoded = [text.encode() for text in texts]
        offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
        return cls(np.frombuffer(b"".join(encoded), np.uint8), offsets)

    @property
    def texts(self) -> list[str]:
        """The texts as Python's strings."""
        data = self.arena.tobytes()
        return [data[a:b].decode() for a, b in pairwise(self.offsets.tolist())]


class Lot(NamedTuple):
    """Some pairs: row w[i] of `words` with row c[i] of `contexts`, weights[i] times, or once each if that is None."""

    words: Strings
    contexts: Strings
    w: Ids
    c: Ids
    weights: npt.NDArray[np.float32] | None
    done: int  # bytes, or pairs, so far


class PairCorpus(ABC):
    """Pairs that can be read in lots, in order. Close it, or use it in a `with`, to remove what was spooled."""

    name: str  # for messages
    size: int | None = None  # in the unit of `Lot.done`, if that is known

    @abstractmethod
    def lots(self, threads: int = 1) -> Iterator[Lot]:
        """All pairs; an InputError for what is none."""

    def check_unchanged(self) -> None:  # noqa: B027 (what is in memory has no files)
        """Raise CorpusChangedError if a file was written to since it was opened."""

    def close(self) -> None:  # noqa: B027 (what is in memory has nothing to close)
        """Remove what was spooled."""

    def __enter__(self) -> "PairCorpus":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_pairs(
    source: object,
    *,
    text: TextOptions = TextOptions(),  # noqa: B008 (frozen, so one for all calls is safe)
    columns: Sequence[str] | None = None,
) -> PairCorpus:
    """Pairs of files, or of Python.

    source is a path (a file, packed or not, a glob, a folder, "-" for standard input), a list of paths, a Parquet file,
    or anything that gives (word, context) or (word, context, weight) when it is iterated. columns: which ones of a
    Parquet file are words, contexts and weights; the first two or three if None.
    """
    paths = _paths(source)
    if paths is None:
        if columns is not None:
            raise CorpusTypeError(f"columns= are those of a Parquet file, but this is a {type(source).__name__}.")
        return _GivenPairs(source, text.lowercase)
    if all(map(_is_parquet, paths)):
        return _ParquetPairs(paths, columns, text.lowercase)
    if columns is not None:
        raise InputError(f"columns= are those of a Parquet file, and {paths[0]} is none. Leave them out.")
    return _TextPairs(TextCorpus(paths, text, None))


def _paths(source: object) -> list[PathName] | None:
    if isinstance(source, str | os.PathLike):
        return [source]
    if isinstance(source, list | tuple) and source and all(isinstance(item, str | os.PathLike) for item in source):
        return list(source)
    return None


# --- Lines of text


class _TextPairs(PairCorpus):
    """Lines of files, parsed by all threads."""

    def __init__(self, corpus: TextCorpus) -> None:
        self._corpus, self.name, self.size = corpus, corpus.name, corpus.size_bytes

    def lots(self, threads: int = 1) -> Iterator[Lot]:
        yield from in_order(lambda task: lot_of(*task), self._blocks(), threads)
        self.check_unchanged()

    def check_unchanged(self) -> None:
        self._corpus.check_unchanged()

    def _blocks(self) -> Iterator[tuple[str, int, TextBlock]]:
        """The blocks, each with its file and the number of its first line."""
        before, line = "", 1
        for name, block in self._corpus.file_blocks():
            before, line = name, line if name == before else 1
            yield name, line, block
            line += block.text.count("\n")

    def close(self) -> None:
        self._corpus.close()


def lot_of(name: str, first_line: int, block: TextBlock) -> Lot:
    """One block; it ends at a line end unless a line is far too long to be a pair."""
    from pairloom.kernel.text.pair_lines import parse
    from pairloom.kernel.text.words import contents

    text = block.text if block.text.endswith("\n") else block.text + "\n"
    data = np.frombuffer(text.encode(), np.uint8)
    parsed = parse(data)
    weights = _weights(parsed.weights, parsed.odd, parsed.lines, text, f"{name}, line ", first_line)
    if parsed.bad_line >= 0:
        _refuse_line(text.split("\n")[parsed.bad_line], f"{name}, line {first_line + parsed.bad_line}")
    if block.goes_on:
        raise InputError(f"{name}, line {first_line + text.count(chr(10)) - 1}: far too long for a pair. {_LINE}")
    words, contexts = (Strings(*contents(table)[:2]) for table in (parsed.words, parsed.contexts))
    return Lot(words, contexts, parsed.w, parsed.c, weights if parsed.weighted else None, block.read)


def _weights(
    weights: npt.NDArray[np.float32],
    odd: npt.NDArray[np.int64],
    lines: npt.NDArray[np.int32],
    text: str,
    where: str,
    first_line: int,
) -> npt.NDArray[np.float32]:
    """The weights, with those that the kernel left to Python, all of them checked."""
    by_line = text.split("\n") if (odd >= 0).any() else []
    for i in np.flatnonzero(odd >= 0).tolist():
        field = by_line[lines[i]].split()[2]
        try:
            weights[i] = min(float(field.replace("_", "?")), 2 * LARGEST_WEIGHT)  # float() alone would take 1_000
        except ValueError:
            raise InputError(
                f"{where}{first_line + lines[i]}: the weight {quoted(field)} is no number. {_LINE}"
            ) from None
    bad = np.flatnonzero(~((weights >= 0) & (weights <= LARGEST_WEIGHT)))
    if len(bad):
        line = int(lines[bad[0]])
        _refuse_weight(text.split("\n")[line].split()[2], f"{where}{first_line + line}")
    return weights


def _refuse_line(line: str, where: str) -> NoReturn:
    fields = line.split()
    if 2 <= len(fields) <= 3:
        raise InputError(f"{where}: a word of more than {MAX_WORD_BYTES} bytes, which is too long. Shorten it.")
    if len(fields) == 1:
        raise InputError(f"{where}: {quoted(line)} has no context. {_LINE}")
    raise InputError(f"{where}: {quoted(line)} has {len(fields)} fields. {_LINE}")


def _refuse_weight(weight: str, where: str) -> NoReturn:
    raise InputError(
        f"{where}: a pair cannot have the weight {weight:.30}. Weights are counts, from 0 to {LARGEST_WEIGHT:,.0f}; "
        "make them all smaller if they are larger."
    )


# --- Tuples of Python


class _GivenPairs(PairCorpus):
    """Tuples of an iterable, which is read once."""

    def __init__(self, source: Any, lowercase: bool) -> None:
        if isinstance(source, bytes | bytearray) or not isinstance(source, Iterable):
            raise CorpusTypeError(
                f"Pairs cannot be of type {type(source).__name__}. Give a path, or (word, context) tuples."
            )
        if isinstance(source, set | frozenset):
            raise CorpusTypeError("A set has no order, so no result could be repeated. Give a list of pairs.")
        self._source, self.name, self._lowercase = source, f"the pairs (a {type(source).__name__})", lowercase

    def lots(self, threads: int = 1) -> Iterator[Lot]:
        at, items = 0, iter(self._source)
        while lot := list(islice(items, _LOT)):
            yield _given(lot, at, self._lowercase)
            at += len(lot)


def _given(lot: list[Any], first: int, lowercase: bool) -> Lot:
    w, c = np.empty((2, len(lot)), np.int32)
    weights, weighted = np.ones(len(lot), np.float32), False
    words: dict[str, int] = {}
    contexts: dict[str, int] = {}
    for i, pair in enumerate(lot):
        word, context, *weight = _checked(pair, first + i)
        if lowercase:
            word, context = word.lower(), context.lower()
        w[i] = words.setdefault(word, len(words))
        c[i] = contexts.setdefault(context, len(contexts))
        if weight:
            weights[i], weighted = weight[0], True
    return Lot(Strings.of(words), Strings.of(contexts), w, c, weights if weighted else None, first + len(lot))


def _checked(pair: Any, number: int) -> Sequence[Any]:
    where = f"pairs[{number}]"
    if isinstance(pair, str) or not isinstance(pair, list | tuple) or not 2 <= len(pair) <= 3:
        raise CorpusTypeError(f"{where} is {quoted(pair)}, which is no pair. Give (word, context) or with a weight.")
    for side, word in zip(("word", "context"), pair, strict=False):
        if not is_word(word):
            raise not_a_word_error(word, f"The {side} of {where}")
        if len(word) > MAX_WORD_BYTES // 4 and len(word.encode()) > MAX_WORD_BYTES:
            raise InputError(f"The {side} of {where} has more than {MAX_WORD_BYTES} bytes. Shorten it.")
    if len(pair) == 3 and not is_number(pair[2]) and not isinstance(pair[2], float):
        raise CorpusTypeError(f"The weight of {where} is {quoted(pair[2])}, which is no number.")
    if len(pair) == 3 and not 0 <= pair[2] <= LARGEST_WEIGHT:
        _refuse_weight(f"{pair[2]:g}", where)
    return pair


# --- Columns of Parquet


def _is_parquet(path: PathName) -> bool:
    try:
        with Path(path).open("rb") as file:
            return Path(path).is_file() and file.read(4) == b"PAR1"
    except (OSError, ValueError):
        return False  # and whoever reads it says what is wrong


class _ParquetPairs(PairCorpus):
    """Columns of files."""

    def __init__(self, paths: Sequence[PathName], columns: Sequence[str] | None, lowercase: bool) -> None:
        for module in ("arro3.core", "arro3.io"):
            need(module, "parquet", "Parquet")
        self._paths, self._columns, self._lowercase = paths, columns, lowercase
        self.name = os.fspath(paths[0])

    def lots(self, threads: int = 1) -> Iterator[Lot]:
        for path in self._paths:
            self.name, at = os.fspath(path), 0
            for table in self._tables(path):
                for lot in _lots_of(list(zip(*table, strict=True))):
                    try:
                        yield _given(lot, at, self._lowercase)
                    except CorpusTypeError as error:
                        raise InputError(f"{self.name}, row by row as pairs: {error}") from None
                    at += len(lot)

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
        except Exception as error:  # arro3 raises bare ones
            raise InputError(f"{self.name} cannot be read as Parquet: {error}. Take an intact copy.") from None

    def _chosen(self, names: list[str]) -> list[str]:
        chosen = names[:3] if self._columns is None else list(self._columns)
        missing = [name for name in chosen if name not in names]
        if missing or not 2 <= len(chosen) <= 3:
            raise InputError(
                f"{self.name} has the columns {', '.join(names)}. "
                "Name two or three of them: words, contexts and, if there are any, weights."
            )
        return chosen


def _lots_of(items: list[Any]) -> Iterator[list[Any]]:
    return (items[at : at + _LOT] for at in range(0, len(items), _LOT))
