"""Options of a selection and options of counting, told apart."""

from dataclasses import fields
from typing import Any

from pairloom.corpus.vocabulary import WordSelection


def split(**options: Any) -> tuple[WordSelection, dict[str, Any]]:
    """The selection that some of the options make, with min_count=1 unless it is given; and the other options."""
    names = {field.name for field in fields(WordSelection)}
    selecting = {name: value for name, value in options.items() if name in names}
    return WordSelection(**{"min_count": 1, **selecting}), {n: v for n, v in options.items() if n not in names}
