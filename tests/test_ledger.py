"""Every shard is applied once in every epoch, whatever becomes of tasks and results on their way."""

import json
from collections import Counter
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairloom import ledger as ledgers
from pairloom.errors import InputError, PairloomError
from pairloom.ledger import Balance, Ledger, Task


def applied(ledger, tokens=10, now=0.0):
    """Give out a task and have it come back."""
    task = ledger.next_task(now)
    assert ledger.accept(task, tokens, now)
    return task


def test_shards_go_out_in_order_and_none_is_given_out_twice_while_it_is_out():
    ledger = Ledger([10, 20], epochs=1)
    assert ledger.next_task(0.0) == Task(ledger.run, 0, 0, 1)
    assert ledger.next_task(0.0) == Task(ledger.run, 0, 1, 1)
    assert ledger.next_task(0.0) is None


def test_an_epoch_begins_when_the_one_before_is_applied():
    ledger = Ledger([10, 20], epochs=2)
    first, second = ledger.next_task(0), ledger.next_task(0)
    assert ledger.accept(second, 20, 1)
    assert ledger.next_task(1) is None
    assert ledger.accept(first, 10, 1)
    assert ledger.next_task(1) == Task(ledger.run, 1, 0, 1)


def test_what_comes_twice_is_dropped_and_counted():
    ledger = Ledger([10, 10], epochs=1)
    task = applied(ledger)
    assert not ledger.accept(task, 10, 0)
    assert ledger.balance() == Balance(tokens_applied=10, tokens=20, epochs=1, duplicates=1, late=0)


def test_what_comes_after_its_epoch_is_late():
    ledger = Ledger([10], epochs=2)
    task = applied(ledger)
    assert not ledger.accept(task, 10, 0)
    applied(ledger)
    assert not ledger.accept(task, 10, 0)
    assert ledger.done
    assert ledger.balance().late == 2


def test_the_balance_says_whether_all_is_there():
    ledger = Ledger([1000, 500], epochs=2)
    assert ledger.balance().lost == 3000
    for tokens in (1000, 500, 1000, 500):
        applied(ledger, tokens)
    assert str(ledger.balance()) == (
        "3,000 tokens applied of 1,500 tokens x 2 epochs; 0 duplicates and 0 late results dropped; 0 tokens lost"
    )
    assert ledger.next_task(1e9) is None


def test_a_shard_that_takes_three_times_as_long_as_others_goes_to_another_worker_too():
    ledger = Ledger([10] * 5, epochs=1)
    tasks = [ledger.next_task(0) for _ in range(5)]
    for task, seconds in zip(tasks, [1, 2, 4], strict=False):
        assert ledger.accept(task, 10, seconds)
    assert ledger.next_task(6.0) is None
    assert ledger.next_task(6.01) == Task(ledger.run, 0, 3, 2)
    assert ledger.next_task(6.01) == Task(ledger.run, 0, 4, 2)
    assert ledger.next_task(6.01) is None
    assert ledger.accept(tasks[3], 10, 7)  # the slow one was faster after all
    assert ledger.next_task(24.0) is None  # the median is 3 now, and a second copy has twice as long
    assert ledger.next_task(24.1) == Task(ledger.run, 0, 4, 3)


def test_the_shard_that_has_been_out_longest_is_copied_first(monkeypatch):
    monkeypatch.setattr(ledgers, "SECONDS_AT_MOST", 5.0)
    ledger = Ledger([10] * 2, epochs=1)
    assert [ledger.next_task(now).shard for now in (0, 1, 5.1, 10.2)] == [0, 1, 0, 1]


def test_a_duration_is_that_of_the_attempt_which_came_back():
    ledger = Ledger([10] * 9, epochs=1)
    for _ in range(3):
        assert ledger.accept(ledger.next_task(0), 10, 1)
    slow = ledger.next_task(0)
    others = [ledger.next_task(0) for _ in range(5)]
    assert ledger.next_task(10).shard == slow.shard
    assert ledger.accept(slow, 10, 10.5)
    assert ledger.as_json()["durations"] == [1, 1, 1, 10.5]
    assert len(others) == 5


def test_until_a_median_is_known_a_shard_has_ten_minutes():
    ledger = Ledger([10] * 3, epochs=1)
    applied(ledger)
    applied(ledger)
    assert ledger.next_task(0).shard == 2
    assert ledger.next_task(600) is None
    assert ledger.next_task(601) == Task(ledger.run, 0, 2, 2)


