"""What of a corpus a cluster has trained on: every shard once in every epoch, whatever the network does.

Work that is sent out comes back once, twice, late or never: a call to a worker may fail although the work was done, and
a copy of slow work may win or lose. So the driver asks the ledger about every result, and applies it only on a yes:

    task = ledger.next_task(now)                   send it to a worker; None means wait
    if ledger.accept(task, tokens, now): ...       the result came: apply it
    ledger.as_json()                               goes into the same atomic write as the weights
    Ledger.from_json(saved).resumed()              after the driver died

Weights and ledger are saved by one rename, so they always tell of the same results. Times are the caller's, in seconds,
on any clock that does not run backwards. One thread keeps the ledger.
"""

import heapq
import secrets
from collections import deque
from collections.abc import Sequence
from statistics import median
from typing import Any, NamedTuple, Self

from pairloom.config import is_whole
from pairloom.errors import InputError, PairloomError

TIMES_MEDIAN = 3.0  # a shard that takes so many times as long as others is given to another worker as well
KNOWN_BEFORE = 3  # results that must be there before a median says something
SECONDS_AT_MOST = 600.0  # until then, and in any case
MOST_ATTEMPTS = 10
_REMEMBERED = 101  # durations, the newest


class Task(NamedTuple):
    """What is sent out, and comes back with the result."""

    run: str  # of one driver, from its start to its end
    epoch: int  # from 0 on
    shard: int
    attempt: int  # 1, 2, ... for copies of the same work


class Balance(NamedTuple):
    """What a training prints at its end."""

    tokens_applied: int
    tokens: int  # in the corpus
    epochs: int
    duplicates: int
    late: int

    @property
    def lost(self) -> int:
        """Tokens that were never applied (before the end: not yet)."""
        return self.tokens * self.epochs - self.tokens_applied

    def __str__(self) -> str:
        dropped = f"{self.duplicates} duplicates and {self.late} late results dropped"
        asked = f"{self.tokens:,} tokens x {self.epochs} epochs"
        return f"{self.tokens_applied:,} tokens applied of {asked}; {dropped}; {self.lost:,} tokens lost"


