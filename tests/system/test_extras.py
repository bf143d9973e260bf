"""Optional packages: what is missing is told from what is installed and fails."""

import sys

import pytest

from pairloom.errors import MissingExtraError
from pairloom.system.extras import need


@pytest.fixture
def packages(tmp_path, monkeypatch):
    """Packages that exist for one test. Each fails when it is imported, in its own way."""
    monkeypatch.syspath_prepend(tmp_path)
    loaded = set(sys.modules)

    def package(name: str, source: str) -> None:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(source)

    yield package
    for name in set(sys.modules) - loaded:
        del sys.modules[name]


def message(module: str) -> str:
    with pytest.raises(MissingExtraError) as refused:
        need(module, "ann", "Approximate search")
    return str(refused.value)


def test_what_is_installed_is_imported():
    assert need("json.decoder", "ann", "Approximate search") is sys.modules["json.decoder"]


@pytest.mark.parametrize("module", ["pl_absent", "pl_absent.part", "pl_whole.part"])
def test_what_is_missing_is_to_be_installed(module, packages):
    packages("pl_whole", "")
    assert message(module) == "Approximate search needs an extra package. Install it with: pip install 'pairloom[ann]'"


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import pl_fails.extension", "No module named 'pl_fails.extension'"),  # a wheel of another Python
        ("import pl_absent", "No module named 'pl_absent'"),  # a package that it needs itself
        ("raise ImportError('libgomp.so.1: cannot open\\nshared object file')", "libgomp.so.1: cannot open"),
        ("raise OSError('no such library')", "no such library"),
        ("raise ValueError('\\n\\nnumpy.dtype size changed\\n')", "numpy.dtype size changed"),
        ("raise RuntimeError", "RuntimeError"),
    ],
)
def test_what_is_installed_and_fails_is_not_said_to_be_missing(source, reason, packages):
    packages("pl_fails", source)
    assert message("pl_fails") == (
        f"Approximate search needs pl_fails, which is installed but cannot be imported ({reason}). "
        "Install it again with: pip install --force-reinstall 'pairloom[ann]'"
    )


def test_an_interrupt_during_an_import_stays_one(packages):
    packages("pl_fails", "raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        need("pl_fails", "ann", "Approximate search")
