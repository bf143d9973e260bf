"""What the tests of trainings on workers share."""

import hashlib
from itertools import count

from pairloom.cluster.ledger import applied_rounds
from pairloom.training.checkpoint import Checkpoints

OPTIONS = {"dim": 20, "min_count": 1, "epochs": 2, "sample": 0.0, "seed": 3}


def digest(embedding):
    return hashlib.sha256(embedding.words.vectors.tobytes() + embedding.contexts.vectors.tobytes()).hexdigest()


def each_round_once(log):
    rounds = applied_rounds(log)
    return len(rounds) > 0 and rounds == sorted(set(rounds))


class StopsAtReport:
    """Stops a training at a report, between rounds or in the middle of one. With the log of workers, not in the first.

    Reports come a few times a second. On a busy machine several come before the first round has been applied.
    """

    def __init__(self, folder, log=None):
        self.checkpoints = Checkpoints(folder, "1h")
        self.log, self.seen = log, count()

    def __call__(self, progress):
        began = progress.stage == "train" and next(self.seen) > 0
        if began and (self.log is None or applied_rounds(self.log)):
            self.checkpoints.stop()
