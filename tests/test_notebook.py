"""What a notebook shows of the results: a short text, and a table in which every word is text."""

import copy
import json
import pickle
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import pairloom
from pairloom.judging.explanation import explain, explain_similarity
from pairloom.system.display import visible

HOSTILE = "</td><script>alert(1)</script>"


@pytest.fixture(scope="module")
def hostile(two_topics):
    """A model whose most frequent word is a script."""
    text = [[HOSTILE if token in ("cat", "red") else token for token in sentence] for sentence in two_topics]
    return pairloom.train(text, dim=16, epochs=5, min_count=1, sample=0), text


@pytest.fixture(scope="module")
def results(hostile, tmp_path_factory):
    emb, text = hostile
    questions = tmp_path_factory.mktemp("questions") / "<b>.tsv"
    questions.write_text("dog\tcow\t9\ndog\tpig\t5\ngreen\tcow\t1\n")
    analogies = questions.with_name("<b>.txt")
    analogies.write_text(": <i>\ndog cow green blue\n")
    new = "<img>"
    return {
        "Embedding": emb,
        "Vectors": emb.words,
        "Neighbours": emb.most_similar("dog", topn=15),
        "AnalogyScores": pairloom.evaluate(emb, analogies),
        "SimilarityScores": pairloom.evaluate(emb, questions),
        "Walks": pairloom.walk([(HOSTILE, "b"), ("b", "c")]),
        "Checkpoints": pairloom.Checkpoints("<b>run</b>", every=20_000_000, resume=True),
        "FoldedIn": emb.fold_in(pairs=[(new, "dog", 2.5), (HOSTILE + "2", "nothing")]),
        "Explanation": explain(emb, text),
        "SharedContexts": explain_similarity(emb, HOSTILE, "dog"),
    }


REPRS = {
    "Embedding": "Embedding(n_words=19, n_contexts=19, dim=16)",
    "Vectors": "Vectors(n_words=19, dim=16)",
    "AnalogyScores": "AnalogyScores('<b>.txt', add: ",
    "Walks": "Walks(3 nodes, walks=10, length=40, p=1.0, q=1.0, directed=False, seed=1)",
    "Checkpoints": "Checkpoints('<b>run</b>', every=20000000, resume=True)",
    "FoldedIn": "FoldedIn(1 word, 1 left out)",
    "Explanation": "Explanation(words 19, pairs ",
    "SharedContexts": f"SharedContexts('{HOSTILE}', 'dog', cosine ",
}


@pytest.mark.parametrize("name", REPRS)
def test_a_result_has_a_short_text(name, results):
    text = repr(results[name])
    assert text.startswith(REPRS[name]) and len(text) < 300 and "\n" not in text


@pytest.mark.parametrize(
    "name", [*REPRS, "Neighbours", "SimilarityScores"]
)  # of similarities the text of a dataclass is short
def test_a_result_has_a_table_in_which_words_are_text(name, results):
    root = ET.fromstring(f"<html>{results[name]._repr_html_()}</html>")
    assert not [element.tag for element in root.iter() if element.tag in ("script", "img", "b", "i")]
    assert len(root.findall(".//tr")) >= 1


@pytest.mark.parametrize("name", ["Embedding", "Vectors", "Neighbours", "Walks", "SharedContexts"])
def test_the_words_are_in_the_table(name, results):
    root = ET.fromstring(f"<html>{results[name]._repr_html_()}</html>")
    assert visible(HOSTILE) in "".join(root.itertext())


def test_an_embedding_without_a_record_or_contexts_is_shown():
    words = pairloom.Vectors(["a", "b"], np.eye(2, dtype=np.float32))
    page = pairloom.Embedding.of_words(words)._repr_html_()
    assert "2 words, dim 2" in page and "held-out" not in page and "trained" not in page


def test_neighbours_are_still_a_list(results, hostile):
    near = results["Neighbours"]
    plain = [(word, cosine) for word, cosine in near]
    assert isinstance(near, list) and near == plain and plain == near and repr(near) == repr(plain)
    assert json.loads(json.dumps(near)) == [[word, cosine] for word, cosine in plain]
    assert pickle.loads(pickle.dumps(near)) == copy.copy(near) == copy.deepcopy(near) == plain
    assert dict(near) == dict(plain) and near[:2] == plain[:2] and all(type(pair) is tuple for pair in near)
    assert hostile[0].words.most_similar_batch(["dog"], topn=15) == [plain]
    assert type(results["Vectors"].most_similar_cosmul("dog")) is type(near)
