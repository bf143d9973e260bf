"""Columns of files and of tables in memory: the same words as in a plain file, and errors that name the row."""

import csv
import gzip
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from arro3.core import Array, DataType, RecordBatch
from arro3.core import Table as ArrowTable
from arro3.io import write_ipc, write_ipc_stream, write_parquet

import pairloom
from pairloom.config import TextOptions
from pairloom.corpus.prepared import prepare
from pairloom.corpus.sentences import open_corpus
from pairloom.corpus.vocabulary import Vocabulary, WordSelection
from pairloom.errors import ConfigError, CorpusTypeError, CorpusWarning, InputError, MissingExtraError
from tests.corpus.helpers import message, sentences
from tests.corpus.inputs.frames import (
    ArrowOnly,
    DataFrame,
    Dataset,
    IterableDataset,
    LazyFrame,
    PolarsFrame,
)

TEXTS = ["the cat sat", 'Größe, "quoted"; and\ttab', "two lines\nof text", "", "the cat ran"] * 400
LINES = [line.split() for text in TEXTS for line in text.split("\n") if line]


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write_json(path: str, texts: list[Any] = TEXTS) -> str:
    rows = ({"id": i, "text": text, "review": {"body": text}} for i, text in enumerate(texts))
    Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def write_csv(path: str, delimiter: str = ",") -> str:
    with Path(path).open("w", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(["id", "text"])
        writer.writerows(enumerate(TEXTS))
    return path


def arrow_batch(texts: list[Any] = TEXTS) -> RecordBatch:
    numbers = Array.from_numpy(np.arange(len(texts)))
    return RecordBatch.from_pydict({"id": numbers, "text": Array(texts, DataType.string())})


def write_gz(path: str) -> str:
    Path(path).write_bytes(gzip.compress(Path(write_json("plain.jsonl")).read_bytes()))
    return path


def write_arrow(path: str, write: Any) -> str:
    write(arrow_batch(), path)
    return path


CONTENT = {"id": list(range(len(TEXTS))), "text": TEXTS}
SOURCES = {
    "jsonl": lambda: write_json("a.jsonl"),
    "jsonl, no suffix": lambda: write_json("rows"),
    "jsonl.gz": lambda: write_gz("a.jsonl.gz"),
    "csv": lambda: write_csv("a.csv"),
    "csv with semicolons": lambda: write_csv("b.csv", ";"),
    "csv, no suffix": lambda: write_csv("rows"),
    "tsv": lambda: write_csv("a.tsv", "\t"),
    "parquet": lambda: write_arrow("a.parquet", write_parquet),
    "arrow": lambda: write_arrow("a.arrow", write_ipc),
    "arrow stream": lambda: write_arrow("a.arrows", write_ipc_stream),
    "a dictionary": lambda: CONTENT,
    "pandas": lambda: DataFrame(CONTENT),
    "polars": lambda: PolarsFrame(CONTENT),
    "datasets": lambda: Dataset(CONTENT),
    "Arrow": lambda: ArrowTable.from_batches([arrow_batch(), arrow_batch([])]),
    "anything with Arrow": lambda: ArrowOnly(ArrowTable.from_batches([arrow_batch()])),
}


@pytest.mark.parametrize("kind", SOURCES)
def test_a_column_has_the_sentences_of_a_plain_file(kind):
    with open_corpus(SOURCES[kind](), text=TextOptions(column="text")) as corpus:
        assert list(corpus.sentences()) == LINES
        assert list(corpus.sentences()) == LINES  # once more
        assert corpus.has_blocks
        assert corpus.pieces() == []


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet", "arrow", "pandas"])
@pytest.mark.parametrize("options", [{}, {"lowercase": True}, {"tokenize": "words"}, {"tokenize": str.split}], ids=str)
def test_vocabulary_and_ids_are_those_of_a_plain_file_at_any_thread_count(kind, options):
    Path("plain.txt").write_text("".join(f"{text}\n" for text in TEXTS))
    source = SOURCES[kind]()
    found = []
    for corpus, column, threads in (("plain.txt", None, 1), (source, "text", 1), (source, "text", 3)):
        with (
            open_corpus(corpus, text=TextOptions(column=column, **options)) as opened,
            prepare(opened, WordSelection(min_count=1), threads=threads, cache_dir="cache") as encoded,
        ):
            found.append((encoded.digest, encoded.vocabulary.words))
    assert found[0] == found[1] == found[2]


def test_a_trained_file_has_the_same_bytes():
    Path("plain.txt").write_text("".join(f"{text}\n" for text in TEXTS))
    options: Any = {"dim": 4, "epochs": 1, "min_count": 1}
    pairloom.train("plain.txt", output="plain.loom", **options)
    pairloom.train(write_json("a.jsonl"), column="review.body", output="column.loom", threads=2, **options)
    assert Path("plain.loom").read_bytes() == Path("column.loom").read_bytes()


def test_several_files_and_folders():
    Path("rows").mkdir()
    write_json("rows/a.jsonl"), write_csv("rows/b.csv"), write_arrow("rows/c.parquet", write_parquet)
    Path("rows/notes.txt").write_text("not read")
    assert sentences("rows", column="text") == LINES * 3
    assert sentences([Path("rows/a.jsonl"), Path("rows/b.csv")], column="text") == LINES * 2
    assert sentences("rows/*.jsonl", column="text") == LINES
    Path("empty").mkdir()
    assert message(InputError, sentences, "empty", column="text").startswith("The folder empty has no such files.")


def test_the_cache_knows_the_column():
    path = Path("a.jsonl")
    path.write_text('{"a": "x y", "b": "z z"}\n' * 5)
    words = []
    for column in ("a", "b", "a"):
        with (
            open_corpus(path, text=TextOptions(column=column)) as corpus,
            prepare(corpus, vocabulary=Vocabulary(("x", "z"), np.ones(2, np.int64)), cache_dir="cache") as encoded,
        ):
            words.append(encoded.ids.tolist()[0])
    assert words == [0, 1, 0]
    assert len(list(Path("cache").glob("*/meta.json"))) == 2


def test_a_nested_value_of_parquet():
    bodies = RecordBatch.from_pydict({"body": Array(["a b", "c"], DataType.string())}).to_struct_array()
    write_parquet(RecordBatch.from_pydict({"review": bodies}), "a.parquet")
    assert sentences("a.parquet", column="review.body") == [["a", "b"], ["c"]]


@pytest.mark.parametrize("kind", [dict, DataFrame, PolarsFrame])
def test_a_nested_value_of_a_frame(kind):
    content = {"id": [1, 2, 3, 4], "a.r": [{"body": "a b"}, {"body": "c"}, {}, None]}
    assert sentences(kind(content), column="a.r.body") == [["a", "b"], ["c"]]
    assert message(InputError, sentences, kind(content), column="r.body").endswith(
        "has no column 'r.body'. It has 'id', 'a.r'. Name one of them."
    )


def test_columns_that_are_numbered_have_their_numbers_for_names():
    assert sentences(DataFrame({0: [1, 1], 1: ["a", "b"]}), session="0", item="1") == [["a", "b"]]


def test_long_lines_are_whole():
    long = "word " * 300_000
    Path("a.jsonl").write_text(json.dumps({"text": long}) + "\n" + json.dumps({"text": "end"}))
    assert [len(line) for line in sentences("a.jsonl", column="text", max_sentence=10**6)] == [300_000, 1]
    Path("a.csv").write_text(f'id,text\n1,"{long}"\n2,end\n')
    assert [len(line) for line in sentences("a.csv", column="text", max_sentence=10**6)] == [300_000, 1]


def test_a_line_without_an_end_is_refused(monkeypatch):
    monkeypatch.setattr("pairloom.corpus.inputs.lines_of_file.MAX_UNSPACED_BYTES", 1 << 21)
    Path("a.jsonl").write_text('{"text": "' + "word " * 600_000)
    assert message(InputError, sentences, "a.jsonl", column="text") == (
        "a.jsonl has a line of more than 2 MB. Check that each record has a line of its own."
    )


# --- Lists of words


def test_lists_of_words_are_not_split():
    Path("a.jsonl").write_text('{"w": null}\n{"w": ["New York", "is", "Big"]}\n{"w": []}\n{"w": ["7", 8]}\n')
    assert sentences("a.jsonl", column="w") == [["New York", "is", "Big"], ["7", "8"]]
    assert sentences("a.jsonl", column="w", lowercase=True)[0] == ["new york", "is", "big"]
    assert sentences("a.jsonl", column="w", tokenize="words")[0] == ["new york", "is", "big"]
    assert sentences({"w": [np.array(["a", "b"])]}, column="w") == [["a", "b"]]
    assert message(CorpusTypeError, sentences, "a.jsonl", column="w", tokenize=str.split) == (
        "tokenize= works on texts, but these rows hold words already. Leave it out."
    )


def test_lists_in_a_file_are_found_in_the_cache():
    Path("a.jsonl").write_text('{"w": ["a", "b"]}\n' * 10)
    for _ in range(2):
        with open_corpus("a.jsonl", text=TextOptions(column="w")) as corpus, prepare(corpus, cache_dir="cache"):
            pass
    assert len(list(Path("cache").glob("*/meta.json"))) == 1
    with open_corpus({"w": [["a"]]}, text=TextOptions(column="w")) as corpus:
        assert corpus.identity() is None


# --- Sessions


def test_rows_of_a_session_are_a_sentence():
    rows = [("s2", "a", 3), ("s1", "red shoes", 1), ("s2", "b", 1), (None, "x", 0), ("s1", "", 2), ("s2", "c", 1)]
    content = {name: [row[j] for row in rows] for j, name in enumerate(("session", "item", "time"))}
    options: Any = {"session": "session", "item": "item"}
    assert sentences(content, **options) == [["a", "b", "c"], ["red shoes"]]
    assert sentences(DataFrame(content), order="time", **options) == [["b", "c", "a"], ["red shoes"]]
    with open_corpus(content, text=TextOptions(**options)) as corpus:
        assert list(corpus.sentences()) == list(corpus.sentences()) == [["a", "b", "c"], ["red shoes"]]
        assert corpus.empty_rows == 2


def test_sessions_of_a_csv_file():
    Path("a.csv").write_text("t,s,i\n2020-02-01,7,a\n2020-01-01,7,b\n2020-01-05,8,c\n")
    assert sentences("a.csv", session="s", item="i", order="t") == [["b", "a"], ["c"]]


@pytest.mark.parametrize(
    ("orders", "expected"),
    [
        (["8", "10", "9"], "acb"),
        (["9.5", "-10", "2e3"], "bac"),
        (["1605139200000000002", "1605139200000000001", " +7 "], "cba"),
        (["8", "10", "n/a"], "bac"),  # as text
        (["2024-05", "2024", "2023-12"], "cba"),
        (["1_0", "9", "8"], "acb"),
    ],
    ids=str,
)
def test_an_order_of_strings_that_say_numbers_is_that_of_the_numbers(orders, expected):
    content = {"s": [1, 1, 1], "i": ["a", "b", "c"], "t": orders}
    Path("a.csv").write_text(
        "s,i,t\n" + "".join(f"1,{item},{order}\n" for item, order in zip("abc", orders, strict=True))
    )
    for source in (content, "a.csv"):
        assert sentences(source, session="s", item="i", order="t") == [list(expected)]


def test_one_word_among_the_numbers_of_any_session_makes_all_of_them_text():
    Path("a.csv").write_text("s,i,t\n1,a,9\n1,b,10\n2,c,x\n")
    assert sentences("a.csv", session="s", item="i", order="t") == [["b", "a"], ["c"]]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"s": [1.5], "i": ["a"]}, "the dict, row 1, column 's': 1.5 is a float. A session is named by a string or"),
        ({"s": [1], "i": [True]}, "the dict, row 1, column 'i': True, a bool, is not a word. Leave it out,"),
        ({"s": [1, 1], "i": ["a", "b"], "t": [1, None]}, "the dict, row 2, column 't' has no value to sort by."),
        ({"s": [1, 1], "i": ["a", "b"], "t": ["1", ""]}, "the dict, row 2, column 't' has no value to sort by."),
        ({"s": [1, 1], "i": ["a", "b"], "t": [1, "x"]}, "The column 't' cannot be sorted: a session has values of int"),
        ({"s": [1, 1], "i": ["a"]}, "The columns 's', 'i' have different lengths. Make them equal."),
    ],
    ids=str,
)
def test_wrong_sessions_are_refused(content, said):
    order = {"order": "t"} if "t" in content else {}
    assert message(InputError, sentences, content, session="s", item="i", **order).startswith(said)


