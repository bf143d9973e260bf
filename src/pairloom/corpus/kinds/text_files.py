"""The lines of text files as a corpus."""

import hashlib
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar
from warnings import warn

import numpy as np

from pairloom.config import TextOptions, Tokenizer
from pairloom.corpus.decoding import ByteBlock, TextBlock
from pairloom.corpus.finding import SourceFile, find_files, remove_spooled
from pairloom.corpus.inputs.word_lists import WordBlock, WordLine, checked_sentence, short_enough, word_block
from pairloom.corpus.kinds.corpus import Corpus, Result, Utf8Block
from pairloom.corpus.pieces import OddCharacters, TextPiece, pieces_for_workers, whole_files
from pairloom.corpus.plain_text import ADVICE
from pairloom.corpus.separating import separator
from pairloom.errors import CorpusChangedError, CorpusWarning, InputError
from pairloom.method.tokens.unsegmented import unspaced
from pairloom.system.addresses import shown
from pairloom.system.display import number_of, quoted
from pairloom.system.processes import Processes
from pairloom.system.threads import in_order
from pairloom.types import PathName

Block = TypeVar("Block", TextBlock, ByteBlock)
FEWEST_BYTES_FOR_PROCESSES = 8 << 20  # of files: less is tokenized sooner than processes start


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


def _name(sources: Sequence[PathName], files: Sequence[SourceFile]) -> str:
    """The name of the corpus in messages."""
    if len(files) == 1:
        return files[0].name
    if len(sources) == 1:
        return shown(sources[0])
    return f"the corpus ({files[0].name} and {number_of(len(files) - 1, 'more file')})"


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

    def _read(
        self, blocks_of: Callable[[TextPiece], Iterator[tuple[Block, OddCharacters]]]
    ) -> Iterator[tuple[str, Block]]:
        self.odd_characters.clear()
        try:
            for piece in whole_files(self._files, self.text):
                for block, odd in blocks_of(piece):
                    self.add_odd(piece.file.name, odd)
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
