"""fastText's `.bin` files: a dictionary, a row for each word and for each bucket of n-grams, and the output rows.

All numbers are little-endian, with nothing between them:

int32 x 2  793712314, the version (11 or 12)
int32 x 12 dim, ws, epoch, minCount, neg, wordNgrams, loss, model, bucket, minn, maxn, lrUpdateRate
float64    t
int32 x 3  entries, words, labels;   int64 x 2  tokens, pruned n-grams (-1: none were)
entries    the word in UTF-8, a zero byte, int64 count, int8 type (0 word, 1 label); words come first
bool       whether the rows are quantised
int64 x 2  rows, dim;   then the rows in float32: words, then buckets
bool       the same for the output, int64 x 2, float32 rows: v_c of each word, if it was trained by negative sampling

fastText's first layout, of 2016, lacks the first two numbers, the pruned n-grams and the bools. Nothing marks it, so
its arguments must be plausible: `detect.is_first_fasttext`.

The vector of a word of the dictionary is the mean of its own row and the rows of its n-grams. The vector of any other
word is the mean of the rows of its n-grams (Bojanowski et al. 2017). Sums are in float32 and in this order, as
fastText computes them.
"""

import mmap
import struct
from typing import Any

import numpy as np

from pairloom.errors import Fault
from pairloom.formats.detect import FASTTEXT_MAGIC, HEAD, is_first_fasttext
from pairloom.formats.opening import GET_AGAIN, ReadOptions, open_vector_file
from pairloom.formats.rows import check_finite
from pairloom.formats.word_list import WordList, first_rows, in_utf8
from pairloom.system.display import number_of
from pairloom.types import Counts, Matrix, PathName
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.subwords import MAX_NGRAM, Subwords, SubwordVectors, word_vectors
from pairloom.vectors.vectors import Vectors

_ARGUMENTS = ("dim", "ws", "epoch", "minCount", "neg", "wordNgrams", "loss", "model", "bucket", "minn", "maxn")
_MODELS, _LOSSES = {1: "cbow", 2: "skipgram", 3: "supervised"}, {1: "hs", 2: "ns", 3: "softmax", 4: "ova"}
_FIRST_LAYOUT = 0  # the version of files without one


class FastTextVectors(SubwordVectors):
    """The words of a fastText file with their vectors. Other words get a vector from their n-grams, as in fastText."""

    def __init__(
        self, words: list[str], vectors: Matrix, counts: Counts, subwords: Subwords, not_loaded: dict[str, int]
    ) -> None:
        super().__init__(words, vectors, counts, subwords)
        self._not_loaded = not_loaded  # words of the file beyond `limit`, and their rows

    def _rows_for(self, word: str) -> list[int]:
        """The word's own row in the file, if it is there, and its n-grams'."""
        own = [self._not_loaded[word]] if word in self._not_loaded else []
        return own + super()._rows_for(word)


def read(path: PathName, options: ReadOptions) -> Embedding:
    """Read a file. The rows of its n-grams stay on the disk, memory-mapped."""
    with open_vector_file(path) as source:
        if source.packed:
            raise Fault("it is a fastText file packed by gzip, which cannot be mapped. Unpack it first.")
        if source.max_bytes == 0:
            raise Fault(f"it is empty. {GET_AGAIN}")
        return read_from(mmap.mmap(source.stream.fileno(), 0, access=mmap.ACCESS_READ), options)


class _Bytes:
    """The bytes of a file, read from the front. Reading past the end is a Fault."""

    def __init__(self, data: mmap.mmap | bytes) -> None:
        self.data, self.at = data, 0
        self.version = self._version()

    def _version(self) -> int:
        if is_first_fasttext(self.data[:HEAD]):
            return _FIRST_LAYOUT
        magic, version = self.numbers("ii")
        if magic != int.from_bytes(FASTTEXT_MAGIC, "little") or version not in (11, 12):
            raise Fault(
                f"it begins with {magic} and {version}, not with fastText's number and its version 11 or 12, nor with "
                "the arguments of a training, as its files of 2016 do."
            )
        return int(version)

    def numbers(self, layout: str) -> tuple[Any, ...]:
        """Numbers in a layout of Python's struct."""
        layout = "<" + layout
        begin, self.at = self.at, self.at + struct.calcsize(layout)
        self._check()
        return struct.unpack_from(layout, self.data, begin)

    def text(self) -> bytes:
        """Up to a zero byte."""
        begin, end = self.at, self.data.find(b"\0", self.at)
        self.at = end + 1 if end >= 0 else len(self.data) + 1
        self._check()
        return self.data[begin:end]

    def matrix(self, expected_dim: int) -> Matrix:
        """Two sizes and float32 numbers, mapped from the file, at any address."""
        rows, dim = self.numbers("qq")
        if rows < 0 or dim < 1 or dim != expected_dim:
            raise Fault(
                f"at byte {self.at - 16:,} a matrix has {number_of(rows, 'row')} of {number_of(dim, 'number')}. "
                f"{GET_AGAIN}"
            )
        begin, self.at = self.at, self.at + 4 * rows * dim
        self._check()
        return np.frombuffer(self.data, "<f4", rows * dim, begin).reshape(rows, dim)

    def _check(self) -> None:
        if self.at > len(self.data):
            raise Fault(
                f"its {number_of(len(self.data), 'byte')} end before its {self.at:,}th, where it must go on. "
                f"{GET_AGAIN}"
            )


