"""Bad corpora and bad options, through the command line and through the library.

Each ends with one line that names the file or the option, what is wrong and what to do; exit code 2; nothing written.
"""

import bz2
import gzip
import lzma
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import pairloom
from pairloom.cli.main import main

GOOD = "the cat sat on the mat\nthe dog sat on the rug\n" * 20


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def fails(corpus, tmp_path, capsys, *options, code=2):
    """Train by the command line; give the one line of the error after the checks that every failure must pass."""
    before = sorted(tmp_path.rglob("*"))
    try:
        given = main(["train", str(corpus), "-o", str(tmp_path / "m.loom"), "--quiet", "--min-count", "1", *options])
    except SystemExit as exit:
        given = exit.code
    printed = capsys.readouterr()
    assert given == code
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert printed.err.startswith("pairloom train: ")
    assert sorted(tmp_path.rglob("*")) == before
    return printed.err.removeprefix("pairloom train: ").rstrip("\n")


@pytest.mark.parametrize("content", ["", "\n" * 1000, "  \t  " * 100, "\ufeff", "\u3000\u2028 \u00a0"])
def test_text_without_words(content, tmp_path, capsys):
    corpus = write(tmp_path / "c.txt", content)
    line = fails(corpus, tmp_path, capsys)
    assert line.startswith(f"{corpus} has no words.")
    with pytest.raises(pairloom.InputError):
        pairloom.train(corpus)


def test_a_missing_file(tmp_path, capsys):
    line = fails(tmp_path / "none.txt", tmp_path, capsys)
    assert f"{tmp_path / 'none.txt'}" in line and "not" in line


def test_a_glob_without_files(tmp_path, capsys):
    assert f"{tmp_path}/*.text" in fails(f"{tmp_path}/*.text", tmp_path, capsys)


def test_a_folder_without_text(tmp_path, capsys):
    (tmp_path / "folder").mkdir()
    assert f"{tmp_path / 'folder'}" in fails(tmp_path / "folder", tmp_path, capsys)


def test_invalid_utf_8_names_file_line_and_byte(tmp_path, capsys):
    corpus = write(tmp_path / "c.txt", b"fine line\nand caf\xe9 here\n" + GOOD.encode())
    line = fails(corpus, tmp_path, capsys)
    assert str(corpus) in line and "line 2" in line and "17" in line
    assert "use --encoding cp1252." in line
    assert main(["train", str(corpus), "-o", str(tmp_path / "m.loom"), "--encoding", "cp1252", "--min-count", "1"]) == 0
    assert "café" in pairloom.load(tmp_path / "m.loom")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_utf_16_is_recognised(encoding, tmp_path, capsys):
    line = fails(write(tmp_path / "c.txt", GOOD.encode(encoding)), tmp_path, capsys)
    assert "UTF-16" in line or "UTF-32" in line
    assert "--encoding" in line


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_truncated_and_damaged_packed_files(pack, tmp_path, capsys):
    packed = pack(GOOD.encode() * 50)
    line = fails(write(tmp_path / "cut.gz", packed[:-20]), tmp_path, capsys)
    assert str(tmp_path / "cut.gz") in line
    middle = len(packed) // 2
    flipped = packed[:middle] + bytes([packed[middle] ^ 255]) + packed[middle + 1 :]
    assert str(tmp_path / "bad.gz") in fails(write(tmp_path / "bad.gz", flipped), tmp_path, capsys)


def test_min_count_that_leaves_nothing_names_one_that_leaves_two_words(tmp_path, capsys):
    corpus = write(tmp_path / "c.txt", GOOD)
    line = fails(corpus, tmp_path, capsys, "--min-count", "1000")
    assert "1000" in line and "Use --min-count 40, or" in line  # `the` occurs 80 times, `on` and `sat` 40 times


def test_a_single_word(tmp_path, capsys):
    line = fails(write(tmp_path / "c.txt", "word word word\n" * 50), tmp_path, capsys)
    assert "2 words" in line