def test_a_dead_workers_shard_goes_out_at_once_and_its_result_counts_if_it_comes():
    ledger = Ledger([10, 10], epochs=1)
    task = ledger.next_task(0)
    ledger.give_up(task)
    ledger.give_up(task)
    copy = ledger.next_task(0)
    assert copy == task._replace(attempt=2)
    ledger.give_up(task)  # the copy is out, and its worker alive
    assert ledger.next_task(0).shard == 1
    assert ledger.accept(task, 10, 0)
    assert not ledger.accept(copy, 10, 0)


def test_a_result_that_comes_while_its_shard_waits_is_not_given_out_again():
    ledger = Ledger([10, 10], epochs=1)
    task = ledger.next_task(0)
    ledger.give_up(task)
    assert ledger.accept(task, 10, 0)
    assert ledger.next_task(0).shard == 1


def test_to_give_up_what_is_over_changes_nothing():
    ledger = Ledger([10, 10], epochs=1)
    task = applied(ledger)
    before = ledger.as_json()
    for old in (task, task._replace(run="other"), task._replace(epoch=7), task._replace(shard=9)):
        ledger.give_up(old)
    assert ledger.as_json() == before


def test_a_shard_that_ends_every_worker_is_not_given_out_for_ever():
    ledger = Ledger([10], epochs=1)
    for _ in range(ledgers.MOST_ATTEMPTS):
        ledger.give_up(ledger.next_task(0))
    with pytest.raises(PairloomError) as error:
        ledger.next_task(0)
    assert str(error.value) == (
        "Shard 0 was given out 10 times in epoch 1 and never came back. Look at the logs of the workers that had it."
    )


@pytest.mark.parametrize("change", [{"attempt": 2}, {"attempt": 0}, {"shard": 1}])
def test_what_was_never_given_out_is_no_result(change):
    ledger = Ledger([10, 10], epochs=1)
    task = ledger.next_task(0)._replace(**change)
    with pytest.raises(InputError, match=r"was never given out\. Its worker belongs to another training\."):
        ledger.accept(task, 10, 0)
    assert ledger.balance().tokens_applied == 0


def test_a_worker_that_read_another_text_is_found():
    ledger = Ledger([1000], epochs=1)
    with pytest.raises(InputError) as error:
        ledger.accept(ledger.next_task(0), 999, 0)
    assert str(error.value) == (
        "Shard 0 has 1,000 tokens, and a worker has trained on 999. Give the workers the corpus that the driver has."
    )


@pytest.mark.parametrize(("tokens", "epochs"), [([], 1), ([0], 1), ([1.5], 1), ([5], 0), ([5], True), ([True], 1)])
def test_a_ledger_is_of_something(tokens, epochs):
    with pytest.raises(InputError, match="A ledger needs a shard or more"):
        Ledger(tokens, epochs)


def test_after_a_driver_died_what_it_had_sent_out_is_late():
    ledger = Ledger([10, 10], epochs=1)
    applied(ledger)
    orphan = ledger.next_task(0)
    new = Ledger.from_json(ledger.as_json()).resumed()
    assert new.run != ledger.run
    assert not new.accept(orphan, 10, 0)
    assert applied(new) == Task(new.run, 0, 1, 1)
    assert new.done
    assert new.balance() == Balance(20, 20, 1, 0, 1)


def test_a_saved_ledger_stays_as_it_was_saved():
    ledger = Ledger([10, 10], epochs=1)
    applied(ledger)
    saved = ledger.as_json()
    text = json.dumps(saved)
    ledger.next_task(0)
    applied_again = ledger.accept(Task(ledger.run, 0, 1, 1), 10, 1)
    assert applied_again
    assert json.dumps(saved) == text


@pytest.mark.parametrize(
    "damage",
    [
        {"epoch": 1}, {"epoch": -1}, {"epoch": 3}, {"epoch": "0"}, {"applied": []}, {"applied": [0, 1]},
        {"applied": [7]}, {"applied": None}, {"applied": [[]]}, {"out": [0]}, {"out": [5]}, {"times": [[0, 1.0]]},
        {"times": [[9, [1.0]]]}, {"times": [3]}, {"counts": [11, 0, 0]}, {"counts": [10]}, {"tokens": []},
        {"tokens": None}, {"epochs": "two"}, {"durations": 5},
    ],
)  # fmt: skip
def test_a_ledger_that_does_not_add_up_is_refused(damage):
    ledger = Ledger([10, 10], epochs=2)
    applied(ledger)
    ledger.next_task(0)
    assert Ledger.from_json(ledger.as_json()).as_json() == ledger.as_json()
    with pytest.raises(InputError, match=r"does not add up\. Go on from an older checkpoint\."):
        Ledger.from_json(ledger.as_json() | damage)


