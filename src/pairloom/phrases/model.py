"""`Phrases`: learnt from a text, joined in any.

>>> text = ["i love new york".split(), "new york is big".split(), "she left new york".split()] * 5
>>> phrases = Phrases.learn(text, min_count=5, threshold=0.5)
>>> list(phrases.phrases)
['new_york']
>>> phrases.apply("new york in may".split())
['new_york', 'in', 'may']
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

from pairloom.config import TextOptions, check_names, checked_threads
from pairloom.corpus.finding import is_among
from pairloom.corpus.sentences import Corpus, Tokenizer, open_corpus
from pairloom.errors import InputError
from pairloom.phrases import files
from pairloom.phrases.choosing import choose
from pairloom.phrases.joining import JoinedCorpus, Pass, is_phrase, join
from pairloom.phrases.memory_need import PhraseMemory, check_joining, check_smallest
from pairloom.phrases.pair_counts import count_pairs
from pairloom.phrases.scores import PhraseOptions, Score, checked_connectors, checked_delimiter
from pairloom.progress import OnProgress, Progress, ignore, reporter
from pairloom.system.files import atomic_write, check_folder, output_errors
from pairloom.system.memory import Budget
from pairloom.types import PathName

_TEXT = ["lowercase", "encoding", "errors", "max_sentence"]


@dataclass(frozen=True)
class Phrases:
    """The phrases of one pass over a text, or of several that follow each other. Nothing in it changes.

    passes: for each pass its phrases, as tuples of words, and their scores, the best first.
    """

    passes: tuple[Pass, ...]
    connectors: frozenset[str] = frozenset()
    delimiter: str = "_"
    made: Mapping[str, Any] = field(default_factory=dict, compare=False)  # how they were learnt

    def __post_init__(self) -> None:
        checked_delimiter(self.delimiter)
        object.__setattr__(self, "connectors", checked_connectors(self.connectors))
        for phrases in self.passes:
            for words in phrases:
                if not is_phrase(words, self.connectors):
                    raise InputError(f"{words!r} is not a phrase. Use a tuple of words, with connectors between alone.")
        passes = tuple(MappingProxyType(dict(phrases)) for phrases in self.passes)
        object.__setattr__(self, "passes", passes or (MappingProxyType({}),))
        object.__setattr__(self, "made", MappingProxyType(dict(self.made)))

    @classmethod
    def learn(
        cls,
        corpus: object,
        *,
        min_count: int = 5,
        threshold: float | Iterable[float] | None = None,
        scoring: str | Score = "gensim",
        connectors: str | Iterable[str] = (),
        passes: int | None = None,
        delimiter: str = "_",
        threads: int | None = None,
        tokenize: Tokenizer | None = None,
        max_memory: int | str | None = None,
        cache_dir: str | os.PathLike[str] | None = None,
        on_progress: OnProgress = ignore,
        **text: Any,
    ) -> "Phrases":
        """Find the pairs of words whose score is above the threshold, among those seen min_count times or more.

        corpus: a file, a glob, a folder, a list of files, or token lists, as for `train`; `text` are its TextOptions.
        scoring: "gensim" (its default threshold is 10), "word2vec" (100), "npmi" (0.5), or a function of worda_count,
        wordb_count, bigram_count, len_vocab, min_count and corpus_word_count.
        connectors: words that a phrase may span but neither begin nor end with, as in bank_of_america: "english" or a
        list. passes: in the second, the phrases of the first are words, and so on; thresholds may differ: [200, 100].
        The result is the same for any number of threads. Counts are exact, however long the text: memory is that of its
        different words, of the pairs seen min_count times, and of tables that take a gigabyte at most. max_memory:
        bytes, or such as "2GB"; words, pairs or phrases that cannot fit into them, or into what the machine has, are
        refused with the sum.
        """
        options = PhraseOptions.checked(
            min_count=min_count,
            threshold=threshold,
            scoring=scoring,
            connectors=connectors,
            passes=passes,
            delimiter=delimiter,
        )
        threads = checked_threads(threads)
        budget = Budget(max_memory)
        check_smallest(budget, threads)
        found: list[Pass] = []
        with _opened(corpus, text, tokenize) as opened:
            on_progress(Progress(stage="compile"))
            for threshold_of_pass in options.thresholds:
                need = PhraseMemory(budget, threads, listed=not opened.has_blocks)
                joined = JoinedCorpus(opened, found, options.connectors, options.delimiter, threads)
                pairs = count_pairs(
                    joined if found else opened,
                    min_count=options.min_count,
                    connectors=options.connectors,
                    need=need,
                    max_memory=budget.limit,
                    cache_dir=cache_dir,
                    threads=threads,
                    on_progress=on_progress,
                )
                found.append(choose(pairs, options, threshold_of_pass, need.check_phrases))
        made = {"min_count": options.min_count, "scoring": options.scoring, "thresholds": list(options.thresholds)}
        return cls(tuple(found), options.connectors, options.delimiter, made)

    @cached_property
    def phrases(self) -> dict[str, float]:
        """All phrases with their scores, the best first, ties by text.

        Words that have the delimiter in them can make one text in two ways; the better score stands for both.
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
        """The sentence with its phrases joined."""
        if isinstance(sentence, str):
            raise InputError("A sentence must be a list of words, not a string. Use .split() on it.")
        words = list(sentence)
        for phrases in self.passes:
            words = join(words, phrases, self.connectors, self.delimiter)
        return words

    def wrap(self, corpus: object, *, tokenize: Tokenizer | None = None, **text: Any) -> "JoinedSentences":
        """A corpus for `train` whose phrases are joined as it is read: `pairloom.train(phrases.wrap(sentences))`."""
        return JoinedSentences(self, open_corpus(corpus, text=_text_options(text), tokenize=tokenize))

    def transform(
        self,
        corpus: object,
        output: PathName,
        *,
        threads: int | None = None,
        max_memory: int | str | None = None,
        on_progress: OnProgress = ignore,
        **text: Any,
    ) -> None:
        """Write a text with its phrases joined: a line for each line, and all words, however rare.

        Words are parted by one space. Like everywhere, words of more than 1000 bytes are left out. Of a corpus with a
        tokenizer, write what `wrap` gives. max_memory: as of `learn`.
        """
        threads = checked_threads(threads)
        check_joining(Budget(max_memory), sum(map(len, self.passes)), threads)
        if is_among(output, _paths(corpus)):
            raise InputError(f"{os.fspath(output)} is, or is among, the files to be read. Choose another output.")
        check_folder(output)
        with _opened(corpus, text) as opened, atomic_write(output) as file:
            report = reporter("join", opened.size_bytes, on_progress)
            joined = JoinedCorpus(opened, self.passes, self.connectors, self.delimiter, threads)
            for data, done in _written(joined):
                with output_errors(output):
                    file.write(data)
                report(done)
            opened.check_unchanged()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the phrases to a file, as lines of JSON (see `pairloom.phrases.files`)."""
        files.write(path, self.passes, self.connectors, self.delimiter, self.made)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Phrases":
        """Read what `save` has written."""
        return cls(*files.read(path))


class JoinedSentences:
    """Token lists with phrases joined. They can be read again and again."""

    def __init__(self, phrases: Phrases, corpus: Corpus) -> None:
        self._phrases, self._corpus = phrases, corpus

    def __iter__(self) -> Iterator[list[str]]:
        return map(self._phrases.apply, self._corpus.sentences())


def _written(corpus: JoinedCorpus) -> Iterator[tuple[Any, int]]:
    """A corpus as bytes of text, and how much of it was read for them."""
    if corpus.has_blocks:
        for block in corpus.blocks():
            yield block.data.data, block.done
        return
    for piece in corpus.pieces():
        line = " ".join(piece.words)
        if len(line.split()) != len(piece.words):
            word = next(word for word in piece.words if word.split() != [word])
            raise InputError(f"The word {word!r} has white space, which text cannot hold. Use wrap instead.")
        yield f"{line}\n".encode(), piece.done


def _paths(corpus: object) -> list[PathName]:
    """The paths that a corpus is given by; none if it is token lists."""
    given = corpus if isinstance(corpus, list | tuple) else [corpus]
    return [path for path in given if isinstance(path, str | os.PathLike)]


@contextmanager
def _opened(source: object, text: dict[str, Any], tokenize: Tokenizer | None = None) -> Iterator[Corpus]:
    """A corpus, opened here unless it is open."""
    if isinstance(source, Corpus):
        yield source
        return
    with open_corpus(source, text=_text_options(text), tokenize=tokenize) as corpus:
        yield corpus


def _text_options(text: dict[str, Any]) -> TextOptions:
    check_names(text, _TEXT)
    return TextOptions(**text)
