"""Scores as lines of a table: for the command line, for notebooks and for reports."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pairloom.drawing.page import Table, table


class ScoreLine(NamedTuple):
    """What one line of a table says about one model."""

    test: str
    score: str
    value: str
    coverage: str


class ScoresTable(ABC):
    """A set of scores with `lines`, which notebooks show as a table."""

    __slots__ = ()

    @abstractmethod
    def lines(self) -> Iterator[ScoreLine]:
        """The scores, one per line."""

    def _repr_html_(self) -> str:
        return table(Table("", ["test", "score", "value", "known"], [[*line] for line in self.lines()]))


def file_name(path: str) -> str:
    """The name of a file of questions, without its folder."""
    return Path(path).name


def percent(share: float | None) -> str:
    """
    >>> percent(0.5), percent(None)
    (' 50.00 %', '     -')
    """
    return "     -" if share is None else f"{100 * share:6.2f} %"


def decimal(value: float | None) -> str:
    """
    >>> decimal(0.5)
    ' 0.500'
    """
    return "     -" if value is None else f"{value:6.3f}"


def covered(known: int, total: int) -> str:
    """
    >>> covered(1200, 2000)
    '1,200 of 2,000'
    """
    return f"{known:,} of {total:,}"
