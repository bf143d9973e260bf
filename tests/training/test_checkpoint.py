"""A training that is interrupted anywhere, and goes on, gives the same bytes as one that was not."""

import json
import shutil
import threading

import numpy as np
import pytest

import pairloom
from pairloom import Checkpoints
from pairloom.system.tensors import write
from pairloom.training import checkpoint
from pairloom.training.checkpoint import Every, State, _read

KINDS = {
    "blocks": {},
    "one thread": {"threads": 1},
    "hs": {"objective": "hs"},
    "cbow": {"model": "cbow"},
    "cbow by hs": {"model": "cbow", "objective": "hs"},
    "softmax": {"objective": "softmax", "epochs": 2, "max_vocab": 300},
    "patience": {"patience": 1, "epochs": 6},
}


@pytest.fixture(scope="module")
def text(zipf_corpus, tmp_path_factory):
    """In a file, so that it is encoded once for all."""
    path = tmp_path_factory.mktemp("checkpoint") / "zipf.txt"
    path.write_text("".join(" ".join(sentence) + "\n" for sentence in zipf_corpus))
    return path


def options(kind):
    return {"dim": 8, "epochs": 3, "sample": 0, "min_count": 2, "threads": 2} | KINDS[kind]


def saved(embedding, path):
    embedding.save(path)
    return path.read_bytes()


class StopAfter(Checkpoints):
    """Asks to stop after so many reports."""

    def __init__(self, folder, reports, **more):
        super().__init__(folder, **more)
        self.reports = reports

    def __call__(self, progress):
        if progress.stage == "train":
            self.reports -= 1
            if self.reports == 0:
                self.stop()


@pytest.fixture
def often(monkeypatch):
    """Reports, and so chances to stop, at every step, or block."""
    monkeypatch.setattr("pairloom.training.monitoring.SECONDS_BETWEEN_REPORTS", 0.0)
    monkeypatch.setattr("pairloom.cluster.executor.WORK_OF_A_CALL", 0)


@pytest.mark.parametrize("kind", KINDS)
def test_stopped_again_and_again_it_gives_the_same_bytes(text, tmp_path, often, kind):
    whole = saved(pairloom.train(text, **options(kind)), tmp_path / "whole.loom")
    rng, stops, most = np.random.default_rng(0), 0, 100 if kind in ("blocks", "one thread", "patience", "hs") else 10
    while True:
        checkpoints = StopAfter(tmp_path / "run", int(rng.integers(2, most)), resume=True)
        try:
            emb = pairloom.train(text, checkpoint=checkpoints, on_progress=checkpoints, **options(kind))
        except pairloom.StoppedError:
            stops += 1
            continue
        break
    assert stops >= 2
    assert saved(emb, tmp_path / "resumed.loom") == whole


def test_threads_may_change_on_the_way(text, tmp_path, often):
    whole = saved(pairloom.train(text, **options("blocks")), tmp_path / "whole.loom")
    checkpoints = StopAfter(tmp_path / "run", 40)
    with pytest.raises(pairloom.StoppedError, match=r"^Stopped in epoch \d, at word [\d,]+\. To resume: pairloom"):
        pairloom.train(text, checkpoint=checkpoints, on_progress=checkpoints, **options("blocks") | {"threads": 5})
    emb = pairloom.train(
        text, checkpoint=Checkpoints(tmp_path / "run", resume=True), **options("blocks") | {"threads": 1}
    )
    assert saved(emb, tmp_path / "resumed.loom") == whole


def test_a_round_stops_within_it(text, tmp_path, often, monkeypatch):
    """A round of large vectors takes half a minute, and whoever ends a program waits for five seconds."""
    states = []
    monkeypatch.setattr(Checkpoints, "write", lambda self, state, position: states.append(state.place))
    checkpoints = StopAfter(tmp_path / "run", 10)
    with pytest.raises(pairloom.StoppedError):
        pairloom.train(text, checkpoint=checkpoints, on_progress=checkpoints, **options("blocks"))
    assert 0 < states[0]["shift"] < 16


