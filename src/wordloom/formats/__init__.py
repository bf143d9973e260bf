"""Files of vectors. The suffix of a path says its format; docs/formats.md says what is in each.

.loom .safetensors   the native format: all of an embedding, checksummed, memory-mapped on load
.bin                 word2vec's binary format: the words and their vectors only
.vec .txt            word2vec's text format: the same
"""

import os
from collections.abc import Callable
from pathlib import Path

from wordloom.errors import InputError
from wordloom.files import check_folder
from wordloom.formats import native, word2vec
from wordloom.vectors import Embedding

_NATIVE = (".loom", ".safetensors")
_WRITERS: dict[str, Callable[[Embedding, str | os.PathLike[str]], None]] = {
    ".loom": native.save,
    ".safetensors": native.save,
    ".bin": lambda embedding, path: word2vec.write_binary(embedding.words, path),
    ".vec": lambda embedding, path: word2vec.write_text(embedding.words, path),
    ".txt": lambda embedding, path: word2vec.write_text(embedding.words, path),
}


def save(embedding: Embedding, path: str | os.PathLike[str]) -> None:
    """Write an embedding in the format of the path's suffix; what stood there before stays until all is written."""
    check_output(path)
    _WRITERS[_suffix(path)](embedding, path)


def load(path: str | os.PathLike[str], verify: bool = True) -> Embedding:
    """Read a native file; `verify=False` trusts the two matrices instead of hashing them."""
    if _suffix(path) not in _NATIVE:
        raise InputError(f"{os.fspath(path)} is not named as a native file. Files to load end in {_either(_NATIVE)}.")
    return native.load(path, verify)


def check_output(path: str | os.PathLike[str]) -> None:
    """Raise an InputError if `path` clearly cannot be saved to. For before training: it writes nothing anywhere."""
    if _suffix(path) not in _WRITERS:
        raise InputError(f"{os.fspath(path)} has no suffix that names a format. Use one of {_either(tuple(_WRITERS))}.")
    check_folder(path)


def _suffix(path: str | os.PathLike[str]) -> str:
    return Path(path).suffix.lower()


def _either(suffixes: tuple[str, ...]) -> str:
    return f"{', '.join(suffixes[:-1])} or {suffixes[-1]}"
