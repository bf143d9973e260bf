import random

import pytest

from pairloom.advice.tuning.sampling import CHECK, CHOOSE, FOLDS, hashed, sample_lines
from pairloom.corpus.sentences import open_corpus
from pairloom.errors import InputError

LINES = [[f"w{i}", f"w{i % 50}", "the"] for i in range(4_000)]


def sampled(lines, most=10**9):
    return sample_lines(open_corpus(lines), most)


def test_a_sample_depends_on_the_lines_and_not_on_their_order():
    shuffled = random.Random(1).sample(LINES, len(LINES))
    one, other = sampled(LINES, 4_000), sampled(shuffled, 4_000)
    assert sorted(one.lines) == sorted(other.lines)
    assert one.share == other.share


def test_a_sample_is_as_large_as_it_may_be_when_halved():
    sample = sampled(LINES, 4_000)
    assert sample.share == 0.25  # 12,000 tokens
    assert 2_500 < sample.tokens <= 4_000
    assert sample.tokens_read == 12_000


def test_a_text_that_fits_is_taken_whole():
    sample = sampled(LINES)
    assert [line.words for line in sample.lines] == LINES
    assert sample.share == 1.0


def test_no_line_is_both_trained_on_and_held_out():
    sample = sampled(LINES * 2)  # each line twice
    trained = {tuple(words) for words in sample.training(1.0, held_out=True)}
    held_out = {tuple(words) for fold in (CHOOSE, CHECK) for words in sample.fold(fold)}
    assert trained.isdisjoint(held_out)
    assert len(held_out) / len(LINES) == pytest.approx(2 / FOLDS, abs=0.02)
    assert len(sample.training(1.0, held_out=False)) == 2 * len(LINES)


def test_a_smaller_share_is_a_part_of_a_larger_one():
    sample = sampled(LINES)
    third, whole = ({tuple(words) for words in sample.training(share, True)} for share in (1 / 3, 1.0))
    assert third < whole
    assert len(third) / len(whole) == pytest.approx(1 / 3, abs=0.03)


def test_the_fold_says_nothing_about_the_place():
    places = [place for place, fold in map(hashed, LINES) if fold == CHOOSE]
    assert sum(places) / len(places) == pytest.approx(0.5, abs=0.05)


def test_a_long_line_is_cut_as_training_cuts_it():
    lines = [["a", "b"] * 20_000]
    assert {len(line.words) for line in sampled(lines).lines} == {10_000}


def test_a_text_of_next_to_nothing_is_refused():
    with pytest.raises(InputError, match=r"has 30 tokens, of which 30 can be used .* at least 1,000 tokens"):
        sampled(LINES[:10])


def test_a_text_of_one_line_over_and_over_cannot_be_halved():
    with pytest.raises(InputError, match="in lines that differ"):
        sampled([["a", "b", "c"]] * 5_000, 4_000)
