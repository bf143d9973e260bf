"""The URLs of the explorer: for each its parameters, the function that answers, and the form of the answer.

This table is all there is: the application makes its routes from it, and `openapi.py` its description.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from pairloom.explorer import answers
from pairloom.explorer.answers import Explorer
from pairloom.explorer.models import MOST_CLASSES
from pairloom.explorer.parameters import Asked, Parameter
from pairloom.vectors.path import MOST_STEPS

MOST_MODELS = 1000  # a bound for numbers of models; there are as many as were named
MOST_NEAR = 1000
WORDS_AT_ONCE = 50_000

Schema = dict[str, Any]


class Url(NamedTuple):
    """A question that can be asked."""

    path: str
    answer: Callable[[Explorer, Asked], Any]
    summary: str
    parameters: tuple[Parameter, ...] = ()
    schema: Schema | None = None  # of the JSON; None if the answer is binary
    layout: str = ""  # of a binary answer
    quick: bool = False  # answered in less time than another thread takes to begin


def _fields(**of: Schema) -> Schema:
    return {"type": "object", "properties": of, "required": list(of), "additionalProperties": False}


def _list(of: Schema) -> Schema:
    return {"type": "array", "items": of}


TEXT, WHOLE, NUMBER = {"type": "string"}, {"type": "integer"}, {"type": "number"}
ROW = {"type": ["integer", "null"], "description": "null if the word has a vector but no row"}
NONE = {"type": "null"}
NUMBER_OR_NONE = {"type": ["number", "null"]}
PAIR_OF_NUMBERS = {"type": "array", "items": NUMBER, "minItems": 2, "maxItems": 2}
NEIGHBOUR = _fields(word=TEXT, row=WHOLE, cosine=NUMBER)
SCORED = _fields(word=TEXT, row=WHOLE, score=NUMBER)
PREDICTED = _fields(word=TEXT, row=WHOLE, probability=NUMBER, product=NUMBER_OR_NONE)
CONTEXT = _fields(
    context=TEXT,
    contribution=NUMBER,
    products=PAIR_OF_NUMBERS,
    counts={"type": "null", "description": "the corpus is not counted here"},
)
COMPARED = _fields(word=TEXT, cosine_a=NUMBER, cosine_b=NUMBER)
EXPLANATION = _fields(
    words=_list(TEXT),
    cosine=NUMBER,
    common=NUMBER,
    unexplained=NUMBER,
    sought=_list(CONTEXT),
    avoided=_list(CONTEXT),
    apart=_list(CONTEXT),
    half=WHOLE,
    n_contexts=WHOLE,
)
FACTS = _fields(
    name=TEXT,
    words=WHOLE,
    contexts=WHOLE,
    dim=WHOLE,
    mapped=WHOLE,
    objective={"enum": ["negative", "hs", "softmax"]},
    has_counts={"type": "boolean"},
    record={"type": "object"},
)


def _one_of(*schemas: Schema) -> Schema:
    return {"anyOf": list(schemas)}


def _of_two_forms(schema: Schema, **more: Schema) -> Schema:
    """An object that may have further fields."""
    return {**schema, "properties": {**schema["properties"], **more}}


def _model(name: str = "model", default: int = 0) -> Parameter:
    return Parameter(name, "the number of a model, in the order of the command line", default, (0, MOST_MODELS))


def _n(default: int, most: int = MOST_NEAR, what: str = "how many to return", least: int = 1) -> Parameter:
    return Parameter("n", what, default, (least, most))


def _word(name: str, meaning: str = "a word") -> Parameter:
    return Parameter(name, meaning, required=True)


OF = Parameter("of", "whose vectors to search", "words", choices=("words", "contexts"))
WORDS = Parameter("word", "a word; it may be repeated", repeats=True, required=True)

URLS = (
    Url("/api/models", answers.models, "The models", schema=_fields(models=_list(FACTS), version=TEXT), quick=True),
    Url(
        "/api/map",
        answers.coordinates,
        "Where each mapped word is",
        (_model(),),
        layout="x and y of each mapped word in turn, little-endian float32 in [-1, 1], in the order of the rows",
    ),
    Url(
        "/api/words",
        answers.words,
        "Words and their counts, in the order of the rows: the most frequent first",
        (
            _model(),
            Parameter("start", "the first row", 0, (0, 2**31 - 1)),
            _n(10_000, WORDS_AT_ONCE),
        ),
        _fields(start=WHOLE, words=_list(TEXT), counts=_list(WHOLE)),
    ),
    Url(
        "/api/classes",
        answers.classes,
        "A class for each mapped word, by k-means",
        (_model(), Parameter("k", "the number of classes", 12, (1, MOST_CLASSES))),
        layout="one byte for each mapped word; 255 is no class, for vectors of zeros",
    ),
    Url(
        "/api/similarity-to",
        answers.similarity_to,
        "The cosine of a word with each mapped word",
        (_model(), _word("word")),
        layout="little-endian float32, one for each mapped word",
    ),
    Url(
        "/api/complete",
        answers.complete,
        "Words that begin with some letters, in any case: the most frequent first",
        (_model(), Parameter("prefix", "the first letters", ""), _n(10)),
        _fields(words=_list(_fields(word=TEXT, row=WHOLE, count=WHOLE))),
        quick=True,
    ),
    Url(
        "/api/near",
        answers.near,
        "The nearest to a word, or to the mean of several",
        (
            _model(),
            WORDS,
            _n(10),
            OF,
            Parameter(
                "against",
                "words: rank by cosine; contexts: rank contexts by the probability that the model gives them",
                "words",
                choices=("words", "contexts"),
            ),
        ),
        _of_two_forms(
            _fields(word=_list(TEXT), row=_list(ROW), near=_list(_one_of(NEIGHBOUR, PREDICTED))),
            against={"const": "contexts"},
        ),
    ),
    Url(
        "/api/analogy",
        answers.analogy,
        "a is to b as c is to what?",
        (
            _model(),
            _word("a"),
            _word("b"),
            _word("c"),
            _n(10),
            Parameter("method", "add: 3CosAdd; mul: 3CosMul", "add", choices=("add", "mul")),
            OF,
        ),
        _fields(near=_list(_one_of(NEIGHBOUR, SCORED))),
    ),
    Url(
        "/api/odd",
        answers.odd,
        "The word that is least like the others, and the cosine of each with their mean",
        (_model(), WORDS),
        _fields(odd=TEXT, words=_list(_fields(word=TEXT, cosine=NUMBER))),
    ),
    Url(
        "/api/path",
        answers.path,
        "Words on the way from one word to another",
        (_model(), _word("from"), _word("to"), _n(6, MOST_STEPS, "words between the two", 0)),
        _fields(path=_list(_fields(word=TEXT, row=ROW, cosine_from=NUMBER, cosine_to=NUMBER))),
    ),
    Url(
        "/api/pair",
        answers.pair,
        "Two words: their cosine, how probable each is as a context of the other, and which contexts they share",
        (_model(), _word("a"), _word("b"), _n(10)),
        _fields(
            cosine=NUMBER,
            probability=_one_of(_fields(a_b=NUMBER_OR_NONE, b_a=NUMBER_OR_NONE), NONE),
            explanation=_one_of(EXPLANATION, NONE),
            reason={"type": ["string", "null"], "description": "why there is no explanation"},
        ),
    ),
    Url(
        "/api/probability",
        answers.probability,
        "The probability that the model gives to a context of a word, and the product of their vectors",
        (_model(), _word("w"), _word("c", "a context")),
        _fields(probability=NUMBER, product=NUMBER_OR_NONE),
    ),
    Url(
        "/api/compare",
        answers.compare,
        "The neighbours of a word in two models, among the words that both have",
        (_model("a", 0), _model("b", 1), _word("word"), _n(20)),
        _fields(kept=_list(COMPARED), gained=_list(COMPARED), lost=_list(COMPARED), common=WHOLE),
    ),
)
