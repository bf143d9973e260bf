"""Completion, by real shells. zsh and fish are asked where they are installed."""

import os
import pty
import shutil
import subprocess
import time

import pytest

from pairloom.cli import commands
from pairloom.cli.completion import script
from pairloom.cli.main import main
from tests.cli.test_prompt import shown_until


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("completion")
    for shell in ("bash", "zsh", "fish"):
        (folder / f"pairloom.{shell}").write_text(script(shell))
    return folder


def offered_by_bash(scripts, line):
    """What the function of the script offers for the last word of a line."""
    words = " ".join(f"'{word}'" for word in line.split(" "))
    code = (
        f"source {scripts}/pairloom.bash; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _pairloom; "
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "--norc", "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("pairloom tr", {"train", "trajectory"}),
        ("pairloom help ne", {"near"}),
        ("pairloom train --mo", {"--model"}),
        ("pairloom train --model s", {"skipgram", "sppmi-svd"}),
        ("pairloom train --model = c", {"cbow"}),  # as bash splits --model=c
        ("pairloom train --model =", {"skipgram", "cbow", "sppmi-svd"}),
        ("pairloom train -o ", set()),
        ("pairloom pairs b", {"baskets"}),
        ("pairloom completion ", {"bash", "zsh", "fish"}),
        ("pairloom word2vec -tr", {"-train"}),
        ("pairloom none --", set()),
    ],
)
def test_bash_offers_commands_options_and_choices(line, offered, scripts):
    assert set(offered_by_bash(scripts, line)) == offered


@pytest.mark.parametrize("name", commands.NAMES)
def test_bash_offers_every_option_of_every_command(name, scripts):
    from pairloom.cli.parsing import parser_of

    assert set(offered_by_bash(scripts, f"pairloom {name} -")) == parser_of(name)._option_string_actions.keys()


def test_bash_offers_files_where_files_are_expected_and_nowhere_else(scripts, tmp_path):
    """At a terminal, with the key itself. A number or a word of a model is no file."""
    (tmp_path / "corpus one.txt").write_text("")
    ours, theirs = pty.openpty()
    shell = subprocess.Popen(
        ["bash", "--norc", "--noprofile", "-i"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "PS1": "ready> ", "TERM": "dumb"},
        start_new_session=True,
    )
    os.close(theirs)
    try:
        shown_until(ours, "ready> ")
        os.write(ours, f"source {scripts}/pairloom.bash\n".encode())
        shown_until(ours, "ready> ")
        for typed, shown in (
            ("pairloom train cor\t", r"corpus\ one.txt"),
            ("pairloom train --keep cor\t", r"corpus\ one.txt"),
            ("pairloom train --dim cor\t#", "--dim cor\a#"),  # the bell: nothing is offered
            ("pairloom cache cor\t#", "cache cor\a#"),
            ("pairloom trai\t", "pairloom train "),
        ):
            os.write(ours, typed.encode())
            assert shown in shown_until(ours, shown, 20), typed
            os.write(ours, b"\x15")  # Ctrl-U empties the line
            time.sleep(0.1)
    finally:
        shell.kill()
        shell.wait()
        os.close(ours)


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_loads_the_script(scripts):
    code = f"autoload -U compinit; compinit -D; source {scripts}/pairloom.zsh; print $_comps[pairloom]"
    done = subprocess.run(["zsh", "-fc", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("_pairloom\n", "")


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("pairloom tr", ["train", "trajectory"]),
        ("pairloom train --mo", ["--model"]),
        ("pairloom train --model s", ["skipgram", "sppmi-svd"]),
        ("pairloom word2vec -tr", ["-train"]),
        ("pairloom train --dim ", []),
        ("pairloom train --keep cor", ["corpus.txt"]),
        ("pairloom train cor", ["corpus.txt"]),
        ("pairloom cache cor", []),
    ],
)
def test_fish_offers_commands_options_choices_and_files(line, offered, scripts, tmp_path):
    (tmp_path / "corpus.txt").write_text("")
    code = f"source {scripts}/pairloom.fish; complete -C '{line}'"
    done = subprocess.run(["fish", "--no-config", "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert [entry.split("\t")[0] for entry in done.stdout.splitlines()] == offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_no_text_of_a_help_ends_a_quotation(shell):
    """Every line has an even number of quotes, whatever a help text says."""
    assert [line for line in script(shell).splitlines() if line.count("'") % 2] == []


def test_the_command_prints_the_script(capsys):
    assert main(["completion", "fish"]) == 0
    assert capsys.readouterr().out == script("fish")
