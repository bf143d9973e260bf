"""`Phrases`: learnt from one text, joined in any text.

>>> text = ["i love new york".split(), "new york is big".split(), "she left new york".split()] * 5
>>> phrases = Phrases.learn(text, min_count=5, threshold=0.5)
>>> list(phrases.phrases)
['new_york']
>>> phrases.apply("new york in may".split())
['new_york', 'in', 'may']
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, Unpack

from pairloom.config import TextKeywords, TextOptions, check_names, checked_threads
from pairloom.corpus.finding import check_not_read
from pairloom.corpus.kinds.corpus import Corpus
from pairloom.corpus.sentences import open_corpus
from pairloom.errors import InputError
from pairloom.preparing.phrases import files
from pairloom.preparing.phrases.choosing import choose
from pairloom.preparing.phrases.joining import JoinedCorpus, Pass, is_phrase, join
from pairloom.preparing.phrases.memory_need import PhraseMemory, check_joining, check_smallest
from pairloom.preparing.phrases.pair_counts import count_pairs
from pairloom.preparing.phrases.scores import PhraseOptions, Score, ScoreName, checked_connectors, checked_delimiter
from pairloom.progress import OnProgress, Progress, ignore, logged, reporter
from pairloom.system.files import atomic_write, check_folder, output_errors
from pairloom.system.memory import Budget
from pairloom.types import CorpusLike, PathName


@dataclass(frozen=True)
class Phrases:
    """The phrases of one or more passes over a text. Immutable.

    passes: for each pass a dict from phrases, as tuples of words, to scores, best first.
    connectors: words that a phrase may have inside, but neither at its beginning nor at its end.
    delimiter: stands between the words of a joined phrase.
    """

    passes: tuple[Pass, ...]
    connectors: frozenset[str] = frozenset()
    delimiter: str = "_"
    made: Mapping[str, Any] = field(default_factory=dict, compare=False)  # how they were learnt, for people

    def __post_init__(self) -> None:
        checked_delimiter(self.delimiter)
        object.__setattr__(self, "connectors", checked_connectors(self.connectors))
        for phrases in self.passes:
            for words in phrases:
                if not is_phrase(words, self.connectors):
                    raise InputError(
                        f"{words!r} is not a phrase. Use a tuple of two words, with connectors between them or none."
                    )
        passes = tuple(MappingProxyType(dict(phrases)) for phrases in self.passes)
        object.__setattr__(self, "passes", passes or (MappingProxyType({}),))
        object.__setattr__(self, "made", MappingProxyType(dict(self.made)))

    @classmethod
    def learn(
        cls,
        corpus: CorpusLike | Corpus,
        *,
        min_count: int = 5,
        threshold: float | Iterable[float] | None = None,
        scoring: ScoreName | Score = "gensim",
        connectors: str | Iterable[str] = (),
        passes: int | None = None,
        delimiter: str = "_",
        threads: int | None = None,
        max_memory: int | str | None = None,
        cache_dir: PathName | None = None,
        on_progress: OnProgress = ignore,
        **text: Unpack[TextKeywords],
    ) -> "Phrases":
        """Find the pairs of words that occur at least min_count times and whose score is above the threshold.

        corpus: a file, a glob, a folder, a list of files, or token lists, as for `train`.
        threshold: a number, or one for each pass, for example [200, 100]. None is the default of the score.
        scoring: "gensim" (default threshold 10), "word2vec" (100), "npmi" (0.5), or a function that takes worda_count,
        wordb_count, bigram_count, len_vocab, min_count and corpus_word_count as keywords and returns a float.
        connectors: words that a phrase may have inside, as in bank_of_america: "english" or a list of words.
        passes: the second pass sees the phrases of the first as words, and so on, so phrases get longer.
        max_memory: bytes, or for example "2GB". Learning that would need more, or more than the machine has, stops
        with an error that says how much. Memory is needed for all different words, for pairs that occur min_count
        times, and for tables of at most a gigabyte.
        text: the fields of `TextOptions`.

        Counts are exact for texts of any length. The number of threads has no effect on the result.
        """
        options = PhraseOptions.checked(
            min_count=min_count,
            threshold=threshold,
            scoring=scoring,
            connectors=connectors,
            passes=passes,
            delimiter=delimiter,
        )
        threads, on_progress = checked_threads(threads), logged(on_progress)
        budget = Budget(max_memory)
        check_smallest(budget, threads)
        found: list[Pass] = []
        with _opened(corpus, text) as opened:
            on_progress(Progress(stage="compile"))
            for threshold_of_pass in options.thresholds:
                memory = PhraseMemory(budget, threads, listed=not opened.has_blocks)
                joined = JoinedCorpus(opened, found, options.connectors, options.delimiter, threads)
                pairs = count_pairs(
                    joined if found else opened,
                    min_count=options.min_count,
                    connectors=options.connectors,
                    memory=memory,
                    max_memory=budget.limit,
                    cache_dir=cache_dir,
                    threads=threads,
                    on_progress=on_progress,
                )
                found.append(choose(pairs, options, threshold_of_pass, memory.check_phrases))
        made = {"min_count": options.min_count, "scoring": options.scoring, "thresholds": list(options.thresholds)}
        return cls(tuple(found), options.connectors, options.delimiter, made)

    @cached_property
    def phrases(self) -> dict[str, float]:
        """All phrases, joined, with their scores, best first, ties by text.

        If words contain the delimiter, two phrases can have the same joined text. It has the better of the two scores.
        """
        best: dict[str, float] = {}
        for phrases in self.passes:
            for words, score in phrases.items():
                text = self.delimiter.join(words)
                best[text] = max(score, best.get(text, score))
        return dict(sorted(best.items(), key=lambda item: (-item[1], item[0])))

    def __len__(self) -> int:
        return len(self.phrases)

    def apply(self, sentence: Iterable[str]) -> list[str]:
        """The words of a sentence with its phrases joined."""
        if isinstance(sentence, str):
            raise InputError("A sentence must be a list of words, not a string. Use .split() on it.")
        words = list(sentence)
        for phrases in self.passes:
            words = join(words, phrases, self.connectors, self.delimiter)
        return words

    def wrap(self, corpus: CorpusLike, **text: Unpack[TextKeywords]) -> "JoinedSentences":
        """A corpus for `train` whose phrases are joined as it is read: `pairloom.train(phrases.wrap("corpus.txt"))`.

        Every sentence stays one sentence, also if it is empty. Only those longer than max_sentence are cut.
        """
        return JoinedSentences(self, open_corpus(corpus, text=_text_options(text)))

    def transform(
        self,
        corpus: CorpusLike | Corpus,
        output: PathName,
        *,
        threads: int | None = None,
        max_memory: int | str | None = None,
        on_progress: OnProgress = ignore,
        **text: Unpack[TextKeywords],
    ) -> None:
        """Write a text with its phrases joined, line by line, with all words, also rare ones.

        Words are separated by one space. Words longer than 1000 bytes are left out, as everywhere. If the corpus needs
        a tokenizer, use `wrap` and write its sentences yourself. max_memory: as for `learn`.
        """
        threads = checked_threads(threads)
        check_joining(Budget(max_memory), sum(map(len, self.passes)), threads)
        check_not_read(output, corpus)
        check_folder(output)
        with _opened(corpus, text) as opened, atomic_write(output) as file:
            report = reporter("join", opened.size_bytes, on_progress)
            joined = JoinedCorpus(opened, self.passes, self.connectors, self.delimiter, threads)
            for data, done in _written(joined):
                with output_errors(output):
                    file.write(data)
                report(done)
            opened.check_unchanged()

    def save(self, path: PathName) -> None:
        """Write the phrases to a file of lines of JSON (see `pairloom.preparing.phrases.files`)."""
        files.write(path, self.passes, self.connectors, self.delimiter, self.made)

    @classmethod
    def load(cls, path: PathName) -> "Phrases":
        """Read a file that `save` has written."""
        return cls(*files.read(path))


class JoinedSentences:
    """Token lists with phrases joined. You can iterate over them any number of times."""

    def __init__(self, phrases: Phrases, corpus: Corpus) -> None:
        self._phrases, self._corpus = phrases, corpus

    def __iter__(self) -> Iterator[list[str]]:
        phrases = self._phrases
        return JoinedCorpus(self._corpus, phrases.passes, phrases.connectors, phrases.delimiter, threads=1).lines()


def _written(corpus: JoinedCorpus) -> Iterator[tuple[Any, int]]:
    """The text of a corpus as bytes, with how much of the corpus has been read."""
    if corpus.has_blocks:
        for block in corpus.blocks():
            yield block.data.data, block.done
        return
    begun = False  # whether some words of this line were already written
    for piece in corpus.word_lines():
        line = " ".join(piece.words)
        if len(line.split()) != len(piece.words):
            word = next(word for word in piece.words if word.split() != [word])
            raise InputError(
                f"The word {word!r} contains white space, which separates words in a text. Use wrap instead."
            )
        before, after = " " if begun and line else "", "" if piece.goes_on else "\n"
        yield (before + line + after).encode(), piece.done
        begun = piece.goes_on and (begun or line != "")


@contextmanager
def _opened(source: CorpusLike | Corpus, text: TextKeywords) -> Iterator[Corpus]:
    """Open a corpus, unless it is open already."""
    if isinstance(source, Corpus):
        yield source
        return
    with open_corpus(source, text=_text_options(text)) as corpus:
        yield corpus


def _text_options(text: TextKeywords) -> TextOptions:
    check_names(text, list(TextKeywords.__annotations__))
    return TextOptions(**text)
