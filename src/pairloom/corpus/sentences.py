"""Text, from wherever it comes, as sentences that can be read again.

A corpus is read twice, to count its words and to encode them, so everything here can be opened anew: files stay where
they are, streams are spooled to a temporary file, and a Python iterable must be able to start over.

The rules of text: a line is a sentence; lines end at CR, LF or CRLF and at the end of a file, nowhere else; words are
what `str.split()` gives in a line; a byte order mark at the start of a file is dropped; a word of more than
MAX_WORD_BYTES bytes is left out, and a warning says so. A NUL is a character like any other, and gets a warning too.

>>> list(open_corpus([["the", "cat"], ["sat"]]).sentences())
[['the', 'cat'], ['sat']]
"""

import hashlib
import io
import os
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from pairloom.config import MAX_WORD_BYTES, TextOptions
from pairloom.corpus.decoding import TextBlock, text_blocks
from pairloom.corpus.finding import SourceFile, find_files, names_files, remove_spooled
from pairloom.errors import ConfigError, CorpusChangedError, CorpusTypeError, InputError
from pairloom.system.display import quoted
from pairloom.types import PathName

Tokenizer = Callable[[str], list[str]]


class Piece(NamedTuple):
    """A line of words, or part of a line that goes on in the next piece."""

    words: list[str]
    too_long: int  # words left out because they are longer than MAX_WORD_BYTES
    goes_on: bool
    done: int  # bytes of the corpus read so far


class Block(NamedTuple):
    """Some lines as UTF-8. Only the last one may go on in the next block."""

    data: npt.NDArray[np.uint8]
    goes_on: bool
    done: int  # bytes of the corpus read so far


