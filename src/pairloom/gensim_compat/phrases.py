"""gensim's Phrases and FrozenPhrases: words that belong together, found by `pairloom.Phrases`.

>>> phrases = Phrases([["new", "york", "is", "big"], ["in", "new", "york"]] * 5, min_count=1, threshold=0.5)
>>> phrases[["big", "new", "york"]]
['big', 'new_york']
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from pairloom.errors import InputError
from pairloom.gensim_compat import files
from pairloom.gensim_compat.options import warn_once
from pairloom.gensim_compat.sentences import LineSentence
from pairloom.preparing.phrases import Phrases as FoundPhrases
from pairloom.preparing.phrases.joining import segments
from pairloom.preparing.phrases.scores import ENGLISH_CONNECTORS
from pairloom.preparing.phrases.scores import gensim as original_scorer
from pairloom.preparing.phrases.scores import npmi as npmi_scorer
from pairloom.types import PathName

__all__ = ["ENGLISH_CONNECTOR_WORDS", "FrozenPhrases", "Phraser", "Phrases", "npmi_scorer", "original_scorer"]

ENGLISH_CONNECTOR_WORDS = ENGLISH_CONNECTORS
_MAX_VOCAB_SIZE = 40_000_000


class _Joining:
    """What learnt and frozen phrases have in common: applying them."""

    delimiter: str  # may be a space here, which `pairloom.Phrases` keep for between words

    @property
    def found(self) -> FoundPhrases:
        """The `pairloom.Phrases`."""
        raise NotImplementedError

    @property
    def connector_words(self) -> frozenset[str]:
        """Words that a phrase may have inside."""
        return self.found.connectors

    def __getitem__(self, sentence: Any) -> Any:
        """A sentence with its phrases joined; or, for an iterable of sentences, all of them, as it is read."""
        if isinstance(sentence, str):
            raise InputError("A sentence must be a list of words, not a string. Use .split() on it.")
        if isinstance(sentence, list | tuple) and all(isinstance(word, str) for word in sentence):
            return [word for word, _ in self.analyze_sentence(sentence)]
        return JoinedCorpusOf(self, sentence)

    def analyze_sentence(self, sentence: Iterable[str]) -> list[tuple[str, float | None]]:
        """Each word and phrase of a sentence, phrases with their score, words with None."""
        found, (phrases, *_) = self.found, self.found.passes
        pieces = segments(sentence, phrases, found.connectors)
        return [(self.delimiter.join(words), phrases[words] if len(words) > 1 else None) for words in pieces]

    def find_phrases(self, sentences: Iterable[Sequence[str]]) -> dict[str, float]:
        """The phrases that occur in these sentences, with their scores."""
        pieces = (piece for sentence in sentences for piece in self.analyze_sentence(sentence))
        return {phrase: score for phrase, score in pieces if score is not None}

    def save(self, fname_or_handle: PathName, **options: object) -> None:
        """Write the phrases as lines of JSON: see `pairloom.Phrases.save`."""
        if self.delimiter != self.found.delimiter:
            raise InputError(f"A file of phrases cannot have the delimiter {self.delimiter!r}. Use another, such as _.")
        self.found.save(fname_or_handle)

    def export_phrases(self) -> dict[str, float]:
        """All phrases with their scores."""
        (phrases, *_) = self.found.passes
        return {self.delimiter.join(words): score for words, score in phrases.items()}


class JoinedCorpusOf:
    """Sentences with their phrases joined as they are read."""

    def __init__(self, phrases: _Joining, sentences: Iterable[Sequence[str]]) -> None:
        self._phrases, self._sentences = phrases, sentences

    def __iter__(self) -> Iterator[list[str]]:
        return (self._phrases[list(sentence)] for sentence in self._sentences)


class PhraseDetector(_Joining):
    """gensim's Phrases. Counts are exact, so they are taken when first needed, over all sentences given so far.

    scoring: "default", "npmi" or a function, as in gensim. Sentences that can be read only once are kept in memory.
    """

    def __init__(
        self,
        sentences: Iterable[Sequence[str]] | None = None,
        min_count: int = 5,
        threshold: float = 10.0,
        max_vocab_size: int = _MAX_VOCAB_SIZE,
        delimiter: str = "_",
        progress_per: int = 10_000,
        scoring: Any = "default",
        connector_words: Iterable[str] = frozenset(),
    ) -> None:
        if max_vocab_size != _MAX_VOCAB_SIZE:
            warn_once(f"max_vocab_size={max_vocab_size} has no effect: counts are exact in bounded memory.")
        self.min_count, self.threshold, self.delimiter = min_count, threshold, delimiter
        self.scoring, self._connectors = scoring, frozenset(connector_words)
        self._given: list[Iterable[Sequence[str]]] = []
        self._found: tuple[object, FoundPhrases] | None = None
        self._learn([])  # checks the options now
        if sentences is not None:
            self.add_vocab(sentences)

    def add_vocab(self, sentences: Iterable[Sequence[str]]) -> None:
        """Learn from these sentences, too."""
        if isinstance(sentences, str | bytes):
            raise InputError("Sentences must be lists of words, not a string. Use LineSentence for a file.")
        self._given.append(list(sentences) if iter(sentences) is sentences else sentences)

    @property
    def found(self) -> FoundPhrases:
        settings = (len(self._given), self.min_count, self.threshold, self.delimiter, self.scoring)
        if self._found is None or self._found[0] != settings:
            self._found = settings, self._learn(self._given)
        return self._found[1]

    def _learn(self, given: list[Iterable[Sequence[str]]]) -> FoundPhrases:
        delimiter = "_" if self.delimiter.isspace() else self.delimiter
        alone = given[0] if len(given) == 1 else None
        text: Any = alone.paths if isinstance(alone, LineSentence) and alone.paths else _Chained(given)
        some = text if not isinstance(text, _Chained) or text.has_words() else [["a", "b"]]
        found = FoundPhrases.learn(
            some,
            min_count=self.min_count,
            threshold=self.threshold,
            scoring="gensim" if self.scoring == "default" else self.scoring,
            connectors=self._connectors,
            delimiter=delimiter,
        )
        return found if some is text else FoundPhrases(({},), self._connectors, delimiter)

    def freeze(self) -> "FrozenPhrases":
        """The phrases alone, without the sentences that they were learnt from."""
        return FrozenPhrases(self)

    @classmethod
    def load(cls, fname: PathName) -> "FrozenPhrases":
        """Read what `save` wrote. The file has no counts, so these phrases are frozen."""
        return FrozenPhrases.load(fname)

    def __repr__(self) -> str:
        return f"Phrases<{len(self.found)} phrases, min_count={self.min_count}, threshold={self.threshold}>"


class FrozenPhrases(_Joining):
    """Phrases that do not change any more."""

    def __init__(self, phrases_model: _Joining) -> None:
        self._found, self.delimiter = phrases_model.found, phrases_model.delimiter

    @property
    def found(self) -> FoundPhrases:
        return self._found

    @property
    def phrasegrams(self) -> dict[str, float]:
        """All phrases with their scores."""
        return self.export_phrases()

    @classmethod
    def load(cls, fname: PathName) -> "FrozenPhrases":
        """Read what `save` wrote."""
        made = cls.__new__(cls)
        made._found = files.load_phrases(fname)
        made.delimiter = made._found.delimiter
        return made

    def __repr__(self) -> str:
        return f"FrozenPhrases<{len(self._found)} phrases>"


class _Chained:
    """Several lots of sentences, one after the other, as lists of words."""

    def __init__(self, parts: list[Iterable[Sequence[str]]]) -> None:
        self._parts = list(parts)

    def __iter__(self) -> Iterator[list[str]]:
        return (list(sentence) for sentence in chain.from_iterable(self._parts))

    def has_words(self) -> bool:
        return any(self)


Phrases = PhraseDetector  # `pairloom.Phrases` is another class
Phraser = FrozenPhrases
