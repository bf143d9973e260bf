"""The published test vectors of the method: every kind of training saves the bytes whose digests are published."""

import json

import pytest

from scripts import bits

EXPECTED = json.loads(bits.EXPECTED.read_text())


def test_every_case_has_a_digest():
    assert EXPECTED.keys() == bits.CASES.keys()


@pytest.mark.filterwarnings("ignore:.*are left out:pairloom.errors.CorpusWarning")  # of cases that freeze a side
@pytest.mark.parametrize("threads", bits.THREADS)
@pytest.mark.parametrize("name", EXPECTED)
def test_the_bytes_are_those_that_were_published(name, threads):
    assert bits.digest(name, threads) == EXPECTED[name]


def test_a_case_that_depends_on_threads_is_wrong_and_never_written(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(bits, "EXPECTED", tmp_path / "bits.json")
    monkeypatch.setattr(bits, "CASES", {"by threads": lambda folder, threads: str(threads)})
    for arguments in ([], ["--write"]):
        monkeypatch.setattr("sys.argv", ["bits.py", *arguments])
        assert bits.main() == 1
        assert capsys.readouterr().out == "NOT differs between thread counts  by threads\n"
    assert not bits.EXPECTED.exists()
