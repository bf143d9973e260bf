"""Every parameter of every public function, with values that are out of range, of another type, or not finite.

`missing_cases` compares the tables with the signatures of the package: a parameter without an entry is a miss, and so
is an entry without a parameter.
"""

import inspect
import math
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any, NamedTuple, get_args, get_origin

import numpy as np

import pairloom
from pairloom.config import TextOptions, TrainConfig
from pairloom.errors import InputError, OutputError
from pairloom.preparing.graphs.walks import WalkConfig
from pairloom.preparing.phrases import Phrases
from pairloom.unseen.fold_in.fold_in import fold_in
from pairloom.unseen.spelling.fit import with_spelling
from reliability.cases.case import Case
from reliability.cases.options import OUTSIDE

NAN, INF = math.nan, math.inf
OBJECT = object()


class Anything(NamedTuple):
    """A parameter that accepts every value, or only passes it on."""

    reason: str


NOT_A_NUMBER = (NAN, INF, -INF, "5", "", None, [5], True, 1j, OBJECT, np.array([1, 2]))
NOT_A_SWITCH = ("yes", 1, None, 0.0, [])
NOT_A_CHOICE = ("maybe", "", None, 5, [])
NOT_A_PATH = (5, None, OBJECT, b"model.loom\xff", "", "missing/model.loom", "a\0b")
PYTHON_REFUSES = (5, None, OBJECT, b"model.loom\xff")  # as paths, with a clear TypeError
NOT_THREADS = (0, -1, 257, 5000, NAN, 1.5, "2", True, [])
NOT_CALLABLE = (5, "abs", [])
NOT_WORDS = ("cat", 5, [5], [None], [b"cat"])
NOT_VECTORS = (None, 5, "model.loom", {}, np.zeros((2, 3)))
CORPUS = (None, 5, b"text", "", "missing.txt", OBJECT, [], [[]], [["a", ""]], ["a b c"], [[1, 2]])
PATH_OF_A_FOLDER = (5, OBJECT, "text.txt/below")
NOT_AN_OUTPUT = (5, OBJECT, "", "missing/new.loom", "new.doc", "folder.loom/new.loom", "a\0b.loom")
NOT_CHECKPOINTS = (5, OBJECT, [], "text.txt")
TOPN = (-1, NAN, 1.5, "3", None, True, [])
ROWS = (0, -1, NAN, 1.5, "3", True, [])
WORD = ("kat", "", None, 5, b"cat", [], ["cat"])
SIDES = {"model": "an embedding"}


def config_values(config: type) -> dict[str, tuple[Any, ...]]:
    """For each field of an options class: the values that the command line refuses, and values of another type."""
    outside = {name.lstrip("-").replace("-", "_"): text.split() for name, text in OUTSIDE["train"].items()}
    outside |= {name.lstrip("-"): text.split() for name, text in OUTSIDE["walk"].items()}
    found: dict[str, tuple[Any, ...]] = {}
    for field in fields(config):
        kind: Any = field.type
        if field.name == "tokenize":  # a choice, or a function
            found[field.name] = NOT_CALLABLE
        elif field.name in ("column", "session", "item", "order"):
            found[field.name] = (5, "", [], OBJECT)
        elif kind is bool:
            found[field.name] = NOT_A_SWITCH
        elif get_origin(kind) is not None and all(isinstance(choice, str) for choice in get_args(kind)):
            found[field.name] = NOT_A_CHOICE
        elif kind is str:
            found[field.name] = ("klingon", "", None, 5, [])
        else:
            optional = field.default is None  # or chosen by the model, as lr is
            beyond = tuple(map(_number, outside[field.name])) if field.name in outside else ()
            found[field.name] = beyond + tuple(v for v in NOT_A_NUMBER if not (optional and v is None))
    return found


def _number(text: str) -> Any:
    try:
        return int(text)
    except ValueError:
        try:
            return float(text)
        except ValueError:
            return text


