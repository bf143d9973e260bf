"""Text from files or from Python, as sentences that can be read more than once.

A corpus is read twice: to count its words and to encode them. So files are opened again, streams and remote files are
copied to temporary files, and a Python iterable must be able to start over.

The rules of text:
- A line is a sentence. Lines end at CR, LF, CRLF or the end of a file, and nowhere else.
- Words are the items of `line.split()`, or what another rule of `pairloom.method.tokens` finds.
- A byte order mark at the start of a file is dropped.
- Words longer than MAX_WORD_BYTES bytes are left out, with a warning.
- A NUL is a character like any other, but causes a warning.
- Files in JSON, CSV, CoNLL-U, XML or HTML are refused, unless `as_text` or a tokenizer is given.

>>> list(open_corpus([["the", "cat"], ["sat"]]).sentences())
[['the', 'cat'], ['sat']]
"""

import hashlib
import io
import os
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Self, TypeVar
from warnings import warn

import numpy as np
import numpy.typing as npt

from pairloom.config import TextOptions, Tokenizer
from pairloom.corpus.decoding import ByteBlock, TextBlock
from pairloom.corpus.finding import SourceFile, find_files, names_files, remove_spooled
from pairloom.corpus.inputs.frames import frame_columns, is_frame
from pairloom.corpus.inputs.row_batch import listed
from pairloom.corpus.inputs.row_source import RowSource
from pairloom.corpus.inputs.sentences_of import Sessions, lists_of, text_blocks_of
from pairloom.corpus.inputs.word_lists import (
    WORDS_PER_BLOCK,
    WordBlock,
    WordLine,
    blocks_of,
    checked_sentence,
    quickly_joined,
    short_enough,
    word_block,
)
from pairloom.corpus.pieces import TextPiece, pieces_for_workers, whole_files
from pairloom.corpus.plain_text import ADVICE
from pairloom.corpus.separating import separator
from pairloom.errors import CorpusChangedError, CorpusTypeError, CorpusWarning, InputError
from pairloom.method.tokens.unsegmented import unspaced
from pairloom.method.tokens.words import fold
from pairloom.system.addresses import shown
from pairloom.system.display import number_of, of_type, quoted
from pairloom.system.processes import Processes
from pairloom.system.threads import in_order
from pairloom.types import CorpusLike, PathName

Result = TypeVar("Result")
Block = TypeVar("Block", TextBlock, ByteBlock)
FEWEST_BYTES_FOR_PROCESSES = 8 << 20  # of files: less is tokenized sooner than processes start


class Utf8Block(NamedTuple):
    """Some lines as UTF-8, for the kernels. Only the last one may go on in the next block."""

    data: npt.NDArray[np.uint8]
    goes_on: bool
    done: int  # bytes of the corpus read so far


