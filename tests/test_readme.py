"""The README's examples run as printed."""

import doctest
import re
import shlex
from pathlib import Path

import pytest

from pairloom.cli.main import main

README = (Path(__file__).parent.parent / "README.md").read_text()


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_the_python_runs_and_gives_what_its_comments_say(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    shown = 0
    for line in "\n".join(blocks("python")).splitlines():
        code, _, comment = line.partition("  # ")
        exec(code, names)
        if comment.startswith(("[", "0.")):
            got = repr(eval(code, names))
            assert doctest.OutputChecker().check_output(comment, got, doctest.ELLIPSIS), (code, got)
            shown += 1
    assert shown and (tmp_path / "cat.loom").exists()


def test_the_commands_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("corpus.txt").write_text("the king and the queen of the land\n" * 50)
    Path("edges.txt").write_text("king queen\nqueen land 2\n")
    Path("baskets.txt").write_text("crown sword\n")
    Path("parsed.conllu").write_text(
        "1\tlong\tlong\tADJ\t_\t_\t2\tamod\t_\t_\n2\tlive\tlive\tVERB\t_\t_\t0\troot\t_\t_\n"
    )
    commands = [shlex.split(line, comments=True) for line in "\n".join(blocks("sh")).splitlines()]
    ours = [words[1:] for words in commands if words[:1] == ["pairloom"]]
    assert len(ours) >= 4
    for words in ours:
        assert main(words) == 0, capsys.readouterr().err
    assert Path("king.bin").exists()


@pytest.mark.parametrize("target", ["demo", "test"])
def test_the_two_commands_are_in_the_first_screen_and_in_the_makefile(target):
    assert f"make {target}" in "\n".join(README.splitlines()[:10])
    assert f"\n{target}:" in (Path(__file__).parent.parent / "Makefile").read_text()


def test_every_option_of_training_is_in_the_table():
    from pairloom.cli.arguments import OPTIONS

    table = README[README.index("## The options") :]
    assert [name for name in OPTIONS if f"`{name}`" not in table] == []


def test_every_file_of_the_package_is_in_the_tree():
    package = Path(__file__).parent.parent / "src" / "pairloom"
    tree = README[README.index("src/pairloom/") :]
    small = {"__init__.py", "__main__.py", "types.py", "errors.py", "progress.py"}  # what no bend of the river is
    assert [f.name for f in package.glob("*.py") if f.name not in small and f"  {f.name} " not in tree] == []