TRAIN = config_values(TrainConfig) | config_values(TextOptions)
TEXT = config_values(TextOptions)
RUNNING = {
    "threads": NOT_THREADS, "cache_dir": PATH_OF_A_FOLDER, "on_progress": NOT_CALLABLE,
}  # fmt: skip
NOT_MEMORY = (0, -1, NAN, INF, 1.5, "", "2 apples", "GB", True, [], OBJECT, 1000)
TRAINING = {
    **RUNNING, "output": NOT_AN_OUTPUT, "contexts_output": NOT_AN_OUTPUT, "checkpoint": NOT_CHECKPOINTS,
    "max_memory": NOT_MEMORY, "executor": (5, "local", [], OBJECT), "progress": NOT_A_SWITCH,
    "on_epoch": NOT_CALLABLE,
}  # fmt: skip


def embedding() -> Any:
    return pairloom.load("model.loom")


def vectors() -> Any:
    return embedding().words


class Asked(NamedTuple):
    """A function, a valid call of it, and bad values for each of its parameters."""

    call: Callable[..., Any]
    good: dict[str, Callable[[], Any]]
    bad: dict[str, tuple[Any, ...] | Anything]
    function: Any  # the signature to compare with


def _const(**values: Any) -> dict[str, Callable[[], Any]]:
    return {name: (lambda value=value: value) for name, value in values.items()}


