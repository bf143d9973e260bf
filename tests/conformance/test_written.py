"""Files written here are loaded by other programs with the same words and the same numbers."""

import json
import subprocess

import numpy as np
import pytest

from pairloom.formats.write_word2vec import write_binary, write_text
from pairloom.method.tokens.words import words
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.vectors import Vectors
from tests.conformance.test_read import GENSIM
from tests.method.tokens.test_words import HARD

WORDS = ["the", "cat", "naïve", "猫", "don't", "Straße", "😀", "a,b", "3.14", "#"]


@pytest.fixture
def embedding() -> Embedding:
    rng = np.random.default_rng(0)
    rows = rng.normal(scale=0.1, size=(len(WORDS), 8)).astype(np.float32)
    return Embedding.of_words(Vectors(WORDS, rows, range(len(WORDS), 0, -1)))


def hexed(vectors: Vectors) -> dict[str, str]:
    return {word: vectors[word].tobytes().hex() for word in vectors}


@pytest.mark.parametrize("name", ["v.bin", "v.vec", "v.txt", "v.bin.gz", "v.vec.gz"])
def test_gensim_loads_word2vecs_formats(ask, embedding, tmp_path, name):
    embedding.save(tmp_path / name)
    assert ask("gensim", GENSIM, tmp_path / name, ".bin" in name, True, "strict") == hexed(embedding.words)


def test_gensim_loads_rows_without_line_feeds_and_files_without_a_first_line(ask, embedding, tmp_path):
    write_binary(embedding.words, tmp_path / "v.bin", newline=False)
    write_text(embedding.words, tmp_path / "v.glove", header=False)
    assert ask("gensim", GENSIM, tmp_path / "v.bin", True, True, "strict") == hexed(embedding.words)
    assert ask("gensim", GENSIM, tmp_path / "v.glove", False, False, "strict") == hexed(embedding.words)


def test_word2vecs_own_program_finds_the_same_neighbours(program, embedding, tmp_path):
    embedding.save(tmp_path / "v.bin")
    command = [program("word2vec", "word2vec-distance"), tmp_path / "v.bin"]
    done = subprocess.run(command, input="cat\nEXIT\n", capture_output=True, text=True, timeout=60)
    lines = [line.split() for line in done.stdout.splitlines()]
    found = [(line[0], float(line[1])) for line in lines if len(line) == 2 and line[0] in WORDS]
    expected = embedding.most_similar("cat", topn=len(WORDS))
    assert [word for word, cosine in found] == [word for word, _ in expected]
    np.testing.assert_allclose([cosine for _, cosine in found], [cosine for _, cosine in expected], atol=2e-6)


# fastText fills a tenth of its matrix for each thread, so with fewer than ten threads, or with ten and a size that ten
# does not divide, it trains on whatever was in that memory, which now and then is NaN (MALLOC_PERTURB_=1: every time).
FASTTEXT = """
import json, sys
import fasttext
m = fasttext.train_supervised(
    sys.argv[1], pretrainedVectors=sys.argv[2], dim=8, lr=1e-30, epoch=1, minCount=1, thread=12
)
print(json.dumps({w: [float(x) for x in m.get_word_vector(w)] for w in m.words}))
"""


def test_fasttext_begins_supervised_training_from_our_text(ask, embedding, tmp_path):
    embedding.save(tmp_path / "v.vec")
    (tmp_path / "labelled.txt").write_text(f"__label__x {' '.join(WORDS)}\n__label__y {' '.join(WORDS[:4])}\n")
    found = ask("fasttext", FASTTEXT, tmp_path / "labelled.txt", tmp_path / "v.vec")
    for word in WORDS:
        np.testing.assert_allclose(found[word], embedding[word], rtol=1e-6)


TEXTS = ["the cat", "the unknown cat", "naïve 猫 😀 a,b", "3.14 #"]

MODEL2VEC = """
import json, sys
from model2vec import StaticModel
m = StaticModel.from_pretrained(sys.argv[1])
print(json.dumps(m.encode(json.loads(sys.argv[2])).astype(float).tolist()))
"""

SENTENCE_TRANSFORMERS = """
import json, sys
from sentence_transformers import SentenceTransformer
m = SentenceTransformer(sys.argv[1], device="cpu")
print(json.dumps(m.encode(json.loads(sys.argv[2])).astype(float).tolist()))
"""

STATIC_EMBEDDING = """
import json, sys
from sentence_transformers import SentenceTransformer
from sentence_transformers.models import Normalize, StaticEmbedding
m = SentenceTransformer(modules=[StaticEmbedding.from_model2vec(sys.argv[1]), Normalize()], device="cpu")
print(json.dumps(m.encode(json.loads(sys.argv[2])).astype(float).tolist()))
"""


