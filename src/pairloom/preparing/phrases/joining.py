"""Joins phrases in text: the rule for lists of words, and the same for blocks of bytes.

The rule is greedy, from left to right. A word and the next word that is not a connector are joined, with the connectors
between them, if they are a phrase. A joined phrase is not joined again in the same pass. A second pass sees the phrases
of the first as words.

>>> join("the bank of new york".split(), {("new", "york"): 9.0}, frozenset({"of"}), "_")
['the', 'bank', 'of', 'new_york']
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pairloom.config import MAX_WORD_BYTES
from pairloom.corpus.inputs.word_lists import WordLine
from pairloom.corpus.kinds.corpus import Corpus, Utf8Block
from pairloom.system.threads import in_order

if TYPE_CHECKING:
    from pairloom.kernel.text.join import Joiner

Words = tuple[str, ...]  # of a phrase: a word, any number of connectors, a word
Pass = Mapping[Words, float]  # the phrases that one pass over the text joins, and their scores

_WORD = re.compile(r"\S+")  # as str.split() separates them
_TAIL = 1 << 12  # characters at the end of a block; nearly always enough to find a place to cut


def join(sentence: Iterable[str], phrases: Collection[Words], connectors: Collection[str], delimiter: str) -> list[str]:
    """Join the phrases of one pass in a sentence."""
    return [delimiter.join(words) for words in segments(sentence, phrases, connectors)]


def segments(sentence: Iterable[str], phrases: Collection[Words], connectors: Collection[str]) -> list[Words]:
    """The sentence in pieces, each a phrase of one pass or a single word."""
    found: list[Words] = []
    open_words: Words = ()  # a word that may begin a phrase, and the connectors since
    for word in sentence:
        longer = (*open_words, word)
        if word in connectors and open_words:
            open_words = longer
        elif word in connectors:
            found.append((word,))
        elif open_words and longer in phrases:
            found.append(longer)
            open_words = ()
        else:
            found += zip(open_words)
            open_words = (word,)
    return found + list(zip(open_words))


def is_phrase(words: object, connectors: frozenset[str]) -> bool:
    """Whether these can be the words of a phrase: a word, any number of connectors, a word."""
    if not isinstance(words, tuple) or len(words) < 2 or not all(map(_is_word, words)):
        return False
    return connectors.isdisjoint((words[0], words[-1])) and connectors.issuperset(words[1:-1])


def _is_word(word: object) -> bool:
    """Whether a file can hold this word: not if it has half of a surrogate pair."""
    return isinstance(word, str) and word != "" and not any("\ud800" <= letter <= "\udfff" for letter in word)


class JoinedCorpus(Corpus):
    """A corpus whose phrases are joined as it is read. If it has blocks of text, all threads join."""

    def __init__(
        self, corpus: Corpus, passes: Sequence[Pass], connectors: frozenset[str], delimiter: str, threads: int
    ) -> None:
        super().__init__(corpus.name, corpus.text, corpus.size_bytes)
        self._corpus, self._passes, self._threads = corpus, passes, threads
        self._connectors, self._delimiter = connectors, delimiter
        self._inner = inner_words(passes, delimiter)

    @property
    def has_blocks(self) -> bool:
        return self._corpus.has_blocks

    def blocks(self) -> Iterator[Utf8Block]:
        return in_order(self._join_block(), cut_between_phrases(self._corpus.blocks(), self._inner), self._threads)

    def word_lines(self) -> Iterator[WordLine]:
        held: list[str] = []
        for piece in self._corpus.word_lines():
            words = held + piece.words
            last = max((i for i, word in enumerate(words) if word not in self._inner), default=0)
            cut = last if piece.goes_on else len(words)
            yield WordLine(self._joined_words(words[:cut]), 0, piece.goes_on, piece.done)
            held = words[cut:]

    def check_unchanged(self) -> None:
        self._corpus.check_unchanged()

    def _joined_words(self, words: list[str]) -> list[str]:
        for phrases in self._passes:
            words = join(words, phrases, self._connectors, self._delimiter)
        return words

    def _join_block(self) -> Callable[[Utf8Block], Utf8Block]:
        """A function that joins the phrases of a block."""
        from pairloom.kernel.text.join import join

        joiners = [joiner_of(phrases, self._delimiter) for phrases in self._passes]

        def join_block(block: Utf8Block) -> Utf8Block:
            data = block.data
            for joiner in joiners:
                data = join(joiner, data, block.goes_on)
            return block._replace(data=data)

        return join_block


def joiner_of(phrases: Iterable[Words], delimiter: str) -> "Joiner":
    """The phrases of one pass as tables for the kernel."""
    from pairloom.kernel.text.join import Joiner
    from pairloom.kernel.text.phrases import slots_of
    from pairloom.kernel.text.words import table_of

    phrases = list(phrases)
    index = {word: i for i, word in enumerate(dict.fromkeys(word for phrase in phrases for word in phrase))}
    is_connector = np.zeros(len(index), np.bool_)
    gaps: dict[tuple[int, ...], int] = {(): 0}
    keys, tags = [], []
    for phrase in phrases:
        first, *between, last = (index[word] for word in phrase)
        is_connector[between] = True
        for n in range(len(between)):
            gaps.setdefault(tuple(between[: n + 1]), len(gaps))
        keys.append(first << 32 | last)
        tags.append(gaps[tuple(between)])
    longer = [(gaps[gap[:-1]] << 32 | gap[-1], number) for gap, number in gaps.items() if gap]
    return Joiner(
        words=table_of([word.encode() for word in index]),
        is_connector=is_connector,
        gaps=slots_of([key for key, _ in longer], [0] * len(longer), [number for _, number in longer]),
        pairs=slots_of(keys, tags, [1] * len(keys)),
        delimiter=np.frombuffer(delimiter.encode(), np.uint8),
    )


# --- Cutting long lines

# A line that is too long for one block is cut, and its blocks are joined separately. So the cut must not be inside a
# phrase, nor near one, since which words are joined depends on the words before. It is safe before a word that
# continues no phrase of any pass, and nearly all words are of this kind.


def inner_words(passes: Sequence[Pass], delimiter: str) -> set[str]:
    """The words of a text that can continue a phrase of any pass, or that begin a joined phrase which can.

    >>> sorted(inner_words([{("new", "york"): 1.0}, {("in", "new_york"): 1.0}], "_"))
    ['new', 'new_york', 'york']
    """
    beginnings: dict[str, set[str]] = {}  # of each word that an earlier pass has joined: its possible first words
    inner: set[str] = set()
    for phrases in passes:
        for _, *others in phrases:
            for word in others:
                inner |= {word} | beginnings.get(word, set())
        made: dict[str, set[str]] = {}
        for phrase in phrases:
            first = {phrase[0]} | beginnings.get(phrase[0], set())
            made.setdefault(delimiter.join(phrase), set()).update(first)
        for word, first in made.items():
            beginnings.setdefault(word, set()).update(first)
    return inner


def cut_between_phrases(blocks: Iterable[Utf8Block], inner: Collection[str]) -> Iterator[Utf8Block]:
    """The same text, with cuts inside a line moved back to a word that continues no phrase."""
    held: list[bytes] = []
    for block in blocks:
        data = block.data.tobytes() if held or block.goes_on else b""
        cut = _last_cut(data, inner) if block.goes_on else len(data)
        if block.goes_on and cut == 0:
            held.append(data)
            continue
        whole = np.frombuffer(b"".join([*held, data[:cut]]), np.uint8) if held or block.goes_on else block.data
        held = [data[cut:]] if block.goes_on else []
        yield block._replace(data=whole)


def _last_cut(data: bytes, inner: Collection[str]) -> int:
    """The beginning of the last word that continues no phrase, or 0 if there is none after the first word."""
    text = data.decode()
    for tail in (text[-_TAIL:], text):
        for match in reversed(list(_WORD.finditer(tail))[1:]):  # the first may be only the end of a word
            if match[0] not in inner and len(match[0]) <= MAX_WORD_BYTES // 4:
                return len(data) - len(tail[match.start() :].encode())
    return 0
