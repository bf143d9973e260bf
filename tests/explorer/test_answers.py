"""Every URL answers with what the library returns."""

import numpy as np
import pytest

import pairloom
from pairloom.errors import InputError
from pairloom.explorer import app
from pairloom.explorer.answers import Explorer
from pairloom.judging.explanation import explain_similarity
from pairloom.vectors.classes import word_classes
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.path import path_between
from pairloom.vectors.vectors import Vectors
from tests.explorer.asking import Client
from tests.explorer.conftest import HOSTILE, WORDS, embedding, explored


def named(found):
    return [(one["word"], one["cosine"]) for one in found]


def test_the_models_are_described(ask, emb):
    described = ask("models")
    assert described["version"] == pairloom.__version__
    assert described["models"][0] == {
        "name": "one.loom",
        "words": 100,
        "contexts": 100,
        "dim": 8,
        "mapped": 50,
        "objective": "negative",
        "has_counts": True,
        "record": emb.record,
    }
    assert described["models"][1]["name"] == "two.loom"


def test_a_record_with_infinity_is_still_json():
    emb = embedding(1)
    emb.record["heldout"] = {"loss": [float("nan"), float("inf"), 2.5]}
    client = Client(app([explored(emb)]))
    assert client.get("/api/models").json()["models"][0]["record"]["heldout"] == {"loss": [None, None, 2.5]}


def test_the_map_is_float32_and_known_by_its_tag(client, models):
    response = client.get("/api/map?model=1")
    np.testing.assert_array_equal(np.frombuffer(response.content, "<f4").reshape(-1, 2), models[1].coordinates)
    tag = response.headers["etag"]
    again = client.get("/api/map?model=1", headers={"if-none-match": tag})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)


def test_words_come_in_pieces_with_their_counts(ask, emb):
    assert ask("words") == {"start": 0, "words": WORDS, "counts": emb.words.counts.tolist()}
    assert ask("words", start=98, n=10) == {"start": 98, "words": WORDS[98:], "counts": [20, 10]}
    assert ask("words", start=1000)["words"] == []


def test_classes_are_those_of_k_means_and_255_for_zeros(ask, emb):
    found = np.frombuffer(ask("classes", k=3), np.uint8)
    first = Vectors(WORDS[:50], emb.words.vectors[:50])
    expected = word_classes(first, 3).labels
    assert found.tolist() == np.where(expected < 0, 255, expected).tolist()
    assert found[WORDS.index("zero")] == 255


def test_similarities_are_the_cosines_to_mapped_words(ask, emb):
    found = np.frombuffer(ask("similarity-to", word="king"), "<f4")
    np.testing.assert_allclose(found, 1 - emb.words.distances("king")[:50], atol=1e-6)
    assert found[WORDS.index("zero")] == 0


def test_completion_takes_any_case_and_prefers_frequent_words(ask):
    assert [one["word"] for one in ask("complete", prefix="KI")["words"]] == ["King", "kin", "king", "kind"]
    assert ask("complete", prefix="ki", n=1)["words"] == [{"word": "King", "row": 1, "count": 990}]
    assert [one["word"] for one in ask("complete", prefix="", n=2)["words"]] == ["the", "King"]
    assert ask("complete", prefix="xyz") == {"words": []}


@pytest.mark.parametrize("words", [["king"], ["king", "queen"]])
def test_neighbours_are_those_of_the_library(words, ask, emb):
    found = ask("near", word=words, n=5)
    assert found["word"] == words and found["row"] == [WORDS.index(word) for word in words]
    assert named(found["near"]) == emb.words.most_similar(words, topn=5)
    assert all(WORDS[one["row"]] == one["word"] for one in found["near"])
    assert named(ask("near", word=words, of="contexts")["near"]) == emb.contexts.most_similar(words)


