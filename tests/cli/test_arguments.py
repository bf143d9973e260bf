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
    [("trian", "'trian'. Did you mean train?"), ("xyz", "'xyz'. The commands are train, vocab, phrases,")],
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


def test_a_file_too_many_is_named(model, capsys):
    with pytest.raises(SystemExit) as end:
        main(["info", str(model), "another.loom"])
    assert end.value.code == 2
    assert "unexpected argument 'another.loom'. Put all files before the options." in capsys.readouterr().err
