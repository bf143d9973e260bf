"""`pairloom.tune`: try settings on a sample of a corpus, and say which are best for a purpose."""

import os
import tempfile
import time
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Unpack

from pairloom.advice.planning.amounts import checked_amount
from pairloom.advice.tuning.halving import next_step, rungs_for
from pairloom.advice.tuning.result import Ending, Trial, TuningResult
from pairloom.advice.tuning.sampling import FEWEST_TOKENS, LineSample, sample_lines
from pairloom.advice.tuning.space import ITEMS, TEXT, Options, Space, default_options, item_options, propose, searched
from pairloom.advice.tuning.yardsticks import HeldOut, NextItem, Questions, Yardstick
from pairloom.config import TextOptions, TrainKeywords, check_whole, checked_threads, split_options
from pairloom.corpus.sentences import open_corpus
from pairloom.errors import ConfigError, MissingFileError
from pairloom.judging.evaluation import read
from pairloom.progress import OnProgress, Progress, ignore
from pairloom.system.display import of_type
from pairloom.system.progress_bar import reported_progress
from pairloom.training.checkpoint import Every
from pairloom.training.train import train
from pairloom.types import CorpusLike, PathName

TARGETS = ("heldout", "next-item")
MOST_TRIALS = 100_000
USUAL_TOKENS = "5M"
_READING = {field.name for field in fields(TextOptions)}
_SECONDS_BETWEEN_REPORTS = 0.25


def tune(
    corpus: CorpusLike,
    target: PathName = "heldout",
    *,
    trials: int | None = None,
    budget: str | None = None,
    tokens: int | str = USUAL_TOKENS,
    threads: int | None = None,
    progress: bool = False,
    on_progress: OnProgress = ignore,
    **options: Unpack[TrainKeywords],
) -> TuningResult:
    """Search the settings with which training on a corpus does best for a purpose.

    corpus     as for `train`
    target     "heldout": find the neighbours of words in lines that were not trained on. "next-item": a line is a
               session, guess its last item. Or a file of similarities, analogies or categories, as for `evaluate`
    trials     the number of trainings. The result depends on nothing but the corpus, the options and this number
    budget     or a time, for example "10m". How many trials that is depends on the machine; `trials` with the number
               that were run repeats them exactly. Without either, 30 trials
    tokens     the sample has at most so many, for example "5M": lines are chosen by their hashes
    options    of `train`, the same in all trials; those that are given are not searched. The best candidates are tried
               with two seeds: `seed` and the next one
    threads, progress, on_progress    as for `train`

    Interrupting it returns what was found so far.
    """
    search = checked_search(corpus, target, options, trials=trials, budget=budget, tokens=tokens, threads=threads)
    with reported_progress(progress, on_progress) as report:
        try:
            search.run(report)
        except KeyboardInterrupt:
            if not search.done:
                raise
            search.ended = "interrupted"
        return search.result()


class _TimeIsUpError(Exception):
    """Ends a trial that would last longer than the budget."""


class Search:
    """A search: `run` adds trials to `done`, and can be interrupted."""

    def __init__(
        self,
        corpus: CorpusLike,
        target: PathName,
        options: Mapping[str, Any],
        *,
        most: int,
        seconds: float | None,
        tokens: int,
        threads: int,
    ) -> None:
        self.done: list[Trial] = []
        self.ended: Ending = "trials"
        self.most, self.seconds = most, seconds
        self._corpus, self._target, self._most_tokens, self._threads = corpus, target, tokens, threads
        self._fixed = {name: value for name, value in options.items() if name != "seed"}
        self._seed = int(options.get("seed", 1))
        self._questions = None if target in TARGETS else _questions_of(target)
        self._space: Space = searched(ITEMS if target == "next-item" else TEXT, options)
        self._sample: LineSample | None = None
        self._name = ""
        if not self._space:
            raise ConfigError("All options that are searched are given, so there is nothing to try. Leave some out.")

    def run(self, on_progress: OnProgress = ignore) -> None:
        """Do trials until as many as asked for are done, or the time is up."""
        began = time.monotonic()
        sample = self._read(on_progress)
        yardstick = self._yardstick(sample)
        with tempfile.TemporaryDirectory(prefix="pairloom-") as folder:
            texts = _Texts(sample, yardstick.held_out, Path(folder))
            report = self._reporter(began, on_progress)
            try:
                while len(self.done) < self.most:
                    report()
                    if not self._one_more(texts, yardstick, report):
                        self.ended = "space"
                        return
                    self._name = yardstick.name
            except _TimeIsUpError:
                self.ended = "time"

    def _one_more(self, texts: "_Texts", yardstick: Yardstick, report: OnProgress) -> bool:
        """Do the next trial. False if there are no settings left to try."""
        rungs = rungs_for(texts.sample.tokens, self._seed)
        step = next_step(self.done, len(rungs))
        options = self._options_of(step.candidate)
        if options is None:
            return False
        rung = rungs[step.rung]
        model = train(
            texts.at(rung.share),
            threads=self._threads,
            cache_dir=texts.folder,
            on_progress=report,
            **{**self._learning(), **options, "seed": rung.seed},
        )
        score = yardstick.score(model, self._threads)
        self.done.append(Trial(step.candidate, step.rung, rung.share, rung.seed, options, *score))
        return True

    def _options_of(self, candidate: int) -> Options | None:
        if candidate == 0:
            return default_options(self._space)
        known = {trial.candidate: trial.options for trial in self.done}
        if candidate in known:
            return known[candidate]
        if candidate == 1 and self._target == "next-item" and (preset := item_options(self._space)) != known[0]:
            return preset
        best = max(self.done, key=lambda trial: (trial.rung, trial.score, -trial.candidate))
        return propose(self._space, candidate, best.options, known.values(), self._seed)

    def _learning(self) -> dict[str, Any]:
        """The fixed options of trials. Their text is already split into words."""
        return {name: value for name, value in self._fixed.items() if name not in _READING}

    def _read(self, on_progress: OnProgress) -> LineSample:
        text = TextOptions(**{name: value for name, value in self._fixed.items() if name in _READING})
        with open_corpus(self._corpus, text=text) as corpus:
            corpus.check_beginning()
            self._sample = sample_lines(corpus, self._most_tokens, on_progress)
            corpus.check_unchanged()
        return self._sample

    def _yardstick(self, sample: LineSample) -> Yardstick:
        if self._questions is not None:
            return self._questions
        return NextItem(sample) if self._target == "next-item" else HeldOut(sample)

    def _reporter(self, began: float, on_progress: OnProgress) -> Any:
        """Reports how far the search is, in trials or in seconds, and ends it when its time is up."""
        last = -1.0

        def report(_: Progress | None = None) -> None:
            nonlocal last
            now = time.monotonic() - began
            if self.seconds is not None and now > self.seconds:
                raise _TimeIsUpError
            if now - last >= _SECONDS_BETWEEN_REPORTS:
                last = now
                done, total = (len(self.done), self.most) if self.seconds is None else (int(now), int(self.seconds))
                on_progress(Progress(stage="tune", done=done, total=max(1, total)))

        return report

    def result(self) -> TuningResult:
        """What was found so far."""
        assert self._sample is not None
        named = isinstance(self._corpus, str | os.PathLike)
        many = isinstance(self._corpus, list) and all(isinstance(one, os.PathLike) for one in self._corpus)
        paths = [self._corpus] if named else self._corpus if many else ["CORPUS"]
        return TuningResult(
            target=os.fspath(self._target),
            score_name=self._name,
            trials=tuple(self.done),
            fixed=self._fixed,
            tokens=self._sample.tokens,
            tokens_read=self._sample.tokens_read,
            ended=self.ended,
            corpus=tuple(os.fspath(path) for path in paths),  # type: ignore[arg-type, union-attr]
        )


