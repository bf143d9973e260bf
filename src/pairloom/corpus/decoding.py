"""Files on the disk as blocks of decoded text, in bounded memory.

Three steps: find the files, undo the compression that their first bytes show, decode and cut. A block ends at a line
end, or at white space where so much text has no line end; the file's end is a line end.
"""

import codecs
import io
from collections.abc import Iterator
from typing import NamedTuple

from pairloom.config import MAX_WORD_BYTES
from pairloom.corpus.finding import BLOCK_BYTES, SourceFile
from pairloom.corpus.unpacking import unpacked_bytes
from pairloom.errors import InputError

MAX_RUN_BYTES = 64 << 20  # so much without any white space is not text


_STUB = 2 * MAX_WORD_BYTES  # what is held of a run without white space: enough to be known as too long

BLOCKS_OF_TEXT = 24_000_000  # read ahead, for each thread


class TextBlock(NamedTuple):
    """Lines that end in LF. Only the last one may go on in the next block."""

    text: str
    goes_on: bool
    read: int  # bytes of the file, as stored, read so far


# --- Finding


# --- Undoing compression


# --- Decoding


def _decoded(file: SourceFile, encoding: str, errors: str) -> Iterator[tuple[str, int]]:
    """The text of a file with every line end as LF, without its byte order mark."""
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder(encoding)(errors), translate=True)
    position = read = 0
    fresh = True
    for data, read in unpacked_bytes(file):
        if position == 0:
            _refuse_other_encodings(data, file.name, encoding)
        text = _decode(decoder, data, position, file, encoding)
        position += len(data)
        if fresh and text:
            text, fresh = text.removeprefix("\ufeff"), False
        yield text, read
    yield _decode(decoder, b"", position, file, encoding), read


def _decode(decoder: io.IncrementalNewlineDecoder, data: bytes, position: int, file: SourceFile, encoding: str) -> str:
    try:
        return decoder.decode(data, final=not data)
    except UnicodeDecodeError as error:
        held_over = len(error.object) - len(data)  # bytes of an unfinished character, from the chunk before
        at = position - held_over + error.start
        raise InputError(
            f"{file.name}, line {_line_number(file, encoding, at)}, byte {at}: "
            f"0x{error.object[error.start]:02x} is not valid {encoding}. If the text is in another encoding, name it "
            "(--encoding latin-1); or have such bytes replaced (--errors replace)."
        ) from None
    except UnicodeError as error:  # UTF-16 and UTF-32 without the mark that says which bytes come first
        raise InputError(
            f"{file.name} is not {encoding}: {error}. "
            f"Name the order of its bytes (--encoding {encoding}-le or {encoding}-be)."
        ) from None


def _line_number(file: SourceFile, encoding: str, position: int) -> int:
    """The line of a byte, counted from 1. Reads the file again: only an error asks for it."""
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder(encoding)("replace"), translate=True)
    line = 1
    for data, _ in unpacked_bytes(file):
        line += decoder.decode(data[:position]).count("\n")
        position -= len(data)
        if position <= 0:
            break
    return line


def _refuse_other_encodings(head: bytes, name: str, encoding: str) -> None:
    """UTF-16 and UTF-32 show by their byte order mark or by their many NULs; read as something else they are noise."""
    if codecs.lookup(encoding).name.startswith(("utf-16", "utf-32")):
        return
    looks = _wide_encoding(head)
    if looks is not None:
        raise InputError(f"{name} looks like {looks.upper()}, not {encoding}. Use --encoding {looks}.")
    if head.count(0) * 10 >= len(head) * 3 and len(head) >= 16:
        raise InputError(f"{name} is full of NUL bytes, so it is not text. Give a text file.")


def _wide_encoding(head: bytes) -> str | None:
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if len(head) < 16:
        return None
    half = len(head) // 2
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if odd > 0.6 * half and even < 0.05 * half:
        return "utf-16-le"
    if even > 0.6 * half and odd < 0.05 * half:
        return "utf-16-be"
    return None


# --- Cutting


def text_blocks(file: SourceFile, *, encoding: str, errors: str, whole_runs: bool) -> Iterator[TextBlock]:
    """A file's text in blocks. The last one never goes on.

    A run without white space that is longer than a block is a word too long to keep, so only its beginning is held,
    unless whole_runs asks for all of it (for tokenizers of languages without spaces).
    """
    rest, dropped, goes_on, read = "", 0, False, 0  # dropped: bytes of the run at the end of rest that are not held
    for text, read in _decoded(file, encoding, errors):
        rest += text
        cut = _last_break(rest)
        if cut > 0:
            goes_on = rest[cut - 1] != "\n"
            yield TextBlock(rest[:cut], goes_on, read)
            rest, dropped = rest[cut:], 0
        elif len(rest) > BLOCK_BYTES:
            dropped += 0 if whole_runs else _n_bytes(rest[_STUB:])
            rest = rest if whole_runs else rest[:_STUB]
            if dropped + _n_bytes(rest) > MAX_RUN_BYTES:
                raise InputError(
                    f"{file.name} has {MAX_RUN_BYTES >> 20} MB without any white space, so it is not text. "
                    "Words must be separated by white space."
                )
    if rest or goes_on:
        yield TextBlock(rest, False, read)


def _last_break(text: str) -> int:
    """The position after the last line end, or in a long text without any after the last white space, or else 0."""
    end = text.rfind("\n") + 1
    if end > 0 or len(text) <= BLOCK_BYTES:
        return end
    if text[-1].isspace():
        return len(text)
    return len(text) - len(text.rsplit(None, 1)[-1])


def _n_bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