TRAINED_FOR = Anything("checked with the others by `train`")
FUNCTIONS: dict[str, Asked] = {
    "RayExecutor": Asked(
        pairloom.RayExecutor,
        {},
        {
            "address": (5, "", None, [], OBJECT), "workers": (0, -1, NAN, 1.5, "2", True, None, 1025),
            "threads": (0, -1, NAN, 1.5, "2", True, None, 1025), "copies": (5, OBJECT, [], ""),
            "log": (5, OBJECT, [], "", "missing/log.jsonl"),
        },
        pairloom.RayExecutor,
    ),
    "train": Asked(
        pairloom.train,
        _const(corpus="text.txt", min_count=1, dim=4, epochs=1),
        {
            "corpus": CORPUS, **TRAINING, "keep": NOT_WORDS, "drop": NOT_WORDS, "vocabulary": NOT_VECTORS[1:],
            "start": (5, OBJECT, [], "", "missing.loom", "text.txt"), "grow": NOT_A_SWITCH,
            "spool": (*NOT_A_SWITCH, True),
            "freeze": NOT_A_CHOICE[:2], "options": Anything("TrainConfig and TextOptions"), **TRAIN,
            "preset": ("maybe", "", 5, []),
        },
        pairloom.train,
    ),
    "train_pairs": Asked(
        pairloom.train_pairs,
        _const(pairs="pairs.txt", min_count=1, dim=4, epochs=1),
        {
            "pairs": (None, 5, b"x", "", "missing.txt", OBJECT, [], [("a",)], [("a", "b", "c", "d")], [("a", "b", NAN)],
                      [("a", "b", -1)], [("a", "")], [(1, 2.5)], ["ab cd"], [("a b", "c")]),
            "words": NOT_VECTORS[1:], "contexts": NOT_VECTORS[1:], "columns": (5, "a", ["a"], [1, 2], []), **TRAINING,
            "start": (5, OBJECT, [], "", "missing.loom", "text.txt"), "freeze": NOT_A_CHOICE[:2],
            "options": Anything("TrainConfig and TextOptions"),
            "dim": TRAIN["dim"], "negatives": TRAIN["negatives"], "lr": TRAIN["lr"], "sample": TRAIN["sample"],
            "epochs": TRAIN["epochs"], "min_count": (0, -1, NAN, INF, "5", True, []), "seed": TRAIN["seed"],
            "min_context_count": (0, -1, NAN, INF, "5", True, []), "noise_power": TRAIN["noise_power"],
            "window": (3,), "model": ("cbow", "sppmi-svd", "maybe"), "objective": ("hs", "maybe"),
        },
        pairloom.train_pairs,
    ),
    "tune": Asked(
        pairloom.tune,
        _const(corpus=[[f"{i}", f"{i % 7}", f"{i % 11}"] for i in range(500)], trials=1),
        {
            "corpus": CORPUS, "target": (None, 5, OBJECT, [], "", "missing.txt", "text.txt"),
            "budget": ("10m", 5, OBJECT),
            "trials": (0, -1, 100_001, NAN, 1.5, "3", True, []), "tokens": (0, 1, NAN, "", "many", None, True, []),
            "threads": NOT_THREADS, "on_progress": NOT_CALLABLE, "progress": NOT_A_SWITCH,
            "options": Anything("those of train"), "dim": TRAIN["dim"], "window": TRAIN["window"],
            "seed": TRAIN["seed"], "model": ("cbow", "sppmi-svd", "maybe"), "positional": (True, "yes"),
        },
        pairloom.tune,
    ),
    "plan": Asked(
        pairloom.plan,
        _const(tokens=10_000, words=100, pairs_per_second=1e6),
        {
            "corpus": Anything("below"), "keep": Anything("below"), "drop": Anything("below"),
            "cache_dir": Anything("below"), "on_progress": Anything("below"), "vocabulary": Anything("below"),
            "tokens": (0, 1, 50, 10**16, NAN, 1.5, "", "x", "1X", True, [], OBJECT),
            "words": (0, 1, 2**31, NAN, 1.5, "", "x", "1X", True, [], OBJECT),
            "workers": (0, -1, 1000, 65_537, NAN, 1.5, "2", None, True, []), "threads": NOT_THREADS,
            "network": (0, 10, -1, NAN, INF, "", "fast", "10", "Gb", None, True, [], OBJECT),
            "latency": (-1, 1e6, *NOT_A_NUMBER), "pairs_per_second": (0, -1, 1e13, NAN, INF, "5", True, []),
            "worker_memory": NOT_MEMORY[:-1], "spare_copies": NOT_A_CHOICE, "options": Anything("below"),
        },
        pairloom.plan,
    ),
    "plan of a text": Asked(
        pairloom.plan,
        _const(corpus="text.txt", min_count=1, pairs_per_second=1e6),
        {
            "corpus": CORPUS, "keep": NOT_WORDS, "drop": NOT_WORDS, "cache_dir": PATH_OF_A_FOLDER[:2],
            "on_progress": NOT_CALLABLE, "options": Anything("TrainConfig and TextOptions"), **TRAIN,
        },
        pairloom.plan,
    ),
    "plan of a vocabulary": Asked(
        pairloom.plan,
        _const(pairs_per_second=1e6),
        {"vocabulary": (None, 5, OBJECT, [], "", "missing.txt", "text.txt", ".", "a\0b")},
        pairloom.plan,
    ),
    "load": Asked(
        pairloom.load,
        _const(path="model.loom"),
        {
            "path": (*NOT_A_PATH, "text.txt", "."), "limit": (0, -1, NAN, 1.5, "3", True, []),
            "verify": NOT_A_SWITCH, "format": ("maybe", 5, []), "errors": NOT_A_CHOICE, "lenient": NOT_A_SWITCH,
        },
        pairloom.load,
    ),
    "spool": Asked(
        pairloom.spool, {}, {"source": (None, 5, b"x", "text.txt", OBJECT, {"a"}, [5], ["a b"], [[""]])}, pairloom.spool
    ),
    "walk": Asked(
        pairloom.walk,
        _const(edges="edges.txt"),
        {
            "edges": (None, 5, b"x", "", "missing.txt", OBJECT, [], [("a",)], [("a", "b", NAN)], [("a", "b", -1)],
                      [("a", "b", INF)], [("a", "")], [("a", "b c")], ["ab"], [(1.5, 2)]),
            "threads": NOT_THREADS, "on_progress": NOT_CALLABLE, "options": Anything("WalkConfig"),
            **config_values(WalkConfig), "encoding": TEXT["encoding"], "errors": TEXT["errors"],
        },
        pairloom.walk,
    ),
    "Phrases.learn": Asked(
        Phrases.learn,
        _const(corpus="text.txt"),
        {
            "corpus": CORPUS, "min_count": (0, -1, NAN, 1.5, "5", None, True), "scoring": ("maybe", 5, abs, None),
            "threshold": (0, -1, NAN, INF, "5", True, [], ["5"], [1, NAN], [1] * 11),
            "connectors": ("french", [5], [""], 5), "passes": (0, -1, 11, NAN, 1.5, "2", True),
            "delimiter": ("", " ", None, 5, "x" * 101), **RUNNING,
            "max_memory": NOT_MEMORY,
            "text": Anything("TextOptions"), **TEXT,
        },
        Phrases.learn,
    ),
    "fold_in": Asked(
        fold_in,
        {"embedding": embedding, **_const(corpus="more.txt", min_count=1)},
        {
            "embedding": Anything("a method of Embedding"), "corpus": CORPUS, "pairs": ("pairs.txt", 5),
            "words": NOT_WORDS, "side": NOT_A_CHOICE, "min_count": (0, -1, NAN, 1.5, "5", True),
            "l2": (0, -1, NAN, INF, "5", None, True, []), "most_contexts": (0, -1, NAN, 1.5, "5", True), **RUNNING,
            "options": Anything("those of train that matter"), "window": TRAIN["window"], "sample": TRAIN["sample"],
            "negatives": TRAIN["negatives"], "noise_power": TRAIN["noise_power"], "dim": (4,), **TEXT,
        },
        fold_in,
    ),
    "with_spelling": Asked(
        with_spelling,
        {"embedding": embedding},
        {
            "embedding": Anything("a method of Embedding"), "minn": (0, -1, 7, NAN, 1.5, "3", None, True),
            "maxn": (0, -1, 2, 51, NAN, 1.5, "6", None, True), "buckets": (0, -1, 2**31 + 1, NAN, 1.5, "5", None, True),
            "l2": (0, -1, NAN, INF, "5", True, []), "threads": NOT_THREADS,
            "on_progress": RUNNING["on_progress"],
        },
        with_spelling,
    ),
    "evaluate": Asked(
        pairloom.evaluate,
        {"vectors": vectors, **_const(path="questions.txt")},
        {
            "vectors": NOT_VECTORS, "path": (*NOT_A_PATH, "text.txt"), "method": NOT_A_CHOICE,
            "restrict_vocab": (-1, NAN, 1.5, "3", None, True), "case": NOT_A_CHOICE, "unknown": NOT_A_CHOICE,
            "seed": Anything("of similarities and categories alone"), "threads": NOT_THREADS,
        },
        pairloom.evaluate,
    ),
    "evaluate similarities": Asked(
        pairloom.evaluate,
        {"vectors": vectors, **_const(path="similar.tsv")},
        {"seed": (-1, 2**64, NAN, 1.5, "1", None, True), "threads": NOT_THREADS, "method": NOT_A_CHOICE},
        pairloom.evaluate,
    ),
    "explain": Asked(
        pairloom.explain,
        {"embedding": embedding, **_const(corpus="text.txt")},
        {
            "embedding": NOT_VECTORS, "corpus": CORPUS, **RUNNING, "max_memory": NOT_MEMORY,
            "most_products": (0, -1, NAN, 1.5, "5", None, True), "text": Anything("TextOptions"),
            "lowercase": TEXT["lowercase"], "encoding": TEXT["encoding"], "errors": TEXT["errors"],
        },
        pairloom.explain,
    ),
    "count_corpus": Asked(
        pairloom.count_corpus,
        {"embedding": embedding, **_const(corpus="text.txt")},
        {
            "embedding": NOT_VECTORS, "corpus": CORPUS, **RUNNING, "max_memory": NOT_MEMORY,
            "text": Anything("TextOptions"),
            "lowercase": TEXT["lowercase"], "encoding": TEXT["encoding"], "errors": TEXT["errors"],
        },
        pairloom.count_corpus,
    ),
    "explain_similarity": Asked(
        pairloom.explain_similarity,
        {"embedding": embedding, **_const(a="cat", b="dog")},
        {
            "embedding": NOT_VECTORS, "a": WORD, "b": WORD, "topn": (0, *TOPN), "counts": (5, "text.txt", {}),
            "max_memory": NOT_MEMORY, "space": (5, "text.txt", {}, (1, 2, 3)),
        },
        pairloom.explain_similarity,
    ),
    "report": Asked(
        pairloom.report,
        {"embedding": embedding, **_const(path="old.html")},
        {
            "embedding": NOT_VECTORS, "path": (5, None, OBJECT, "", "missing/new.html", "folder.loom/new.html", "a\0b"),
            "name": (5, None, b"x", []), "corpus": (5, None, b"x", []), "curve": (5, "curve", print, []),
            "questions": ("questions.txt", 5, None, OBJECT, [5], [None], [""], ["missing.txt"], ["text.txt"]),
            "threads": NOT_THREADS, "on_progress": NOT_CALLABLE,
        },
        pairloom.report,
    ),
    "compare": Asked(
        pairloom.compare,
        {"a": embedding, "b": vectors},
        {
            "a": NOT_VECTORS, "b": NOT_VECTORS, "noise": (None, 5, "model.loom", [5], ["model.loom"], OBJECT),
            "min_count": (0, -1, NAN, 1.5, "5", None, True), "rate": (0, 0.6, -1, *NOT_A_NUMBER),
            "threads": NOT_THREADS, "on_progress": NOT_CALLABLE,
        },
        pairloom.compare,
    ),
    "align": Asked(
        pairloom.align,
        {"b": embedding, "to": vectors},
        {"b": NOT_VECTORS, "to": NOT_VECTORS, "threads": NOT_THREADS, "on_progress": NOT_CALLABLE},
        pairloom.align,
    ),
    "trajectory": Asked(
        pairloom.trajectory,
        {"models": lambda: [embedding(), embedding()], **_const(word="cat")},
        {
            "models": (None, 5, "model.loom", [], [5, 6], OBJECT), "word": ("kat", "", None, 5, b"cat", [], ["cat"]),
            "names": (5, "ab", ["a"], ["a", "b", "c"]), "topn": TOPN, "threads": NOT_THREADS,
            "on_progress": NOT_CALLABLE,
        },
        pairloom.trajectory,
    ),
    "document_vectors": Asked(
        pairloom.document_vectors,
        {"vectors": vectors, **_const(documents=[["cat", "dog"]])},
        {
            "vectors": NOT_VECTORS, "documents": (None, 5, "cat dog", ["cat dog"], [5], [[5]], OBJECT),
            "weighting": NOT_A_CHOICE, "sif_a": (0, -1, NAN, INF, "5", None, True, []),
        },
        pairloom.document_vectors,
    ),
    "word_classes": Asked(
        pairloom.word_classes,
        {"vectors": vectors, **_const(k=2)},
        {
            "vectors": NOT_VECTORS, "k": (0, -1, 21, NAN, 1.5, "2", None, True), "seed": (-1, 2**32, NAN, "1", None,
            True),
            "algorithm": NOT_A_CHOICE,
        },
        pairloom.word_classes,
    ),
    "sppmi_table": Asked(
        pairloom.sppmi_table,
        _const(corpus="text.txt", min_count=1),
        {"corpus": CORPUS, **RUNNING, "options": Anything("those of train"), "window": TRAIN["window"],
         "negatives": TRAIN["negatives"], "min_count": TRAIN["min_count"]},
        pairloom.sppmi_table,
    ),
    "Vocabulary.read": Asked(
        pairloom.Vocabulary.read, _const(path="counted.txt"), {"path": (*NOT_A_PATH, "text.txt", ".")},
        pairloom.Vocabulary.read,
    ),
    "Vocabulary.of": Asked(
        pairloom.Vocabulary.of, {},
        {"counted": (None, 5, [5], ["ab"], [("a", -1), ("b", 2)], [("a", 1.5), ("b", 2)], [("a", 1), ("a", 2)], [(5,
             1)],
                     [("a", NAN)], [("a", 2**70)])},
        pairloom.Vocabulary.of,
    ),
    "Vectors": Asked(
        pairloom.Vectors,
        _const(words=["a", "b"], vectors=np.eye(2, dtype=np.float32)),
        {
            "words": (None, 5, "ab", ["a"], ["a", "a"], ["a", 5], ["a", ""], ["a", "b", "c"], ["a", "\ud800"]),
            "vectors": (None, 5, "x", [1, 2], [[1, 2]], [[1, NAN], [1, 2]], [[1, INF], [1, 2]], [["x", "y"]] * 2,
                        np.zeros((2, 2, 2)), np.zeros((2, 0)), [[1j, 2], [1, 2]], [[1e39, 1], [1, 2]]),
            "counts": (5, "x", [1], [-1, 1], [NAN, 1], [1.5, 1], [2**70, 1], ["a", "b"]),
        },
        pairloom.Vectors.__init__,
    ),
}  # fmt: skip
FUNCTIONS["Vectors"] = FUNCTIONS["Vectors"]._replace(call=lambda **given: pairloom.Vectors(**given).encoded_words())