def test_pairs_go_on_too(zipf_corpus, tmp_path, often):
    pairs = [(s[i], s[i + 1], 1 + i % 3) for s in zipf_corpus[:4000] for i in range(len(s) - 1)]
    how = {"dim": 8, "epochs": 3, "threads": 2}
    whole = saved(pairloom.train_pairs(pairs, **how), tmp_path / "whole.loom")
    checkpoints = StopAfter(tmp_path / "run", 40)
    with pytest.raises(pairloom.StoppedError, match="at pair"):
        pairloom.train_pairs(pairs, checkpoint=checkpoints, on_progress=checkpoints, **how)
    emb = pairloom.train_pairs(pairs, checkpoint=Checkpoints(tmp_path / "run", resume=True), **how)
    assert saved(emb, tmp_path / "resumed.loom") == whole


def test_a_start_and_a_frozen_side_go_on_too(text, tmp_path, often):
    start = pairloom.train(text, **options("blocks"))
    how = options("blocks") | {"start": start, "freeze": "contexts"}
    whole = saved(pairloom.train(text, **how), tmp_path / "whole.loom")
    checkpoints = StopAfter(tmp_path / "run", 40)
    with pytest.raises(pairloom.StoppedError):
        pairloom.train(text, checkpoint=checkpoints, on_progress=checkpoints, **how)
    emb = pairloom.train(text, checkpoint=Checkpoints(tmp_path / "run", resume=True), **how)
    assert saved(emb, tmp_path / "resumed.loom") == whole


# --- How often, and how many are kept


@pytest.mark.parametrize(
    ("text", "every"),
    [
        ("90s", Every(seconds=90)),
        ("5m", Every(seconds=300)),
        ("1.5h", Every(seconds=5400)),
        ("20000000", Every(positions=20_000_000)),
        ("20_000_000", Every(positions=20_000_000)),
        (7, Every(positions=7)),
        ("epoch", Every()),
    ],
)
def test_intervals(text, every):
    assert Every.of(text) == every


@pytest.mark.parametrize(
    "text", ["", "0", "0s", "-5m", "5 m", "5d", "1.5", "nan", "inf", "1e9", None, True, 2.5, "epochs"]
)
def test_what_is_no_interval(text):
    with pytest.raises(pairloom.ConfigError) as error:
        Checkpoints("run", every=text)
    assert str(error.value) == (
        f"every={text!r} is not an interval. Use a time like 90s, 5m or 1h, a number of words like 20000000, or epoch."
    )


def written(monkeypatch, tmp_path, corpus, every, **more):
    positions = []
    write = Checkpoints.write
    monkeypatch.setattr(
        Checkpoints,
        "write",
        lambda self, state, position: (positions.append(position), write(self, state, position)),
    )
    pairloom.train(corpus, checkpoint=Checkpoints(tmp_path / "run", every=every), **options("cbow") | more)
    return positions


def test_one_with_every_epoch(text, tmp_path, monkeypatch):
    positions = written(monkeypatch, tmp_path, text, "epoch")
    assert [at / positions[0] for at in positions] == [1, 2, 3]
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == ["000002.checkpoint", "000003.checkpoint"]


def test_one_after_so_many_words(text, tmp_path, monkeypatch):
    positions = written(monkeypatch, tmp_path, text, 70_000)
    assert len(positions) > 3
    assert min(np.diff([0, *positions[:-1]])) >= 70_000  # the last comes with the end
    assert max(np.diff([0, *positions])) < 70_000 + 2 * 2**16


def test_one_after_so_long(text, tmp_path, monkeypatch):
    assert len(written(monkeypatch, tmp_path, text, "0.000001s")) > 3


def test_none_before_its_time(text, tmp_path, monkeypatch):
    assert len(written(monkeypatch, tmp_path, text, "1h")) == 1  # the last, since saving may fail


