"""The files of the page, read once: requests look them up in a table, and no request ever becomes a path."""

import gzip
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent / "page"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".json": "application/json",
    ".txt": "text/plain; charset=utf-8",
}


class PageFile(NamedTuple):
    """A file of the page, also compressed."""

    content: bytes
    packed: bytes
    media_type: str
    tag: str  # its ETag


def page_files(folder: Path = FOLDER) -> dict[str, PageFile]:
    """The files by URL. `index.html` is at `/`, too. Files of other types, for example licences, are left out."""
    files = {
        f"/{path.relative_to(folder).as_posix()}": _page_file(path)
        for path in sorted(folder.rglob("*"))
        if path.suffix in TYPES and path.is_file()
    }
    return {"/": files["/index.html"], **files} if "/index.html" in files else files


def _page_file(path: Path) -> PageFile:
    content = path.read_bytes()
    return PageFile(
        content, gzip.compress(content, mtime=0), TYPES[path.suffix], f'"{sha256(content).hexdigest()[:32]}"'
    )