@pytest.mark.parametrize(
    "options",
    [
        ("--dim", "0"),
        ("--dim", "-5"),
        ("--dim", "2000000000"),
        ("--dim", "abc"),
        ("--window", "0"),
        ("--window", "-3"),
        ("--lr", "0"),
        ("--lr", "-1"),
        ("--lr", "nan"),
        ("--lr", "1e30"),
        ("--negatives", "0"),
        ("--negatives", "-5"),
        ("--threads", "0"),
        ("--threads", "5000"),
        ("--epochs", "0"),
        ("--epochs", "-1"),
        ("--sample", "nan"),
        ("--sample", "-0.1"),
        ("--min-count", "0"),
        ("--max-vocab", "1"),
        ("--max-sentence", "0"),
        ("--encoding", "klingon"),
        ("--errors", "maybe"),
        ("--seed", "-1"),
        ("--heldout", "2"),
        ("--noise-power", "inf"),
        ("--min-lr", "1"),
        ("--no-such-option", "1"),
    ],
)
def test_every_option_out_of_its_range_before_any_file_is_touched(options, tmp_path, capsys):
    name = options[0].removeprefix("--")
    line = fails(tmp_path / "not-even-there.txt", tmp_path, capsys, *options)
    assert name in line or name.replace("-", "_") in line
    assert "not-even-there" not in line


@pytest.mark.parametrize("option", ["--keep", "--drop", "--read-vocab"])
@pytest.mark.parametrize("content", [None, b"caf\xe9 1\n"])
def test_files_of_words_that_cannot_be_read(option, content, tmp_path, capsys):
    words = tmp_path / "words.txt"
    if content is not None:
        words.write_bytes(content)
    assert str(words) in fails(write(tmp_path / "c.txt", GOOD), tmp_path, capsys, option, str(words))


def test_a_rate_that_makes_vectors_explode_is_exit_code_3(tmp_path, capsys):
    corpus = write(tmp_path / "c.txt", GOOD * 20)
    line = fails(corpus, tmp_path, capsys, "--lr", "1e6", code=3)
    assert line.startswith("The vectors diverged in epoch 1, near word 0.")