class _Texts:
    """The shares of a sample as files, so that each is encoded once for all trials."""

    def __init__(self, sample: LineSample, held_out: bool, folder: Path) -> None:
        self.sample, self.folder = sample, folder
        self._held_out = held_out
        self._texts: dict[float, CorpusLike] = {}

    def at(self, share: float) -> CorpusLike:
        """A share of the sample: a file, or lists if words have spaces in them, as those of a user's lists may."""
        if share not in self._texts:
            sentences = self.sample.training(share, self._held_out)
            plain = all(word.split() == [word] for words in sentences for word in set(words))
            self._texts[share] = self._written(sentences, share) if plain else sentences
        return self._texts[share]

    def _written(self, sentences: list[list[str]], share: float) -> Path:
        path = self.folder / f"{round(1 / share)}.txt"
        with path.open("w", encoding="utf-8", newline="\n", errors="surrogatepass") as file:
            file.writelines(" ".join(words) + "\n" for words in sentences)
        return path


def _questions_of(path: PathName) -> Questions:
    try:
        return Questions(read(path))
    except MissingFileError as error:
        raise MissingFileError(f"{error} Without a file of questions, use heldout or next-item.") from None


def checked_search(
    corpus: CorpusLike,
    target: PathName,
    options: Mapping[str, Any],
    *,
    trials: int | None,
    budget: str | None,
    tokens: int | str,
    threads: int | None,
) -> Search:
    """A search whose parameters, those of `tune`, are checked."""
    most, seconds = _checked_budget(trials, budget)
    size = checked_amount("tokens", tokens, FEWEST_TOKENS, 10**9, "5M is usual")
    config, _ = split_options(options)
    if not config.is_sgns or config.positional:
        raise ConfigError(
            "Trials are of skip-gram by negative sampling, with words as contexts. Leave out model, objective and "
            "positional."
        )
    if not isinstance(target, str | os.PathLike):
        raise ConfigError(f"target is {of_type(target)}. Give heldout, next-item or the path of a file of questions.")
    return Search(corpus, target, options, most=most, seconds=seconds, tokens=size, threads=checked_threads(threads))


def _checked_budget(trials: int | None, budget: str | None) -> tuple[int, float | None]:
    """The most trials, and the most seconds if there is a limit."""
    seconds = None if budget is None else _checked_time(budget)
    if trials is not None and seconds is not None:
        raise ConfigError("A search ends after some trials or after some time. Give trials or budget, not both.")
    if seconds is not None:
        return MOST_TRIALS, seconds
    check_whole("trials", 30 if trials is None else trials, 1, MOST_TRIALS, "30 to 100 is usual")
    return 30 if trials is None else int(trials), None


def _checked_time(budget: object) -> float:
    """The seconds of a budget."""
    try:
        seconds = Every.of(budget).seconds
    except ConfigError:
        seconds = None
    if seconds is None:
        raise ConfigError(f"budget={budget!r} is not a time. Use for example 90s, 10m or 1h.")
    return seconds