def _asking(name: str, good: dict[str, Any], **bad: Any) -> Asked:
    """A query of vectors."""
    method = getattr(pairloom.Vectors, name)

    def ask(**given: Any) -> Any:
        return getattr(vectors(), name)(**given)

    return Asked(ask, _const(**good), {"self": Anything("the vectors"), **bad}, method)


QUERY = ("kat", None, 5, [5], [None], np.full(4, NAN), np.full(4, INF), np.zeros(4), np.ones(3), [], [("cat", NAN)])
FUNCTIONS |= {
    "most_similar": _asking(
        "most_similar", {"positive": "cat"}, positive=QUERY, negative=("kat", *QUERY[2:7]), topn=TOPN,
        restrict_vocab=ROWS, weights=([NAN], [INF], [1, 2], ["1"], 5), indexer=(5, "x"),
        candidates=("dog", 5, ["kat"], [5], [None]), ignore_missing=Anything("any truth value"),
    ),
    "most_similar_batch": _asking(
        "most_similar_batch", {"positive": ["cat"]}, positive=("cat", None, 5, ["kat"], [5], [np.zeros(4)]),
        negative=("cat", 5, ["kat"], ["cat", "dog"]), topn=TOPN, restrict_vocab=ROWS,
    ),
    "most_similar_cosmul": _asking(
        "most_similar_cosmul", {"positive": "cat"}, positive=QUERY[:-1], negative=("kat", *QUERY[2:-2]), topn=TOPN,
        restrict_vocab=ROWS,
    ),
    "similar_by_vector": _asking(
        "similar_by_vector", {"vector": [1, 2, 3, 4]}, vector=([1], [], [NAN] * 4, [INF] * 4, [0] * 4, "cat", None,
        [[1] * 4]),
        topn=TOPN, restrict_vocab=ROWS,
    ),
    "similar_by_word": _asking("similar_by_word", {"word": "cat"}, word=WORD[:-1], topn=TOPN, restrict_vocab=ROWS),
    "similar_by_key": _asking("similar_by_key", {"key": "cat"}, key=WORD[:-1], topn=TOPN, restrict_vocab=ROWS),
    **{name: _asking(name, {"w1": "cat", "w2": "dog"}, w1=WORD, w2=WORD) for name in ("similarity", "distance")},
    **{name: _asking(name, {"key1": "cat", "key2": "dog"}, key1=WORD, key2=WORD) for name in ("closer_than", "rank")},
    "row_of": _asking("row_of", {}, word=Anything("None for all that is not a word of the vectors")),
    "norm_of": _asking("norm_of", {}, row=(-1, 10**9, None, "cat", 1.5)),
    "relative_cosine_similarity": _asking(
        "relative_cosine_similarity", {"wa": "cat", "wb": "dog"}, wa=WORD, wb=WORD, topn=(0, *TOPN)
    ),
    "distances": _asking(
        "distances", {"word_or_vector": "cat"}, word_or_vector=("kat", None, 5, np.full(4, NAN), np.ones(3)),
        other_words=("cat", 5, ["kat"], [5]),
    ),
    "doesnt_match": _asking(
        "doesnt_match", {}, words=([], ["kat"], "cat dog", None, 5, [5]), ignore_missing=Anything("any truth value")
    ),
    "n_similarity": _asking(
        "n_similarity", {"ws1": ["cat"], "ws2": ["dog"]}, ws1=([], ["kat"], None, 5, [5]),
        ws2=([], ["kat"], None, 5, [5]), ignore_missing=Anything("any truth value"),
    ),
    "most_similar_to_given": _asking(
        "most_similar_to_given", {"key1": "cat", "keys_list": ["dog"]}, key1=WORD,
        keys_list=([], ["kat"], None, 5, [5]),
    ),
    "rank_by_centrality": _asking(
        "rank_by_centrality", {}, words=([], ["kat"], None, 5, [5]), use_norm=Anything("any truth value")
    ),
    "plot": _asking(
        "plot", {"words": ["cat", "dog"]}, words=(["kat", "cat"], ["cat"], [], "cat dog", 5, [5, "cat"]),
        path=("new.doc", "missing/new.svg", 7), options=Anything("those of `plot`, which tests/maps asks"),
    ),
    "get_index": _asking("get_index", {}, key=WORD, default=Anything("given back as it is")),
    "get_vector": _asking("get_vector", {"key": "cat"}, key=WORD, norm=Anything("any truth value")),
    "vector": _asking("vector", {}, word=WORD),
    "get": _asking("get", {}, word=Anything("the default for whatever has no vector"), default=Anything("given back")),
    "has_vector": _asking("has_vector", {}, word=Anything("anything else than a known word has none")),
    "__getitem__": _asking("__getitem__", {}, key_or_keys=(*WORD[:-2], ["kat"], ["cat", 5], [["cat"]])),
    "get_vecattr": _asking("get_vecattr", {"key": "cat", "attr": "count"}, key=WORD, attr=("maybe", None, 5)),
    "get_mean_vector": _asking(
        "get_mean_vector", {"keys": ["cat"]}, keys=([], None, 5, [5], [np.full(4, NAN)], [np.ones(3)]),
        weights=([NAN], [1, 2], ["1"], 5, [0]), pre_normalize=Anything("any truth value"),
        post_normalize=Anything("any truth value"), ignore_missing=Anything("any truth value"),
    ),
    "vectors_for_all": _asking(
        "vectors_for_all", {"keys": ["cat"]}, keys=(None, 5, "cat"), allow_inference=Anything("any truth value"),
        copy_vecattrs=Anything("any truth value"),
    ),
    "wmdistance": _asking(
        "wmdistance", {"document1": ["cat"], "document2": ["dog"]}, document1=(None, 5, "cat"),
        document2=(None, 5, "cat"),
        norm=Anything("any truth value"),
    ),
}  # fmt: skip


