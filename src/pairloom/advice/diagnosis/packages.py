"""The packages that pairloom needs, and those of its extras: their versions, or why they cannot be imported."""

import re
from collections.abc import Iterator
from importlib import import_module, metadata
from typing import NamedTuple

MODULES = {  # what to import of each distribution; nothing is imported by a name that is not here
    "arro3-core": "arro3.core",
    "arro3-io": "arro3.io",
    "backports-zstd": "backports.zstd",
    "faiss-cpu": "faiss",
    "icu4py": "icu4py",
    "llvmlite": "llvmlite",
    "numba": "numba",
    "numpy": "numpy",
    "obstore": "obstore",
    "opentsne": "openTSNE",
    "pandas": "pandas",
    "platformdirs": "platformdirs",
    "pot": "ot",
    "ray": "ray",
    "resvg-py": "resvg_py",
    "rich": "rich",
    "scikit-learn": "sklearn",
    "starlette": "starlette",
    "threadpoolctl": "threadpoolctl",
    "uvicorn": "uvicorn",
}
_REQUIREMENT = re.compile(r"([\w.-]+)[^;]*(?:;(.*))?")
_EXTRA = re.compile(r"extra == ['\"]([\w-]+)['\"]")


class Package(NamedTuple):
    """A package, and how it is."""

    name: str
    extra: str  # "" if pairloom always needs it
    version: str  # "" if it is not installed
    problem: str  # why it cannot be imported; "" if it can, or is not installed


def packages() -> Iterator[Package]:
    """The packages that the metadata of pairloom name, first those that it always needs."""
    requirements = [*map(_parsed, metadata.requires("pairloom") or [])]
    requirements = [
        found for found in requirements if _normalised(found[0]) in MODULES
    ]  # another version may name more
    requirements.append(("llvmlite", "", ""))  # Numba brings it, and of the two it is the one that fails
    for name, extra, condition in sorted(requirements, key=lambda found: (found[1], found[0])):
        if extra or not condition or is_installed(name):  # a condition without an extra is about another Python
            yield package(name, extra)


def _parsed(requirement: str) -> tuple[str, str, str]:
    """The name, the extra, and the condition: "pot>=0.9; extra == 'wmd'" is pot of wmd."""
    match = _REQUIREMENT.match(requirement)
    assert match  # every requirement begins with a name
    name, condition = match[1], match[2] or ""
    extra = _EXTRA.search(condition)
    return name, extra[1] if extra else "", condition


def is_installed(name: str) -> bool:
    """Whether a distribution is installed."""
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def _normalised(name: str) -> str:
    return name.lower().replace(".", "-").replace("_", "-")


def package(name: str, extra: str) -> Package:
    """A package, which is imported to see whether it works."""
    if not is_installed(name):
        return Package(name, extra, "", "")
    try:
        import_module(MODULES[_normalised(name)])
    except Exception as error:  # a broken package may raise anything
        problem = next(iter(str(error).strip().splitlines()), "") or type(error).__name__
        return Package(name, extra, metadata.version(name), problem)
    return Package(name, extra, metadata.version(name), "")
