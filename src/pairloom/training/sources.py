"""From an open corpus, or from open pairs, to the source that a plan trains on: count, choose, encode.

Memory is checked as soon as the sizes of the vocabularies are known, and disk space before training begins.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from pairloom.corpus.encoding import Encoded
from pairloom.corpus.kinds.corpus import Corpus
from pairloom.corpus.prepared import prepare
from pairloom.corpus.vocabulary import Vocabulary
from pairloom.errors import InputError, NoPairsError
from pairloom.pairs.advice import no_pairs_given, no_pairs_in_text
from pairloom.pairs.from_pairs import PairSource
from pairloom.pairs.from_text import TextSource
from pairloom.pairs.pair_encoding import encode_pairs
from pairloom.pairs.pair_names import Selection
from pairloom.pairs.pair_reading import PairCorpus
from pairloom.system.cache_folder import cache_folder, temporary_folder
from pairloom.system.threads import workers
from pairloom.training.memory_need import MemoryCheck
from pairloom.training.plan import Plan, SideChoice, WordChoice


@contextmanager
def source_of_text(plan: Plan, corpus: Corpus, choice: WordChoice) -> Iterator[TextSource]:
    """A source of the pairs of a text. The file with its ids is closed when the body ends."""
    with encoded_text(plan, corpus, choice) as encoded:
        source = TextSource(encoded, plan.config)
        plan.check_space(source)
        try:
            yield source
        except NoPairsError:
            raise _no_pairs_in_text(source, plan, corpus, choice) from None


def _no_pairs_in_text(source: TextSource, plan: Plan, corpus: Corpus, choice: WordChoice) -> InputError:
    selection = None if choice.vocabulary is not None or plan.freeze else choice.selection
    with workers(plan.threads) as pool:
        return no_pairs_in_text(
            source, corpus.name, selection, lambda other: encoded_text(plan, corpus, WordChoice(other)), pool
        )


def encoded_text(plan: Plan, corpus: Corpus, choice: WordChoice) -> Encoded:
    """The ids of a text, from the cache if it was encoded before."""
    config = plan.config
    return prepare(
        corpus,
        choice.selection,
        vocabulary=_vocabulary(plan, corpus, choice),
        gaps=config.clean,
        check=memory_check(plan).text,
        max_memory=plan.budget.limit,
        cache_dir=plan.cache_dir,
        threads=plan.threads,
        reading=plan.reading,
        on_progress=plan.on_progress,
    )


def memory_check(plan: Plan) -> MemoryCheck:
    """What is checked when the sizes of the vocabularies are known."""
    return MemoryCheck(plan.budget, plan.config, plan.threads, driver=plan.executor is not None)


def _vocabulary(plan: Plan, corpus: Corpus, choice: WordChoice) -> Vocabulary | None:
    """The given vocabulary, or one that also depends on the vectors to start from. None if words are only counted."""
    start = plan.start
    if choice.vocabulary is not None or start is None or not (start.grow or start.freeze):
        return choice.vocabulary
    selection = choice.selection
    if start.grow:
        selection = replace(selection, keep={*selection.keep, *start.embedding.words}.difference(selection.drop))
    counted = Vocabulary.from_corpus(
        corpus,
        selection,
        max_memory=plan.budget.limit,
        cache_dir=plan.cache_dir,
        threads=plan.threads,
        reading=plan.reading,
        on_progress=plan.on_progress,
    )
    return start.vocabulary(corpus, counted, selection.drop)


@contextmanager
def source_of_pairs(plan: Plan, corpus: PairCorpus, choice: SideChoice) -> Iterator[PairSource]:
    """A source of given pairs, encoded into a temporary folder that is deleted when the body ends.

    This machine reads the pairs, also if `plan.reading` has workers.
    """
    config = plan.config
    least = config.min_count if config.min_context_count is None else config.min_context_count
    with temporary_folder(cache_folder(plan.cache_dir)) as folder:
        encoded = encode_pairs(
            corpus,
            folder,
            Selection("word", "min_count", config.min_count, config.max_vocab, choice.words),
            Selection("context", "min_context_count", least, None, choice.contexts),
            check_sizes=memory_check(plan).names,
            check=memory_check(plan).pairs,
            max_memory=plan.budget.limit,
            threads=plan.threads,
            on_progress=plan.on_progress,
        )
        source = PairSource(encoded, config)
        plan.check_space(source)
        try:
            yield source
        except NoPairsError:
            with workers(plan.threads) as pool:
                raise no_pairs_given(source, corpus.name, pool) from None