def test_a_part_of_a_ledger_is_none():
    saved = Ledger([10], epochs=1).as_json()
    for name in saved:
        with pytest.raises(InputError, match="does not add up"):
            Ledger.from_json({key: value for key, value in saved.items() if key != name})


# --- Any order, any duplication, any loss


class Cluster:
    """A driver with weights (which here only count what was applied), workers, and a network that has its moods."""

    def __init__(self, tokens, epochs):
        self.tokens, self.ledger, self.weights = tokens, Ledger(tokens, epochs), Counter()
        self.flying, self.now, self.dropped = [], 0.0, 0
        self.save()

    def save(self):
        self.saved = json.dumps([self.ledger.as_json(), sorted(self.weights.items()), self.dropped])

    def send(self, _):
        if (task := self.ledger.next_task(self.now)) is not None:
            self.flying.append(task)

    def arrive(self, n, again=False):
        if self.flying:
            task = self.flying[n % len(self.flying)] if again else self.flying.pop(n % len(self.flying))
            if self.ledger.accept(task, self.tokens[task.shard], self.now):
                self.weights[task.epoch, task.shard] += 1
            else:
                self.dropped += 1

    def arrive_and_come_again(self, n):
        self.arrive(n, again=True)

    def lose(self, n):
        if self.flying:
            self.flying.pop(n % len(self.flying))

    def die_but_deliver(self, n):
        if self.flying:
            self.ledger.give_up(self.flying[n % len(self.flying)])

    def die(self, n):
        if self.flying:
            self.ledger.give_up(self.flying.pop(n % len(self.flying)))

    def wait(self, n):
        self.now += n * 10

    def checkpoint(self, _):
        self.save()

    def reload(self, _):
        self.ledger = Ledger.from_json(json.loads(json.dumps(self.ledger.as_json())))

    def lose_the_driver(self, _):
        ledger, weights, self.dropped = json.loads(self.saved)
        self.ledger = Ledger.from_json(ledger).resumed()
        self.weights = Counter({tuple(key): n for key, n in weights})

    def finish(self):
        while not self.ledger.done:
            self.now += 1000
            self.send(0)
            self.arrive(0)


@contextmanager
def endless_attempts():
    """With bad luck enough any number of attempts fails, which is not what is asked here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ledgers, "MOST_ATTEMPTS", 10_000)
        yield


MOODS = [
    "send", "send", "arrive", "arrive_and_come_again", "lose", "die", "die_but_deliver", "wait", "checkpoint", "reload",
    "lose_the_driver",
]  # fmt: skip
steps = st.lists(st.tuples(st.sampled_from(MOODS), st.integers(0, 100)), max_size=80)
sizes = st.lists(st.integers(1, 50), min_size=1, max_size=6)


@settings(max_examples=300, deadline=None)
@given(sizes, st.integers(1, 3), steps)
def test_whatever_happens_every_shard_is_applied_once_in_every_epoch(tokens, epochs, steps):
    with endless_attempts():
        cluster = Cluster(tokens, epochs)
        for name, n in steps:
            getattr(cluster, name)(n)
        cluster.finish()
        while cluster.flying:
            cluster.arrive(0)
    assert cluster.weights == {(epoch, shard): 1 for epoch in range(epochs) for shard in range(len(tokens))}
    balance = cluster.ledger.balance()
    assert balance.tokens_applied == sum(tokens) * epochs
    assert balance.lost == 0
    assert balance.duplicates + balance.late == cluster.dropped


@settings(max_examples=200, deadline=None)
@given(sizes, st.integers(1, 3), steps)
def test_a_ledger_that_was_saved_and_read_goes_on_alike(tokens, epochs, steps):
    """Two clusters meet the same fate; the ledger of one goes through JSON at every step."""
    one, other = Cluster(tokens, epochs), Cluster(tokens, epochs)
    other.ledger = Ledger.from_json(one.ledger.as_json())
    with endless_attempts():
        for name, n in steps:
            if name != "lose_the_driver":  # which takes a new name for the run
                getattr(one, name)(n)
                other.reload(0)
                getattr(other, name)(n)
                assert other.flying == one.flying
                assert other.ledger.as_json() == one.ledger.as_json()
    assert other.weights == one.weights
