"""Files that were made to run code when they are loaded run none: they are refused by one line."""

import gzip
import io
import json
import marshal
import pickle
import tarfile
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest

import pairloom
from pairloom.cli.main import main
from pairloom.corpus.vocabulary import Vocabulary
from pairloom.errors import InputError
from pairloom.preparing.phrases import Phrases


class Trap:
    """What touches a file when it is unpickled."""

    def __init__(self, canary):
        self.canary = canary

    def __reduce__(self):
        return Path.touch, (self.canary,)


def code(canary):
    return f"__import__('pathlib').Path({str(canary)!r}).touch()"


def saved(save, *args, **options):
    file = io.BytesIO()
    save(file, *args, **options)
    return file.getvalue()


def zipped(**files):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return file.getvalue()


def tar_that_climbs(canary):
    """An archive that unpacks beside the folder that it is unpacked into."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        member = tarfile.TarInfo(f"../../../../../../../..{canary}")
        archive.addfile(member, io.BytesIO())
    return file.getvalue()


def hostile(canary):
    """Name and bytes of each file."""
    trap, run = Trap(canary), code(canary)
    objects = np.array([trap], dtype=object)
    # What np.save writes of objects is a pickle behind a header.
    return {
        "protocol0.model": pickle.dumps(trap, 0),
        "protocol2.bin": pickle.dumps(trap, 2),
        "protocol5.loom": pickle.dumps(trap, 5),
        "packed.bin.gz": gzip.compress(pickle.dumps(trap, 4)),
        "headed.loom": len(run).to_bytes(8, "little") + b"{" + pickle.dumps(trap, 4),
        "numbered.vec": b"1 2\n" + pickle.dumps(trap, 0),
        "objects.npy": saved(np.save, objects, allow_pickle=True),
        "objects.npz": saved(np.savez, a=objects, allow_pickle=True),
        "torch.pt": zipped(**{"archive/data.pkl": pickle.dumps(trap, 2), "archive/version": "3"}),
        "climbs.tar.gz": tar_that_climbs(canary),
        "climbs.zip": zipped(**{f"../../../../../../../..{canary}": b""}),
        "code.json": json.dumps({"py/reduce": [{"py/function": "builtins.eval"}, {"py/tuple": [run]}]}).encode(),
        "code.loom": (lambda text: len(text).to_bytes(8, "little") + text)(json.dumps({"__metadata__": run}).encode()),
        "code.yaml": f"!!python/object/apply:builtins.eval [{run!r}]\n".encode(),
        "code.py": f"{run}\n".encode(),
        "code.vec": f"{run} {run}\nword {run}\n".encode(),
        "code.pyc": bytes(16) + marshal.dumps(compile(run, "code.py", "exec")),
        "shell.bin": f"#!/bin/sh\ntouch {canary}\n$(touch {canary}) `touch {canary}`\n".encode(),
    }


NAMES = [*hostile(Path("/canary")), "loop.loom"]


@pytest.fixture
def trap(request, tmp_path):
    """A folder with one hostile file, and the file that must not come to be."""
    canary = tmp_path / "canary"
    path = tmp_path / "files" / request.param
    path.parent.mkdir()
    if request.param == "loop.loom":
        path.symlink_to(path)
    else:
        path.write_bytes(hostile(canary)[request.param])
    return path, canary


def test_the_traps_are_set(tmp_path):
    """Whoever unpickles, evaluates or unpacks these files is caught: so it means something that we are not."""
    canary = tmp_path / "canary"
    files = hostile(canary)

    def springs(call):
        canary.unlink(missing_ok=True)
        call()
        return canary.exists()

    assert springs(lambda: pickle.loads(files["protocol0.model"]))
    assert springs(lambda: pickle.loads(gzip.decompress(files["packed.bin.gz"])))
    assert springs(lambda: np.load(io.BytesIO(files["objects.npy"]), allow_pickle=True))
    assert springs(lambda: np.load(io.BytesIO(files["objects.npz"]), allow_pickle=True)["a"])
    assert springs(lambda: exec(files["code.py"]))
    assert springs(lambda: exec(marshal.loads(files["code.pyc"][16:])))
    assert springs(lambda: eval(files["code.vec"].split(b" ")[0]))


def commands(path, corpus, out):
    """Every command that reads a file of vectors, words or phrases, with a hostile one."""
    evil, text = str(path), str(corpus)
    train = ["train", text, "-o", str(out), "--quiet"]
    return [
        ["info", evil],
        ["near", evil, "cat"],
        ["analogy", evil, "cat", "dog", "red"],
        ["evaluate", evil, text],
        ["explain", evil, text, "--quiet"],
        ["convert", evil, str(out)],
        ["classes", evil, "-k", "2"],
        ["index", evil],
        ["fold-in", evil, text, "-o", str(out), "--quiet"],
        ["distance", evil],
        ["word-analogy", evil],
        ["compute-accuracy", evil],
        [*train, "--start", evil],
        [*train, "--read-vocab", evil],
        ["word2vec", "-train", text, "-output", str(out), "-read-vocab", evil, "-debug", "0"],
        ["phrases", text, "--phrases", evil, "-o", str(out), "--quiet"],
    ]


@pytest.mark.parametrize("trap", NAMES, indirect=True)
def test_no_command_runs_what_a_file_says(trap, corpus, tmp_path, monkeypatch, capsys):
    path, canary = trap
    before = sorted(path.parent.iterdir())
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    out = tmp_path / "out.loom"
    for args in commands(path, corpus, out):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            status = main(args)
        said = capsys.readouterr()
        assert (status, said.out) == (2, ""), args
        assert said.err.count("\n") == 1, (args, said.err)
        assert not canary.exists(), args
        assert not out.exists(), args
    assert sorted(path.parent.iterdir()) == before


@pytest.mark.parametrize("trap", NAMES, indirect=True)
def test_what_is_text_may_be_read_as_text_but_not_run(trap, model, tmp_path, capsys):
    path, canary = trap
    out = tmp_path / "out.loom"
    for args in (["evaluate", str(model), str(path)], ["train", str(path), "-o", str(out), "--quiet"]):
        assert main(args) in (0, 2)
        assert "Traceback" not in capsys.readouterr().err
        assert not canary.exists(), args


@pytest.mark.parametrize("trap", NAMES, indirect=True)
@pytest.mark.parametrize("load", [pairloom.load, Vocabulary.read, Phrases.load])
def test_nor_does_the_library(trap, load):
    path, canary = trap
    with pytest.raises(InputError):
        load(path)
    assert not canary.exists()


@pytest.mark.parametrize("trap", NAMES, indirect=True)
@pytest.mark.parametrize("format", pairloom.formats.READABLE)
def test_nor_does_it_when_told_that_the_file_is_what_it_is_not(trap, format):
    path, canary = trap
    try:
        read = pairloom.load(path, format=format)
    except InputError:
        pass
    else:  # a line of code may end in a number, as a line of GloVe's format does
        assert format == "glove" and len(read) >= 1
    assert not canary.exists()