class Corpus(ABC):
    """Sentences that can be read more than once. Closing it, for example by a `with`, removes spooled streams."""

    def __init__(self, name: str, text: TextOptions, size_bytes: int | None) -> None:
        self.name = name  # for messages
        self.text = text
        self.size_bytes = size_bytes  # as stored, that is, compressed; None if not known until it has been read
        self.nul_characters: dict[str, int] = {}  # by file, found in the latest reading
        self.empty_rows = 0  # rows of a table that had no value in the latest reading, and were skipped

    @property
    def has_blocks(self) -> bool:
        """Whether `blocks` is available, so that kernels can read the text as bytes."""
        return False

    @abstractmethod
    def word_lines(self) -> Iterator[WordLine]:
        """All lines in order, as words."""

    def blocks(self) -> Iterator[Utf8Block]:
        """All lines in order, many at a time, as UTF-8."""
        raise NotImplementedError(f"{type(self).__name__} has word_lines, but no blocks")

    def map_blocks(self, function: Callable[[Utf8Block], Result], threads: int) -> Iterator[Result]:
        """map(function, self.blocks()) on `threads` threads, which also find the words."""
        return in_order(function, self.blocks(), threads)

    def map_word_blocks(self, function: Callable[[WordBlock], Result], threads: int) -> Iterator[Result]:
        """`map_blocks` for a corpus without blocks, whose words Python finds."""
        return in_order(function, self.word_blocks(), threads)

    def word_blocks(self) -> Iterator[WordBlock]:
        """All lines in order, many at a time, as words."""
        return blocks_of(self.word_lines())

    def pieces(self) -> list[TextPiece]:
        """Files, or pieces of them, that other machines could read. Empty if only this machine can read the corpus."""
        return []

    def sentences(self) -> Iterator[list[str]]:
        """The lines that have words, cut into lists of at most `max_sentence` words."""
        return filter(None, self.lines())

    def lines(self) -> Iterator[list[str]]:
        """`sentences`, and an empty list for each line without words."""
        longest = self.text.max_sentence
        words: list[str] = []
        begun = False  # whether some words of this line were already yielded
        for line in self.word_lines():
            words += line.words
            whole = len(words) - len(words) % longest if line.goes_on else len(words)
            for start in range(0, whole, longest):
                yield words[start : min(start + longest, whole)]
            if not (whole or begun or line.goes_on):
                yield []
            words, begun = words[whole:], line.goes_on and (begun or whole > 0)

    def check_beginning(self) -> None:  # noqa: B027 (most kinds have nothing to check)
        """Raise an InputError if the first lines of a file cannot be read, before anything takes long."""

    def identity(self) -> str | None:
        """A digest that changes when the corpus does. None if that would mean reading all of it."""
        return None

    def add_nuls(self, name: str, nuls: int) -> None:
        """Note that a file has these NULs, besides those found before."""
        if nuls:
            self.nul_characters[name] = self.nul_characters.get(name, 0) + nuls

    def check_unchanged(self) -> None:  # noqa: B027 (a corpus without files has nothing to check)
        """Raise CorpusChangedError if a file was written to since the corpus was opened."""

    def close(self) -> None:  # noqa: B027 (or to remove)
        """Remove spooled streams."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class GeneratedText(ABC):
    """Sentences that are computed while they are read, for example walks over a graph. The same in every reading."""

    @abstractmethod
    def __iter__(self) -> Iterator[list[str]]:
        """The sentences."""

    @abstractmethod
    def open(self, text: TextOptions) -> Corpus:
        """The sentences as a corpus, which may read them faster than __iter__ does."""


def open_corpus(
    source: CorpusLike,
    *,
    text: TextOptions = TextOptions(),  # noqa: B008 (frozen, so one for all calls is safe)
    tokenize: Tokenizer | None = None,
) -> Corpus:
    """Open text files, or Python objects that hold token lists, as a corpus.

    source is one of
    - a path: a file (plain, gzip, bzip2, xz or zstd), a glob, a folder, or "-" for standard input
    - an address of a file, or of a glob or folder on an object store: s3://, gs://, https://
    - a list of such paths and addresses
    - an iterable of lists of words that can be read more than once: [["a", "b"], ["c", "d"]]
    - a `GeneratedText`, for example the result of `pairloom.walk`
    - with text.column, or text.session and text.item: files of JSON Lines, CSV, Parquet or Arrow, or a data frame
    tokenize: instead of text.tokenize, a function from a line, without its line end, to a list of words. A line longer
    than about a megabyte is cut at white space before it is tokenized.
    """
    text = text if tokenize is None else replace(text, tokenize=tokenize)
    if text.columns:
        return _open_columns(source, text)
    if isinstance(source, str | os.PathLike):
        return TextCorpus([source], text)
    if isinstance(source, list | tuple) and source and all(isinstance(item, str | os.PathLike) for item in source):
        if not any(isinstance(item, os.PathLike) or names_files(item) for item in source):
            raise CorpusTypeError(
                f"A sentence must be a list of words, but corpus[0] is the string {quoted(source[0])}. "
                "Use [s.split() for s in sentences]; if these are file names, no such files exist."
            )
        return TextCorpus(source, text)
    if text.tokenizer is not None:
        raise CorpusTypeError(
            f"tokenize= works on the lines of files, but the corpus is {of_type(source)}. "
            "Give a path, or token lists and no tokenize=."
        )
    if isinstance(source, GeneratedText):
        return source.open(text)
    if is_frame(source):
        has = f" It has {listed(names)}." if (names := frame_columns(source)) else ""
        raise CorpusTypeError(f"{of_type(source, 'A')} is a table. Name its column of text, column='...'.{has}")
    return TokenCorpus(source, text)


def _open_columns(source: CorpusLike, text: TextOptions) -> Corpus:
    """The columns of a table: texts, lists of words, or sessions."""
    table = RowSource(source, text)
    lists = text.session is not None or table.holds_lists()
    if lists and text.tokenizer is not None:
        raise CorpusTypeError("tokenize= works on texts, but these rows hold words already. Leave it out.")
    return WordColumn(source, table) if lists else TextColumn(source, table)


class FileCorpus(Corpus):
    """What all corpora of files have in common."""

    def __init__(self, sources: Sequence[PathName], files: list[SourceFile], text: TextOptions) -> None:
        self._files = self.files = files
        self._remove_spooled = weakref.finalize(self, remove_spooled, files)
        super().__init__(_name(sources, files), text, sum(file.size for file in files) if files else None)

    def identity(self) -> str | None:
        """SHA-256 of the identities of all files."""
        if not self._files or self.text.tokenizer is not None:
            return None
        self.check_unchanged()
        digest = hashlib.sha256()
        for file in self._files:
            if (fields := file.identity) is None:
                return None
            digest.update("\0".join([*fields, ""]).encode("utf-8", "surrogateescape"))
        return digest.hexdigest()

    def check_unchanged(self) -> None:
        for file in self._files:
            try:
                unchanged = file.is_unchanged()
            except OSError as error:
                raise CorpusChangedError(
                    f"{file.name} disappeared while it was read ({error.strerror}). Put it back and start again."
                ) from None
            if not unchanged:
                raise CorpusChangedError(
                    f"{file.name} was changed while it was read. Start again when nothing writes to it."
                )

    def close(self) -> None:
        self._remove_spooled()


class TextCorpus(FileCorpus):
    """The lines of text files."""

    def __init__(self, sources: Sequence[PathName], text: TextOptions, files: list[SourceFile] | None = None) -> None:
        self._tokenize, self._separate = text.tokenizer, separator(text)
        super().__init__(sources, find_files(sources) if files is None else files, text)

    @property
    def has_blocks(self) -> bool:
        return self._tokenize is None

    def blocks(self) -> Iterator[Utf8Block]:
        return map(self._separated, self._utf8_blocks())

    def map_blocks(self, function: Callable[[Utf8Block], Result], threads: int) -> Iterator[Result]:
        return in_order(lambda block: function(self._separated(block)), self._utf8_blocks(), threads)

    def _utf8_blocks(self) -> Iterator[Utf8Block]:
        """The text as it is in the files."""
        for _, (data, goes_on, done) in self._byte_blocks():
            yield Utf8Block(np.frombuffer(data, np.uint8), goes_on, done)

    def _separated(self, block: Utf8Block) -> Utf8Block:
        return block._replace(data=self._separate(block.data))

    def pieces(self) -> list[TextPiece]:
        if self._tokenize is not None or any(file.spooled for file in self._files):
            return []
        try:
            return pieces_for_workers(self._files, self.text)
        except OSError:  # this machine will report it when it reads the file
            return []

    def check_beginning(self) -> None:
        block = next(self._text_blocks(), None)
        found = unspaced(block.text) if block else None
        if found and self.text.rule == "spaces" and found.is_doubtful:
            warn(
                f"{self.name} has little white space between words of a language that writes none, so many words would "
                f"be whole sentences. To find words, use {ADVICE}.",
                CorpusWarning,
                stacklevel=2,
            )
        if found and self.text.rule == "words" and found.has_some:
            warn(
                f"{self.name} is partly in a language without spaces, where tokenize=words takes each character for a "
                "word. tokenize=icu (--tokenize icu) finds longer words.",
                CorpusWarning,
                stacklevel=2,
            )

    def word_lines(self) -> Iterator[WordLine]:
        for block in self._spaced_blocks():
            yield from _lines_of(block, self._tokenize)

    def map_word_blocks(self, function: Callable[[WordBlock], Result], threads: int) -> Iterator[Result]:
        """Several processes call the user's tokenizer, if it can be sent to them and the files are large."""
        if self._tokenize is None or threads == 1 or (self.size_bytes or 0) < FEWEST_BYTES_FOR_PROCESSES:
            yield from super().map_word_blocks(function, threads)
            return
        with Processes(BlockTokenizer(self._tokenize), threads) as processes:
            blocks = self._spaced_blocks()
            yield from in_order(lambda block: function(processes.call(block)), blocks, threads, processes.stop)

    def _spaced_blocks(self) -> Iterator[TextBlock]:
        """Blocks of text for `_words`."""
        if self.text.rule in ("spaces", "function"):
            return self._text_blocks()
        return (TextBlock(data.tobytes().decode(), goes_on, done) for data, goes_on, done in self.blocks())

    @property
    def _plain(self) -> bool:
        """Whether to refuse files that are in another format than plain text."""
        return self._tokenize is None and not self.text.as_text

    def _text_blocks(self) -> Iterator[TextBlock]:
        return (block for _, block in self.file_blocks(self._plain))

    def file_blocks(self, plain: bool = False) -> Iterator[tuple[str, TextBlock]]:
        """The blocks of all files, each with the name of its file. `read` counts the bytes of all files so far.

        plain: refuse files that are in another format than plain text.
        """
        return self._read(lambda piece: piece.blocks(plain, keep_unspaced=self.text.rule != "spaces"))

    def _byte_blocks(self) -> Iterator[tuple[str, ByteBlock]]:
        """`file_blocks` as UTF-8."""
        return self._read(lambda piece: piece.utf8_blocks(self._plain, keep_unspaced=self.text.rule != "spaces"))

    def _read(self, blocks_of: Callable[[TextPiece], Iterator[tuple[Block, int]]]) -> Iterator[tuple[str, Block]]:
        self.nul_characters = {}
        try:
            for piece in whole_files(self._files, self.text):
                for block, nuls in blocks_of(piece):
                    self.add_nuls(piece.file.name, nuls)
                    yield piece.file.name, block
        except InputError:
            self.check_unchanged()  # if a file was overwritten, report that instead of the bad text that resulted
            raise