def test_a_prepared_model_answers_the_same(emb):
    model = explored(emb)
    urls = ("/api/near?word=king&word=the", "/api/analogy?a=kin&b=king&c=queen", "/api/near?word=king&of=contexts")
    before = [Client(app([model])).get(url).content for url in urls]
    assert model.shortlist is None
    model.prepare()
    assert model.shortlist is not None
    assert [Client(app([model])).get(url).content for url in urls] == before
    without = explored(Embedding.of_words(emb.words))
    without.prepare()  # a model without contexts has less to prepare
    assert without.shortlist is not None


@pytest.mark.parametrize("objective", ["negative", "softmax", "hs"])
def test_contexts_are_ranked_by_the_probability_of_the_model(objective):
    emb = embedding(1, objective=objective)
    client = Client(app([explored(emb)]))
    found = client.get("/api/near?word=king&against=contexts&n=3").json()
    pair = client.get("/api/probability?w=king&c=queen").json()
    assert [(one["word"], one["probability"]) for one in found["near"]] == emb.predict("king", 3)
    products = [one["product"] for one in found["near"]]
    if objective == "hs":
        assert products == [None] * 3
    else:
        assert products == pytest.approx([emb["king"] @ emb.contexts[one["word"]] for one in found["near"]], rel=1e-5)
    assert pair["probability"] == emb.probability("king", "queen")
    assert (pair["product"] is None) == (objective == "hs")


def test_a_tree_has_no_contexts_to_search():
    client = Client(app([explored(embedding(1, objective="hs"))]))
    response = client.get("/api/near?word=king&of=contexts")
    pair = client.get("/api/pair?a=king&b=queen").json()
    assert response.status_code == 400 and response.json()["error"].endswith("Ask for of=words.")
    assert pair["explanation"] is None and "hs" in pair["reason"]
    assert set(pair["probability"]) == {"a_b", "b_a"}


def test_analogies_by_sum_and_by_product(ask, emb):
    query = {"a": "kin", "b": "king", "c": "queen", "n": 4}
    assert named(ask("analogy", **query)["near"]) == emb.words.most_similar(["king", "queen"], ["kin"], 4)
    found = ask("analogy", **query, method="mul")["near"]
    expected = emb.words.most_similar_cosmul(["king", "queen"], ["kin"], 4)
    assert [(one["word"], one["score"]) for one in found] == expected


def test_the_odd_one_out(ask, emb):
    found = ask("odd", word=["king", "queen", "the"])
    assert found["odd"] == emb.words.doesnt_match(["king", "queen", "the"])
    assert [(one["cosine"], one["word"]) for one in found["words"]] == emb.words.rank_by_centrality(
        ["king", "queen", "the"]
    )


def test_the_path_between_two_words(ask, emb):
    found = ask("path", **{"from": "king", "to": "the", "n": 3})["path"]
    assert [tuple(one[key] for key in ("word", "cosine_from", "cosine_to")) for one in found] == path_between(
        emb.words, "king", "the", 3
    )
    assert (found[0]["row"], found[-1]["row"]) == (4, 0)


def test_a_pair_is_explained(ask, emb):
    found = ask("pair", a="king", b="queen", n=4)
    expected = explain_similarity(emb, "king", "queen", topn=4)
    assert found["cosine"] == emb.similarity("king", "queen")
    assert found["probability"]["b_a"] == emb.probability("queen", "king")
    assert found["explanation"]["common"] == pytest.approx(expected.common, rel=1e-12)
    assert found["explanation"]["n_contexts"] == 100 and found["reason"] is None
    assert [one["context"] for one in found["explanation"]["sought"]] == [one.context for one in expected.sought]


def test_a_model_without_contexts_has_no_explanation():
    emb = Embedding.of_words(embedding(1).words)
    client = Client(app([explored(emb)]))
    found = client.get("/api/pair?a=king&b=queen").json()
    refused = client.get("/api/probability?w=king&c=queen")
    assert (found["probability"], found["explanation"]) == (None, None) and found["reason"]
    assert refused.status_code == 400


