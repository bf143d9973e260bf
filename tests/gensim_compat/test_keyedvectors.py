"""What scripts rely on in gensim's KeyedVectors: rows that grow and change, queries by word, row and array, files."""

import numpy as np
import pytest
from scipy.stats import pearsonr

from pairloom.errors import IgnoredOptionWarning, InputError
from pairloom.gensim_compat import KeyedVectors
from pairloom.gensim_compat.evaluating import significance


def names(near):
    return [word for word, _ in near]


# --- Rows that change


def test_words_are_added_and_replaced(kv):
    assert kv.add_vector("moon", [1, -2]) == 5
    kv.add_vectors(["moon", "star"], [[9, 9], [3, -4]], extras={"count": [4, 2]})  # moon is there already
    assert kv["moon"].tolist() == [1, -2]
    kv["moon"] = [5, 5]
    kv[["star", "comet"]] = [[6, 6], [7, 7]]
    assert kv[["moon", "star", "comet"]].tolist() == [[5, 5], [6, 6], [7, 7]]
    assert (len(kv), kv.get_vecattr("star", "count"), kv.get_vecattr("comet", "count")) == (8, 2, 0)
    assert names(kv.most_similar("moon", topn=3)) == ["dog", "star", "comet"]  # all in one direction, by row
    for bad in ([[1, 2, 3]], [[1, 2], [3, 4]]):
        with pytest.raises(ValueError, match=r"Give 2 numbers for each word\."):
            kv.add_vectors(["x"], bad)
    with pytest.raises(InputError, match="is not a word"):
        kv.add_vector(5, [1, 2])


def test_adding_one_by_one_takes_room_in_steps_that_double():
    kv, rooms = KeyedVectors(2, count=3), set()
    for i in range(200):
        kv.add_vector(f"w{i}", [i, 1])
        rooms.add(len(kv._rows))
    assert sorted(rooms) == [3, 6, 12, 24, 48, 96, 192, 384]
    assert kv.vectors[:, 0].tolist() == list(range(200))


def test_the_matrix_may_be_written_to_and_norms_follow_when_asked(kv):
    assert kv.norms[0] == pytest.approx(np.sqrt(5))
    kv.vectors[0] = [3, 4]
    kv.fill_norms(force=True)
    assert kv.norms[0] == pytest.approx(5)
    assert kv.get_vector("cat", norm=True) == pytest.approx([0.6, 0.8])
    kv.init_sims()
    assert kv["cat"].tolist() == [3, 4]
    kv.init_sims(replace=True)
    assert np.linalg.norm(kv.vectors, axis=1) == pytest.approx(np.ones(5))
    with pytest.raises(ValueError, match="read-only"):
        kv["cat"][0] = 1


def test_rows_are_sorted_by_frequency_when_asked(kv):
    kv.set_vecattr("sun", "count", 100)
    kv.sort_by_descending_frequency()
    assert kv.index_to_key == ["sun", "cat", "dog", "car", "bus"]
    assert kv["sun"].tolist() == [0, -1]
    assert (kv.get_index("dog"), kv.expandos["count"].tolist()) == (2, [100, 9, 7, 5, 3])
    with pytest.raises(InputError, match="'colour' is not known"):
        kv.set_vecattr("sun", "colour", 1)


@pytest.mark.parametrize(
    ("old", "new"),
    [("vocab", "key_to_index"), ("index2word", "index_to_key"), ("syn0", "vectors"), ("vectors_norm", "get_normed")],
)
def test_names_from_before_gensim_4_say_what_to_use(kv, old, new):
    with pytest.raises(AttributeError, match=new):
        getattr(kv, old)
    with pytest.raises(AttributeError, match="KeyedVectors have no 'colour'"):
        _ = kv.colour


# --- Questions


def test_a_number_is_a_row(kv):
    assert kv[0].tolist() == kv["cat"].tolist()
    assert kv.similarity(0, 1) == kv.similarity("cat", "dog")
    assert kv.most_similar(0) == kv.most_similar("cat") == kv.most_similar(positive=[0])
    assert kv.distances(0, [1]) == pytest.approx([kv.distance("cat", "dog")])
    assert kv.get_index("nowhere", default=-1) == -1
    for wrong in (5, -1, "nowhere", None, 1.5):
        with pytest.raises(KeyError):
            kv.get_vector(wrong)


