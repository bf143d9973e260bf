"""What the tests of trainings on workers share."""

import hashlib
from itertools import count

from pairloom.cluster.ledger import applied_rounds
from pairloom.training.checkpoint import Checkpoints

OPTIONS = {"dim": 20, "min_count": 1, "epochs": 2, "sample": 0.0, "seed": 3}


def digest(embedding):
    return hashlib.sha256(embedding.words.vectors.tobytes() + embedding.contexts.vectors.tobytes()).hexdigest()


def each_round_once(log, fewest=1):
    rounds = applied_rounds(log)
    return len(rounds) >= fewest and rounds == sorted(set(rounds))


class StopsAfter:
    """Stops a training after some rounds, or in the middle of one if there are workers to ask."""

    def __init__(self, folder, reports):
        self.checkpoints = Checkpoints(folder, "1h")
        self.reports, self.seen = reports, count()

    def __call__(self, progress):
        if progress.stage == "train" and next(self.seen) == self.reports:
            self.checkpoints.stop()
