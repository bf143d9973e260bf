"""All options of a training, checked before any file is touched."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from pairloom.config import TextOptions, TrainConfig, check_names

_CONFIG = [f.name for f in fields(TrainConfig)]


_TEXT = [f.name for f in fields(TextOptions)]


_RUNNING = "start freeze threads output contexts_output checkpoint cache_dir max_memory on_progress"


def split_options(
    options: dict[str, Any], others: Sequence[str] = ("keep", "drop", "vocabulary", "tokenize", "grow")
) -> tuple[TrainConfig, TextOptions]:
    """What to learn and how to read, both checked; an option that is of neither is refused."""
    check_names(options, [*_CONFIG, *_TEXT, *others, *_RUNNING.split()])
    config = TrainConfig(**{name: options[name] for name in _CONFIG if name in options})
    return config, TextOptions(**{name: options[name] for name in _TEXT if name in options})
