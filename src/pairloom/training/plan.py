"""What a training was asked to do, checked before the corpus is opened or anything is written.

`Plan.of_text` and `Plan.of_pairs` check the options and where to write; `word_choice` and `side_choice` check the given
words. What needs the data is checked when it is known: `columns` when the corpus is opened, a folder of
checkpoints when it is claimed, and limits that depend on the vocabulary (softmax, sppmi-svd, patience) before training.
"""

from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, fields
from typing import Any, Literal, NamedTuple, TypedDict, Unpack
from warnings import warn

from pairloom.cluster.executor import Executor
from pairloom.config import TextOptions, TrainConfig, checked_threads, split_options
from pairloom.corpus.reading import Reading
from pairloom.corpus.vocabulary import Vocabulary, WordSelection
from pairloom.errors import ConfigError, IgnoredOptionWarning, InputError
from pairloom.pairs.from_pairs import PairSource
from pairloom.pairs.source import Source
from pairloom.preparing.inspection.presets import Preset, with_preset
from pairloom.progress import OnProgress, Progress, ignore, logged
from pairloom.system.display import of_type
from pairloom.system.memory import Budget
from pairloom.training.checkpoint import Checkpoints, opened_checkpoints
from pairloom.training.memory_need import check_smallest
from pairloom.training.monitoring import OnEpoch, pass_over
from pairloom.training.outputs import Outputs
from pairloom.training.start import Frozen, Start, StartLike, open_start
from pairloom.types import PathName


class RunKeywords(TypedDict, total=False):
    """What `train` and `train_pairs` take beside the options: where to begin, what to write, how to run."""

    start: StartLike | None
    freeze: Frozen | None
    threads: int | None
    executor: Executor | None
    output: PathName | None
    contexts_output: PathName | None
    checkpoint: Checkpoints | PathName | None
    cache_dir: PathName | None
    max_memory: int | str | None
    on_progress: OnProgress
    on_epoch: OnEpoch


# Parameters of the two functions that are not options, so that the error for a misspelt name can suggest them.
_OF_TRAIN = ["keep", "drop", "vocabulary", "grow", "progress", "preset", *RunKeywords.__annotations__]
_OF_TRAIN_PAIRS = ["words", "contexts", "columns", "progress", *RunKeywords.__annotations__]


class WordChoice(NamedTuple):
    """Which words of a text get vectors: those that are selected by their counts, or a given vocabulary."""

    selection: WordSelection
    vocabulary: Vocabulary | None = None