class Ledger:
    """The shards of an epoch: which are applied and which are out; and what came too often or too late."""

    def __init__(self, tokens: Sequence[int], epochs: int) -> None:
        """`tokens` has the size of each shard."""
        if not len(tokens) or not all(is_whole(n) and n > 0 for n in tokens) or not is_whole(epochs) or epochs < 1:
            raise InputError("A ledger needs a shard or more, each of a token or more, and an epoch or more.")
        self.run = secrets.token_hex(8)
        self._tokens, self._epochs = [int(n) for n in tokens], int(epochs)
        self._tokens_applied = self._duplicates = self._late = 0
        self._durations: deque[float] = deque(maxlen=_REMEMBERED)
        self._begin(0)

    def _begin(self, epoch: int) -> None:
        self._epoch = epoch
        self._applied: set[int] = set()
        self._out: set[int] = set()
        self._times: dict[int, list[float]] = {}  # when each attempt at a shard was given out
        self._waiting = list(range(len(self._tokens)))  # a heap; what is applied meanwhile is passed over

    @property
    def done(self) -> bool:
        """Whether every shard has been applied in every epoch."""
        return self._epoch == self._epochs

    def balance(self) -> Balance:
        """What has been applied, and what was dropped."""
        return Balance(self._tokens_applied, sum(self._tokens), self._epochs, self._duplicates, self._late)

    # --- Out

    def next_task(self, now: float) -> Task | None:
        """A shard that is not out, or else a copy of the one that has been out longest of those overdue."""
        while self._waiting and not self.done:
            if (shard := heapq.heappop(self._waiting)) not in self._applied:
                return self._give_out(shard, now)
        overdue = [shard for shard in self._out if now - self._times[shard][-1] > self._patience(shard)]
        return self._give_out(min(overdue, key=lambda s: (self._times[s][-1], s)), now) if overdue else None

    def _patience(self, shard: int) -> float:
        """Seconds until a copy is sent; twice as many for each further one, so that a stall is no avalanche."""
        known = len(self._durations) >= KNOWN_BEFORE
        seconds = TIMES_MEDIAN * median(self._durations) if known else SECONDS_AT_MOST
        return min(seconds * 2.0 ** (len(self._times[shard]) - 1), SECONDS_AT_MOST)

    def _give_out(self, shard: int, now: float) -> Task:
        times = self._times.setdefault(shard, [])
        if len(times) == MOST_ATTEMPTS:
            raise PairloomError(
                f"Shard {shard} was given out {MOST_ATTEMPTS} times in epoch {self._epoch + 1} and never came back. "
                "Look at the logs of the workers that had it."
            )
        times.append(now)
        self._out.add(shard)
        return Task(self.run, self._epoch, shard, len(times))

    def give_up(self, task: Task) -> None:
        """A worker is known to be dead: its task goes out again at once. If its result comes after all, good."""
        newest = self._is_current(task) and task.attempt == len(self._times.get(task.shard, ()))
        if newest and task.shard in self._out:
            self._out.remove(task.shard)
            heapq.heappush(self._waiting, task.shard)

    # --- Back

    def accept(self, task: Task, tokens: int, now: float) -> bool:
        """Whether to apply a result, which says of how many tokens it was made. If not, it is counted: drop it."""
        if not self._is_current(task):
            self._late += 1
            return False
        self._check(task, tokens)
        if task.shard in self._applied:
            self._duplicates += 1
            return False
        self._enter(task, now)
        return True

    def _is_current(self, task: Task) -> bool:
        return task.run == self.run and task.epoch == self._epoch

    def _check(self, task: Task, tokens: int) -> None:
        """What was never given out, or was made of another text, is no result of this training."""
        if not 1 <= task.attempt <= len(self._times.get(task.shard, ())):
            raise InputError(f"{task} was never given out. Its worker belongs to another training.")
        if tokens != self._tokens[task.shard]:
            raise InputError(
                f"Shard {task.shard} has {self._tokens[task.shard]:,} tokens, and a worker has trained on {tokens:,}. "
                "Give the workers the corpus that the driver has."
            )

    def _enter(self, task: Task, now: float) -> None:
        self._durations.append(max(now - self._times[task.shard][task.attempt - 1], 0.0))
        self._tokens_applied += self._tokens[task.shard]
        self._applied.add(task.shard)
        self._out.discard(task.shard)
        if len(self._applied) == len(self._tokens):
            self._begin(self._epoch + 1)

    # --- In a checkpoint

    def as_json(self) -> dict[str, Any]:
        """All of it, in numbers, strings and lists."""
        return {
            "run": self.run,
            "tokens": list(self._tokens),
            "epochs": self._epochs,
            "epoch": self._epoch,
            "applied": sorted(self._applied),
            "out": sorted(self._out),
            "times": [[shard, list(times)] for shard, times in sorted(self._times.items())],
            "durations": list(self._durations),
            "counts": [self._tokens_applied, self._duplicates, self._late],
        }

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> Self:
        """The ledger that `as_json` gave, which goes on as if nothing had been."""
        try:
            ledger = cls(saved["tokens"], saved["epochs"])
            ledger._restore(saved)
            sound = ledger._is_sound()
        except (KeyError, TypeError, ValueError, IndexError):
            sound = False
        if not sound:
            raise InputError("The ledger of shards in this checkpoint does not add up. Go on from an older checkpoint.")
        return ledger

    def _restore(self, saved: dict[str, Any]) -> None:
        self._begin(saved["epoch"])
        self.run = saved["run"]
        self._applied, self._out = set(saved["applied"]), set(saved["out"])
        self._times = {shard: list(times) for shard, times in saved["times"]}
        self._durations.extend(saved["durations"])
        self._tokens_applied, self._duplicates, self._late = saved["counts"]
        self._waiting = sorted(set(self._waiting) - self._applied - self._out)  # which is a heap

    def _is_sound(self) -> bool:
        """Whether its parts agree: the same tokens by counts and by shards, nothing both applied and out."""
        applied = self._epoch * sum(self._tokens) + sum(self._tokens[shard] for shard in self._applied)
        known = set(range(len(self._tokens)))
        return (
            0 <= self._epoch <= self._epochs
            and self._applied < known
            and self._out <= set(self._times) <= known
            and self._applied.isdisjoint(self._out)
            and self._tokens_applied == applied
        )

    def resumed(self) -> Self:
        """The ledger of a new driver: what the old one had sent out is not waited for, and is late if it comes."""
        return type(self).from_json({**self.as_json(), "run": secrets.token_hex(8), "out": [], "times": []})