# --- Options


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"column": ""}, "column='' is not the name of a column. Give a string."),
        ({"column": 3}, "column=3 is not the name of a column. Give a string."),
        (
            {"column": "a", "session": "s", "item": "i"},
            "column (--column) and session (--session) cannot be used together. Leave out one.",
        ),
        (
            {"session": "s"},
            "session (--session) and item (--item) belong together: a row has one of each. Give both.",
        ),
        (
            {"column": "a", "order": "t"},
            "order (--order) sorts the rows of a session. Give session and item (--session, --item) too.",
        ),
    ],
    ids=str,
)
def test_contradicting_options_are_refused(options, said):
    assert message(ConfigError, TextOptions, **options).startswith(said)


def test_pairs_have_columns_of_their_own():
    assert message(ConfigError, pairloom.train_pairs, [("a", "b")], column="text").startswith("column, session, item")


# --- What is wrong with a table


def test_rows_without_a_value_are_counted():
    Path("a.jsonl").write_text('{"text": "a b"}\n{"text": null}\n\n{"id": 3}\n{"text": "b a"}\n')
    with open_corpus("a.jsonl", text=TextOptions(column="text")) as corpus:
        with pytest.warns(CorpusWarning) as warned:
            Vocabulary.from_corpus(corpus, WordSelection(min_count=1))
        assert [str(warning.message) for warning in warned] == [
            "a.jsonl: skipped 3 rows without a value in 'text'. Check the table if there should be none."
        ]


