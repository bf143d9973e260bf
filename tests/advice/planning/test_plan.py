"""What `plan` predicts, on one machine and on several."""

import subprocess
import sys
import time

import pytest

import pairloom
from pairloom.advice.planning.recommend import WORTH
from pairloom.corpus.sentences import open_corpus
from pairloom.corpus.vocabulary import Vocabulary
from pairloom.errors import ConfigError
from pairloom.pairs.blocks import Division

MEDIUM = {"tokens": "10G", "words": "2M", "threads": 8, "pairs_per_second": 2e6}


def plan(**given):
    return pairloom.plan(**{**MEDIUM, **given})


def test_pairs_and_rounds_are_those_of_training(zipf_text, zipf_corpus):
    """Without `source`, which needs the encoded text."""
    from pairloom.config import TrainConfig
    from pairloom.corpus.prepared import prepare
    from pairloom.pairs.from_text import TextSource

    config = TrainConfig(dim=32, epochs=2)
    with open_corpus(zipf_text) as corpus, prepare(corpus) as encoded:
        source = TextSource(encoded, config)
    work = pairloom.plan(zipf_text, dim=32, epochs=2, pairs_per_second=1e6).workload
    assert work.pairs == pytest.approx(source.n_pairs, rel=1e-9)
    assert work.tokens == encoded.n_tokens
    division = Division.of(len(encoded.vocabulary), len(encoded.vocabulary), 32, 5, 2 * source.n_pairs)
    rounds = sum(len(division.round_edges(source.n_pairs, epoch, epochs=2)) - 1 for epoch in range(2))
    assert sum(kind.times for kind in work.rounds) == rounds
    assert sum(kind.times * kind.pairs for kind in work.rounds) == pytest.approx(2 * source.n_pairs)


def test_a_corpus_is_counted_once(zipf_text, tmp_path, monkeypatch):
    pairloom.train(zipf_text, dim=2, epochs=1, cache_dir=tmp_path)
    monkeypatch.setattr(Vocabulary, "from_corpus", lambda *_, **__: pytest.fail("it counted again"))
    assert pairloom.plan(zipf_text, dim=2, epochs=1, pairs_per_second=1e6, cache_dir=tmp_path).workload.words.rows > 2


