"""The parser: help, and one line for every mistake."""

import pytest

from pairloom.cli.commands import NAMES
from pairloom.cli.main import main


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--dim", "abc"], "pairloom train: argument --dim: 'abc' is not a whole number. See: pairloom train --help"),
        (["--dimm", "5"], "pairloom train: there is no option --dimm. Did you mean --dim? See: pairloom train --help"),
        (
            ["--vector-size", "5"],
            "pairloom train: there is no option --vector-size. Did you mean --dim? See: pairloom train --help",
        ),
        (
            ["--epoch", "5"],
            "pairloom train: there is no option --epoch. Did you mean --epochs? See: pairloom train --help",
        ),
        (
            ["--overwrite"],
            "pairloom train: there is no option --overwrite. See: pairloom train --help",
        ),  # not --verbose
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
    ("typed", "answer"),
    [
        ("trian", "'trian'. Did you mean train?"),
        ("most_similar", "'most_similar'. Did you mean near?"),
        ("xyz", "'xyz'. The commands are train, plan, vocab, phrases,"),
    ],
)
def test_a_wrong_command_names_the_right_ones(typed, answer, capsys):
    with pytest.raises(SystemExit):
        main([typed])
    assert f"pairloom: there is no command {answer}" in capsys.readouterr().err


def test_an_option_of_fasttext_without_a_counterpart_says_so(capsys):
    with pytest.raises(SystemExit):
        main(["train", "corpus.txt", "-o", "m.loom", "--minn", "3"])
    assert capsys.readouterr().err == (
        "pairloom train: there is no option --minn: pairloom learns whole words, not n-grams of letters or words. "
        "Leave it out. See: pairloom train --help\n"
    )


@pytest.mark.parametrize("command", NAMES)
def test_every_command_has_help_with_an_example(command, capsys):
    with pytest.raises(SystemExit) as exit:
        main([command, "--help"])
    assert exit.value.code == 0
    example = capsys.readouterr().out.partition("\nexample: ")[2].splitlines()[0]
    assert f"pairloom {command} " in f"{example} "


def test_a_file_too_many_is_named(model, capsys):
    with pytest.raises(SystemExit) as end:
        main(["info", str(model), "another.loom"])
    assert end.value.code == 2
    assert "unexpected argument 'another.loom'. Give only MODEL. See: " in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["demo", "a.txt"])
    assert "unexpected argument 'a.txt'. Leave it out. See: " in capsys.readouterr().err


NO_FILE = "cannot be read: No such file or directory. Give the path of a file of vectors."


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["near", "cat", "MODEL"], f"cat {NO_FILE} If MODEL is the model, name it first."),
        (["near", "cat", "dog"], f"cat {NO_FILE}"),
        (["near", "MODEL", "TEXT"], "TEXT is a file. To ask for what it holds: pairloom near MODEL < TEXT"),
        (["analogy", "cat", "dog", "cow", "MODEL"], f"cat {NO_FILE} If MODEL is the model, name it first."),
        (["analogy", "MODEL", "TEXT"], "TEXT is a file. To ask for what it holds: pairloom analogy MODEL < TEXT"),
        (["explain", "TEXT", "MODEL"], "If MODEL is the model, name it first."),
        (["explain", "MODEL", "cat"], "'cat' is a word of the model, not a text. Give two words and no files, or the "),
        (["explain", "MODEL", "cat"], "For the neighbours of one word: pairloom near MODEL cat"),
        (["explain", "MODEL", "cat", "TEXT"], "'cat' is a word of the model, not a text."),
        (["explain", "MODEL", "cat", "dog", "cow"], "'cat' is a word of the model, not a text."),
        (["explain", "MODEL", "nothing"], "nothing does not exist. Check the path of the corpus."),
        (["explain", "MODEL", "MODEL"], "MODEL is a model, not a text."),
        (
            ["evaluate", "TEXT", "MODEL"],
            "MODEL is a model, not a text. If a model is needed, name it before all texts.",
        ),
        (["fold-in", "TEXT", "MODEL", "-o", "new.loom"], "If MODEL is the model, name it first."),
        (["fold-in", "MODEL", "MODEL", "-o", "new.loom"], "MODEL is a model, not a text."),
        (["train", "MODEL", "-o", "new.loom"], "MODEL is a model, not a text."),
        (["train", "TEXT", "new.loom"], "No output is named. Name the file to write, for example: -o king.loom"),
        (["vocab", "MODEL"], "MODEL is a model, not a text."),
        (["phrases", "MODEL", "-o", "new.txt"], "MODEL is a model, not a text."),
        (["walk", "MODEL", "-o", "new.txt"], "MODEL is a model, not a text."),
        (["pairs", "baskets", "MODEL", "-o", "new.txt"], "MODEL is a model, not a text."),
        (["word2vec", "-train", "MODEL", "-output", "new.bin"], "MODEL is a model, not a text."),
        (["convert", "new.vec", "MODEL"], f"new.vec {NO_FILE} If MODEL is the model, name it first."),
        (["convert", "new.vec", "newer.vec"], f"new.vec {NO_FILE}"),
    ],
)
def test_arguments_in_the_wrong_order_are_told_apart(argv, message, model, corpus, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"MODEL": str(model), "TEXT": str(corpus)}

    try:
        code = main([names.get(argument, argument) for argument in argv])
    except SystemExit as end:
        code = end.code
    printed = capsys.readouterr().err
    assert code == 2
    assert message in printed.replace(names["MODEL"], "MODEL").replace(names["TEXT"], "TEXT")
    assert list(tmp_path.glob("new*")) == []
