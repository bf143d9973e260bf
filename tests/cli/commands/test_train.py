"""pairloom train: its output, and what it refuses to overwrite."""

import json

import pytest

import pairloom
from pairloom.cli.main import main

TOY = ("--dim", "16", "--epochs", "3", "--min-count", "1", "--sample", "0")


def test_train_writes_a_model_and_says_so(corpus, tmp_path, capsys):
    out = tmp_path / "m.loom"
    assert main(["train", str(corpus), "-o", str(out), *TOY]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith(f"{out}: 20 words, 16 dimensions, held-out loss ")
    assert "training 100%: epoch 3/3" in printed.err
    assert len(pairloom.load(out)) == 20


def test_train_gives_json_for_programs(corpus, tmp_path, capsys):
    assert main(["train", str(corpus), "-o", str(tmp_path / "m.loom"), *TOY, "--json", "--quiet"]) == 0
    printed = capsys.readouterr()
    summary = json.loads(printed.out)
    assert (summary["words"], summary["dim"]) == (20, 16)
    assert printed.err == ""


def test_train_is_the_same_from_the_library_from_a_file_and_from_stdin(corpus, tmp_path, run_process):
    pairloom.train(corpus, dim=16, epochs=3, min_count=1, sample=0).save(tmp_path / "library.loom")
    assert run_process("train", corpus, "-o", tmp_path / "file.loom", *TOY)[0] == 0
    assert run_process("train", "-", "-o", tmp_path / "stdin.loom", *TOY, stdin=corpus.read_text())[0] == 0
    files = {(tmp_path / f"{name}.loom").read_bytes() for name in ("library", "file", "stdin")}
    assert len(files) == 1


def test_keep_and_drop_take_files_of_words(corpus, tmp_path, capsys):
    (tmp_path / "keep.txt").write_text("cat\nred\n")
    (tmp_path / "drop.txt").write_text("dog\n")
    options = ["--min-count", "1000000", "--keep", str(tmp_path / "keep.txt"), "--drop", str(tmp_path / "drop.txt")]
    assert main(["vocab", str(corpus), "--quiet", *options]) == 0
    assert sorted(line.split()[0] for line in capsys.readouterr().out.splitlines()) == ["cat", "red"]


@pytest.mark.parametrize("name", ["self.txt", "folder/more.txt", "link.txt"])
def test_the_output_is_never_written_over_what_is_read(name, tmp_path, capsys):
    (tmp_path / "folder").mkdir()
    text = tmp_path / "folder" / "self.txt"
    text.write_text("a b c\n" * 50)
    (tmp_path / "self.txt").write_text("a b c\n" * 50)
    (tmp_path / "link.txt").symlink_to(tmp_path / "self.txt")
    corpora = [str(tmp_path / "self.txt"), str(tmp_path / "folder")]
    for command in ("train", "vocab"):
        assert main([command, *corpora, "-o", str(tmp_path / name), "--quiet"]) == 2
        assert "is, or is among, the files to be read" in capsys.readouterr().err
    assert (tmp_path / "self.txt").read_text() == text.read_text() == "a b c\n" * 50
