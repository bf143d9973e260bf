"""Named sets of options for kinds of data. docs/settings.md has what each was measured to do against the defaults.

A preset only stands for its options: explicit options win, and what is recorded with the vectors are the options.

>>> with_preset("small", {"epochs": 7})["epochs"]
7
"""

from collections.abc import Mapping
from typing import Any, Literal

from pairloom.config import check_choice

Preset = Literal["small", "standard", "large", "items", "graph"]

PRESETS: dict[Preset, dict[str, Any]] = {
    # Text of up to about a million words. Each pair counts for more: more epochs, and more pairs by a wider window.
    "small": {"epochs": 20, "window": 10},
    # Text of some million words.
    "standard": {"window": 10, "sample": 1e-4},
    # Text of tens of millions of words and more.
    "large": {"dim": 300, "sample": 1e-4},
    # Sessions and baskets: all items matter, frequent ones too, and there are few clicks on each.
    "items": {"epochs": 40, "negatives": 15, "lr": 0.05, "sample": 0.0, "min_count": 1},
    # Walks over a graph. Of what was tried the defaults did best; but every node should have a vector.
    "graph": {"min_count": 1},
}


def with_preset(preset: Preset | None, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options, completed by those of the preset if there is one."""
    if preset is None:
        return dict(options)
    check_choice("preset", preset, Preset)
    return {**PRESETS[preset], **options}
