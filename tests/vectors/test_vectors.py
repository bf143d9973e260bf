"""What one asks of vectors: how alike two words are, what is near, what a pair's probability is."""

import copy
import math
import threading
import time

import numpy as np
import pytest

from pairloom.errors import InputError, UnknownWordError
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.stored import finite_norms
from pairloom.vectors.vectors import Vectors


@pytest.fixture
def royals() -> Vectors:
    """The axes are royal, male, female, edible: analogies one can do in the head."""
    rows = {
        "king": [1, 1, 0, 0],
        "queen": [1, 0, 1, 0],
        "man": [0, 1, 0, 0],
        "woman": [0, 0, 1, 0],
        "apple": [0, 0, 0, 5],
        "prince": [2, 3, 0, 0],
    }
    return Vectors(rows, list(rows.values()), [60, 50, 40, 30, 20, 10])


def test_vectors_behave_like_a_mapping_in_the_order_of_their_rows(royals):
    assert royals["queen"].tolist() == [1, 0, 1, 0]
    assert "queen" in royals
    assert "duke" not in royals
    assert 3 not in royals
    assert len(royals) == 6
    assert list(royals) == royals.words == ["king", "queen", "man", "woman", "apple", "prince"]
    assert repr(royals) == "Vectors(n_words=6, dim=4)"


def test_names_of_gensim_mean_the_same_here(royals):
    assert royals.index_to_key == royals.words
    assert royals.key_to_index["woman"] == 3
    assert royals.vector_size == royals.dim == 4


def test_arrays_are_float32_and_int64_and_cannot_be_written_through_vectors():
    source = np.ones((2, 3), np.float32)
    vectors = Vectors(["a", "b"], source)
    assert vectors.vectors.dtype == np.float32
    assert vectors.counts.dtype == np.int64
    assert vectors.counts.tolist() == [0, 0]
    assert np.shares_memory(vectors.vectors, source)
    with pytest.raises(ValueError, match="read-only"):
        vectors["a"][0] = 7
    assert source.flags.writeable


def test_similarity_is_the_cosine(royals):
    assert royals.similarity("man", "woman") == 0.0
    assert royals.similarity("king", "man") == pytest.approx(1 / math.sqrt(2), abs=1e-15)
    assert royals.similarity("apple", "apple") == 1.0


def test_neighbours_come_nearest_first_without_the_word_itself(royals):
    near = royals.most_similar("king", topn=3)
    assert [word for word, _ in near] == ["prince", "man", "queen"]
    assert near[0][1] == pytest.approx(5 / math.sqrt(26), abs=1e-12)
    assert all(type(cosine) is float for _, cosine in near)


def test_man_is_to_king_as_woman_is_to_queen(royals):
    assert royals.most_similar(["king", "woman"], ["man"])[0][0] == "queen"
    assert royals.most_similar(["king", "woman"], "man")[0][0] == "queen"


def test_no_word_of_the_query_is_an_answer_whichever_side_it_stood_on(royals):
    answers = {word for word, _ in royals.most_similar(["king", "woman"], ["man"], topn=100)}
    assert answers == {"queen", "apple", "prince"}


def test_words_of_a_query_count_as_unit_vectors_so_long_ones_do_not_outweigh_short_ones():
    vectors = Vectors(["long", "short", "middle", "near long"], [[100, 0], [0, 1], [1, 1], [5, 1]])
    assert vectors.most_similar(["long", "short"])[0] == ("middle", pytest.approx(1.0))


def test_a_given_vector_counts_as_it_is_and_excludes_nothing(royals):
    assert royals.most_similar(np.array([1, 1, 0, 0]), topn=1) == [("king", pytest.approx(1.0))]
    assert royals.most_similar(royals["king"], topn=2)[1][0] == "prince"
    mixed = royals.most_similar(["man", np.array([0, 0, 0, 0.1])], topn=6)
    assert [word for word, _ in mixed][:2] == ["prince", "king"]
    assert dict(mixed)["apple"] == pytest.approx(0.1 / math.sqrt(1.01))


def test_several_vectors_may_come_as_the_rows_of_a_matrix_and_words_as_an_array(royals):
    rows = np.array([[1, 0, 0, 0], [0, 1, 0, 0]], np.float32)
    assert royals.most_similar(rows, topn=1)[0] == ("king", pytest.approx(1.0))
    assert royals.most_similar(np.array(["king", "woman"]), "man", 1)[0][0] == "queen"


