"""Writing word2vec's two formats, which nearly every program reads: a line `V D`, then each word with D numbers.

text    the word, then D times a space and a number, then a line feed; GloVe's is the same without the first line
binary  the word, a space, D little-endian float32, a line feed

Neither can hold a word with white space in it, nor contexts, counts or a record. Paths that end in .gz are packed.
"""

from collections.abc import Iterator
from itertools import chain

from pairloom.errors import InputError
from pairloom.system.files import packed_write
from pairloom.types import PathName
from pairloom.vectors.vectors import Vectors


def write_text(vectors: Vectors, path: PathName, header: bool = True) -> None:
    """Write the text format (`.vec`, `.txt`). Nine digits are enough to restore every float32 exactly."""
    lines = text_lines(vectors, header)
    with packed_write(path) as file:
        file.writelines(lines)


def text_lines(vectors: Vectors, header: bool = True) -> Iterator[bytes]:
    """The lines of the text format. All words are checked before the first line."""
    words = writable_words(vectors)
    line = b"%b" + b" %.9g" * vectors.dim + b"\n"
    rows = (line % (word, *row.tolist()) for word, row in zip(words, vectors.vectors, strict=True))
    return chain([_first_line(vectors)] if header else [], rows)


def write_binary(vectors: Vectors, path: PathName, newline: bool = True) -> None:
    """Write the binary format (`.bin`), with a line feed after each row as in word2vec.c, or without as in gensim."""
    words = writable_words(vectors)
    end = b"\n" if newline else b""
    rows = (row.astype("<f4", copy=False).tobytes() for row in vectors.vectors)
    with packed_write(path) as file:
        file.write(_first_line(vectors))
        file.writelines(b"%b %b%b" % (word, row, end) for word, row in zip(words, rows, strict=True))


def writable_words(vectors: Vectors) -> Iterator[bytes]:
    """The words as UTF-8. Raises an InputError if a file with them could not be read back."""
    for word in vectors.words:
        if word.split() != [word]:
            raise InputError(
                f"The word {word!r} is empty or has white space in it, which word2vec's formats use between words. "
                "Save as .loom, or rename it, for example with '_' for the space."
            )
    return vectors.encoded_words()


def _first_line(vectors: Vectors) -> bytes:
    return b"%d %d\n" % (len(vectors), vectors.dim)
