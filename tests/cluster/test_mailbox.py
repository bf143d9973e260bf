"""A message reaches the attempt that it was sent for, and no other."""

import threading

import pytest

from pairloom.cluster.workers.mailbox import AbandonedError, Mailbox


@pytest.fixture
def mailbox():
    mailbox = Mailbox()
    mailbox.begin(2)
    return mailbox


def test_messages_may_come_in_any_order_and_are_taken_once(mailbox):
    mailbox.put(2, ("part", 1), "later")
    mailbox.put(2, ("part", 0), "now")
    assert [mailbox.take(("part", step)) for step in (0, 1)] == ["now", "later"]
    assert not mailbox.has(("part", 0))


def test_a_message_may_come_before_its_attempt_begins(mailbox):
    mailbox.put(3, ("part", 0), "early")
    mailbox.begin(3)
    assert mailbox.take(("part", 0)) == "early"


def test_late_messages_of_an_earlier_attempt_are_dropped(mailbox):
    mailbox.put(2, ("part", 0), "of the attempt before")
    mailbox.begin(3)
    mailbox.put(2, ("part", 0), "even later")
    assert not mailbox.has(("part", 0))
    mailbox.put(3, ("part", 0), "of this attempt")
    assert mailbox.take(("part", 0)) == "of this attempt"


def test_a_wait_ends_when_the_message_comes(mailbox):
    timer = threading.Timer(0.05, mailbox.put, (2, ("rows",), "here"))
    timer.start()
    assert mailbox.take(("rows",)) == "here"
    assert mailbox.seconds_waiting > 0.01
    timer.join()


def test_a_wait_ends_when_the_attempt_is_abandoned(mailbox):
    timer = threading.Timer(0.05, mailbox.abandon, (2,))
    timer.start()
    with pytest.raises(AbandonedError):
        mailbox.take(("rows",))
    timer.join()


def test_an_attempt_may_be_abandoned_before_it_begins(mailbox):
    mailbox.abandon(3)
    mailbox.begin(3)
    with pytest.raises(AbandonedError):
        mailbox.take(("rows",))
    mailbox.abandon(1)  # late
    mailbox.begin(4)
    mailbox.check()
