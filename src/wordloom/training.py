"""From ids to vectors: the schedule, the rounds, the threads.

    for every epoch, for every round of a few million pairs:
        draw the round's pairs and deal them into P*P blocks        (any number of threads, chunk by chunk)
        for s in 0 .. P-1: train the blocks (i, (i+s) mod P)         (any number of threads, span by span of i)

A span holds in step s the context parts of its i, moved on by s. With the next step it runs into one more part, which
the span after it held: so it waits until that one has ended the step, and for nobody else.
Which thread does what is left to chance; what is done is not, so the vectors are the same bytes every time.
"""

import os
import shutil
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, fields
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wordloom.blocks import deal_parts, number_of_parts, pairs_per_round, stride_of
from wordloom.cache import default_cache_dir, prepare, temporary_folder
from wordloom.config import Architecture, Objective, TextOptions, TrainConfig, check_names, checked_threads
from wordloom.corpus import open_corpus
from wordloom.counting import count
from wordloom.draws import Purpose, key
from wordloom.encode import Encoded
from wordloom.errors import ConfigError, DivergedError, InputError
from wordloom.heldout import Heldout
from wordloom.likelihood import Measure
from wordloom.pair_corpus import open_pairs
from wordloom.pair_encode import Selection, encode_pairs
from wordloom.pair_source import PairSource
from wordloom.progress import OnProgress, Progress, ignore
from wordloom.source import Dealt, Names, Round, Source
from wordloom.sppmi import check_installed, train_sppmi
from wordloom.start import Frozen, Start, open_start
from wordloom.text_source import TextSource
from wordloom.types import Float64s, Ids, Matrix
from wordloom.vectors import Embedding, Vectors
from wordloom.vocabulary import Vocabulary, checked_selection, noise
from wordloom.workers import Workers, relay, workers

if TYPE_CHECKING:  # the kernel brings Numba, which takes a second to import
    from wordloom.kernel.block import Noise, Room
    from wordloom.kernel.sgns import Model

LARGEST_SQUARE = 1e6  # mean square of v_w·v_c in a block; healthy training stays below 100
LARGEST_COMPONENT = 1e3  # of a vector; healthy ones stay below 20
SECONDS_BETWEEN_REPORTS = 0.25
FROZEN = {None: 0, "words": 1, "contexts": 2}  # as the kernel knows it

