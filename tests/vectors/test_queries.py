"""The questions one asks of vectors, each against a plain computation."""

import inspect
import math
import sys

import numpy as np
import pytest

from pairloom.errors import InputError, PairloomError, UnknownWordError
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.vectors import Vectors


@pytest.fixture(scope="module")
def many() -> Vectors:
    """Words in the order of their rows, rows of very different lengths."""
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(500, 12)) * rng.lognormal(size=(500, 1))
    return Vectors([f"w{i}" for i in range(500)], matrix, np.arange(500, 0, -1))


def unit(vectors: Vectors, word: str) -> np.ndarray:
    vector = vectors[word].astype(np.float64)
    return vector / np.linalg.norm(vector)


def units(vectors: Vectors) -> np.ndarray:
    return np.array([unit(vectors, word) for word in vectors])


def names(near: list[tuple[str, float]]) -> list[str]:
    return [word for word, _ in near]


# --- What is near


def test_weights_count_words_more_or_less(many):
    total = 2.0 * unit(many, "w1") + 0.5 * unit(many, "w2") - 3.0 * unit(many, "w3")
    expected = units(many) @ (total / np.linalg.norm(total))
    expected[[1, 2, 3]] = -2
    by_weights = many.most_similar(["w1", "w2"], ["w3"], topn=3, weights=[2.0, 0.5, 3.0])
    assert by_weights == many.most_similar([("w1", 2.0), ("w2", 0.5)], [("w3", 3.0)], topn=3)
    assert names(by_weights) == [f"w{i}" for i in np.argsort(-expected)[:3]]


def test_a_word_that_is_asked_twice_counts_twice(many):
    assert many.most_similar(["w1", "w1", "w2"]) == many.most_similar([("w1", 2.0), "w2"])
    assert many.most_similar(["w1", "w1"]) == many.most_similar("w1")


@pytest.mark.parametrize("word", [None, 3, ["w1"], {"w1"}, b"w1"])
def test_what_is_no_word_is_not_among_the_words(many, word):
    with pytest.raises(UnknownWordError, match="is not among the 500 words"):
        many.similarity("w1", word)


def test_a_weighted_word_alone_needs_no_list(many):
    assert many.most_similar(("w1", 2.0)) == many.most_similar("w1")


def test_as_many_weights_as_words(many):
    with pytest.raises(
        InputError, match=r"The query has 2 parts and 1 weight. Give one weight for each word or vector."
    ):
        many.most_similar(["w1", "w2"], weights=[1.0])


def test_restrict_vocab_looks_at_the_first_rows_only(many):
    first = Vectors(many.words[:50], many.vectors[:50])
    assert many.most_similar("w7", topn=5, restrict_vocab=50) == first.most_similar("w7", topn=5)
    assert many.most_similar_cosmul("w7", topn=5, restrict_vocab=50) == first.most_similar_cosmul("w7", topn=5)


def test_the_query_may_lie_outside_of_the_restricted_rows(many):
    near = many.most_similar("w400", topn=500, restrict_vocab=50)
    assert len(near) == 50
    assert set(names(near)) == set(many.words[:50])


@pytest.mark.parametrize("n", [0, -1, 1.5, True])
def test_restrict_vocab_is_a_number_of_words(many, n):
    with pytest.raises(InputError, match=r"restrict_vocab=.* is not a number of words"):
        many.most_similar("w1", restrict_vocab=n)


def test_3cosmul_multiplies_shifted_cosines(many):
    shifted = [(1 + units(many) @ unit(many, word)) / 2 for word in ("w1", "w2", "w3")]
    expected = shifted[0] * shifted[1] / (shifted[2] + 1e-6)
    expected[[1, 2, 3]] = -1
    order = np.argsort(-expected)[:4]
    near = many.most_similar_cosmul(["w1", "w2"], ["w3"], topn=4)
    assert names(near) == [f"w{i}" for i in order]
    assert [score for _, score in near] == pytest.approx(expected[order])


def test_3cosmul_of_nothing_is_refused(many):
    with pytest.raises(InputError, match="The query is empty"):
        many.most_similar_cosmul()


def test_a_batch_gives_what_its_queries_give_one_by_one(many):
    positive = ["w1", ["w2", "w3"], many["w4"], [("w5", 2.0), "w6"]]
    negative = [(), "w9", ["w8", "w7"], ()]
    expected = [many.most_similar(p, n, topn=7) for p, n in zip(positive, negative, strict=True)]
    assert many.most_similar_batch(positive, negative, topn=7) == expected
    assert many.most_similar_batch(positive[:2], topn=7) == [many.most_similar(p, topn=7) for p in positive[:2]]


