"""The examples of the README and of docs/ run as printed, and show what they say."""

import doctest
import re
from pathlib import Path

import pytest

import pairloom
from pairloom.cli.config_file import read_config
from pairloom.cli.main import main
from pairloom.cli.parsing import parser_of
from tests.advice.tuning.conftest import ring_sessions
from tests.formats.test_fasttext import model as fasttext_model
from tests.judging.comparison.conftest import sentences
from tests.pages import PAGES, blocks, commands, statements, text_of

TUTORIAL = "docs/tutorial.md"  # tests/test_tutorial.py runs it
WITH_PYTHON = [page for page in PAGES if statements(page) and page != TUTORIAL]
WITH_COMMANDS = [page for page in PAGES if commands(page) and page != TUTORIAL]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the files that the examples read."""
    monkeypatch.chdir(tmp_path)
    Path("corpus.txt").write_text("the king is a man and the queen is a woman\n" * 50)
    Path("news.txt").write_text("the prince is a man and the princess is a woman\n" * 10)
    Path("bought.txt").write_text("ann tea 2\nann milk\nbob milk 0.5\nbob tea 3\n" * 5)
    Path("edges.txt").write_text("king queen\nqueen land 2\n")
    Path("baskets.txt").write_text("crown sword\n")
    Path("parsed.conllu").write_text(
        "1\tlong\tlong\tADJ\t_\t_\t2\tamod\t_\t_\n2\tlive\tlive\tVERB\t_\t_\t0\troot\t_\t_\n"
    )
    Path("questions.txt").write_text(": royal\nman king woman queen\n")
    Path("similar.tsv").write_text("king\tqueen\t9\nking\tman\t5\nqueen\tis\t1\n")
    Path("reviews.jsonl").write_text('{"review": {"body": "so it goes and goes"}}\n' * 50)
    Path("clicks.csv").write_text("visit,product\n1,tea\n2,cup\n1,cup\n2,tea\n")
    return tmp_path


@pytest.fixture
def models(folder):
    """The models that docs/formats.md loads, small and of our own making."""
    emb = pairloom.train("corpus.txt", dim=4, epochs=1)
    for path in ("GoogleNews-vectors-negative300.bin.gz", "old.bin", "huge.loom", "model.loom"):
        emb.save(path)
    Path("cc.de.300.bin").write_bytes(fasttext_model()[0])


@pytest.fixture
def decades(folder):
    """The texts that docs/comparing.md compares: in the second, two words have changed places."""
    for number, names in enumerate(({"t0w3": "mouse", "t8w3": "plough"}, {"t0w3": "plough", "t8w3": "mouse"})):
        lines = [" ".join(names.get(word, word) for word in line) for line in sentences(number)]
        Path(f"19{6 + 3 * number}0s.txt").write_text("\n".join(lines) + "\n")


@pytest.fixture
def clicks(folder):
    """The sessions that docs/settings.md is about."""
    Path("clicks.txt").write_text("".join(" ".join(line) + "\n" for line in ring_sessions()))


# What a page needs beside the files of `folder`.
FIXTURES = {"docs/formats.md": "models", "docs/comparing.md": "decades", "docs/settings.md": "clicks"}


def test_the_pages_with_examples_are_found():
    both = {"README.md", "docs/text-and-pairs.md", "docs/using-vectors.md", "docs/reliability.md"}
    assert both | {"docs/formats.md"} <= set(WITH_PYTHON)
    assert both <= set(WITH_COMMANDS)


@pytest.mark.parametrize("page", WITH_PYTHON)
def test_the_python_runs_and_returns_what_its_comments_say(page, folder, request):
    request.getfixturevalue(FIXTURES.get(page, "folder"))
    run_statements(page)


def is_same(shown, value):
    return doctest.OutputChecker().check_output(shown, value, doctest.ELLIPSIS)


def run_statements(page, agree=is_same):
    """Run the Python of a page in the current folder, and compare values with those that the page shows."""
    names = {}
    for code, shown in statements(page):
        if shown is None:
            exec(code, names)
        else:
            value = repr(eval(code, names))
            assert agree(shown, value), (code, value)


@pytest.mark.parametrize("page", WITH_COMMANDS)
def test_the_commands_run(page, folder, capsys, request):
    for block in blocks(page, "toml"):
        Path("run.toml").write_text(block)
    if page in ("docs/comparing.md", "docs/settings.md"):
        request.getfixturevalue(FIXTURES[page])
    for words in commands(page):
        assert main(words) == 0, (words, capsys.readouterr().err)


@pytest.mark.parametrize("page", PAGES)
def test_every_block_is_run_or_says_why_not(page):
    """`sh`, `python` and `toml` are run, `text` is what programs print. Others have their reason above them."""
    fences = re.findall(r"^(.*)\n```(\w+)\n", text_of(page), re.MULTILINE)
    known = {"sh", "python", "toml", "text", "bash", "py", "yaml"}
    assert {language for _, language in fences} <= known
    not_run = [above for above, language in fences if language in {"bash", "py", "yaml"}]
    assert [above for above in not_run if not re.fullmatch(r"<!-- not run: .{10,} -->", above)] == []


@pytest.mark.parametrize("page", [page for page in PAGES if page != TUTORIAL])
def test_a_line_of_commands_is_one_that_is_run(page):
    """Lines of `sh` that do not begin with `pairloom` would silently be left out, except for targets of make."""
    lines = [line for block in blocks(page, "sh") for line in block.splitlines() if line.split("#")[0].strip()]
    others = [line for line in lines if not line.startswith(("pairloom ", "make ", ".venv/bin/python scripts/"))]
    assert others == []
    targets = [line.split()[1] for line in lines if line.startswith("make ")]
    assert [name for name in targets if f"\n{name}:" not in text_of("Makefile")] == []


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "toml")])
def test_files_of_options_are_read(page, folder):
    for block in blocks(page, "toml"):
        Path("run.toml").write_text(block)
        assert read_config("run.toml", parser_of("train")).options