def test_two_models_are_compared_among_common_words(ask, emb, other):
    found = ask("compare", word="king", n=10)
    common = [word for word in emb.words if word in other.words]
    assert found["common"] == len(common) == 98
    near = [dict(one.words.vectors_for_all(common).most_similar("king", topn=10)) for one in (emb, other)]
    assert {one["word"] for one in found["kept"]} == set(near[0]) & set(near[1])
    assert [one["word"] for one in found["lost"]] == [word for word in near[0] if word not in near[1]]
    assert [(one["word"], one["cosine_b"]) for one in found["gained"]] == [
        (word, pytest.approx(cosine)) for word, cosine in near[1].items() if word not in near[0]
    ]
    assert ask("compare", word="king", a=0, b=0)["lost"] == []


@pytest.mark.parametrize("word", HOSTILE)
def test_hostile_words_are_only_text(word, ask, client):
    assert ask("near", word=word)["word"] == [word]
    assert ask("complete", prefix=word)["words"][0]["word"] == word
    assert client.get("/api/near", params={"word": word}).headers["x-content-type-options"] == "nosniff"


def test_half_of_a_character_is_answered_as_an_escape():
    emb = embedding(1, [*WORDS, "half\udc80"])
    client = Client(app([explored(emb)]))
    response = client.get("/api/words?start=100")
    assert response.content.decode() == r'{"start":100,"words":["half\udc80"],"counts":[10]}'
    assert response.json()["words"] == ["half\udc80"]


@pytest.mark.parametrize(
    ("query", "status", "message"),
    [
        ("near?word=kng", 404, "'kng' is not among the 100 words of these vectors. Did you mean 'king' or 'kin'?"),
        ("near", 400, "The parameter word is missing. It is a word; it may be repeated."),
        ("near?word=king&n=1001", 400, "n='1001' is not possible. Use a whole number of 1 to 1000."),
        ("near?word=king&n=-1", 400, "n='-1' is not possible. Use a whole number of 1 to 1000."),
        ("near?word=king&n=%D9%A3", 400, "n='٣' is not possible. Use a whole number of 1 to 1000."),
        ("near?word=king&n=1&n=2", 400, "The parameter n occurs 2 times. Give it once."),
        ("near?word=king&of=nodes", 400, "of='nodes' is not possible. Use words or contexts."),
        ("near?word=king&topn=3", 400, "There is no parameter 'topn' here. Use model, word, n, of, against."),
        ("models?x", 400, "There is no parameter 'x' here. Leave it out."),
        ("near?word=%ff", 400, "The query is not UTF-8 in percent-encoding. Encode it as browsers do."),
        (
            "near?word=king&model=2",
            400,
            "There is no model 2 here: 2 models can be explored. Use a number from 0 to 1.",
        ),
        ("near?" + "word=king&" * 257, 400, "There are 257 word parameters. Use at most 256."),
        ("near?" + "word=king&" * 300, 400, "The query has more than 272 parameters. Ask in several requests."),
        (f"near?word={'a' * 1001}", 400, "The value of word has 1001 characters. Use words of at most 1000."),
        ("odd?word=king", 400, "The odd one out is found among several words. Give two or more."),
        ("path?from=king&to=zero", 400, "The vector of 'zero' is zero, so no way leads to it. Ask for another word."),
        ("nothing", 404, "There is nothing at this address. /openapi.json lists what can be asked."),
    ],
)
def test_a_wrong_question_is_answered_by_one_sentence(query, status, message, client):
    response = client.get(f"/api/{query}")
    assert (response.status_code, response.json()) == (status, {"error": message})


def test_there_must_be_a_model():
    with pytest.raises(InputError, match="There is no model to explore"):
        Explorer([])


def test_a_model_without_coordinates_gets_a_map():
    client = Client(app([embedding(1)]))
    assert client.get("/api/models").json()["models"][0]["mapped"] == 100
    places = np.frombuffer(client.get("/api/map").content, "<f4")
    assert len(places) == 200 and np.abs(places).max() <= 1
