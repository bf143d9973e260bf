"""What the tests share: a cache that is not the user's, two toy corpora, and a model of one."""

import signal
import sys

import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher

import pairloom


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory):
    """No test writes into the user's cache folder."""
    patch = pytest.MonkeyPatch()
    patch.setenv("PAIRLOOM_CACHE", str(tmp_path_factory.mktemp("cache")))
    yield
    patch.undo()


@pytest.fixture(autouse=True, scope="session")
def heard_signals():
    """A shell has what it starts beside itself ignore Ctrl-C, and so would all processes that the tests send it to."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(autouse=True, scope="session")
def untraced_compiler():
    """Coverage follows every call of the compiler, of which nothing is ours: that would make it half as fast."""
    compile_ = Dispatcher.compile

    def compile_untraced(dispatcher, signature):
        tracer = sys.gettrace()
        sys.settrace(None)
        try:
            return compile_(dispatcher, signature)
        finally:
            sys.settrace(tracer)

    patch = pytest.MonkeyPatch()
    patch.setattr(Dispatcher, "compile", compile_untraced)
    yield
    patch.undo()


TOPICS = (
    "cat dog horse cow sheep goat hen duck pig goose".split(),
    "red green blue white black brown pink grey violet yellow".split(),
)


@pytest.fixture(scope="session")
def two_topics():
    """Sentences about animals and sentences about colours: anyone can name the neighbours."""
    rng = np.random.default_rng(0)
    return [rng.choice(TOPICS[i % 2], 8).tolist() for i in range(600)]


@pytest.fixture(scope="session")
def zipf_corpus():
    """20 000 sentences over 3 000 words with the frequencies of real text: enough for several parts and chunks."""
    rng = np.random.default_rng(1)
    words = np.array([f"w{i}" for i in range(3000)])
    p = 1 / np.arange(1, 3001)
    lengths = rng.integers(1, 20, 20_000)
    tokens = rng.choice(words, lengths.sum(), p=p / p.sum())
    return [s.tolist() for s in np.split(tokens, np.cumsum(lengths)[:-1])]


@pytest.fixture
def spilled(monkeypatch):
    """The number of words of each table that went to a file, in a list that grows."""
    from pairloom.corpus.spilling import SpilledTables

    found, add = [], SpilledTables.add
    monkeypatch.setattr(
        SpilledTables, "add", lambda runs, table: (found.append(int(table.used[0])), add(runs, table))[1]
    )
    return found


@pytest.fixture(scope="session")
def zipf_text(tmp_path_factory, zipf_corpus):
    """The same in a file, so that it is encoded once for all trainings."""
    path = tmp_path_factory.mktemp("corpus") / "zipf.txt"
    path.write_text("".join(" ".join(sentence) + "\n" for sentence in zipf_corpus))
    return path


@pytest.fixture(scope="session")
def corpus(tmp_path_factory, two_topics):
    path = tmp_path_factory.mktemp("corpus") / "topics.txt"
    path.write_text("".join(" ".join(sentence) + "\n" for sentence in two_topics))
    return path


@pytest.fixture(scope="session")
def model(corpus):
    path = corpus.with_name("topics.loom")
    pairloom.train(corpus, dim=16, epochs=10, min_count=1, sample=0).save(path)
    return path
