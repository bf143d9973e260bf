"""Files of Word2Vec and KeyedVectors: pairloom's native one, and word2vec's. Never a pickle.

gensim's own `save` writes a pickle, which can run any code when it is loaded. Such a file is refused, with the lines
that turn it into one that anybody can read.
"""

import os
from io import BytesIO
from typing import Any, cast

import numpy as np

from pairloom.config import Errors
from pairloom.corpus.lists import opened
from pairloom.corpus.vocabulary import counted_lines
from pairloom.errors import InputError
from pairloom.formats import load, save
from pairloom.formats.write_word2vec import write_binary, write_text
from pairloom.preparing.phrases import Phrases
from pairloom.system.files import atomic_write
from pairloom.types import PathName
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.vectors import Vectors


def load_any(path: PathName) -> Embedding:
    """A file that `pairloom.load` reads. For a pickle, the error says how gensim converts it."""
    try:
        return load(path)
    except InputError as error:
        if "a Python pickle" not in str(error):
            raise
        name = os.fspath(path)
        raise InputError(
            f"{name} was saved by gensim as a pickle, which can run any code when it is loaded, so it is refused. "
            f"Convert it where gensim is: gensim.models.Word2Vec.load({name!r}).wv.save_word2vec_format("
            f"{name + '.bin'!r}, binary=True), for KeyedVectors without .wv"
        ) from None


def load_phrases(path: PathName) -> Phrases:
    """A file of phrases. For a pickle, the error says how to go on."""
    try:
        return Phrases.load(path)
    except InputError as error:
        if "not valid UTF-8" not in str(error):
            raise
        raise InputError(
            f"{os.fspath(path)} is not a file of phrases of pairloom. If gensim saved it, it is a pickle, which can "
            "run any code when it is loaded, so it is refused. Learn the phrases again: that takes seconds."
        ) from None


def save_native(vectors: Vectors, path: PathName, record: dict[str, Any] | None = None) -> None:
    """Write words without contexts to a native file, whatever its suffix."""
    save(Embedding.of_words(vectors, record), path, "loom")


def read_word2vec(
    path: PathName,
    *,
    fvocab: PathName | None = None,
    binary: bool = False,
    unicode_errors: str = "strict",
    limit: int | None = None,
    no_header: bool = False,
) -> Vectors:
    """Read one of word2vec's formats as leniently as gensim does, with counts from fvocab if there is one."""
    format = "bin" if binary else "glove" if no_header else "text"
    errors = cast(Errors, unicode_errors)
    vectors = load(path, limit, format=format, errors=errors, lenient=True).words  # type: ignore[arg-type]
    if fvocab is None:
        return vectors
    counts = _counts(os.fspath(fvocab), unicode_errors)
    return Vectors(vectors.words, vectors.vectors, np.array([counts.get(word, 0) for word in vectors.words], np.int64))


def _counts(path: str, unicode_errors: str) -> dict[str, int]:
    """The words of a file of `word count` lines, decoded like those of the vectors."""
    with opened(path, "Give a file of `word count` lines.") as file:
        lines = BytesIO(file.read().decode("utf-8", unicode_errors).encode()) if unicode_errors != "strict" else file
        return {word: n for _, word, n in counted_lines(lines, path)}


def write_word2vec(
    vectors: Vectors, path: PathName, *, fvocab: PathName | None, binary: bool, header: bool, prefix: str
) -> None:
    """Write one of word2vec's formats, frequent words first, and words with their counts to fvocab."""
    order = np.argsort(-vectors.counts, kind="stable")
    words = [prefix + vectors.words[row] for row in order.tolist()]
    counts = vectors.counts[order]
    ordered = Vectors(words, vectors.vectors[order], counts)
    if binary and not header:
        raise InputError("write_header=False is for text: a binary file needs its first line. Leave out one of them.")
    if binary:
        write_binary(ordered, path, newline=False)
    else:
        write_text(ordered, path, header)
    if fvocab is not None:
        with atomic_write(fvocab) as file:
            file.writelines(f"{word} {n}\n".encode() for word, n in zip(words, counts.tolist(), strict=True))
