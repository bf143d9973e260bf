"""A word through a series of models, for example one for each decade."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from pairloom.config import checked_threads
from pairloom.errors import InputError
from pairloom.judging.comparison.two_models import Model, WordShift, compare
from pairloom.progress import OnProgress, ignore
from pairloom.system.display import number_of, quoted
from pairloom.vectors.checking import checked_words
from pairloom.vectors.embedding import as_vectors
from pairloom.vectors.search import Neighbours, check_topn
from pairloom.vectors.vectors import Vectors


class Station(NamedTuple):
    """The word in one model of a series. The shifts are None in the first model, and where the word is missing."""

    name: str
    occurrences: int  # 0 if the word is missing, or if counts are not known
    near: Neighbours  # among the words of all models
    from_first: WordShift | None = None
    from_previous: WordShift | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Trajectory:
    """A word in each model of a series, and the cosine to each of its neighbours in each of them."""

    word: str
    stations: list[Station]
    cosines: dict[str, list[float | None]]  # for every word that is a neighbour somewhere; None where `word` is missing

    def __repr__(self) -> str:
        return f"Trajectory({quoted(self.word)}, models={len(self.stations)})"

    def as_dict(self) -> dict[str, Any]:
        """The same as plain data."""
        stations = [
            {
                "model": station.name,
                "count": station.occurrences,
                "from_first": plain_shift(station.from_first),
                "from_previous": plain_shift(station.from_previous),
                "near": [[word, round(cosine, 6)] for word, cosine in station.near],
            }
            for station in self.stations
        ]
        near = {word: [None if c is None else round(c, 6) for c in row] for word, row in self.cosines.items()}
        return {"word": self.word, "models": stations, "cosines": near}


def plain_shift(found: WordShift | None) -> dict[str, Any] | None:
    """A shift for JSON, without digits that nobody needs."""
    if found is None:
        return None
    plain: dict[str, Any] = found._asdict()
    short = {"shift": 6, "usual": 6, "z": 4}
    rounded = {name: round(plain[name], digits) for name, digits in short.items() if plain[name] is not None}
    return plain | rounded | ({} if found.p is None else {"p": float(f"{found.p:.4g}")})


def trajectory(
    models: Sequence[Model],
    word: str,
    *,
    names: Iterable[str] | None = None,
    topn: int = 5,
    threads: int | None = None,
    on_progress: OnProgress = ignore,
) -> Trajectory:
    """Follow a word through models in their order: its shift from the first that has it and from the one before.

    names: of the models, for tables and pictures; 1, 2, ... if none are given
    topn: how many neighbours to show in each model, among the words that all models have
    """
    sides = [as_vectors(model) for model in _listed(models)]
    check_topn(topn)
    threads = checked_threads(threads)
    labels = [str(i) for i in range(1, len(sides) + 1)] if names is None else checked_words(names)
    if len(labels) != len(sides):
        raise InputError(f"{number_of(len(labels), 'name')} and {number_of(len(sides), 'model')}: give one for each.")
    there = [i for i, side in enumerate(sides) if word in side]
    if len(there) < 2:
        raise InputError(
            f"{quoted(word)} is in {number_of(len(there), 'model')} of {len(sides)}; a trajectory needs it in at least "
            "2. Choose another word, or train with a lower min_count."
        )

    def shift(first: int, second: int) -> WordShift:
        compared = compare(models[first], models[second], threads=threads, on_progress=on_progress)
        return compared.shift_of(word)

    shared = _shared(sides, there, word)
    stations = []
    for i, (name, side) in enumerate(zip(labels, sides, strict=True)):
        if i not in there:
            stations.append(Station(name, 0, Neighbours()))
            continue
        near = shared[i].most_similar(word, topn=topn)
        first = shift(there[0], i) if i != there[0] else None
        before = max((j for j in there if j < i), default=there[0])
        previous = first if before == there[0] else shift(before, i)
        stations.append(Station(name, int(side.counts[side.get_index(word)]), near, first, previous))
    return Trajectory(word, stations, _cosines(word, stations, shared))


def _listed(models: object) -> list[Model]:
    if not isinstance(models, list | tuple) or len(models) < 2:
        raise InputError("A trajectory needs a list of at least 2 models, in their order. Load them by pairloom.load.")
    return list(models)


def _shared(sides: list[Vectors], there: list[int], word: str) -> dict[int, Vectors]:
    """The vectors of the words that all models with `word` have."""
    words = [other for other in sides[there[0]].words if all(other in sides[i] for i in there)]
    return {i: sides[i].vectors_for_all(words, copy_vecattrs=True) for i in there}


def _cosines(word: str, stations: list[Station], shared: dict[int, Vectors]) -> dict[str, list[float | None]]:
    """The neighbours in the order in which they come, with their cosines in every model."""
    neighbours = dict.fromkeys(near for station in stations for near, _ in station.near)
    return {
        near: [shared[i].similarity(word, near) if i in shared else None for i in range(len(stations))]
        for near in neighbours
    }