# --- What is refused


@pytest.fixture
def begun(text, tmp_path, often):
    """A folder with two checkpoints of a training that was stopped."""
    checkpoints = StopAfter(tmp_path / "run", 10, every=1000)
    with pytest.raises(pairloom.StoppedError):
        pairloom.train(text, checkpoint=checkpoints, on_progress=checkpoints, **options("cbow"))
    assert len(list((tmp_path / "run").iterdir())) == 2
    return tmp_path / "run"


def go_on(corpus, folder, **more):
    return pairloom.train(corpus, checkpoint=Checkpoints(folder, resume=True), **options("cbow") | more)


def test_a_folder_with_checkpoints_is_not_written_over(begun, text):
    before = {path: path.read_bytes() for path in begun.iterdir()}
    with pytest.raises(pairloom.ConfigError) as error:
        pairloom.train(text, checkpoint=begun, **options("cbow"))
    assert str(error.value) == (
        f"{begun} holds checkpoints. Resume from them (--resume; in Python, Checkpoints(..., resume=True)), "
        "or choose another folder for a new training."
    )
    assert {path: path.read_bytes() for path in begun.iterdir()} == before


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        ({"dim": 9}, "dim is 8 there and 9 here"),
        ({"lr": 0.1}, "lr is 0.15 there and 0.1 here"),
        ({"seed": 7}, "seed is 1 there and 7 here"),
        ({"epochs": 4}, "epochs is 3 there and 4 here"),
        ({"min_count": 3}, "min_count is 2 there and 3 here"),
    ],
)
def test_other_options_are_refused_by_name(begun, text, change, difference):
    with pytest.raises(pairloom.ConfigError) as error:
        go_on(text, begun, **change)
    assert str(error.value) == (
        f"The checkpoint in {begun} is of another training: {difference}. Use the same corpus and options, or another "
        "folder."
    )


def test_another_corpus_is_refused(begun, zipf_corpus):
    with pytest.raises(pairloom.ConfigError, match="of another training: the corpus differs"):
        go_on(zipf_corpus[::-1], begun)


def test_another_version_is_refused(begun, text, monkeypatch):
    monkeypatch.setattr("pairloom.training.loop.__version__", "9.9")
    there = checkpoint._read(max(begun.iterdir())).identity
    del there["config"]["patience"]  # an option that the other version does not have, and this one has not set
    monkeypatch.setattr("pairloom.training.checkpoint._read", lambda path: State({}, {}, there))
    with pytest.raises(pairloom.ConfigError, match=r"pairloom is 0\.1\.0 there and 9\.9 here"):
        go_on(text, begun)


def test_a_start_is_part_of_what_it_is(begun, text):
    start = pairloom.train(text, **options("cbow") | {"epochs": 1})
    with pytest.raises(pairloom.ConfigError, match="of another training: contexts is nothing there and "):
        go_on(text, begun, start=start)


