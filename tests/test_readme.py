"""The README is a door: short, with the two commands first, and a tree of the package that is complete."""

import re

import pytest

from tests.pages import commands, statements, text_of
from tests.test_architecture import BASE, ORDER, PACKAGE

README = text_of("README.md")
MOST_WORDS = 1_400


def test_it_is_short():
    assert len(README.split()) <= MOST_WORDS  # as `wc -w` counts


@pytest.mark.parametrize("target", ["demo", "test"])
def test_the_two_commands_are_in_the_first_screen_and_in_the_makefile(target):
    assert f"make {target}" in "\n".join(README.splitlines()[:10])
    assert f"\n{target}:" in text_of("Makefile")


def test_it_shows_values_and_commands():
    assert sum(shown is not None for _, shown in statements("README.md")) >= 3
    assert len(commands("README.md")) >= 4


def test_the_tree_has_every_folder_and_every_top_level_module_in_the_order_of_the_data():
    tree = README[README.index("src/pairloom/\n") :]
    lines = re.findall(r"^  (\w+)(\.py|/) +\S.*$", tree, re.MULTILINE)
    there = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert {name for name, _ in lines} == there
    assert all((PACKAGE / f"{name}{suffix}").exists() for name, suffix in lines)
    folders = [name for name, _ in lines if not name.startswith("__")]
    at_top = [step for step in ORDER if "." not in step]
    assert folders == [name for step in at_top for name in (sorted(BASE) if step == "base" else [step])]


def test_the_speeds_are_those_of_the_benchmarks():
    """Every figure of the README's table stands in the row of the same program in benchmarks/README.md."""
    rows = [line.strip("| ").split(" | ") for line in README.splitlines() if line.startswith("| ") and "k |" in line]
    measured = text_of("benchmarks/README.md").splitlines()
    assert [row[0] for row in rows] == ["pairloom", "word2vec.c", "gensim", "fastText"]
    for program, *figures in rows:
        lines = " ".join(line for line in measured if line.startswith(f"| {program.lower()} | ") and "k to " in line)
        assert [figure for figure in figures if figure.strip("| ") and figure.removesuffix(" %") not in lines] == []