# Options, whose errors begin with their names. Errors about inputs may begin otherwise.
BY_NAME = {*TRAIN, *config_values(WalkConfig), "threads", "topn", "restrict_vocab", "limit", "verify", "passes"}


def cases() -> Iterator[Case]:
    """All cases."""
    for name, asked in FUNCTIONS.items():
        for parameter, values in asked.bad.items():
            for value in {} if isinstance(values, Anything) else {_shown(value): value for value in values}.values():
                call, error = _bound(asked, parameter, value), _error(parameter, value)
                says = parameter if parameter in BY_NAME and error is InputError else ""
                yield Case(f"{name}({parameter}={_shown(value)})", None, call, says, error=error)


def _error(parameter: str, value: Any) -> type[BaseException]:
    """The exception to expect: a TypeError where Python itself says clearly what is wrong."""
    if parameter in ("on_progress", "on_epoch") or (
        parameter in ("path", "cache_dir", "output", "contexts_output") and _is_one_of(value, PYTHON_REFUSES)
    ):
        return TypeError
    return OutputError if parameter == "cache_dir" else InputError


def _is_one_of(value: Any, others: tuple[Any, ...]) -> bool:
    return any(value is other for other in others)


def _bound(asked: Asked, parameter: str, value: Any) -> Callable[[], Any]:
    def call() -> Any:
        good = {name: make() for name, make in asked.good.items() if name != parameter}
        return asked.call(**good, **{parameter: value})

    return call


