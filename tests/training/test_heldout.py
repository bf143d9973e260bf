"""The held-out objective is made of fixed sentences, fixed pairs and fixed draws."""

import tracemalloc

import numpy as np
import pytest
from scipy.stats import chisquare

from pairloom.cluster.holder import LocalHolder
from pairloom.config import TrainConfig
from pairloom.corpus.prepared import prepare
from pairloom.corpus.sentences import open_corpus
from pairloom.corpus.vocabulary import WordSelection
from pairloom.kernel.steps.sgns import Model
from pairloom.method.cbow import hierarchical_loss, negative_loss
from pairloom.method.draws import draw, heldout_key
from pairloom.method.hierarchical import huffman
from pairloom.method.objective import corpus_loss
from pairloom.pairs.from_text import TextSource
from pairloom.pairs.segments import heldout_segments
from pairloom.pairs.source import FEWEST_HELDOUT, LARGEST_SHARE, MOST_HELDOUT
from pairloom.system.threads import workers
from pairloom.training import heldout, softmax
from pairloom.training.heldout import HeldoutPairs, HeldoutWindows
from pairloom.training.softmax import HeldoutSoftmax, _Products
from tests.models import random_model


def held(W, C, pool):
    """A holder of two matrices."""
    dim = W.shape[1]
    return LocalHolder(Model(np.ascontiguousarray(W).ravel(), np.ascontiguousarray(C).ravel(), dim, dim), dim, pool)


@pytest.fixture(scope="module")
def encoded(zipf_corpus):
    with open_corpus(zipf_corpus) as corpus, prepare(corpus, WordSelection(min_count=2)) as encoded:
        yield encoded