def read_from(content: mmap.mmap | bytes, options: ReadOptions) -> Embedding:
    """Read the content of a file."""
    data = _Bytes(content)
    arguments = _arguments(data)
    n_words, n_labels = _sizes(data)
    words, counts, begins = _dictionary(data, n_words, n_labels)
    subwords = _subwords(_dense(data, "rows", arguments), n_words, arguments)
    output = _output_rows(data, n_words, n_labels, arguments)
    n = options.rows(n_words)

    def row_name(i: int) -> str:
        return f"row {i:,} (byte {begins[i]:,})"

    readable, known = (
        in_utf8(words, row_name, options),
        WordList(np.empty(n, np.int64), options, separator=b"\0"),
    )
    known.add(readable[:n], row_name)
    known.check(row_name)
    matrix = word_vectors(subwords, words[:n])
    if options.verify:
        check_finite(matrix, readable, row_name)
        check_finite(output[:n], readable, row_name)
    names = [word.decode() for word in readable]
    kept = first_rows(names[:n]) if options.lenient else None
    chosen = slice(n) if kept is None else kept
    loaded, not_loaded = np.array(names, object)[chosen].tolist(), dict(zip(names[n:], range(n, n_words), strict=True))
    return Embedding(
        words=FastTextVectors(loaded, matrix[chosen], counts[chosen], subwords, not_loaded),
        contexts=Vectors(loaded, output[chosen], counts[chosen]) if len(output) else Vectors([], output),
        record={"fasttext": arguments},
    )


def _arguments(data: _Bytes) -> dict[str, Any]:
    *values, _, threshold = data.numbers("12id")
    arguments = dict(zip(_ARGUMENTS, values, strict=True)) | {"t": threshold}
    arguments["loss"] = _LOSSES.get(arguments["loss"], str(arguments["loss"]))
    arguments["model"] = _MODELS.get(arguments["model"], str(arguments["model"]))
    if data.version < 12 and arguments["model"] == "supervised":
        arguments["maxn"] = 0  # only version 12 uses n-grams there
    return arguments


def _sizes(data: _Bytes) -> tuple[int, int]:
    """The number of words and the number of labels in the dictionary."""
    entries, n_words, n_labels, _ = data.numbers("iiiq")
    (pruned,) = data.numbers("q") if data.version != _FIRST_LAYOUT else (-1,)
    if n_words < 0 or n_labels < 0 or entries != n_words + n_labels:
        raise Fault(
            f"its dictionary promises {number_of(n_words, 'word')} and {number_of(n_labels, 'label')}, together "
            f"{entries:,}. {GET_AGAIN}"
        )
    if pruned > 0:
        raise Fault("its n-grams are pruned, as in quantised files (.ftz). Load the .bin that it was made from.")
    if entries * 10 > len(data.data):
        raise Fault(
            f"{number_of(entries, 'entry')} do not fit into its {number_of(len(data.data), 'byte')}. {GET_AGAIN}"
        )
    return n_words, n_labels


def _dictionary(data: _Bytes, n_words: int, n_labels: int) -> tuple[list[bytes], Counts, list[int]]:
    """The words, their counts, and the byte at which each begins."""
    words, begins, counts = [], [], np.empty(n_words, np.int64)
    for entry in range(n_words + n_labels):
        begin, word = data.at, data.text()
        count, kind = data.numbers("qb")
        if kind != (entry >= n_words) or count < 0:
            raise Fault(
                f"entry {entry:,} of its dictionary (byte {begin:,}) has the type {kind} and the count {count:,}. "
                f"{GET_AGAIN}"
            )
        if entry < n_words:
            words.append(word)
            begins.append(begin)
            counts[entry] = count
    return words, counts, begins


def _dense(data: _Bytes, what: str, arguments: dict[str, Any]) -> Matrix:
    """A matrix that is not quantised."""
    if data.version != _FIRST_LAYOUT and data.numbers("?")[0]:
        raise Fault(f"its {what} are quantised (.ftz). Load the .bin that it was made from.")
    return data.matrix(arguments["dim"])


def _subwords(rows: Matrix, n_words: int, arguments: dict[str, Any]) -> Subwords:
    bucket, minn, maxn = (arguments[name] for name in ("bucket", "minn", "maxn"))
    used = bucket if maxn > 0 else 0
    if used < (maxn > 0) or len(rows) - n_words not in (used, bucket) or maxn > MAX_NGRAM:
        raise Fault(
            f"{number_of(len(rows), 'row')} do not fit {number_of(n_words, 'word')} and {number_of(used, 'bucket')} of "
            f"n-grams of {minn} to {maxn} letters. {GET_AGAIN}"
        )
    return Subwords(rows, n_words, used, max(minn, 1), maxn)


def _output_rows(data: _Bytes, n_words: int, n_labels: int, arguments: dict[str, Any]) -> Matrix:
    """v_c of each word, or no rows: those of other models and losses are for labels or the nodes of a tree."""
    rows = _dense(data, "output rows", arguments)
    expected = n_labels if arguments["model"] == "supervised" else n_words
    if len(rows) != expected:
        raise Fault(f"its output has {number_of(len(rows), 'row')} instead of {expected:,}. {GET_AGAIN}")
    if data.at < len(data.data):
        raise Fault(f"it goes on at byte {data.at:,}, where it must end. {GET_AGAIN}")
    is_contexts = arguments["model"] == "skipgram" and arguments["loss"] == "ns"
    return rows if is_contexts else np.empty((0, arguments["dim"]), np.float32)
