"""`plan`: what a training will take, before it begins."""

import os
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Unpack

from pairloom.advice.planning.amounts import checked_amount, checked_network
from pairloom.advice.planning.counts import CountBins, of_file, of_vocabulary, zipf
from pairloom.advice.planning.predict import Copies, Cost, Setup, cost, sizes_of
from pairloom.advice.planning.recommend import Advice, advice, binding
from pairloom.advice.planning.speed import Speed, measured_speed
from pairloom.advice.planning.workload import Workload, workload_of
from pairloom.cluster.costs import driver_memory
from pairloom.config import (
    TextOptions,
    TrainConfig,
    TrainKeywords,
    check_choice,
    check_number,
    check_whole,
    checked_threads,
    split_options,
)
from pairloom.corpus.prepared import prepared_vocabulary
from pairloom.corpus.sentences import open_corpus
from pairloom.corpus.vocabulary import Vocabulary, WordSelection
from pairloom.errors import ConfigError
from pairloom.progress import OnProgress, Progress, ignore
from pairloom.system.display import number_of, of_type
from pairloom.system.memory import checked_size
from pairloom.types import CorpusLike, PathName

MOST_WORKERS = 65_536
MOST_WORDS, MOST_TOKENS = 2**31 - 1, 10**15


@dataclass(frozen=True, eq=False)
class Prediction:
    """What a training will take: `asked` on the workers asked for, `by_workers` on 1, 2, 4, ... of them."""

    workload: Workload
    setup: Setup
    speed: Speed
    worker_memory: int | None
    asked: Cost
    by_workers: list[Cost]

    @property
    def binds(self) -> str:
        """What takes most of the time with the workers asked for; or "memory", if they have too little."""
        return binding(self.asked, self.worker_memory)

    @property
    def parts(self) -> int:
        """P, and the largest number of workers."""
        return self.workload.division.parts

    @property
    def advice(self) -> Advice:
        """How many workers to use, and why."""
        return advice(self.by_workers, self.parts, self.worker_memory)

    @property
    def driver_memory(self) -> int:
        """Bytes of the process that starts a training on several workers."""
        sizes = sizes_of(self.workload, self.parts, self.asked.workers)
        return driver_memory(sizes, self.workload.words.bins.name_bytes)

    def as_dict(self) -> dict[str, Any]:
        """All of it, for JSON. Times are in seconds, sizes in bytes."""
        work, asked = self.workload, self.asked
        return {
            "words": work.words.rows,
            "contexts": work.contexts.rows,
            "tokens": round(work.tokens),
            "pairs": round(work.pairs * work.config.epochs),
            "epochs": work.config.epochs,
            "dim": work.config.dim,
            "parts": self.parts,
            "rounds": sum(kind.times for kind in work.rounds),
            "pairs_of_a_round": round(work.longest.pairs),
            "hubs": {"words": work.words.hubs, "contexts": work.contexts.hubs},
            "threads": self.setup.threads,
            "pairs_per_second": self.speed.pairs_per_second,
            **_facts(asked),
            "start_up": asked.starting,
            "time": {**asked.rounds._asdict(), "heldout": asked.heldout, "saving": asked.saving},
            "memory_items": {item.what: item.size for item in asked.memory},
            "driver_memory": self.driver_memory if asked.workers > 1 else 0,
            "traffic_items": asked.traffic._asdict(),
            "traffic_of_a_round": asked.traffic_of_a_round._asdict(),
            "binds": self.binds,
            "recommended": self.advice.workers,
            "why": self.advice.why,
            "by_workers": [_facts(each) | {"binds": binding(each, self.worker_memory)} for each in self.by_workers],
        }


def _facts(cost: Cost) -> dict[str, Any]:
    sizes = {"memory": cost.memory_total, "traffic": round(cost.traffic.total)}
    return {"workers": cost.workers, "seconds": cost.seconds, **sizes}