_CONFIG = [f.name for f in fields(TrainConfig)]
_TEXT = [f.name for f in fields(TextOptions)]


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
    cache_dir: str | os.PathLike[str] | None = None,
    on_progress: OnProgress = ignore,
    **options: Any,
) -> Embedding:
    """Learn an `Embedding` from a corpus: a file, a glob, a folder, a list of files, or an iterable of token lists.

    options: the fields of `TrainConfig` (dim, window, negatives, epochs, ...) and of `TextOptions` (lowercase,
    encoding, errors, max_sentence). threads: all cores by default; the vectors are the same for any number.
    keep, drop: words to keep however rare, and to leave out. vocabulary: take these words instead of counting.
    tokenize: what makes words of a line, instead of white space. start: begin with these vectors, an Embedding or
    the path of one, and with the options that they were made with. grow: words of the start that the corpus does not
    have stay, too. freeze: words or contexts, which then stay as they are. cache_dir: where the encoded corpus is kept
    for the next run. on_progress: called with a `Progress` a few times a second.
    """
    begin = open_start(start, grow=grow, freeze=freeze)
    config, text = split_options(begin.options(options, "tokens") if begin else options)
    threads = checked_threads(threads)
    if config.model == "sppmi-svd":
        check_installed()
        if begin:
            raise ConfigError(
                "model=sppmi-svd is computed, not trained on from a start. Leave out start, grow and freeze."
            )
    keep, drop = checked_selection(min_count=config.min_count, max_vocab=config.max_vocab, keep=keep, drop=drop)
    if vocabulary is not None and not isinstance(vocabulary, Vocabulary):
        raise ConfigError("vocabulary is not a wordloom.Vocabulary. Make one by Vocabulary.of or Vocabulary.read.")
    if vocabulary is not None and (keep or drop or not options.keys().isdisjoint({"min_count", "max_vocab"})):
        raise ConfigError("A given vocabulary is taken as it is: leave out min_count, max_vocab, keep and drop.")
    if freeze == "contexts" and config.positional:
        raise ConfigError("Positional contexts cannot be frozen with a text, whose words have several. Freeze words.")
    if vocabulary is not None and grow:
        raise ConfigError("A given vocabulary is taken as it is, so it does not grow. Leave one of them out.")
    if options.get("min_context_count") is not None:
        raise ConfigError("min_context_count is for pairs; the words of a text are its contexts. Use min_count.")
    with open_corpus(corpus, text=text, tokenize=tokenize) as opened:
        on_progress(Progress(stage="compile"))
        load_kernels(config.objective, "cbow" if config.model == "cbow" else "skipgram")
        if begin and (begin.grow or begin.freeze) and vocabulary is None:
            counts = count(opened, threads=threads, on_progress=on_progress)
            selection: dict[str, Any] = {"min_count": config.min_count, "max_vocab": config.max_vocab}
            known = {*keep, *begin.embedding.words} - drop if begin.grow else keep
            chosen = Vocabulary.from_counts(counts, **selection, keep=known, drop=drop)
            vocabulary = begin.vocabulary(counts, chosen, drop)
        with prepare(
            opened,
            min_count=config.min_count,
            max_vocab=config.max_vocab,
            keep=keep,
            drop=drop,
            vocabulary=vocabulary,
            gaps=config.clean,
            cache_dir=cache_dir,
            threads=threads,
            on_progress=on_progress,
        ) as encoded:
            if config.model == "sppmi-svd":
                emb = train_sppmi(encoded, config, threads=threads, cache_dir=cache_dir, on_progress=on_progress)
            else:
                emb = train_encoded(encoded, config, start=begin, threads=threads, on_progress=on_progress)
    emb.record["text"] = {"lowercase": text.lowercase, "max_sentence": text.max_sentence}
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
    cache_dir: str | os.PathLike[str] | None = None,
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
    if config.model == "sppmi-svd":
        raise ConfigError("model=sppmi-svd counts the pairs of a text, and pairs are given here. Use skipgram.")
    of_text = sorted(options.keys() & {*PairSource.unused, "max_sentence"})
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
    with open_pairs(pairs, text=text, columns=columns) as corpus, temporary_folder(cache) as folder:
        on_progress(Progress(stage="compile"))
        load_kernels()
        encoded = encode_pairs(
            corpus,
            folder,
            Selection("word", "min_count", config.min_count, config.max_vocab, words),
            Selection("context", "min_context_count", least, None, contexts),
            threads=threads,
            on_progress=on_progress,
        )
        try:
            return train_source(PairSource(encoded, config), start=begin, threads=threads, on_progress=on_progress)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _check_given(vocabulary: object, name: str, contradicting: set[str]) -> None:
    """Refuse what is no vocabulary for a side of pairs, and options that would change one."""
    if vocabulary is None:
        return
    if not isinstance(vocabulary, Vocabulary):
        raise ConfigError(f"{name} is not a wordloom.Vocabulary. Make one by Vocabulary.of or Vocabulary.read.")
    if len(vocabulary) < 2:
        raise InputError(f"The given {name} are {len(vocabulary)}; need at least 2 to tell them apart. Give more.")
    if contradicting:
        raise ConfigError(f"Given {name} are taken as they are: leave out {min(contradicting)}.")


