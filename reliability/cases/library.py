"""Faults 34, 43, 45 and 67 to 78: outputs, objects that are not a corpus, questions, and threads beside a training."""

import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import pairloom
from pairloom.errors import (
    ConfigError,
    CorpusChangedError,
    CorpusTypeError,
    DivergedError,
    InputError,
    OutputError,
    UnknownWordError,
)
from reliability.cases.case import Case
from reliability.cases.corpora import TOY
from reliability.cases.folder import TEXT

SENTENCES = [line.split() for line in TEXT.splitlines()]
OPTIONS: dict[str, Any] = {"min_count": 1, "dim": 4, "epochs": 3}


RAISED: list[float] = []  # the times


def fail(message: str) -> None:
    RAISED.append(time.perf_counter())
    raise RuntimeError(message)


class Failing:
    """Sentences that raise an exception in their n-th reading; the first reading is a look at their type."""

    def __init__(self, time_of_failure: int) -> None:
        self.left = time_of_failure

    def __iter__(self) -> Iterator[list[str]]:
        self.left -= 1
        yield from SENTENCES[:100]
        if self.left == 0:
            fail("the database is gone")
        yield from SENTENCES[100:]


class Changing:
    """Sentences that differ in each reading."""

    def __init__(self) -> None:
        self.readings = 0

    def __iter__(self) -> Iterator[list[str]]:
        self.readings += 1
        yield from SENTENCES * self.readings


def soon(call: Callable[[], Any]) -> Callable[[], Any]:
    """A call whose error must arrive within a second."""

    def timed() -> Any:
        try:
            return call()
        finally:
            took = time.perf_counter() - RAISED.pop()
            assert took < 1, f"took {took:.1f} s"

    return timed


def failing_at(stage: str) -> Callable[[pairloom.Progress], None]:
    def on_progress(progress: pairloom.Progress) -> None:
        if progress.stage == stage:
            fail("the window was closed")

    return on_progress


def failing_tokenizer(line: str) -> list[str]:
    if line.startswith("red"):
        fail("the tokenizer is gone")
    return line.split()


def train(corpus: Any = "text.txt", **options: Any) -> Callable[[], Any]:
    return partial(pairloom.train, corpus, **{**OPTIONS, **options})


def ask(question: Callable[[Any], Any]) -> Callable[[], Any]:
    return lambda: question(pairloom.load("model.loom"))


def row(number: int) -> Callable[[], Any]:
    return ask(lambda model: model.words.vectors[number])


def queried_while_training() -> bool:
    """The model passed as `start` stays unchanged, and answers correctly, while another thread trains from it."""
    model = pairloom.load("model.loom")
    before = model.words.vectors.tobytes(), model.contexts.vectors.tobytes()
    results: list[Any] = []
    training = threading.Thread(target=lambda: results.append(train(start=model, epochs=60, lr=0.05)()))
    training.start()
    seen = [cosine for _ in range(50) for _, cosine in model.most_similar("cat", topn=20)]
    seen += [model.similarity(a, b) for a in model.words for b in model.words]
    training.join()
    (trained,) = results
    assert not np.shares_memory(trained.words.vectors, model.words.vectors)
    assert trained.words.vectors.tobytes() != before[0]
    assert (model.words.vectors.tobytes(), model.contexts.vectors.tobytes()) == before
    return max(map(abs, seen)) <= 1


def asked_from_progress() -> bool:
    """A training whose callback queries another model, and whose result does not change afterwards."""
    model = pairloom.load("model.loom")
    answers = []

    def on_progress(_: pairloom.Progress) -> None:
        answers.append(model.most_similar("cat"))

    first = train(on_progress=on_progress)()
    copy = first.words.vectors.tobytes()
    train(start=first)()
    return first.words.vectors.tobytes() == copy and all(answer == answers[0] for answer in answers)


