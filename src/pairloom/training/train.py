"""From a corpus, or from pairs, to vectors: what is asked for, checked, read and handed to the training it takes."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from pairloom.config import Architecture, Objective, TrainConfig, checked_threads
from pairloom.corpus.encoding import Encoded
from pairloom.corpus.prepared import prepare
from pairloom.corpus.sentences import open_corpus
from pairloom.corpus.vocabulary import Vocabulary, checked_selection
from pairloom.errors import ConfigError, InputError
from pairloom.pairs.from_pairs import PairSource
from pairloom.pairs.from_text import TextSource
from pairloom.pairs.pair_encoding import encode_pairs
from pairloom.pairs.pair_names import Selection
from pairloom.pairs.pair_reading import open_pairs
from pairloom.pairs.source import Source
from pairloom.progress import OnProgress, Progress, ignore
from pairloom.system.cache_folder import default_cache_dir, temporary_folder
from pairloom.system.memory import Budget, give_back
from pairloom.system.threads import workers
from pairloom.training.blockwise import Blockwise
from pairloom.training.checkpoint import Checkpoints, opened_checkpoints
from pairloom.training.in_order import InOrder
from pairloom.training.loop import Running
from pairloom.training.memory_need import check_model, check_pairs, check_smallest, check_text, of_pairs
from pairloom.training.outputs import Outputs
from pairloom.training.plan import split_options
from pairloom.training.softmax import Softmax
from pairloom.training.sppmi import check_installed, train_sppmi
from pairloom.training.start import Frozen, Start, open_start
from pairloom.types import PathName
from pairloom.vectors.embedding import Embedding


def train(
    corpus: object,
    *,
    threads: int | None = None,
    keep: Iterable[str] = (),
    drop: Iterable[str] = (),
    vocabulary: Vocabulary | None = None,
    tokenize: Callable[[str], list[str]] | None = None,
    start: object = None,
    grow: bool = False,
    freeze: Frozen | None = None,
    output: PathName | None = None,
    contexts_output: PathName | None = None,
    checkpoint: Checkpoints | PathName | None = None,
    cache_dir: PathName | None = None,
    max_memory: int | str | None = None,
    on_progress: OnProgress = ignore,
    **options: Any,
) -> Embedding:
    """Learn an `Embedding` from a corpus: a file, a glob, a folder, a list of files, or an iterable of token lists.

    options: the fields of `TrainConfig` (dim, window, negatives, epochs, ...) and of `TextOptions` (lowercase,
    encoding, errors, max_sentence). threads: all cores by default; the vectors are the same for any number.
    keep, drop: words to keep however rare, and to leave out. vocabulary: take these words instead of counting.
    tokenize: what makes words of a line, instead of white space. start: begin with these vectors, an Embedding or
    the path of one, and with the options that they were made with. grow: words of the start that the corpus does not
    have stay, too. freeze: words or contexts, which then stay as they are. output, contexts_output: files to save the
    embedding, or its contexts, to; whether that can be done is checked first. checkpoint: a folder, or `Checkpoints`,
    to be able to go on after an interruption. cache_dir: where the encoded corpus is kept for the next run. max_memory:
    bytes, or such as "2GB"; what cannot fit into them, or into what the machine has, is refused with the sum.
    on_progress: called with a `Progress` a few times a second.
    """
    begin = open_start(start, grow=grow, freeze=freeze)
    config, text = split_options(begin.options(options, "tokens") if begin else options)
    threads = checked_threads(threads)
    budget = Budget(max_memory)
    check_smallest(budget, config)
    if config.model == "sppmi-svd":
        check_installed()
        if begin:
            raise ConfigError(
                "model=sppmi-svd is computed, not trained on from a start. Leave out start, grow and freeze."
            )
        if checkpoint is not None:
            raise ConfigError("model=sppmi-svd is computed at once, and has no checkpoints. Leave out checkpoint.")
    keep, drop = checked_selection(min_count=config.min_count, max_vocab=config.max_vocab, keep=keep, drop=drop)
    if vocabulary is not None and not isinstance(vocabulary, Vocabulary):
        raise ConfigError("vocabulary is not a pairloom.Vocabulary. Make one by Vocabulary.of or Vocabulary.read.")
    if vocabulary is not None and (keep or drop or not options.keys().isdisjoint({"min_count", "max_vocab"})):
        raise ConfigError("A given vocabulary is taken as it is: leave out min_count, max_vocab, keep and drop.")
    if freeze and (config.model, config.objective) != ("skipgram", "negative"):
        raise ConfigError(
            f"freeze={freeze} is for skip-gram by negative sampling, not for model={config.model} and "
            f"objective={config.objective}. Leave one of them out."
        )
    if freeze == "contexts" and config.positional:
        raise ConfigError("Positional contexts cannot be frozen with a text, whose words have several. Freeze words.")
    if vocabulary is not None and grow:
        raise ConfigError("A given vocabulary is taken as it is, so it does not grow. Leave one of them out.")
    if options.get("min_context_count") is not None:
        raise ConfigError("min_context_count is for pairs; the words of a text are its contexts. Use min_count.")
    outputs, checkpoints = Outputs(output, contexts_output), opened_checkpoints(checkpoint)
    with (
        outputs.claimed(),  # before standard input is read, which may take hours
        checkpoints.held() if checkpoints else nullcontext(),
        open_corpus(corpus, text=text, tokenize=tokenize) as opened,
    ):
        on_progress(Progress(stage="compile"))
        load_kernels(config.objective, "cbow" if config.model == "cbow" else "skipgram", bool(freeze))
        budget.begin()
        running: dict[str, Any] = {"max_memory": budget.limit, "cache_dir": cache_dir, "threads": threads}
        if begin and (begin.grow or begin.freeze) and vocabulary is None:
            selection: dict[str, Any] = {"min_count": config.min_count, "max_vocab": config.max_vocab}
            known = {*keep, *begin.embedding.words} - drop if begin.grow else keep
            chosen = Vocabulary.from_corpus(
                opened, **selection, keep=known, drop=drop, **running, on_progress=on_progress
            )
            vocabulary = begin.vocabulary(opened, chosen, drop)
        with prepare(
            opened,
            min_count=config.min_count,
            max_vocab=config.max_vocab,
            keep=keep,
            drop=drop,
            vocabulary=vocabulary,
            gaps=config.clean,
            check=lambda chosen: check_text(budget, chosen, config, threads),
            **running,
            on_progress=on_progress,
        ) as encoded:
            source = TextSource(encoded, config)
            _check_space(source, outputs, checkpoints)
            if config.model == "sppmi-svd":
                emb = train_sppmi(encoded, config, threads=threads, cache_dir=cache_dir, on_progress=on_progress)
            else:
                emb = train_source(
                    source,
                    start=begin,
                    threads=threads,
                    on_progress=on_progress,
                    checkpoints=checkpoints,
                    check_corpus=opened.check_unchanged,
                )
        emb.record["text"] = {"lowercase": text.lowercase, "max_sentence": text.max_sentence}
        outputs.save(emb)
    return emb


def train_pairs(
    pairs: object,
    *,
    words: Vocabulary | None = None,
    contexts: Vocabulary | None = None,
    columns: Sequence[str] | None = None,
    start: object = None,
    freeze: Frozen | None = None,
    threads: int | None = None,
    output: PathName | None = None,
    contexts_output: PathName | None = None,
    checkpoint: Checkpoints | PathName | None = None,
    cache_dir: PathName | None = None,
    max_memory: int | str | None = None,
    on_progress: OnProgress = ignore,
    **options: Any,
) -> Embedding:
    """Learn an `Embedding` from pairs (w, c) or (w, c, weight) of two vocabularies: files, Parquet, or an iterable.

    options: the fields of `TrainConfig` that are not about windows, and of `TextOptions`; `sample` is 0 unless it is
    given. min_count and min_context_count bound what words and contexts must weigh; words, contexts: take these instead
    of counting. columns: those of a Parquet file. The others are as in `train`.
    """
    begin = open_start(start, grow=False, freeze=freeze)
    known = {"sample": 0.0} | (begin.options(options, "pairs") if begin else options)
    config, text = split_options(known, ["words", "contexts", "columns"])
    threads = checked_threads(threads)
    budget = Budget(max_memory)
    check_smallest(budget, config)
    if config.model == "sppmi-svd":
        raise ConfigError("model=sppmi-svd counts the pairs of a text, and pairs are given here. Use skipgram.")
    of_text = sorted(options.keys() & {*PairSource.unused_options, "max_sentence"})
    if of_text:
        raise ConfigError(f"{of_text[0]} is about text, and pairs are given as they are. Leave it out.")
    if config.model == "cbow" or config.objective == "hs":
        raise ConfigError(
            f"model={config.model} and objective={config.objective} are learnt from text, not from pairs. "
            "Use skipgram, and negative or softmax."
        )
    _check_given(words, "words", options.keys() & {"min_count", "max_vocab"})
    _check_given(contexts, "contexts", options.keys() & {"min_context_count"})
    least = config.min_count if config.min_context_count is None else config.min_context_count
    cache = Path(cache_dir) if cache_dir is not None else default_cache_dir()
    outputs, checkpoints = Outputs(output, contexts_output), opened_checkpoints(checkpoint)
    with (
        outputs.claimed(),
        checkpoints.held() if checkpoints else nullcontext(),
        open_pairs(pairs, text=text, columns=columns) as corpus,
        temporary_folder(cache) as folder,
    ):
        on_progress(Progress(stage="compile"))
        load_kernels(frozen=bool(freeze))
        budget.begin()
        encoded = encode_pairs(
            corpus,
            folder,
            Selection("word", "min_count", config.min_count, config.max_vocab, words),
            Selection("context", "min_context_count", least, None, contexts),
            check_sizes=lambda *sizes: check_model(budget, config, *sizes),
            check=lambda *sizes: check_pairs(budget, of_pairs(*sizes), config, threads),
            max_memory=budget.limit,
            threads=threads,
            on_progress=on_progress,
        )
        source = PairSource(encoded, config)
        _check_space(source, outputs, checkpoints)
        emb = train_source(
            source,
            start=begin,
            threads=threads,
            on_progress=on_progress,
            checkpoints=checkpoints,
            check_corpus=corpus.check_unchanged,
        )
        outputs.save(emb)
    return emb


def _check_space(source: Source, outputs: Outputs, checkpoints: Checkpoints | None) -> None:
    """Refuse to train what could not be saved."""
    n_words, n_contexts, config = len(source.words.names), len(source.contexts.names), source.config
    outputs.check_space(n_words, n_contexts, config.dim)
    if checkpoints:
        states = 1 + (config.objective == "softmax") + (config.patience is not None)  # squares, and the best epoch
        checkpoints.check_space(states * 4 * config.dim * (n_words + n_contexts))


def _check_given(vocabulary: object, name: str, contradicting: set[str]) -> None:
    """Refuse what is no vocabulary for a side of pairs, and options that would change one."""
    if vocabulary is None:
        return
    if not isinstance(vocabulary, Vocabulary):
        raise ConfigError(f"{name} is not a pairloom.Vocabulary. Make one by Vocabulary.of or Vocabulary.read.")
    if len(vocabulary) < 2:
        raise InputError(f"The given {name} are {len(vocabulary)}; need at least 2 to tell them apart. Give more.")
    if contradicting:
        raise ConfigError(f"Given {name} are taken as they are: leave out {min(contradicting)}.")


@cache
def load_kernels(objective: Objective = "negative", model: Architecture = "skipgram", frozen: bool = False) -> None:
    """Load what Numba has compiled before, or compile it now, by using it on a text of two words."""
    from pairloom.kernel.loss import pairs_loss
    from pairloom.kernel.text import words as text

    line = np.frombuffer(b"a b a b\n", np.uint8)
    counted, _, _ = text.count(text.empty_table(1, 1), line)  # which has to grow, as it will on a real text
    text.merge(counted, *text.contents(counted))
    ids, _ = text.encode(text.table_of([b"a", b"b"]), line)
    ids.flags.writeable = False  # as mapped files are, which Numba takes for another type
    starts = np.array([0, len(ids)])
    starts.flags.writeable = False
    text.tally(ids, np.zeros(2, np.int64))
    toy = Encoded(ids, starts, Vocabulary(("a", "b"), np.array([2, 2])), "")
    config = TrainConfig(dim=1, epochs=1, sample=0.0, objective=objective, model=model)
    embedding = train_encoded(toy, config, threads=1)
    if frozen:
        train_encoded(toy, config, threads=1, start=Start(embedding, grow=False, freeze="words"))
    padded, one = np.zeros((2, 16), np.float32)[:, :1], np.zeros((1, 1), np.int32)
    pairs_loss(padded, padded, one[0], one[0], one, 0.0)  # the toy is too small to hold anything out


def train_encoded(encoded: Encoded, config: TrainConfig, **running: Any) -> Embedding:
    """`train`, from ids on; what else it takes is that of `train_source`."""
    return train_source(TextSource(encoded, config), **running)


def train_source(
    source: Source,
    *,
    threads: int,
    start: Start | None = None,
    on_progress: OnProgress = ignore,
    checkpoints: Checkpoints | None = None,
    check_corpus: Callable[[], None] = lambda: None,
) -> Embedding:
    """`train`, from whatever gives pairs."""
    with workers(threads) as pool:
        running = Running(pool, threads, on_progress, checkpoints, check_corpus)
        embedding = _kind(source.config)(source, start, running).run()
    give_back()
    return embedding


def _kind(config: TrainConfig) -> type[Blockwise] | type[InOrder] | type[Softmax]:
    if config.objective == "softmax":
        return Softmax
    return Blockwise if config.model == "skipgram" and config.objective == "negative" else InOrder
