"""What commands read: lists of words, names of corpora, streams whose reader goes away."""

import pytest

from pairloom.cli.files import closed_pipe_is_no_error, input_paths, read_words
from pairloom.cli.main import main
from pairloom.errors import InputError, OutputError


def test_a_list_of_words_has_one_a_line(tmp_path):
    path = tmp_path / "words.txt"
    path.write_bytes("\ufeffcat\r\n\n  two words \ncafé".encode())
    assert read_words(str(path)) == ["cat", "two words", "café"]
    assert read_words(None) == []


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, " cannot be read: No such file or directory. Give a UTF-8 file with one word per line."),
        (b"caf\xe9\n", ", line 1: not valid UTF-8 (byte 3 of the line). Save the file as UTF-8."),
    ],
)
def test_a_list_of_words_that_cannot_be_read_is_named(content, reason, tmp_path):
    path = tmp_path / "words.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError) as error:
        read_words(str(path))
    assert str(error.value) == f"{path}{reason}"


def test_a_device_is_no_list_of_words():
    with pytest.raises(InputError, match=r"^/dev/zero is a device\. Give a UTF-8 file with one word per line\.$"):
        read_words("/dev/zero")


def test_a_corpus_without_a_name_is_refused(tmp_path, capsys):
    with pytest.raises(InputError, match="The path of the corpus is empty"):
        input_paths(["a", ""])
    with pytest.raises(SystemExit) as ended:
        main(["vocab", "", "-o", str(tmp_path / "v.txt")])
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("pairloom vocab: ")


def test_a_reader_that_has_gone_is_told_from_a_disk_that_fails():
    with pytest.raises(BrokenPipeError), closed_pipe_is_no_error():
        raise OutputError("could not be written") from BrokenPipeError()
    with pytest.raises(OutputError), closed_pipe_is_no_error():
        raise OutputError("could not be written") from OSError()
