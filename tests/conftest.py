"""Fixtures for all tests: a cache folder of their own, two toy corpora, and a model of one."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from llvmlite.binding import get_host_cpu_features
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
def settings_of_ray():
    """Ray reads these when it is imported, which may be long before a test of clusters needs them."""
    patch = pytest.MonkeyPatch()
    patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    patch.setenv("RAY_AUTH_MODE", "token")
    patch.setenv("RAY_AUTH_TOKEN", "0123456789abcdef0123456789abcdef")  # or else Ray writes one into the home folder
    patch.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    yield
    patch.undo()


@pytest.fixture(autouse=True, scope="session")
def heard_signals():
    """Handle Ctrl-C. A process in the background of a shell ignores it, and so would the processes that it starts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(autouse=True, scope="session")
def untraced_compiler():
    """Turn coverage off while Numba compiles: none of that code is ours, and tracing it would double the time."""
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


CPUS = (  # each with the instructions that BLAS, NumPy and Numba may use
    {},
    {"OPENBLAS_CORETYPE": "Nehalem", "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL"},
    {"OPENBLAS_CORETYPE": "Haswell", "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL", "NUMBA_CPU_NAME": "haswell"},
    {"OPENBLAS_CORETYPE": "SkylakeX", "NUMBA_CPU_NAME": "skylake-avx512"},
)


@pytest.fixture(scope="session")
def printed_on_cpus():
    """A function that runs code as on several kinds of CPU. Returns the different outputs: one if all agree."""
    features = get_host_cpu_features()
    possible = {None}  # compiled code needs a CPU that has its instructions; BLAS and NumPy see to that themselves
    possible |= {"haswell"} if features.get("avx2") else set()
    possible |= {"skylake-avx512"} if features.get("avx512bw") else set()

    def printed(code):
        cpus = [cpu for cpu in CPUS if cpu.get("NUMBA_CPU_NAME") in possible]
        command = [sys.executable, "-W", "ignore", "-c", code]
        runs = [subprocess.run(command, env=os.environ | cpu, capture_output=True) for cpu in cpus]
        assert all(run.returncode == 0 for run in runs), runs[-1].stderr.decode()
        return {run.stdout for run in runs}

    return printed


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
    """20 000 sentences of 3 000 words, as frequent as in real text: enough for several parts and chunks."""
    rng = np.random.default_rng(1)
    words = np.array([f"w{i}" for i in range(3000)])
    p = 1 / np.arange(1, 3001)
    lengths = rng.integers(1, 20, 20_000)
    tokens = rng.choice(words, lengths.sum(), p=p / p.sum())
    return [s.tolist() for s in np.split(tokens, np.cumsum(lengths)[:-1])]


@pytest.fixture
def spilled(monkeypatch):
    """A list that records the number of words of each table that is written to a file."""
    from pairloom.corpus.spilling import SpilledTables

    found, add = [], SpilledTables.add
    monkeypatch.setattr(
        SpilledTables, "add", lambda runs, table: (found.append(int(table.used[0])), add(runs, table))[1]
    )
    return found


@pytest.fixture(scope="session")
def zipf_text(tmp_path_factory, zipf_corpus):
    """zipf_corpus in a file, so that it is encoded only once."""
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
