"""Given pairs as numbers: the input is read once and written to files, which are memory-mapped and read in every epoch.

Words and contexts are first numbered as `pair_names.py` describes. When all have been read, they are numbered by
frequency, and the pairs are written again:

    pairs.bin     int64, little-endian: w * 2^32 + c
    weights.bin   float32, little-endian; empty if no pair has a weight
"""

import hashlib
import mmap
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pairloom.errors import InputError
from pairloom.pairs import pair_names
from pairloom.pairs.pair_names import NameTable, Numbers, RowLookup, Selection, just_below, positions_in
from pairloom.pairs.pair_reading import PairCorpus
from pairloom.pairs.source import WeightedNames
from pairloom.progress import OnProgress, ignore, reporter
from pairloom.system.files import output_errors
from pairloom.system.memory import memory_for_counting
from pairloom.system.tensors import release_pages

Weights = npt.NDArray[np.float32]

_PAIRS_BY_ROW, _PAIRS, _WEIGHTS = "pairs-by-row.bin", "pairs.bin", "weights.bin"


@dataclass(frozen=True, eq=False)
class EncodedPairs:
    """Pairs as w * 2^32 + c over two vocabularies. `weights` is empty if every pair counts once."""

    pairs: Numbers
    weights: Weights
    words: WeightedNames
    contexts: WeightedNames
    digest: str
    folder: Path = Path()  # of the files

    def release(self) -> None:
        """Let the system take back the memory of the mapped files."""
        release_pages(self.pairs, 0, len(self.pairs))
        release_pages(self.weights, 0, len(self.weights))


def encode_pairs(
    corpus: PairCorpus,
    folder: Path,
    words: Selection,
    contexts: Selection,
    *,
    check_sizes: Callable[[int, int], object] = lambda n_words, n_contexts: None,
    check: Callable[[WeightedNames, WeightedNames, int, bool], object] = lambda words, contexts, n_pairs, weighted: (
        None
    ),
    max_memory: int | None = None,
    threads: int = 1,
    on_progress: OnProgress = ignore,
) -> EncodedPairs:
    """Write the pairs of a corpus to files in `folder`, and map them. The number of threads changes no byte of them.

    check_sizes is called with the numbers of words and of contexts before the vocabularies are made. check is called
    with both vocabularies, the number of pairs and whether they have weights. Both may raise. max_memory: as for
    `corpus.counting.count`.
    """
    table_bytes = memory_for_counting(max_memory) // 2
    with NameTable(table_bytes, folder, threads) as w_table, NameTable(table_bytes, folder, threads) as c_table:
        n_pairs, weighted = _read(corpus, folder, w_table, c_table, threads, on_progress)
        if n_pairs == 0:
            raise InputError(f"{corpus.name} contains no pairs. Each line must read like: cat sleeps")
        for table, shift in ((w_table, 32), (c_table, 0)):
            table.assign_numbers()
            table.add_weights(_map(folder / _PAIRS_BY_ROW, "<i8"), _map(folder / _WEIGHTS, "<f4"), shift)
        check_sizes(w_table.n_selected(words), c_table.n_selected(contexts))
        w_names, w_selected = w_table.selected(words, corpus.name)
        c_names, c_selected = c_table.selected(contexts, corpus.name)
        check(w_names, c_names, n_pairs, weighted)
        digest = _renumber(folder, w_table, c_table, w_selected, c_selected)
        pairs, weights = map_pairs(folder)
        if not len(pairs):
            raise _no_pairs(corpus.name, (words, w_table, w_selected), (contexts, c_table, c_selected))
    for names in (w_names, c_names):
        digest.update("\0".join(names.names).encode() + names.mass.astype("<f8").tobytes())
    return EncodedPairs(pairs, weights, w_names, c_names, digest.hexdigest(), folder)


def map_pairs(folder: Path) -> tuple[Numbers, Weights]:
    """The pairs and the weights that `encode_pairs` wrote into a folder, mapped."""
    return _map(folder / _PAIRS, "<i8"), _map(folder / _WEIGHTS, "<f4")


