"""Packages that only some questions need: `pip install 'pairloom[wmd]'` and the like."""

from importlib import import_module
from typing import Any

from pairloom.errors import MissingExtraError


def need(module: str, extra: str, what: str) -> Any:
    """Import a module that an extra brings, or say what needs it and how to install it."""
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtraError(
            f"{what} needs an extra package. Install it with: pip install 'pairloom[{extra}]'"
        ) from None