class BlockTokenizer:
    """A user's tokenizer for blocks of text, which other processes can call."""

    def __init__(self, tokenize: Tokenizer) -> None:
        self._tokenize = tokenize

    def __call__(self, block: TextBlock) -> WordBlock:
        lines = list(_lines_of(block, self._tokenize))
        words = [line.words for line in lines]
        goes_on = bool(lines) and lines[-1].goes_on
        return word_block(words, map(" ".join, words), goes_on, block.read, sum(line.too_long for line in lines))


def _lines_of(block: TextBlock, tokenize: Tokenizer | None) -> Iterator[WordLine]:
    text, goes_on, done = block
    *lines, last = text.split("\n")
    for line in lines:
        yield WordLine(*short_enough(_words(line, tokenize)), False, done)
    if last or not lines:  # a block that ends with a line has nothing after it
        yield WordLine(*short_enough(_words(last, tokenize)), goes_on, done)


def _words(line: str, tokenize: Tokenizer | None) -> list[str]:
    if tokenize is None:
        return line.split()
    return checked_sentence(tokenize(line), lambda: f"tokenize({quoted(line)})") if line else []


class TextColumn(TextCorpus):
    """The texts of a column. Only this machine reads them."""

    def __init__(self, source: CorpusLike, table: RowSource) -> None:
        self._table = table
        super().__init__(_sources(source), table.text, table.files)

    def pieces(self) -> list[TextPiece]:
        return []

    def _byte_blocks(self) -> Iterator[tuple[str, ByteBlock]]:
        blocks = self.file_blocks(self._plain)
        return ((name, ByteBlock(text.encode(), goes_on, read)) for name, (text, goes_on, read) in blocks)

    def file_blocks(self, plain: bool = False) -> Iterator[tuple[str, TextBlock]]:
        self.nul_characters = {}
        try:
            for name, block in text_blocks_of(self._table):
                self.add_nuls(name, block.text.count("\0"))
                yield name, block._replace(text=block.text.lower()) if self.text.lowercase else block
        except InputError:
            self.check_unchanged()
            raise
        self.empty_rows = self._table.nulls


