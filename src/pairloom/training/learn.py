"""Picks the kind of training for a model and an objective, and runs it on a source of pairs."""

from collections.abc import Callable
from contextlib import suppress

from pairloom.cluster.executor import BeginAgainError, ThreadExecutor
from pairloom.config import TrainConfig
from pairloom.errors import ClusterError
from pairloom.pairs.from_text import TextSource
from pairloom.pairs.source import Source
from pairloom.system.memory import give_back
from pairloom.system.threads import workers
from pairloom.training.blockwise import BlockTraining, HierarchicalTraining
from pairloom.training.loop import Runtime, TrainingLoop
from pairloom.training.memory_need import spare_memory
from pairloom.training.plan import Plan
from pairloom.training.segmentwise import SegmentTraining
from pairloom.training.softmax import SoftmaxTraining
from pairloom.training.sppmi import train_sppmi
from pairloom.vectors.embedding import Embedding

MOST_BEGINNINGS = 20  # of a training whose workers are lost before its first round


def learn(source: Source, plan: Plan, check_corpus: Callable[[], None] = lambda: None) -> Embedding:
    """Train as planned. check_corpus raises a CorpusChangedError; it is called at the end of each epoch."""
    if plan.config.model == "sppmi-svd":
        assert isinstance(source, TextSource)  # `Plan.of_pairs` refuses it
        running = {"threads": plan.threads, "cache_dir": plan.cache_dir, "on_progress": plan.on_progress}
        return train_sppmi(source.encoded, plan.config, **running)  # type: ignore[arg-type]
    with workers(plan.threads) as pool:
        executor = plan.executor or ThreadExecutor(pool, plan.threads, spare_memory(plan.budget, source, plan.threads))
        runtime = Runtime(pool, plan.threads, executor, plan.on_progress, plan.checkpoints, check_corpus, plan.on_epoch)
        embedding = _run(plan, source, runtime)
    give_back()
    return embedding


def _run(plan: Plan, source: Source, runtime: Runtime) -> Embedding:
    for _ in range(MOST_BEGINNINGS):
        with suppress(BeginAgainError):
            return _training_of(plan.config)(source, plan.start, runtime).run()
    raise ClusterError("Workers are lost again and again. Look into the logs of Ray.")


def _training_of(config: TrainConfig) -> type[TrainingLoop]:
    if config.model == "cbow":
        return SegmentTraining
    trainings = {"negative": BlockTraining, "hs": HierarchicalTraining, "softmax": SoftmaxTraining}
    return trainings[config.objective]
