"""The site that `make docs` builds: its reference is complete, and its links lead somewhere."""

import re
import subprocess
import sys
import tomllib

import pytest

import pairloom
from pairloom.cli.commands import NAMES
from pairloom.cli.parsing import parser_of
from scripts.reference import as_text, commands_page, python_page, signature
from scripts.site import MOVED, moved_links, site_faults, write_pages
from tests.pages import ROOT

ZENSICAL = ROOT / ".venv-docs/bin/zensical"


@pytest.fixture(scope="module")
def commands():
    return commands_page()


@pytest.mark.parametrize("name", NAMES)
def test_the_reference_has_every_option_of_every_command(name, commands):
    section = commands.split(f"\n### {name}\n")[1].split("\n### ")[0]
    options = {option for action in parser_of(name)._actions for option in action.option_strings}
    assert {option for option in options if not re.search(rf"[`, ]{re.escape(option)}[`, ]", section)} == set()


def test_the_reference_has_every_public_name_with_its_docstring_and_no_address_of_an_object():
    pytest.importorskip("sklearn")
    page = python_page()
    headings = re.findall(r"^### pairloom\.(\w+)$", page, re.MULTILINE)
    assert set(pairloom.__all__) - {"__version__"} == set(headings)
    assert "### pairloom.sklearn.DocumentVectorizer" in page and "### pairloom.gensim_compat.Word2Vec" in page
    assert pairloom.load.__doc__.splitlines()[0] in page
    assert "\nmost_similar(" in page and " at 0x" not in page


def test_a_long_signature_has_a_line_for_each_parameter():
    lines = signature(pairloom.train).splitlines()
    assert lines[0] == "(" and lines[2] == "    *," and "    threads: int | None = None," in lines
    assert lines[-1] == ") -> Embedding"
    assert signature(3) == ""


def test_text_means_nothing_to_markdown():
    assert as_text("a_b *c* <d> `e_f`") == r"a\_b \*c\* \<d> `e_f`"


def test_links_lead_to_pages_of_the_site_or_to_the_home_of_the_project(tmp_path, monkeypatch):
    monkeypatch.setattr("scripts.site.ROOT", tmp_path)
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs/a.md"
    page.write_text("[b](b.md#c) [r](../README.md) [s](../src/x.py) [h](#here) [w](https://example.org/)")
    home = "https://github.com/pairloom/pairloom/blob/main/"
    expected = f"[b](b.md#c) [r](index.md) [s]({home}src/x.py) [h](#here) [w](https://example.org/)"
    assert moved_links(page) == expected


def test_every_page_is_in_the_navigation(tmp_path):
    pytest.importorskip("sklearn")
    write_pages(tmp_path / "docs")
    listed = set(
        re.findall(r'"([\w-]+\.md)"', str(tomllib.loads((ROOT / "zensical.toml").read_text())).replace("'", '"'))
    )
    assert listed == {path.name for path in (tmp_path / "docs").glob("*.md")} >= set(MOVED.values())


def test_faults_of_a_site_are_found(tmp_path):
    (tmp_path / "a.html").write_text(
        '<h1 id="top">A</h1><a href="b.html#there">b</a><a href="b.html#gone">b</a><a href="c.html">c</a>'
        '<a href="https://example.org/">elsewhere</a><script src="https://cdn.example.org/x.js"></script>'
        '<img src="gone.svg"><pre class="mermaid">x</pre>'
    )
    (tmp_path / "b.html").write_text('<p id="there"><a href="#there">here</a><link rel="stylesheet" href="s.css">')
    (tmp_path / "s.css").write_text("@import url(//fonts.example.org/f.css)")
    assert site_faults(tmp_path) == [
        "a.html loads https://cdn.example.org/x.js",
        'a.html loads class="mermaid',
        "a.html: b.html#gone leads nowhere",
        "a.html: c.html leads nowhere",
        "a.html: gone.svg leads nowhere",
        "s.css loads from another host",
    ]


@pytest.mark.skipif(not ZENSICAL.exists(), reason="needs zensical, which `make docs` installs")
def test_the_site_is_built_and_its_links_are_followed():
    done = subprocess.run(
        [sys.executable, "-m", "scripts.site", str(ZENSICAL)], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0 and "all links lead somewhere" in done.stdout, done.stderr