def _shown(value: Any) -> str:
    if value is OBJECT:
        return "object()"
    return (repr(value) if len(repr(value)) < 40 else repr(value)[:36] + " ...").replace("\n", "")


def missing_cases() -> list[str]:
    """Parameters without an entry, and entries without a parameter."""
    found = []
    for name, asked in FUNCTIONS.items():
        known = inspect.signature(asked.function).parameters
        takes_more = any(p.kind is p.VAR_KEYWORD for p in known.values())
        if " " not in name:
            found += [f"{name}({p}) is a parameter without cases" for p in known if p not in asked.bad and p != "self"]
        found += [] if takes_more else [f"{name}({p}) is gone" for p in asked.bad if p not in known and p != "self"]
    asked_for = {asked.function for asked in FUNCTIONS.values()}
    public = [getattr(pairloom, name) for name in pairloom.__all__]
    functions = [f for f in public if inspect.isfunction(f)]
    functions += [f for name, f in inspect.getmembers(pairloom.Vectors, inspect.isfunction) if name[0] != "_"]
    found += [f"{f.__qualname__} is a function without cases" for f in functions if f not in asked_for and _takes(f)]
    return found


def _takes(function: Any) -> bool:
    """Whether the parameter takes a value."""
    return bool(inspect.signature(function).parameters.keys() - {"self", "values"})


CASES = list(cases())
