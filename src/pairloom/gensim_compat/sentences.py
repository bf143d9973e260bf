"""Sentences as gensim's users give them, turned into what `pairloom.train` reads.

A `LineSentence` or `PathLineSentences` is read as the file it names, by all threads. Other iterables are read in
Python, sentence by sentence.
"""

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pairloom.config import TextKeywords, TextOptions
from pairloom.corpus.kinds.corpus import Corpus
from pairloom.corpus.sentences import open_corpus
from pairloom.errors import CorpusTypeError, MissingFileError
from pairloom.system.display import of_type
from pairloom.types import CorpusLike, PathName

MAX_WORDS_IN_BATCH = 10_000  # gensim's name for the longest sentence


class LineSentence:
    """The lines of a text file as lists of words. Long lines are cut after max_sentence_length words.

    source: a path (plain, .gz, .bz2, .xz or .zst), or an open file, which is read from its beginning each time.
    limit: read only this many lines.
    """

    def __init__(self, source: Any, max_sentence_length: int = MAX_WORDS_IN_BATCH, limit: int | None = None) -> None:
        self.source, self.max_sentence_length, self.limit = source, max_sentence_length, limit

    @property
    def paths(self) -> list[str] | None:
        """The files that hold all of it, or None if only Python can read it."""
        return [os.fspath(self.source)] if isinstance(self.source, str | os.PathLike) and self.limit is None else None

    def __iter__(self) -> Iterator[list[str]]:
        for words in islice(self._lines(), self.limit):
            for start in range(0, len(words), self.max_sentence_length):
                yield words[start : start + self.max_sentence_length]

    def _lines(self) -> Iterator[list[str]]:
        if isinstance(self.source, str | os.PathLike):
            with open_corpus(self.source, text=TextOptions(as_text=True, max_sentence=1_000_000)) as corpus:
                yield from corpus.lines()
            return
        self.source.seek(0)
        for line in self.source:
            yield (line.decode() if isinstance(line, bytes) else line).split()


class PathLineSentences(LineSentence):
    """`LineSentence` of all files of a folder, in the order of their names, or of one file. `limit` is for each."""

    def __init__(
        self, source: PathName, max_sentence_length: int = MAX_WORDS_IN_BATCH, limit: int | None = None
    ) -> None:
        super().__init__(source, max_sentence_length, limit)
        folder = Path(source)
        self.input_files = sorted(map(str, folder.iterdir())) if folder.is_dir() else [os.fspath(source)]
        if not folder.exists():
            raise MissingFileError(f"{source} does not exist. Give a folder of text files, or a file.")

    @property
    def paths(self) -> list[str] | None:
        return self.input_files if self.limit is None else None

    def __iter__(self) -> Iterator[list[str]]:
        for file in self.input_files:
            yield from LineSentence(file, self.max_sentence_length, self.limit)


class Text8Corpus(LineSentence):
    """The words of a file with one long line, in sentences of max_sentence_length words."""

    def __init__(self, fname: PathName, max_sentence_length: int = MAX_WORDS_IN_BATCH) -> None:
        super().__init__(fname, max_sentence_length)


class GivenText(NamedTuple):
    """A corpus for `pairloom.train`, and how to read it."""

    corpus: CorpusLike
    options: TextKeywords

    def open(self) -> Corpus:
        """The corpus, opened."""
        return open_corpus(self.corpus, text=TextOptions(**self.options))


class _TokenLists:
    """Any iterable of sentences as lists of words, without empty words. It must start over each time."""

    def __init__(self, sentences: Iterable[Iterable[str]]) -> None:
        self._sentences = sentences

    def __iter__(self) -> Iterator[Any]:
        n = 0
        for n, sentence in enumerate(self._sentences, 1):  # noqa: B007 (how many there were)
            yield sentence if isinstance(sentence, str) else [word for word in sentence if word != ""]
        if n == 0:
            raise CorpusTypeError(
                "There are no sentences, or none when they are read again. Give a list, or an object whose __iter__ "
                "starts over each time."
            )


def given_text(sentences: Any, corpus_file: PathName | None, *, spool: bool) -> GivenText:
    """The one of the two that is given. spool: keep sentences that can be read only once in memory."""
    if (sentences is None) == (corpus_file is None):
        raise CorpusTypeError("Give either sentences or corpus_file, the path of a text with a sentence a line.")
    if isinstance(sentences, str | bytes):
        raise CorpusTypeError(f"The sentences are {of_type(sentences)}. Give lists of words, or a path as corpus_file.")
    if not isinstance(sentences, Iterable | None):
        raise CorpusTypeError(f"The sentences cannot be {of_type(sentences)}. Give lists of words.")
    lines = LineSentence(corpus_file) if sentences is None else sentences
    if isinstance(lines, LineSentence) and lines.paths is not None:
        return GivenText(
            [Path(path) for path in lines.paths], {"as_text": True, "max_sentence": lines.max_sentence_length}
        )
    if iter(lines) is lines:  # a generator
        if not spool:
            raise CorpusTypeError(
                f"{of_type(lines, 'A')} can be read only once, and the sentences are read several times. "
                "Give a list, or an object whose __iter__ starts over each time."
            )
        lines = list(lines)
    return GivenText(_TokenLists(lines), {})


def n_sentences(text: GivenText) -> int:
    """The number of sentences, or of lines of files."""
    if isinstance(text.corpus, _TokenLists):
        return sum(1 for _ in text.corpus)
    with text.open() as corpus:
        n, begun = 0, False
        for block in corpus.blocks():
            n += int(np.count_nonzero(block.data == ord("\n")))
            begun = bool(len(block.data)) and int(block.data[-1]) != ord("\n")
    return n + begun
