"""pairloom convert: from every format to every other, and nothing written where something is wrong."""

import json
from typing import get_args

import numpy as np
import pytest

import pairloom
from pairloom.cli.main import main
from pairloom.formats import READABLE, WRITABLE, ReadableFormat, WritableFormat
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.vectors import Vectors


@pytest.fixture
def model(tmp_path):
    words = Vectors(["the", "naïve", "猫"], [[1, -0.5], [0.1, 1e-7], [3e4, 0]], [9, 4, 2])
    contexts = Vectors(["c", "d"], [[1, 2], [3, 4]], [3, 1])
    Embedding(words=words, contexts=contexts, record={"seed": 1}).save(tmp_path / "in.loom")
    return tmp_path / "in.loom"


def convert(*args) -> int:
    try:
        return main(["convert", *map(str, args)])
    except SystemExit as exit:
        return exit.code


def fails(tmp_path, capsys, *args, code=2):
    capsys.readouterr()
    before = sorted(tmp_path.rglob("*"))
    assert convert(*args) == code
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == before
    return printed.err.removeprefix("pairloom convert: ").rstrip("\n")


def test_the_formats_that_the_command_knows_are_the_librarys():
    from pairloom.cli.commands.convert import _FROM, _TO

    assert (_FROM, _TO) == (READABLE, WRITABLE)


def test_the_formats_that_editors_offer_are_the_librarys():
    assert (get_args(ReadableFormat), get_args(WritableFormat)) == (READABLE, WRITABLE)


@pytest.mark.parametrize("name", ["v.bin", "v.vec", "v.txt", "v.bin.gz", "v.txt.gz", "v.loom"])
def test_a_file_converted_there_and_back_has_the_same_bits(model, tmp_path, name, capsys):
    assert convert(model, tmp_path / name) == 0
    assert capsys.readouterr().out == f"{tmp_path / name}: 3 words, 2 dimensions\n"
    assert convert(tmp_path / name, tmp_path / "back.loom") == 0
    before, after = pairloom.load(model), pairloom.load(tmp_path / "back.loom")
    assert after.words.words == before.words.words
    assert after.words.vectors.tobytes() == before.words.vectors.tobytes()


def test_from_and_to_name_formats_and_limit_takes_the_first_rows(model, tmp_path, capsys):
    assert convert(model, tmp_path / "v", "--to", "glove", "--limit", "2", "--json") == 0
    facts = {"output": str(tmp_path / "v"), "words": 2, "contexts": 2, "dim": 2}
    assert json.loads(capsys.readouterr().out) == facts
    assert (tmp_path / "v").read_bytes().startswith(b"the 1 -0.5\n")
    assert convert(tmp_path / "v", tmp_path / "w.bin", "--from", "glove") == 0
    assert pairloom.load(tmp_path / "w.bin").words.words == ["the", "naïve"]


def test_contexts_are_written_in_the_place_of_words(model, tmp_path, capsys):
    assert convert(model, tmp_path / "c.vec", "--contexts") == 0
    assert (tmp_path / "c.vec").read_text() == "2 2\nc 1 2\nd 3 4\n"
    assert "holds no contexts" in fails(tmp_path, capsys, tmp_path / "c.vec", tmp_path / "d.vec", "--contexts")


def test_float16_and_folders(model, tmp_path):
    assert convert(model, tmp_path / "half.loom", "--dtype", "float16") == 0
    half = pairloom.load(tmp_path / "half.loom").words.vectors
    assert np.array_equal(half, pairloom.load(model).words.vectors.astype(np.float16).astype(np.float32))
    for kind in ("tensorboard", "static"):
        assert convert(model, tmp_path / kind, "--to", kind) == 0
        assert (tmp_path / kind).is_dir()


def test_broken_words_are_read_as_asked(tmp_path, capsys):
    (tmp_path / "cut.txt").write_bytes(b"1 1\ncaf\xc3 1\n")
    assert "--errors" in fails(tmp_path, capsys, tmp_path / "cut.txt", tmp_path / "o.vec")
    assert convert(tmp_path / "cut.txt", tmp_path / "o.vec", "--errors", "ignore") == 0
    assert (tmp_path / "o.vec").read_bytes() == b"1 1\ncaf 1\n"


def test_repeated_words_are_a_line_on_stderr(tmp_path, capsys):
    (tmp_path / "twice.txt").write_text("2 1\na 1\na 2\n")
    assert convert(tmp_path / "twice.txt", tmp_path / "o.vec", "--lenient") == 0
    printed = capsys.readouterr()
    assert printed.err.startswith("pairloom: warning: 1 of 2 rows was left out") and printed.err.count("\n") == 1


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["in.loom", "in.loom"], "is, or is among, the files to be read. Choose another name for the output."),
        (["in.loom", "link.loom"], "is, or is among, the files to be read. Choose another name for the output."),
        (["in.loom", "out"], "has no suffix that names a format."),
        (["none.bin", "out.vec"], "cannot be read: No such file or directory."),
        (["in.loom", "no/out.vec"], "does not exist. Create it first."),
        (["in.loom", "out.vec", "--limit", "0"], "--limit 0 is not a number of rows."),
        (["in.loom", "out.vec", "--dtype", "float16"], "--dtype 'float16' does not go into the format text"),
        (["in.loom", "out.vec", "--to", "word2vec"], "invalid choice: 'word2vec'"),
        (["in.loom", "out.vec", "--from", "bin"], "it has no first line of two whole numbers"),
        (["in.loom", ".", "--to", "static"], "exists already, and a folder is not written over."),
        (["in.loom", "x" * 300, "--to", "static"], "cannot be written: File name too long."),
        (["in.loom", "no/folder", "--to", "tensorboard"], "does not exist. Create it first."),
        (["x" * 300, "out.bin"], "cannot be read: File name too long."),
    ],
)
def test_what_is_wrong_is_one_line_and_nothing_is_written(model, tmp_path, capsys, args, message):
    (tmp_path / "link.loom").symlink_to(model)
    paths = [arg if arg.startswith("--") or i > 1 else tmp_path / arg for i, arg in enumerate(args)]
    assert message in fails(tmp_path, capsys, *paths)


def test_a_word_that_the_output_cannot_hold_is_refused(tmp_path, capsys):
    Embedding.of_words(Vectors(["new york"], [[1]])).save(tmp_path / "in.loom")
    assert "'new york' is empty or has white space" in fails(tmp_path, capsys, tmp_path / "in.loom", tmp_path / "o.bin")
