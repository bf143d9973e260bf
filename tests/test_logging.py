"""The log of the library: silent by default, and with stages, losses, files and reasons for those who ask."""

import logging
import subprocess
import sys

import pytest

import pairloom
from pairloom.progress import Progress, logged

TEXT = [["a", "b", f"c{i % 4}", "d"] for i in range(200)]


@pytest.fixture
def records(caplog):
    caplog.set_level(logging.DEBUG, logger="pairloom")
    return lambda level: [record.getMessage() for record in caplog.records if record.levelno == level]


def test_nothing_is_printed_by_default(tmp_path):
    code = (
        "import pairloom, sys; pairloom.train([['a', 'b', 'c']] * 100, dim=2, epochs=1, min_count=1,"
        "cache_dir=sys.argv[1], output=sys.argv[1] + '/m.loom')"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


def test_a_training_logs_its_stages_its_losses_and_its_file(records, tmp_path):
    out = tmp_path / "m.loom"
    emb = pairloom.train(TEXT, dim=4, epochs=2, min_count=1, sample=0, heldout=0.1, output=out, cache_dir=tmp_path)
    told = records(logging.INFO)
    stages = [line for line in told if line.startswith("stage") and line.endswith("begins")]
    assert stages == [f"stage {name} begins" for name in ("compile", "count", "encode", "train")]
    losses = emb.record["heldout"]["loss"]
    assert [line for line in told if "held-out" in line] == [
        f"before training, held-out loss {losses[0]:.4f}",
        f"epoch 1 of 2 is done, held-out loss {losses[1]:.4f}",
        f"epoch 2 of 2 is done, held-out loss {losses[2]:.4f}",
    ]
    assert told[-1] == f"{out} is written: 7 words of dim 4"
    assert any(line.startswith("options: TrainConfig(dim=4") for line in records(logging.DEBUG))


def test_checkpoints_and_the_cache_are_logged(records, tmp_path):
    file = tmp_path / "text.txt"
    file.write_text("a b c\n" * 100)
    for run in ("one", "two"):
        options = {"dim": 2, "epochs": 1, "min_count": 1, "heldout": 0, "cache_dir": tmp_path / "cache"}
        pairloom.train(file, checkpoint=tmp_path / run, **options)
    told = records(logging.INFO)
    assert f"checkpoint 000001 is written to {tmp_path / 'one'}" in told
    assert sum(line.startswith("the encoded text is taken from the cache") for line in told) == 1  # by the second
    assert "epoch 1 of 1 is done, nothing is held out" in told
    assert any("is not in the cache as" in line for line in records(logging.DEBUG))


def test_why_a_kernel_is_compiled_is_said(tmp_path):
    code = (
        "import logging, sys; logging.basicConfig(level=logging.DEBUG, stream=sys.stdout)\n"
        "import numpy as np\n"
        "from pairloom.kernel.rng import draw\n"
        "draw(np.uint64(1), np.uint64(2))"
    )
    environment = {"NUMBA_CACHE_DIR": str(tmp_path), "PATH": "", "HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert "DEBUG:pairloom.kernel.compile:rng.draw-" in done.stdout
    assert "is compiled, since it is not in the cache: No such file or directory" in done.stdout


def test_a_stage_is_logged_once_and_reports_are_passed_on(records):
    passed = []
    report = logged(passed.append)
    sent = [
        Progress(stage="count", done=1, total=2),
        Progress(stage="count", done=2, total=2),
        Progress(stage="count", done=2, total=2),
        Progress(stage="train", done=5, total=5),
    ]
    for progress in sent:
        report(progress)
    assert passed == sent
    assert records(logging.INFO) == ["stage count begins", "stage count is done: 2", "stage train begins"]
