"""The map of a model, kept beside it: MODEL.map. Making one takes up to a minute, reading it a moment.

The file has a matrix of places, that of the most frequent word first, in the layout of `system/tensors.py` with its
checksums, and a record with a digest of the vectors, the method and the seed. A map of other vectors, or made in
another way, is made again. A damaged one is reported by a warning, then made again.
"""

import os
import warnings
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from pairloom.errors import Fault, InputError, OutputError, VectorsWarning
from pairloom.maps.coordinates import MAPPED, Method, by_falling_count, places_of, resolved
from pairloom.progress import OnProgress, ignore
from pairloom.system.tensors import Layout, byte_chunks, mapped, read, write
from pairloom.types import Matrix, PathName
from pairloom.vectors.embedding import Embedding, as_vectors
from pairloom.vectors.vectors import Vectors

SUFFIX = ".map"  # added to the name of the model: king.loom.map
LAYOUT = Layout("pairloom-map", 1, {"places": ("F32",)}, matrices=frozenset({"places"}))
ALGORITHM = 1  # raised when the same vectors, method and seed give other places


def map_of(
    model_path: PathName,
    vectors: Vectors | Embedding,
    method: Method = "auto",
    *,
    seed: int = 1,
    threads: int | None = None,
    on_progress: OnProgress = ignore,
) -> Matrix:
    """`coordinates` of the vectors of a model, read from MODEL.map if that has them, otherwise computed and kept there.

    If MODEL.map cannot be written, a VectorsWarning says so, and the map is returned all the same.
    """
    vectors = as_vectors(vectors)
    order = by_falling_count(vectors)
    places = np.empty((len(vectors), 2), np.float32)
    places[order] = most_frequent_map(
        model_path, vectors, len(vectors), method, seed=seed, threads=threads, on_progress=on_progress
    )
    return places


def most_frequent_map(
    model_path: PathName | None,
    vectors: Vectors,
    n: int,
    method: Method = "auto",
    *,
    seed: int = 1,
    threads: int | None = None,
    on_progress: OnProgress = ignore,
) -> Matrix:
    """The places of the n most frequent words on the map of all, as `map_of` has them, the most frequent first.

    Words beyond the MAPPED most frequent do not change the places of others. So a map of more words serves, too, and
    if there is none, not all words of a large vocabulary have to be placed. Without a model_path nothing is kept.
    """
    method = resolved(method, len(vectors))
    least = len(vectors) if method == "pca" else min(len(vectors), max(n, MAPPED))
    path = None if model_path is None else os.fspath(model_path) + SUFFIX
    record = {} if path is None else _record(vectors, method, seed)
    places = None if path is None else _read(path, record, least)
    if places is None:
        places = places_of(vectors, least, method, seed=seed, threads=threads, on_progress=on_progress)
        if path is not None:
            _write(path, places, record)
    return places[:n]


def _record(vectors: Vectors, method: str, seed: int) -> dict[str, Any]:
    """What a map depends on. The digest is of the vectors and of the counts, which say what words are mapped first."""
    digest = sha256()
    for array in (vectors.vectors, vectors.counts):
        for chunk in byte_chunks(array, array.dtype.newbyteorder("<")):
            digest.update(chunk)
    return {"algorithm": ALGORITHM, "method": method, "seed": int(seed), "vectors": digest.hexdigest()}


def _read(path: str, record: dict[str, Any], n: int) -> Matrix | None:
    """At least n places; None if there is no file, or one for another record or with fewer words."""
    if not Path(path).exists():
        return None
    try:
        tensors, found = read(mapped(Path(path)), LAYOUT)
    except (Fault, InputError) as error:
        _warn(f"{path} cannot be used: {error} The map is made again.")
        return None
    places: Matrix = tensors["places"]
    if found != record or places.shape[1] != 2 or len(places) < n or not np.all(np.abs(places) <= 1):
        return None
    return np.array(places, np.float32)


def _write(path: str, places: Matrix, record: dict[str, Any]) -> None:
    try:
        write(path, LAYOUT, {"places": places}, record)
    except OutputError as error:
        _warn(f"The map is not kept, so it has to be made again next time: {error}")


def _warn(message: str) -> None:
    warnings.warn(message, VectorsWarning, stacklevel=4)
