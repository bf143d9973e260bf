"""Helpers that several tests of the corpus share."""

from collections.abc import Callable
from typing import Any

import pytest

from pairloom.config import TextOptions
from pairloom.corpus.encoding import Encoded
from pairloom.corpus.sentences import open_corpus


def sentences(source: Any, tokenize: Callable[[str], list[str]] | None = None, **options: Any) -> list[list[str]]:
    """All sentences of a corpus."""
    with open_corpus(source, text=TextOptions(**options), tokenize=tokenize) as corpus:
        return list(corpus.sentences())


def message(error: type[Exception], function: Callable[..., object], *args: object, **options: Any) -> str:
    """The message of the error that a call raises, which must be one line."""
    with pytest.raises(error) as caught:
        function(*args, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def as_lists(encoded: Encoded) -> list[list[int]]:
    """The ids of each sentence."""
    return [encoded.ids[a:b].tolist() for a, b in zip(encoded.starts[:-1], encoded.starts[1:], strict=True)]
