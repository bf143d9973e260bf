"""What every corpus can do: its sentences, as words or as blocks for the kernels, more than once."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple, Self, TypeVar

import numpy as np
import numpy.typing as npt

from pairloom.config import TextOptions
from pairloom.corpus.inputs.word_lists import WordBlock, WordLine, blocks_of
from pairloom.corpus.pieces import OddCharacters, TextPiece
from pairloom.system.threads import in_order

Result = TypeVar("Result")


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
        self.odd_characters: Counter[tuple[str, str]] = Counter()  # (file, character), found in the latest reading
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

    def add_odd(self, name: str, odd: OddCharacters) -> None:
        """Note that a file has these characters, besides those found before."""
        self.odd_characters.update({(name, character): n for character, n in odd.items() if n})

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