class WordColumn(FileCorpus):
    """Lists of words in a column, or the items of sessions."""

    def __init__(self, source: CorpusLike, table: RowSource) -> None:
        self._table = table
        self._sessions = Sessions(table) if table.text.session is not None else None
        super().__init__(_sources(source), table.files, table.text)

    def word_lines(self) -> Iterator[WordLine]:
        self.nul_characters, nuls = {}, 0
        for words, done in self._lists():
            nuls += sum(word.count("\0") for word in words)
            yield WordLine(*short_enough(_as_given(words, self.text)), False, done)
        self.add_nuls(self.name, nuls)
        self.empty_rows = self._table.nulls

    def _lists(self) -> Iterator[tuple[list[str], int]]:
        if self._sessions is None:
            return lists_of(self._table)
        return ((items, self.size_bytes or 0) for items in self._sessions)


def _sources(source: CorpusLike) -> Sequence[PathName]:
    """Where a table is, for its name: paths, or what type it has."""
    if isinstance(source, str | os.PathLike):
        return [source]
    return source if isinstance(source, list | tuple) else [f"the corpus ({of_type(source)})"]


def _as_given(words: list[str], text: TextOptions) -> list[str]:
    """Given words, in lower case or folded as the options ask. They are not split."""
    if text.lowercase:
        words = [word.lower() for word in words]
    return words if text.rule == "spaces" else list(filter(None, map(fold, words)))


