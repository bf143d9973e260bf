"""The whole lines of a text file, however long, for formats that have a record on a line."""

from collections.abc import Iterator

from pairloom.config import TextOptions
from pairloom.corpus.decoding import MAX_UNSPACED_BYTES, text_blocks
from pairloom.corpus.finding import SourceFile
from pairloom.errors import InputError


def line_blocks(file: SourceFile, text: TextOptions) -> Iterator[tuple[list[str], int]]:
    """The lines of a file without their ends, many at a time, each time with the bytes read so far."""
    held: list[str] = []  # the parts of a line that goes on in the next block
    for block in text_blocks(file, encoding=text.encoding, errors=text.errors, keep_unspaced=True):
        *lines, last = block.text.split("\n")
        if lines:
            lines[0], held = "".join([*held, lines[0]]), []
        held.append(last)
        if sum(map(len, held)) > MAX_UNSPACED_BYTES:
            raise InputError(
                f"{file.name} has a line of more than {MAX_UNSPACED_BYTES >> 20} MB. "
                "Check that each record has a line of its own."
            )
        if lines:
            yield lines, block.read
    if any(held):
        yield ["".join(held)], file.size
