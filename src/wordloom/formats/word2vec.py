"""word2vec's own two layouts, which nearly every other program reads: a line `V D`, then each word with D numbers.

text    the word, then D times a space and a number, then a line feed
binary  the word, a space, D little-endian float32, a line feed

Neither can carry a word with white space in it, nor contexts, counts or a record.
"""

import os
from collections.abc import Iterable, Iterator

from wordloom.errors import InputError
from wordloom.files import atomic_write
from wordloom.vectors import Vectors


def write_text(vectors: Vectors, path: str | os.PathLike[str]) -> None:
    """Write the text layout (`.vec`, `.txt`). Nine digits are enough to give back every float32 exactly."""
    words = _checked_words(vectors)
    line = b"%b" + b" %.9g" * vectors.dim + b"\n"
    _write(vectors, path, (line % (word, *row.tolist()) for word, row in zip(words, vectors.vectors, strict=True)))


def write_binary(vectors: Vectors, path: str | os.PathLike[str]) -> None:
    """Write the binary layout (`.bin`), with the line feed after each row that the C program writes."""
    words = _checked_words(vectors)
    rows = (row.astype("<f4", copy=False).tobytes() for row in vectors.vectors)
    _write(vectors, path, (b"%b %b\n" % (word, row) for word, row in zip(words, rows, strict=True)))


def _checked_words(vectors: Vectors) -> Iterator[bytes]:
    """The words as UTF-8, once nothing is left that would make a file that cannot be read back."""
    for word in vectors.words:
        if word.split() != [word]:
            raise InputError(
                f"The word {word!r} is empty or has white space in it, which word2vec's formats use between words. "
                "Save as .loom, or rename it, for instance with '_' for the space."
            )
    return vectors.encoded_words()


def _write(vectors: Vectors, path: str | os.PathLike[str], rows: Iterable[bytes]) -> None:
    with atomic_write(path) as file:
        file.write(b"%d %d\n" % (len(vectors), vectors.dim))
        file.writelines(rows)