class SideChoice(NamedTuple):
    """Which words and which contexts of given pairs get vectors: the frequent ones, or given vocabularies."""

    words: Vocabulary | None = None
    contexts: Vocabulary | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Plan:
    """What to learn (config), how to read (text), where to begin (start), and how to run and save."""

    config: TrainConfig
    text: TextOptions = field(default_factory=TextOptions)
    explicit: frozenset[str] = frozenset()  # the options that were given, rather than left at their defaults
    start: Start | None = None
    threads: int = 1
    executor: Executor | None = None  # None stands for the threads of this process
    budget: Budget = field(default_factory=Budget)
    outputs: Outputs = field(default_factory=Outputs)
    checkpoints: Checkpoints | None = None
    cache_dir: PathName | None = None
    on_progress: OnProgress = ignore
    on_epoch: OnEpoch = pass_over

    @classmethod
    def of_text(
        cls,
        options: Mapping[str, Any],
        *,
        grow: bool = False,
        preset: Preset | None = None,
        **run: Unpack[RunKeywords],
    ) -> "Plan":
        """The plan of `train`."""
        given, options = options, with_preset(preset, options)
        start = open_start(run.get("start"), grow=grow, freeze=run.get("freeze"))
        config, text = split_options(start.options(options, "tokens") if start else options, _OF_TRAIN)
        # A preset chooses the epochs for small texts too. Its other options do not contradict what is given.
        explicit = {**given, "epochs": config.epochs} if preset else given
        plan = cls._of(config, text, explicit, start, run)
        if config.model == "sppmi-svd":
            _check_sppmi(plan)
        _check_freeze(plan)
        if given.get("min_context_count") is not None:
            raise ConfigError("min_context_count is for pairs; the contexts of a text are its words. Use min_count.")
        return plan

    @classmethod
    def of_pairs(cls, options: Mapping[str, Any], **run: Unpack[RunKeywords]) -> "Plan":
        """The plan of `train_pairs`."""
        start = open_start(run.get("start"), grow=False, freeze=run.get("freeze"))
        known = {"sample": 0.0} | (start.options(options, "pairs") if start else dict(options))
        config, text = split_options(known, _OF_TRAIN_PAIRS)
        plan = cls._of(config, text, options, start, run)
        if config.model == "sppmi-svd":
            raise ConfigError("model=sppmi-svd counts the pairs of a text, but pairs are given here. Use skipgram.")
        about_text = sorted(options.keys() & {*PairSource.unused_options, "max_sentence", "as_text", "tokenize"})
        if about_text:
            raise ConfigError(f"{about_text[0]} is about text, but pairs are given here. Leave it out.")
        if config.model == "cbow" or config.objective == "hs":
            raise ConfigError(
                f"model={config.model} and objective={config.objective} are learnt from text, not from pairs. "
                "Use skipgram, and negative or softmax."
            )
        _check_freeze(plan)
        return plan

    @classmethod
    def _of(
        cls,
        config: TrainConfig,
        text: TextOptions,
        options: Mapping[str, Any],
        start: Start | None,
        run: RunKeywords,
    ) -> "Plan":
        """What text and pairs have in common."""
        threads, budget = checked_threads(run.get("threads")), Budget(run.get("max_memory"))
        check_smallest(budget, config)
        plan = cls(
            config=config,
            text=text,
            explicit=frozenset(options),
            start=start,
            threads=threads,
            executor=checked_executor(run.get("executor"), config),
            budget=budget,
            outputs=Outputs(run.get("output"), run.get("contexts_output")),
            checkpoints=opened_checkpoints(run.get("checkpoint")),
            cache_dir=run.get("cache_dir"),
            on_progress=logged(run.get("on_progress", ignore)),
            on_epoch=run.get("on_epoch", pass_over),
        )
        _warn_of_unused(config, options)  # last: what is refused needs no warning
        return plan

    @property
    def reading(self) -> Reading | None:
        """The workers that read the files of a text; None if this machine reads them."""
        return self.executor.reading if self.executor else None

    @property
    def freeze(self) -> Frozen | None:
        """The side that does not move."""
        return self.start.freeze if self.start else None

    def word_choice(
        self, keep: Collection[str] = (), drop: Collection[str] = (), vocabulary: Vocabulary | None = None
    ) -> WordChoice:
        """The words of a text to learn, checked."""
        config = self.config
        selection = WordSelection(min_count=config.min_count, max_vocab=config.max_vocab, keep=keep, drop=drop)
        if vocabulary is not None:
            _check_type(vocabulary, "vocabulary")
            if selection.keep or selection.drop or self.explicit & {"min_count", "max_vocab"}:
                raise ConfigError("A given vocabulary is used as it is. Leave out min_count, max_vocab, keep and drop.")
            if self.start and self.start.grow:
                raise ConfigError("A given vocabulary is used as it is, so it cannot grow. Leave out one of the two.")
        return WordChoice(selection, vocabulary)

    def side_choice(self, words: Vocabulary | None = None, contexts: Vocabulary | None = None) -> SideChoice:
        """The words and contexts of pairs to learn, checked."""
        _check_given(words, "words", self.explicit & {"min_count", "max_vocab"})
        _check_given(contexts, "contexts", self.explicit & {"min_context_count"})
        return SideChoice(words, contexts)

    @contextmanager
    def claimed(self) -> Iterator[None]:
        """Keep other trainings away from the outputs and the checkpoints until the body ends."""
        with self.outputs.claimed(), self.checkpoints.held() if self.checkpoints else nullcontext():
            yield

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Have a cluster ready until the body ends."""
        if self.executor is not None:
            self.on_progress(Progress(stage="cluster"))
        with self.executor if isinstance(self.executor, AbstractContextManager) else nullcontext():
            yield

    def check_space(self, source: Source) -> None:
        """Raise an OutputError if a disk has too little space for what will be saved."""
        n_words, n_contexts, config = len(source.words.names), len(source.contexts.names), self.config
        self.outputs.check_space(n_words, n_contexts, config.dim)
        if self.checkpoints:
            states = 1 + (config.objective == "softmax") + (config.patience is not None)  # squares; the best epoch
            self.checkpoints.check_space(states * 4 * config.dim * (n_words + n_contexts))


def checked_executor(executor: object, config: TrainConfig) -> Executor | None:
    """The `executor` of `train`, which trains in blocks."""
    if executor is None or (isinstance(executor, Executor) and config.is_sgns):
        return executor
    if isinstance(executor, Executor):
        raise ConfigError(
            f"model={config.model} with objective={config.objective} is trained on one machine, in this process. Leave "
            "out executor (--ray), or use skipgram and negative."
        )
    raise ConfigError(f"executor is {of_type(executor)}. Give a RayExecutor, or leave it out.")


def _warn_of_unused(config: TrainConfig, given: Mapping[str, Any]) -> None:
    """Warn about options that have no effect. Those at their defaults are left alone: scripts often name them all."""
    defaults = {field.name: field.default for field in fields(TrainConfig)}
    for name, choice in config.without_effect().items():
        if name in given and given[name] is not None and given[name] != defaults[name]:
            warn(f"{name}={given[name]} has no effect with {choice}. Leave it out.", IgnoredOptionWarning, stacklevel=2)


def _check_sppmi(plan: Plan) -> None:
    if plan.start:
        raise ConfigError("model=sppmi-svd is computed and does not start from vectors. Leave out start.")
    if plan.checkpoints is not None:
        raise ConfigError("model=sppmi-svd is computed in one go and has no checkpoints. Leave out checkpoint.")


def _check_freeze(plan: Plan) -> None:
    config = plan.config
    if plan.freeze and not config.is_sgns:
        raise ConfigError(
            f"freeze={plan.freeze} is for skip-gram by negative sampling, not for model={config.model} and "
            f"objective={config.objective}. Leave out one of them."
        )
    if plan.freeze == "contexts" and config.positional:
        raise ConfigError(
            "freeze=contexts cannot be combined with positional. Use freeze=words, or leave out positional."
        )


def _check_given(vocabulary: object, name: Literal["words", "contexts"], contradicting: frozenset[str]) -> None:
    """Refuse an unusable vocabulary for one side of pairs, and options that would change it."""
    if vocabulary is None:
        return
    _check_type(vocabulary, name)
    if len(vocabulary) < 2:  # type: ignore[arg-type]  # checked above
        n = len(vocabulary)  # type: ignore[arg-type]
        raise InputError(f"The given vocabulary of {name} has {n} of them, and at least 2 are needed. Give more.")
    if contradicting:
        raise ConfigError(f"Given {name} are used as they are. Leave out {min(contradicting)}.")


def _check_type(vocabulary: object, name: str) -> None:
    if not isinstance(vocabulary, Vocabulary):
        raise ConfigError(f"{name} is not a pairloom.Vocabulary. Make one with Vocabulary.of or Vocabulary.read.")
