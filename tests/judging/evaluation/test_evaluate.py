"""`evaluate`: its options, and what it scores."""

import re

import pytest

import pairloom
from pairloom import Embedding
from pairloom.errors import ConfigError
from pairloom.judging.evaluation import (
    evaluate,
)
from tests.judging.evaluation.planted import planted, questions_of, write


def lines(questions):
    return "".join(" ".join(question) + "\n" for question in questions)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"case": "lower"}, "case='lower' is not a choice. Use fold or keep."),
        ({"unknown": "keep"}, "unknown='keep' is not a choice. Use skip, wrong or spell."),
        ({"restrict_vocab": -1}, "restrict_vocab=-1 is out of range. Use 0 to 4611686018427387904; 0 uses all words."),
        ({"restrict_vocab": 1.5}, "restrict_vocab=1.5 is not a whole number"),
        ({"method": "both"}, "method='both' is not a choice. Use add or mul."),
        ({"threads": 0}, "threads=0 is out of range"),
    ],
)
def test_an_option_out_of_range_is_refused(vectors, tmp_path, options, message):
    with pytest.raises(ConfigError, match=f"^{re.escape(message)}"):
        evaluate(vectors, write(tmp_path, ": s\nx0 y0 x1 y1\n"), **options)


def test_an_embedding_is_scored_by_its_words(vectors, tmp_path):
    path = write(tmp_path, lines(questions_of()))
    embedding = Embedding(words=vectors, contexts=planted(seed=9))
    assert pairloom.evaluate(embedding, path) == evaluate(vectors, path) != evaluate(embedding.contexts, path)