def test_a_table_without_any_value_has_no_sentences():
    assert sentences({"text": [None]}, column="text") == []
    Path("a.jsonl").write_text('{"review": null}\n{"review": {"body": "a"}}\n')
    assert sentences("a.jsonl", column="review.body") == [["a"]]


def test_what_pandas_has_for_null():
    class NAType: ...

    content = {"text": ["a", None, float("nan"), NAType(), "b"]}
    with open_corpus(DataFrame(content), text=TextOptions(column="text")) as corpus:
        assert list(corpus.sentences()) == [["a"], ["b"]]
        assert corpus.empty_rows == 3


JSON = '{"id": 1, "text": "a b", "review": {"body": "c"}}\n'


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.jsonl", JSON, "a.jsonl has no column 'txt'. It has 'id', 'text', 'review.body'. Did you mean 'text'?"),
        ("a.jsonl", '{"id": 1}\n', "a.jsonl has no column 'txt'. It has 'id'. Name one of them."),
        ("a.jsonl", '{"txt": "a"}\n{"txt": 5}\n', "a.jsonl, row 2, column 'txt': 5 is an int. Texts are strings, or"),
        (
            "a.jsonl",
            '{"txt": "a"}\n{"txt": \n',
            "a.jsonl, row 2: '{\"txt\": ' is not JSON: Expecting value. Check this",
        ),
        ("a.jsonl", '{"txt": "a"}\n"b"\n', "a.jsonl, row 2 is a str, not an object with columns. Check this line."),
        ("a.json", "[\n", "a.json, row 1: '[' is not JSON: it is a document of many lines. Write one object per line"),
        ("a.json", '[{"txt": 1}]\n', "a.json, row 1 is a list, not an object with columns. jq -c '.[]' writes the"),
        ("a.jsonl", '{"txt": ' + "[" * 10**5, "a.jsonl, row 1: "),
        ("a.jsonl", '{"txt": {"x": {}}}\n', "a.jsonl, row 1, column 'txt': {'x': {}} is a dict. Texts are strings"),
        ("a.jsonl", '{"txt": ["a"]}\n{"txt": "b"}\n', "a.jsonl, row 2, column 'txt': 'b' is a str, but the values"),
        ("a.jsonl", '{"txt": ["a", ""]}\n', "a.jsonl, row 1, column 'txt': an empty string, is not a word. Leave it"),
        ("a.jsonl", '{"txt": ["a", null]}\n', "a.jsonl, row 1, column 'txt': None, a NoneType, is not a word. Leave"),
        ("a.jsonl", '{"txt": "\\ud800"}\n', "a.jsonl, row 1, column 'txt': '\\ud800' is half a character. Correct the"),
        ("a.csv", "id,text\n1,a\n", "a.csv has no column 'txt'. It has 'id', 'text'. Did you mean 'text'?"),
        ("a.csv", "txt,txt\n1,a\n", "a.csv has 2 columns 'txt'. Rename all but one."),
        ("a.csv", "id,txt\n1,a\n\n2,b,c\n", "a.csv, row 2 (line 4) has 3 values below 2 names. Put values with"),
        ("a.csv", 'id,txt\n1,"a\n', "a.csv, row 1 (line 2) cannot be read: unexpected end of data. Check its quotes."),
        ("a.csv", "", "a.csv has no columns, so none is called 'txt'. Check the file."),
        ("plain.txt", "just words\n", "plain.txt has no columns: its first line is neither a JSON object nor a row of"),
        ("a.parquet", "PAR1 and more", "a.parquet cannot be read as Parquet: "),
        ("a.arrow", "ARROW1 and more", "a.arrow cannot be read as Arrow: "),
    ],
    ids=str,
)
def test_errors_name_file_row_and_column(name, content, said):
    Path(name).write_text(content)
    assert message(InputError, sentences, name, column="txt").startswith(said)


