"""The README on PyPI: its links to files of the project become absolute, since PyPI has only the one page."""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

HOME = "https://github.com/pairloom/pairloom/blob/main/"


def with_absolute_links(text: str) -> str:
    """The text with [docs](docs/options.md) linked to the file's page. Links with a scheme or to a heading stay."""
    return re.sub(r"\]\((?![a-z]+:|#)([^)]+)\)", rf"]({HOME}\1)", text)


class AbsoluteLinks(MetadataHookInterface):
    """Called by hatchling when it builds the package."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": with_absolute_links(text)}