def test_a_batch_of_nothing_is_nothing(many):
    assert many.most_similar_batch([]) == []


def test_a_word_is_no_batch(many):
    with pytest.raises(InputError, match=r"A batch is a list of queries. For one query use most_similar\('w1'\)."):
        many.most_similar_batch("w1")
    with pytest.raises(InputError, match="positive has 2 queries and negative 1"):
        many.most_similar_batch(["w1", "w2"], ["w3"])


def test_the_answers_of_a_batch_do_not_depend_on_how_it_is_cut(many, monkeypatch):
    queries = many.words[:40]
    whole = many.most_similar_batch(queries, topn=20)
    monkeypatch.setattr("pairloom.vectors.rough.ROWS_AT_ONCE", 27)
    monkeypatch.setattr("pairloom.vectors.search._DIRECTIONS_AT_ONCE", 9)
    assert many.most_similar_batch(queries, topn=20) == whole


def test_a_batch_of_everything_needs_little_memory():
    import tracemalloc

    vectors = Vectors([str(i) for i in range(20_000)], np.random.default_rng(0).normal(size=(20_000, 8)))
    _ = vectors.norms, vectors.key_to_index
    tracemalloc.start()
    try:
        vectors.most_similar_batch(vectors.words[:5000], topn=1)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 120e6  # all cosines at once would be 400 MB


def test_similar_by_names_are_most_similar(many):
    assert many.similar_by_word("w3", 4) == many.similar_by_key("w3", 4) == many.most_similar("w3", topn=4)
    assert names(many.similar_by_vector(many["w3"], 4)) == ["w3", *names(many.most_similar("w3", topn=3))]
    assert many.similar_by_vector(many["w3"].tolist(), 2) == many.similar_by_vector(many["w3"], 2)


def test_rank_counts_the_words_that_are_closer(many):
    near = names(many.most_similar("w5", topn=499))
    assert many.rank("w5", near[0]) == 1
    assert many.rank("w5", near[6]) == 7
    assert set(many.closer_than("w5", near[6])) == set(near[:6])


def test_very_many_neighbours_of_many_words_take_turns(many, monkeypatch):
    monkeypatch.setattr("pairloom.vectors.search.ROWS_AT_ONCE", 50)
    assert many.most_similar_batch(many.words[:20], topn=300) == [
        many.most_similar(w, topn=300) for w in many.words[:20]
    ]


def test_an_index_and_a_limit_of_rows_do_not_go_together(many):
    class First:
        def candidates(self, direction, k):
            return np.arange(k)

    with pytest.raises(InputError, match="restrict_vocab and an index do not go together"):
        many.most_similar("w1", restrict_vocab=10, indexer=First())


def test_a_number_is_no_query(many):
    with pytest.raises(InputError, match=r"A query vector of shape \(\) does not fit"):
        many.most_similar(np.array(1.0))


def test_topn_none_says_where_all_cosines_are(many):
    with pytest.raises(InputError, match=r"use 1 - distances\(...\)"):
        many.most_similar("w1", topn=None)


# --- How alike


def test_distance_is_one_minus_similarity(many):
    assert many.distance("w1", "w2") == 1 - many.similarity("w1", "w2")
    expected = 1 - units(many) @ unit(many, "w1")
    assert many.distances("w1") == pytest.approx(expected, abs=1e-9)
    assert many.distances(many["w1"], ["w9", "w4"]) == pytest.approx(expected[[9, 4]], abs=1e-9)


def test_sets_of_words_are_compared_by_their_means(many):
    one, other = (many.vectors[rows].astype(np.float64).mean(axis=0) for rows in ([1, 2], [3, 4, 5]))
    expected = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
    assert many.n_similarity(["w1", "w2"], ["w3", "w4", "w5"]) == pytest.approx(expected, abs=1e-6)


def test_relative_cosine_similarity_is_a_share_of_the_nearest(many):
    near = many.most_similar("w1", topn=3)
    expected = near[0][1] / sum(cosine for _, cosine in near)
    assert many.relative_cosine_similarity("w1", near[0][0], topn=3) == pytest.approx(expected)
    with pytest.raises(InputError, match="add up to 0"):
        many.relative_cosine_similarity("w1", "w2", topn=0)


def test_the_most_similar_of_given_words(many):
    near = names(many.most_similar("w1", topn=499))
    assert many.most_similar_to_given("w1", [near[300], near[2], near[9]]) == near[2]
    with pytest.raises(InputError, match="no words to choose from"):
        many.most_similar_to_given("w1", [])