class Corpus(ABC):
    """Sentences that can be read again. Close it, or use it in a `with`, to remove what was spooled."""

    def __init__(self, name: str, text: TextOptions, size_bytes: int | None) -> None:
        self.name = name  # for messages
        self.text = text
        self.size_bytes = size_bytes  # as stored, so of the compressed file; None if not known before it is read
        self.nul_characters: dict[str, int] = {}  # by file, in the newest reading

    @property
    def has_blocks(self) -> bool:
        """Whether `blocks` gives the text as bytes, for the compiled path."""
        return False

    @abstractmethod
    def pieces(self) -> Iterator[Piece]:
        """Every line in turn; a line too long to be held comes in several pieces."""

    def blocks(self) -> Iterator[Block]:
        """Every line in turn, many at a time, as UTF-8."""
        raise NotImplementedError(f"{type(self).__name__} gives pieces, not blocks")

    def sentences(self) -> Iterator[list[str]]:
        """Lists of words: the lines, in pieces of at most `max_sentence` words, without the empty ones."""
        longest = self.text.max_sentence
        words: list[str] = []
        for piece in self.pieces():
            words += piece.words
            whole = len(words) - len(words) % longest if piece.goes_on else len(words)
            for start in range(0, whole, longest):
                yield words[start : min(start + longest, whole)]
            words = words[whole:]

    def identity(self) -> str | None:
        """A digest that changes when the corpus does; None where that cannot be known without reading it all."""
        return None

    def check_unchanged(self) -> None:  # noqa: B027 (a corpus without files has nothing to check)
        """Raise CorpusChangedError if a file was written to since the corpus was opened."""

    def close(self) -> None:  # noqa: B027 (nor to remove)
        """Remove what was spooled."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class TextMaker(ABC):
    """What makes text instead of holding it, such as walks over a graph: any number of corpora, all with one text."""

    @abstractmethod
    def open(self, text: TextOptions) -> Corpus:
        """The text as a corpus."""


def open_corpus(
    source: object,
    *,
    text: TextOptions = TextOptions(),  # noqa: B008 (frozen, so one for all calls is safe)
    tokenize: Tokenizer | None = None,
) -> Corpus:
    """Open files, or take a Python object that gives token lists.

    source is one of
    - a path: a file (plain, gzip, bzip2, xz or zstd), a glob, a folder, or "-" for standard input;
    - a list of such paths;
    - anything that gives lists of words each time it is iterated: [["a", "b"], ["c", "d"]];
    - a `TextMaker`, such as `pairloom.walk` gives.
    `tokenize` turns a line into words, for text whose words are not separated by white space. It gets lines without
    their ends; of a line longer than about a megabyte it gets pieces, cut at white space.
    """
    if tokenize is not None and not callable(tokenize):
        raise ConfigError(f"tokenize={tokenize!r} cannot be called. Give a function that makes words of a line.")
    if isinstance(source, str | os.PathLike):
        return TextCorpus([source], text, tokenize)
    if isinstance(source, list | tuple) and source and all(isinstance(item, str | os.PathLike) for item in source):
        if not any(isinstance(item, os.PathLike) or names_files(item) for item in source):
            raise CorpusTypeError(
                f"A sentence must be a list of words, but corpus[0] is the string {quoted(source[0])}. "
                "Use [s.split() for s in sentences]; if these are file names, no such files exist."
            )
        return TextCorpus(source, text, tokenize)
    if tokenize is not None:
        raise CorpusTypeError(
            f"tokenize= works on the lines of files, but the corpus is a {type(source).__name__}. "
            "Give a path, or token lists and no tokenize=."
        )
    return source.open(text) if isinstance(source, TextMaker) else TokenCorpus(source, text)


class TextCorpus(Corpus):
    """Lines of text files."""

    def __init__(self, sources: Sequence[PathName], text: TextOptions, tokenize: Tokenizer | None) -> None:
        self._files = find_files(sources)
        self._tokenize = tokenize
        self._remove_spooled = weakref.finalize(self, remove_spooled, self._files)
        super().__init__(_name(sources, self._files), text, sum(file.size for file in self._files))

    @property
    def has_blocks(self) -> bool:
        return self._tokenize is None

    def blocks(self) -> Iterator[Block]:
        for text, goes_on, done in self._text_blocks():
            yield Block(np.frombuffer(text.encode(), np.uint8), goes_on, done)

    def pieces(self) -> Iterator[Piece]:
        for text, goes_on, done in self._text_blocks():
            *lines, last = text.split("\n")
            for line in lines:
                yield Piece(*_short_enough(self._words(line)), False, done)
            yield Piece(*_short_enough(self._words(last)), goes_on, done)

    def identity(self) -> str | None:
        """SHA-256 of each file's path, size, time of change and a sample of its bytes."""
        if self._tokenize is not None or any(file.spooled for file in self._files):
            return None
        self.check_unchanged()
        digest = hashlib.sha256()
        for file in self._files:
            fields = (str(file.path.resolve()), *map(str, file.stamp[:2]), file.sample(), "")
            digest.update("\0".join(fields).encode("utf-8", "surrogateescape"))
        return digest.hexdigest()

    def check_unchanged(self) -> None:
        for file in self._files:
            try:
                unchanged = file.is_unchanged()
            except OSError as error:
                raise CorpusChangedError(
                    f"{file.name} went away while it was read ({error.strerror}). Put it back and start again."
                ) from None
            if not unchanged:
                raise CorpusChangedError(
                    f"{file.name} was changed while it was read. Start again when nothing writes to it."
                )

    def close(self) -> None:
        self._remove_spooled()

    def _text_blocks(self) -> Iterator[TextBlock]:
        return (block for _, block in self.file_blocks())

    def file_blocks(self) -> Iterator[tuple[str, TextBlock]]:
        """The blocks of all files with their names, in lower case if wished; `read` counts through all files."""
        self.nul_characters = {}
        done = 0
        try:
            for file in self._files:
                blocks = text_blocks(
                    file, encoding=self.text.encoding, errors=self.text.errors, whole_runs=not self.has_blocks
                )
                for block in blocks:
                    if "\0" in block.text:  # ten times as fast as to count none
                        nuls = self.nul_characters.get(file.name, 0)
                        self.nul_characters[file.name] = nuls + block.text.count("\0")
                    text = block.text.lower() if self.text.lowercase else block.text
                    yield file.name, TextBlock(text, block.goes_on, done + block.read)
                done += file.size
        except InputError:
            self.check_unchanged()  # a file that was overwritten is often no longer text: say what really happened
            raise

    def _words(self, line: str) -> list[str]:
        if self._tokenize is None:
            return line.split()
        return _checked_words(self._tokenize(line), lambda: f"tokenize({quoted(line)})") if line else []