@pytest.mark.parametrize(("topn", "expected"), [(0, 0), (1, 1), (5, 5), (6, 5), (10**9, 5)])
def test_topn_gives_as_many_words_as_there_are(royals, topn, expected):
    assert len(royals.most_similar("king", topn=topn)) == expected


def test_a_query_of_all_the_words_leaves_no_answer(royals):
    assert royals.most_similar(royals.words) == []


def test_equal_cosines_come_in_the_order_of_the_rows():
    row = np.random.default_rng(5).normal(size=7).astype(np.float32)
    vectors = Vectors([f"w{i}" for i in range(1003)], np.tile(row, (1003, 1)))
    near = vectors.most_similar(row + np.float32(0.1), topn=30)
    assert [word for word, _ in near] == [f"w{i}" for i in range(30)]
    assert len({cosine for _, cosine in near}) == 1


@pytest.mark.parametrize(("n", "dim"), [(50, 1), (500, 3), (2000, 100), (5000, 2), (300, 1000)])
def test_ranks_are_those_of_a_brute_force_search_in_float64(n, dim):
    rng = np.random.default_rng(n)
    rows = rng.normal(size=(n, dim)).astype(np.float32)
    vectors = Vectors([str(i) for i in range(n)], rows)
    units = rows.astype(np.float64) / np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
    for query in rng.integers(n, size=20):
        cosines = units @ units[query]
        order = [i for i in np.lexsort((np.arange(n), -np.round(cosines, 12))) if i != query][:10]
        near = vectors.most_similar(str(query))
        np.testing.assert_allclose([cosine for _, cosine in near], cosines[order], atol=1e-12)
        if dim > 2:  # on a line and in a plane many cosines agree to the last bits, and any of them may come first
            assert [int(word) for word, _ in near] == order


def test_rows_so_long_or_short_that_float32_sums_fail_have_their_true_cosines():
    rows = np.array([[3e38, 3e38, -3e38], [1e-42, 1e-42, 0], [1, 1, 1], [-3e38, 3e38, 3e38]], np.float32)
    vectors = Vectors(["huge", "tiny", "one", "other"], rows)
    assert vectors.most_similar(np.array([1.0, 1.0, 0.0]), topn=1) == [("tiny", pytest.approx(1.0))]
    near = dict(vectors.most_similar(np.array([1.0, 1.0, 0.0])))
    assert near["tiny"] == pytest.approx(1.0, abs=1e-12)
    assert near["huge"] == pytest.approx(2 / math.sqrt(6), abs=1e-12)
    assert near["one"] == pytest.approx(2 / math.sqrt(6), abs=1e-12)
    assert near["other"] == pytest.approx(0.0, abs=1e-12)


def test_cosines_never_leave_the_interval_from_minus_one_to_one():
    rows = np.random.default_rng(0).normal(size=(1000, 5)).astype(np.float32)
    vectors = Vectors([str(i) for i in range(2000)], np.concatenate([rows, -rows * np.float32(3)]))
    for word in ("0", "17", "999"):
        cosines = [cosine for _, cosine in vectors.most_similar(vectors[word], topn=2000)]
        assert max(cosines) <= 1.0
        assert min(cosines) >= -1.0
        assert abs(vectors.similarity(word, str(int(word) + 1000))) <= 1.0


def test_a_row_of_zeros_has_similarity_0_to_everything():
    vectors = Vectors(["a", "zero", "b"], [[1, 0], [0, 0], [-1, 0]])
    assert vectors.similarity("a", "zero") == 0.0
    assert vectors.similarity("zero", "zero") == 0.0
    assert vectors.most_similar("a") == [("zero", 0.0), ("b", -1.0)]


