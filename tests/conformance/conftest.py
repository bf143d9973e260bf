"""Other programs, each in an environment that is not ours: `make conformance` makes it."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def peer_python() -> Path:
    """The interpreter of the peers' environment."""
    python = Path(os.environ.get("WORDLOOM_CONFORMANCE", ROOT / ".venv-conformance" / "bin" / "python"))
    if not python.exists():
        pytest.skip("the peers are not installed; make conformance does it")
    return python


@pytest.fixture(scope="session")
def peer(peer_python: Path) -> Callable[..., str]:
    """peer(package, script, *arguments): what the script prints there; skips where the package is missing."""

    def run(package: str, script: str, *arguments: object) -> str:
        found = subprocess.run([peer_python, "-c", f"import {package}"], capture_output=True, text=True)
        if found.returncode:
            pytest.skip(f"{package} cannot be imported there: {found.stderr.strip().splitlines()[-1][:200]}")
        command = [peer_python, "-c", script, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"HF_HUB_OFFLINE": "1"})
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="session")
def program(peer_python: Path) -> Callable[[str], Path]:
    """program(name): a program of the peers' environment; skips where it is missing."""

    def find(name: str) -> Path:
        path = peer_python.parent / name
        if not path.exists():
            pytest.skip(f"there is no {name} beside {peer_python}")
        return path

    return find