@pytest.mark.parametrize("output", ["no/such/folder/m.loom", "m.model", "m", "."])
def test_an_output_that_cannot_be_written_is_found_before_training(output, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    corpus = write(tmp_path / "c.txt", GOOD)
    monkeypatch.setattr("pairloom.training.train.train", lambda *_, **__: pytest.fail("it began to train"))
    assert main(["train", str(corpus), "-o", output]) == 2
    assert output in capsys.readouterr().err


def test_an_existing_model_stays_as_it_is_when_training_fails(tmp_path, capsys):
    model = write(tmp_path / "m.loom", b"precious")
    fails(write(tmp_path / "c.txt", ""), tmp_path, capsys)
    assert model.read_bytes() == b"precious"


def trained(tmp_path, corpus, *options):
    """The words of a training that succeeds."""
    out = tmp_path / "good.loom"
    assert main(["train", str(corpus), "-o", str(out), "--quiet", "--min-count", "1", "--epochs", "1", *options]) == 0
    return set(pairloom.load(out))


def test_no_newline_at_the_end(tmp_path):
    assert "last" in trained(tmp_path, write(tmp_path / "c.txt", GOOD + "the last"))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_of_all_systems(end, tmp_path):
    corpus = write(tmp_path / "c.txt", GOOD.replace("\n", end))
    assert trained(tmp_path, corpus) == {"the", "cat", "sat", "on", "mat", "dog", "rug"}


def test_a_byte_order_mark_is_no_part_of_a_word(tmp_path):
    assert "the" in trained(tmp_path, write(tmp_path / "c.txt", "\ufeffthe " + GOOD))
    assert "\ufeffthe" not in trained(tmp_path, tmp_path / "c.txt")


def test_scripts_emoji_and_odd_spaces(tmp_path):
    corpus = write(tmp_path / "c.txt", "שלום 世界\u3000😀 a\u00a0b\u2028c नमस्ते\n" * 10)
    assert trained(tmp_path, corpus) == {"שלום", "世界", "😀", "a", "b", "c", "नमस्ते"}


def test_nul_bytes_and_words_beyond_all_length_are_reported(tmp_path, capsys):
    corpus = write(tmp_path / "c.txt", GOOD + "odd\0word\n" + "x" * 2_000_000 + "\n")
    words = trained(tmp_path, corpus)
    warnings = capsys.readouterr().err
    assert "odd\0word" in words and "NUL" in warnings
    assert not any(word.startswith("xx") for word in words) and "1 word" in warnings


def test_a_long_path(tmp_path):
    folder = tmp_path.joinpath(*["long" * 20] * 10)
    folder.mkdir(parents=True)
    assert "cat" in trained(tmp_path, write(folder / "c.txt", GOOD))


def test_a_pipe_is_read_once_and_spooled(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text(GOOD))
    writer.start()
    assert "cat" in trained(tmp_path, pipe)
    writer.join()


def test_a_gzip_bomb_of_one_word_is_refused_in_little_memory(tmp_path):
    zeros = gzip.compress(b"a" * 10_000_000, 9)
    bomb = write(tmp_path / "bomb.gz", zeros * 20)  # 200 MB of one word in 200 kB
    script = (
        "import re, sys; from pathlib import Path; from pairloom.cli.main import main; "
        f"code = main(['train', {str(bomb)!r}, '-o', 'm.loom', '--quiet']); "
        "status = Path('/proc/self/status').read_text(); "  # not getrusage, which begins at the peak of the parent
        "sys.exit(code if int(re.search(r'VmHWM:\\s+(\\d+)', status)[1]) < 400_000 else 99)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert done.returncode == 2, done.stderr
    assert str(bomb) in done.stderr
    assert not (tmp_path / "m.loom").exists()


def test_a_corpus_that_is_written_to_while_it_is_read_is_exit_code_4(tmp_path, capsys, monkeypatch):
    corpus = write(tmp_path / "c.txt", GOOD)
    count = sys.modules["pairloom.corpus.vocabulary"].count

    def count_then_append(*args, **kwargs):
        counted = count(*args, **kwargs)
        with corpus.open("a") as file:
            file.write("a new line\n")
        os.utime(corpus, (time.time() + 5, time.time() + 5))
        return counted

    monkeypatch.setattr("pairloom.corpus.vocabulary.count", count_then_append)
    assert str(corpus) in fails(corpus, tmp_path, capsys, code=4)


@pytest.mark.parametrize(
    "corpus",
    [
        (line.split() for line in ["a b", "c d"]),
        iter([["a", "b"]]),
        map(str.split, ["a b", "c d"]),
        ["a b c", "d e f"],
        [[1, 2], [3, 4]],
        [["a", None]],
        [["a", ""]],
        42,
        None,
        b"the cat sat",
        [],
    ],
    ids=lambda c: type(c).__name__,
)
def test_python_objects_that_are_no_corpus(corpus):
    with pytest.raises(pairloom.InputError) as caught:
        pairloom.train(corpus, min_count=1)
    assert "\n" not in str(caught.value) and str(caught.value).endswith((".", "?", ")"))


# --- What is silently taken for something else, elsewhere


@pytest.mark.parametrize(
    ("argv", "name"),
    [
        (["train", "c.txt", "-o", "m.loom", "--read-vocab", ""], "--read-vocab"),
        (["train", "c.txt", "-o", "m.loom", "--contexts-output", ""], "--contexts-output"),
        (["train", "c.txt", "-o", ""], "-o/--output"),
        (["train", "c.txt", "", "-o", "m.loom"], "CORPUS"),
        (["train", "c.txt", "-o", "m.loom", "--pairs", "--columns", ""], "--columns"),
        (["phrases", "c.txt", "-o", "m.txt", "--phrases", ""], "--phrases"),
        (["word2vecf", "-train", "c.txt", "-output", "m.vec", "-wvocab", ""], "-wvocab"),
        (["near", "m.loom", "cat", ""], "WORD"),
    ],
)
def test_an_empty_string_is_not_the_same_as_nothing(argv, name, capsys):
    """It is what `--read-vocab "$WORDS"` gives in a script that forgot to set WORDS."""
    with pytest.raises(SystemExit) as ended:
        main(argv)
    assert ended.value.code == 2
    assert capsys.readouterr().err == (
        f"pairloom {argv[0]}: argument {name} is empty. Give it a value or leave it out. "
        f"See: pairloom {argv[0]} --help\n"
    )


def test_a_table_of_classes_has_no_negative_number_of_words(model, capsys):
    assert main(["classes", str(model), "-k", "2", "-n", "-1"]) == 2
    assert capsys.readouterr().err == ("pairloom classes: -n -1 is not a number of words. Use 0 or more; 8 is usual.\n")


def test_a_cache_folder_that_is_a_file_is_named_as_such(corpus, tmp_path, capsys):
    write(tmp_path / "file", "in the way")
    assert main(["phrases", str(corpus), "--quiet", "--cache-dir", str(tmp_path / "file")]) == 5
    assert capsys.readouterr().err.startswith(
        f"pairloom phrases: The cache folder {tmp_path / 'file'} cannot be written"
    )


def test_too_little_memory_is_one_line(corpus, tmp_path, capsys, monkeypatch):
    def train(*_, **__):
        raise MemoryError

    monkeypatch.setattr("pairloom.training.train.train_text", train)
    line = fails(corpus, tmp_path, capsys)
    assert line == "there is not enough memory. Close other programs, or choose smaller options."


V = pairloom.Vectors(["cat", "dog"], [[1.0, 0.0], [0.0, 1.0]])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pairloom.evaluate("m.loom", "q.txt"), "Vectors cannot be a str. Give Vectors, or load a file by"),
        (lambda: pairloom.word_classes(None, 2), "Vectors cannot be a NoneType."),
        (lambda: pairloom.document_vectors({}, [["cat"]]), "Vectors cannot be a dict."),
        (
            lambda: pairloom.explain("m.loom", "c.txt"),
            "An embedding cannot be a str. Give the result of pairloom.train or pairloom.load.",
        ),
        (lambda: pairloom.explain_similarity(V, "cat", "dog"), "An embedding cannot be a Vectors."),
        (lambda: pairloom.Vectors("ab", [[1], [2]]), "'ab' is not a list of words."),
        (lambda: pairloom.Vectors(["a", 5], [[1], [2]]).check(), "Row 1 belongs to 5, which is not a string."),
        (lambda: pairloom.Vectors(["a"], [["x"]]), "Vectors and counts are made of numbers, and these are not numbers"),
        (
            lambda: pairloom.Vectors(["a"], [[1]], [1.5]),
            "Vectors and counts are made of numbers, and these",
        ),
        (lambda: V.most_similar("cat", weights=["1"]), "The weight '1' is not a number. Give finite numbers."),
        (
            lambda: V.most_similar("cat", weights=5),
            "The query has 1 part and no weights. Give one weight for each word or vector.",
        ),
        (lambda: V.get_mean_vector(["cat"], weights=[float("nan")]), "The weight nan is not a number."),
        (lambda: V.most_similar("cat", indexer=5), "indexer=5 is not an index."),
        (lambda: V.most_similar_batch(None), "A batch is a list of queries."),
        (
            lambda: V.most_similar_batch(["cat"], negative=5),
            "positive has 1 query and negative none. Give one for each.",
        ),
        (lambda: V.most_similar_cosmul(np.zeros(2)), "A query vector is zero, which points nowhere."),
        (lambda: V.most_similar_to_given("cat", 5), "There are no words to choose from."),
        (lambda: V.doesnt_match(5), "Give a list of words, two or more."),
        (lambda: V.vectors_for_all("cat"), "'cat' is not a list of words."),
        (lambda: V.distances("cat", "dog"), "'dog' is not a list of words. Give a list of strings."),
        (lambda: V.wmdistance("cat", ["dog"]), "'cat' is not a list of words. Give a list of strings."),
        (lambda: pairloom.Vocabulary.of([("a", 1.5)]), "'a' cannot occur 1.5 times. Give a whole number below 2^62."),
        (lambda: pairloom.Vocabulary.of([("a", 2**70)]), "'a' cannot occur 11805916207"),
        (lambda: pairloom.Vocabulary.of([(5, 1)]), "A vocabulary is made of pairs (word, count), not of (5, 1)."),
        (lambda: pairloom.Vocabulary.of(5), "A vocabulary is made of pairs (word, count), not of 5."),
        (lambda: pairloom.train([["a"]], keep=[None]), "keep and drop are lists of words, and None is not a string."),
        (lambda: pairloom.train([["a"]], freeze=""), "freeze needs vectors to start from."),
        (lambda: pairloom.train([["a"]], grow="yes"), "grow='yes' is not a choice. Use True or False."),
        (lambda: pairloom.train([["a"]], window=np.array([1, 2])), "window=array([1, 2]) is not a whole number."),
        (lambda: pairloom.train("c.txt", tokenize=5), "tokenize=5 cannot be called. Give a function from a line"),
        (lambda: pairloom.load("m.loom", verify=None), "verify=None is not a choice. Use True, False or 'always'."),
        (lambda: pairloom.load("m.loom", lenient=None), "lenient=None is not a choice. Use True or False."),
        (lambda: pairloom.load("m.loom", format=""), "format='' cannot be read."),
        (lambda: pairloom.evaluate(V, "q.txt", method=[]), "method=[] is not a choice. Use add or mul."),
        (lambda: pairloom.evaluate(V, "q.txt", threads=0), "threads=0 is out of range."),
        (lambda: pairloom.Phrases.learn([["a"]], connectors=5), "connectors=5 is not a choice."),
    ],
)
def test_arguments_of_another_kind_are_named(call, message):
    with pytest.raises(pairloom.InputError) as caught:
        call()
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_counts_of_something_else_are_refused(model):
    message = r"^counts cannot be a dict\. Use the result of pairloom\.count_corpus, or None\.$"
    with pytest.raises(pairloom.InputError, match=message):
        pairloom.explain_similarity(pairloom.load(model), "cat", "dog", counts={})
