"""Files of vectors, read by their content and written by a format's name or suffix: see docs/formats.md.

loom         .loom .safetensors  our own: all of an embedding, checksummed, memory-mapped on load
bin          .bin                word2vec's binary format: the words and their vectors only
text         .vec .txt           word2vec's and fastText's text format: the same
glove                            the same without the first line
fasttext                         fastText's .bin with n-grams, for words never seen too
parquet      .parquet            a table: the words, their counts and vectors
csv          .csv                the same as text: written only
npz          .npz                arrays for NumPy: written only
tensorboard                      a folder for TensorBoard's projector: written only
static                           a folder for model2vec and sentence-transformers: written only

bin, text, glove and csv may be packed by gzip (.gz).
"""

import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Literal, NamedTuple

from pairloom.config import Errors, is_whole
from pairloom.errors import ConfigError, InputError
from pairloom.formats import (
    detect,
    fasttext,
    native,
    read_binary,
    read_parquet,
    read_text,
    write_fasttext,
    write_folders,
    write_parquet,
    write_tables,
    write_word2vec,
)
from pairloom.formats.fasttext import FastTextVectors
from pairloom.formats.opening import ReadOptions
from pairloom.system.addresses import refuse_address
from pairloom.system.files import check_folder
from pairloom.types import PathName
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.subwords import with_subwords_of
from pairloom.vectors.vectors import Vectors

__all__ = ["READABLE", "WRITABLE", "FastTextVectors", "check_output", "least_size", "load", "save"]

ReadableFormat = Literal["loom", "bin", "text", "glove", "fasttext", "parquet"]
WritableFormat = Literal["loom", "bin", "text", "glove", "fasttext", "parquet", "csv", "npz", "tensorboard", "static"]
NumberType = Literal["float32", "float16", "int8"]


class _Format(NamedTuple):
    """How a format is read and written, if it is."""

    read: Callable[[PathName, ReadOptions], Embedding] | None = None
    write: Callable[[Embedding, PathName, str], None] | None = None
    suffixes: tuple[str, ...] = ()
    gzip: bool = False  # may end in .gz
    dtypes: tuple[str, ...] = ("float32",)  # of the numbers that it can hold
    is_folder: bool = False


def _read_native(path: PathName, options: ReadOptions) -> Embedding:
    embedding = native.load(path, options.verify)
    if options.limit is None:
        return embedding
    words, contexts = (_first(vectors, options.limit) for vectors in (embedding.words, embedding.contexts))
    return Embedding(words=words, contexts=contexts, record=embedding.record)


def _first(vectors: Vectors, n: int) -> Vectors:
    return with_subwords_of(vectors, vectors.words[:n], vectors.vectors[:n], vectors.counts[:n])


_log = logging.getLogger(__name__)
_FORMATS = {
    "loom": _Format(_read_native, native.save, (".loom", ".safetensors"), dtypes=("float32", "float16", "int8")),
    "bin": _Format(
        read_binary.read, lambda e, path, _: write_word2vec.write_binary(e.words, path), (".bin",), gzip=True
    ),
    "text": _Format(
        read_text.read, lambda e, path, _: write_word2vec.write_text(e.words, path), (".vec", ".txt"), gzip=True
    ),
    "glove": _Format(
        read_text.read_glove, lambda e, path, _: write_word2vec.write_text(e.words, path, header=False), gzip=True
    ),
    "fasttext": _Format(fasttext.read, lambda e, path, _: write_fasttext.write(e, path)),
    "parquet": _Format(read_parquet.read, lambda e, path, _: write_parquet.write(e.words, path), (".parquet",)),
    "csv": _Format(None, lambda e, path, _: write_tables.write_csv(e.words, path), (".csv",), gzip=True),
    "npz": _Format(None, lambda e, path, _: write_tables.write_npz(e.words, path), (".npz",)),
    "tensorboard": _Format(None, lambda e, path, _: write_folders.write_tensorboard(e, path), is_folder=True),
    "static": _Format(None, write_folders.write_static, dtypes=("float32", "float16"), is_folder=True),
}
READABLE = tuple(name for name, format in _FORMATS.items() if format.read)
WRITABLE = tuple(name for name, format in _FORMATS.items() if format.write)
_OF_SUFFIX = {suffix: name for name, format in _FORMATS.items() for suffix in format.suffixes}


