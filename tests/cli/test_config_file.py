"""--config: options in a TOML file; and `info --toml`, which writes one."""

import tomllib

import pytest

from pairloom.cli.config_file import to_toml
from pairloom.cli.main import main
from pairloom.cli.parsing import parse


@pytest.fixture
def config(tmp_path):
    """A function that writes a file of options and returns its path."""

    def write(text):
        path = tmp_path / "run.toml"
        path.write_text(text)
        return str(path)

    return write


def parsed(*argv):
    return vars(parse(argv))


def test_options_and_arguments_come_from_the_file(config):
    path = config('corpus = ["a", "b"]\noutput = "m.loom"\ndim = 300\nmin-count = 2\nlowercase = true\nlr = 1e-3')
    args = parsed("train", "--config", path)
    assert args["corpus"] == ["a", "b"] and args["output"] == "m.loom"
    assert (args["dim"], args["min_count"], args["lowercase"], args["lr"]) == (300, 2, True, 0.001)


def test_the_command_line_wins(config):
    path = config('corpus = "a.txt"\noutput = "m.loom"\ndim = 300\nmin_count = 2\nquiet = false')
    args = parsed("train", "c.txt", "d.txt", f"--config={path}", "--dim", "5")
    assert (args["corpus"], args["dim"], args["min_count"], args["quiet"]) == (["c.txt", "d.txt"], 5, 2, False)


def test_required_options_and_lists_of_values_may_be_in_the_file(config):
    path = config('model = "m.loom"\ncorpus = ["a.txt"]\noutput = "n.loom"')
    args = parsed("fold-in", "--config", path)
    assert (args["model"], args["corpus"], args["output"]) == ("m.loom", ["a.txt"], "n.loom")
    path = config('model = "m.loom"\nwhat = ["king", "queen"]\ncorpus = ["a.txt", "b.txt"]')
    args = parsed("explain", "--config", path)
    assert (args["what"], args["corpus"]) == (["king", "queen"], ["a.txt", "b.txt"])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("dimm = 3", "run.toml has 'dimm', which is not an option here. Did you mean dim?"),
        ("vector_size = 3", "run.toml has 'vector_size', which is not an option here. Did you mean dim?"),
        ("minn = 3", "run.toml has 'minn', which is not an option here: pairloom learns whole words, not n-grams of"),
        ("xyzzy = 3", "run.toml has 'xyzzy', which is not an option here. See: "),
        ("config = 'a.toml'", "run.toml has 'config', which is not an option here."),
        ("dim = 'many'", "argument --dim: 'many' is not a whole number."),
        ("dim = [3, 4]", "run.toml: dim is of another type. Use a text or a number."),
        ("corpus = [true]", "run.toml: corpus is of another type. Use a text, a number, or a list of them."),
        ("dim = 1979-05-27", "run.toml: dim is of another type."),
        ("lowercase = 1", "run.toml: lowercase is a switch. Use true or false."),
        ("model = 'skipgam'", "argument --model: invalid choice: 'skipgam'"),
        ("dim 3", "run.toml is not a TOML file: "),
        ("a = " + "[" * 5000, "run.toml is not a TOML file: "),
        ("#" * 1_000_001, "run.toml has more than 1,000,000 bytes. Give a TOML file of options."),
        ("output = ''", "argument -o/--output is empty."),
    ],
)
def test_what_is_wrong_with_a_file_is_said_in_one_line(text, says, config, capsys):
    with pytest.raises(SystemExit) as end:
        main(["train", "a.txt", "--config", config(text)])
    err = capsys.readouterr().err
    assert end.value.code == 2
    assert err.startswith("pairloom train: ") and err.count("\n") == 1 and says in err


def test_a_file_that_cannot_be_read_is_named(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["train", "a.txt", "--config", str(tmp_path / "none.toml")])
    assert (
        "none.toml cannot be read: No such file or directory. Give the path of a TOML file." in capsys.readouterr().err
    )


def test_what_is_written_is_read_back():
    options = {"a": 1, "b": 2.5e-6, "c": True, "d": 'quote " back \\ del \x7f line \n ü', "e": None, "f": float("inf")}
    del (back := dict(options))["e"]
    assert tomllib.loads(to_toml(options)) == back


@pytest.mark.parametrize("kind", ["text", "pairs"])
def test_the_options_of_a_model_repeat_its_training(kind, corpus, tmp_path, capsys):
    first, again, config = tmp_path / "first.loom", tmp_path / "again.loom", tmp_path / "run.toml"
    options = ["--dim", "7", "--epochs", "2", "--min-count", "1", "--seed", "3", "--lr", "0.05"]
    if kind == "text":
        text, options = corpus, [*options, "--window-shape", "harmonic", "--lowercase"]
    else:
        text, options = tmp_path / "pairs.txt", [*options, "--pairs"]
        text.write_text("ann tea\nann milk\nbob milk\nbob tea\ncarl cake\n" * 20)
    assert main(["train", str(text), "-o", str(first), "-q", *options]) == 0
    assert main(["info", str(first), "--toml"]) == 0
    config.write_text(capsys.readouterr().out)
    assert main(["train", str(text), "-o", str(again), "-q", "--config", str(config)]) == 0
    assert again.read_bytes() == first.read_bytes()


def test_a_model_that_began_with_another_says_so(corpus, model, tmp_path, capsys):
    out = tmp_path / "more.loom"
    assert main(["train", str(corpus), "-o", str(out), "--start", str(model), "--epochs", "1", "-q"]) == 0
    assert main(["info", str(out), "--toml"]) == 0
    assert "# It began with the vectors of another model: add --start MODEL\n" in capsys.readouterr().out


def test_vectors_without_a_record_have_no_options(model, tmp_path, capsys):
    vec = tmp_path / "m.vec"
    assert main(["convert", str(model), str(vec)]) == 0
    assert main(["info", str(vec), "--toml"]) == 2
    assert "m.vec does not say how it was trained." in capsys.readouterr().err
