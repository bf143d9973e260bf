"""Processes give what the function gives, or its error, and never run the script."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

import pairloom
from pairloom.corpus.encoding import encode
from pairloom.corpus.kinds import text_files
from pairloom.corpus.sentences import open_corpus
from pairloom.corpus.vocabulary import Vocabulary, WordSelection
from pairloom.system.processes import Processes, begin
from pairloom.system.threads import in_order

TEXT = "".join(f"Line {i % 7}, w{i % 11} and more.\n" for i in range(3000))


def own_pid(_: object) -> int:
    return os.getpid()


def one_divided_by(x: int) -> float:
    sys.stdout.write("printed by a tokenizer")
    sys.stdout.flush()
    return 1 / x


def test_calls_are_made_by_other_processes_and_errors_are_those_of_the_function() -> None:
    with Processes(own_pid, 2) as processes:
        assert os.getpid() not in {processes.call(i) for i in range(4)}
    with Processes(one_divided_by, 1) as processes:
        assert processes.call(4) == 0.25
        with pytest.raises(ZeroDivisionError):
            processes.call(0)
        assert processes.call(2) == 0.5


def test_what_cannot_be_sent_is_called_here() -> None:
    with Processes(lambda x: x + 1, 2) as processes:
        assert processes.call(1) == 2


def test_a_process_that_dies_loses_nothing() -> None:
    with Processes(own_pid, 1) as processes:
        assert processes.call(0) != os.getpid()
        processes._all[0].kill()
        processes._all[0].wait()
        assert processes.call(0) == os.getpid()


@pytest.mark.parametrize("tokenize", [str.split, re.compile(r"\w+").findall, re.compile("[^.]+").findall])
def test_a_tokenizer_in_processes_gives_the_same_bytes(
    tokenize, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last one finds words with white space."""
    (tmp_path / "text").write_text(TEXT)
    monkeypatch.setattr("pairloom.corpus.unpacking.BLOCK_BYTES", 1 << 14)
    digests = set()
    for fewest, threads in ((1 << 30, 1), (1 << 30, 3), (0, 2), (0, 3)):
        monkeypatch.setattr(text_files, "FEWEST_BYTES_FOR_PROCESSES", fewest)
        with open_corpus(tmp_path / "text", tokenize=tokenize) as corpus:
            vocabulary = Vocabulary.from_corpus(corpus, WordSelection(), threads=threads)
            digests.add(encode(corpus, vocabulary, tmp_path, threads=threads).digest)
    assert len(digests) == 1


def test_a_wrong_tokenizer_is_reported_as_without_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "text").write_text(TEXT)
    monkeypatch.setattr(text_files, "FEWEST_BYTES_FOR_PROCESSES", 0)
    said = r"tokenize\('Line 0, w0 and more.'\) is the string"
    with open_corpus(tmp_path / "text", tokenize=str.upper) as corpus, pytest.raises(pairloom.InputError, match=said):  # type: ignore[arg-type]
        Vocabulary.from_corpus(corpus, threads=2)


SCRIPT = """
import sys
import pairloom
from pairloom.corpus.kinds import text_files
print("script runs", flush=True)
text_files.FEWEST_BYTES_FOR_PROCESSES = 0
def tokenize(line):
    return line.split()
pairloom.train(sys.argv[1], tokenize=tokenize, threads=2, epochs=1, dim=8, negatives=1)
"""


def test_a_script_without_a_guard_runs_once(tmp_path: Path) -> None:
    (tmp_path / "text").write_text(TEXT)
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, tmp_path / "script.py", tmp_path / "text"], capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("script runs") == 1


def sleep_or_fail(seconds: float) -> None:
    time.sleep(seconds)
    if seconds < 1:
        raise KeyboardInterrupt


def test_an_interrupt_does_not_wait_for_what_is_being_called() -> None:
    began = time.monotonic()
    with Processes(sleep_or_fail, 2) as processes, pytest.raises(KeyboardInterrupt):
        for _ in in_order(processes.call, [0.5, 60.0], 2, processes.stop):
            pass
    assert time.monotonic() - began < 20


def test_a_process_for_one_call_ends_with_its_result_and_prints_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.py").write_text(
        "import os, pathlib\n"
        "def write():\n    print('said')\n    pathlib.Path(os.environ['INTO']).touch()\n"
        "def fail():\n    raise ValueError\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    environment = os.environ | {"INTO": str(tmp_path / "done")}
    codes = [process and process.wait() for process in (begin("mine", name, environment) for name in ("write", "fail"))]
    assert codes == [0, 1] and (tmp_path / "done").exists() and capfd.readouterr() == ("", "")
    monkeypatch.setattr(sys, "executable", "")
    assert begin("mine", "write", environment) is None
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no python"))
    assert begin("mine", "write", environment) is None