def test_half_a_character_can_be_replaced():
    Path("a.jsonl").write_text('{"text": "a \\ud800 b"}\n')
    assert sentences("a.jsonl", column="text", errors="replace") == [["a", "?", "b"]]


def test_line_ends_of_other_systems_end_a_sentence():
    assert sentences({"text": ["a\r\nb\rc"]}, column="text") == [["a"], ["b"], ["c"]]


def test_missing_and_repeated_columns_of_arrow():
    write_parquet(arrow_batch(), "a.parquet")
    assert message(InputError, sentences, "a.parquet", column="txt") == (
        "a.parquet has no column 'txt'. It has 'id', 'text'. Did you mean 'text'?"
    )
    many = RecordBatch.from_pydict({f"c{i}": Array(["x"], DataType.string()) for i in range(30)})
    write_parquet(many, "b.parquet")
    assert "'c19', .... Name" in message(InputError, sentences, "b.parquet", column="text")
    text = Array(["x"], DataType.string())
    twice = RecordBatch.from_arrays([text, text], names=["text", "text"])
    write_ipc(twice, "c.arrow")
    assert message(InputError, sentences, "c.arrow", column="text") == (
        "c.arrow has 2 columns 'text'. Rename all but one."
    )


def test_cut_files_are_input_errors():
    for name, write in (("a.parquet", write_parquet), ("a.arrow", write_ipc), ("a.arrows", write_ipc_stream)):
        whole = Path(write_arrow(name, write)).read_bytes()
        for length in range(8, len(whole) - 8, len(whole) // 40):
            Path(name).write_bytes(whole[:length])
            assert message(InputError, sentences, name, column="text").startswith(f"{name} cannot be read as ")


class Twice(DataFrame):
    """A data frame of pandas with two columns of one name, which it hands out as a data frame."""

    def __init__(self) -> None:
        super().__init__({"text": ["a b"]})
        self.columns = ["text", "text"]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ([["a"]], "column= is for tables, and the corpus is a list. Give a file of JSON Lines, CSV, Parquet or Arrow,"),
        (LazyFrame(), "A LazyFrame is not a table yet, and a corpus is read twice. Give the table that its collect()"),
        (IterableDataset(), "An IterableDataset is a stream, and a corpus is read twice. Load the dataset without"),
        (DataFrame({"a": ["x"]}), "the DataFrame has no column 'text'. It has 'a'. Name one of them."),
        (Twice(), "the Twice has 2 columns 'text'. Rename all but one."),
        ({"text": None}, "The column 'text' is a NoneType. Give a list of its values."),
        ({"text": "a b"}, "The column 'text' is a str. Give a list of its values."),
        (DataFrame({}), "the DataFrame has no columns, so none is called 'text'. Check the file."),
    ],
    ids=lambda source: type(source).__name__,
)
def test_what_is_not_a_table(source, said):
    assert message(InputError, sentences, source, column="text").startswith(said)


