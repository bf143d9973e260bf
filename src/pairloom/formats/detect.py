"""Detecting the format of a file by its content. Its name does not help: `.bin` is the suffix of three formats.

In this order, after unpacking gzip:

fasttext  the first four bytes are fastText's number, or the first 76 are plausible as its arguments and sizes
loom      a length in eight bytes, less than 2^24, then the brace that opens a header of JSON
parquet   the first five bytes are PAR1 and 0x15
text      a first line of two whole numbers, V and D, then a line that ends in D numbers, or other readable text
bin       the same first line, then anything else
glove     a first line that ends in numbers
"""

import codecs
import re
import struct
from typing import NamedTuple

from pairloom.errors import Fault
from pairloom.formats.opening import GET_AGAIN, open_vector_file
from pairloom.types import PathName

HEAD = 1 << 18  # bytes to look at: enough for a line of text with 10,000 numbers
FASTTEXT_MAGIC = (793712314).to_bytes(4, "little")

_PARQUET = b"PAR1\x15"  # then a number, as the header of the first page and the footer begin
_MAX_JSON = 1 << 24
_MAX_DIM = 1 << 20
_ARGUMENTS = struct.Struct("<12id3iq")  # of fastText, with the sizes of its dictionary
_HEADER = re.compile(rb"(?:\xef\xbb\xbf)?([+-]?[0-9]{1,18})[ \t]+([+-]?[0-9]{1,18})[ \t]*\r?(?:\n|\Z)")
_CONTROLS = bytes(range(9)) + bytes(range(14, 32))
_PICKLE = "a Python pickle, which could run any code: load it where it was made, and call save_word2vec_format"
_FOREIGN = {
    b"PK\x03\x04": "a zip archive: unpack it, and load what is in it",
    b"BZh": "packed by bzip2: unpack it first, or pack it with gzip",
    b"\xfd7zXZ": "packed by xz: unpack it first, or pack it with gzip",
    b"\x28\xb5\x2f\xfd": "packed by zstd: unpack it first, or pack it with gzip",
    b"PAR1": "a damaged Parquet file: get or make it again",
    b"\x89HDF": "an HDF5 file: save its vectors in word2vec's format",
    **{bytes([0x80, protocol]): _PICKLE for protocol in range(2, 6)},
}


class Header(NamedTuple):
    """The first line of word2vec's formats."""

    rows: int
    dim: int
    length: int  # bytes, with the line feed


def format_at(path: PathName) -> str:
    """The name of the format of a file."""
    with open_vector_file(path) as source:
        return format_of(source.stream.read(HEAD))


def format_of(head: bytes) -> str:
    """The name of the format that begins with these bytes."""
    if not head:
        raise Fault(f"it is empty. {GET_AGAIN}")
    if head.startswith(FASTTEXT_MAGIC) or is_first_fasttext(head):
        return "fasttext"
    if head[8:9] == b"{" and int.from_bytes(head[:8], "little") < _MAX_JSON:
        return "loom"
    if head.startswith(_PARQUET):
        return "parquet"
    header = header_of(head)
    if header is not None:
        return "text" if is_text(head[header.length :], header.dim) else "bin"
    if n_numbers(first_line(head)):
        return "glove"
    for magic, what in _FOREIGN.items():  # last, since a word of text may begin with these bytes
        if head.startswith(magic):
            raise Fault(f"it is {what}.")
    raise Fault(
        "its first bytes do not match any format that pairloom reads: its own, word2vec's text and binary, GloVe's, "
        "fastText's .vec and .bin, and Parquet. If you know that it is one of them, name it by format= (pairloom "
        "convert --from)."
    )


def is_first_fasttext(head: bytes) -> bool:
    """Whether a file may be of fastText's first layout, which begins with the arguments of a training.

    They are followed by the sizes of the dictionary. Whole numbers of 0 or more, a known model and loss, a threshold
    from 0 to 1 and sizes that add up: by chance no other file has all of this.
    """
    if len(head) < _ARGUMENTS.size:
        return False
    *whole, threshold, entries, words, labels, tokens = _ARGUMENTS.unpack_from(head)
    dim, window, *_, loss, model, _, _, _, _ = whole
    return (
        min(*whole, words, labels, tokens) >= 0
        and 0 < dim <= _MAX_DIM
        and window > 0
        and loss in (1, 2, 3)
        and model in (1, 2, 3)
        and 0.0 <= threshold <= 1.0
        and entries == words + labels
    )


def header_of(head: bytes) -> Header | None:
    """The first line, or None unless it is two whole numbers."""
    match = _HEADER.match(head)
    return None if match is None else Header(int(match[1]), int(match[2]), match.end())


def is_text(rows: bytes, dim: int) -> bool:
    """Whether rows of `dim` numbers that begin with these bytes are text.

    Damaged text counts as text: bytes of float32 are hardly ever UTF-8 without control characters.
    """
    return n_numbers(first_line(rows)) >= dim or _is_plain(rows)


def _is_plain(data: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data)  # incremental: the last letter may be cut
    except UnicodeDecodeError:
        return False
    return data.translate(None, _CONTROLS) == data


def first_line(data: bytes) -> bytes:
    """The bytes before the first line feed."""
    return data.partition(b"\n")[0]


def n_numbers(line: bytes) -> int:
    """The number of numbers at the end of a line, after at least one field for the word."""
    fields = line.split()
    n = 0
    while n < len(fields) - 1 and is_number(fields[-1 - n]):
        n += 1
    return n


def is_number(field: bytes) -> bool:
    """Whether a field is a number as C and Python write it. (Python also reads 1_000.)"""
    try:
        float(field)
    except ValueError:
        return False
    return b"_" not in field
