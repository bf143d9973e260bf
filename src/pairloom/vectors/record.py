"""What a file says of how its vectors were made, checked once: a stranger can write any JSON there.

Only the form is checked, not whether an option is in its range: ranges may change, and old files stay readable.
"""

from collections.abc import Callable, Iterable
from typing import Any

from pairloom.config import is_number, is_whole

DEEPEST = 100
_MOST_EPOCHS = 1 << 40  # they are drawn from; far below where whole numbers of 64 bits end

_Check = Callable[[Any], bool]


def fault_in(record: dict[str, Any]) -> str | None:
    """The first entry of a form that no training gives it, if there is one."""
    wrong = (name for name, has_form in _FORMS.items() if name in record and not has_form(record[name]))
    return next(wrong, None)


def is_too_deep(value: object) -> bool:
    """Whether lists and dictionaries are nested so deep that writing the record could fail."""
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [inner for outer in level for inner in _inside(outer)]
    return bool(level)


def _inside(value: object) -> Iterable[object]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def has_form_of(value: Any, example: Any) -> bool:
    """Whether it is like the example: a whole number from 0 on, a number, or a list of numbers, some of them None."""
    if isinstance(example, list):
        return isinstance(value, list) and all(entry is None or is_number(entry) for entry in value)
    if isinstance(example, float):
        return is_number(value)
    return is_whole(value) and 0 <= value < 2**63


def _options(value: Any) -> bool:
    """Names with plain values; epochs, if there, are a number of them."""
    if not isinstance(value, dict):
        return False
    plain = all(entry is None or isinstance(entry, str | bool) or is_number(entry) for entry in value.values())
    return plain and _epochs(value.get("epochs", 0))


def _epochs(value: Any) -> bool:
    return is_whole(value) and 0 <= value < _MOST_EPOCHS


def _heldout(value: Any) -> bool:
    losses = value.get("loss", [None]) if isinstance(value, dict) else None
    return isinstance(losses, list) and losses != [] and all(loss is None or is_number(loss) for loss in losses)


_FORMS: dict[str, _Check] = {
    "config": _options,
    "text": _options,
    "corpus": lambda value: isinstance(value, dict),
    "start": lambda value: isinstance(value, dict) and _epochs(value.get("epochs", 0)),
    "heldout": _heldout,
    "folded_in": lambda value: isinstance(value, list),
}
