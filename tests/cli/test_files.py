"""What commands read: lists of words, names of corpora, streams whose reader goes away."""

from pathlib import Path

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


COMMANDS = {  # what is read -> commands that read it and write OUT
    "corpus.txt": [
        "train corpus.txt -o OUT",
        "train . -o OUT",
        "train *.txt -o OUT",
        "train corpus.txt -o model.vec --contexts-output OUT",
        "train edges.txt --pairs -o new.loom --contexts-output OUT --read-vocab corpus.txt",
        "vocab corpus.txt -o OUT",
        "vocab edges.txt --keep corpus.txt -o OUT",
        "phrases corpus.txt -o OUT",
        "phrases corpus.txt --save-phrases OUT",
        "phrases edges.txt --connectors corpus.txt -o OUT",
        "explain model.loom corpus.txt --page OUT",
        "fold-in model.loom corpus.txt -o OUT",
        "word2vec -train corpus.txt -output OUT",
        "word2vec -train corpus.txt -save-vocab OUT",
        "word2vec -train edges.txt -read-vocab corpus.txt -output OUT",
        "word2phrase -train corpus.txt -output OUT",
    ],
    "edges.txt": [
        "train --pairs edges.txt -o OUT",
        "walk edges.txt -o OUT",
        "pairs edges edges.txt -o OUT",
        "word2vecf -train edges.txt -output OUT",
        "word2vecf -train corpus.txt -wvocab edges.txt -output OUT",
        "word2vecf -train corpus.txt -cvocab edges.txt -output new.vec -dumpcv OUT",
    ],
    "model.loom": [
        "train corpus.txt --start model.loom -o OUT",
        "convert model.loom OUT",
        "classes model.loom -k 2 -o OUT",
        "explain model.loom corpus.txt --page OUT",
        "fold-in model.loom corpus.txt -o OUT",
        "spell model.loom -o OUT",
    ],
}


LINKS = {
    "itself": lambda out, read: None,
    "symbolic link": lambda out, read: out.symlink_to(read),
    "hard link": lambda out, read: out.hardlink_to(read),
}


@pytest.mark.parametrize(("read", "command"), [(read, command) for read, some in COMMANDS.items() for command in some])
@pytest.mark.parametrize("link", LINKS)
def test_no_command_writes_over_what_it_reads(read, command, link, model, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("corpus.txt").write_text("the cat sat\n" * 50)
    Path("edges.txt").write_text("a b\nb c\n" * 50)
    Path("model.loom").write_bytes(model.read_bytes())
    content = Path(read).read_bytes()
    out = Path(read if link == "itself" else "linked" + Path(read).suffix)
    LINKS[link](out, read)
    assert main(command.replace("OUT", str(out)).split()) == 2
    said = capsys.readouterr().err
    assert said.endswith(f"{out} is, or is among, the files to be read. Choose another name for the output.\n")
    assert said.count("\n") == 1
    assert Path(read).read_bytes() == content


@pytest.mark.parametrize("link", [Path.symlink_to, Path.hardlink_to])
def test_an_index_is_not_written_over_its_model(link, model, tmp_path, capsys):
    copied = tmp_path / "model.loom"
    copied.write_bytes(model.read_bytes())
    link(tmp_path / "model.loom.index", copied)
    assert main(["index", str(copied)]) == 2
    assert "model.loom.index is, or is among, the files to be read" in capsys.readouterr().err
    assert copied.read_bytes() == model.read_bytes()
