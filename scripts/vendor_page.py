"""Renew the packages of other people that the explorer's page uses, from npm (which has to be installed).

    python scripts/vendor_page.py     fetch the versions below and write them to src/pairloom/explorer/page/vendor

A browser runs the files as they are, without a bundler, so three things change on the way: package names in imports
become file names, regl becomes a module, and regl-scatterplot makes its style sheet in a way that a Content Security
Policy without inline styles allows. `vendor.json` records versions, licences and the SHA-256 of every file.
"""

import hashlib
import io
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import NamedTuple

VENDOR = Path(__file__).parents[1] / "src/pairloom/explorer/page/vendor"


class Package(NamedTuple):
    """One file of an npm package, and what is replaced in it: each old text occurs exactly once."""

    name: str
    version: str
    file: str
    changes: tuple[tuple[str, str], ...] = ()
    before: str = ""
    after: str = ""


PACKAGES = (
    Package(
        "regl-scatterplot",
        "1.16.0",
        "dist/regl-scatterplot.esm.js",
        (
            ("from 'pub-sub-es'", "from './pub-sub-es.js'"),
            ("from 'regl'", "from './regl.js'"),
            (
                "    const lassoStyleEl = document.createElement('style');\n"
                "    document.head.appendChild(lassoStyleEl);\n"
                "    cachedLassoStylesheets = lassoStyleEl.sheet;\n",
                "    cachedLassoStylesheets = new CSSStyleSheet();\n"
                "    document.adoptedStyleSheets.push(cachedLassoStylesheets);\n",
            ),
        ),
    ),
    Package("pub-sub-es", "3.0.0", "dist/index.js"),
    Package(
        "regl",
        "2.1.1",
        "dist/regl.min.js",
        before="const module = { exports: {} };\nconst exports = module.exports;\n",
        after="\nexport default module.exports;\n",
    ),
)

# What regl-scatterplot.js contains of others, by its package.json and theirs. Their licence texts go along.
BUNDLED = (
    ("@flekschas/utils", "0.33.0"),
    ("camera-2d-simple", "3.0.0"),
    ("dom-2d-camera", "2.2.6"),
    ("earcut", "3.0.2"),
    ("gl-matrix", "3.4.4"),
    ("kdbush", "4.1.0"),
    ("regl-line", "1.1.1"),
)


def main() -> int:
    if shutil.which("npm") is None:
        print("npm is missing. Install Node.js, which brings it, and run this again.", file=sys.stderr)
        return 2
    VENDOR.mkdir(parents=True, exist_ok=True)
    record = [_renew(package) for package in PACKAGES]
    (VENDOR / "vendor.json").write_text(json.dumps(record, indent=2) + "\n")
    return 0


def _renew(package: Package) -> dict[str, object]:
    """Write a package's module and licence. Returns its entry of vendor.json."""
    members = _fetch(package.name, package.version)
    described = json.loads(members["package/package.json"])
    module = _changed(members[f"package/{package.file}"].decode(), package).encode()
    licences = _licence(members)
    if package.name == "regl-scatterplot":
        licences += b"".join(
            f"\n\n---- {name} {version}, contained in this file ----\n\n".encode() + _licence(_fetch(name, version))
            for name, version in BUNDLED
        )
    files = {f"{package.name}.js": module, f"{package.name}.LICENSE": licences}
    for name, content in files.items():
        (VENDOR / name).write_bytes(content)
    return {
        "package": package.name,
        "version": described["version"],
        "license": described["license"],
        "source": package.file,
        "sha256": {name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
    }


def _licence(members: dict[str, bytes]) -> bytes:
    return next(content for name, content in members.items() if name.upper().startswith("PACKAGE/LICENSE"))


def _fetch(name: str, version: str) -> dict[str, bytes]:
    """The files of a package. npm checks its integrity."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["npm", "pack", "--silent", f"{name}@{version}"]
        packed = subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout.split()[-1]
        content = (Path(folder) / packed).read_bytes()
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        opened = {member.name: archive.extractfile(member) for member in archive if member.isfile()}
        return {name: file.read() for name, file in opened.items() if file}


def _changed(text: str, package: Package) -> str:
    for old, new in package.changes:
        if text.count(old) != 1:
            raise SystemExit(
                f"{package.name} {package.version} no longer has this text once: {old!r}. Is the change still needed?"
            )
        text = text.replace(old, new)
    return package.before + text + package.after


if __name__ == "__main__":
    sys.exit(main())
