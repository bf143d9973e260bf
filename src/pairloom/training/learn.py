"""Picks the kind of training for a model and an objective, and runs it on a source of pairs."""

from collections.abc import Callable

from pairloom.cluster.executor import ThreadExecutor
from pairloom.config import TrainConfig
from pairloom.pairs.from_text import TextSource
from pairloom.pairs.source import Source
from pairloom.system.memory import give_back
from pairloom.system.threads import workers
from pairloom.training.blockwise import BlockTraining
from pairloom.training.in_order import InOrderTraining
from pairloom.training.loop import Runtime
from pairloom.training.memory_need import spare_memory
from pairloom.training.plan import Plan
from pairloom.training.softmax import SoftmaxTraining
from pairloom.training.sppmi import train_sppmi
from pairloom.vectors.embedding import Embedding


def learn(source: Source, plan: Plan, check_corpus: Callable[[], None] = lambda: None) -> Embedding:
    """Train as planned. check_corpus raises a CorpusChangedError; it is called at the end of each epoch."""
    if plan.config.model == "sppmi-svd":
        assert isinstance(source, TextSource)  # `Plan.of_pairs` refuses it
        running = {"threads": plan.threads, "cache_dir": plan.cache_dir, "on_progress": plan.on_progress}
        return train_sppmi(source.encoded, plan.config, **running)  # type: ignore[arg-type]
    with workers(plan.threads) as pool:
        executor = plan.executor or ThreadExecutor(pool, plan.threads, spare_memory(plan.budget, source, plan.threads))
        runtime = Runtime(pool, plan.threads, executor, plan.on_progress, plan.checkpoints, check_corpus)
        embedding = _training_of(plan.config)(source, plan.start, runtime).run()
    give_back()
    return embedding


def _training_of(config: TrainConfig) -> type[BlockTraining] | type[InOrderTraining] | type[SoftmaxTraining]:
    if config.objective == "softmax":
        return SoftmaxTraining
    return BlockTraining if config.trains_in_blocks else InOrderTraining
