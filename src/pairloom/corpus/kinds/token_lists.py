"""An iterable of lists of words as a corpus."""

import io
from collections.abc import Iterable, Iterator
from typing import Any

from pairloom.config import TextOptions
from pairloom.corpus.inputs.word_lists import (
    WORDS_PER_BLOCK,
    WordBlock,
    WordLine,
    checked_sentence,
    quickly_joined,
    short_enough,
    word_block,
)
from pairloom.corpus.kinds.corpus import Corpus
from pairloom.corpus.pieces import NUL
from pairloom.errors import CorpusTypeError
from pairloom.method.tokens.words import fold
from pairloom.system.display import of_type


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
            nuls += sentence_text.count(NUL)
            yield WordLine(*short_enough(as_given(words, self.text)), False, done)
        self.size_bytes = done
        self._note_nuls(nuls)

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
            done, nuls, size = done + len(text) + 1, nuls + text.count(NUL), size + len(words) + 1
            if size >= WORDS_PER_BLOCK:
                yield word_block(lines, texts, done=done)
                lines, texts, size = [], [], 0
        yield word_block(lines, texts, done=done)
        self.size_bytes = done
        self._note_nuls(nuls)

    def _note_nuls(self, nuls: int) -> None:
        self.odd_characters.clear()
        self.add_odd(self.name, {NUL: nuls})


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


def as_given(words: list[str], text: TextOptions) -> list[str]:
    """Given words, in lower case or folded as the options ask. They are not split."""
    if text.lowercase:
        words = [word.lower() for word in words]
    return words if text.rule == "spaces" else list(filter(None, map(fold, words)))
