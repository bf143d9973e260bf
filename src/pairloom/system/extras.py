"""Optional packages, installed for example by `pip install 'pairloom[wmd]'`."""

from importlib import import_module
from typing import Any

from pairloom.errors import MissingExtraError


def need(module: str, extra: str, what: str) -> Any:
    """Import a module of an extra. If it is missing, the error says what needs it and how to install it."""
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtraError(
            f"{what} needs an extra package. Install it with: pip install 'pairloom[{extra}]'"
        ) from None
