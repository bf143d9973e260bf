"""docs/tutorial.md and its notebook do what they say, from the first line to the last.

The shell runs the page's blocks as they stand. The text is that of the standard library, which differs a little between
versions of Python, and so do the answers. Therefore not numbers are compared, but words: most of those that the page
shows must be in what is printed.
"""

import ast
import contextlib
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pages import ROOT, steps
from tests.test_pages import run_statements

PAGE = "docs/tutorial.md"
NOTEBOOK = ROOT / "examples/tutorial.ipynb"
MOST = 0.7  # of the words; with the Python that the page was made with, all


def words(text):
    return set(re.findall(r"[^\W\d_]{2,}", text))


def assert_most_is_printed(shown, printed):
    missing = words(shown) - words(printed)
    assert len(missing) <= (1 - MOST) * len(words(shown)), (sorted(missing), printed)


def typed(block, folder):
    """What a block of commands prints."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-euc", block], cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True
    )
    assert done.returncode == 0, (block, done.stderr)
    return done.stdout


@pytest.mark.skipif(os.name == "nt", reason="the commands are those of a POSIX shell")
def test_the_tutorial_runs_from_start_to_end(tmp_path, monkeypatch):
    for extra in ("faiss", "openTSNE", "starlette"):
        pytest.importorskip(extra)
    assert len(steps(PAGE)) >= 10
    for block, shown in steps(PAGE):
        assert_most_is_printed(shown, typed(block, tmp_path))
    assert (tmp_path / "month.svg").read_text().startswith("<svg ")
    monkeypatch.chdir(tmp_path)
    run_statements(PAGE)


def test_words_that_are_not_printed_are_noticed():
    assert_most_is_printed("month\n   0.936  day\n   0.932  year", "month\n 0.9 day\n 0.8 year\n")
    with pytest.raises(AssertionError, match="year"):
        assert_most_is_printed("month\n   0.936  day\n   0.932  year", "month\n 0.9 banana\n 0.8 day\n")


def cell_output(cell):
    """What a cell printed, and the text of its value."""
    outputs = cell["outputs"]
    return "".join("".join(output.get("text", output.get("data", {}).get("text/plain", ""))) for output in outputs)


def run_cell(source, names):
    """What a cell prints, and the text of the value of its last statement."""
    *first, last = ast.parse(source).body
    if not isinstance(last, ast.Expr):
        first, last = [*first, last], None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(ast.Module(first, []), "cell", "exec"), names)
        value = None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    return printed.getvalue() + ("" if value is None else repr(value))


def test_the_cells_of_the_notebook_run_and_return_what_is_kept(tmp_path, monkeypatch):
    pytest.importorskip("openTSNE")
    monkeypatch.chdir(tmp_path)
    names = {}
    cells = [cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"]
    assert len(cells) >= 8
    for cell in cells:
        assert_most_is_printed(cell_output(cell), run_cell("".join(cell["source"]), names))


def test_the_notebook_is_small_and_names_no_machine():
    text = NOTEBOOK.read_text()
    assert len(text) < 50_000
    assert str(Path.home()) not in text and "/tmp" not in text and '"error"' not in text
