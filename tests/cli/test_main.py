"""The command line, run as a person runs it: its output, its errors, its exit codes."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import pairloom
from pairloom.cli.commands import NAMES
from pairloom.cli.main import main


def run(*args, stdin=None):
    """A process of its own; gives its exit code, output and errors."""
    command = [sys.executable, "-m", "pairloom", *map(str, args)]
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


TOY = ("--dim", "16", "--epochs", "3", "--min-count", "1", "--sample", "0")


def test_train_writes_a_model_and_says_so(corpus, tmp_path, capsys):
    out = tmp_path / "m.loom"
    assert main(["train", str(corpus), "-o", str(out), *TOY]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith(f"{out}: 20 words, 16 dimensions, held-out loss ")
    assert "train 100%: epoch 3/3" in printed.err
    assert len(pairloom.load(out)) == 20


def test_train_gives_json_for_programs(corpus, tmp_path, capsys):
    assert main(["train", str(corpus), "-o", str(tmp_path / "m.loom"), *TOY, "--json", "--quiet"]) == 0
    printed = capsys.readouterr()
    summary = json.loads(printed.out)
    assert (summary["words"], summary["dim"]) == (20, 16)
    assert printed.err == ""


def test_train_is_the_same_from_the_library_from_a_file_and_from_stdin(corpus, tmp_path):
    pairloom.train(corpus, dim=16, epochs=3, min_count=1, sample=0).save(tmp_path / "library.loom")
    assert run("train", corpus, "-o", tmp_path / "file.loom", *TOY)[0] == 0
    assert run("train", "-", "-o", tmp_path / "stdin.loom", *TOY, stdin=corpus.read_text())[0] == 0
    files = {(tmp_path / f"{name}.loom").read_bytes() for name in ("library", "file", "stdin")}
    assert len(files) == 1


def test_near_prints_neighbours_of_each_word(model, capsys):
    assert main(["near", str(model), "cat", "red", "-n", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert (lines[0], lines[3]) == ("cat", "red")
    cosine, word = lines[1].split()
    assert 0.5 < float(cosine) <= 1 and word in "dog horse cow sheep goat hen duck pig goose".split()


def test_near_reads_words_from_stdin_and_ends_with_it(model):
    code, out, err = run("near", model, "-n", "1", "--json", stdin="cat\n\nred\n")
    assert (code, err) == (0, "")
    assert [json.loads(line)["word"] for line in out.splitlines()] == ["cat", "red"]


def test_near_asks_the_contexts_too(model, capsys):
    main(["near", str(model), "cat", "-n", "3"])
    words = capsys.readouterr().out
    main(["near", str(model), "cat", "-n", "3", "--contexts"])
    assert capsys.readouterr().out != words


def test_an_unknown_word_is_answered_with_a_similar_one_and_the_others_with_neighbours(model):
    code, out, err = run("near", model, "caat", "dog", "-n", "1")
    assert code == 2
    assert err == "pairloom near: 'caat' is not among the 20 words of these vectors. Did you mean 'cat'?\n"
    assert out.startswith("dog\n")


def test_a_closed_pipe_ends_quietly(model):
    command = f"{sys.executable} -m pairloom near {model} cat -n 20 | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("cat\n", "")


def test_info_tells_how_a_model_was_made(model, capsys):
    assert main(["info", str(model)]) == 0
    text = capsys.readouterr().out
    assert "words                    20\n" in text
    assert "config.epochs            10\n" in text
    assert main(["info", str(model), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["config"]["dim"] == 16


def test_vocab_counts(corpus, tmp_path, capsys):
    assert main(["vocab", str(corpus), "--quiet", "--max-vocab", "2"]) == 0
    counts = [int(line.split()[1]) for line in capsys.readouterr().out.splitlines()]
    assert len(counts) == 2 and counts[0] >= counts[1] > 200
    saved = tmp_path / "vocab.txt"
    assert main(["vocab", str(corpus), "--quiet", "-o", str(saved)]) == 0
    assert main(["train", str(corpus), "--read-vocab", str(saved), "-o", str(tmp_path / "m.loom"), "--quiet"]) == 0
    assert main(["vocab", str(corpus), "--quiet", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["counts"]) == 20


def test_keep_and_drop_take_files_of_words(corpus, tmp_path, capsys):
    (tmp_path / "keep.txt").write_text("cat\nred\n")
    (tmp_path / "drop.txt").write_text("dog\n")
    options = ["--min-count", "1000000", "--keep", str(tmp_path / "keep.txt"), "--drop", str(tmp_path / "drop.txt")]
    assert main(["vocab", str(corpus), "--quiet", *options]) == 0
    assert sorted(line.split()[0] for line in capsys.readouterr().out.splitlines()) == ["cat", "red"]


@pytest.mark.parametrize(("suffix", "first"), [("bin", b"20 16\n"), ("vec", b"20 16\n"), ("txt", b"20 16\n")])
def test_convert_writes_word2vec_files(model, tmp_path, suffix, first, capsys):
    out = tmp_path / f"m.{suffix}"
    assert main(["convert", str(model), str(out)]) == 0
    assert out.read_bytes().startswith(first)


def test_the_cache_is_shown_and_deleted_by_one_command(corpus, tmp_path, capsys):
    cache = tmp_path / "cache"
    assert main(["train", str(corpus), "-o", str(tmp_path / "m.loom"), *TOY, "--cache-dir", str(cache)]) == 0
    capsys.readouterr()
    main(["cache", "--cache-dir", str(cache)])
    assert "bytes in 1 corpora" in capsys.readouterr().out
    main(["cache", "--cache-dir", str(cache), "--json"])
    corpora = json.loads(capsys.readouterr().out)["corpora"]
    main(["cache", "--cache-dir", str(cache), "--clear", "--json"])
    assert json.loads(capsys.readouterr().out)["freed"] == corpora[0]["bytes"] > 0
    assert list(cache.iterdir()) == []


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


@pytest.mark.parametrize("stderr", ["2>/dev/full", "2>&-", "2>&1 | head -n 1"])
def test_training_goes_on_when_nobody_reads_its_progress(stderr, corpus, tmp_path):
    out = tmp_path / "m.loom"
    options = "--dim 8 --min-count 1 --epochs 3"
    command = f"{sys.executable} -m pairloom train {corpus} -o {out} {options} {stderr}"
    subprocess.run(command, shell=True, timeout=60, capture_output=True)
    assert len(pairloom.load(out)) == 20


@pytest.mark.parametrize("stdout", [">/dev/full", ">&-"])
def test_an_output_that_cannot_be_printed_is_no_traceback(stdout, model):
    done = subprocess.run(
        f"{sys.executable} -m pairloom info {model} {stdout}", shell=True, capture_output=True, text=True
    )
    assert "Traceback" not in done.stderr
    assert done.returncode == (5 if "full" in stdout else 0)


@pytest.mark.parametrize("command", ["near {model} <&-", "train - -o {out} <&-"])
def test_a_closed_stdin_is_no_traceback(command, model, tmp_path):
    line = command.format(model=model, out=tmp_path / "m.loom")
    done = subprocess.run(f"{sys.executable} -m pairloom {line}", shell=True, capture_output=True, text=True)
    assert "Traceback" not in done.stderr


def test_words_are_printed_on_a_terminal_that_lacks_their_letters(tmp_path):
    corpus = tmp_path / "c.txt"
    corpus.write_text("한국어 텍스트\n" * 20, encoding="utf-8")
    command = [sys.executable, "-m", "pairloom", "vocab", str(corpus), "--quiet"]
    done = subprocess.run(command, capture_output=True, env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(rb"\u")


def test_a_request_to_end_is_as_good_as_ctrl_c(corpus, tmp_path):
    command = [sys.executable, "-m", "pairloom", "train", corpus, "-o", tmp_path / "m.loom", "--epochs", "1000000"]
    process = subprocess.Popen([*command, "--min-count", "1"], stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    while not process.stderr.readline().startswith("train"):
        pass
    process.terminate()
    process.communicate(timeout=20)
    assert process.returncode == 128 + signal.SIGTERM


def test_ctrl_c_ends_training_within_a_second_with_130_and_writes_nothing(corpus, tmp_path):
    out = tmp_path / "m.loom"
    command = [sys.executable, "-m", "pairloom", "train", corpus, "-o", out, "--epochs", "1000000", "--min-count", "1"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    while not process.stderr.readline().startswith("train"):
        pass
    process.send_signal(signal.SIGINT)
    began = time.perf_counter()
    _, err = process.communicate(timeout=20)
    assert time.perf_counter() - began < 1
    assert process.returncode == 130
    assert err.splitlines()[-1] == "pairloom train: interrupted; no output was saved."
    assert not out.exists()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--dim", "abc"], "pairloom train: argument --dim: 'abc' is not a whole number. See: pairloom train --help"),
        (["--dimm", "5"], "pairloom train: there is no option --dimm; did you mean --dim? See: pairloom train --help"),
        (
            ["--vector-size", "5"],
            "pairloom train: there is no option --vector-size; did you mean --dim? See: pairloom train --help",
        ),
        (["--zzz"], "pairloom train: there is no option --zzz. See: pairloom train --help"),
        (
            ["--threads", "0"],
            "pairloom train: --threads 0 is out of range. Use 1 to 256; leave it out to use all cores.",
        ),
        (
            ["--threads", "5000"],
            "pairloom train: --threads 5000 is out of range. Use 1 to 256; leave it out to use all cores.",
        ),
    ],
)
def test_a_mistyped_option_is_one_line_and_exit_code_2(args, message, corpus, tmp_path, capsys):
    out = tmp_path / "m.loom"
    try:
        code = main(["train", str(corpus), "-o", str(out), *args])
    except SystemExit as exit:
        code = exit.code
    assert code == 2
    assert capsys.readouterr().err == message + "\n"
    assert not out.exists()


@pytest.mark.parametrize(
    ("typed", "answer"), [("trian", "'trian'; did you mean train?"), ("xyz", "'xyz'; there are train, vocab, phrases,")]
)
def test_a_wrong_command_names_the_right_ones(typed, answer, capsys):
    with pytest.raises(SystemExit):
        main([typed])
    assert f"pairloom: there is no command {answer}" in capsys.readouterr().err


@pytest.mark.parametrize("command", NAMES)
def test_every_command_has_help_with_an_example(command, capsys):
    with pytest.raises(SystemExit) as exit:
        main([command, "--help"])
    assert exit.value.code == 0
    example = capsys.readouterr().out.partition("\nexample: ")[2].splitlines()[0]
    assert f"pairloom {command} " in f"{example} "


def best_seconds(*command):
    """The fastest of five runs: what the machine can do when nothing else is in the way."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    times = []
    for _ in range(5):
        began = _processor_seconds()
        subprocess.run([sys.executable, *command], check=True, capture_output=True, env=environment)
        times.append(_processor_seconds() - began)
    return min(times)