def test_the_odd_one_out_is_farthest_from_the_mean():
    v = Vectors(["red", "green", "blue", "monday"], [[1, 0.1], [1, 0], [1, -0.1], [0, 1]])
    assert v.doesnt_match(["red", "monday", "green", "blue"]) == "monday"
    assert [word for _, word in v.rank_by_centrality(v.words)][-1] == "monday"
    with pytest.raises(UnknownWordError, match=r"'grean' is not among .* Did you mean 'green'\?"):
        v.doesnt_match(["red", "grean"])
    with pytest.raises(InputError, match="Give a list of words"):
        v.doesnt_match([])


# --- Means


def test_the_mean_vector_is_of_unit_vectors_unless_told_otherwise(many):
    expected = (unit(many, "w1") + 3 * unit(many, "w2")) / 4
    assert many.get_mean_vector(["w1", "w2"], weights=[1, 3]) == pytest.approx(expected, abs=1e-6)
    raw = (many["w1"] + many["w2"]) / 2
    assert many.get_mean_vector(["w1", "w2"], pre_normalize=False) == pytest.approx(raw, rel=1e-5)
    mean = many.get_mean_vector(["w1", many["w2"]], post_normalize=True)
    assert np.linalg.norm(mean) == pytest.approx(1, abs=1e-6)


def test_unknown_words_are_left_out_of_a_mean_unless_told_otherwise(many):
    assert np.array_equal(many.get_mean_vector(["w1", "nowhere"]), many.get_mean_vector(["w1"]))
    with pytest.raises(UnknownWordError):
        many.get_mean_vector(["w1", "nowhere"], ignore_missing=False)
    with pytest.raises(InputError, match="None of these words has a vector"):
        many.get_mean_vector(["nowhere"])
    with pytest.raises(InputError, match="The weights are all 0"):
        many.get_mean_vector(["w1"], weights=[0])


def test_vectors_for_all_keeps_the_order_asked_for(many):
    some = many.vectors_for_all(["w9", "nowhere", "w2", "w9", 7, []])
    assert some.words == ["w9", "w2"]
    assert np.array_equal(some.vectors, many.vectors[[9, 2]])
    assert many.vectors_for_all([]).vectors.shape == (0, 12)


def test_vectors_for_all_knows_counts_only_if_it_copies_them(many):
    assert many.vectors_for_all(["w9", "w2"]).counts.tolist() == [0, 0]
    assert many.vectors_for_all(["w9", "nowhere", "w2"], copy_vecattrs=True).counts.tolist() == [491, 498]


def test_several_words_at_once_are_a_new_matrix(many):
    some = many[["w9", "w2", "w9"]]
    assert np.array_equal(some, many.vectors[[9, 2, 9]])
    assert np.array_equal(many[np.array(["w9"])], many.vectors[[9]])
    assert many[[]].shape == (0, 12)
    some[:] = 0
    assert many["w9"].any()
    with pytest.raises(UnknownWordError, match="'nowhere' is not among the 500 words"):
        many[["w9", "nowhere"]]


def test_an_array_in_a_mean_counts_as_it_is(many):
    mean = many.get_mean_vector([many["w1"] * 3, "w2"], weights=[1, 2])
    assert mean == pytest.approx((3 * many["w1"] + 2 * unit(many, "w2")) / 3, abs=1e-6)
    with pytest.raises(InputError, match="holds NaN"):
        many.get_mean_vector([np.full(12, np.nan)])


def test_none_is_a_side_of_the_query_without_words(many):
    assert many.most_similar("w1", None, 3) == many.most_similar("w1", topn=3)
    assert many.most_similar(None, "w1") == many.most_similar([], "w1")
    assert many.most_similar_cosmul("w1", None) == many.most_similar_cosmul("w1")


def test_centrality_can_count_vectors_as_long_as_they_are(many):
    rows = np.array([many[word] for word in ("w1", "w2", "w3")], np.float64)
    mean = rows.mean(axis=0)
    products = dict(zip(("w1", "w2", "w3"), rows @ mean / np.linalg.norm(mean), strict=True))
    ranked = many.rank_by_centrality(["w1", "w2", "w3"], use_norm=False)
    assert {word: product for product, word in ranked} == pytest.approx(products)
    assert ranked == sorted(ranked, reverse=True)