def _name(sources: Sequence[PathName], files: Sequence[SourceFile]) -> str:
    """What messages call the corpus."""
    if len(files) == 1:
        return files[0].name
    if len(sources) == 1:
        return os.fspath(sources[0])
    return f"the corpus ({files[0].name} and {len(files) - 1} more files)"


class TokenCorpus(Corpus):
    """An iterable of token lists. What it raises while it is iterated reaches the caller as it is."""

    def __init__(self, source: object, text: TextOptions) -> None:
        self._source = _restartable(source)
        super().__init__(f"the corpus (a {type(source).__name__})", text, None)
        for _ in self.pieces():  # the first sentence shows what is wrong with most wrong corpora
            break

    def pieces(self) -> Iterator[Piece]:
        done = nuls = 0
        for number, sentence in enumerate(self._source):
            words = _checked_words(sentence, lambda number=number: f"corpus[{number}]")  # type: ignore[misc]
            together = " ".join(words)
            done += len(together) + 1
            nuls += together.count("\0")
            if self.text.lowercase:
                words = [word.lower() for word in words]
            yield Piece(*_short_enough(words), False, done)
        self.size_bytes = done
        self.nul_characters = {self.name: nuls} if nuls else {}


def _restartable(source: Any) -> Iterable[object]:
    """The source, if it can be iterated again and again, in one order."""
    kind = type(source).__name__
    if isinstance(source, bytes | bytearray) or not isinstance(source, Iterable):
        raise CorpusTypeError(
            f"A corpus cannot be of type {kind}. Give a path, a list of paths, or a list of token lists."
        )
    if isinstance(source, set | frozenset):
        raise CorpusTypeError(f"A {kind} has no order, so no result could be repeated. Give a list of token lists.")
    if isinstance(source, io.IOBase):
        raise CorpusTypeError("An open file can be read only once, and a corpus is read twice. Give its path.")
    if iter(source) is iter(source):
        raise CorpusTypeError(
            f"A {kind} can be read only once, and a corpus is read twice. "
            "Give a list, or an object whose __iter__ starts anew each time."
        )
    return source


def _checked_words(sentence: object, where: Callable[[], str]) -> list[str]:
    """The sentence as a list, if it is made of strings that are not empty."""
    if isinstance(sentence, str):
        raise CorpusTypeError(
            f"A sentence must be a list of words, but {where()} is the string {quoted(sentence)}. Use .split() on it."
        )
    if not isinstance(sentence, list | tuple):
        kind = type(sentence).__name__
        raise CorpusTypeError(f"A sentence must be a list of words, but {where()} is a {kind}. Use list() on it.")
    words = list(sentence)
    try:
        " ".join(words).encode()  # one call that no sentence of anything but proper strings survives
    except (TypeError, UnicodeEncodeError):
        raise _bad_word(words, where()) from None
    if "" in words:
        raise _bad_word(words, where())
    return words


def _bad_word(words: list[Any], where: str) -> CorpusTypeError:
    """The error for the first word that is none."""
    number, word = next((n, word) for n, word in enumerate(words) if not is_word(word))
    return no_word(word, f"{where}[{number}]")


def no_word(word: object, at: str) -> CorpusTypeError:
    """The error for what stands where a word should."""
    if isinstance(word, bytes):
        return CorpusTypeError(f"{at} is {quoted(word)}, of type bytes. Words are strings: use word.decode().")
    if not isinstance(word, str):
        return CorpusTypeError(f"{at} is {quoted(word)}, of type {type(word).__name__}. Words are strings: use str().")
    if not word:
        return CorpusTypeError(f"{at} is an empty string. Leave empty words out: [w for w in words if w].")
    return CorpusTypeError(
        f"{at} is {quoted(word)}, which is half of a character. Decode the text with errors='replace'."
    )


def is_word(word: object) -> bool:
    """Whether this is text, and not empty."""
    try:
        return isinstance(word, str) and word.encode() != b""
    except UnicodeEncodeError:
        return False


def _short_enough(words: list[str]) -> tuple[list[str], int]:
    """The words of at most MAX_WORD_BYTES bytes, and the number of the others."""
    if len(max(words, key=len, default="")) <= MAX_WORD_BYTES // 4:  # no character takes more than 4 bytes
        return words, 0
    short = [word for word in words if len(word.encode()) <= MAX_WORD_BYTES]
    return short, len(words) - len(short)