def _processor_seconds():
    """Of all processes that ended: other than the clock, it does not run on while others have the processor."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_importing_the_package_and_asking_for_help_are_quick_and_leave_numpy_and_numba_alone():
    bare = best_seconds("-c", "pass")
    assert best_seconds("-c", "import pairloom") - bare < 0.15
    assert best_seconds("-m", "pairloom", "--help") < 0.25
    heavy = "{'numpy', 'numba', 'rich'}"
    loaded = f"import sys, pairloom, pairloom.cli.main; sys.exit(not {heavy}.isdisjoint(sys.modules))"
    assert subprocess.run([sys.executable, "-c", loaded]).returncode == 0


def test_the_public_names_are_those_of_all():
    assert sorted(pairloom.__all__) == pairloom.__all__ == dir(pairloom)
    assert set(pairloom._HOME) | {"__version__"} == set(pairloom.__all__)
    for name, home in pairloom._HOME.items():
        assert getattr(pairloom, name).__module__.startswith(f"pairloom.{home}")
    with pytest.raises(AttributeError, match="module 'pairloom' has no attribute 'tarin'"):
        pairloom.tarin  # noqa: B018  (that it raises is the point)


def test_nothing_in_the_package_can_run_code_from_a_file():
    sources = Path(pairloom.__file__).parent.rglob("*.py")
    forbidden = ("import pickle", "from pickle", "marshal", "shelve", "allow_pickle", "eval(", "exec(")
    for source in sources:
        text = source.read_text()
        assert not [word for word in forbidden if word in text], source