@pytest.mark.parametrize("damage", ["cut", "flip", "empty"])
def test_a_damaged_one_costs_the_way_to_the_one_before(begun, text, tmp_path, damage):
    newest = max(begun.iterdir())
    data = bytearray(newest.read_bytes())
    if damage == "flip":
        data[len(data) // 2] ^= 1
    newest.write_bytes({"cut": data[:-9], "flip": data, "empty": b""}[damage])
    whole = saved(pairloom.train(text, **options("cbow")), tmp_path / "whole.loom")
    with pytest.warns(
        pairloom.CheckpointWarning, match=f"^{newest} is damaged, so training goes on from the one before it: "
    ):
        emb = go_on(text, begun)
    assert saved(emb, tmp_path / "resumed.loom") == whole


def test_two_damaged_ones_are_an_error(begun, text):
    for path in begun.iterdir():
        path.write_bytes(b"")
    with (
        pytest.warns(pairloom.CheckpointWarning),
        pytest.raises(pairloom.InputError, match=f"^All checkpoints in {begun} are damaged. Remove the folder"),
    ):
        go_on(text, begun)


def test_a_checkpoint_without_a_place_is_damaged(begun, text):
    for path in begun.iterdir():
        write(path, checkpoint._KIND, {"W": np.zeros((2, 2)), "C": np.zeros((2, 2))}, {"place": 3})
    with (
        pytest.warns(pairloom.CheckpointWarning, match="say how far the training was"),
        pytest.raises(pairloom.InputError),
    ):
        go_on(text, begun)


@pytest.mark.parametrize(
    "change",
    [
        {"epoch": -1}, {"epoch": 9}, {"step": "x"}, {"step": True}, {"losses": []}, {"losses": ["x"] * 2}, {"best": 1},
        {"n_pairs": None}, {"more": 1}, {"W": (1, 8)}, {"C": (7, 1)}, {"squares_W": (2, 2)},
    ],
    ids=str,
)  # fmt: skip
def test_one_with_right_checksums_that_no_training_writes_is_damaged(begun, text, tmp_path, change):
    newest = max(begun.iterdir())
    arrays, place, identity = _read(newest)
    for name, value in change.items():
        if isinstance(value, tuple):
            arrays[name] = np.zeros(value, np.float32)
        else:
            place[name] = value
    write(newest, checkpoint._KIND, arrays, {"place": place, "identity": identity})
    whole = saved(pairloom.train(text, **options("cbow")), tmp_path / "whole.loom")
    with pytest.warns(pairloom.CheckpointWarning, match="it does not hold what this training writes"):
        emb = go_on(text, begun)
    assert saved(emb, tmp_path / "resumed.loom") == whole


def test_the_damaged_one_leaves_first(begun, text):
    good, bad = sorted(begun.iterdir())
    bad.write_bytes(b"")
    checkpoints = StopAfter(begun, 2, resume=True)
    with pytest.warns(pairloom.CheckpointWarning), pytest.raises(pairloom.StoppedError):
        pairloom.train(text, checkpoint=checkpoints, on_progress=checkpoints, **options("cbow"))
    assert not bad.exists()
    assert good.exists() and len(list(begun.iterdir())) == 2


def test_the_millionth_comes_after_the_one_before_it(tmp_path):
    for number in (999_999, 1_000_000):
        (tmp_path / f"{number}.checkpoint").touch()
    assert [path.stem for path in Checkpoints(tmp_path)._found()] == ["999999", "1000000"]


def test_a_disk_with_room_for_one_more_is_enough_to_go_on(begun, monkeypatch):
    import shutil

    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(1000, 850, 150))
    Checkpoints(begun, resume=True).check_space(100)
    with pytest.raises(pairloom.OutputError):
        Checkpoints(begun / "new").check_space(100)


def test_asked_to_stop_when_all_is_trained_it_stops_and_has_nothing_more_to_do(text, tmp_path, monkeypatch):
    checkpoints = Checkpoints(tmp_path / "run", every="1h")
    write_one = Checkpoints.write
    monkeypatch.setattr(Checkpoints, "write", lambda self, *state: (self.stop(), write_one(self, *state)))
    with pytest.raises(pairloom.StoppedError, match=r"^Stopped in epoch 3, at word [\d,]+\."):
        pairloom.train(text, checkpoint=checkpoints, output=tmp_path / "a.loom", **options("cbow"))
    monkeypatch.undo()
    assert not (tmp_path / "a.loom").exists()
    emb = go_on(text, tmp_path / "run")
    assert np.array_equal(emb.words.vectors, pairloom.train(text, **options("cbow")).words.vectors)


def test_a_file_is_no_folder_for_checkpoints(text, tmp_path):
    (tmp_path / "run").write_text("mine")
    with pytest.raises(pairloom.InputError, match=f"^{tmp_path / 'run'} cannot hold checkpoints: Not a directory"):
        pairloom.train(text, checkpoint=tmp_path / "run", **options("cbow"))
    assert (tmp_path / "run").read_text() == "mine"


