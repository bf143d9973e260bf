"""Optional packages, installed for example by `pip install 'pairloom[wmd]'`."""

from importlib import import_module
from typing import Any

from pairloom.errors import MissingExtraError


def data_frame(data: Any, **options: Any) -> Any:
    """A DataFrame of pandas, for every `to_pandas()`."""
    return need("pandas", "pandas", "to_pandas()").DataFrame(data, **options)


def need(module: str, extra: str, what: str) -> Any:
    """Import a module of an extra. If that fails, the error says what needs it, why it failed and what to do."""
    try:
        return import_module(module)
    except Exception as error:  # packages also fail by an OSError, or by a ValueError about another NumPy
        if isinstance(error, ModuleNotFoundError) and f"{module}.".startswith(f"{error.name}."):
            message = f"{what} needs an extra package. Install it with: pip install 'pairloom[{extra}]'"
        else:
            reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
            message = (
                f"{what} needs {module}, which is installed but cannot be imported ({reason}). "
                f"Install it again with: pip install --force-reinstall 'pairloom[{extra}]'"
            )
        raise MissingExtraError(message) from None
