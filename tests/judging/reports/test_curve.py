"""The course of a training, kept from its reports."""

import pytest

import pairloom
from pairloom.judging.reports import curve as module
from pairloom.judging.reports.curve import MOST_POINTS, LearningCurve
from pairloom.progress import Progress


def watched(monkeypatch, times, reports):
    clock = iter(times)
    monkeypatch.setattr(module.time, "perf_counter", lambda: next(clock))
    curve = LearningCurve()
    for report in reports:
        curve(report)
    return curve


def at(done, total=400, epochs=4):
    return Progress(stage="train", done=done, total=total, epochs=epochs, epoch=1)


def test_time_is_split_by_stage_and_epochs_by_their_ends(monkeypatch):
    reports = [Progress(stage="count"), Progress(stage="compile"), at(0), at(50), at(100), at(200), at(300), at(400)]
    curve = watched(monkeypatch, [10, 12, 15, 16, 17, 18, 20, 24], reports)
    assert curve.stages == {"count": 2, "compile": 3, "train": 9} and curve.seconds == 14
    assert {epoch: end.seconds for epoch, end in curve.epoch_ends.items()} == {1: 7, 2: 8, 3: 10, 4: 14}
    assert curve.speeds() == [(5.5, 50), (6.5, 50), (7.5, 100), (9, 50), (12, 25)]
    assert repr(curve) == "LearningCurve(400 words, 14.0 s)" and curve.resumed_at == 0


def test_a_resumed_training_knows_where_it_began(monkeypatch):
    curve = watched(monkeypatch, [0, 1, 2], [at(150), at(200), at(300)])
    assert curve.resumed_at == 150 and list(curve.epoch_ends) == [2, 3]


def test_a_long_training_keeps_few_points(monkeypatch):
    n = 40_000
    curve = watched(monkeypatch, range(n), [at(i, total=n) for i in range(n)])
    assert MOST_POINTS / 4 < len(curve.points) <= MOST_POINTS
    assert curve.points[0].done == 0 and curve.points[-1].done > 0.99 * n
    gaps = [b.seconds - a.seconds for a, b in zip(curve.points, curve.points[1:], strict=False)]
    assert max(gaps) <= 4 * min(gaps) and len(curve.speeds()) <= module.MOST_SPEEDS
    assert all(speed == pytest.approx(1) for _, speed in curve.speeds())


def test_nothing_was_seen():
    assert LearningCurve().speeds() == [] and LearningCurve().resumed_at == 0
    assert repr(LearningCurve()) == "LearningCurve(0 words, 0.0 s)"


def test_it_watches_text_pairs_and_models_without_epochs(two_topics):
    curve = LearningCurve()
    pairloom.train(two_topics, dim=4, epochs=3, min_count=1, sample=0, on_progress=curve)
    assert list(curve.epoch_ends) == [1, 2, 3] and {"count", "compile", "train"} <= curve.stages.keys()
    curve = LearningCurve()
    pairloom.train_pairs([["a", "b"], ["b", "a"]] * 50, dim=2, min_count=1, on_progress=curve)
    assert curve.unit == "pairs"
    curve = LearningCurve()
    pairloom.train(two_topics, dim=4, min_count=1, sample=0, negatives=1, model="sppmi-svd", on_progress=curve)
    assert curve.points == [] and "pairs" in curve.stages
