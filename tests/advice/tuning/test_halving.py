from typing import NamedTuple

from pairloom.advice.tuning.halving import NextTrial, next_step, rungs_for


class Done(NamedTuple):
    candidate: int
    rung: int
    score: float


def run(quality, n, rungs=3):
    """The steps of n trials of candidates whose scores are `quality`."""
    done = []
    for _ in range(n):
        step = next_step(done, rungs)
        done.append(Done(*step, quality(step.candidate)))
    return [NextTrial(*trial[:2]) for trial in done]


def test_the_defaults_go_first_up_to_the_last_rung():
    assert run(lambda candidate: 0.0, 3) == [(0, 0), (0, 1), (0, 2)]


def test_a_candidate_below_the_defaults_stays_on_the_first_rung():
    steps = run(lambda candidate: -candidate, 5)
    assert steps[3:] == [(1, 0), (2, 0)]


def test_a_candidate_above_the_defaults_goes_on_at_once():
    assert run(lambda candidate: candidate, 6)[3:] == [(1, 0), (1, 1), (1, 2)]


def test_most_trials_are_of_the_first_rung_and_the_best_candidate_is_on_the_last():
    steps = run(lambda candidate: (candidate * 37) % 101, 60)
    by_rung = [[step.candidate for step in steps if step.rung == rung] for rung in range(3)]
    assert len(by_rung[0]) > 1.5 * len(by_rung[1]) > 1.5 * len(by_rung[2])
    assert max(by_rung[0], key=lambda candidate: (candidate * 37) % 101) in by_rung[2]


def test_n_trials_are_the_first_n_of_any_longer_search():
    def quality(candidate):
        return (candidate * 37) % 101

    assert run(quality, 25) == run(quality, 60)[:25]


def test_a_share_of_a_small_text_is_not_tried():
    assert [rung.share for rung in rungs_for(83_000, 1)] == [1.0, 1.0]
    assert [round(1 / rung.share) for rung in rungs_for(5_000_000, 1)] == [9, 3, 1, 1]
    assert [rung.seed for rung in rungs_for(5_000_000, 7)] == [7, 7, 7, 8]