def test_queries_take_words_arrays_and_weights_in_any_form(kv):
    expected = kv.most_similar(positive=["cat"], negative=["car"])
    assert kv.most_similar("cat", "car") == expected
    assert kv.most_similar([("cat", 1.0)], [("car", -1.0)]) == expected  # gensim takes the weight as it is
    assert kv.most_similar(("cat", 1.0), ["car"]) == expected
    by_array = kv.most_similar(kv.get_vector("cat", norm=True))
    assert names(by_array)[0] == "cat"
    assert names(kv.similar_by_vector(kv["cat"])) == names(by_array)
    assert kv.similar_by_word("cat") == kv.similar_by_key("cat") == kv.most_similar("cat")
    assert kv.most_similar_cosmul("cat", "car", topn=None) == kv.most_similar_cosmul(["cat"], ["car"], topn=3)


def test_topn_none_returns_the_cosines_of_all_rows(kv):
    cosines = kv.most_similar("cat", topn=None)
    assert cosines == pytest.approx([kv.similarity("cat", word) for word in kv.index_to_key], abs=1e-6)
    assert kv.most_similar("cat", ["car"], topn=None, clip_start=1, clip_end=3).shape == (2,)
    assert kv.most_similar("cat", topn=0) == []


def test_some_rows_are_searched(kv):
    assert names(kv.most_similar("cat", clip_start=2, clip_end=4)) == ["car", "bus"]
    assert names(kv.most_similar("cat", restrict_vocab=3)) == ["dog", "car"]
    assert names(kv.most_similar("sun", clip_end=2)) == ["cat", "dog"]


class Indexer:
    """As those of gensim for Annoy: it answers for a vector."""

    def most_similar(self, vector, topn):
        return [("found", vector.tolist())][:topn]


def test_an_indexer_of_gensim_is_asked(kv):
    ((word, vector),) = kv.most_similar("cat", topn=1, indexer=Indexer())
    assert (word, vector) == ("found", pytest.approx(kv.get_vector("cat", norm=True).tolist()))


def test_unknown_words_are_left_out_where_gensim_leaves_them_out(kv):
    with pytest.warns(
        UserWarning, match="^'nowhere' is not among the words of these vectors. The answer is about the oth"
    ):
        assert kv.doesnt_match(["cat", "nowhere", "dog", "sun"]) == "sun"
    assert kv.n_similarity(["cat", "nowhere"], ["dog"]) == pytest.approx(kv.similarity("cat", "dog"))
    with pytest.warns(UserWarning, match="^'nowhere' and 'here' are not among"):
        found = kv.rank_by_centrality(["cat", "dog", "nowhere", "here"])
    assert [word for _, word in found] in (["cat", "dog"], ["dog", "cat"])
    assert kv.get_mean_vector(["cat", "nowhere"], pre_normalize=False).tolist() == [2, 1]
    with pytest.raises(KeyError):
        kv.get_mean_vector(["cat", "nowhere"], ignore_missing=False)
    with pytest.raises(KeyError):
        kv.most_similar(["cat", "nowhere"])
    with pytest.raises(ValueError, match="None of these words"):
        kv.doesnt_match(["nowhere"])
    with pytest.raises(ValueError, match="The query is empty"):
        kv.most_similar()


def test_the_other_questions(kv):
    assert kv.closer_than("cat", "car") == ["dog"]
    assert kv.rank("cat", "car") == 2
    assert kv.most_similar_to_given("cat", ["sun", "dog"]) == "dog"
    assert kv.most_similar_to_given(0, [4, 1]) == 1
    assert kv.relative_cosine_similarity("cat", "dog", topn=1) == pytest.approx(1)
    assert kv.wmdistance(["cat"], ["cat"]) == pytest.approx(0)
    assert kv.has_index_for("cat") and "cat" in kv and not kv.has_index_for("nowhere")
    assert KeyedVectors.cosine_similarities([1, 0], [[2, 0], [0, 1], [0, 0]]).tolist() == [1, 0, 0]
    some = kv.vectors_for_all(["dog", "nowhere", 0], copy_vecattrs=True)
    assert (some.index_to_key, some.get_vecattr("dog", "count")) == (["dog", "cat"], 7)
    assert repr(some) == "KeyedVectors<vector_size=2, 2 keys>"
    assert np.linalg.norm(kv.get_normed_vectors(), axis=1) == pytest.approx(np.ones(5))


# --- Scores


@pytest.mark.parametrize("n", [3, 4, 12, 60, 1000])
def test_the_significance_of_a_correlation_is_that_of_scipy(n):
    rng = np.random.default_rng(n)
    for mixed in (0.0, 0.1, 1.0):
        x = rng.normal(size=n)
        y = mixed * x + rng.normal(size=n)
        expected = pearsonr(x, y)
        assert significance(expected.statistic, n) == pytest.approx(expected.pvalue, rel=1e-6)


def test_a_correlation_that_cannot_be_more_or_less_significant():
    assert (significance(1.0, 9), significance(0.0, 9), significance(0.5, 2)) == (0.0, 1.0, 1.0)


