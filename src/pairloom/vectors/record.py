"""The record of how vectors were made: its check on loading, and the options of training that it holds.

A file may hold any JSON, so the form of a record is checked once, when it is loaded. Whether an option is in its range
is not checked then: ranges may change, and old files stay readable.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from typing import Any, Unpack, cast

from pairloom.config import TextKeywords, TextOptions, TrainConfig, TrainKeywords, is_number, is_whole
from pairloom.errors import ConfigError
from pairloom.method.tokens.choosing import RULES

MAX_DEPTH = 100
_END_OF_EPOCHS = 1 << 40  # random draws are numbered by epoch; this is far below the end of 64 bits

_Check = Callable[[Any], bool]


def recorded_options(record: Mapping[str, Any]) -> TrainKeywords:
    """The options of training and of reading text that a record holds, as they are, for example to change some.

    Options that this version does not know are left out. None is checked, so this works for every record.

    >>> recorded_options({"config": {"dim": 50, "of_tomorrow": 1}, "text": {"lowercase": True}})
    {'dim': 50, 'lowercase': True}
    """
    found = {**_known_options(record, "config", TrainConfig), **_known_options(record, "text", TextOptions)}
    return cast(TrainKeywords, found)


def recorded_config(record: Mapping[str, Any], **changes: Any) -> TrainConfig:
    """The `TrainConfig` of a record with some fields changed. Fields that it does not hold have their default.

    Raises a ConfigError if a value is out of range in this version.
    """
    return TrainConfig(**{**_known_options(record, "config", TrainConfig), **changes})


def recorded_text(record: Mapping[str, Any], **changes: Unpack[TextKeywords]) -> TextOptions:
    """The `TextOptions` of a record, in the same way."""
    options = {**_known_options(record, "text", TextOptions), **changes}
    if options.get("tokenize") == "function":
        raise ConfigError(
            "The text of this model was split by a function of its own. Give the same one as tokenize=, or for text "
            "that is split already tokenize='spaces' (--tokenize spaces)."
        )
    return TextOptions(**options)


def text_record(text: TextOptions) -> dict[str, Any]:
    """What the record keeps of the options of reading: those that other text must be read with too."""
    tokenize = {} if text.rule == "spaces" else {"tokenize": text.rule}
    return {"lowercase": text.lowercase, "max_sentence": text.max_sentence, **tokenize}


def split_as_recorded(record: Mapping[str, Any], line: str) -> list[str]:
    """The words of a string, by the rule and in the case of the text of training.

    A function cannot be recorded, and a record may be of another version. Then, as without any, words are what white
    space separates.
    """
    text = _known_options(record, "text", TextOptions)
    split = RULES.get(str(text.get("tokenize")), str.split)
    return split(line.lower() if text.get("lowercase") else line)


def _known_options(record: Mapping[str, Any], key: str, kind: type[TrainConfig | TextOptions]) -> dict[str, Any]:
    names, entry = {field.name for field in fields(kind)}, record.get(key)
    return {name: value for name, value in entry.items() if name in names} if isinstance(entry, dict) else {}


def fault_in(record: dict[str, Any]) -> str | None:
    """The first key whose value has a form that training never writes, or None."""
    wrong = (name for name, has_form in _FORMS.items() if name in record and not has_form(record[name]))
    return next(wrong, None)


def is_too_deep(value: object) -> bool:
    """Whether lists and dictionaries are nested so deep that writing the record could fail."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [inner for outer in level for inner in _inside(outer)]
    return bool(level)


def _inside(value: object) -> Iterable[object]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def has_form_of(value: Any, example: Any) -> bool:
    """Whether a value is like the example: a whole number of 0 or more, a number, or a list of numbers and None."""
    if isinstance(example, list):
        return isinstance(value, list) and all(entry is None or is_number(entry) for entry in value)
    if isinstance(example, float):
        return is_number(value)
    return is_whole(value) and 0 <= value < 2**63


def _are_options(value: Any) -> bool:
    """Whether it is a dictionary of plain values, with a number of epochs if there are any."""
    if not isinstance(value, dict):
        return False
    plain = all(entry is None or isinstance(entry, str | bool) or is_number(entry) for entry in value.values())
    return plain and _are_epochs(value.get("epochs", 0))


def _are_epochs(value: Any) -> bool:
    return is_whole(value) and 0 <= value < _END_OF_EPOCHS


def _is_heldout(value: Any) -> bool:
    losses = value.get("loss", [None]) if isinstance(value, dict) else None
    return isinstance(losses, list) and losses != [] and all(loss is None or is_number(loss) for loss in losses)


_FORMS: dict[str, _Check] = {
    "config": _are_options,
    "text": _are_options,
    "corpus": lambda value: isinstance(value, dict),
    "start": lambda value: isinstance(value, dict) and _are_epochs(value.get("epochs", 0)),
    "heldout": _is_heldout,
    "folded_in": lambda value: isinstance(value, list),
    "spelling": lambda value: isinstance(value, dict),
}
