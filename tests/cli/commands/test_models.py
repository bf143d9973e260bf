"""pairloom info and convert."""

import json

import pytest

from pairloom.cli.main import main


def test_info_tells_how_a_model_was_made(model, capsys):
    assert main(["info", str(model)]) == 0
    text = capsys.readouterr().out
    assert "words                    20\n" in text
    assert "config.epochs            10\n" in text
    assert main(["info", str(model), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["config"]["dim"] == 16


@pytest.mark.parametrize(("suffix", "first"), [("bin", b"20 16\n"), ("vec", b"20 16\n"), ("txt", b"20 16\n")])
def test_convert_writes_word2vec_files(model, tmp_path, suffix, first):
    out = tmp_path / f"m.{suffix}"
    assert main(["convert", str(model), str(out)]) == 0
    assert out.read_bytes().startswith(first)