def split_options(
    options: dict[str, Any], others: Sequence[str] = ("keep", "drop", "vocabulary", "tokenize", "grow")
) -> tuple[TrainConfig, TextOptions]:
    """What to learn and how to read, both checked; an option that is of neither is refused."""
    check_names(options, [*_CONFIG, *_TEXT, *others, "start", "freeze", "threads", "cache_dir", "on_progress"])
    config = TrainConfig(**{name: options[name] for name in _CONFIG if name in options})
    return config, TextOptions(**{name: options[name] for name in _TEXT if name in options})


@cache
def load_kernels(objective: Objective = "negative", model: Architecture = "skipgram") -> None:
    """Load what Numba has compiled before, or compile it now, by using it on a text of two words."""
    from wordloom.kernel import text
    from wordloom.kernel.loss import pairs_loss

    line = np.frombuffer(b"a b a b\n", np.uint8)
    counted, _, _ = text.count(text.empty_table(1, 1), line)  # which has to grow, as it will on a real text
    text.merge(counted, *text.contents(counted))
    ids, _ = text.encode(text.table_of([b"a", b"b"]), line)
    ids.flags.writeable = False  # as mapped files are, which Numba takes for another type
    starts = np.array([0, len(ids)])
    starts.flags.writeable = False
    text.tally(ids, np.zeros(2, np.int64))
    toy = Encoded(ids, starts, Vocabulary(("a", "b"), np.array([2, 2])), "")
    train_encoded(toy, TrainConfig(dim=1, epochs=1, sample=0.0, objective=objective, model=model), threads=1)
    padded, one = np.zeros((2, 16), np.float32)[:, :1], np.zeros((1, 1), np.int32)
    pairs_loss(padded, padded, one[0], one[0], one)  # the toy is too small to hold anything out


def train_encoded(
    encoded: Encoded,
    config: TrainConfig,
    *,
    start: Start | None = None,
    threads: int,
    on_progress: OnProgress = ignore,
) -> Embedding:
    """`train`, from ids on."""
    return train_source(TextSource(encoded, config), start=start, threads=threads, on_progress=on_progress)


def train_source(
    source: Source, *, start: Start | None = None, threads: int, on_progress: OnProgress = ignore
) -> Embedding:
    """`train`, from whatever gives pairs."""
    with workers(threads) as pool:
        return _kind(source.config)(source, start, pool, threads, on_progress).run()


def _kind(config: TrainConfig) -> "type[Training]":
    """Skip-gram with negative sampling is trained in blocks; see the other two for the rest."""
    if config.model == "skipgram" and config.objective == "negative":
        return Training
    if config.objective == "softmax":
        from wordloom.softmax import Softmax

        return Softmax
    from wordloom.sequential import InOrder

    return InOrder


