"""Workers reach each other by sockets, and nobody else reaches them."""

import socket
import threading

import numpy as np
import pytest

from pairloom.cluster.ray_crew import RayCrew
from pairloom.cluster.workers import links as links_module
from pairloom.cluster.workers.links import Links
from pairloom.cluster.workers.mailbox import LostError, Mailbox
from pairloom.cluster.workers.worker import Worker
from pairloom.errors import ClusterError

HERE, SECRET = "127.0.0.1", b"a secret of 32 bytes, or so it is"


class Noting:
    """Takes posts, doubles arrays, and waits."""

    def __init__(self):
        self.mailbox, self.called, self.go_on = Mailbox(), [], threading.Event()

    def answer(self, method, content):
        self.called.append(method)
        if method == "post":
            return self.mailbox.put(content[0], content[1], content[2:])
        if method == "double":
            return 2 * content[0]
        if method == "wait":
            return self.go_on.wait(20)
        raise LostError("this worker was started again")


@pytest.fixture(params=[True, False], ids=["by Unix sockets", "by TCP"])
def two(request, monkeypatch):
    """Two workers, and their links to each other."""
    if request.param and not links_module._HAS_NEAR:
        pytest.skip("Unix sockets without files are there on Linux only")
    monkeypatch.setattr(links_module, "_HAS_NEAR", request.param)
    workers = [Noting(), Noting()]
    links = [Links(worker, number, HERE) for number, worker in enumerate(workers)]
    for link in links:
        link.meet(SECRET, [link.address for link in links])
    for worker in workers:
        worker.mailbox.begin(7)
    yield workers, links
    for worker, link in zip(workers, links, strict=True):
        worker.go_on.set()
        link.close()


def test_arrays_arrive_as_they_were_sent(two):
    (_, there), (links, _) = two
    arrays = np.arange(6, dtype=np.float32).reshape(2, 3), np.empty((0, 4), np.float32), np.array([0.1, np.nan])
    links(1, "post", (7, ("sums", 3, 0), *arrays))
    got = there.mailbox.take(("sums", 3, 0))
    assert [array.dtype for array in got] == [array.dtype for array in arrays]
    assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(got, arrays, strict=True))


def test_some_rows_of_a_matrix_are_sent_without_the_others(two):
    (_, there), (links, _) = two
    matrix = np.arange(12.0).reshape(4, 3)
    links(1, "post", (7, ("part", 1), matrix[::2], matrix[:, 1]))
    rows, column = there.mailbox.take(("part", 1))
    assert rows.tolist() == matrix[::2].tolist() and column.tolist() == matrix[:, 1].tolist()


def test_memory_of_messages_is_used_again(two):
    (_, there), (links, _) = two
    places = []
    for step in range(3):
        links(1, "post", (7, ("part", step), np.full((50, 8), step, np.float32)))
        (rows,) = there.mailbox.take(("part", step))
        assert (rows == step).all()
        places.append(rows.ctypes.data)
        there.mailbox.give_back(rows)
    assert len(set(places)) == 1


def test_questions_are_answered_in_both_directions(two):
    _, (one, other) = two
    waiting = one(1, "double", (np.arange(3),)), other(0, "double", (np.arange(4),))
    assert [answer().tolist() for answer in waiting] == [[0, 2, 4], [0, 2, 4, 6]]


def test_an_error_of_the_other_worker_is_raised_here(two):
    _, (links, _) = two
    with pytest.raises(LostError, match="was started again"):
        links(1, "rows_at", (3,))()


def test_a_worker_without_the_secret_reaches_nobody(two):
    (_, there), (_, other) = two
    stranger = Links(Noting(), 0, HERE)
    stranger.meet(b"guessed", [stranger.address, other.address])
    with pytest.raises(LostError, match=r"cannot be reached at 127\.0\.0\.1:\d+ \(.*let no firewall be between them"):
        stranger(1, "post", (7, ("part", 1), np.zeros(3)))
    assert there.called == []


