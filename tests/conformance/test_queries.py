"""gensim's KeyedVectors and ours answer the same questions alike."""

import json

import numpy as np
import pytest

from pairloom.formats.write_word2vec import write_binary
from pairloom.gensim_compat import KeyedVectors
from pairloom.vectors.vectors import Vectors
from tests.vectors.test_queries import GENSIMS_PARAMETERS

ASK = """
import inspect, json, sys
from gensim.models import KeyedVectors
kv = KeyedVectors.load_word2vec_format(sys.argv[1], binary=True)
plain = lambda value: value.tolist() if hasattr(value, "tolist") else [[w, float(x)] for w, x in value]
print(json.dumps({
    "most_similar": plain(kv.most_similar(["w1", "w2"], ["w3"], topn=8)),
    "weighted": plain(kv.most_similar([("w1", 2.0), "w2"], [("w3", -0.5)], topn=8)),  # there a weight loses the minus
    "restricted": plain(kv.most_similar("w1", topn=8, restrict_vocab=60)),
    "by_vector": plain(kv.similar_by_vector(kv["w4"], topn=5)),
    "cosmul": plain(kv.most_similar_cosmul(["w1", "w2"], ["w3"], topn=8)),
    "similarity": float(kv.similarity("w1", "w2")),
    "distance": float(kv.distance("w1", "w2")),
    "distances": plain(kv.distances("w1", ["w2", "w9"])),
    "n_similarity": float(kv.n_similarity(["w1", "w2"], ["w3", "w4", "w5"])),
    "doesnt_match": kv.doesnt_match(["w1", "w2", "w3", "w4"]),
    "rank": int(kv.rank("w1", "w2")),
    "closer_than": kv.closer_than("w1", "w2"),
    "relative": float(kv.relative_cosine_similarity("w1", "w2")),
    "mean": plain(kv.get_mean_vector(["w1", "w2", "nowhere"], weights=[1, -2, 7])),
    "given": kv.most_similar_to_given("w1", ["w7", "w8", "w9"]),
    "all": plain(kv.vectors_for_all(["w9", "nowhere", "w2"]).vectors),
    "array_mean": plain(kv.get_mean_vector([3 * kv["w1"], "w2"])),
    "rows": plain(kv[["w9", "w2"]]),
    "centrality": [[w, float(x)] for x, w in kv.rank_by_centrality(["w1", "w2", "w3"], use_norm=False)],
    "all_cosines": plain(kv.most_similar("w1", topn=None)),
    "clipped": plain(kv.most_similar("w1", topn=3, clip_start=50, clip_end=90)),
    "lenient": float(kv.n_similarity(["w1", "nowhere"], ["w3"])),
    "lenient_odd": kv.doesnt_match(["w1", "w2", "nowhere", "w4"]),
    "row": plain(kv[3]),
    "parameters": {name: " ".join([*inspect.signature(getattr(KeyedVectors, name)).parameters][1:])
                   for name in json.loads(sys.argv[2])},
}))
"""


@pytest.fixture(scope="module")
def vectors() -> Vectors:
    rng = np.random.default_rng(3)
    matrix = rng.normal(size=(300, 10)) * rng.lognormal(size=(300, 1))
    return Vectors([f"w{i}" for i in range(300)], matrix)


@pytest.fixture(scope="module")
def gensims(vectors: Vectors, ask, tmp_path_factory) -> dict:
    path = tmp_path_factory.mktemp("gensim") / "v.bin"
    write_binary(vectors, path)
    return ask("gensim", ASK, path, json.dumps([*GENSIMS_PARAMETERS]))


def assert_alike(ours: list[tuple[str, float]], theirs: list[list]) -> None:
    assert [word for word, _ in ours] == [word for word, _ in theirs]
    assert [score for _, score in ours] == pytest.approx([score for _, score in theirs], rel=1e-4)