def _name(sources: Sequence[PathName], files: Sequence[SourceFile]) -> str:
    """The name of the corpus in messages."""
    if len(files) == 1:
        return files[0].name
    if len(sources) == 1:
        return shown(sources[0])
    return f"the corpus ({files[0].name} and {number_of(len(files) - 1, 'more file')})"


class TokenCorpus(Corpus):
    """An iterable of token lists. Exceptions that it raises reach the caller unchanged."""

    def __init__(self, source: object, text: TextOptions) -> None:
        self._source = _restartable(source)
        super().__init__(f"the corpus ({of_type(source)})", text, None)
        for _ in self.word_lines():  # report a wrong type at once: the first sentence usually shows it
            break

    def word_lines(self) -> Iterator[WordLine]:
        done = nuls = 0
        for number, sentence in enumerate(self._source):
            words = checked_sentence(sentence, lambda number=number: f"corpus[{number}]")  # type: ignore[misc]
            sentence_text = " ".join(words)
            done += len(sentence_text) + 1
            nuls += sentence_text.count("\0")
            yield WordLine(*short_enough(_as_given(words, self.text)), False, done)
        self.size_bytes = done
        self.nul_characters = {self.name: nuls} if nuls else {}

    def word_blocks(self) -> Iterator[WordBlock]:
        """`blocks_of(self.word_lines())`, with far fewer steps of Python for each word."""
        if self.text.lowercase or self.text.rule != "spaces":
            yield from super().word_blocks()
            return
        lines: list[list[str]] = []
        texts: list[str] = []
        done = nuls = size = 0
        for number, sentence in enumerate(self._source):
            joined = quickly_joined(sentence)
            if joined is None:
                words = checked_sentence(sentence, lambda number=number: f"corpus[{number}]")  # type: ignore[misc]
                text = " ".join(words)
            else:
                words, text = joined
            lines.append(words)
            texts.append(text)
            done, nuls, size = done + len(text) + 1, nuls + text.count("\0"), size + len(words) + 1
            if size >= WORDS_PER_BLOCK:
                yield word_block(lines, texts, done=done)
                lines, texts, size = [], [], 0
        yield word_block(lines, texts, done=done)
        self.size_bytes = done
        self.nul_characters = {self.name: nuls} if nuls else {}


def _restartable(source: Any) -> Iterable[object]:
    """Returns the source if it can be read more than once, always in the same order, or else raises."""
    kind = type(source).__name__
    if isinstance(source, bytes | bytearray) or not isinstance(source, Iterable):
        raise CorpusTypeError(
            f"A corpus cannot be of type {kind}. Give a path, a list of paths, or a list of token lists."
        )
    if isinstance(source, set | frozenset):
        raise CorpusTypeError(
            f"{of_type(source, 'A')} has no fixed order, so results would differ from run to run. Give a list of "
            f"token lists."
        )
    if isinstance(source, io.IOBase):
        raise CorpusTypeError("An open file can be read only once, and a corpus is read twice. Give its path.")
    if iter(source) is iter(source):
        raise CorpusTypeError(
            f"{of_type(source, 'A')} can be read only once, and a corpus is read twice. "
            "Give a list, or an object whose __iter__ starts over each time; or copy it to a temporary file: "
            "pairloom.spool(...), or train(..., spool=True)."
        )
    return source
