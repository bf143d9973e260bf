"""No file that pairloom reads can run code: nothing in the package could do it. The source itself is read here."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import pairloom

PACKAGE = Path(pairloom.__file__).parent
MODULES = {
    "pickle",
    "cPickle",
    "_pickle",
    "marshal",
    "shelve",
    "dill",
    "cloudpickle",
    "joblib",
    "yaml",
    "imp",
    "code",
    "runpy",
}
CALLS = {
    "eval",
    "exec",
    "compile",
    "__import__",
    "import_module",
    "exec_module",
    "load_module",
    "execfile",
    "system",
    "popen",
}
# What is imported by a name that is made up stands in these places, and the names come from tables of the package.
ALLOWED = {
    ("system/processes.py", "import pickle"),  # for a pipe to a process of our own, which no file reaches
    ("__init__.py", 'import_module(f"pairloom.{_HOME[name]}")'),
    ("cli/commands/__init__.py", "import_module(f\"pairloom.cli.commands.{name.replace('-', '_')}\")"),
    ("system/extras.py", "import_module(module)"),
    ("advice/diagnosis/packages.py", "import_module(MODULES[_normalised(name)])"),
}


def findings(source: str, place: str = "") -> Iterator[str]:
    """The lines that could run what a file says."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            found = [] if (place, ast.unparse(node)) in ALLOWED_TEXTS else names
            yield from (f"{node.lineno}: imports {name}" for name in found if name.partition(".")[0] in MODULES)
        if isinstance(node, ast.Call):
            name, keywords = _name(node.func), {k.arg: ast.unparse(k.value) for k in node.keywords}
            text = ast.unparse(node)
            if name in CALLS and not _is_regular_expression(node) and (place, text) not in ALLOWED_TEXTS:
                yield f"{node.lineno}: {text}"
            if keywords.get("allow_pickle", "False") != "False" or keywords.get("shell", "False") != "False":
                yield f"{node.lineno}: {text}"
            if name in ("load", "memmap") and text.startswith(("np.", "numpy.")) and "allow_pickle" not in keywords:
                yield f"{node.lineno}: {text}"


ALLOWED_TEXTS = {(place, ast.unparse(ast.parse(text))) for place, text in ALLOWED}


def _name(function: ast.expr) -> str:
    return (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )


def _is_regular_expression(call: ast.Call) -> bool:
    return ast.unparse(call.func) == "re.compile"


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_nothing_in_the_package_runs_what_it_reads(path):
    assert list(findings(path.read_text("utf-8"), path.relative_to(PACKAGE).as_posix())) == []


@pytest.mark.parametrize(
    "line",
    [
        "import pickle",
        "from pickle import loads",
        "import joblib.numpy_pickle",
        "eval(text)",
        "builtins.exec(text)",
        "compile(text, '', 'exec')",
        "__import__(name)",
        "importlib.import_module(name)",
        "np.load(path)",
        "np.load(path, allow_pickle=True)",
        "subprocess.run(text, shell=True)",
        "os.system(text)",
        "import yaml",
    ],
)
def test_what_could_run_code_is_found(line):
    assert list(findings(line)) != []


@pytest.mark.parametrize(
    "line", ["re.compile(text)", "np.load(path, allow_pickle=False)", "json.loads(text)", "load(path)"]
)
def test_what_cannot_is_not(line):
    assert list(findings(line)) == []


def test_a_pickle_as_a_model_is_refused_and_not_opened(tmp_path):
    import pickle

    class Bomb:
        def __reduce__(self):
            return Path.touch, (tmp_path / "ran",)

    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        (tmp_path / "model.loom").write_bytes(pickle.dumps(Bomb(), protocol))
        with pytest.raises(pairloom.InputError):
            pairloom.load(tmp_path / "model.loom")
    assert not (tmp_path / "ran").exists()
