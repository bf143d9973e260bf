"""docs/tutorial.md and its notebook do what they say, from the first line to the last.

The shell runs the page's blocks as they stand. The text is that of the standard library, which differs a little between
versions of Python, and so do the answers. Therefore not numbers are compared, but words: most of those that the page
shows must be in what is printed. With the Python that the page was made with that holds for every block; with others a
block of three neighbours may have three others, and it holds for the whole page.
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
from tests.test_pages import is_same, run_statements

PAGE = "docs/tutorial.md"
NOTEBOOK = ROOT / "examples/tutorial.ipynb"
SAME_TEXT = sys.version_info[:2] == (3, 11)  # the page was made with it
MOST = 0.7  # of the words


def words(text):
    return set(re.findall(r"[^\W\d_]{2,}", text))


def assert_most_is_printed(blocks, same_text=SAME_TEXT):
    """blocks: what each one shows on the page, and what it printed."""
    for group in [[block] for block in blocks] if same_text else [blocks]:
        n_words = sum(len(words(shown)) for shown, _ in group)
        missing = [word for shown, printed in group for word in sorted(words(shown) - words(printed))]
        assert len(missing) <= (1 - MOST) * n_words, (n_words, missing, group)


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
    assert_most_is_printed([(shown, typed(block, tmp_path)) for block, shown in steps(PAGE)])
    assert (tmp_path / "month.svg").read_text().startswith("<svg ")
    monkeypatch.chdir(tmp_path)
    run_statements(PAGE, is_same if SAME_TEXT else lambda shown, value: words(shown) <= words(value))


def test_words_that_are_not_printed_are_noticed():
    shown, other = "month\n   0.936  day\n   0.932  year", "month\n 0.9 banana\n 0.8 day\n"
    found = shown.replace("0.9", "0.8")
    assert_most_is_printed([(shown, found)] * 2, same_text=True)
    assert_most_is_printed([(shown, found), (shown, other)], same_text=False)
    for blocks, same_text in (([(shown, found), (shown, other)], True), ([(shown, other)] * 2, False)):
        with pytest.raises(AssertionError, match="year"):
            assert_most_is_printed(blocks, same_text)


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
    assert_most_is_printed([(cell_output(cell), run_cell("".join(cell["source"]), names)) for cell in cells])


def test_the_notebook_is_small_and_names_no_machine():
    text = NOTEBOOK.read_text()
    assert len(text) < 50_000
    assert str(Path.home()) not in text and "/tmp" not in text and '"error"' not in text