def test_one_that_listens_without_the_secret_gets_no_message(two):
    """For example another process that has got the port of a lost worker."""
    _, (links, _) = two
    thief = Noting()
    listening = Links(thief, 1, HERE)
    listening.meet(b"guessed", [])
    links.meet(SECRET, [links.address, listening.address])
    with pytest.raises(LostError):
        links(1, "post", (7, ("part", 1), np.zeros(3)))
    assert thief.called == []


def test_nobody_can_connect_before_the_secret_is_there():
    waiting = Links(Noting(), 1, HERE)
    early = Links(Noting(), 0, HERE)
    early.meet(b"", [early.address, waiting.address])
    with pytest.raises(LostError):
        early(1, "post", (7, ("part", 1), np.zeros(3)))


def test_a_worker_that_was_moved_is_not_taken_for_another(two):
    """The worker at this address has another number."""
    (here, _), (links, _) = two
    links.meet(SECRET, [links.address, links.address])
    with pytest.raises(LostError):
        links(1, "post", (7, ("part", 1), np.zeros(3)))
    assert here.called == []


@pytest.mark.parametrize("said", [b"", b"GET / HTTP/1.1\r\n\r\n", bytes(1000)])
def test_strangers_do_not_keep_workers_from_each_other(two, said):
    (_, there), (links, other) = two
    with socket.create_connection(other.address) as stranger:
        stranger.sendall(said)
        links(1, "post", (7, ("part", 1), np.zeros(3)))
        assert len(there.mailbox.take(("part", 1))) == 1


def test_a_connection_that_ends_ends_the_attempt_and_not_the_next(two):
    (_, there), (links, _) = two
    links(1, "post", (7, ("part", 1), np.zeros(3)))
    there.mailbox.take(("part", 1))
    links.close()
    with pytest.raises(LostError, match="a connection ended"):
        there.mailbox.take(("part", 2))
    there.mailbox.begin(8)
    links(1, "post", (8, ("part", 2), np.zeros(3)))
    assert len(there.mailbox.take(("part", 2))) == 1


def test_closing_ends_a_wait_for_an_answer(two):
    _, (links, _) = two
    answer = links(1, "wait", ())
    timer = threading.Timer(0.05, links.close)
    timer.start()
    with pytest.raises(LostError):
        answer()
    timer.join()


def test_a_worker_that_was_started_again_is_found_at_its_new_address(two):
    (_, _), (links, _) = two
    links(1, "double", (np.arange(3),))()
    new = Noting()
    again = Links(new, 1, HERE)
    again.meet(SECRET, [])
    links.meet(SECRET, [links.address, again.address])
    assert links(1, "double", (np.arange(3),))().tolist() == [0, 2, 4]
    assert new.called == ["double"]


def test_a_worker_that_has_not_met_the_others_is_a_new_one():
    with pytest.raises(LostError, match="worker 2 was started again"):
        Links(Noting(), 2, HERE)(1, "post", (7, ("part", 1), np.zeros(3)))


def test_a_worker_answers_only_what_workers_ask():
    worker = Worker(0, 2, 1)
    for method in ("set_up", "train", "put_rows", "__class__"):
        with pytest.raises(ValueError, match="nothing that workers ask"):
            worker.answer(method, ())


def test_a_worker_listens_on_the_address_of_its_machine_alone():
    host, port = Links(Noting(), 0, "127.0.0.2").address
    assert host == "127.0.0.2"
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), 5)


def test_workers_that_cannot_reach_each_other_are_named_in_one_line(monkeypatch):
    with socket.create_server((HERE, 0)) as gone:
        address = gone.getsockname()
    links = Links(Noting(), 0, HERE)
    crew = object.__new__(RayCrew)
    crew.handles, crew._secret = ["one", "another"], SECRET

    class Answer:
        def __init__(self, worker, method, *args):
            self.result = lambda: getattr(links, method)(*args) if worker == 0 else None

    monkeypatch.setattr(crew, "_found", lambda: (["here", "there"], [links.address, address]), raising=False)
    monkeypatch.setattr(crew, "call", Answer, raising=False)
    monkeypatch.setattr("pairloom.cluster.ray_crew.SECONDS_BETWEEN_TRIES", 0)
    with pytest.raises(
        ClusterError, match=rf"^Workers do not find each other: worker 1 cannot be reached at {HERE}:\d+"
    ):
        crew.nodes()
