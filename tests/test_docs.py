"""The pages name code, tests and files that exist."""

import ast
import re
from pathlib import Path
from pkgutil import resolve_name

import pytest

ROOT = Path(__file__).parent.parent
METHOD = (ROOT / "docs" / "method.md").read_text()
ROWS = [line.strip("| ").split(" | ") for line in METHOD.splitlines() if line.startswith("| ")][2:]
CODE = sorted({name for row in ROWS for name in re.findall(r"`([a-z_.0-9]+\.[A-Za-z_.0-9]+)`", row[1])})
TESTS = sorted({tuple(name.split("::")) for row in ROWS for name in re.findall(r"`([\w/]*test_\w+\.py::\w+)`", row[2])})


def test_every_row_names_code_and_a_test():
    assert len(ROWS) > 30
    for row in ROWS:
        assert len(row) == 3, row
        assert re.search(r"`[a-z_]+\.", row[1]) and re.search(r"`[\w/]*test_\w+\.py::\w+`", row[2]), row


@pytest.mark.parametrize("name", CODE)
def test_the_code_is_there(name):
    assert resolve_name(f"pairloom.{name}") is not None


@pytest.mark.parametrize(("file", "test"), TESTS)
def test_the_test_is_there(file, test):
    tree = ast.parse((ROOT / "tests" / file).read_text())
    assert test in [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]


@pytest.mark.parametrize(
    "page", sorted(path.relative_to(ROOT) for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
)
def test_what_a_page_links_to_is_there(page):
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", (ROOT / page).read_text())
    missing = [link for link in links if "://" not in link and not (ROOT / page.parent / link).exists()]
    assert missing == []
