"""Training on Ray, on two raylets of this machine: the bytes of local training, also when a worker is killed."""

import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

import pairloom
from pairloom import RayExecutor
from pairloom.cluster.workers.shipping import SourceFiles
from pairloom.errors import ClusterError, StoppedError
from pairloom.training.checkpoint import Checkpoints
from tests.cluster.helpers import OPTIONS, StopsAtReport, each_round_once

PAIRS = {"dim": 12, "min_count": 1, "epochs": 2}


@pytest.fixture(scope="module")
def cluster():
    """Two raylets, to which this process is connected, so that not every training has to connect."""
    from reliability.cluster import machines

    ray = pytest.importorskip("ray", reason="the extra ray is not installed")
    with machines() as running:
        ray.init(address=running.address, log_to_driver=False, logging_level="ERROR")
        yield running
        assert ray.is_initialized()  # no training shuts down a Ray that it has not started
        ray.shutdown()


def saved(embedding, folder):
    """The SHA-256 of the file."""
    embedding.save(folder / "saved.loom")
    return hashlib.sha256((folder / "saved.loom").read_bytes()).hexdigest()


@pytest.fixture(scope="module")
def alone(text, tmp_path_factory):
    folder = tmp_path_factory.mktemp("alone")
    digests = {saved(pairloom.train(text, threads=n, **OPTIONS), folder) for n in (1, 2)}
    assert len(digests) == 1
    return digests.pop()


@pytest.mark.parametrize("n", [2, 3, 4])
def test_any_number_of_workers_trains_the_same_bytes(cluster, text, alone, tmp_path, n):
    executor = RayExecutor(cluster.address, workers=n, log=tmp_path / "log")
    assert saved(pairloom.train(text, executor=executor, **OPTIONS), tmp_path) == alone
    assert each_round_once(tmp_path / "log")
    progress = executor.progress()
    assert len(progress) == n and len({worker.node for worker in progress}) == 2
    assert sum(worker.bytes_received for worker in progress) > 0


def test_pairs_with_two_vocabularies_and_weights(cluster, pairs, tmp_path):
    executor = RayExecutor(cluster.address, workers=3)
    here = saved(pairloom.train_pairs(pairs, **PAIRS), tmp_path)
    assert saved(pairloom.train_pairs(pairs, executor=executor, **PAIRS), tmp_path) == here


def test_start_freeze_positional_and_patience(cluster, text, tmp_path):
    start = pairloom.train(text, positional=True, **OPTIONS)
    same = {"start": start, "freeze": "words", "epochs": 3, "patience": 1, "lr": 0.01}
    here = saved(pairloom.train(text, **same), tmp_path)
    executor = RayExecutor(cluster.address, workers=2, threads=2)
    assert saved(pairloom.train(text, executor=executor, **same), tmp_path) == here


def test_files_that_a_worker_cannot_see_are_sent_to_it(cluster, text, alone, tmp_path, monkeypatch):
    """A folder that is open here has a path by which no other process finds it."""
    before, of = set(Path(tempfile.gettempdir()).glob("pairloom-source-*")), SourceFiles.of
    opened = []

    def unseen(source):
        folder, sizes = of(source)
        opened.append(os.open(folder, os.O_RDONLY))
        return SourceFiles(f"/proc/self/fd/{opened[-1]}", sizes)

    monkeypatch.setattr(SourceFiles, "of", unseen)
    monkeypatch.setattr("pairloom.cluster.workers.shipping.BYTES_PER_MESSAGE", 10_000)
    executor = RayExecutor(cluster.address, workers=2)
    assert saved(pairloom.train(text, executor=executor, **OPTIONS), tmp_path) == alone
    assert opened and set(Path(tempfile.gettempdir()).glob("pairloom-source-*")) == before
    os.close(opened[0])


@pytest.mark.parametrize("begins_here", [True, False])
def test_a_training_goes_on_here_or_on_ray(cluster, text, alone, tmp_path, begins_here):
    here, there = None, RayExecutor(cluster.address, workers=2)
    first, then = (here, there) if begins_here else (there, here)
    stops = StopsAtReport(tmp_path / "run")
    with pytest.raises(StoppedError):
        pairloom.train(text, executor=first, checkpoint=stops.checkpoints, on_progress=stops, **OPTIONS)
    checkpoints = Checkpoints(tmp_path / "run", "1h", resume=True)
    assert saved(pairloom.train(text, executor=then, checkpoint=checkpoints, **OPTIONS), tmp_path) == alone