def test_unknown_words_in_questions_are_left_out_or_wrong(kv, tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("cat\tdog\t9\ncat\tsun\t1\ncar\tbus\t8\nno\tcat\t3\n")
    skipped, wrong = (kv.evaluate_word_pairs(path, dummy4unknown=dummy) for dummy in (False, True))
    assert skipped[2] == wrong[2] == pytest.approx(25)
    assert skipped[0] != wrong[0]
    path.write_text("cat\tdog\t9\nno\tcat\t3\n")
    pearson, spearman, _ = kv.evaluate_word_pairs(path)
    assert np.isnan([*pearson, *spearman]).all()
    questions = tmp_path / "questions.txt"
    questions.write_text(": s\ncat dog car bus\ncat dog car nowhere\n")
    score, (section, total) = kv.evaluate_word_analogies(questions, dummy4unknown=True, case_insensitive=False)
    assert ("cat", "dog", "car", "nowhere") in section["incorrect"]
    assert score == len(total["correct"]) / 2
    questions.write_text(": s\nno dog car bus\n")
    assert kv.evaluate_word_analogies(questions, similarity_function="most_similar_cosmul")[0] == 0.0


# --- Files


@pytest.mark.parametrize("binary", [False, True])
def test_word2vecs_formats_come_back_with_their_counts(kv, tmp_path, binary):
    kv.set_vecattr("sun", "count", 100)
    kv.save_word2vec_format(tmp_path / "v", fvocab=tmp_path / "vocab", binary=binary, prefix="w_")
    loaded = KeyedVectors.load_word2vec_format(tmp_path / "v", fvocab=tmp_path / "vocab", binary=binary)
    assert loaded.index_to_key == ["w_sun", "w_cat", "w_dog", "w_car", "w_bus"]
    assert (loaded["w_cat"].tolist(), loaded.get_vecattr("w_sun", "count")) == ([2, 1], 100)
    first = KeyedVectors.load_word2vec_format(tmp_path / "v", binary=binary, limit=2)
    assert (len(first), first.get_vecattr("w_sun", "count")) == (2, 0)


def test_text_without_its_first_line(kv, tmp_path):
    kv.save_word2vec_format(tmp_path / "v", write_header=False)
    assert len((tmp_path / "v").read_text().splitlines()) == 5
    assert KeyedVectors.load_word2vec_format(tmp_path / "v", no_header=True)["sun"].tolist() == [0, -1]
    with pytest.raises(InputError, match="write_header=False is for text"):
        kv.save_word2vec_format(tmp_path / "v", binary=True, write_header=False)
    with pytest.raises(InputError, match="append=True is not supported"):
        kv.save_word2vec_format(tmp_path / "v", append=True)


@pytest.mark.parametrize(("errors", "word"), [("replace", "caf\ufffd"), ("ignore", "caf")])
def test_words_that_are_not_utf8_are_decoded_alike_in_both_files(tmp_path, errors, word):
    (tmp_path / "v").write_bytes(b"2 1\ncaf\xe9 1\ntea 2\n")
    (tmp_path / "vocab").write_bytes(b"caf\xe9 7\ntea 3\n")
    options = {"fvocab": tmp_path / "vocab", "unicode_errors": errors}
    assert KeyedVectors.load_word2vec_format(tmp_path / "v", **options).get_vecattr(word, "count") == 7
    with pytest.raises(ValueError, match="not UTF-8"):
        KeyedVectors.load_word2vec_format(tmp_path / "v", fvocab=tmp_path / "vocab")


def test_known_words_take_their_vectors_from_a_file(kv, tmp_path):
    (tmp_path / "v").write_text("2 2\ncat 8 9\nmoon 1 1\n")
    kv.intersect_word2vec_format(tmp_path / "v", lockf=1.0)
    assert (kv["cat"].tolist(), len(kv)) == ([8, 9], 5)
    with pytest.warns(IgnoredOptionWarning, match="lockf has no effect"):
        kv.intersect_word2vec_format(tmp_path / "v")
    (tmp_path / "v").write_text("2 1\ncat 8\nmoon 1\n")
    with pytest.raises(InputError, match="vectors of dim 1, and these have 2"):
        kv.intersect_word2vec_format(tmp_path / "v", lockf=1.0)


def test_other_types_of_numbers_become_float32(kv, tmp_path):
    kv.save_word2vec_format(tmp_path / "v")
    with pytest.warns(IgnoredOptionWarning, match="datatype=float16 has no effect"):
        KeyedVectors.load_word2vec_format(tmp_path / "v", datatype=np.float16)
    with pytest.warns(IgnoredOptionWarning, match="dtype=float64 has no effect"):
        KeyedVectors(2, dtype=np.float64)
