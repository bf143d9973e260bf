"""Decode a file and cut its text into blocks, in bounded memory.

The last of three steps from a path to text, after `finding.py` and `unpacking.py`. A block of text ends at a line end.
If a whole block has no line end, it ends at white space instead. The end of a file counts as a line end.
"""

import codecs
import io
import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from pairloom.config import MAX_WORD_BYTES
from pairloom.corpus.finding import BLOCK_BYTES, SourceFile
from pairloom.corpus.guessing import guessed_encoding, is_mostly_utf8, other_byte_order, wide_encoding
from pairloom.corpus.unpacking import unpacked_bytes
from pairloom.errors import CorpusChangedError, InputError

MAX_UNSPACED_BYTES = 64 << 20  # a file with more than this between two white spaces is not text
READ_AHEAD_BYTES = 24_000_000  # memory for text that is read but not yet used, for each thread

_REPLACE = "replace invalid bytes (--errors replace)"
_ESCAPE = re.compile(rb"\x1b\$[@B]")
_BYTE_ORDER_MARK = "\ufeff".encode()
_STUB = 2 * MAX_WORD_BYTES  # characters kept of an endless word: enough to see that it is too long


class TextBlock(NamedTuple):
    """Some lines of a file, which end in LF. Only the last one may go on in the next block."""

    text: str
    goes_on: bool
    read: int  # bytes of the file, as stored, read so far


class ByteBlock(NamedTuple):
    """A `TextBlock` as UTF-8."""

    data: bytes
    goes_on: bool
    read: int


def text_blocks(file: SourceFile, *, encoding: str, errors: str, keep_unspaced: bool) -> Iterator[TextBlock]:
    """The text of a file, block by block. The last block never goes on.

    Text without white space that is longer than a block is a word too long to keep, so only its start is held in
    memory. With `keep_unspaced` all of it is held, for tokenizers of languages that write no spaces.
    """
    rest, dropped, goes_on, read = "", 0, False, file.begin  # dropped: bytes that belong after `rest` but were not kept
    for text, read in _decoded(file, encoding, errors):
        rest += text
        cut = _last_break(rest)
        if cut > 0:
            goes_on = rest[cut - 1] != "\n"
            yield TextBlock(rest[:cut], goes_on, read)
            rest, dropped = rest[cut:], 0
        elif len(rest) > BLOCK_BYTES:
            dropped += 0 if keep_unspaced else _n_bytes(rest[_STUB:])
            rest = rest if keep_unspaced else rest[:_STUB]
            if dropped + _n_bytes(rest) > MAX_UNSPACED_BYTES:
                raise InputError(
                    f"{file.name} has {MAX_UNSPACED_BYTES >> 20} MB without any white space, so it is not text. "
                    "Words must be separated by white space."
                )
    if rest or goes_on:
        yield TextBlock(rest, False, read)


def byte_blocks(file: SourceFile, *, encoding: str, errors: str, keep_unspaced: bool) -> Iterator[ByteBlock]:
    """The text of `text_blocks` as UTF-8. Files in UTF-8 are checked, but neither decoded nor encoded.

    Blocks may be cut at other places than those of `text_blocks`.
    """
    if codecs.lookup(encoding).name == "utf-8" and errors == "strict":
        return _checked_blocks(file, keep_unspaced)
    return _encoded(text_blocks(file, encoding=encoding, errors=errors, keep_unspaced=keep_unspaced))


def _encoded(blocks: Iterator[TextBlock]) -> Iterator[ByteBlock]:
    return (ByteBlock(text.encode(), goes_on, read) for text, goes_on, read in blocks)


def _checked_blocks(file: SourceFile, keep_unspaced: bool) -> Iterator[ByteBlock]:
    """Cut after a line end or, in a long line, after a space. Text with neither is left to `text_blocks`."""
    rest, taken, goes_on, read = b"", file.begin, False, file.begin  # taken: where `rest` begins in the file
    for data, read in unpacked_bytes(file):
        if taken == 0 and not rest:
            _refuse_other_encodings(data, file, "utf-8")
        cut = data.rfind(b"\n") + 1
        if cut == 0 and len(rest) + len(data) > BLOCK_BYTES:
            cut = data.rfind(b" ") + 1
            if cut == 0:
                yield from _unspaced_blocks(file, taken, keep_unspaced)
                return
        if cut > 0:
            block = b"".join((rest, memoryview(data)[:cut]))
            goes_on = not block.endswith(b"\n")
            yield ByteBlock(_checked(block, file, taken, keep_unspaced), goes_on, read)
            rest, taken = b"", taken + len(block)
        rest += data[cut:]
    if (last := _checked(rest, file, taken, keep_unspaced)) or goes_on:
        yield ByteBlock(last, False, read)


def _unspaced_blocks(file: SourceFile, begin: int, keep_unspaced: bool) -> Iterator[ByteBlock]:
    try:
        blocks = text_blocks(replace(file, begin=begin), encoding="utf-8", errors="strict", keep_unspaced=keep_unspaced)
        yield from _encoded(blocks)
    except InputError:
        _raise_error(file, keep_unspaced)
        raise


def _checked(block: bytes, file: SourceFile, begin: int, keep_unspaced: bool) -> bytes:
    """A block that begins at this byte of a file, with every line end as LF and without the byte order mark."""
    try:
        _ = block.isascii() or block.decode()
    except UnicodeDecodeError:
        _raise_error(file, keep_unspaced)
        raise CorpusChangedError(
            f"{file.name} was changed while it was read. Start again when nothing writes to it."
        ) from None
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return block if begin else block.removeprefix(_BYTE_ORDER_MARK)


