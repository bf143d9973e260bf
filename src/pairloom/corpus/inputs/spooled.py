"""Copy sentences that can be read only once, for example those of a generator, to a temporary file.

>>> sentences = spool(line.split() for line in ("the cat sat", "the dog ran"))
>>> list(sentences) == list(sentences) == [["the", "cat", "sat"], ["the", "dog", "ran"]]
True
"""

import json
import os
import tempfile
import weakref
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Self

from pairloom.config import TextOptions
from pairloom.corpus.inputs.word_lists import checked_sentence
from pairloom.corpus.kinds.corpus import Corpus, GeneratedText
from pairloom.corpus.kinds.token_lists import TokenCorpus
from pairloom.errors import CorpusTypeError
from pairloom.system.display import of_type
from pairloom.system.files import output_errors


class SpooledSentences(GeneratedText):
    """Sentences in a temporary file, which is deleted at the end of a `with`, or when this object is no longer used."""

    def __init__(self, source: Iterable[list[str]]) -> None:
        folder = tempfile.gettempdir()
        with output_errors(folder):
            descriptor, path = tempfile.mkstemp(prefix="pairloom-", suffix=".spool", dir=folder)
        self._path = Path(path)
        self._remove = weakref.finalize(self, self._path.unlink, missing_ok=True)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            for number, sentence in enumerate(source):  # errors of the source reach the caller as they are
                words = checked_sentence(sentence, lambda number=number: f"corpus[{number}]")  # type: ignore[misc]
                with output_errors(folder):
                    file.write(json.dumps(words, ensure_ascii=False) + "\n")  # words may have spaces

    def __iter__(self) -> Iterator[list[str]]:
        with self._path.open(encoding="utf-8", newline="\n") as file:
            yield from map(json.loads, file)

    def open(self, text: TextOptions) -> Corpus:
        return TokenCorpus(self, text)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._remove()


def spool(source: Iterable[list[str]]) -> SpooledSentences:
    """Read token lists once, and return them as a corpus that can be read again.

    They are copied to a temporary file, so they take disk space instead of memory.
    """
    if isinstance(source, str | bytes | os.PathLike | GeneratedText) or not isinstance(source, Iterable):
        raise CorpusTypeError(
            f"Only token lists are spooled, and this is {of_type(source)}. Give it to train as it is: files are read "
            "again."
        )
    if isinstance(source, set | frozenset):
        raise CorpusTypeError(f"{of_type(source, 'A')} has no fixed order. Spool a list or a generator.")
    return SpooledSentences(source)
