"""The files of other people are those that `scripts/vendor_page.py` fetched, and their licences go along."""

import hashlib
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from pairloom import explorer

ROOT = Path(__file__).parents[2]
VENDOR = Path(explorer.__file__).parent / "page/vendor"
RECORD = json.loads((VENDOR / "vendor.json").read_text())


@pytest.mark.parametrize("entry", RECORD, ids=lambda entry: entry["package"])
def test_files_have_the_recorded_digests(entry):
    found = {name: hashlib.sha256((VENDOR / name).read_bytes()).hexdigest() for name in entry["sha256"]}
    assert found == entry["sha256"]


def test_every_file_is_recorded():
    recorded = {name for entry in RECORD for name in entry["sha256"]}
    assert {path.name for path in VENDOR.iterdir()} == recorded | {"vendor.json", "README.md"}


@pytest.mark.parametrize("entry", RECORD, ids=lambda entry: entry["package"])
def test_versions_are_those_of_the_script_and_licences_are_kept(entry):
    script = (ROOT / "scripts/vendor_page.py").read_text()
    assert re.search(rf'"{entry["package"]}",\s*"{re.escape(entry["version"])}"', script)
    assert entry["license"] == "MIT"
    assert "Permission is hereby granted" in (VENDOR / f"{entry['package']}.LICENSE").read_text()


def test_imports_are_of_files_beside_them():
    for path in VENDOR.glob("*.js"):
        assert set(re.findall(r"^import .* from '([^']+)'", path.read_text(), re.M)) <= {"./regl.js", "./pub-sub-es.js"}


def test_the_wheel_has_the_page(tmp_path):
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", tmp_path]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        packed = {name.removeprefix("pairloom/explorer/page/") for name in wheel.namelist()}
    page = VENDOR.parent
    assert {path.relative_to(page).as_posix() for path in page.rglob("*") if path.is_file()} <= packed