def _raise_error(file: SourceFile, keep_unspaced: bool) -> None:
    """Raise the error of `text_blocks` for this file: it names the line, which takes reading from the beginning."""
    for _ in text_blocks(file, encoding="utf-8", errors="strict", keep_unspaced=keep_unspaced):
        pass


def _last_break(text: str) -> int:
    """The position after the last line end. Long text without one: after the last white space, or else 0."""
    end = text.rfind("\n") + 1
    if end > 0 or len(text) <= BLOCK_BYTES:
        return end
    if text[-1].isspace():
        return len(text)
    return len(text) - len(text.rsplit(None, 1)[-1])


def _n_bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


# --- Decoding


def _decoded(file: SourceFile, encoding: str, errors: str) -> Iterator[tuple[str, int]]:
    """The text of a file, with every line end as LF and without the byte order mark."""
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder(encoding)(errors), translate=True)
    position = read = file.begin
    fresh = position == 0
    for data, read in unpacked_bytes(file):
        if position == 0:
            _refuse_other_encodings(data, file, encoding)
        text = _decode(decoder, data, position, file, encoding)
        position += len(data)
        if fresh and text:
            text, fresh = text.removeprefix("\ufeff"), False
        yield text, read
    yield _decode(decoder, b"", position, file, encoding), read


def _decode(decoder: io.IncrementalNewlineDecoder, data: bytes, position: int, file: SourceFile, encoding: str) -> str:
    try:
        return decoder.decode(data, final=not data)
    except UnicodeError as error:
        if not isinstance(error, UnicodeDecodeError) or error.reason.endswith("BOM"):  # the latter since Python 3.13
            found = wide_encoding(data) or f"{encoding}-le or {encoding}-be"
            raise InputError(
                f"{file.name} is not {encoding}: it has no byte order mark. Name its byte order (--encoding {found})."
            ) from None
        held_over = len(error.object) - len(data)  # bytes of an unfinished character, from the read before
        at = position - held_over + error.start
        where = f"{file.name}, line {_line_number(file, encoding, at)}, byte {at}"
        if not data:
            raise InputError(
                f"{where}: it ends within a character of {encoding}, so it was cut short or is of another encoding. "
                f"Get or make it again, name its encoding (--encoding), or {_REPLACE}."
            ) from None
        problem = f"0x{error.object[error.start]:02x} is not valid {encoding}"
        raise InputError(f"{where}: {problem}. {_advice(error, encoding, file)}") from None


def _advice(error: UnicodeDecodeError, encoding: str, file: SourceFile) -> str:
    """What to do about invalid bytes, as far as the bytes around them show it."""
    if codecs.lookup(encoding).name.startswith("utf-8") and is_mostly_utf8(error.object):
        return f"Most of it is UTF-8, so the file is damaged here. Get or make it again, or {_REPLACE}."
    found = guessed_encoding(error.object, error.start)
    if found is None:
        return f"Find out its encoding (`file -i` may know it) and name it (--encoding), or {_REPLACE}."
    return f"It looks like {found}: {_use(found, encoding, file)}"


def _use(found: str, encoding: str, file: SourceFile) -> str:
    """All files are read in one encoding, so one file that differs must be converted."""
    if file.alone:
        return f"use --encoding {found}."
    if found == "utf-8":
        return "use --encoding utf-8, and convert the other files to it if they are not."
    return (
        f"use --encoding {found}. If other files are not, convert them all to utf-8 into another folder, for example: "
        f"iconv -f {iconv_name(found)} -t utf-8 {shlex.quote(file.name)} > FOLDER/{shlex.quote(Path(file.name).name)}"
    )


def iconv_name(encoding: str) -> str:
    """What iconv calls an encoding.

    >>> iconv_name("utf-16-le"), iconv_name("EUC_KR"), iconv_name("latin-1")
    ('utf-16le', 'euc-kr', 'iso8859-1')
    """
    return re.sub(r"^(utf-\d+)-", r"\1", codecs.lookup(encoding).name.replace("_", "-"))


def _line_number(file: SourceFile, encoding: str, position: int) -> int:
    """The number of the line that holds a byte, from 1. Reads the file again, which is fine for an error message."""
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder(encoding)("replace"), translate=True)
    line = 1
    for data, _ in unpacked_bytes(file):
        line += decoder.decode(data[:position]).count("\n")
        position -= len(data)
        if position <= 0:
            break
    return line


def _refuse_other_encodings(head: bytes, file: SourceFile, encoding: str) -> None:
    """Refuse UTF-16, UTF-32 and binary data, which their byte order marks or NULs show, and ASCII read as UTF-16; and
    ISO-2022-JP.

    UTF-16 in the other byte order is refused too: most of it is valid, and looks like Chinese.
    """
    named_wide = codecs.lookup(encoding).name.startswith(("utf-16", "utf-32"))
    if not named_wide:
        looks = wide_encoding(head) or _with_escapes(head, encoding)
    else:
        looks = "utf-8" if _is_long_ascii(head) else other_byte_order(head, encoding)
    if looks is not None:
        raise InputError(f"{file.name} looks like {looks.upper()}, not {encoding}: {_use(looks, encoding, file)}")
    if not named_wide and head.count(0) * 10 >= len(head) * 3 and len(head) >= 16:
        raise InputError(f"{file.name} is full of NUL bytes, so it is not text. Give a text file.")


def _with_escapes(head: bytes, encoding: str) -> str | None:
    """iso-2022-jp, which is valid ASCII, if the head changes to its characters and another encoding was named."""
    escaped = _ESCAPE.search(head) and not codecs.lookup(encoding).name.startswith("iso2022")
    return "iso-2022-jp" if escaped else None


def _is_long_ascii(head: bytes) -> bool:
    """Whether these bytes are ASCII, where UTF-16 of any language would have had a NUL or a byte beyond ASCII."""
    return len(head) >= 16 and head.isascii() and 0 not in head