def plan(
    corpus: CorpusLike | None = None,
    *,
    vocabulary: Vocabulary | PathName | None = None,
    tokens: int | str | None = None,
    words: int | str | None = None,
    workers: int = 1,
    threads: int | None = None,
    network: float | str = "10Gb",
    latency: float = 1.0,
    pairs_per_second: float | None = None,
    worker_memory: int | str | None = None,
    spare_copies: Copies = "workers",
    keep: Collection[str] = (),
    drop: Collection[str] = (),
    cache_dir: PathName | None = None,
    on_progress: OnProgress = ignore,
    **options: Unpack[TrainKeywords],
) -> Prediction:
    """Predict the time, memory and traffic of a training from the counts of its words.

    corpus            a corpus as `train` takes it. Its words are counted, or their counts taken from the cache
    vocabulary        a Vocabulary, or a file of `word count` lines, in place of a corpus
    tokens, words     how many there are, for example "1T" and "1B", in place of both: counts then follow Zipf's law
    workers           machines that train together; one has no network
    threads           of each worker; by default the cores of this machine
    network           what a worker receives in a second: "10Gb" are bits, "1.25GB" are bytes
    latency           milliseconds that a message takes
    pairs_per_second  pairs that a thread trains in a second. By default this machine is measured for some seconds
    worker_memory     bytes of each worker, or for example "64GB": fewer workers than fit are not recommended
    spare_copies      where workers keep a copy of a neighbour's rows: in memory of "workers", on "disk", or in
                      memory outside of workers if all are on one "machine", as with --ray local
    options           those of `train`, for skip-gram with negative sampling

    The other parameters are those of `train`.
    """
    config, text = _checked_options(options)
    check_whole("workers", workers, 1, MOST_WORKERS, "1 is this machine alone")
    check_number("latency", latency, 0.0, 1e5, "in milliseconds, 1 is usual")
    check_choice("spare_copies", spare_copies, Copies)
    setup = Setup(checked_threads(threads), checked_network(network), float(latency) / 1000, spare_copies)
    speed = None if pairs_per_second is None else Speed(_checked_speed(pairs_per_second))
    memory = checked_size(worker_memory, "worker_memory")
    n_tokens, n_words = _checked_amounts(tokens, words)
    selection = WordSelection(min_count=config.min_count, max_vocab=config.max_vocab, keep=keep, drop=drop)
    _check_one_source(corpus, vocabulary, tokens, words)
    if corpus is None:
        if selection.keep or selection.drop or options.keys() & {"min_count", "max_vocab"}:
            raise ConfigError("Given counts are used as they are. Leave out min_count, max_vocab, keep and drop.")
        bins = _given(vocabulary, n_tokens, n_words)
    else:
        on_progress(Progress(stage="count"))
        with open_corpus(corpus, text=text) as opened:
            running: dict[str, Any] = {"cache_dir": cache_dir, "threads": None, "on_progress": on_progress}
            bins = of_vocabulary(prepared_vocabulary(opened, selection, **running))
    work = workload_of(config, bins)
    _check_workers(workers, work.division.parts)
    if speed is None:
        on_progress(Progress(stage="measure"))
        speed = measured_speed(work, setup.threads)
    numbers = [1 << n for n in range(work.division.parts.bit_length())]
    by_workers = [cost(work, speed, setup, n) for n in numbers]
    return Prediction(work, setup, speed, memory, cost(work, speed, setup, int(workers)), by_workers)


def _checked_options(options: TrainKeywords) -> tuple[TrainConfig, TextOptions]:
    config, text = split_options(options, plan.__kwdefaults__ or ())
    if not config.is_sgns:
        raise ConfigError(
            "Time and memory are predicted only for skip-gram with negative sampling, not for "
            f"model={config.model} with objective={config.objective}. "
            "Use skipgram and negative, or train on a part of the text and multiply."
        )
    return config, text


def _checked_speed(pairs_per_second: object) -> float:
    check_number("pairs_per_second", pairs_per_second, 1.0, 1e12, "1e6 to 1e7 is usual for one thread")
    return float(pairs_per_second)  # type: ignore[arg-type]  # checked above


def _check_one_source(corpus: object, vocabulary: object, tokens: object, words: object) -> None:
    """Refuse counts from two places, or from none."""
    if (tokens is None) != (words is None):
        given, other = ("words", "tokens") if tokens is None else ("tokens", "words")
        raise ConfigError(f"{given} alone says nothing about counts. Give {other} too.")
    sources = [corpus is not None, vocabulary is not None, tokens is not None]
    if sum(sources) != 1:
        number = "Several sources" if any(sources) else "No source"
        raise ConfigError(f"{number} of counts given. Give a corpus, or a vocabulary, or tokens and words.")


def _checked_amounts(tokens: object, words: object) -> tuple[int, int]:
    """Both as numbers; 0 if they are not given."""
    n_words = 0 if words is None else checked_amount("words", words, 2, MOST_WORDS, "of the vocabulary")
    n_tokens = 0 if tokens is None else checked_amount("tokens", tokens, 2, MOST_TOKENS, "of the text")
    if 0 < n_tokens < n_words:
        raise ConfigError(f"{n_tokens:,} tokens cannot hold {n_words:,} words. Give more tokens, or fewer words.")
    return n_tokens, n_words


def _given(vocabulary: Vocabulary | PathName | None, tokens: int, words: int) -> CountBins:
    if vocabulary is None:
        return zipf(tokens, words)
    if isinstance(vocabulary, str | os.PathLike):
        return of_file(vocabulary)
    if not isinstance(vocabulary, Vocabulary):
        raise ConfigError(f"vocabulary is {of_type(vocabulary)}. Give a pairloom.Vocabulary, or the path of a file.")
    if len(vocabulary) < 2:
        raise ConfigError("The given vocabulary has fewer than 2 words. Give a larger one.")
    return of_vocabulary(vocabulary)


def _check_workers(workers: int, parts: int) -> None:
    if workers > parts:
        raise ConfigError(
            f"workers={workers} does not fit: there are {number_of(parts, 'part')}, and every worker needs one. "
            + (f"Use 1 to {parts}." if parts > 1 else "Use 1.")
        )
