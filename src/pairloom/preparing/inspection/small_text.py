"""Settings for a text that is too small for the defaults.

The defaults suit texts from about a million tokens on. A vector moves a little with each pair, so a small text needs
more epochs: as many as make up ENOUGH tokens in total, at most 50. Frequent words of a very small text are most of what
it has, so they are not thinned out, and rare words are kept.

>>> settings_for(4_000)
{'epochs': 50, 'sample': 0, 'min_count': 1}
>>> settings_for(250_000)
{'epochs': 20}
>>> settings_for(1_000_000)
{}
"""

from collections.abc import Collection

ENOUGH = 5_000_000
_SMALL = 500_000  # tokens; from here on the default of 5 epochs is half of what this module would say, or more
_MOST_EPOCHS = 50
_KEEP_FREQUENT, _KEEP_PAIRS, _KEEP_ALL = 100_000, 100_000, 10_000  # below: sample=0, min_count=2, min_count=1


def settings_for(n_tokens: int) -> dict[str, int]:
    """The options to change for a text of `n_tokens`. Empty if the defaults suit it."""
    if n_tokens > _SMALL:
        return {}
    settings = {"epochs": min(_MOST_EPOCHS, ENOUGH // max(1, n_tokens))}
    if n_tokens < _KEEP_FREQUENT:
        settings["sample"] = 0
    if n_tokens < _KEEP_PAIRS:
        settings["min_count"] = 1 if n_tokens < _KEEP_ALL else 2
    return settings


def advice(name: str, n_tokens: int, given: Collection[str]) -> str | None:
    """A sentence for a text that is too small for the defaults. None if `given`, the options chosen, has epochs."""
    settings = {option: value for option, value in settings_for(n_tokens).items() if option not in given}
    if "epochs" not in settings:
        return None
    spelt = ", ".join(f"{option}={value}" for option, value in settings.items())
    return (
        f"{name} has {n_tokens:,} tokens to learn from, which is little for the default settings. "
        f"These suit it better: {spelt} ({as_options(settings)})."
    )


def as_options(settings: dict[str, int]) -> str:
    """Settings as options of the command line."""
    return " ".join(f"--{option.replace('_', '-')} {value}" for option, value in settings.items())
