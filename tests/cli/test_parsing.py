"""Where options may stand, help in all its forms, and the groups of commands."""

import subprocess
import sys

import pytest

from pairloom.cli import commands
from pairloom.cli.main import main
from pairloom.cli.parsing import build_parser, parse, parser_of, rearranged, taken_apart


@pytest.mark.parametrize(
    "line",
    ["MODEL good bad -n 3", "MODEL -n 3 good bad", "-n 3 MODEL good bad", "MODEL good -n3 bad", "MODEL good bad -vn 3"],
)
def test_options_stand_before_between_and_after_words(line):
    args = parse(["near", *line.split()])
    assert (args.model, args.word, args.n) == ("MODEL", ["good", "bad"], 3)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("near M -- -n 3", ("M", ["-n", "3"], 10)),  # after -- all are words
        ("near M -n 3 -- --json x", ("M", ["--json", "x"], 3)),
        ("near M -5 -0.5", ("M", ["-5", "-0.5"], 10)),  # numbers are words, as no option looks like one
        ("near M - -n 2", ("M", ["-"], 2)),
    ],
)
def test_words_may_begin_with_a_dash(line, expected):
    args = parse(line.split())
    assert (args.model, args.word, args.n) == expected


def test_an_option_with_several_values_takes_those_that_follow_it():
    args = parse("evaluate M a.tsv --against N O --json b.tsv".split())
    assert (args.model, args.file, args.against, args.json) == ("M", ["a.tsv", "b.tsv"], ["N", "O"], True)


def test_an_argument_that_may_be_left_out_may_stand_after_options():
    assert parse("compute-accuracy M --json 30000".split()).threshold == 30000


def test_flags_with_one_dash_keep_their_values():
    args = parse("word2vec -train a.txt -size 5 -output b.bin -cbow 0".split())
    assert (args.train, args.size, args.output, args.cbow) == ("a.txt", 5, "b.bin", 0)


@pytest.mark.parametrize("name", commands.NAMES)
def test_lists_may_be_interrupted_in_every_command(name):
    """Each argument, then a switch of the command, then the next argument: the same as all arguments first."""
    parser = parser_of(name)
    switch = next(option for action in parser._actions if action.nargs == 0 for option in action.option_strings[-1:])
    words = [f"a{i}" for i in range(4)]
    mixed = [part for word in words for part in (word, switch)]
    typed = taken_apart(parser, mixed)
    assert typed.arguments == words
    assert rearranged(typed) == [switch] * 4 + ["--", *words]


def test_what_is_missing_or_unknown_is_said_wherever_it_stands(capsys):
    for line, says in (
        ("near M -n", "argument -n: expected one argument"),
        ("near -n 3", "the following arguments are required: MODEL"),
        ("near --nn 3 M", "there is no option --nn"),
        ("near M -x good", "there is no option -x"),
        ("info M -- -x", "unexpected argument '-x'. Give only MODEL"),
    ):
        with pytest.raises(SystemExit) as end:
            parse(line.split())
        assert end.value.code == 2
        assert says in capsys.readouterr().err


# --- Help


def test_help_has_three_spellings(capsys):
    printed = []
    for argv in (["help", "near"], ["near", "--help"], ["near", "-h", "x"]):
        with pytest.raises(SystemExit) as end:
            main(argv)
        assert end.value.code == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1] == printed[2] and "-n N" in printed[0]
    for argv in (["help"], ["--help"]):
        with pytest.raises(SystemExit) as end:
            main(argv)
        assert end.value.code == 0
        printed.append(capsys.readouterr().out)
    assert printed[3] == printed[4] == build_parser().format_help()


def test_without_arguments_it_helps_on_stderr_and_fails(capsys):
    with pytest.raises(SystemExit) as end:
        main([])
    assert end.value.code == 2
    assert capsys.readouterr() == ("", build_parser().format_help())


def test_help_for_a_misspelt_command_suggests_one(capsys):
    with pytest.raises(SystemExit) as end:
        main(["help", "trian"])
    assert end.value.code == 2
    assert "Did you mean train?" in capsys.readouterr().err


@pytest.mark.parametrize("name", commands.NAMES)
def test_every_command_names_its_group(name):
    group = getattr(commands.command(name), "GROUP", None)
    assert group in commands.GROUPS and group != "other", f'{name} needs a line like GROUP = "ask"'


def test_help_lists_every_command_once_under_its_group():
    text = build_parser().format_help()
    titles = [line[:-1] for line in text.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert titles == [title for key, title in commands.GROUPS.items() if key != "other"] + ["options", "exit codes"]
    for name in commands.NAMES:
        assert len([line for line in text.splitlines() if line.startswith(f"  {name} ")]) == 1
    assert max(map(len, text.splitlines())) <= 120


def test_a_command_without_a_group_is_listed_all_the_same(monkeypatch):
    monkeypatch.delattr("pairloom.cli.commands.info.GROUP")
    text = build_parser().format_help()
    assert "other commands:\n  info " in text


# --- -v and -q


@pytest.mark.parametrize("name", commands.NAMES)
def test_quiet_and_verbose_are_spelt_alike_everywhere(name):
    options = parser_of(name)._option_string_actions
    if "--quiet" in options and name != "walk":  # whose -q is node2vec's q
        assert options["-q"] is options["--quiet"]
    if commands.group_of(name) != "word2vec":
        assert options["-v"] is options["--verbose"]


def test_verbose_prints_the_log_on_stderr_and_says_more_if_asked_twice(corpus, tmp_path, capsys):
    lines = []
    for flags in (["-q"], ["-qv"], ["-q", "-vv"]):
        command = ["train", str(corpus), "-o", str(tmp_path / "m.loom"), "--dim", "4", "--epochs", "1", *flags]
        assert main(command) == 0
        out, err = capsys.readouterr()
        assert out == ""
        lines.append(err.splitlines())
    assert lines[0] == []
    assert "stage train begins" in lines[1] and any(
        line.startswith("epoch 1 of 1 is done, held-out") for line in lines[1]
    )
    assert any("m.loom is written: 20 words of dim 4" in line for line in lines[1])
    assert any(line.startswith("pairloom.training.train: options: TrainConfig(dim=4") for line in lines[2])
    assert not any("TrainConfig" in line for line in lines[1])


def test_one_command_loads_only_its_own_module():
    code = (
        "import sys; from pairloom.cli.parsing import parse; parse(['cache']);"
        "print([m for m in sys.modules if m.startswith('pairloom.cli.commands.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['pairloom.cli.commands.cache']"
