"""From a corpus, or from pairs, to vectors: `train` and `train_pairs`.

Both make a `Plan`, which checks the options, turn the corpus into a source of pairs, and train on it (`learn.py`).
"""

import logging
import warnings
from collections.abc import Collection, Sequence
from contextlib import nullcontext
from typing import Any, Unpack, cast

from pairloom.cluster.executor import Executor
from pairloom.config import TrainKeywords
from pairloom.corpus.encoding import Encoded
from pairloom.corpus.inputs.spooled import spool as spooled
from pairloom.corpus.sentences import open_corpus
from pairloom.corpus.vocabulary import Vocabulary
from pairloom.errors import ConfigError, SmallTextWarning
from pairloom.pairs.pair_reading import open_pairs
from pairloom.preparing.inspection.presets import Preset
from pairloom.preparing.inspection.small_text import advice
from pairloom.progress import OnProgress, Progress, ignore
from pairloom.system.cache_folder import cache_folder, check_writable
from pairloom.system.progress_bar import reported_progress
from pairloom.training.checkpoint import Checkpoints
from pairloom.training.learn import learn
from pairloom.training.monitoring import OnEpoch, pass_over
from pairloom.training.plan import Plan, SideChoice, WordChoice
from pairloom.training.sources import source_of_pairs, source_of_text
from pairloom.training.start import Frozen, StartLike
from pairloom.training.warm_up import load_kernels
from pairloom.types import CorpusLike, PairsLike, PathName
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.record import text_record

_log = logging.getLogger(__name__)


def train(
    corpus: CorpusLike = (),  # has a default, so that `sentences=` of other programs gets the hint of every wrong name
    *,
    preset: Preset | None = None,
    threads: int | None = None,
    keep: Collection[str] = (),
    drop: Collection[str] = (),
    vocabulary: Vocabulary | None = None,
    start: StartLike | None = None,
    grow: bool = False,
    freeze: Frozen | None = None,
    executor: Executor | None = None,
    output: PathName | None = None,
    contexts_output: PathName | None = None,
    checkpoint: Checkpoints | PathName | None = None,
    cache_dir: PathName | None = None,
    max_memory: int | str | None = None,
    spool: bool = False,
    progress: bool = False,
    on_progress: OnProgress = ignore,
    on_epoch: OnEpoch = pass_over,
    **options: Unpack[TrainKeywords],
) -> Embedding:
    """Learn an `Embedding` from a corpus: files, globs, folders, an iterable of token lists, or a column of a table.

    options          the fields of `TrainConfig` (dim, window, negatives, epochs, ...) and of `TextOptions` (lowercase,
                     encoding, errors, max_sentence, as_text, tokenize; column, session, item, order of a table or a
                     data frame)
    preset           options for a kind of data: small, standard, large, items or graph; those that are given win
    spool            copy the corpus, a generator of token lists, to a temporary file first
    threads          all cores by default; the vectors are the same for any number
    executor         who trains, for example `RayExecutor(workers=4)` on a cluster; the vectors are the same
    keep, drop       words to keep even if they are rare, and words to leave out
    vocabulary       learn these words, instead of counting the corpus
    start            begin with these vectors (an Embedding, Vectors, or the path of a file) and with their options
    grow             keep the words of `start` that the corpus does not have
    freeze           "words" or "contexts": leave this side of `start` as it is
    output           save the embedding to this file; checked before training begins
    contexts_output  save the vectors of the contexts to this file
    checkpoint       a folder, or `Checkpoints`: an interrupted training can then go on from there
    cache_dir        where the encoded corpus is kept for the next run
    max_memory       bytes, or for example "2GB"; training that would need more stops at once and says how much
    progress         show a bar, in a notebook or on a terminal, with the time left and the held-out loss
    on_progress      called with a `Progress` a few times a second
    on_epoch         called with an `Epoch` at the end of each: its number, held-out loss and, on request, its vectors
    """
    if not isinstance(spool, bool):
        raise ConfigError(f"spool={spool!r} is not a choice. Use True or False.")
    with reported_progress(progress, on_progress) as report:
        plan = Plan.of_text(
            options,
            preset=preset,
            start=start,
            grow=grow,
            freeze=freeze,
            threads=threads,
            executor=executor,
            output=output,
            contexts_output=contexts_output,
            checkpoint=checkpoint,
            cache_dir=cache_dir,
            max_memory=max_memory,
            on_progress=report,
            on_epoch=on_epoch,
        )
        choice = plan.word_choice(keep, drop, vocabulary)
        with spooled(cast(Any, corpus)) if spool else nullcontext(corpus) as source:
            return train_text(plan, source, choice)