class Training:
    """What one training holds together: the source, the model, the parts, the clock."""

    def __init__(
        self, source: Source, start: Start | None, pool: Workers, threads: int, on_progress: OnProgress
    ) -> None:
        self.source, self.config, self.pool, self.on_progress = source, source.config, pool, on_progress
        config, n_words, n_contexts = self.config, len(source.words.names), len(source.contexts.names)
        self.parts = number_of_parts(n_words, n_contexts, config.dim, source.n_pairs)
        self.pairs_per_round = pairs_per_round(self.parts, config.dim, config.negatives)
        # Long enough that calls cost nothing, short enough that an interrupt, which waits for one, takes no second.
        self.spans = _spans(self.parts, max(4 * threads, self.parts * config.dim * (config.negatives + 1) // 2**16))
        self.heldout: Measure = Heldout(source)
        self.noise = noise(source.contexts.mass, config.noise_power)
        self.model = start_model(n_words, n_contexts, config.dim, config.seed, pool)
        self.epochs_before, self.started = 0, {}
        if start:
            names = source.words.names, self._contexts().names
            self.epochs_before, self.started = start.epochs, start.take_over(*self._matrices(), *names)
            self.model = self.model._replace(frozen=FROZEN[start.freeze])
        self.losses: list[float | None] = []
        self.n_pairs = 0
        self.report_due = 0.0
        self.began = time.perf_counter()

    def run(self) -> Embedding:
        """Train all epochs and hand over what was learnt."""
        positions = self.source.n_positions
        self._measure()
        self._report(0)
        for epoch in range(self.config.epochs):
            for a_round in self._rounds():
                self._train_round(epoch, a_round)
            if self.n_pairs == 0:
                raise InputError(self.source.without_pairs)
            self._measure()
            self._report((epoch + 1) * positions)
        largest = np.abs([[m.min(), m.max()] for m in self._matrices()]).max()  # NaN if one is
        self._check(bool(largest <= LARGEST_COMPONENT), self.config.epochs * positions - 1)
        return self._embedding()

    def _rounds(self) -> Iterable[Round]:
        return self.source.rounds(self.pairs_per_round)

    def _train_round(self, epoch: int, a_round: Round) -> None:
        draws = self.epochs_before + epoch
        word_part, context_part = self._parts_of(draws, a_round.number)
        dealt = self.source.deal(draws, a_round, self.parts, word_part, context_part, self.pool)
        self.n_pairs += int(dealt.starts[-1])
        noise = noise_by_part(self.noise, context_part, self.parts)
        round_key = key(self.config.seed, Purpose.NOISE, draws, a_round.number)
        begin, end = (epoch * self.source.n_positions + at for at in (a_round.begin, a_round.end))
        edges = np.linspace(begin, end, self.parts + 1).tolist()
        train_span = self._span_trainer(dealt, noise, round_key, [self._lr(position) for position in edges])
        squares = relay(self.pool, len(self.spans), self.parts, train_span)
        for i, square in enumerate(squares):
            here = begin + (end - begin) * i / (len(self.spans) * self.parts)
            self._check(square <= LARGEST_SQUARE, here)
            if time.perf_counter() >= self.report_due:
                self._report(int(here))

    def _parts_of(self, epoch: int, number: int) -> tuple[Ids, Ids]:
        """The parts of words and of contexts in a round; one dealing serves where they are the same."""
        deal_key = key(self.config.seed, Purpose.PARTS, epoch, number)
        word_part = deal_parts(len(self.source.words.names), self.parts, deal_key)
        if self.source.same:
            return word_part, word_part
        return word_part, deal_parts(len(self.noise), self.parts, key(int(deal_key), Purpose.PARTS))

    def _span_trainer(
        self, dealt: Dealt, noise: "Noise", key: np.uint64, rates: list[float]
    ) -> Callable[[int, int], float]:
        """What trains the blocks (i, (i + shift) mod P) for the i of a span; gives their largest mean square."""
        from wordloom.kernel.block import make_room, train_diagonal

        longest, contexts = (int(np.diff(starts).max()) for starts in (dealt.starts, noise.starts))
        rooms: list[Room] = []  # that nobody is in: as many as threads, since fresh memory costs time

        def train_span(shift: int, span: int) -> float:
            try:
                room = rooms.pop()
            except IndexError:
                room = make_room(self.config.negatives, longest, contexts, self.model.width)
            where = self.parts, shift, *self.spans[span]
            how = self.config.negatives, key, rates[shift], rates[shift + 1]
            square: float = train_diagonal(self.model, room, *dealt, noise, *where, *how)
            rooms.append(room)
            return square

        return train_span

    def _check(self, healthy: bool, position: float) -> None:
        if not healthy:
            epoch, at = divmod(int(position), self.source.n_positions)
            raise DivergedError(
                f"The vectors diverged in epoch {epoch + 1}, near {self.source.unit[:-1]} {at:,}. "
                f"The learning rate {self.config.lr:g} is likely too high; {self.config.usual_lr} is usual."
            )

    def _lr(self, position: float) -> float:
        """The rate falls linearly with the position in all that there is to read, epochs end to end."""
        done = position / (self.config.epochs * self.source.n_positions)
        return self.config.lr + (self.config.min_lr - self.config.lr) * done

    def _measure(self) -> None:
        self.losses.append(self.heldout.loss(*self._matrices(), self.pool))

    def _matrices(self) -> tuple[Matrix, Matrix]:
        """W and C as users know them: views of the model without its padding."""
        W, C = (m.reshape(-1, self.model.stride)[:, : self.config.dim] for m in (self.model.W, self.model.C))
        return W, C

    def _contexts(self) -> Names:
        """What the rows of C are called."""
        return self.source.contexts

    def _report(self, done: int) -> None:
        self.report_due = time.perf_counter() + SECONDS_BETWEEN_REPORTS
        positions = self.source.n_positions
        self.on_progress(
            Progress(
                stage="train",
                done=done,
                total=self.config.epochs * positions,
                epoch=max(1, -(-done // positions)),  # the end of an epoch still belongs to it
                epochs=self.config.epochs,
                lr=self._lr(done),
                unit=self.source.unit,
                words_per_second=done / (time.perf_counter() - self.began),
                heldout=self.losses[-1],
            )
        )

    def _embedding(self) -> Embedding:
        record = {
            "config": {name: value for name, value in asdict(self.config).items() if name not in self.source.unused},
            "corpus": self.source.record,
            "heldout": {"pairs": len(self.heldout), "loss": self.losses},
        }
        if self.started:
            record["start"] = self.started
        sides = zip((self.source.words, self._contexts()), self._matrices(), strict=True)
        words, contexts = (Vectors(side.names, matrix, side.counts) for side, matrix in sides)
        return Embedding(words=words, contexts=contexts, record=record)


def start_model(n_words: int, n_contexts: int, dim: int, seed: int, pool: Workers) -> "Model":
    """W small and random, C zero: every pair begins with p(D=1|w,c) = 1/2."""
    from wordloom.kernel.rng import start_rows
    from wordloom.kernel.sgns import Model
    from wordloom.kernel.simd import LANES

    stride = stride_of(dim)
    try:
        W, C = _aligned(n_words * stride), _aligned(n_contexts * stride)
    except MemoryError:
        size = 4 * (n_words + n_contexts) * stride / 1e9
        raise InputError(
            f"{n_words:,} words and {n_contexts:,} contexts of dim {dim} take {size:,.1f} GB, more than there is. "
            "Lower dim or raise min_count."
        ) from None
    model = Model(W, C, -(-dim // LANES) * LANES, stride)
    start_key = key(seed, Purpose.START)
    list(pool.map(lambda span: start_rows(model.W, stride, dim, start_key, *span), _spans(n_words, 64)))
    return model


def noise_by_part(probability: Float64s, part_of: Ids, parts: int) -> "Noise":
    """An alias table for the contexts of each part."""
    from wordloom.kernel.block import Noise
    from wordloom.kernel.noise import alias_table

    ids = np.argsort(part_of, kind="stable").astype(np.int32)
    starts = np.searchsorted(part_of[ids], np.arange(parts + 1)).astype(np.int64)
    cut, other = np.empty(len(ids), np.uint64), np.empty(len(ids), np.int64)
    for begin, end in pairwise(starts.tolist()):
        mine = probability[ids[begin:end]]
        alias_table(mine / mine.sum(), cut[begin:end], other[begin:end])
        other[begin:end] = ids[begin:end][other[begin:end]]
    return Noise(ids, cut, other.astype(np.int32), starts)


def _aligned(n: int) -> np.ndarray:
    """n zeros that begin at a cache line."""
    room = np.zeros(n + 16, np.float32)
    skip = (-room.ctypes.data // 4) % 16
    return room[skip : skip + n]


def _spans(n: int, pieces: int) -> list[tuple[int, int]]:
    """0..n cut into at most `pieces` ranges of nearly equal length.

    >>> _spans(5, 2)
    [(0, 2), (2, 5)]
    """
    edges = np.linspace(0, n, min(n, pieces) + 1).astype(int).tolist()
    return list(pairwise(edges))
