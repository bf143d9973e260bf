"""The package is a river: folders in the order of the data, imports upstream only. All is read from the source.

When a test here fails, move the name that drags a layer behind it; do not widen the lists.
"""

import ast
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import pairloom

PACKAGE = Path(pairloom.__file__).parent

ORDER = (
    "base",
    "system",
    "drawing",
    "method",
    "method.tokens",
    "kernel",
    "corpus",
    "preparing",
    "preparing.inspection",
    "preparing.graphs",
    "preparing.phrases",
    "pairings",
    "pairs",
    "vectors",
    "formats",
    "cluster",
    "training",
    "unseen",
    "unseen.fold_in",
    "unseen.spelling",
    "maps",
    "judging",
    "judging.evaluation",
    "judging.explanation",
    "judging.reports",
    "judging.comparison",
    "advice",
    "advice.planning",
    "advice.tuning",
    "advice.diagnosis",
    "sklearn",
    "gensim_compat",
    "explorer",
    "cli",
)
BASE = {"config", "errors", "progress", "types"}

# A model saves itself, folds words in, learns spelling and draws itself, so that nobody has to know which module does.
LOOKS_AHEAD = {
    ("vectors.embedding", "formats"),
    ("vectors.embedding", "unseen.fold_in"),
    ("vectors.embedding", "unseen.spelling"),
    ("vectors.embedding", "maps"),
    ("vectors.vectors", "maps"),
}

# Definitions that only people and tests read: the kernels are their compiled form.
TWINS = {"method.cbow"}

MOST_FOLDERS_AT_TOP, MOST_MODULES_AT_TOP, MOST_IN_FOLDER = 20, 6, 16
MOST_LINES, MOST_BRANCHES = 40, 12


def name_of(path: Path) -> str:
    """ "vectors.embedding" for vectors/embedding.py, "vectors" for vectors/__init__.py, "" for the front door."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


TREES = {name_of(path): ast.parse(path.read_text()) for path in sorted(PACKAGE.rglob("*.py"))}


def imports_of(name: str) -> set[str]:
    """The modules of the package that a module imports anywhere, inside functions and for type checkers too."""
    found = set()
    for node in ast.walk(TREES[name]):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} imports by dots"
            for alias in node.names:
                found.add(_module(f"{node.module}.{alias.name}", node.module or ""))
        elif isinstance(node, ast.Import):
            found |= {_module(alias.name, alias.name) for alias in node.names}
    return found - {None, ""}  # "" is the front door: only __version__ comes from there


def _module(*candidates: str) -> str | None:
    for candidate in candidates:
        if candidate == "pairloom" or candidate.startswith("pairloom."):
            name = candidate.removeprefix("pairloom").removeprefix(".")
            if name in TREES:
                return name
    return None


def folder_of(name: str) -> str:
    """The step of ORDER that a module belongs to: "vectors" for vectors.embedding, "unseen.spelling" for its fit."""
    first, *rest = name.split(".")
    within = ".".join((first, *rest[:1]))
    return "base" if first in BASE else "cli" if first == "__main__" else within if within in ORDER else first


MODULES = sorted(TREES.keys() - {""})
IMPORTS = {name: imports_of(name) for name in MODULES}


def test_every_folder_has_its_place():
    assert {folder_of(name) for name in MODULES} == set(ORDER)


@pytest.mark.parametrize("name", MODULES)
def test_imports_point_upstream(name):
    here = ORDER.index(folder_of(name))
    against = {
        other
        for other in IMPORTS[name]
        if ORDER.index(folder_of(other)) > here and (name, folder_of(other)) not in LOOKS_AHEAD
    }
    assert against == set()


def test_every_look_ahead_is_needed():
    assert {(name, folder_of(other)) for name in MODULES for other in IMPORTS[name]} >= LOOKS_AHEAD


def test_no_module_imports_itself_by_way_of_others():
    graph = {
        name: {other for other in others if (name, folder_of(other)) not in LOOKS_AHEAD and other != name}
        for name, others in IMPORTS.items()
    }
    while leaves := [name for name, others in graph.items() if not others & graph.keys()]:
        for name in leaves:
            del graph[name]
    assert sorted(graph) == []


def test_every_module_is_reached_from_the_command_line_or_the_public_names():
    front_door = {module for name in pairloom._HOME.values() if (module := _module(f"pairloom.{name}"))}
    commands = {name for name in MODULES if name.startswith("cli.commands")}
    left, reached = {"__main__", "sklearn", "pairings", "gensim_compat", *commands, *front_door}, set()
    while left:
        name = left.pop()
        reached.add(name)
        packages = {name.rpartition(".")[0]} - {""}
        left |= (IMPORTS[name] | packages) - reached
    assert set(MODULES) - reached == TWINS


@pytest.mark.parametrize("folder", sorted({path.parent for path in PACKAGE.rglob("*.py")}), ids=str)
def test_folders_are_small(folder):
    modules = [path.stem for path in folder.glob("*.py") if path.stem != "__init__" or folder == PACKAGE]
    if folder.name != "commands":
        assert len(modules) <= (MOST_MODULES_AT_TOP if folder == PACKAGE else MOST_IN_FOLDER)


def test_the_top_level_is_short():
    assert len({path.relative_to(PACKAGE).parts[0] for path in PACKAGE.glob("*/**/*.py")}) <= MOST_FOLDERS_AT_TOP


def test_folders_within_a_folder_follow_it_in_the_order():
    """So the order of the top level alone is true too: no folder there imports from one below it."""
    firsts = [step.split(".")[0] for step in ORDER]
    assert firsts == sorted(firsts, key=firsts.index)


def test_no_folder_hides_a_function():
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir()}
    assert folders & set(pairloom.__all__) == set()


def test_a_public_class_name_is_defined_once():
    names = Counter(
        node.name
        for tree in TREES.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert [name for name, n in names.items() if n > 1] == []


def functions(name):
    return [n for n in ast.walk(TREES[name]) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]


def n_lines(function):
    """Lines of the body, without the docstring, which may explain as much as it likes."""
    body = function.body[1:] if ast.get_docstring(function) else function.body
    return body[-1].end_lineno - body[0].lineno + 1 if body else 0


def n_branches(function):
    """Ways that a reader has to follow: if, elif, else, loops, what is caught, cases."""
    count = 0
    for node in ast.walk(function):
        if isinstance(node, ast.If):
            is_elif = len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If)
            count += 1 + (bool(node.orelse) and not is_elif)
        elif isinstance(node, ast.For | ast.While):
            count += 1 + bool(node.orelse)
        elif isinstance(node, ast.Try):
            count += len(node.handlers) + bool(node.orelse) + bool(node.finalbody)
        elif isinstance(node, ast.IfExp | ast.match_case):
            count += 1
    return count


@pytest.mark.parametrize("name", [name for name in MODULES if folder_of(name) not in ("kernel", "cli")])
def test_functions_are_short(name):
    long = [
        f"{function.name}: {n_lines(function)} lines, {n_branches(function)} branches"
        for function in functions(name)
        if n_lines(function) > MOST_LINES or n_branches(function) > MOST_BRANCHES
    ]
    assert long == []


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("pairloom.preparing.phrases", "pairloom.training"),
        ("pairloom.kernel.simd", "pairloom.corpus"),
        ("pairloom", "numpy"),
        ("pairloom.formats", "numba"),
    ],
)
def test_one_name_does_not_bring_a_whole_layer(module, absent):
    code = f"import sys, {module}; print(*(name for name in sys.modules if name.startswith({absent!r})))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert loaded.strip() == ""