def train_pairs(
    pairs: PairsLike = (),
    *,
    words: Vocabulary | None = None,
    contexts: Vocabulary | None = None,
    columns: Sequence[str] | None = None,
    start: StartLike | None = None,
    freeze: Frozen | None = None,
    threads: int | None = None,
    executor: Executor | None = None,
    output: PathName | None = None,
    contexts_output: PathName | None = None,
    checkpoint: Checkpoints | PathName | None = None,
    cache_dir: PathName | None = None,
    max_memory: int | str | None = None,
    progress: bool = False,
    on_progress: OnProgress = ignore,
    on_epoch: OnEpoch = pass_over,
    **options: Unpack[TrainKeywords],
) -> Embedding:
    """Learn an `Embedding` from pairs (w, c) or (w, c, weight) of two vocabularies: files, Parquet, or an iterable.

    options          the fields of `TrainConfig` that are not about windows, and of `TextOptions`; `sample` is 0 unless
                     it is given. Words and contexts of less weight than min_count and min_context_count are left out
    words, contexts  learn these, instead of counting
    columns          the columns of a Parquet file: words, contexts and, if there are any, weights

    The other parameters are those of `train`.
    """
    with reported_progress(progress, on_progress) as report:
        plan = Plan.of_pairs(
            options,
            start=start,
            freeze=freeze,
            threads=threads,
            executor=executor,
            output=output,
            contexts_output=contexts_output,
            checkpoint=checkpoint,
            cache_dir=cache_dir,
            max_memory=max_memory,
            on_progress=report,
            on_epoch=on_epoch,
        )
        return train_given_pairs(plan, pairs, plan.side_choice(words, contexts), columns)


def train_text(plan: Plan, corpus: CorpusLike, choice: WordChoice) -> Embedding:
    """`train`, once all options are checked."""
    plan.outputs.check_not_read(corpus)
    with (
        plan.claimed(),  # first of all: reading standard input may take hours
        plan.at_work(),
        open_corpus(corpus, text=plan.text) as opened,
    ):
        opened.check_beginning()
        _load_kernels(plan, pairs=False, from_lines=opened.has_blocks)
        with source_of_text(plan, opened, choice) as source:
            embedding = learn(source, plan, opened.check_unchanged)
            _advise(plan, opened.name, source.encoded)  # after the few seconds of it, so that an error comes alone
        embedding.record["text"] = text_record(plan.text)
        plan.outputs.save(embedding)
    return embedding


def train_given_pairs(
    plan: Plan, pairs: PairsLike, choice: SideChoice, columns: Sequence[str] | None = None
) -> Embedding:
    """`train_pairs`, once all options are checked."""
    plan.outputs.check_not_read(pairs)
    with plan.claimed(), plan.at_work(), open_pairs(pairs, text=plan.text, columns=columns) as opened:
        _load_kernels(plan, pairs=True, from_lines=opened.has_lines)
        with source_of_pairs(plan, opened, choice) as source:
            embedding = learn(source, plan, opened.check_unchanged)
        plan.outputs.save(embedding)
    return embedding


def _advise(plan: Plan, name: str, encoded: Encoded) -> None:
    """Warn about a text that is too small for the default settings."""
    trains_anew = plan.start is None and plan.config.model != "sppmi-svd"
    note = advice(name, encoded.n_tokens, plan.explicit) if trains_anew else None
    if note:
        warnings.warn(note, SmallTextWarning, stacklevel=2)


def _load_kernels(plan: Plan, *, pairs: bool, from_lines: bool) -> None:
    """Compile before words are counted. Then measure memory: all later needs are added to what compiled code takes."""
    check_writable(plan.cache_dir)  # compiling takes long
    plan.on_progress(Progress(stage="compile"))
    config = plan.config
    _log.debug("options: %s", config)
    _log.debug("reading: %s; %d threads; cache %s", plan.text, plan.threads, cache_folder(plan.cache_dir))
    load_kernels(
        pairs=pairs,
        from_lines=from_lines,
        model=config.model,
        objective=config.objective,
        positional=config.positional,
        frozen=plan.freeze is not None,
        rule="spaces" if plan.text.tokenizer else plan.text.rule,
    )
    plan.budget.set_baseline()
