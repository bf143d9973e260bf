"""The pairs of a long round are dealt a few steps at a time, and the bytes stay the same."""

import hashlib

import numpy as np
import pytest

import pairloom
from pairloom.cluster import rounds
from pairloom.cluster.driver import Driver
from pairloom.cluster.executor import Setting, ThreadExecutor, Watch
from pairloom.cluster.ledger import Ledger
from pairloom.cluster.rounds import PAIRS_AT_ONCE, RoundTask, pairs_at_once, step_groups
from pairloom.config import TrainConfig
from pairloom.corpus.prepared import prepare
from pairloom.corpus.sentences import open_corpus
from pairloom.corpus.vocabulary import WordSelection
from pairloom.pairs import blocks, from_pairs, from_text, source
from pairloom.pairs.from_text import TextSource
from pairloom.system.threads import workers
from tests.cluster.crew import ThreadCrew


def test_a_usual_round_is_one_group_even_if_it_has_a_few_more_pairs_than_expected():
    assert step_groups(np.full(32, 8_000_000 // 32), 0, PAIRS_AT_ONCE) == [range(32)]
    assert step_groups(np.full(32, 9_900_000 // 32), 0, PAIRS_AT_ONCE) == [range(32)]
    assert step_groups(np.zeros(16, np.int64), 7, PAIRS_AT_ONCE) == [range(7, 16)]


@pytest.mark.parametrize("parts", [1, 2, 16, 64, 1024])
@pytest.mark.parametrize("pairs", [10_000, 11_000_000, 65_000_000, 3_000_000_000])
def test_groups_have_all_steps_that_are_left_and_fit_into_memory(parts, pairs):
    of_steps = np.full(parts, pairs // parts)
    for first in {0, parts // 3, parts - 1}:
        groups = step_groups(of_steps, first, PAIRS_AT_ONCE)
        assert [step for group in groups for step in group] == [*range(first, parts)]
        assert all(len(group) == 1 or of_steps[group].sum() <= 10_000_000 for group in groups)
        assert len(groups) == 1 or max(map(len, groups)) <= min(map(len, groups)) + 1


def test_a_machine_with_memory_to_spare_deals_more_at_once():
    assert pairs_at_once(None) == pairs_at_once(10**8) == PAIRS_AT_ONCE
    assert pairs_at_once(36 * 10**9) == 10**9


@pytest.fixture
def little_memory(monkeypatch):
    """Many groups of steps, and nothing that was drawn is kept for them."""
    monkeypatch.setattr(rounds, "PAIRS_AT_ONCE", 5_000)
    monkeypatch.setattr(rounds, "SHARE_OF_SPARE_MEMORY", 1 << 60)
    monkeypatch.setattr(from_text, "MOST_SURVIVORS", 0)
    monkeypatch.setattr(from_text, "TOKENS_PER_CHUNK", 3_000)
    monkeypatch.setattr(from_pairs, "MOST_COPIES", 0)
    monkeypatch.setattr(from_pairs, "SLICES_PER_CHUNK", 3)
    monkeypatch.setattr(source, "MOST_COUNTS", 1)
    monkeypatch.setattr(source, "FEWEST_STRETCHES", 3)


@pytest.fixture
def small_chunks(monkeypatch):
    """The chunks of `little_memory`: text draws the parts of hubs by them."""
    monkeypatch.setattr(from_text, "TOKENS_PER_CHUNK", 3_000)


@pytest.fixture(scope="module")
def text():
    """Some thousand sentences in which a few words are hubs."""
    rng = np.random.default_rng(1)
    p = 1 / np.arange(1, 1501) ** 1.1
    return np.char.add("w", rng.choice(1500, (4000, 12), p=p / p.sum()).astype(str)).tolist()


@pytest.fixture(scope="module")
def pairs():
    rng = np.random.default_rng(2)
    w, c = rng.zipf(1.3, (2, 40_000)) % 1500
    return [(f"w{a}", f"c{b}", n % 7 / 2 + 0.3) for n, (a, b) in enumerate(zip(w.tolist(), c.tolist(), strict=True))]


OPTIONS = {"dim": 20, "min_count": 1, "epochs": 2, "seed": 3}
KINDS = {
    "text": {"sample": 0.0},
    "subsampled": {"sample": 1e-2, "clean": True},
    "positional": {"sample": 0.0, "positional": True, "window": 2},
    "pairs": {"min_context_count": 1},
    "weighted": {"min_context_count": 1},
}


def digest(kind, text, pairs, **running):
    if kind in ("pairs", "weighted"):
        given = pairs if kind == "weighted" else [pair[:2] for pair in pairs]
        embedding = pairloom.train_pairs(given, **OPTIONS, **KINDS[kind], **running)
    else:
        embedding = pairloom.train(text, **OPTIONS, **KINDS[kind], **running)
    return hashlib.sha256(embedding.words.vectors.tobytes() + embedding.contexts.vectors.tobytes()).hexdigest()


@pytest.mark.parametrize("kind", KINDS)
def test_the_bytes_do_not_depend_on_how_many_steps_are_dealt_at_once(kind, text, pairs, small_chunks, request):
    expected = digest(kind, text, pairs, threads=1)
    request.getfixturevalue("little_memory")
    assert digest(kind, text, pairs, threads=1) == expected
    assert digest(kind, text, pairs, threads=2) == expected
    assert digest(kind, text, pairs, executor=Driver(ThreadCrew(3), None, Ledger())) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_long_rounds_of_many_parts_train_the_same_bytes_however_the_work_is_done(
    kind, text, pairs, little_memory, monkeypatch
):
    """As in a training of many billion pairs: rounds that are longer than usual, with parts that become more."""
    monkeypatch.setattr(blocks, "ROUNDS", 6)
    monkeypatch.setattr(blocks, "FEWEST_LONG_ROUNDS", 6)
    monkeypatch.setattr(blocks, "LONGEST_ROUND", 8_000)
    monkeypatch.setattr(blocks, "SHORTEST_ROUND", 3_000)
    monkeypatch.setattr(blocks, "USUAL_PARTS", 16)
    monkeypatch.setattr(blocks, "FEWEST_PAIRS_PER_BLOCK", 8)
    seen = set()
    make = RoundTask.__new__
    monkeypatch.setattr(RoundTask, "__new__", lambda *args: (seen.add(args[3]), make(*args))[1])
    alone = digest(kind, text, pairs, threads=1)
    assert {16, 32} <= seen
    assert digest(kind, text, pairs, threads=2) == alone
    assert digest(kind, text, pairs, executor=Driver(ThreadCrew(3), None, Ledger())) == alone


def test_a_round_that_was_stopped_goes_on_in_the_middle_of_a_group(text, little_memory):
    with open_corpus(text) as corpus, prepare(corpus, WordSelection(min_count=1)) as encoded, workers(2) as pool:
        texts = TextSource(encoded, TrainConfig(dim=20, sample=0.0))
        n = len(encoded.vocabulary)
        setting = Setting(texts, blocks.Division.of(n, n, 20, 5, texts.n_pairs), np.ones(n), None)
        a_round = next(texts.rounds([0.0, 1.0]))
        task = RoundTask(0, a_round, 16, 0, np.linspace(0.025, 0.02, 17), 1.0)

        def train(stop):
            executor = ThreadExecutor(pool, 2)
            executor.begin(setting)
            at, found = 0, []
            while at < 16:
                at, n_pairs = executor.train(task._replace(first=at), Watch(lambda done, square: None, lambda: stop))
                found.append((at, n_pairs))
            return executor.model.W.tobytes() + executor.model.C.tobytes(), found

        whole, [(_, n_pairs)] = train(stop=False)
        again, found = train(stop=True)
    assert again == whole
    assert len(found) > 3 and {of_round for _, of_round in found} == {n_pairs}