def load(
    path: PathName,
    limit: int | None = None,
    verify: native.Verify = True,
    format: ReadableFormat | None = None,
    errors: Errors = "strict",
    lenient: bool = False,
) -> Embedding:
    """Read a file of vectors in any format that pairloom knows.

    limit    the number of rows to read, from the first on; trained vectors have the frequent words first
    verify   False trusts the numbers: native files are not hashed, others are not searched for NaN and infinity.
             True hashes a native file when it is new or has changed since it was last hashed, "always" every time
    format   the name of the format, for files whose content could mean several
    errors   how to treat words that are not UTF-8: "strict" refuses, "replace" and "ignore" as for bytes.decode
    lenient  True accepts files of other programs that look damaged but may be whole. The first row of a repeated word
             counts, rows without a word are left out, and a VectorsWarning says how many. The last line of text may
             lack its line feed, words of text may have spaces, and only some binary rows may end in a line feed.
    """
    if limit is not None and (not is_whole(limit) or limit < 1):
        raise ConfigError(f"limit={limit} is not a number of rows. Use 1 or more, or leave it out to read all.")
    if not isinstance(verify, bool) and verify != "always":
        raise ConfigError(f"verify={verify!r} is not a choice. Use True, False or 'always'.")
    if not isinstance(lenient, bool):
        raise ConfigError(f"lenient={lenient!r} is not a choice. Use True or False.")
    if errors not in ("strict", "replace", "ignore"):
        raise ConfigError(f"errors={errors!r} is unknown. Use 'strict', 'replace' or 'ignore'.")
    refuse_address(path, "A file of vectors")
    read = _FORMATS[_readable(format) if format is not None else _detected(path)].read
    assert read is not None
    return read(path, ReadOptions(limit=limit, verify=verify, errors=errors, lenient=lenient))


def _readable(format: str) -> str:
    if format not in READABLE:
        raise ConfigError(f"format={format!r} cannot be read. Use one of {_either(READABLE)}.")
    return format


def _detected(path: PathName) -> str:
    try:
        return detect.format_at(path)
    except InputError:
        if _suffix(path) in _FORMATS["loom"].suffixes and Path(path).is_file():
            return "loom"  # its reader knows best what is wrong with a native file
        raise


def save(
    embedding: Embedding, path: PathName, format: WritableFormat | None = None, dtype: NumberType = "float32"
) -> None:
    """Write an embedding in the given format or the format of the suffix. An old file stays until all is written."""
    check_output(path, format, dtype)
    write = _FORMATS[format or _OF_SUFFIX[_suffix(path)]].write
    assert write is not None
    write(embedding, path, dtype)
    _log.info("%s is written: %d words of dim %d", os.fspath(path), len(embedding), embedding.words.dim)


def check_output(path: PathName, format: str | None = None, dtype: str = "float32") -> None:
    """Raise an InputError if `path` clearly cannot be saved to. Writes nothing, so it can be called before training."""
    if format is not None and format not in WRITABLE:
        raise ConfigError(f"format={format!r} cannot be written. Use one of {_either(WRITABLE)}.")
    if format is None and (_suffix(path) not in _OF_SUFFIX or (_is_packed(path) and not _may_be_packed(_suffix(path)))):
        suffixes, packed = tuple(_OF_SUFFIX), tuple(suffix for suffix in _OF_SUFFIX if _may_be_packed(suffix))
        raise InputError(
            f"{os.fspath(path)} has no suffix that names a format. Use one of {_either(suffixes)}; "
            f"{', '.join(packed[:-1])} and {packed[-1]} may be followed by .gz."
        )
    name = format or _OF_SUFFIX[_suffix(path)]
    _check_dtype(name, dtype)
    if name == "parquet":
        write_parquet.check_installed()
    (write_folders.check_new_folder if _FORMATS[name].is_folder else check_folder)(path)


def least_size(path: PathName, n_words: int, n_contexts: int, dim: int) -> int:
    """The fewest bytes that the numbers of such an embedding can take in the format of the suffix.

    A number takes 4 bytes, and about 9 in text. Only native files hold contexts.
    """
    native, text = (_suffix(path) in _FORMATS[name].suffixes for name in ("loom", "text"))
    return dim * (4 * (n_words + n_contexts) if native else n_words * (9 if text and not _is_packed(path) else 4))


def _check_dtype(name: str, dtype: str) -> None:
    names = [name for name, format in _FORMATS.items() if dtype in format.dtypes]
    if not names:
        raise ConfigError(f"dtype={dtype!r} is unknown. Use 'float32', 'float16' or 'int8'.")
    if name not in names:
        raise ConfigError(f"dtype={dtype!r} does not go into the format {name}, only into {' and '.join(names)}.")


def _suffix(path: PathName) -> str:
    """The suffix that names a format, without .gz."""
    return Path(Path(path).stem if _is_packed(path) else path).suffix.lower()


def _is_packed(path: PathName) -> bool:
    return Path(path).suffix.lower() == ".gz"


def _may_be_packed(suffix: str) -> bool:
    return _FORMATS[_OF_SUFFIX[suffix]].gzip


def _either(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"
