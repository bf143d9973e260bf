"""The pages under docs/ name code and tests that exist."""

import ast
import re
from pathlib import Path
from pkgutil import resolve_name

import pytest

ROOT = Path(__file__).parent.parent
METHOD = (ROOT / "docs" / "method.md").read_text()
ROWS = [line.strip("| ").split(" | ") for line in METHOD.splitlines() if line.startswith("| ")][2:]
CODE = sorted({name for row in ROWS for name in re.findall(r"`([a-z_.0-9]+\.[A-Za-z_.0-9]+)`", row[1])})
TESTS = sorted({tuple(name.split("::")) for row in ROWS for name in re.findall(r"`(test_\w+\.py::\w+)`", row[2])})


def test_every_row_names_code_and_a_test():
    assert len(ROWS) > 30
    for row in ROWS:
        assert len(row) == 3, row
        assert re.search(r"`[a-z_]+\.", row[1]) and re.search(r"`test_\w+\.py::\w+`", row[2]), row


@pytest.mark.parametrize("name", CODE)
def test_the_code_is_there(name):
    assert resolve_name(f"wordloom.{name}") is not None


@pytest.mark.parametrize(("file", "test"), TESTS)
def test_the_test_is_there(file, test):
    tree = ast.parse((ROOT / "tests" / file).read_text())
    assert test in [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
