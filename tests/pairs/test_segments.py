"""The segments of CBOW: every pair of the text is in one of them, and each has words from all over the text."""

from collections import Counter

import numpy as np
import pytest

from pairloom.config import TrainConfig
from pairloom.corpus.prepared import prepare
from pairloom.corpus.sentences import open_corpus
from pairloom.corpus.vocabulary import WordSelection
from pairloom.method.contexts import sentence_pairs
from pairloom.method.draws import Purpose, key
from pairloom.pairs import segments as module
from pairloom.pairs.from_text import MOST_SLICES, TextSource
from pairloom.pairs.segments import segments, tokens_per_segment
from pairloom.pairs.window_order import NO_PLACE, far_apart, in_order
from pairloom.system.threads import workers

EPOCH = 1


@pytest.fixture
def source(zipf_corpus):
    with open_corpus(zipf_corpus) as corpus, prepare(corpus, WordSelection(min_count=2)) as encoded:
        yield TextSource(encoded, TrainConfig(model="cbow", sample=1e-2, heldout=0.0, seed=3))


def places_and_contexts(segment):
    for place in range(len(segment.kept)):
        for context in [*range(segment.left[place], place), *range(place + 1, segment.right[place])]:
            yield place, context


def pairs_of(segment):
    for place, context in places_and_contexts(segment):
        yield int(segment.kept[place]), int(segment.kept[context])


def pairs_by_definition(source):
    keys = [key(source.config.seed, purpose, EPOCH) for purpose in (Purpose.KEEP, Purpose.WINDOW)]
    ids, starts = source.encoded.ids, source.encoded.starts
    for first, last in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        yield from sentence_pairs(
            ids[first:last], first, windows=source.windows, limit=source.limit, keep_key=keys[0], window_key=keys[1]
        )


def test_the_windows_of_all_segments_are_those_of_the_text(source, monkeypatch):
    monkeypatch.setattr(module, "TOKENS_PER_CHUNK", 9_000)
    with workers(2) as pool:
        found = list(segments(source, EPOCH, pool))
    assert len(found) > 10
    assert Counter(pair for segment in found for pair in pairs_of(segment)) == Counter(pairs_by_definition(source))
    assert [segment.begin for segment in found[1:]] == [segment.end for segment in found[:-1]]
    assert (found[0].begin, found[-1].end) == (0, source.n_positions)


@pytest.mark.parametrize("order", [in_order, far_apart])
def test_all_windows_but_empty_ones_are_ordered(source, order, monkeypatch):
    monkeypatch.setattr(module, "TOKENS_PER_CHUNK", 9_000)
    with workers(2) as pool:
        found = list(segments(source, EPOCH, pool, order=order))
    assert any(segment.n_windows < len(segment.kept) for segment in found)
    for segment in found:
        sizes = Counter(place for place, _ in places_and_contexts(segment))
        assert sorted(segment.places[segment.places != NO_PLACE]) == sorted(sizes)
        assert (segment.n_windows, segment.most_words) == (len(sizes), max(sizes.values()))


def test_a_segment_has_words_from_all_over_the_text(tmp_path, monkeypatch):
    """In this text, a word is as far down as its number says."""
    monkeypatch.setattr(module, "TOKENS_PER_CHUNK", 20_000)
    path = tmp_path / "chapters.txt"
    path.write_text("".join(f"w{line // 100} " * 10 + "\n" for line in range(20_000)))
    with open_corpus(path) as corpus, prepare(corpus, WordSelection(min_count=1)) as encoded, workers(2) as pool:
        place = np.array([int(word[1:]) for word in encoded.vocabulary.words])
        found = list(segments(TextSource(encoded, TrainConfig(model="cbow", sample=0.0, heldout=0.0)), 0, pool))
    assert len(found) == 10
    for segment in found:
        in_quarters, _ = np.histogram(place[segment.kept], bins=4, range=(0, 200))
        assert in_quarters.min() > 0.15 * len(segment.kept)


def test_training_goes_on_at_a_segment(source, monkeypatch):
    monkeypatch.setattr(module, "TOKENS_PER_CHUNK", 9_000)
    with workers(2) as pool:
        all_of_them, rest = list(segments(source, EPOCH, pool)), list(segments(source, EPOCH, pool, begin=4))
    assert [segment.begin for segment in rest] == [segment.begin for segment in all_of_them[4:]]
    assert all((one.kept == other.kept).all() for one, other in zip(rest, all_of_them[4:], strict=True))


def test_a_segment_is_never_shorter_than_a_slice():
    assert tokens_per_segment(1_000_000) == 65_536
    assert tokens_per_segment(10**12) == -(-(10**12) // MOST_SLICES) > 65_536