def _no_pairs(name: str, *sides: tuple[Selection, NameTable, Numbers]) -> InputError:
    """The error for pairs of which none has both its word and its context among the selected ones.

    A name that was selected by its weight is in some pair, so it helps to select more on the other side.
    """
    (words, w_table, of_words), (contexts, c_table, of_contexts) = sides
    if contexts.vocabulary is None and np.any(of_words >= 0):
        advice = f"Use {contexts.option}={just_below(c_table.lightest)}"
    elif words.vocabulary is not None or not np.any(of_contexts >= 0):
        advice = "Give vocabularies of these pairs"
    elif len(of_words) == words.max_size:
        advice = "Leave out max_vocab"
    else:
        advice = f"Use {words.option}={just_below(w_table.lightest)}"
    return InputError(f"No pair of {name} has both its word and its context in the vocabularies. {advice}.")


# --- Reading: words and contexts are rows of tables


def _read(
    corpus: PairCorpus, folder: Path, words: NameTable, contexts: NameTable, threads: int, on_progress: OnProgress
) -> tuple[int, bool]:
    """Write all pairs by their rows in the tables, and, if any pair has a weight, the weights of all.

    Returns the number of pairs, and whether any has a weight.
    """
    report = reporter("count", corpus.size, on_progress)
    n_pairs, weighted = 0, False
    with output_errors(folder):
        pairs_file, weights_file = (folder / _PAIRS_BY_ROW).open("wb"), (folder / _WEIGHTS).open("wb")
    with pairs_file, weights_file:
        for chunk in corpus.chunks(threads):
            w, c = words.rows(chunk.words, n_pairs)[chunk.w], contexts.rows(chunk.contexts, n_pairs)[chunk.c]
            packed = w << 32 | c
            with output_errors(folder):
                pairs_file.write(packed.astype("<i8", copy=False).data)
                if chunk.weights is not None or weighted:
                    weights_file.writelines(_ones(0 if weighted else n_pairs))
                    weights_file.writelines(_ones(len(packed)) if chunk.weights is None else [_bytes(chunk.weights)])
                    weighted = True
            n_pairs += len(packed)
            report(chunk.done)
    return n_pairs, weighted


def _ones(n: int) -> Iterator[bytes]:
    """n weights of 1, some at a time, for pairs without a weight where other pairs have one."""
    for first in range(0, n, pair_names.PAIRS_AT_ONCE):
        yield _bytes(np.ones(min(pair_names.PAIRS_AT_ONCE, n - first), np.float32))


def _bytes(weights: Weights) -> bytes:
    return weights.astype("<f4", copy=False).tobytes()


# --- Renumbering


def _renumber(folder: Path, words: NameTable, contexts: NameTable, w_selected: Numbers, c_selected: Numbers) -> Any:
    """Write the pairs again: only those of selected words and contexts, by their ids. Returns a digest of the files."""
    digest = hashlib.sha256()
    by_row, weights = _map(folder / _PAIRS_BY_ROW, "<i8"), _map(folder / _WEIGHTS, "<f4")
    selected_weights = folder / f"{_WEIGHTS}.selected"
    id_w, id_c = RowLookup(words, positions_in(w_selected)), RowLookup(contexts, positions_in(c_selected))
    with output_errors(folder), (folder / _PAIRS).open("wb") as pairs_file, selected_weights.open("wb") as weights_file:
        for first in range(0, len(by_row), pair_names.PAIRS_AT_ONCE):
            some = slice(first, first + pair_names.PAIRS_AT_ONCE)
            w, c = id_w(by_row[some] >> 32, first), id_c(by_row[some] & 0xFFFFFFFF, first)
            kept = (w >= 0) & (c >= 0)
            pairs = np.ascontiguousarray((w << 32 | c)[kept], "<i8")
            digest.update(pairs.data)
            pairs_file.write(pairs.data)
            if len(weights):
                kept_weights = np.ascontiguousarray(weights[some][kept], "<f4")
                digest.update(kept_weights.data)
                weights_file.write(kept_weights.data)
            release_pages(by_row, first, min(first + pair_names.PAIRS_AT_ONCE, len(by_row)))
            release_pages(weights, first, min(first + pair_names.PAIRS_AT_ONCE, len(weights)))
    with output_errors(folder):
        (folder / _PAIRS_BY_ROW).unlink()
        selected_weights.replace(folder / _WEIGHTS)
    return digest


def _map(path: Path, dtype: str) -> npt.NDArray[Any]:
    """Map a file as an array. Empty files cannot be mapped."""
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size == 0:
            return np.frombuffer(b"", dtype)
        return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), dtype)