def test_an_empty_folder_is_a_beginning(text, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "notes.txt").write_text("mine")
    go_on(text, tmp_path / "run")
    assert (tmp_path / "run" / "notes.txt").read_text() == "mine"


def test_what_is_no_folder_at_all(text):
    with pytest.raises(pairloom.ConfigError, match=r"^checkpoint is an int\. Give the path of a folder, or "):
        pairloom.train(text, checkpoint=7)


def test_a_factorisation_has_no_checkpoints(text, tmp_path):
    with pytest.raises(pairloom.ConfigError, match="computed in one go and has no checkpoints"):
        pairloom.train(text, model="sppmi-svd", checkpoint=tmp_path)


def test_a_folder_that_cannot_be_made_is_an_output_error(text, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(pairloom.OutputError, match=r"could not be written: Not a directory\."):
        pairloom.train(text, checkpoint=tmp_path / "file" / "run")


def test_bad_input_leaves_no_folder_behind(tmp_path):
    with pytest.raises(pairloom.InputError):
        pairloom.train([["a", "a"]], min_count=1, checkpoint=tmp_path / "run")
    assert not (tmp_path / "run").exists()
    (tmp_path / "mine").mkdir()
    with pytest.raises(pairloom.InputError):
        pairloom.train([["a", "a"]], min_count=1, checkpoint=Checkpoints(tmp_path / "mine", command=b"{}"))
    assert list((tmp_path / "mine").iterdir()) == []


# --- Patience


def test_patience_keeps_the_best_epoch(text, tmp_path, monkeypatch):
    losses = iter([4.2, 4.5, 3.0, 3.0, 3.1])  # before training, then of the epochs; the second is the best
    monkeypatch.setattr("pairloom.training.heldout.HeldoutPairs.loss", lambda *_: next(losses))
    stopped = pairloom.train(text, patience=2, **options("blocks") | {"epochs": 9})
    assert stopped.record["heldout"]["loss"] == [4.2, 4.5, 3.0, 3.0, 3.1]
    assert stopped.record["heldout"]["best"] == 2
    monkeypatch.undo()

    def stop_after_two(progress):
        if progress.stage == "train" and progress.done == progress.total * 2 // 9:
            checkpoints.stop()

    checkpoints = Checkpoints(tmp_path / "run")
    with pytest.raises(pairloom.StoppedError):
        pairloom.train(text, checkpoint=checkpoints, on_progress=stop_after_two, **options("blocks") | {"epochs": 9})
    (second,) = (tmp_path / "run").iterdir()
    assert np.array_equal(_read(second).arrays["W"], stopped.words.vectors)
    assert np.array_equal(_read(second).arrays["C"], stopped.contexts.vectors)


def test_patience_that_is_never_lost_trains_all_epochs(text):
    how = options("blocks")
    waited, plain = pairloom.train(text, patience=3, **how), pairloom.train(text, **how)
    assert waited.record["heldout"]["loss"] == plain.record["heldout"]["loss"]
    assert np.array_equal(waited.words.vectors, plain.words.vectors)


def test_patience_needs_a_heldout_loss(two_topics):
    with pytest.raises(pairloom.ConfigError, match=r"^patience waits for the held-out loss"):
        pairloom.train(two_topics, patience=1, heldout=0)
    with pytest.raises(pairloom.InputError, match="the corpus is too small to hold anything out"):
        pairloom.train([["a", "b"]] * 9, patience=1)
    with pytest.raises(pairloom.ConfigError, match="Leave out patience"):
        pairloom.train(two_topics, patience=1, model="sppmi-svd")


# --- Divergence, and a corpus that changes


def test_a_diverged_training_keeps_the_checkpoints_from_before(text, tmp_path, monkeypatch):
    """Healthy at first; then a NaN falls into a row, which the round that meets it finds."""
    from pairloom.training.blockwise import BlockTraining

    count = pairloom.pairs.from_text.TextSource.count
    trainings = []
    begin = BlockTraining._begin
    monkeypatch.setattr(BlockTraining, "_begin", lambda self: (trainings.append(self), begin(self)))

    def poison(self, epoch, *rest):
        if epoch == 2:
            trainings[-1].holder.W[5, 3] = np.nan
        return count(self, epoch, *rest)

    monkeypatch.setattr(pairloom.pairs.from_text.TextSource, "count", poison)
    checkpoints = Checkpoints(tmp_path / "run", every="epoch")
    with pytest.raises(pairloom.DivergedError) as error:
        pairloom.train(text, checkpoint=checkpoints, **options("blocks"))
    assert str(error.value).startswith("The vectors diverged in epoch 3, near word ")
    assert str(error.value).endswith(f"try 0.0025. Earlier checkpoints are in {tmp_path / 'run'}.")
    monkeypatch.undo()
    emb = pairloom.train(text, checkpoint=Checkpoints(tmp_path / "run", resume=True), **options("blocks"))
    whole = pairloom.train(text, **options("blocks"))
    assert np.array_equal(emb.words.vectors, whole.words.vectors)


@pytest.mark.parametrize("kind", ["blocks", "cbow", "softmax"])
def test_what_is_not_healthy_is_never_written(text, tmp_path, monkeypatch, kind):
    def explode(progress):
        if progress.stage == "train" and progress.epoch == 1 and progress.done:
            trainings[0].holder.C[0] = 1e30

    from pairloom.training.loop import TrainingLoop

    trainings = []
    begin = TrainingLoop._begin
    monkeypatch.setattr(TrainingLoop, "_begin", lambda self: (trainings.append(self), begin(self)))
    monkeypatch.setattr("pairloom.training.monitoring.SECONDS_BETWEEN_REPORTS", 0.0)
    checkpoints = Checkpoints(tmp_path / "run", every="0.000001s")
    with pytest.raises(pairloom.DivergedError):
        pairloom.train(text, checkpoint=checkpoints, on_progress=explode, **options(kind))
    for path in (tmp_path / "run").glob("*"):
        assert max(np.abs(_read(path).arrays[name]).max() for name in "WC") < 100


@pytest.mark.parametrize("change", ["cut", "overwrite", "remove", "same size and time"])
def test_a_corpus_that_changes_while_it_is_trained_on(zipf_corpus, tmp_path, change):
    import os

    path = tmp_path / "corpus.txt"
    path.write_text("".join(" ".join(sentence) + "\n" for sentence in zipf_corpus))
    size, when = path.stat().st_size, path.stat().st_mtime_ns

    def spoil(progress):
        if progress.stage == "train" and progress.epoch == 1 and progress.done:
            if change == "cut":
                path.write_bytes(path.read_bytes()[: size // 3])
            elif change == "overwrite":
                path.write_bytes(os.urandom(size))
            elif change == "remove":
                path.unlink(missing_ok=True)
            else:
                path.write_bytes(path.read_bytes()[::-1])
                os.utime(path, ns=(when, when))

    whole = path.read_bytes()
    checkpoints = Checkpoints(tmp_path / "run", every="1h")
    with pytest.raises(pairloom.CorpusChangedError) as error:
        pairloom.train(path, checkpoint=checkpoints, on_progress=spoil, **options("blocks"))
    assert error.value.exit_code == 4
    path.write_bytes(whole)  # put back, nothing is lost
    emb = pairloom.train(path, checkpoint=Checkpoints(tmp_path / "run", resume=True), **options("blocks"))
    assert saved(emb, tmp_path / "a.loom") == saved(pairloom.train(path, **options("blocks")), tmp_path / "b.loom")


# --- Outputs


def test_train_saves_what_it_is_told_to(two_topics, tmp_path):
    emb = pairloom.train(
        two_topics, dim=4, epochs=1, min_count=1, output=tmp_path / "a.loom", contexts_output=tmp_path / "c.vec"
    )
    assert np.array_equal(pairloom.load(tmp_path / "a.loom").words.vectors, emb.words.vectors)
    assert pairloom.load(tmp_path / "c.vec").words.words == emb.contexts.words


def test_an_output_that_cannot_be_is_refused_before_anything_is_read(tmp_path):
    with pytest.raises(pairloom.InputError, match="does not exist"):
        pairloom.train("no such corpus", output=tmp_path / "no" / "a.loom")
    with pytest.raises(pairloom.InputError, match="cannot hold both words and contexts"):
        pairloom.train("no such corpus", output=tmp_path / "a.loom", contexts_output=tmp_path / "a.loom")


def test_stop_may_come_from_another_thread(text, tmp_path):
    checkpoints = Checkpoints(tmp_path / "run")

    def stop_soon(progress):
        if progress.stage == "train":
            threading.Thread(target=checkpoints.stop).start()

    with pytest.raises(pairloom.StoppedError):
        pairloom.train(text, checkpoint=checkpoints, on_progress=stop_soon, **options("blocks") | {"epochs": 300})


def test_a_full_disk_is_found_out_before_training(text, tmp_path, monkeypatch):
    import shutil

    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(1000, 900, 100))
    for where in (
        {"output": tmp_path / "a.loom"},
        {"contexts_output": tmp_path / "a.vec"},
        {"checkpoint": tmp_path / "r"},
    ):
        with pytest.raises(pairloom.OutputError, match=r"needs 0\.\d MB, and its disk has 0\.0 MB left") as error:
            pairloom.train(text, **where, **options("blocks"))
        assert error.value.exit_code == 5
    assert not list(tmp_path.glob("*.loom")) + list(tmp_path.glob("*.vec"))


def test_two_trainings_have_two_outputs_and_two_folders(text, tmp_path):
    def second(progress):
        for where in ({"output": tmp_path / "a.loom"}, {"checkpoint": tmp_path / "run"}):
            with pytest.raises(pairloom.LockedError) as error:
                pairloom.train(text, **where, **options("blocks"))
            assert error.value.exit_code == 6

    pairloom.train(
        text, output=tmp_path / "a.loom", checkpoint=tmp_path / "run", on_progress=second, **options("blocks")
    )
    assert (tmp_path / "a.loom").exists()


def test_a_corpus_that_changes_is_found_without_checkpoints_too(zipf_corpus, tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text("".join(" ".join(sentence) + "\n" for sentence in zipf_corpus[:2000]))

    def spoil(progress):
        if progress.stage == "train" and progress.done:
            path.touch()

    with pytest.raises(pairloom.CorpusChangedError):
        pairloom.train(path, on_progress=spoil, **options("blocks"))


def test_columns_are_resumed_and_a_changed_table_is_noticed(zipf_corpus, tmp_path, often):
    table = tmp_path / "rows.jsonl"
    table.write_text("".join(json.dumps({"words": " ".join(line), "other": "a b"}) + "\n" for line in zipf_corpus))
    how = options("blocks") | {"column": "words"}
    whole = saved(pairloom.train(table, **how), tmp_path / "whole.loom")
    checkpoints = StopAfter(tmp_path / "run", 40)
    with pytest.raises(pairloom.StoppedError):
        pairloom.train(table, checkpoint=checkpoints, on_progress=checkpoints, **how)
    shutil.copytree(tmp_path / "run", tmp_path / "changed")
    emb = pairloom.train(table, checkpoint=Checkpoints(tmp_path / "run", resume=True), **how | {"threads": 1})
    assert saved(emb, tmp_path / "resumed.loom") == whole
    with table.open("a") as file:
        file.write(json.dumps({"words": " ".join(zipf_corpus[0])}) + "\n")
    with pytest.raises(pairloom.InputError, match="the corpus differs"):
        pairloom.train(table, checkpoint=Checkpoints(tmp_path / "changed", resume=True), **how)
