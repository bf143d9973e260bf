"""A crew trains the same bytes as one process, whatever is lost on the way."""

import time
from itertools import count

import numpy as np
import pytest

import pairloom
from pairloom.cluster.driver import Driver
from pairloom.cluster.ledger import Ledger, applied_rounds
from pairloom.cluster.workers.mailbox import LostError
from pairloom.errors import ClusterError, StoppedError
from pairloom.pairs import blocks
from pairloom.training.checkpoint import Checkpoints
from tests.cluster.crew import ThreadCrew
from tests.cluster.helpers import OPTIONS, StopsAtReport, digest, each_round_once


@pytest.fixture(scope="module")
def alone(text):
    return digest(pairloom.train(text, threads=1, **OPTIONS))


@pytest.fixture
def log(tmp_path):
    return tmp_path / "rounds.log"


def driver(n, *, threads=1, copies=None, log=None, before=None):
    return Driver(ThreadCrew(n, threads, before), copies, Ledger(log))


REHEARSAL = 1  # the first attempt


class Loses:
    """Loses these workers when one of them is called with a method for the n-th time. The rehearsal does not count."""

    def __init__(self, method, n, *workers, label=None):
        self.method, self.n, self.workers, self.label = method, n, workers, label
        self.calls = count()
        self.came = False

    def __call__(self, crew, worker, method, args):
        wanted = (method, worker) == (self.method, self.workers[0]) and (method != "post" or args[0] > REHEARSAL)
        if wanted and self.label in (None, args[1][0] if method == "post" else None) and next(self.calls) == self.n:
            self.came = True
            for lost in self.workers:
                crew.lose(lost)


# --- The same bytes


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_any_number_of_workers_trains_the_same_bytes(text, alone, n, log):
    assert digest(pairloom.train(text, executor=driver(n, log=log), **OPTIONS)) == alone
    assert each_round_once(log)


def test_workers_may_have_threads(text, alone):
    assert digest(pairloom.train(text, executor=driver(2, threads=2), **OPTIONS)) == alone


def test_there_may_be_more_workers_than_parts(two_topics):
    options = {"dim": 8, "min_count": 1, "epochs": 3, "sample": 0.0}  # 20 words are one part
    assert digest(pairloom.train(two_topics, executor=driver(3), **options)) == digest(
        pairloom.train(two_topics, **options)
    )


def test_words_and_contexts_of_pairs_are_dealt_separately(pairs):
    options = {"dim": 12, "min_count": 1, "epochs": 2}
    assert digest(pairloom.train_pairs(pairs, executor=driver(3), **options)) == digest(
        pairloom.train_pairs(pairs, **options)
    )


@pytest.mark.parametrize("extra", [{"positional": True}, {"patience": 1, "epochs": 4}, {"noise_power": 0.0}], ids=str)
def test_options_of_training_in_blocks(text, extra):
    options = {**OPTIONS, **extra}
    assert digest(pairloom.train(text, executor=driver(3), **options)) == digest(pairloom.train(text, **options))


@pytest.mark.parametrize("freeze", [None, "words", "contexts"])
def test_a_crew_starts_from_vectors(text, freeze):
    start = pairloom.train(text, **OPTIONS)
    same = {"start": start, "freeze": freeze, "epochs": 1}
    assert digest(pairloom.train(text, executor=driver(3), **same)) == digest(pairloom.train(text, **same))


def test_two_words_are_enough():
    options = {"dim": 4, "min_count": 1, "epochs": 2, "sample": 0.0, "heldout": 0}
    pair = [["a", "b"]] * 50
    assert digest(pairloom.train(pair, executor=driver(2), **options)) == digest(pairloom.train(pair, **options))


# --- Stopped and resumed


@pytest.mark.parametrize(("first", "then"), [(2, None), (None, 3), (2, 5), (5, 1)])
def test_a_training_goes_on_with_another_number_of_workers(text, alone, tmp_path, log, first, then):
    stops = StopsAtReport(tmp_path / "run", log if first else None)

    def executor(n):
        return driver(n, log=log) if n else None

    with pytest.raises(StoppedError):
        pairloom.train(text, executor=executor(first), checkpoint=stops.checkpoints, on_progress=stops, **OPTIONS)
    resumed = Checkpoints(tmp_path / "run", "1h", resume=True)
    assert digest(pairloom.train(text, executor=executor(then), checkpoint=resumed, **OPTIONS)) == alone
    assert each_round_once(log)


