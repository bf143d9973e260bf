"""Writing folders for other programs, whole or not at all.

static       for model2vec's StaticModel.from_pretrained and sentence-transformers' SentenceTransformer
tensorboard  for TensorBoard's projector: `tensorboard --logdir FOLDER`
"""

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from pairloom.errors import InputError
from pairloom.formats.native import check_float16
from pairloom.formats.tokenizer_json import UNKNOWN, described, tokenizer_json
from pairloom.formats.write_word2vec import writable_words
from pairloom.system.files import check_folder, flushed_write, output_errors, sync_folder, sync_name
from pairloom.system.temporary import BESIDE_OUTPUT, Temporary
from pairloom.system.tensors import byte_chunks
from pairloom.types import PathName
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.vectors import Vectors

_SAFETENSORS_NAME = {"float32": "F32", "float16": "F16"}
_CARD = """---
library_name: model2vec
tags:
- embeddings
- static-embeddings
- sentence-transformers
- word2vec
---

# {n_words:,} words, {dim} dimensions

Vectors for words, written by pairloom {version}. The vector of a text is the mean of the vectors of its words, made
unit; words are {words}.

```python
from model2vec import StaticModel  # or: from sentence_transformers import SentenceTransformer as StaticModel

StaticModel.from_pretrained("path/of/this/folder").encode(["a text"])
```
"""


def check_new_folder(path: PathName) -> None:
    """Raise an InputError if a folder clearly cannot be made at `path`, for example over something else."""
    target = Path(path)
    try:
        if target.is_dir() and not any(target.iterdir()):
            return
        occupied = target.exists() or target.is_symlink()
    except OSError:
        occupied = False  # a name that no file can have: `check_folder` reports it
    if occupied:
        raise InputError(f"{target} exists already, and a folder is not written over. Choose another name.")
    check_folder(path)


@contextmanager
def new_folder(path: PathName) -> Iterator[Path]:
    """A folder to write into. It becomes `path` when the body ends, and not before."""
    check_new_folder(path)
    target = Path(os.path.realpath(path))
    with output_errors(path):
        temporary = Temporary.folder(target.parent, BESIDE_OUTPUT)
        try:
            yield temporary.path
            for folder in (temporary.path, *(inner for inner in temporary.path.rglob("*") if inner.is_dir())):
                sync_folder(folder)
            temporary.path.replace(target)
        finally:
            temporary.remove()
        sync_name(target, path)


def _write(path: Path, lines: Iterable[str]) -> None:
    with flushed_write(path) as file:
        file.writelines(line.encode() for line in lines)


# --- TensorBoard


def write_tensorboard(embedding: Embedding, path: PathName) -> None:
    """Write the numbers to tensors.tsv, and the words (with their counts, if any is known) to metadata.tsv."""
    vectors = embedding.words
    words = _without_tabs(vectors)
    row = "\t".join(["%.9g"] * vectors.dim) + "\n"
    config = '{ tensor_name: "words" tensor_path: "tensors.tsv" metadata_path: "metadata.tsv" }'
    with new_folder(path) as folder:
        _write(folder / "tensors.tsv", (row % tuple(vector.tolist()) for vector in vectors.vectors))
        _write(folder / "metadata.tsv", _metadata_lines(words, vectors))
        _write(folder / "projector_config.pbtxt", [f"embeddings {config}\n"])


def _without_tabs(vectors: Vectors) -> list[str]:
    list(vectors.encoded_words())
    for word in vectors.words:
        if any(separator in word for separator in "\t\r\n"):
            raise InputError(
                f"The word {word!r} has a tab or a line end in it, which a table of words cannot hold. Rename it."
            )
    return vectors.words


def _metadata_lines(words: list[str], vectors: Vectors) -> Iterator[str]:
    """TensorBoard takes the first line for a header only if there are several columns."""
    if not vectors.counts.any():
        yield from (f"{word}\n" for word in words)
        return
    yield "word\tcount\n"
    yield from (f"{word}\t{count}\n" for word, count in zip(words, vectors.counts.tolist(), strict=True))


# --- model2vec and sentence-transformers


def write_static(embedding: Embedding, path: PathName, dtype: str = "float32") -> None:
    """Write the tensor `embeddings`, a tokenizer that splits text as for training, and files that describe both."""
    vectors = embedding.words
    _check_tokens(vectors)
    if dtype == "float16":
        check_float16(vectors)
    text = embedding.record.get("text", {})
    with new_folder(path) as folder:
        _write_embeddings(vectors, folder / "model.safetensors", dtype)
        _write_json(folder / "tokenizer.json", tokenizer_json(vectors.words, text))
        _write_json(folder / "config.json", _config(vectors, embedding.record, dtype))
        _write_json(folder / "modules.json", _modules())
        (folder / "1_Normalize").mkdir()
        _write(folder / "README.md", [_card(vectors, text)])


def _check_tokens(vectors: Vectors) -> None:
    writable_words(vectors)  # the tokenizer would never find a word with white space in it
    if UNKNOWN in vectors:
        raise InputError(f"{UNKNOWN} is a word here and the token of unknown words in model2vec's format. Rename it.")


def _write_embeddings(vectors: Vectors, path: Path, dtype: str) -> None:
    """Write a safetensors file with one tensor. Its last row belongs to unknown words.

    That row is zero. model2vec leaves unknown words out of the mean and sentence-transformers does not; since the mean
    is scaled to length 1, both then agree.
    """
    stored = np.dtype(dtype).newbyteorder("<")
    shape = [len(vectors) + 1, vectors.dim]
    size = shape[0] * shape[1] * stored.itemsize
    tensor = {"dtype": _SAFETENSORS_NAME[dtype], "shape": shape, "data_offsets": [0, size]}
    header = json.dumps({"__metadata__": {"format": "pt"}, "embeddings": tensor}).encode()
    header += b" " * (-(8 + len(header)) % 64)
    with flushed_write(path) as file:
        file.write(len(header).to_bytes(8, "little") + header)
        file.writelines(byte_chunks(vectors.vectors, stored))
        file.write(bytes(vectors.dim * stored.itemsize))


def _config(vectors: Vectors, record: dict[str, Any], dtype: str) -> dict[str, Any]:
    return {
        "model_type": "model2vec",
        "architectures": ["StaticModel"],
        "tokenizer_name": "pairloom",
        "hidden_dim": vectors.dim,
        "seq_length": 1_000_000,
        "max_length": None,  # otherwise model2vec cuts texts at 512 words
        "normalize": True,
        "embedding_dtype": dtype,
        "pairloom": record,
    }


def _modules() -> list[dict[str, Any]]:
    kinds = [("", "StaticEmbedding"), ("1_Normalize", "Normalize")]
    return [
        {"idx": i, "name": str(i), "path": path or ".", "type": f"sentence_transformers.models.{kind}"}
        for i, (path, kind) in enumerate(kinds)
    ]


def _card(vectors: Vectors, text: dict[str, Any]) -> str:
    from pairloom import __version__

    return _CARD.format(n_words=len(vectors), dim=vectors.dim, version=__version__, words=described(text))


def _write_json(path: Path, value: object) -> None:
    _write(path, [json.dumps(value, indent=1, ensure_ascii=False) + "\n"])
