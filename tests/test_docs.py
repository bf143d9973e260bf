"""The pages name code, tests and files that exist."""

import ast
import re
from inspect import signature
from pkgutil import resolve_name

import pytest

import pairloom
from pairloom.cli.arguments import OPTIONS
from pairloom.config import PEER_NAMES
from tests.pages import PAGES, ROOT, text_of
from tests.test_architecture import ORDER

METHOD = text_of("docs/method.md")
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


def links(page):
    """The files of ours that a page links to, from the root."""
    found = re.findall(r"\]\(([^)#]+)[^)]*\)", text_of(page))
    return [(ROOT / page).parent.joinpath(link).resolve() for link in found if "://" not in link]


@pytest.mark.parametrize("page", [*PAGES, "benchmarks/README.md"])
def test_what_a_page_links_to_is_there(page):
    assert [path for path in links(page) if not path.exists()] == []


def test_every_page_is_linked_from_the_readme_or_from_docs():
    linked = {path for page in PAGES if page == "README.md" or page.startswith("docs/") for path in links(page)}
    assert [page for page in PAGES if ROOT / page not in linked and page != "README.md"] == []


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith("docs/")])
def test_the_first_sentence_says_for_whom_the_page_is(page):
    title, empty, first, *_ = text_of(page).splitlines()
    assert title.startswith("# ") and empty == "" and first.startswith("For ")


# --- docs/options.md

OPTION_ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in text_of("docs/options.md").splitlines()
    if line.startswith("| `")
]


def rows_of(option):
    return [row for row in OPTION_ROWS if f"`{option}`" in row[0]]


@pytest.mark.parametrize("option", OPTIONS)
def test_every_option_of_training_has_a_row_with_its_default(option):
    (row,) = rows_of(option)
    default, printed = OPTIONS[option], row[1].strip("`").replace(" ", "")
    if isinstance(default, bool):
        assert (printed, default) == ("no", False)
    elif default is not None:
        assert type(default)(printed) == default


@pytest.mark.parametrize("function", [pairloom.train, pairloom.train_pairs])
def test_every_argument_of_training_has_a_row(function):
    arguments = signature(function).parameters.keys() - {"options", "pairs"}
    assert [name for name in sorted(arguments) if len(rows_of(name)) != 1] == []


def test_no_row_is_about_something_else():
    known = {*OPTIONS, *signature(pairloom.train).parameters, *signature(pairloom.train_pairs).parameters}
    assert [name for row in OPTION_ROWS for name in re.findall(r"`(\w+)`", row[0]) if name not in known] == []


@pytest.mark.parametrize(("theirs", "ours"), PEER_NAMES.items())
def test_the_names_of_the_peers_are_in_the_row_of_ours(theirs, ours):
    (row,) = rows_of(ours)
    names = [name.lower().replace("-", "") for cell in row[3:] for name in re.findall(r"`-?([\w-]+)", cell)]
    assert theirs.replace("-", "") in names


# --- docs/architecture.md

RIVER = text_of("docs/architecture.md")


def test_the_river_has_every_folder_in_order():
    rows = re.findall(r"^\| `([\w/]+)/` \|", RIVER, re.MULTILINE)
    assert [row.replace("/", ".") for row in rows] == [name for name in ORDER if name != "base"]


@pytest.mark.parametrize(("file", "name"), sorted(set(re.findall(r"\]\(\.\./(src/[\w/]+\.py)\) `(\w+)`", RIVER))))
def test_the_code_is_where_the_page_says(file, name):
    tree = ast.parse((ROOT / file).read_text())
    assert name in [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]


@pytest.mark.parametrize(
    "what", ["windows", "subsampling", "the gradient step", "same bytes", "`.vec` file", "how `near` finds its answer"]
)
def test_a_newcomer_finds_it_in_one_guess(what):
    table = RIVER[RIVER.index("## Where it happens") :]
    assert [line for line in table.splitlines() if line.startswith("| ") and what in line.split(" | ")[0]]


# --- docs/glossary.md


def test_the_glossary_is_in_order_and_has_the_terms_of_training():
    terms = re.findall(r"^\| ([^|]+) \| ", text_of("docs/glossary.md"), re.MULTILINE)[2:]
    assert terms == sorted(terms, key=str.lower)
    wanted = {"part", "block", "round", "batch of six", "segment", "slice", "path", "buffers", "held-out", "record"}
    assert wanted | {"checkpoint", "frozen", "fold-in", "noise", "mass", "spool", "vocabulary", "token"} <= set(terms)