def test_a_round_that_is_to_stop_is_abandoned_and_trained_again(text, alone, tmp_path, log):
    checkpoints = Checkpoints(tmp_path / "run", "1h")

    def stop(crew, worker, method, args):
        if method == "post" and args[1] == ("part", 5) and args[0] == REHEARSAL + 3:
            checkpoints.stop()
            while crew.workers[worker].mailbox._abandoned < args[0]:  # or the round might end before the driver looks
                time.sleep(0.01)

    with pytest.raises(StoppedError):
        pairloom.train(text, executor=driver(2, log=log, before=stop), checkpoint=checkpoints, **OPTIONS)
    assert len(applied_rounds(log)) == 2
    resumed = Checkpoints(tmp_path / "run", "1h", resume=True)
    assert digest(pairloom.train(text, executor=driver(4, log=log), checkpoint=resumed, **OPTIONS)) == alone
    assert each_round_once(log)


# --- Lost workers

MOMENTS = {
    "when a round begins": ("train", 1, None),
    "when the first round begins": ("train", 0, None),
    "when rows are sent": ("post", 3, "rows"),
    "when parts go round": ("post", 20, "part"),
    "when sums of hubs are sent": ("post", 30, "sums"),
    "when a copy of a share is kept": ("keep_copy", 4, None),
    "when the loss is measured": ("products", 1, None),
    "when the driver asks for rows": ("rows", 0, None),
}


@pytest.mark.parametrize("worker", [0, 2])
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_lost_worker_changes_no_byte(text, alone, log, moment, worker):
    method, n, label = MOMENTS[moment]
    loses = Loses(method, n, worker, label=label)
    assert digest(pairloom.train(text, executor=driver(3, log=log, before=loses), **OPTIONS)) == alone
    assert loses.came and each_round_once(log)


BEFORE = {
    "when it is told what the training is": ("set_up", 0),
    "when the first share is made": ("begin", 0),
    "when the rehearsal begins": ("rehearse", 0),
    "when the loss before training is measured": ("products", 0),
    "when the first copies are made": ("send_copy", 0),
}


@pytest.mark.parametrize("moment", BEFORE)
def test_a_worker_lost_before_the_first_round_has_the_training_begin_again(text, alone, log, moment):
    loses = Loses(*BEFORE[moment], 1)
    assert digest(pairloom.train(text, executor=driver(2, log=log, before=loses), **OPTIONS)) == alone
    assert loses.came and each_round_once(log)


@pytest.mark.parametrize("label", ["rows", "part", "sums"])
def test_a_worker_lost_in_the_rehearsal_has_the_training_begin_again(text, alone, log, label):
    lost = []

    def before(crew, worker, method, args):
        if not lost and method == "post" and args[0] == REHEARSAL and args[1][0] == label:
            lost.append(crew.lose(worker))

    assert digest(pairloom.train(text, executor=driver(3, log=log, before=before), **OPTIONS)) == alone
    assert lost and each_round_once(log)


def test_the_rehearsal_is_not_counted(text):
    executor = driver(2)
    seen = []

    def on_progress(progress):
        seen.append(executor.progress()[0].bytes_received)

    pairloom.train(text, executor=executor, on_progress=on_progress, **OPTIONS)
    assert seen[0] == 0 < seen[-1]


@pytest.mark.parametrize("n", [2, 3])
def test_what_a_round_sends_does_not_grow_with_the_length_of_the_corpus(text, n, tmp_path, monkeypatch):
    """Vectors travel, never text or pairs: four times the corpus in as many rounds sends the same bytes.

    Copies go to a folder here: between workers, the last ones may or may not have come when the training ends.
    """
    monkeypatch.setattr(blocks, "SHORTEST_ROUND", 10**9)  # a round for each epoch
    sentences = [line.split() for line in text.read_text().splitlines()]

    def received(times):
        executor = driver(n, copies=tmp_path)
        emb = pairloom.train(sentences * times, executor=executor, **OPTIONS)
        assert emb.record["corpus"]["tokens"] == times * 48_000
        return sum(worker.bytes_received for worker in executor.progress())

    assert 0 < received(4) < 1.01 * received(1)


def test_a_worker_lost_while_a_checkpoint_is_read_has_it_read_again(text, alone, tmp_path):
    stops = StopsAtReport(tmp_path / "run")
    with pytest.raises(StoppedError):
        pairloom.train(text, executor=driver(2), checkpoint=stops.checkpoints, on_progress=stops, **OPTIONS)
    loses, resumed = Loses("put_rows", 1, 0), Checkpoints(tmp_path / "run", "1h", resume=True)
    assert digest(pairloom.train(text, executor=driver(2, before=loses), checkpoint=resumed, **OPTIONS)) == alone
    assert loses.came