@pytest.mark.parametrize(
    ("positive", "negative", "message"),
    [
        ("zero", (), "The query adds up to the zero vector, which points nowhere. Ask for something else."),
        (["a", "b"], ["b", "a"], "The query adds up to the zero vector, which points nowhere. Ask for something else."),
        (np.zeros(2), (), "The query adds up to the zero vector, which points nowhere. Ask for something else."),
        (
            np.array([np.nan, 1]),
            (),
            "The query vector holds NaN, infinity or numbers too large. Give finite numbers.",
        ),
        (
            [np.array([np.inf, 1]), "a"],
            (),
            "The query vector holds NaN, infinity or numbers too large. Give finite numbers.",
        ),
        (np.zeros(3), (), "A query vector of shape (3,) does not fit: these vectors have dim 2."),
        ([], (), "The query is empty. Give a word, a vector or a list of those."),
        ([3], (), "A query is made of words and of arrays of 2 numbers, not of 3."),
        (None, None, "The query is empty. Give a word, a vector or a list of those."),
        (b"a", (), "A query is made of words and of arrays of 2 numbers, not of 97."),
    ],
)
def test_a_query_without_a_direction_is_refused(positive, negative, message):
    vectors = Vectors(["a", "b", "zero"], [[1, 2], [0.3, 1.7], [0, 0]])
    with pytest.raises(InputError) as refusal:
        vectors.most_similar(positive, negative)
    assert str(refusal.value) == message


def test_a_negative_number_of_neighbours_is_refused(royals):
    with pytest.raises(InputError) as refusal:
        royals.most_similar("king", topn=-1)
    assert str(refusal.value) == "topn=-1 is not a number of words. Use 0 or more."


def many_words(n: int, *some: str) -> Vectors:
    words = [*some, *(f"{i:x}_{i * 7919 % 99991}" for i in range(n - len(some)))]
    return Vectors(words, np.ones((n, 1), np.float32))


def test_an_unknown_word_is_answered_with_the_nearest_spellings():
    vectors = many_words(71_290, "the", "king", "kong", "queen")
    with pytest.raises(UnknownWordError) as refusal:
        vectors["kng"]
    assert str(refusal.value) == (
        "'kng' is not among the 71,290 words of these vectors. Did you mean 'king' or 'kong'?"
    )
    assert isinstance(refusal.value, LookupError)


def test_an_unknown_word_without_a_near_spelling_gets_the_usual_reason():
    with pytest.raises(UnknownWordError) as refusal:
        Vectors(["king"], [[1]]).most_similar("zygote")
    assert str(refusal.value) == (
        "'zygote' is not among the 1 word of these vectors. Words that are rare in a corpus (min_count) get no vector."
    )


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("KING", "'king'"),
        ("quen", "'queen'"),
        ("qeuen", "'queen'"),
        ("queeen", "'queen'"),
        ("queem", "'queen'"),
        ("Sant-Étienne", "'Saint-Étienne'"),
        ("paris", "'Paris'"),
    ],
)
def test_a_slip_of_any_kind_is_understood_even_in_a_rare_word(asked, meant):
    pangram = ["the", "five", "boxing", "wizards", "jump", "quickly"]
    words = [*pangram, *map(str, range(30_000)), "king", "queen", "Saint-Étienne", "Paris"]
    vectors = Vectors(words, np.ones((len(words), 1)))
    with pytest.raises(UnknownWordError, match=f"Did you mean {meant}"):
        vectors.similarity(asked, "king")


@pytest.mark.parametrize("asked", ["", "x" * 10_000_000, "a\nb", "\ud800", 7, None])
def test_an_odd_unknown_word_is_answered_in_one_short_line(royals, asked):
    with pytest.raises(UnknownWordError) as refusal:
        royals[asked]
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 250


def test_spelling_advice_does_not_wait_for_a_large_vocabulary():
    vectors = many_words(400_000, "king")
    assert "king" in vectors
    start = time.perf_counter()
    with pytest.raises(UnknownWordError, match="king"):
        vectors["kingg"]
    assert time.perf_counter() - start < 0.3