def test_a_frame_needs_a_column():
    assert message(CorpusTypeError, sentences, DataFrame({"id": [], "text": []})) == (
        "A DataFrame is a table: name its column of text: --column NAME (column='NAME'). It has 'id', 'text'."
    )
    assert message(CorpusTypeError, sentences, LazyFrame()) == (
        "A LazyFrame is a table: name its column of text: --column NAME (column='NAME'). For sessions name two: "
        "--session NAME --item NAME."
    )


def test_a_frame_of_sessions_is_told_to_name_both_columns():
    assert message(CorpusTypeError, sentences, DataFrame({"session_id": [1], "item_id": [2], "time": [3]})) == (
        "A DataFrame is a table: name its columns of sessions and items: --session session_id --item item_id "
        "(session='session_id', item='item_id'). It has 'session_id', 'item_id', 'time'."
    )


def test_a_series_is_a_list_of_sentences_once_it_is_a_list():
    class Series(DataFrame):
        columns = None

    assert message(CorpusTypeError, sentences, Series({})) == (
        "A Series is a table: give its values as a list, for example by .tolist()."
    )


def test_rows_of_sessions_are_looked_at_before_anything_takes_long(monkeypatch):
    write_parquet(arrow_batch(), "a.parquet")
    monkeypatch.setitem(sys.modules, "arro3.io", None)
    with pytest.raises(MissingExtraError):
        open_corpus("a.parquet", text=TextOptions(session="id", item="text"))


def test_arrow_needs_an_extra(monkeypatch):
    write_parquet(arrow_batch(), "a.parquet")
    monkeypatch.setitem(sys.modules, "arro3.io", None)
    assert "pip install 'pairloom[parquet]'" in message(MissingExtraError, sentences, "a.parquet", column="text")


def test_an_interrupt_is_not_an_error_of_the_file(monkeypatch):
    write_parquet(arrow_batch(), "a.parquet")

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("pairloom.corpus.inputs.arrow_rows._reader", interrupt)
    with pytest.raises(KeyboardInterrupt):
        sentences("a.parquet", column="text")


def test_a_file_that_changed_is_reported_as_such():
    write_json("a.jsonl")
    with open_corpus("a.jsonl", text=TextOptions(column="text")) as corpus:
        Path("a.jsonl").write_text('{"text": 5}\n')
        assert "was changed while it was read" in message(pairloom.CorpusChangedError, lambda: list(corpus.sentences()))
