"""Two models: the words that were swapped are found, and no others."""

import numpy as np
import pytest

import pairloom
from pairloom.errors import ConfigError, InputError, UnknownWordError
from tests.judging.comparison.conftest import OPTIONS, SWAPPED, sentences

MOVED = {word for pair in SWAPPED for word in pair}


def test_two_seeds_of_one_text_show_no_word_beyond_the_line(early, again):
    assert pairloom.compare(early, again).beyond == []


def test_two_texts_of_one_kind_show_no_word_beyond_the_line(early, late):
    assert pairloom.compare(early, late).beyond == []


def test_swapped_words_are_found_without_being_told_how_many(early, moved):
    compared = pairloom.compare(early, moved)
    found = {*compared.beyond}
    assert len(found & MOVED) >= 0.9 * len(MOVED) and len(found & MOVED) >= 0.9 * len(found)
    assert {one.word for one in compared.most_shifted(len(found))} == found
    shift = compared.shift_of(SWAPPED[0][0])
    assert shift.beyond and shift.z > 4 and shift.p < 1e-3 and shift.shift > 3 * shift.usual


def test_a_yardstick_is_the_noise(early, again, late, moved):
    by_seed = pairloom.compare(early, moved, noise=again)
    assert by_seed.yardsticks == 1 and {*by_seed.beyond} >= MOVED
    both = pairloom.compare(early, moved, noise=[again, late])
    assert both.yardsticks == 2 and {*both.beyond} >= MOVED
    np.testing.assert_array_equal(by_seed.shift, both.shift)


def test_the_neighbours_of_a_swapped_word_are_those_of_the_other(early, moved):
    one, other = SWAPPED[0]
    (changes,) = pairloom.compare(early, moved).neighbours([one], 8)
    assert len(changes.kept) + len(changes.gained) == len(changes.kept) + len(changes.lost) == 8
    before, after = ({near.word for near in some} for some in (changes.lost, changes.gained))
    assert len(before) >= 7 and after & {word for word, _ in early.most_similar(other, topn=30)}
    near = changes.gained[0]
    assert near.in_a == pytest.approx(early.similarity(one, near.word))
    assert near.in_b == pytest.approx(moved.similarity(one, near.word))


def test_a_model_compared_with_itself_or_its_rotation_has_no_shift(early):
    R, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(early.dim, early.dim)))
    turned = pairloom.Vectors(early.words.words, early.words.vectors @ R, early.words.counts)
    for other in (early, turned):
        compared = pairloom.compare(early, other)
        assert compared.shift.max() < 1e-5 and compared.beyond == []
    assert pairloom.compare(early, turned).rotated


def test_models_that_share_their_contexts_are_not_rotated(early):
    frozen = pairloom.train(sentences(2, 4000), start=early, freeze="contexts", epochs=2)
    assert not pairloom.compare(early, frozen).rotated


def test_the_result_is_the_same_for_any_number_of_threads(early, moved):
    found = [pairloom.compare(early, moved, threads=threads) for threads in (1, 2, 5)]
    assert len({one.cosine.tobytes() + one.z.tobytes() for one in found}) == 1


def test_min_count_leaves_out_words_that_are_rare_in_either(early, moved):
    least = int(np.median(early.words.counts))
    compared = pairloom.compare(early, moved, min_count=least)
    assert min(min(counts) for counts in compared.common.counts) >= least
    rare = early.words.words[-1]
    with pytest.raises(InputError, match="rarer than min_count"):
        compared.shift_of(rare)


def test_words_without_counts_are_compared_by_their_rank(early, moved):
    a, b = (pairloom.Vectors(emb.words.words, emb.words.vectors) for emb in (early, moved))
    found = {*pairloom.compare(a, b).beyond}
    assert len(found & MOVED) >= 0.9 * len(MOVED)


def test_few_words_have_shifts_but_no_noise():
    text = [["cat", "sat"], ["dog", "ran"]] * 20
    a, b = (pairloom.train(text, dim=4, min_count=1, seed=seed, sample=0) for seed in (1, 2))
    compared = pairloom.compare(a, b)
    assert compared.noise is None and compared.beyond == [] and compared.line is None
    assert compared.shift_of("cat").z is None and len(compared.most_shifted()) == 4
    assert np.isnan(compared.z).all() and repr(compared) == "Comparison(n_words=4, beyond=unknown, rate=0.05)"


def test_align_keeps_products_and_brings_words_together(early, late):
    aligned = pairloom.align(late, to=early)
    before, after = (emb.words.vectors @ emb.contexts.vectors.T for emb in (late, aligned))
    np.testing.assert_allclose(after, before, atol=1e-4)
    words = early.words.words

    def together(emb):
        a, b = (side - side.mean(axis=0) for side in (early.words[words], emb.words[words]))
        return float(np.mean((a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)))

    assert together(aligned) > 0.9 > together(late) + 0.3
    assert aligned.record["aligned"] == {"words": len(words), "cosine": pytest.approx(together(aligned), abs=0.02)}


def test_align_writes_the_same_bytes_for_any_number_of_threads(early, late, tmp_path):
    for threads in (1, 3):
        pairloom.align(late, to=early, threads=threads).save(tmp_path / f"{threads}.loom")
    assert (tmp_path / "1.loom").read_bytes() == (tmp_path / "3.loom").read_bytes()
    assert pairloom.load(tmp_path / "1.loom").record["aligned"]["words"] == len(early)


def test_wrong_models_and_words_are_refused(early, moved):
    other = pairloom.train([["x1", "y1"]] * 20, dim=OPTIONS["dim"], min_count=1, sample=0)
    small = pairloom.train([["x1", "y1"]] * 20, dim=3, min_count=1, sample=0)
    with pytest.raises(InputError, match="0 words in common; need at least 2"):
        pairloom.compare(early, other)
    with pytest.raises(InputError, match="of dim 16 and of dim 3 cannot be compared"):
        pairloom.compare(early, small)
    with pytest.raises(InputError, match="'a.loom' is not a model".replace(".", "[.]")):
        pairloom.compare(early, moved, noise="a.loom")
    with pytest.raises(ConfigError, match="rate=0 is out of range"):
        pairloom.compare(early, moved, rate=0)
    with pytest.raises(UnknownWordError, match="In the first model: 'kat' is not among"):
        pairloom.compare(early, moved).shift_of("kat")