def test_norms_are_computed_once_even_when_many_threads_ask_at_the_same_time(monkeypatch):
    calls = []

    def slow_norms(word_of, matrix):
        calls.append(matrix)
        time.sleep(0.02)
        return finite_norms(word_of, matrix)

    monkeypatch.setattr("pairloom.vectors.vectors.finite_norms", slow_norms)
    vectors = Vectors(["a", "b"], [[1, 0], [1, 1]])
    answers: list[object] = []
    threads = [threading.Thread(target=lambda: answers.append(vectors.norms.tolist())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(calls) == 1
    assert answers == [[1.0, math.sqrt(2)]] * 8


def test_a_row_that_is_not_finite_is_named_instead_of_answered():
    vectors = Vectors(["good", "bad"], [[1, 2], [np.nan, 1]])
    with pytest.raises(InputError) as refusal:
        vectors.most_similar("good")
    assert str(refusal.value) == (
        "Row 1 ('bad') of the vectors holds NaN or infinity. "
        "Leave such rows out, or train again with a lower learning rate."
    )


@pytest.mark.parametrize(
    ("words", "counts", "message"),
    [
        (["a", "b", "a"], None, "Rows 0 and 2 both belong to 'a'. Give every word one row."),
        (["a", "", "b"], None, "Row 1 belongs to an empty word. Give every row a word."),
        (["a", "b", "c"], [1, -2, 3], "The count of 'b' is -2. Counts are 0 or more."),
    ],
)
def test_check_finds_words_that_are_no_names_and_counts_that_are_no_counts(words, counts, message):
    with pytest.raises(InputError) as refusal:
        Vectors(words, np.ones((3, 2)), counts).check()
    assert str(refusal.value) == message


@pytest.mark.parametrize(
    ("words", "matrix", "counts", "message"),
    [
        (["a"], np.ones(3), None, "Vectors need a matrix of shape (n_words, dim); this one has shape (3,)."),
        (["a"], np.ones((1, 0)), None, "Vectors need a matrix of shape (n_words, dim); this one has shape (1, 0)."),
        (
            ["a", "b"],
            np.ones((1, 3)),
            None,
            "2 words, 1 row and counts of shape (2,) do not belong together. Give one row and one count for each word.",
        ),
        (
            ["a"],
            np.ones((1, 3)),
            [1, 2],
            "1 word, 1 row and counts of shape (2,) do not belong together. Give one row and one count for each word.",
        ),
    ],
)
def test_words_rows_and_counts_must_belong_together(words, matrix, counts, message):
    with pytest.raises(InputError) as refusal:
        Vectors(words, matrix, counts)
    assert str(refusal.value) == message


@pytest.fixture
def embedding(royals) -> Embedding:
    contexts = Vectors(["crown", "skirt", "tree"], [[2, 0, 0, 0], [0, -1, 3, 0], [0, 0, 0, 400]])
    return Embedding(words=royals, contexts=contexts, record={"config": {"dim": 4}})


def test_an_embedding_answers_for_its_words(embedding):
    assert embedding["queen"].tolist() == [1, 0, 1, 0]
    assert "king" in embedding
    assert "crown" not in embedding
    assert len(embedding) == 6
    assert next(iter(embedding)) == "king"
    assert embedding.similarity("man", "woman") == 0.0
    assert embedding.most_similar(["king", "woman"], ["man"], topn=1)[0][0] == "queen"
    assert repr(embedding) == "Embedding(n_words=6, n_contexts=3, dim=4)"


def test_contexts_are_asked_in_the_same_way(embedding):
    assert embedding.contexts.most_similar("crown", topn=1) == [("skirt", 0.0)]


@pytest.mark.parametrize(
    ("w", "c", "product"), [("king", "crown", 2), ("woman", "crown", 0), ("queen", "skirt", 3), ("king", "skirt", -1)]
)
def test_probability_of_a_pair_is_the_sigmoid_of_the_product(embedding, w, c, product):
    assert embedding.probability(w, c) == pytest.approx(1 / (1 + math.exp(-product)), rel=1e-15)


def test_probability_does_not_overflow(embedding):
    assert embedding.probability("apple", "tree") == 1.0
    against = Embedding(words=Vectors(["w"], [[-400.0]]), contexts=Vectors(["c"], [[1.0]]))
    assert against.probability("w", "c") == pytest.approx(math.exp(-400), rel=1e-12)


def test_probability_names_the_side_on_which_a_word_is_missing(embedding):
    with pytest.raises(UnknownWordError, match="'king' is not among the 3 words"):
        embedding.probability("king", "king")


def test_words_and_contexts_must_have_one_dim(royals):
    with pytest.raises(InputError) as refusal:
        Embedding(words=royals, contexts=Vectors(["c"], [[1, 2]]))
    assert str(refusal.value) == (
        "Words of dim 4 and contexts of dim 2 have no product. Give two matrices of the same dim."
    )


def test_an_embedding_can_be_copied_after_it_was_asked(embedding):
    embedding.most_similar("king")
    assert copy.deepcopy(embedding).most_similar("king") == embedding.most_similar("king")