def read_by_eight() -> bool:
    """Eight threads send the same query to a fresh model."""
    model = pairloom.load("model.loom")
    expected = pairloom.load("model.loom").most_similar("cat", topn=5)
    right: list[bool] = []
    threads = [
        threading.Thread(target=lambda: right.extend(model.most_similar("cat", topn=5) == expected for _ in range(30)))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return right == [True] * 240


def questions(name: str, content: str | bytes, says: str) -> Case:
    argv = ["evaluate", "model.loom", "q.txt"]
    return Case(
        name, argv, ask(lambda model: pairloom.evaluate(model, "q.txt")), says, fault=78, make={"q.txt": content}
    )


NAN = np.full(4, np.nan)
CASES = [
    Case("a rate of 1e6", ["train", "text.txt", "-o", "old.loom", *TOY, "--lr", "1e6"], train(lr=1e6),
         "diverged in epoch 1",
         3, DivergedError, 34),
    Case("a mistyped option", ["train", "text.txt", "-o", "old.loom", "--windw", "5"], train(windw=5),
         ("Did you mean --window?", "did you mean 'window'?"), 2, ConfigError, 43),
    Case("an option of gensim's", ["train", "text.txt", "-o", "old.loom", "--vector-size", "5"], train(vector_size=5),
         ("Did you mean --dim?", "did you mean 'dim'?"), 2, ConfigError, 43),
    Case("an unknown option", ["train", "text.txt", "-o", "old.loom", "--zzzzz"], train(zzzzz=1), "zzzzz", 2,
         ConfigError,
         43),
    Case("a mistyped command", ["trian", "text.txt"], None, "Did you mean train?", fault=43),
    Case("an empty command", [""], None, "there is no command ''"),
    Case("an argument too many", ["info", "model.loom", "old.loom"], None, "unexpected argument 'old.loom'"),
    Case("an output in a folder that is missing", ["train", "text.txt", "-o", "none/m.loom"],
         ask(lambda model: model.save("none/m.loom")), "none", fault=45),
    Case("an output below a file", ["train", "text.txt", "-o", "old.txt/m.loom"],
         ask(lambda model: model.save("old.txt/m.loom")), "old.txt", fault=45),
    Case("an output that is a folder", ["train", "text.txt", "-o", "f.loom"], ask(lambda model: model.save("f.loom")),
         "is a folder", fault=45, make={"f.loom": lambda path: path.mkdir()}),
    Case("an output on a full device", None, ask(lambda model: model.save("/dev/full", format="bin")),
         "No space left", 5,
         OutputError, 46),
    Case("a generator as corpus", None, train(line for line in SENTENCES), "generator", 2, CorpusTypeError, 67),
    *(Case(f"{name} as corpus", None, train(corpus), says, 2, CorpusTypeError, 68)
      for name, corpus, says in (("an iterator", iter(SENTENCES), "iterator"), ("a map", map(list, SENTENCES), "map"),
                                 ("a zip", zip(SENTENCES, SENTENCES, strict=True), "zip"))),
    Case("a corpus that changes", None, train(Changing()), "not the same when read again", 4, CorpusChangedError, 68),
    Case("strings for token lists", None, train(["a b c", "d e f"]), "split()", 2, CorpusTypeError, 69),
    Case("a string of text", None, train("the cat sat on the mat"), "does not exist", 2, InputError, 69),
    *(Case(f"sentences that fail at reading {n}, {threads} threads", None, soon(train(Failing(n), threads=threads)),
         "the database is gone",
           1, RuntimeError, 70) for n in (2, 3) for threads in (1, 2)),
    *(Case(f"progress that fails at {stage}, {threads} threads", None, soon(train("c.txt", threads=threads,
         on_progress=failing_at(stage))),
           "the window was closed", 1, RuntimeError, 70, {"c.txt": TEXT})
      for stage in ("compile", "count", "encode", "train") for threads in (1, 2)),
    Case("a tokenizer that fails", None, soon(train(tokenize=failing_tokenizer)), "the tokenizer is gone", 1,
         RuntimeError, 70),
    *(Case(f"an unknown word to {command}", [command, "model.loom", *words], call, says, 2, UnknownWordError, 71)
      for command, words, call, says in (
          ("near", ["caat"], ask(lambda model: model.most_similar("caat")), "Did you mean 'cat'?"),
          ("analogy", ["cat", "dog", "kow"], ask(lambda model: model.most_similar(["dog", "kow"], ["cat"])), "'cow'"),
          ("explain", ["cat", "dgo"], ask(lambda model: pairloom.explain_similarity(model, "cat", "dgo")), "'dog'"))),
    Case("a query of NaN", None, ask(lambda model: model.most_similar(NAN)), "NaN", fault=72),
    Case("a query of zero", None, ask(lambda model: model.most_similar(np.zeros(4))), "zero vector", fault=72),
    Case("a query that cancels out", None, ask(lambda model: model.most_similar("cat", "cat")), "zero vector",
         fault=72),
    Case("0 neighbours", None, ask(lambda model: model.most_similar("cat", topn=0)), code=0, fault=73,
         right=lambda a: a == []),
    Case("more neighbours than words", None, ask(lambda model: model.most_similar("cat", topn=10**9)), code=0, fault=73,
         right=lambda a: len(a) == 19),
    *(Case(f"row {n}", None, row(n), "out of bounds", 1, IndexError, 74) for n in (20, 10**6, -21)),
    Case("a row by number", None, ask(lambda model: model.words[0]), "0", 2, UnknownWordError, 74),
    *(Case(f"{command} at the end of its input", [command, "model.loom"], None, code=0, fault=75)
      for command in ("near", "similarity", "analogy", "distance", "word-analogy")),
    Case("distance after EXIT", ["distance", "model.loom"], None, code=0, fault=75, stdin="cat\nEXIT\ndog\n"),
    Case("compute-accuracy without questions", ["compute-accuracy", "model.loom"], None, code=0, fault=75),
    Case("eight readers", None, read_by_eight, code=0, fault=76, right=bool),
    Case("questions while training", None, queried_while_training, code=0, fault=77, right=bool),
    Case("questions from reports", None, asked_from_progress, code=0, fault=77, right=bool),
    questions("an empty file of questions", "", "no questions"),
    questions("a file of comments", "# none\n", "no questions"),
    questions("an analogy of three words", ": capitals\ncat dog cow\n", "line 2"),
    questions("an analogy of five words", ": capitals\ncat dog cow pig hen\n", "line 2"),
    questions("a similarity that is not a number", "cat\tdog\t5\ncat\tcow\thigh\n", "line 2"),
    questions("a similarity of NaN", "cat\tdog\t5\ncat\tcow\tnan\n", "line 2"),
    questions("lines of no known kind", "one two three four five six\n", "line 1"),
    questions("questions that are not UTF-8", b": a\ncaf\xe9 b c d\n", "line 2"),
    questions("questions with NUL", b": a\na b\0 c d\n", "NUL"),
]  # fmt: skip