def test_it_does_not_depend_on_the_seed_dim_or_rate(encoded):
    configs = TrainConfig(seed=1, dim=8, lr=0.1), TrainConfig(seed=2, dim=9, lr=0.2)
    sources = [TextSource(encoded, config) for config in configs]
    assert sources[0].heldout_limit == sources[1].heldout_limit
    one, other = map(HeldoutPairs, sources)
    for name in ("w", "c", "contexts"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def test_a_small_corpus_holds_out_more_than_its_share_for_the_sake_of_the_number(encoded):
    heldout = HeldoutPairs(TextSource(encoded, TrainConfig(sample=0)))
    assert FEWEST_HELDOUT / 2 < len(heldout) < FEWEST_HELDOUT * 2


def test_but_never_more_than_a_twentieth_of_a_tiny_one():
    with open_corpus([["a", "b", "c"]] * 400) as corpus, prepare(corpus, WordSelection(min_count=1)) as encoded:
        limit = TextSource(encoded, TrainConfig(sample=0)).heldout_limit
    held = (draw(heldout_key(), np.arange(400)) >> np.uint64(32)) < limit
    assert 0 < held.sum() < 400 * LARGEST_SHARE * 2


def test_a_large_share_is_bounded(encoded):
    heldout = HeldoutPairs(TextSource(encoded, TrainConfig(sample=0, heldout=0.5)))
    assert MOST_HELDOUT / 2 < len(heldout) < MOST_HELDOUT * 2


def test_a_handful_of_sentences_holds_out_nothing():
    with open_corpus([["a", "b", "c"]] * 10) as corpus, prepare(corpus, WordSelection(min_count=1)) as encoded:
        source = TextSource(encoded, TrainConfig())
        heldout = HeldoutPairs(source)
        assert (source.heldout_limit, len(heldout)) == (0, 0)
        with workers(1) as pool:
            assert heldout.loss(held(*np.zeros((2, 3, 4), np.float32), pool), pool) is None


def test_the_drawn_contexts_follow_the_noise(encoded):
    heldout = HeldoutPairs(TextSource(encoded, TrainConfig(sample=0, heldout=0.5)))
    noise = encoded.vocabulary.noise(0.75)
    seen = np.bincount(heldout.contexts[:, 1:].ravel(), minlength=len(noise))
    expected = noise * seen.sum()
    assert chisquare(seen, expected).pvalue > 0.001


def test_the_loss_is_that_of_the_definition_whatever_the_number_of_threads(encoded):
    heldout = HeldoutPairs(TextSource(encoded, TrainConfig()))
    W, C = np.random.default_rng(0).normal(size=(2, len(encoded.vocabulary), 8)).astype(np.float32)
    losses = []
    for threads in (1, 3):
        with workers(threads) as pool:
            losses.append(heldout.loss(held(W, C, pool), pool))
    assert losses[0] == losses[1]
    assert losses[0] == pytest.approx(corpus_loss(W, C, heldout.w, heldout.c, heldout.contexts[:, 1:]), rel=1e-11)


# --- Windows, and all contexts


def windows_of(source):
    """By the definition: each held-out window as a list, and the word in its middle."""
    for kept, left, right, *_ in heldout_segments(source):
        for place in range(len(kept)):
            window = [*kept[left[place] : place], *kept[place + 1 : right[place]]]
            if window:
                yield np.array(window), int(kept[place])


@pytest.mark.parametrize("objective", ["negative", "hs"])
def test_the_loss_of_windows_is_that_of_the_definition(encoded, objective):
    source = TextSource(encoded, TrainConfig(model="cbow", objective=objective))
    tree = huffman(source.contexts.mass) if objective == "hs" else None
    heldout = HeldoutWindows(source, tree)
    W, C = np.random.default_rng(0).normal(size=(2, len(encoded.vocabulary), 8)).astype(np.float32)
    losses = []
    for (window, c), drawn in zip(windows_of(source), heldout._drawn, strict=True):
        way = slice(tree.starts[c], tree.starts[c + 1]) if tree else None
        exact = W.astype(np.float64), C.astype(np.float64), window
        losses.append(
            hierarchical_loss(*exact, tree.nodes[way], tree.bits[way]) if tree else negative_loss(*exact, c, drawn)
        )
    with workers(2) as pool:
        assert heldout.loss(held(W, C, pool), pool) == pytest.approx(np.mean(losses), rel=1e-10)
    assert len(heldout) == len(losses) > 500


@pytest.fixture(params=["cbow", "cbow hs", "softmax"])
def large(encoded, request, monkeypatch):
    """A held-out share of some ten thousand examples of dim 250, and what computes their loss.

    Gives a function of how many rows are copied at once.
    """
    kind = {"softmax": {"objective": "softmax"}, "cbow": {"model": "cbow"}}
    options = kind.get(request.param, {"model": "cbow", "objective": "hs"})
    source = TextSource(encoded, TrainConfig(sample=0, heldout=0.5, **options))
    n = len(encoded.vocabulary)
    model = random_model(np.random.default_rng(0), n, 250)
    W, C = (m.reshape(-1, model.stride)[:, :250] for m in (model.W, model.C))
    tree = huffman(source.contexts.mass) if request.param == "cbow hs" else None
    with workers(2) as pool:
        if request.param == "softmax":
            measure = HeldoutSoftmax(HeldoutPairs(source), _Products(model, n, pool))
        else:
            measure = HeldoutWindows(source, tree)

        def loss(rows_at_once):
            if rows_at_once:
                monkeypatch.setattr(heldout, "WORDS_AT_ONCE", rows_at_once)
                monkeypatch.setattr(softmax, "ROWS_AT_ONCE", rows_at_once)
            if request.param == "softmax":
                return measure._scores(W, C).tobytes()
            return measure._loss(W, C, np.arange(len(measure)))

        assert len(measure) > 10_000
        measure.loss(held(W, C, pool), pool)  # compiles
        yield measure, (held(W, C, pool), pool), loss


def test_the_loss_copies_few_rows_at_a_time_with_the_same_bits(large):
    _, _, loss = large
    assert loss(None) == loss(17) == loss(1 << 30)


def test_the_loss_takes_little_memory(large):
    measure, arguments, _ = large
    tracemalloc.start()
    try:
        measure.loss(*arguments)
        assert tracemalloc.get_traced_memory()[1] < 12_000_000  # all rows at once would take 17 MB and more
    finally:
        tracemalloc.stop()
