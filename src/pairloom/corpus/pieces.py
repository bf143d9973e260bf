"""Cut the files of a corpus into pieces that can be read apart, by several machines.

A piece is a whole file, or some lines of a large one. The end of a file is a line end, and a cut is always made after a
line end, so the sentences of a corpus are those of its pieces, one piece after the other:

    a.txt, 150 MB     three pieces, cut after the first line ends beyond 64 and 128 MB
    b.txt.gz          one piece: a compressed file can only be read from its beginning
    c.txt, UTF-16     one piece: a byte 0x0A may be half of a character
"""

import codecs
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from pairloom.config import TextOptions
from pairloom.corpus.decoding import ByteBlock, TextBlock, byte_blocks, text_blocks
from pairloom.corpus.finding import SourceFile
from pairloom.corpus.inputs.arrow_rows import check_not_arrow
from pairloom.corpus.plain_text import check_plain_text
from pairloom.corpus.unpacking import is_compressed

NUL, REPLACEMENT = "\0", "\ufffd"  # the latter stands where bytes were invalid, with errors="replace"
PIECE_BYTES = 64 << 20  # half a second of counting: few pieces to manage, and enough for many workers
_SEARCHED_BYTES = 1 << 20  # for a line end after each place where a cut would be good


OddCharacters = Mapping[str, int]  # how often some text has each character that may be damage


class TextPiece(NamedTuple):
    """A file of a corpus, or some lines of one, and how to read it."""

    file: SourceFile
    text: TextOptions
    before: int  # bytes of the files before this one

    def blocks(self, plain: bool, keep_unspaced: bool) -> Iterator[tuple[TextBlock, OddCharacters]]:
        """Blocks of text, each with its odd characters. `read` counts the bytes of the corpus so far.

        plain: refuse a file that is in another format than plain text. keep_unspaced: see `text_blocks`.
        """
        file, text = self.file, self.text
        plain &= file.begin == 0
        if plain:
            check_not_arrow(file)
        blocks = text_blocks(file, encoding=text.encoding, errors=text.errors, keep_unspaced=keep_unspaced)
        for number, block in enumerate(blocks):
            if plain and number == 0:
                check_plain_text(block.text, file, text.encoding, spaced=text.rule == "spaces")
            # `in` is ten times as fast as `count`, if there are none
            odd = {character: block.text.count(character) for character in self._odd if character in block.text}
            content = block.text.lower() if text.lowercase else block.text
            yield TextBlock(content, block.goes_on, self.before + block.read), odd

    def utf8_blocks(self, plain: bool, keep_unspaced: bool) -> Iterator[tuple[ByteBlock, OddCharacters]]:
        """`blocks` as UTF-8. Faster, unless it has to be put into lower case."""
        file, text = self.file, self.text
        if text.lowercase:
            for (content, goes_on, read), odd in self.blocks(plain, keep_unspaced):
                yield ByteBlock(content.encode(), goes_on, read), odd
            return
        plain &= file.begin == 0
        if plain:
            check_not_arrow(file)
        odd_bytes = {character: character.encode() for character in self._odd}
        blocks = byte_blocks(file, encoding=text.encoding, errors=text.errors, keep_unspaced=keep_unspaced)
        for number, block in enumerate(blocks):
            if plain and number == 0:
                check_plain_text(block.data.decode(), file, text.encoding, spaced=text.rule == "spaces")
            odd = {character: block.data.count(code) for character, code in odd_bytes.items() if code in block.data}
            yield block._replace(read=self.before + block.read), odd

    @property
    def _odd(self) -> str:
        return NUL + REPLACEMENT if self.text.errors == "replace" else NUL

    @property
    def size(self) -> int:
        """Its bytes, as stored."""
        return (self.file.size if self.file.end is None else self.file.end) - self.file.begin

    def whole_file(self) -> "TextPiece":
        """The file that this is a piece of."""
        return self._replace(file=replace(self.file, begin=0, end=None))


def whole_files(files: Sequence[SourceFile], text: TextOptions) -> Iterator[TextPiece]:
    """Each file as one piece."""
    before = 0
    for file in files:
        yield TextPiece(file, text, before)
        before += file.size


def pieces_for_workers(files: Sequence[SourceFile], text: TextOptions) -> list[TextPiece]:
    """Pieces of about PIECE_BYTES with absolute paths and with samples, so that workers can recognise the files."""
    pieces: list[TextPiece] = []
    for piece in whole_files(files, text):
        piece.file.sample()
        file = replace(piece.file, path=Path(os.path.abspath(piece.file.path)))  # noqa: PTH100 (keeps links as they are)
        edges = [0, *_cuts(file, text.encoding), None]
        pieces += [piece._replace(file=replace(file, begin=begin or 0, end=end)) for begin, end in pairwise(edges)]
    return pieces


def grouped(pieces: Iterable[TextPiece]) -> list[list[TextPiece]]:
    """Neighbouring pieces of at most PIECE_BYTES together: thousands of small files are not as many tasks."""
    groups: list[list[TextPiece]] = []
    size = 0
    for piece in pieces:
        if not groups or size + piece.size > PIECE_BYTES:
            groups.append([])
            size = 0
        groups[-1].append(piece)
        size += piece.size
    return groups


def _cuts(file: SourceFile, encoding: str) -> list[int]:
    """Positions after line ends, about PIECE_BYTES apart. None where a line is very long. Reads little of the file."""
    cuts: list[int] = []
    if file.size <= PIECE_BYTES or codecs.lookup(encoding).name != "utf-8":
        return cuts
    with file.path.open("rb") as raw:
        if is_compressed(raw.read(16)):
            return cuts
        for place in range(PIECE_BYTES, file.size, PIECE_BYTES):
            raw.seek(place)
            found = raw.read(min(PIECE_BYTES, _SEARCHED_BYTES)).find(b"\n") + 1
            cuts += [place + found] if 0 < found < file.size - place else []
    return cuts