# Parameters of gensim 4.4's KeyedVectors in their order, as `conformance/test_queries.py` reads them there.
GENSIMS_PARAMETERS = {
    "closer_than": "key1 key2",
    "distance": "w1 w2",
    "distances": "word_or_vector other_words",
    "doesnt_match": "words",
    "get_index": "key default",
    "get_mean_vector": "keys weights pre_normalize post_normalize ignore_missing",
    "get_normed_vectors": "",
    "get_vecattr": "key attr",
    "get_vector": "key norm",
    "most_similar": "positive negative topn clip_start clip_end restrict_vocab indexer",
    "most_similar_cosmul": "positive negative topn restrict_vocab",
    "most_similar_to_given": "key1 keys_list",
    "n_similarity": "ws1 ws2",
    "rank": "key1 key2",
    "rank_by_centrality": "words use_norm",
    "relative_cosine_similarity": "wa wb topn",
    "similar_by_key": "key topn restrict_vocab",
    "similar_by_vector": "vector topn restrict_vocab",
    "similar_by_word": "word topn restrict_vocab",
    "similarity": "w1 w2",
    "vectors_for_all": "keys allow_inference copy_vecattrs",
    "wmdistance": "document1 document2 norm",
    "__getitem__": "key_or_keys",
}


@pytest.mark.parametrize("name", GENSIMS_PARAMETERS.keys() - {"most_similar"})
def test_methods_with_gensims_names_take_gensims_arguments(name):
    _, *parameters = inspect.signature(getattr(Vectors, name)).parameters.values()
    by_position = [p.name for p in parameters if p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    assert by_position == GENSIMS_PARAMETERS[name].split()
    assert {p.name for p in parameters} - {*by_position} <= {"ignore_missing"}  # ours, only by name


def test_most_similar_takes_gensims_arguments_but_no_clip_and_the_last_ones_only_by_name():
    _, *ours = inspect.signature(Vectors.most_similar).parameters.values()
    by_position = [p.name for p in ours if p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    assert by_position == ["positive", "negative", "topn"]
    assert {*GENSIMS_PARAMETERS["most_similar"].split()} - {p.name for p in ours} == {"clip_start", "clip_end"}


def test_gensims_ways_to_a_row(many):
    assert many.get_index("w3") == 3
    assert many.get_index("nowhere", -1) == -1
    assert many.get_vecattr("w3", "count") == 497
    assert many.get_vector("w3", norm=True) == pytest.approx(unit(many, "w3"), abs=1e-6)
    assert np.linalg.norm(many.get_normed_vectors(), axis=1) == pytest.approx(np.ones(500), abs=1e-6)
    with pytest.raises(InputError, match="'colour' is not known of words here"):
        many.get_vecattr("w3", "colour")


def test_zero_rows_are_like_nothing():
    v = Vectors(["nothing", "a", "b"], [[0, 0], [1, 0], [1, 1]])
    assert v.distances("nothing").tolist() == [1, 1, 1]
    assert v.distances("a").tolist()[0] == 1
    assert v.most_similar_cosmul("a", topn=2)[1] == ("nothing", pytest.approx(0.5 / (1 + 1e-6)))
    assert v.get_normed_vectors()[0].tolist() == [0, 0]


# --- Word Mover's Distance


def test_the_word_movers_distance_is_the_cheapest_way_to_carry_words():
    v = Vectors(["a", "b", "c"], [[1, 0], [0, 1], [-1, 0]])
    assert v.wmdistance(["a"], ["b"]) == pytest.approx(math.sqrt(2))
    assert v.wmdistance(["a", "b"], ["b", "a"]) == pytest.approx(0, abs=1e-9)
    # Half of the mass is where it should be; the other half goes from a to c, through the whole circle.
    assert v.wmdistance(["a", "b"], ["b", "c"]) == pytest.approx(0.5 * 2)
    assert v.wmdistance(["a", "a", "b"], ["a"]) == pytest.approx(math.sqrt(2) / 3)


def test_documents_without_known_words_are_infinitely_far():
    v = Vectors(["a", "b"], [[1, 0], [0, 1]])
    assert v.wmdistance(["nowhere"], ["a"]) == math.inf
    assert v.wmdistance([], ["a"]) == math.inf


def test_the_word_movers_distance_names_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "ot", None)
    with pytest.raises(PairloomError, match=r"pip install 'pairloom\[wmd\]'"):
        Vectors(["a"], [[1.0]]).wmdistance(["a"], ["a"])


# --- Both matrices


def test_words_and_contexts_add_up_where_there_are_both():
    words = Vectors(["a", "b", "c"], [[1, 0], [0, 1], [5, 5]], [3, 2, 1])
    contexts = Vectors(["b", "a"], [[1, 1], [2, 2]])
    combined = Embedding(words=words, contexts=contexts).combined()
    assert combined.words == ["a", "b"]
    assert combined.vectors.tolist() == [[3, 2], [1, 2]]
    assert combined.counts.tolist() == [3, 2]


def test_sides_that_share_no_word_do_not_add_up():
    one, other = Vectors(["a"], [[1.0]]), Vectors(["b"], [[1.0]])
    with pytest.raises(InputError, match="No word of this model is also a context"):
        Embedding(words=one, contexts=other).combined()
