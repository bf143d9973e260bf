"""The examples of the README and of docs/ run as printed, and show what they say."""

import doctest
from pathlib import Path

import pytest

import pairloom
from pairloom.cli.main import main
from tests.comparison.conftest import sentences
from tests.formats.test_fasttext import model as fasttext_model
from tests.pages import PAGES, commands, statements

WITH_PYTHON = [page for page in PAGES if statements(page)]
WITH_COMMANDS = [page for page in PAGES if commands(page)]


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


# What a page needs beside the files of `folder`.
FIXTURES = {"docs/formats.md": "models", "docs/comparing.md": "decades"}


def test_the_pages_with_examples_are_found():
    both = {"README.md", "docs/text-and-pairs.md", "docs/using-vectors.md", "docs/reliability.md"}
    assert both | {"docs/formats.md"} <= set(WITH_PYTHON)
    assert both <= set(WITH_COMMANDS)


@pytest.mark.parametrize("page", WITH_PYTHON)
def test_the_python_runs_and_returns_what_its_comments_say(page, folder, request):
    request.getfixturevalue(FIXTURES.get(page, "folder"))
    names = {}
    for code, shown in statements(page):
        if shown is None:
            exec(code, names)
        else:
            value = repr(eval(code, names))
            assert doctest.OutputChecker().check_output(shown, value, doctest.ELLIPSIS), (code, value)


@pytest.mark.parametrize("page", WITH_COMMANDS)
def test_the_commands_run(page, folder, capsys, request):
    if page == "docs/comparing.md":
        request.getfixturevalue("decades")
    for words in commands(page):
        assert main(words) == 0, (words, capsys.readouterr().err)
