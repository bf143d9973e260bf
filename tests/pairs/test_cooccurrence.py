"""How often each word has each context, held to a definition that a dictionary adds up."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairloom.config import TrainConfig
from pairloom.corpus.encoding import Encoded
from pairloom.corpus.vocabulary import Vocabulary
from pairloom.errors import ConfigError, InputError
from pairloom.method.contexts import Windows, half_widths, keep_limit, kept_by_subsampling, pairs
from pairloom.method.draws import Purpose, draw, heldout_key, key
from pairloom.pairs.cooccurrence import Thinning, cooccurrences, trained_pairs, weighted_pairs, weights_in_units
from pairloom.pairs.from_text import TextSource

TEXT = [[0, 1, 0, 2], [1], [2, 2, 0, 1, 1, 0, 2, 1]]


def encoded_of(sentences, n_words=3):
    ids = np.array([w for sentence in sentences for w in sentence], np.int32)
    starts = np.cumsum([0, *map(len, sentences)])
    counts = np.maximum(1, np.bincount(ids[ids >= 0], minlength=n_words))
    return Encoded(ids, starts, Vocabulary([f"w{i}" for i in range(n_words)], counts), "")


def as_dict(counted):
    rows = np.repeat(np.arange(counted.n_words), np.diff(counted.indptr))
    return {(int(w), int(c)): float(n) for w, c, n in zip(rows, counted.contexts, counted.weights, strict=True)}


def by_definition(sentences, left, right):
    found = Counter()
    for sentence in sentences:
        for w, c, weight in weighted_pairs(sentence, left, right):
            found[w, c] += weight
    return dict(found)


def thinned(encoded, thinning, epoch):
    """The sentences of an epoch, by the definitions in contexts.py."""
    keep_key = key(thinning.seed, Purpose.KEEP, epoch)
    for s in range(encoded.n_sentences):
        positions = np.arange(encoded.starts[s], encoded.starts[s + 1])
        if draw(heldout_key(), np.array([s]))[0] >> np.uint64(32) >= thinning.heldout_limit:
            ids = encoded.ids[positions]
            yield ids[kept_by_subsampling(ids, positions, thinning.limit, keep_key)].tolist()


def test_pairs_count_by_their_distance_and_never_across_sentences():
    counted = cooccurrences(encoded_of([[0, 1, 2], [0]]), left=[], right=[1.0, 0.5])
    assert as_dict(counted) == {(0, 1): 1.0, (0, 2): 0.5, (1, 2): 1.0}
    assert counted.count(0, 2) == 0.5 and counted.count(2, 0) == 0.0


@pytest.mark.parametrize("shape", ["dynamic", "linear", "harmonic", "fixed"])
@pytest.mark.parametrize("clean", [False, True])
def test_a_pair_counts_as_often_as_the_draws_of_training_make_it_on_average(shape, clean):
    n = 4000
    sentence, places = list(range(6)), [0, 1, 3, 4, 5, 7] if clean else None
    text = [0, 1, -1, 2, 3, 4, -1, 5] if clean else sentence
    windows = Windows(2, 3, shape, clean)
    drawn = Counter()
    for i in range(n):
        left, right = half_widths(np.arange(6) + 6 * i, windows, key(1, Purpose.WINDOW, 0))
        drawn.update((w, c) for w, c, _ in pairs(sentence, left, right, places))
    expected = as_dict(cooccurrences(encoded_of([text], 6), windows.weights(2), windows.weights(3), clean=clean))
    assert drawn.keys() == expected.keys()
    for pair, p in expected.items():
        assert abs(drawn[pair] / n - p) < 5 * math.sqrt(p * (1 - p) / n) + 1e-9


@given(
    st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=12), min_size=1, max_size=8),
    st.lists(st.sampled_from([1.0, 0.5, 1 / 3, 0.7, math.pi / 4]), max_size=5),
    st.lists(st.sampled_from([1.0, 0.25, 0.1]), min_size=1, max_size=5),
    st.integers(1, 20),
)
@settings(max_examples=60, deadline=None)
def test_rows_are_those_of_the_definition_for_any_window_and_length_of_slab(sentences, left, right, tokens_per_slab):
    expected = by_definition([*sentences, [0, 1]], left, right)
    for threads in (1, 3):
        counted = cooccurrences(
            encoded_of([*sentences, [0, 1]], 5), left, right, threads=threads, tokens_per_slab=tokens_per_slab
        )
        found = as_dict(counted)
        assert found.keys() == expected.keys()
        assert found == pytest.approx(expected, rel=1e-8)
        for w in range(5):
            assert np.all(np.diff(counted.row(w)[0]) > 0), "contexts of a row are in order, each once"


def test_thinned_text_is_the_text_of_training_in_all_its_epochs(zipf_encoded):
    thinning = Thinning(
        keep_limit(zipf_encoded.vocabulary.keep_probability(1e-2)), seed=7, epochs=2, heldout_limit=2**31
    )
    expected = Counter()
    for epoch in range(2):
        for sentence in thinned(zipf_encoded, thinning, epoch):
            for w, c, weight in weighted_pairs(sentence, [1.0], [1.0, 0.5]):
                expected[w, c] += weight
    assert as_dict(cooccurrences(zipf_encoded, [1.0], [1.0, 0.5], thinning=thinning)) == expected


@pytest.fixture(scope="module")
def zipf_encoded():
    rng = np.random.default_rng(3)
    p = 1 / np.arange(1, 301)
    return encoded_of([rng.choice(300, rng.integers(1, 20), p=p / p.sum()).tolist() for _ in range(500)], 300)


def test_a_source_is_counted_by_its_own_windows_and_draws(zipf_encoded):
    config = TrainConfig(left=1, right=2, window_shape="harmonic", sample=1e-2, epochs=2, heldout=0.1, seed=4)
    source = TextSource(zipf_encoded, config)
    thinning = Thinning(source.limit, 4, 2, int(source.heldout_limit))
    expected = cooccurrences(zipf_encoded, [1.0], [1.0, 0.5], thinning=thinning)
    assert source.heldout_limit > 0 and as_dict(trained_pairs(source)) == as_dict(expected)


def test_a_whole_sentence_is_a_window_as_long_as_the_longest(zipf_encoded):
    source = TextSource(zipf_encoded, TrainConfig(window="sentence", sample=0, heldout=0))
    lengths = np.diff(zipf_encoded.starts)
    assert trained_pairs(source).total == (lengths * (lengths - 1)).sum()


def test_threads_and_slabs_change_no_bit(zipf_encoded):
    thinning = Thinning(keep_limit(zipf_encoded.vocabulary.keep_probability(1e-2)), seed=1, epochs=3)
    window = [1.0, 0.7, math.pi / 10]  # no fractions, so the sums are rounded once
    results = [
        cooccurrences(zipf_encoded, window, window, thinning=thinning, threads=threads, tokens_per_slab=slab)
        for threads, slab in [(1, 2**25), (2, 2**25), (5, 100), (1, 1)]
    ]
    assert len({r.indptr.tobytes() + r.contexts.tobytes() + r.weights.tobytes() for r in results}) == 1


def test_words_that_leave_a_clean_text_leave_a_gap_in_the_window():
    sentences = [[0, -1, 1, 2]]
    assert as_dict(cooccurrences(encoded_of(sentences), [], [1.0, 0.5])) == {(0, 1): 1, (0, 2): 0.5, (1, 2): 1}
    assert as_dict(cooccurrences(encoded_of(sentences), [], [1.0, 0.5], clean=True)) == {(0, 1): 0.5, (1, 2): 1}


def test_totals_are_those_of_rows_and_columns():
    counted = cooccurrences(encoded_of(TEXT), [1.0, 0.5], [1.0])
    table = np.zeros((3, 3))
    for (w, c), n in by_definition(TEXT, [1.0, 0.5], [1.0]).items():
        table[w, c] = n
    assert counted.of_words.tolist() == table.sum(axis=1).tolist()
    assert counted.of_contexts.tolist() == table.sum(axis=0).tolist()
    assert counted.total == table.sum() and len(counted) == np.count_nonzero(table)


def test_alike_windows_give_a_symmetric_table(zipf_encoded):
    counted = as_dict(cooccurrences(zipf_encoded, *[Windows(4, 4).weights(4)] * 2))
    assert counted == {(c, w): n for (w, c), n in counted.items()}


def test_common_fractions_are_counted_exactly_and_others_to_nine_digits():
    assert weights_in_units(Windows(5, 5).weights(5), [])[1] == 5
    assert weights_in_units([1 / d for d in range(1, 11)], [])[1] == 2520
    (units, _), unit = weights_in_units([math.pi / 4, 1.0], [])
    np.testing.assert_allclose(units / unit, [math.pi / 4, 1.0], rtol=1e-9)


def test_progress_is_reported_in_tokens_of_all_epochs(zipf_encoded):
    reports = []
    thinning = Thinning(keep_limit(np.ones(300)), seed=1, epochs=2)
    cooccurrences(zipf_encoded, [1.0], [1.0], thinning=thinning, on_progress=reports.append)
    assert {report.stage for report in reports} == {"pairs"}
    assert (reports[-1].done, reports[-1].total) == (2 * zipf_encoded.n_tokens,) * 2


@pytest.mark.parametrize("weights", [[], [0.0], [-1.0], [math.nan], [math.inf]])
def test_a_window_of_nothing_is_refused(weights):
    with pytest.raises(
        ConfigError,
        match=r"^The weights in left and right must be above 0 and at most 1024, and one of the lists not empty.$",
    ):
        cooccurrences(encoded_of(TEXT), weights, weights)


def test_a_text_without_pairs_is_refused_with_what_to_do():
    with pytest.raises(
        InputError, match=r"^No line of the corpus has two words left, so no word has a context\. Use more"
    ):
        cooccurrences(encoded_of([[0], [1], [2]]), [1.0], [1.0])


def test_no_file_is_left_in_the_folder(tmp_path):
    counted = cooccurrences(encoded_of(TEXT), [1.0], [1.0], cache_dir=tmp_path / "new")
    assert list((tmp_path / "new").iterdir()) == [] and counted.total > 0


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file could not be written"):
        cooccurrences(encoded_of(TEXT), [1.0], [1.0], cache_dir=tmp_path / "file")
