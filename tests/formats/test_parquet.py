"""Vectors read from Parquet: our own files, those of other programs, and files that are wrong."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from arro3.core import Array, DataType, RecordBatch, fixed_size_list_array, list_array
from arro3.io import infer_json_schema, read_json, write_parquet

import pairloom
from pairloom.errors import InputError, VectorsWarning
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.vectors import Vectors
from tests.corpus.helpers import message

ROWS = np.arange(6, dtype=np.float32).reshape(3, 2)


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def strings(*words: str | None) -> Array:
    return Array(list(words), DataType.string())


def fixed(rows: Any = ROWS) -> Array:
    rows = np.asarray(rows)
    return fixed_size_list_array(Array.from_numpy(np.ascontiguousarray(rows).reshape(-1)), rows.shape[1])


def lists(offsets: list[int], values: Any) -> Array:
    return list_array(Array.from_numpy(np.array(offsets, np.int32)), Array.from_numpy(np.asarray(values)))


def write(**columns: Array) -> str:
    write_parquet(RecordBatch.from_pydict(columns), "v.parquet")
    return "v.parquet"


WORDS = strings("a", "b", "c")


def test_what_is_saved_is_loaded_again():
    rng = np.random.default_rng(0)
    words = Vectors([f"w{i} ü" for i in range(3000)], rng.normal(size=(3000, 7)).astype("f4"), np.arange(3000, 0, -1))
    Embedding.of_words(words).save("v.parquet")
    found = pairloom.load("v.parquet")
    assert found.words.words == words.words
    np.testing.assert_array_equal(found.words.vectors, words.vectors)
    np.testing.assert_array_equal(found.words.counts, words.counts)
    assert len(found.contexts) == 0
    first = pairloom.load("v.parquet", limit=1100).words
    assert first.words == words.words[:1100] and first.counts.tolist() == words.counts[:1100].tolist()


@pytest.mark.parametrize(
    "columns",
    [
        {"token": WORDS, "embedding": fixed()},
        {"Text": WORDS, "values": fixed(ROWS.astype(np.float64))},
        {"id": strings("x", "y", "z"), "word": WORDS, "v": fixed(ROWS.astype(np.int64))},
        {"w": WORDS, "numbers": lists([0, 2, 4, 6], ROWS.ravel())},
        {"w": WORDS, "numbers": fixed(ROWS.astype(np.float16)), "length": Array.from_numpy(np.arange(3))},
    ],
    ids=lambda columns: ", ".join(columns),
)
def test_files_of_other_programs_are_read(columns):
    found = pairloom.load(write(**columns)).words
    assert found.words == ["a", "b", "c"]
    np.testing.assert_array_equal(found.vectors, ROWS)
    assert found.vectors.dtype == np.float32


def test_counts_of_other_types_are_read():
    found = pairloom.load(write(word=WORDS, vector=fixed(), freq=Array.from_numpy(np.array([3, 2, 1], np.uint16))))
    assert found.words.counts.tolist() == [3, 2, 1]


def test_numbers_are_trusted_without_verify():
    found = pairloom.load(write(word=WORDS, vector=fixed(ROWS * np.nan)), verify=False)
    assert np.isnan(found.words.vectors).all()


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"a": fixed()}, "it has 0 columns of strings for the words, and none has a usual name. Its columns are 'a'."),
        ({"x": WORDS, "y": WORDS, "v": fixed()}, "it has 2 columns of strings for the words, and none has a usual"),
        ({"word": WORDS}, "it has 0 columns of lists of numbers for the vectors, and none has a usual name."),
        ({"word": strings("a", None, "c"), "vector": fixed()}, "row 1 has no word. Get or make the file again."),
        ({"word": strings("a", "", "c"), "vector": fixed()}, "row 1 has no word. Get or make the file again. To leave"),
        ({"word": strings("a", "b", "a"), "vector": fixed()}, "row 2 has the word 'a' of row 0 again. Load with len"),
        ({"word": WORDS, "vector": fixed(ROWS * np.nan)}, "row 0 ('a') holds NaN, infinity or a number beyond float32"),
        (
            {"word": WORDS, "vector": fixed(ROWS.astype(np.float64) * 1e300)},
            "row 0 ('a') holds NaN, infinity or a number beyond float32",
        ),
        ({"word": WORDS, "vector": lists([0, 2, 4, 5], ROWS.ravel()[:5])}, "row 2 has 1 numbers, and row 0 has 2."),
        ({"word": WORDS, "vector": lists([0, 0, 0, 0], ROWS.ravel()[:0])}, "its vectors from row 0 on are empty."),
        ({"word": strings(), "vector": fixed(ROWS[:0])}, "it has no rows. Get or make the file again."),
        (
            {"word": WORDS, "vector": fixed(), "count": Array.from_numpy(np.array([1, -1, 1]))},
            "a count of the rows from 0 on is missing or out of range.",
        ),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_wrong_tables_are_refused(columns, said):
    assert message(InputError, pairloom.load, write(**columns)).startswith(f"v.parquet cannot be loaded: {said}")


def list_of(values: list[Any]) -> Array:
    """Lists of numbers that may be null, by way of JSON: arro3 makes no such arrays."""
    Path("rows.json").write_text("".join(json.dumps({"vector": value}) + "\n" for value in values))
    with Path("rows.json").open("rb") as file:
        schema = infer_json_schema(file)
    return next(iter(read_json(Path("rows.json"), schema))).column("vector")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([[1.5], None, [2.5]], "of the rows from 0 on, 1 have no vector."),
        ([[1.5], [None], [2.5]], "the vectors of the rows from 0 on lack 1 of their numbers."),
    ],
    ids=str,
)
def test_vectors_with_nulls_are_refused(values, said):
    path = write(word=WORDS, vector=list_of(values))
    assert message(InputError, pairloom.load, path).startswith(f"v.parquet cannot be loaded: {said}")


def test_batches_of_different_dimensions_are_refused():
    words = strings(*(f"w{i}" for i in range(1025)))
    path = write(word=words, vector=lists([*range(0, 2 * 1025, 2), 2051], np.ones(2051, np.float32)))
    assert message(InputError, pairloom.load, path) == (
        "v.parquet cannot be loaded: its vectors have 2 and 3 numbers. All must have as many. Get or make the file "
        "again."
    )


def test_lenient_keeps_the_first_row_of_each_word():
    counts = Array.from_numpy(np.array([5, 4, 3]))
    with pytest.warns(VectorsWarning):
        found = pairloom.load(write(word=strings("a", "", "a"), vector=fixed(), count=counts), lenient=True).words
    assert (found.words, found.vectors.tolist(), found.counts.tolist()) == (["a"], [[0.0, 1.0]], [5])
    with pytest.warns(VectorsWarning):
        assert len(pairloom.load(write(word=strings("a", "", "a"), vector=fixed()), lenient=True)) == 1


def test_a_small_file_that_fills_the_memory_is_refused():
    n = 40_000
    words = Array([f"{i:x}" for i in range(n)], DataType.string())
    write_parquet(
        RecordBatch.from_pydict({"word": words, "vector": fixed(np.zeros((n, 1000), np.float32))}),
        "v.parquet",
        compression="zstd(3)",
    )
    assert "unpacks to more than 64 times its size" in message(InputError, pairloom.load, "v.parquet")


def test_cut_and_damaged_files_are_input_errors():
    """Cut anywhere, or with a footer that is not one. (Some other damage ends the process: see SECURITY.md.)"""
    Embedding.of_words(Vectors([f"w{i}" for i in range(50)], np.ones((50, 4), np.float32))).save("v.parquet")
    whole = Path("v.parquet").read_bytes()
    n_footer = int.from_bytes(whole[-8:-4], "little")
    damaged = [whole[:length] for length in range(5, len(whole), 7)]
    damaged += [whole[:-8] + bytes([255, 255, 255, byte]) + b"PAR1" for byte in (0, 127, 255)]
    damaged += [whole[: -8 - n_footer] + bytes(n_footer) + whole[-8:], b"PAR1\x15" + whole[-8:]]
    for content in damaged:
        Path("d.parquet").write_bytes(content)
        said = message(InputError, pairloom.load, "d.parquet")
        assert said.startswith("d.parquet cannot be ")