def test_a_vocabulary_and_its_file_say_the_same(tmp_path):
    vocabulary = Vocabulary.of((f"w{i}", 10_000 // i + 5) for i in range(1, 2000))
    vocabulary.save(tmp_path / "words.txt")
    given = (pairloom.plan(vocabulary=v, pairs_per_second=1e6) for v in (vocabulary, tmp_path / "words.txt"))
    one, other = (found.as_dict() for found in given)
    assert one == other


def test_a_billion_words_and_a_trillion_tokens_take_seconds():
    began = time.perf_counter()
    found = plan(tokens="1T", words="1B", workers=16)
    assert found.asked.seconds > 0
    assert time.perf_counter() - began < 5


def test_the_machine_is_measured_if_no_speed_is_given():
    found = pairloom.plan(tokens=200_000, words=2000, dim=16, epochs=1, threads=1)
    assert 1e5 < found.speed.pairs_per_second < 1e9
    assert 1e-10 < found.speed.token < 1e-6 and 1e-10 < found.speed.pair < 1e-6 and 1e-9 < found.speed.row < 1e-4


# --- What changes what


def seconds(**given):
    return plan(**given).asked.seconds


def test_more_work_takes_longer():
    assert seconds() < seconds(tokens="20G") < seconds(tokens="20G", epochs=10)


def test_a_faster_machine_takes_less():
    assert seconds(pairs_per_second=4e6) < seconds() and seconds(threads=16) < seconds()


@pytest.mark.parametrize("faster", [{"network": "100Gb"}, {"latency": 0.01}, {"spare_copies": "disk"}])
def test_a_faster_network_takes_less_on_several_workers_and_means_nothing_to_one(faster):
    assert seconds(workers=8, **{"network": "1Gb", **faster}) < seconds(workers=8, network="1Gb")
    assert seconds(**faster) == seconds()


def test_memory_falls_with_workers_and_rises_with_dim():
    memory = [cost.memory_total for cost in plan().by_workers[1:]]
    assert memory == sorted(memory, reverse=True)
    assert plan(workers=4, dim=300).asked.memory_total > plan(workers=4, dim=100).asked.memory_total


def test_the_memory_of_a_worker_is_that_of_the_round_in_which_it_is_most():
    """Short rounds have fewer, so larger parts. Twelve of them are on their way on one machine."""
    found = plan(workers=4, spare_copies="machine")
    row, contexts = found.workload.row_bytes, found.workload.contexts
    parts = {kind.parts for kind in found.workload.rounds}
    on_their_way = {item.what: item.size for item in found.asked.memory}["rows on their way"]
    assert min(parts) == 16 < max(parts)
    assert on_their_way == 12 * row * -(-(contexts.rows - contexts.hubs) // 16)


def test_one_machine_needs_no_more_than_training_checks_and_nearly_as_much():
    from pairloom.config import TrainConfig
    from pairloom.system.memory import RUNNING
    from pairloom.training.memory_need import of_text, total, training_need

    vocabulary = Vocabulary.of((f"w{i}", 1_000_000 // i + 5) for i in range(1, 20_000))
    need = total(training_need(TrainConfig(), of_text(vocabulary, TrainConfig()), 2))
    found = pairloom.plan(vocabulary=vocabulary, threads=2, pairs_per_second=1e6)
    assert 0.9 * (RUNNING + need) < found.asked.memory_total <= RUNNING + need


def test_patience_keeps_a_second_model():
    model = 2 * 2_000_000 * 4 * 112
    assert plan(patience=1).asked.memory_total == plan().asked.memory_total + model


def test_ray_is_not_needed():
    code = (
        "import sys; sys.modules['ray'] = None; import pairloom; "
        "print(pairloom.plan(tokens='1G', words='1M', workers=2, pairs_per_second=1e6).advice.workers)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) >= 1


# --- What binds


@pytest.mark.parametrize(
    ("given", "binds"),
    [
        ({"pairs_per_second": 1e4}, "training"),
        ({"workers": 8, "network": "1Mb"}, "network"),
        ({"workers": 8, "latency": 1e5}, "waiting for steps"),
        ({"workers": 8, "threads": 256, "pairs_per_second": 1e3}, "number of parts"),
        ({"worker_memory": "1GB", "workers": 2}, "memory"),
        ({"pairs_per_second": 1e12, "words": 2, "sample": 1e-9}, "scanning the text"),
        ({"pairs_per_second": 1e12, "words": "2B"}, "dealing words to parts"),
    ],
)
def test_what_binds_is_named(given, binds):
    assert plan(**given).binds == binds


@pytest.mark.parametrize(
    "given",
    [{}, {"network": "1000Gb", "latency": 0.001}, {"network": "1Mb"}, {"pairs_per_second": 1e4}, {"words": 100}],
)
def test_the_recommended_number_is_nearly_the_fastest(given):
    found = plan(**given)
    times = {cost.workers: cost.seconds for cost in found.by_workers}
    assert times[found.advice.workers] <= WORTH * min(times.values())
    fewer = [n for n in times if n < found.advice.workers]
    assert all(times[n] > WORTH * min(times.values()) for n in fewer)
    if found.advice.workers < found.parts:
        assert f"{2 * found.advice.workers} would take" in found.advice.why
    else:
        assert "every worker needs one" in found.advice.why


def test_workers_with_too_little_memory_are_not_recommended():
    free = plan(tokens="1G")
    most = free.by_workers[-1].memory_total
    bound = plan(tokens="1G", worker_memory=most)
    assert bound.advice.workers > free.advice.workers
    costs = {cost.workers: cost for cost in bound.by_workers}
    assert costs[bound.advice.workers].memory_total <= most
    assert "which does not fit" in bound.advice.why
    assert plan(worker_memory="1MB").advice.why.startswith("No number of workers fits: ")


# --- Errors


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "No source of counts given. Give a corpus, or a vocabulary, or tokens and words."),
        ({"tokens": "1M"}, "tokens alone says nothing about counts. Give words too."),
        ({"words": "1M"}, "words alone says nothing about counts. Give tokens too."),
        ({"tokens": 10, "words": 20}, "10 tokens cannot hold 20 words. Give more tokens, or fewer words."),
        (
            {"corpus": "c.txt", "vocabulary": "v.txt"},
            "Several sources of counts given. Give a corpus, or a vocabulary, or tokens and words.",
        ),
        (
            {"tokens": 1000, "words": 100, "min_count": 5},
            "Given counts are used as they are. Leave out min_count, max_vocab, keep and drop.",
        ),
        (
            {"tokens": 1000, "words": 100, "model": "cbow"},
            "Time and memory are predicted only for skip-gram with negative sampling, not for model=cbow with "
            "objective=negative. Use skipgram and negative, or train on a part of the text and multiply.",
        ),
        (
            {"tokens": 1000, "words": 100, "workers": 50, "pairs_per_second": 1e6},
            "workers=50 does not fit: there are 2 parts, and every worker needs one. Use 1 to 2.",
        ),
        ({"tokens": 1000, "words": 100, "network": "slow"}, None),
        ({"tokens": 1000, "words": 100, "wokers": 3}, "There is no option 'wokers'; did you mean 'workers'?"),
    ],
)
def test_what_cannot_be_planned_is_refused(given, message):
    with pytest.raises(ConfigError) as caught:
        pairloom.plan(**given)
    assert message is None or str(caught.value) == message