def test_neighbours_are_the_same(vectors, gensims):
    assert_alike(vectors.most_similar(["w1", "w2"], ["w3"], topn=8), gensims["most_similar"])
    assert_alike(vectors.most_similar([("w1", 2.0), "w2"], [("w3", 0.5)], topn=8), gensims["weighted"])
    assert_alike(vectors.most_similar("w1", topn=8, restrict_vocab=60), gensims["restricted"])
    assert_alike(vectors.similar_by_vector(vectors["w4"], topn=5), gensims["by_vector"])
    assert_alike(vectors.most_similar_cosmul(["w1", "w2"], ["w3"], topn=8), gensims["cosmul"])


def test_similarities_are_the_same(vectors, gensims):
    assert vectors.similarity("w1", "w2") == pytest.approx(gensims["similarity"], abs=1e-6)
    assert vectors.distance("w1", "w2") == pytest.approx(gensims["distance"], abs=1e-6)
    assert vectors.distances("w1", ["w2", "w9"]) == pytest.approx(gensims["distances"], abs=1e-6)
    assert vectors.n_similarity(["w1", "w2"], ["w3", "w4", "w5"]) == pytest.approx(gensims["n_similarity"], abs=1e-6)
    assert vectors.relative_cosine_similarity("w1", "w2") == pytest.approx(gensims["relative"], abs=1e-5)


def test_choices_are_the_same(vectors, gensims):
    assert vectors.doesnt_match(["w1", "w2", "w3", "w4"]) == gensims["doesnt_match"]
    assert vectors.rank("w1", "w2") == gensims["rank"]
    assert vectors.closer_than("w1", "w2") == gensims["closer_than"]
    assert vectors.most_similar_to_given("w1", ["w7", "w8", "w9"]) == gensims["given"]


def test_means_are_the_same(vectors, gensims):
    mean = vectors.get_mean_vector(["w1", "w2", "nowhere"], weights=[1, -2, 7])
    assert mean == pytest.approx(np.array(gensims["mean"]), abs=1e-6)
    assert vectors.vectors_for_all(["w9", "nowhere", "w2"]).vectors == pytest.approx(np.array(gensims["all"]))
    mean = vectors.get_mean_vector([3 * vectors["w1"], "w2"])
    assert mean == pytest.approx(np.array(gensims["array_mean"]), abs=1e-6)
    assert vectors[["w9", "w2"]] == pytest.approx(np.array(gensims["rows"]))


def test_centrality_is_the_same(vectors, gensims):
    ranked = vectors.rank_by_centrality(["w1", "w2", "w3"], use_norm=False)
    assert_alike([(word, product) for product, word in ranked], gensims["centrality"])


def test_the_bridge_answers_call_by_call_as_gensim(vectors, gensims):
    kv = KeyedVectors.of(vectors)
    assert_alike(kv.most_similar(["w1", "w2"], ["w3"], topn=8), gensims["most_similar"])
    assert_alike(kv.most_similar([("w1", 2.0), "w2"], [("w3", -0.5)], topn=8), gensims["weighted"])
    assert_alike(kv.most_similar("w1", topn=8, restrict_vocab=60), gensims["restricted"])
    assert_alike(kv.most_similar_cosmul(["w1", "w2"], ["w3"], topn=8), gensims["cosmul"])
    assert kv.most_similar("w1", topn=None) == pytest.approx(np.array(gensims["all_cosines"]), abs=1e-5)
    assert_alike(kv.most_similar("w1", topn=3, clip_start=50, clip_end=90), gensims["clipped"])
    assert kv.n_similarity(["w1", "nowhere"], ["w3"]) == pytest.approx(gensims["lenient"], abs=1e-6)
    with pytest.warns(UserWarning, match="'nowhere' is not among the words"):
        assert kv.doesnt_match(["w1", "w2", "nowhere", "w4"]) == gensims["lenient_odd"]
    assert kv.distances("w1", ["w2", "w9"]) == pytest.approx(gensims["distances"], abs=1e-6)
    assert kv[3].tolist() == pytest.approx(gensims["row"])


def test_gensim_has_the_parameters_that_ours_are_compared_with(gensims):
    assert gensims["parameters"] == GENSIMS_PARAMETERS
