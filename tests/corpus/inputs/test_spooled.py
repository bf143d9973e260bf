"""Iterators that can be read only once, in a temporary file."""

import gc
import tempfile
from pathlib import Path

import pytest

import pairloom
from pairloom.errors import CorpusTypeError
from tests.corpus.helpers import message, sentences

LINES = [["the", "red shoes"], ["a\nb", "ü"], ["x", "y", "z"]] * 20


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_a_generator_can_be_read_again_and_again(temporary):
    spooled = pairloom.spool(line for line in LINES)
    assert list(spooled) == list(spooled) == LINES
    assert sentences(spooled) == LINES and sentences(spooled, lowercase=True)[1] == ["a\nb", "ü"]
    assert len(list(temporary.iterdir())) == 1
    del spooled
    gc.collect()
    assert list(temporary.iterdir()) == []


def test_training_on_a_generator_has_the_bytes_of_training_on_a_list(temporary):
    options = {"dim": 4, "epochs": 1, "min_count": 1}
    pairloom.train(LINES, output=temporary / "list.loom", **options)
    pairloom.train((line for line in LINES), spool=True, output=temporary / "spooled.loom", **options)
    assert (temporary / "list.loom").read_bytes() == (temporary / "spooled.loom").read_bytes()
    assert list(temporary.glob("*.spool")) == []


def test_without_it_the_message_names_it():
    assert message(CorpusTypeError, sentences, iter(LINES)) == (
        "A list_iterator can be read only once, and a corpus is read twice. Give a list, or an object whose __iter__ "
        "starts over each time; or copy it to a temporary file: pairloom.spool(...), or train(..., spool=True)."
    )


@pytest.mark.parametrize("source", ["corpus.txt", Path("corpus.txt"), 5, {"a"}, pairloom.spool([["a"]])], ids=str)
def test_what_is_not_spooled(source):
    assert message(CorpusTypeError, pairloom.spool, source)


def test_a_wrong_sentence_leaves_no_file(temporary):
    assert message(CorpusTypeError, pairloom.spool, iter([["a"], ["b", 5]])).startswith("corpus[1][1] is 5, of type")
    gc.collect()
    assert list(temporary.iterdir()) == []


def test_errors_of_the_source_reach_the_caller(temporary):
    def broken():
        yield ["a"]
        raise OSError("of the source")

    with pytest.raises(OSError, match="of the source"):
        pairloom.spool(broken())