def test_a_worker_lost_between_rounds_has_none_of_its_rows(text, alone, log):
    """It was started again before the driver called it."""
    came = []

    def on_progress(progress):
        if progress.stage == "train" and progress.epoch == 2 and not came:
            came.append(crew.lose(1))

    crew = ThreadCrew(3)
    executor = Driver(crew, None, Ledger(log))
    assert digest(pairloom.train(text, executor=executor, on_progress=on_progress, **OPTIONS)) == alone
    assert came and each_round_once(log) and executor.progress()[1].restarts == 1


def test_two_workers_may_be_lost_at_once_if_neither_has_the_copy_of_the_other(text, alone, log):
    loses = Loses("post", 60, 0, 2)
    assert digest(pairloom.train(text, executor=driver(4, log=log, before=loses), **OPTIONS)) == alone
    assert loses.came and each_round_once(log)


def test_a_worker_lost_with_the_copy_of_its_rows_ends_the_training(text):
    with pytest.raises(ClusterError, match=r"together with the copy of its rows\. To go on from the last checkpoint"):
        pairloom.train(text, executor=driver(4, before=Loses("post", 60, 0, 1)), **OPTIONS)


@pytest.mark.parametrize("n", [1, 3])
def test_with_copies_in_a_folder_all_workers_may_be_lost_at_once(text, alone, tmp_path, log, n):
    loses = Loses("train", 3, *range(n))
    executor = driver(n, copies=tmp_path, log=log, before=loses)
    assert digest(pairloom.train(text, executor=executor, **OPTIONS)) == alone
    assert loses.came and each_round_once(log)


@pytest.mark.parametrize("step", ["state", "set_up", "restore", "copied_rows", "send_copy"])
def test_a_worker_lost_while_another_is_brought_back(text, alone, log, step):
    """And then a third one, whose copy the first had: it has to be there again."""
    lost = []

    def before(crew, worker, method, args):
        if not lost and method == "post" and args[1][0] == "part" and args[0] == REHEARSAL + 2:
            lost.append(crew.lose(0))
        elif len(lost) == 1 and method == step:
            lost.append(crew.lose(2))
        elif len(lost) == 2 and method == "post" and args[1][0] == "part" and args[0] >= REHEARSAL + 3:
            lost.append(crew.lose(3))  # its copy is with worker 0

    assert digest(pairloom.train(text, executor=driver(4, log=log, before=before), **OPTIONS)) == alone
    assert len(lost) == 3 and each_round_once(log)


def test_many_losses(text, alone, log):
    rng, calls = np.random.default_rng(5), count()
    moments = set(np.cumsum(rng.integers(50, 150, 25)).tolist())
    lost = []

    def before(crew, worker, method, args):
        if method == "post" and args[0] > REHEARSAL and next(calls) in moments:
            lost.append(crew.lose(int(rng.integers(3))))

    assert digest(pairloom.train(text, executor=driver(3, log=log, before=before), **OPTIONS)) == alone
    assert len(lost) > 5 and each_round_once(log)


@pytest.mark.parametrize(("failing", "n"), [("train", 4), ("post", 50), ("keep_copy", 9), ("products", 3)])
def test_a_call_that_fails_though_no_worker_is_lost(text, alone, log, failing, n):
    """A connection breaks, and all workers have their rows: the round is trained again."""
    crew, calls = ThreadCrew(3), count()
    run = crew._run

    def fails(number, generation, method, args):
        if method == failing and next(calls) == n:
            raise LostError("no connection")
        return run(number, generation, method, args)

    crew._run = fails
    assert digest(pairloom.train(text, executor=Driver(crew, None, Ledger(log)), **OPTIONS)) == alone
    assert next(calls) > n and each_round_once(log)


@pytest.mark.parametrize("method", ["begin", "train", "restore"])
def test_a_crew_that_is_always_lost_ends_the_training(text, tmp_path, monkeypatch, method):
    monkeypatch.setattr("pairloom.cluster.driver.MOST_ATTEMPTS", 5)

    def before(crew, worker, called, args):
        if called == method or (called == "train" and method == "restore"):
            crew.lose(worker)

    with pytest.raises(ClusterError, match=r"Workers are lost again and again\. Look into the logs of Ray\."):
        pairloom.train(text, executor=driver(2, copies=tmp_path, before=before), **OPTIONS)


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [("aabb", [2, 3, 0, 1]), ("abab", [1, 0, 3, 2]), ("aaa", [1, 2, 0]), ("aab", [2, 2, 0]), ("a", [None])],
)
def test_copies_are_on_other_machines_and_evenly_spread(nodes, expected):
    driver = Driver(ThreadCrew(len(nodes)), None, Ledger())
    driver._nodes = [*nodes]
    assert driver._copy_places() == expected
