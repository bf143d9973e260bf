"""Page and models in one file: deterministic, self-contained, and no word of it is ever markup."""

import json
import re
from base64 import b64decode, b64encode
from hashlib import sha256
from html.parser import HTMLParser

import numpy as np
import pytest

from pairloom.errors import InputError
from pairloom.explorer import export
from pairloom.explorer.export import exported_page, quantised
from pairloom.explorer.page_files import page_files
from pairloom.vectors.embedding import Embedding
from tests.explorer.conftest import HOSTILE, WORDS, embedding, explored


class Elements(HTMLParser):
    """Elements with their attributes and the text of scripts and styles, as a browser finds them."""

    def __init__(self, html):
        super().__init__()
        self.found, self.text, self.inside = [], {}, None
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        self.inside = tag

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        if self.inside in ("script", "style"):
            self.text[len(self.found) - 1] = self.text.get(len(self.found) - 1, "") + data

    def texts(self, tag):
        return [(self.found[i][1], text) for i, text in self.text.items() if self.found[i][0] == tag and text.strip()]


@pytest.fixture(scope="module")
def page(models):
    return exported_page(models, 40)


@pytest.fixture(scope="module")
def elements(page):
    return Elements(page.decode())


@pytest.fixture(scope="module")
def data(elements):
    return json.loads(next(text for attrs, text in elements.texts("script") if attrs.get("id") == "embedded"))


def floats(text, kind="<f4"):
    return np.frombuffer(b64decode(text), kind)


def test_the_file_holds_the_most_frequent_words(data, emb, models):
    model = data["models"][0]
    assert (model["name"], model["words"], model["mapped"], model["all_words"]) == ("one.loom", 40, 40, 100)
    assert model["data"]["words"] == WORDS[:40] and model["data"]["counts"] == emb.words.counts[:40].tolist()
    np.testing.assert_array_equal(floats(model["data"]["coordinates"]).reshape(-1, 2), models[0].coordinates[:40])
    assert len(floats(model["data"]["classes"], np.uint8)) == 40
    assert [one["name"] for one in data["models"]] == ["one.loom", "two.loom"]


@pytest.mark.parametrize(("name", "part"), [("W", "words"), ("C", "contexts")])
def test_vectors_are_int8_with_a_scale_for_each_row(name, part, data, emb):
    inside, vectors = data["models"][0]["data"], getattr(emb, part).vectors[:40]
    assert inside[part] == WORDS[:40]
    rows = floats(inside[name], np.int8).reshape(40, -1) * floats(inside[f"{name}_scale"])[:, None]
    np.testing.assert_allclose(rows, vectors, atol=np.abs(vectors).max() / 254 * 1.0001)
    lengths = np.linalg.norm(rows, axis=1) * np.linalg.norm(vectors, axis=1)
    cosines = (rows * vectors).sum(axis=1)[lengths > 0] / lengths[lengths > 0]
    assert cosines.min() > 0.9999


def test_quantised_rows_keep_zeros_and_signs():
    numbers, scales = quantised(np.array([[0, 0], [-2, 1], [1e-38, 0]], np.float32))
    assert np.frombuffer(numbers, np.int8).tolist()[:4] == [0, 0, -127, 64]
    assert np.frombuffer(scales, "<f4")[0] == 0
    assert quantised(np.empty((0, 3), np.float32)) == (b"", b"")


def test_what_explains_pairs_is_inside(data, models):
    inside, space = data["models"][0]["data"], models[0].context_space
    np.testing.assert_allclose(floats(inside["root"]).reshape(8, 8), space.root, rtol=1e-6)
    np.testing.assert_allclose(floats(inside["mean"]), space.mean, rtol=1e-6)
    np.testing.assert_allclose(floats(inside["noise_root"]), space.weights[:40], rtol=1e-6)


@pytest.mark.parametrize(
    "emb", [Embedding.of_words(embedding(1).words), embedding(1, objective="hs"), embedding(1, objective="softmax")]
)
def test_models_that_the_page_has_no_formula_for_come_without_contexts(emb):
    html = exported_page([explored(emb)], 10).decode()
    model = json.loads(Elements(html).texts("script")[0][1])["models"][0]
    assert model["contexts"] == 0 and not {"C", "contexts", "root"} & model["data"].keys()


def test_a_model_that_cannot_be_explained_comes_without_reasons(emb):
    cbow = Embedding(words=emb.words, contexts=emb.contexts, record={"config": {"model": "cbow"}})
    model = json.loads(Elements(exported_page([explored(cbow)], 10).decode()).texts("script")[0][1])["models"][0]
    assert model["contexts"] == 10 and "root" not in model["data"]


def test_hostile_words_do_not_leave_the_data(page, elements, data):
    assert set(HOSTILE) <= set(data["models"][0]["data"]["words"])
    embedded = next(text for attrs, text in elements.texts("script") if attrs.get("id") == "embedded")
    assert not set(embedded) & set("<>&\u2028\u202e\0") and embedded.isascii()
    assert [tag for tag, _ in elements.found].count("script") == 2
    assert page.count(b"<script") == page.count(b"</script") == 2 and page.count(b"alert(1)") == 2  # one for each model


def test_everything_is_inline_and_allowed_by_its_hash(page, elements):
    html = page.decode()
    policy = next(attrs["content"] for tag, attrs in elements.found if attrs.get("http-equiv"))
    (_, style), (_, script) = elements.texts("style")[0], elements.texts("script")[1]
    for text in (style, script):
        assert f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" in policy
    assert "default-src 'none'" in policy and "unsafe-inline" not in policy and "connect-src" not in policy
    assert html.index("Content-Security-Policy") < html.index("<style>") < html.index("<script")
    addresses = [attrs.get("src") or attrs.get("href") for _, attrs in elements.found if {"src", "href"} & attrs.keys()]
    assert all(re.match("data:|#", address) for address in addresses)


def test_the_bytes_depend_on_the_models_only(page, emb, other):
    assert exported_page([explored(emb), explored(other, "two.loom")], 40) == page


def test_a_script_cannot_end_its_element():
    assert export._safe_script("a('</SCRIPT>', '<!-- x', 1 < 2)") == "a('\\x3c/SCRIPT>', '\\x3c!-- x', 1 < 2)"


def test_a_page_that_needs_other_files_is_refused(models):
    files = page_files()
    with pytest.raises(InputError, match="The page of the explorer is missing"):
        exported_page(models, 10, {})
    html = files["/"].content
    for wrong, message in (
        (html.replace(b"</body>", b'<img src="x.png"></body>'), "The page refers to another file"),
        (html.replace(b'<script type="module"', b"<script"), "index.html needs one"),
    ):
        with pytest.raises(InputError, match=message):
            exported_page(models, 10, {**files, "/": files["/"]._replace(content=wrong)})


def test_a_file_has_at_least_one_word(models):
    with pytest.raises(InputError, match="export_words=0"):
        exported_page(models, 0)


def test_without_scikit_learn_there_are_no_classes(models, monkeypatch, emb):
    monkeypatch.setitem(__import__("sys").modules, "sklearn.cluster", None)
    html = exported_page([explored(emb)], 10).decode()
    assert json.loads(Elements(html).texts("script")[0][1])["models"][0]["data"]["classes"] is None
