"""Other programs, each asked in an environment of its own: pairloom and they never share a process.

`make conformance` makes that environment and runs these tests. PAIRLOOM_PEERS names the Python programs to ask, with
colons between; the first that can import a package is asked. Without any, every test here is skipped.
"""

import functools
import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
_ALONE = {"PYTHONPATH", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE"}


def pythons() -> list[str]:
    named = os.environ.get("PAIRLOOM_PEERS")
    found = named.split(":") if named else [str(ROOT / ".venv-conformance" / "bin" / "python")]
    return [python for python in found if Path(python).exists()]


@functools.cache
def python_with(package: str) -> str | None:
    return next((python for python in pythons() if _run(python, f"import {package}").returncode == 0), None)


def _run(python: str, script: str, *args: object) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name not in _ALONE}
    environment |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    command = [python, "-c", script, *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, timeout=280, env=environment)


@pytest.fixture(scope="session")
def ask():
    """ask(package, script, *args): run a script where the package is, and give the JSON that it prints last."""

    def asked(package: str, script: str, *args: object):
        python = python_with(package)
        if python is None:
            pytest.skip(f"{package} is not installed; `make conformance` installs what it can")
        done = _run(python, script, *args)
        assert done.returncode == 0, done.stderr[-2000:]
        return json.loads(done.stdout.splitlines()[-1])

    return asked


@pytest.fixture(scope="session")
def program():
    """program(package, name): the path of a program that came with a package."""

    def found(package: str, name: str) -> Path:
        python = python_with(package)
        path = Path(python).with_name(name) if python else None
        if path is None or not path.exists():
            pytest.skip(f"{name} of the package {package} is not installed; `make conformance` installs what it can")
        return path

    return found


@pytest.fixture(scope="session")
def corpus(tmp_path_factory):
    """Words of several scripts, one of them longer than the 98 bytes after which word2vec.c cuts."""
    path = tmp_path_factory.mktemp("peers") / "corpus.txt"
    words = ["the", "cat", "naïve", "猫", "dog", "Straße", "x" + "é" * 80]
    path.write_text("".join(" ".join(words[i % 3 :] + words[: i % 5]) + "\n" for i in range(300)), encoding="utf-8")
    return path
