"""Pairs as numbers: read once, and written to a file that is memory-mapped and read in every epoch.

Words and contexts are numbered as they come, as `pair_sides.py` tells, and by frequency when all have been seen.

    pairs.bin     int64, little-endian: w * 2^32 + c
    weights.bin   float32, little-endian; not there if no pair has a weight
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

from pairloom.corpus.encoding import release_pages
from pairloom.errors import InputError
from pairloom.pairs import pair_names as pair_sides
from pairloom.pairs.pair_names import Numbers, Selection, SideCounts, Translation, places
from pairloom.pairs.pair_reading import PairCorpus
from pairloom.pairs.source import WeightedNames
from pairloom.progress import OnProgress, ignore, reporter
from pairloom.system.files import output_errors
from pairloom.system.memory import memory_for_counting

Pairs = npt.NDArray[np.int64]
Weights = npt.NDArray[np.float32]

_SEEN, _PAIRS, _WEIGHTS = "seen.bin", "pairs.bin", "weights.bin"


@dataclass(frozen=True, eq=False)
class EncodedPairs:
    """Pairs as w * 2^32 + c over two vocabularies; `weights` is empty if every pair counts once."""

    pairs: Pairs
    weights: Weights
    words: WeightedNames
    contexts: WeightedNames
    digest: str

    def release(self) -> None:
        """Give back the memory of all pairs, which are mapped."""
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
    """Write the pairs of a corpus into a folder, and map them. The files are the same for any number of threads.

    check_sizes is called with the numbers of words and of contexts before these are gathered, check with words,
    contexts, the number of pairs and whether they have weights; both may refuse them. max_memory: as of `count`.
    """
    room = memory_for_counting(max_memory) // 2
    with SideCounts(room, folder, threads) as w_side, SideCounts(room, folder, threads) as c_side:
        n_pairs, weighted = _read(corpus, folder, w_side, c_side, threads, on_progress)
        if n_pairs == 0:
            raise InputError(f"{corpus.name} has no pairs. Each line must read like: cat sleeps")
        for side, shift in ((w_side, 32), (c_side, 0)):
            side.number()
            side.weigh(_map(folder / _SEEN, "<i8"), _map(folder / _WEIGHTS, "<f4"), shift)
        check_sizes(w_side.n_chosen(words), c_side.n_chosen(contexts))
        w_names, w_chosen = w_side.chosen(words, corpus.name)
        c_names, c_chosen = c_side.chosen(contexts, corpus.name)
        check(w_names, c_names, n_pairs, weighted)
        digest = _renumber(folder, w_side, c_side, w_chosen, c_chosen)
    pairs, weights = _map(folder / _PAIRS, "<i8"), _map(folder / _WEIGHTS, "<f4")
    if not len(pairs):
        raise InputError(
            f"No pair of {corpus.name} has both its word and its context in the vocabularies. "
            f"Use a smaller {words.option}, or vocabularies of such pairs."
        )
    for names in (w_names, c_names):
        digest.update("\0".join(names.names).encode() + names.mass.astype("<f8").tobytes())
    return EncodedPairs(pairs, weights, w_names, c_names, digest.hexdigest())


# --- Reading, in the order in which words come


def _read(
    corpus: PairCorpus, folder: Path, words: SideCounts, contexts: SideCounts, threads: int, on_progress: OnProgress
) -> tuple[int, bool]:
    """Write all pairs, by the rows of their words as they came, and their weights from the first one on.

    Gives how many there are, and whether any has a weight.
    """
    report = reporter("count", corpus.size, on_progress)
    n_pairs, weighted = 0, False
    with output_errors(folder):
        pairs_file, weights_file = (folder / _SEEN).open("wb"), (folder / _WEIGHTS).open("wb")
    with pairs_file, weights_file:
        for lot in corpus.lots(threads):
            w, c = words.rows(lot.words, n_pairs)[lot.w], contexts.rows(lot.contexts, n_pairs)[lot.c]
            packed = w << 32 | c
            with output_errors(folder):
                pairs_file.write(packed.astype("<i8", copy=False).data)
                if lot.weights is not None or weighted:
                    weights_file.writelines(_ones(0 if weighted else n_pairs))
                    weights_file.writelines(_ones(len(packed)) if lot.weights is None else [_bytes(lot.weights)])
                    weighted = True
            n_pairs += len(packed)
            report(lot.done)
    return n_pairs, weighted


def _ones(n: int) -> Iterator[bytes]:
    """n ones, some at a time, for pairs that have no weight where others do."""
    for first in range(0, n, pair_sides.PAIRS_AT_ONCE):
        yield _bytes(np.ones(min(pair_sides.PAIRS_AT_ONCE, n - first), np.float32))


def _bytes(weights: Weights) -> bytes:
    return weights.astype("<f4", copy=False).tobytes()


# --- Renumbering


def _renumber(folder: Path, words: SideCounts, contexts: SideCounts, w_chosen: Numbers, c_chosen: Numbers) -> Any:
    """Write the pairs again, of chosen words and contexts only and by their places; gives a digest of the files."""
    digest = hashlib.sha256()
    seen, weights = _map(folder / _SEEN, "<i8"), _map(folder / _WEIGHTS, "<f4")
    chosen_weights = folder / f"{_WEIGHTS}.chosen"
    place_w, place_c = Translation(words, places(w_chosen)), Translation(contexts, places(c_chosen))
    with output_errors(folder), (folder / _PAIRS).open("wb") as pairs_file, chosen_weights.open("wb") as weights_file:
        for first in range(0, len(seen), pair_sides.PAIRS_AT_ONCE):
            some = slice(first, first + pair_sides.PAIRS_AT_ONCE)
            w, c = place_w(seen[some] >> 32, first), place_c(seen[some] & 0xFFFFFFFF, first)
            kept = (w >= 0) & (c >= 0)
            pairs = np.ascontiguousarray((w << 32 | c)[kept], "<i8")
            digest.update(pairs.data)
            pairs_file.write(pairs.data)
            if len(weights):
                mine = np.ascontiguousarray(weights[some][kept], "<f4")
                digest.update(mine.data)
                weights_file.write(mine.data)
            release_pages(seen, first, min(first + pair_sides.PAIRS_AT_ONCE, len(seen)))
            release_pages(weights, first, min(first + pair_sides.PAIRS_AT_ONCE, len(weights)))
    with output_errors(folder):
        (folder / _SEEN).unlink()
        chosen_weights.replace(folder / _WEIGHTS)
    return digest


def _map(path: Path, kind: str) -> npt.NDArray[Any]:
    """A file as an array; an empty one cannot be mapped."""
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size == 0:
            return np.frombuffer(b"", kind)
        return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), kind)
