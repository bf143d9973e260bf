"""The held-out objective is made of fixed sentences, fixed pairs and fixed draws."""

import numpy as np
import pytest
from scipy.stats import chisquare

from wordloom.cache import prepare
from wordloom.config import TrainConfig
from wordloom.corpus import open_corpus
from wordloom.draws import draw, heldout_key
from wordloom.heldout import Heldout
from wordloom.objective import corpus_loss
from wordloom.source import FEWEST_HELDOUT, LARGEST_SHARE, MOST_HELDOUT
from wordloom.text_source import TextSource
from wordloom.workers import workers


@pytest.fixture(scope="module")
def encoded(zipf_corpus):
    with open_corpus(zipf_corpus) as corpus, prepare(corpus, min_count=2) as encoded:
        yield encoded


def test_it_does_not_depend_on_the_seed_dim_or_rate(encoded):
    configs = TrainConfig(seed=1, dim=8, lr=0.1), TrainConfig(seed=2, dim=9, lr=0.2)
    sources = [TextSource(encoded, config) for config in configs]
    assert sources[0].heldout_limit == sources[1].heldout_limit
    one, other = map(Heldout, sources)
    for name in ("w", "c", "drawn"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def test_a_small_corpus_holds_out_more_than_its_share_for_the_sake_of_the_number(encoded):
    heldout = Heldout(TextSource(encoded, TrainConfig(sample=0)))
    assert FEWEST_HELDOUT / 2 < len(heldout) < FEWEST_HELDOUT * 2


def test_but_never_more_than_a_twentieth_of_a_tiny_one():
    with open_corpus([["a", "b", "c"]] * 400) as corpus, prepare(corpus, min_count=1) as encoded:
        limit = TextSource(encoded, TrainConfig(sample=0)).heldout_limit
    held = (draw(heldout_key(), np.arange(400)) >> np.uint64(32)) < limit
    assert 0 < held.sum() < 400 * LARGEST_SHARE * 2


def test_a_large_share_is_bounded(encoded):
    heldout = Heldout(TextSource(encoded, TrainConfig(sample=0, heldout=0.5)))
    assert MOST_HELDOUT / 2 < len(heldout) < MOST_HELDOUT * 2


def test_a_handful_of_sentences_holds_out_nothing():
    with open_corpus([["a", "b", "c"]] * 10) as corpus, prepare(corpus, min_count=1) as encoded:
        source = TextSource(encoded, TrainConfig())
        heldout = Heldout(source)
        assert (source.heldout_limit, len(heldout)) == (0, 0)
        with workers(1) as pool:
            assert heldout.loss(np.zeros((3, 4), np.float32), np.zeros((3, 4), np.float32), pool) is None


def test_the_drawn_contexts_follow_the_noise(encoded):
    heldout = Heldout(TextSource(encoded, TrainConfig(sample=0, heldout=0.5)))
    noise = encoded.vocabulary.noise(0.75)
    seen = np.bincount(heldout.drawn.ravel(), minlength=len(noise))
    expected = noise * seen.sum()
    assert chisquare(seen, expected).pvalue > 0.001


def test_the_loss_is_that_of_the_definition_whatever_the_number_of_threads(encoded):
    heldout = Heldout(TextSource(encoded, TrainConfig()))
    W, C = np.random.default_rng(0).normal(size=(2, len(encoded.vocabulary), 8)).astype(np.float32)
    losses = []
    for threads in (1, 3):
        with workers(threads) as pool:
            losses.append(heldout.loss(W, C, pool))
    assert losses[0] == losses[1]
    assert losses[0] == pytest.approx(corpus_loss(W, C, heldout.w, heldout.c, heldout.drawn), rel=1e-11)