@pytest.mark.parametrize(
    ("package", "script"),
    [
        ("model2vec", MODEL2VEC),
        ("sentence_transformers", SENTENCE_TRANSFORMERS),
        ("sentence_transformers", STATIC_EMBEDDING),
    ],
    ids=["model2vec", "SentenceTransformer", "StaticEmbedding"],
)
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_a_static_folder_gives_the_unit_mean_of_the_words_of_a_text(ask, embedding, tmp_path, package, script, dtype):
    embedding.save(tmp_path / "static", "static", dtype)
    stored = embedding.words.vectors.astype(dtype).astype(np.float64)
    sums = np.array([sum(stored[WORDS.index(w)] for w in text.split() if w in WORDS) for text in TEXTS])
    expected = sums / np.linalg.norm(sums, axis=1, keepdims=True)
    found = ask(package, script, tmp_path / "static", json.dumps(TEXTS))
    np.testing.assert_allclose(found, expected, atol=1e-6 if dtype == "float32" else 2e-3)


@pytest.mark.parametrize(
    ("package", "script"),
    [("model2vec", MODEL2VEC), ("sentence_transformers", SENTENCE_TRANSFORMERS)],
    ids=["model2vec", "SentenceTransformer"],
)
def test_a_static_folder_splits_text_by_the_rule_of_the_training_text(ask, tmp_path, package, script):
    texts = ["King, queen!", "(The KING) don’t...", "co\u00adoperate with Straße", "北京 ΛΌΓΟΣ 3.50"]
    known = list(dict.fromkeys(word for text in texts for word in words(text)))
    vectors = Vectors(known, np.eye(len(known), dtype=np.float32))
    Embedding.of_words(vectors, {"text": {"tokenize": "words"}}).save(tmp_path / "static", "static")
    sums = np.array([sum(vectors[word].astype(np.float64) for word in words(text)) for text in texts])
    found = ask(package, script, tmp_path / "static", json.dumps(texts))
    np.testing.assert_allclose(found, sums / np.linalg.norm(sums, axis=1, keepdims=True), atol=1e-6)


# The tokenizer alone, on text of all kinds.
TOKENIZERS = """
import json, sys
from tokenizers import Tokenizer
t = Tokenizer.from_file(sys.argv[1])
print(json.dumps([t.encode(text).ids for text in json.loads(sys.argv[2])]))
"""


def test_the_tokenizer_of_a_static_folder_finds_the_words_of_the_definition(ask, tmp_path):
    texts = [text.replace("\0", " ") for text in HARD if text.strip()]
    known = list(dict.fromkeys(word for text in texts for word in words(text)))
    vectors = Vectors(known, np.ones((len(known), 1), np.float32))
    Embedding.of_words(vectors, {"text": {"tokenize": "words"}}).save(tmp_path / "static", "static")
    found = ask("tokenizers", TOKENIZERS, tmp_path / "static" / "tokenizer.json", json.dumps(texts))
    assert [[known[i] for i in ids] for ids in found] == [words(text) for text in texts]


SPACY = """
import json, subprocess, sys
import spacy
subprocess.run([sys.executable, "-m", "spacy", "init", "vectors", "xx", *sys.argv[1:]], check=True, capture_output=True)
nlp = spacy.load(sys.argv[2])
print(json.dumps({w: nlp.vocab[w].vector.astype("<f4").tobytes().hex() for w in json.loads(%r)}))
"""


def test_spacy_makes_vectors_of_our_text(ask, embedding, tmp_path):
    embedding.save(tmp_path / "v.txt")
    found = ask("spacy", SPACY % json.dumps(WORDS), tmp_path / "v.txt", tmp_path / "spacy")
    assert found == hexed(embedding.words)


SPELLED_READERS = {
    "fasttext": "m = fasttext.load_model(sys.argv[1]); get = m.get_word_vector",
    "gensim": "from gensim.models.fasttext import load_facebook_vectors as read; get = read(sys.argv[1]).get_vector",
}


@pytest.mark.parametrize("package", sorted(SPELLED_READERS))
def test_fasttexts_file_gives_seen_and_unseen_words_our_vectors(ask, embedding, tmp_path, package):
    spelled = embedding.with_spelling(minn=2, buckets=500, threads=1)
    spelled.save(tmp_path / "s.bin", "fasttext")
    words = [*WORDS, "cats", "naïveté", "猫猫", "unseen"]
    script = f"import json, sys, {package}; {SPELLED_READERS[package]}\n"
    script += "print(json.dumps([[float(x) for x in get(word)] for word in json.loads(sys.argv[2])]))"
    found = ask(package, script, tmp_path / "s.bin", json.dumps(words))
    np.testing.assert_allclose(found, [spelled.words.vector(word) for word in words], atol=1e-6)
