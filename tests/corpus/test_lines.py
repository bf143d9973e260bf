"""Lines of files, as text and as bytes."""

from pathlib import Path

import pytest

from pairloom.config import TextOptions
from pairloom.corpus.lines import LineFiles


@pytest.mark.parametrize("lowercase", [False, True])
def test_lines_as_bytes_are_those_of_the_text(lowercase: bool, tmp_path: Path) -> None:
    (tmp_path / "1").write_text("A b\n\nÉ d\n", "utf-8")
    (tmp_path / "2").write_text("E F\n", "utf-8")
    files = LineFiles([tmp_path / "1", tmp_path / "2"], TextOptions(lowercase=lowercase))
    as_text = "".join(f"{line}\n" for block in files.blocks() for line in block.lines)
    blocks = list(files.byte_blocks())
    assert b"".join(block.data for block in blocks) == as_text.encode()
    assert ("é" in as_text) is lowercase
    assert blocks[-1].done == files.size_bytes