@pytest.mark.parametrize("on_disk", [False, True])
def test_a_killed_worker_changes_no_byte(cluster, text, tmp_path, on_disk):
    options, log = {**OPTIONS, "epochs": 12}, tmp_path / "log"
    here = saved(pairloom.train(text, **options), tmp_path)
    copies = tmp_path / "copies"
    copies.mkdir()
    executor = RayExecutor(cluster.address, workers=2, copies=copies if on_disk else None, log=log)
    killed = threading.Thread(target=kill_one, args=(cluster, log), daemon=True)
    killed.start()
    assert saved(pairloom.train(text, executor=executor, **options), tmp_path) == here
    killed.join()
    assert each_round_once(log) and sum(worker.restarts for worker in executor.progress()) == 1
    assert list(copies.iterdir()) == []


def kill_one(cluster, log):
    """After some rounds."""
    while not log.exists() or log.read_text().count("applied") < 3:
        time.sleep(0.01)
    os.kill(cluster.workers()[0], signal.SIGKILL)


def test_another_version_is_refused(cluster, text, monkeypatch):
    monkeypatch.setattr("pairloom.cluster.ray_crew.__version__", "0.0.1")
    with pytest.raises(ClusterError, match=r"Worker 0 has pairloom .* Install the same version on all machines\."):
        pairloom.train(text, executor=RayExecutor(cluster.address, workers=1), **OPTIONS)


def test_a_signal_stops_a_training_at_a_checkpoint(cluster, text, tmp_path):
    """SIGTERM, for which Ray has a handler of its own."""
    command = ["train", str(text), "-o", str(tmp_path / "model.loom"), "--epochs", "1000", "--quiet"]
    on_ray = ["--ray", cluster.address, "--checkpoint", str(tmp_path / "run"), "--every", "1s"]
    run = subprocess.Popen([sys.executable, "-m", "pairloom", *command, *on_ray], stderr=subprocess.PIPE, text=True)
    while run.poll() is None and not list((tmp_path / "run").glob("*.checkpoint")):
        time.sleep(0.05)
    run.send_signal(signal.SIGTERM)
    _, error = run.communicate()
    assert run.returncode == 128 + signal.SIGTERM
    assert error.startswith("pairloom train: Stopped in epoch ") and error.count("\n") == 1


def test_a_machine_without_pairloom_is_named(cluster, text, monkeypatch):
    class WorkerActor:  # pickled by value
        def __init__(self, *args):
            raise ModuleNotFoundError("No module named 'pairloom'")

        def call(self, *args):
            pass

    monkeypatch.setattr("pairloom.cluster.ray_crew.WorkerActor", WorkerActor)
    error = r"Worker 0 cannot run pairloom: ModuleNotFoundError: No module named 'pairloom'\. Install the same version"
    with pytest.raises(ClusterError, match=error):
        pairloom.train(text, executor=RayExecutor(cluster.address, workers=1), **OPTIONS)


@pytest.mark.skipif(find_spec("ray") is None, reason="the extra ray is not installed")
def test_an_address_where_nothing_listens(text, tmp_path):
    command = ["train", str(text), "-o", str(tmp_path / "model.loom"), "--ray", "127.0.0.2:9", "--quiet"]
    done = subprocess.run([sys.executable, "-m", "pairloom", *command], capture_output=True, text=True)
    assert done.returncode == ClusterError.exit_code == 7
    assert done.stderr.startswith("pairloom train: Ray cannot be reached at 127.0.0.2:9")
    assert done.stderr.count("\n") == 1


OTHERS = {
    "cbow": ["--model", "cbow"],
    "hs": ["--objective", "hs"],
    "softmax": ["--objective", "softmax"],
    "sppmi-svd": ["--model", "sppmi-svd"],
}


@pytest.mark.parametrize("kind", OTHERS)
def test_what_is_trained_in_one_process_is_refused(text, tmp_path, capsys, kind):
    from pairloom.cli.main import main

    command = ["train", str(text), "-o", str(tmp_path / "model.loom"), "--ray", "local", *OTHERS[kind]]
    assert main(command) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "is trained on one machine, in this process. Leave out executor (--ray)" in error
