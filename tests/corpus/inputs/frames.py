"""Tables in memory that answer as those of pandas, polars and datasets do, which the tests do without."""

from typing import Any


class Series:
    """A column of pandas. Positions are in iloc only."""

    def __init__(self, values: list[Any]) -> None:
        self._values = values

    @property
    def iloc(self) -> "_Positions":
        return _Positions(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def tolist(self) -> list[Any]:
        return list(self._values)


class _Positions:
    def __init__(self, values: list[Any]) -> None:
        self._values = values

    def __getitem__(self, rows: slice) -> Series:
        return Series(self._values[rows])


class DataFrame:
    """A data frame of pandas."""

    def __init__(self, content: dict[str, list[Any]]) -> None:
        self._content, self.columns = content, list(content)

    iloc = None

    def __getitem__(self, name: str) -> Series:
        return Series(self._content[name])

    def __iter__(self):
        return iter(self.columns)


class PolarsFrame:
    """A data frame of polars."""

    def __init__(self, content: dict[str, list[Any]]) -> None:
        self._content, self.columns = content, list(content)

    def get_column(self, name: str) -> "PolarsSeries":
        return PolarsSeries(self._content[name])

    def collect_schema(self) -> None: ...


class PolarsSeries:
    def __init__(self, values: list[Any]) -> None:
        self._values = values

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, rows: slice) -> "PolarsSeries":
        return PolarsSeries(self._values[rows])

    def to_list(self) -> list[Any]:
        return list(self._values)


class LazyFrame:
    def collect_schema(self) -> None: ...


class Dataset:
    """A dataset of Hugging Face. Only the chosen columns are decoded."""

    def __init__(self, content: dict[str, list[Any]]) -> None:
        self._content = content

    @property
    def column_names(self) -> list[str]:
        return list(self._content)

    def select_columns(self, names: list[str]) -> "Dataset":
        return Dataset({name: self._content[name] for name in names})

    def with_format(self, kind: None) -> "Dataset":
        return self

    def __len__(self) -> int:
        return len(next(iter(self._content.values())))

    def __getitem__(self, rows: slice) -> dict[str, list[Any]]:
        return {name: values[rows] for name, values in self._content.items()}


class IterableDataset:
    def select_columns(self, names: list[str]) -> None: ...


class ArrowOnly:
    """Any table that hands out Arrow data, and nothing else."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)
