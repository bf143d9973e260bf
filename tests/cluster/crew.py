"""A crew of workers in this process, on threads: the same calls as on Ray, without Ray."""

import threading
from concurrent.futures import ThreadPoolExecutor, wait
from copy import deepcopy

from pairloom.cluster.workers.mailbox import LostError
from pairloom.cluster.workers.shipping import attached
from pairloom.cluster.workers.worker import Worker


class Answer:
    def __init__(self, future):
        self.future = future

    def result(self):
        return self.future.result()


class ThreadCrew:
    """Workers that can be lost: `lose` replaces one by a new one that knows nothing.

    before(crew, worker, method, args) is called before every call, whether by the driver or by another worker.
    """

    def __init__(self, n, threads=1, before=None):
        self.threads, self.before = threads, before
        self.workers = [Worker(number, n, threads) for number in range(n)]
        self.pools = [ThreadPoolExecutor(8) for _ in range(n)]
        self.trains = [threading.Lock() for _ in range(n)]  # Ray, too, makes one call of `train` at a time
        self.generation = [0] * n

    def __len__(self):
        return len(self.workers)

    def call(self, worker, method, *args):
        if self.before:
            self.before(self, worker, method, args)
        return Answer(self.pools[worker].submit(self._run, worker, self.generation[worker], method, args))

    def _run(self, number, generation, method, args):
        if self.generation[number] != generation:
            raise LostError(f"worker {number}")
        worker, lock = self.workers[number], self.trains[number]
        try:
            if method in ("rehearse", "train"):
                with lock:
                    result = getattr(worker, method)(*args)
            else:
                result = getattr(worker, method)(*args)
        except Exception:
            if self.generation[number] != generation:
                raise LostError(f"worker {number}") from None
            raise
        if self.generation[number] != generation:
            raise LostError(f"worker {number}")
        return result

    def done(self, answers, seconds):
        wait([answer.future for answer in answers], seconds, "FIRST_COMPLETED" if seconds else "ALL_COMPLETED")
        return [answer.future.done() for answer in answers]

    def set_up(self, worker, setting, files):
        assert files.are_seen()
        source = attached(setting.source, files.folder)
        self.call(worker, "set_up", setting._replace(source=source), Send(self)).result()

    def nodes(self):
        return ["here"] * len(self)

    def lose(self, number):
        """The worker is gone at once, with all its rows; one without rows takes its place."""
        gone, self.workers[number] = self.workers[number], Worker(number, len(self), self.threads)
        self.trains[number] = threading.Lock()
        self.generation[number] += 1
        gone.mailbox.abandon(1 << 60)


class Send:
    """Calls of one worker to the others. Messages are copied, as by sockets: the sender may overwrite its rows at once.

    A call that fails ends the attempt of the worker that was called, as a connection does that ends.
    """

    def __init__(self, crew):
        self.crew = crew

    def __call__(self, worker, method, content):
        answer = self.crew.call(worker, method, *deepcopy(content))
        if method == "post":
            called = self.crew.workers[worker]
            answer.future.add_done_callback(lambda done: done.exception() and called.mailbox.end(content[0], "failed"))
        return answer.result

    def close(self):
        pass
