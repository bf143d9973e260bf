"""A user's type checker sees the doors: what is right passes `mypy --strict`, and a misspelt option does not."""

import subprocess
import sys

RIGHT = """
from pathlib import Path

import numpy as np

import pairloom
from pairloom.pairings import basket_pairs, dependency_pairs, edge_pairs
from pairloom.sklearn import DocumentVectorizer

text = [["the", "cat", "sleeps"], ["the", "dog", "sleeps"]]
emb: pairloom.Embedding = pairloom.train(text, dim=100, window="sentence", epochs=5, threads=2, lowercase=True)
emb = pairloom.train("corpus.txt", start=emb, freeze="contexts", lr=0.01, output=Path("king.loom"))
emb = pairloom.train([Path("a.txt"), Path("b.txt")], start="king.loom", grow=True, max_memory="2GB")
emb = pairloom.train(pairloom.walk([("a", "b"), ("b", "c", 2.0)], walks=10, length=20, p=0.5), sample=0)
emb = pairloom.train_pairs([("ann", "tea", 2.0), ("bob", "milk", 1.0)], min_context_count=1)
emb = pairloom.train_pairs(basket_pairs([["bread", "milk"], ["milk", "nuts"]]))
near: list[tuple[str, float]] = emb.most_similar("cat", topn=3)
near = emb.words.most_similar(["cat", ("dog", 0.5), np.zeros(100)], ["sleeps"], restrict_vocab=1000)
score: float = emb.probability("cat", "sleeps") + emb.similarity("cat", "dog")
emb.save("cat.loom", dtype="float16")
emb = pairloom.load("cat.loom", limit=10)
phrases = pairloom.Phrases.learn(text, min_count=10, threshold=0.1)
emb = pairloom.train(phrases.wrap(text), dim=16)
folded = emb.fold_in(pairs=[("zebra", "sleeps", 2.5)], threads=1)
emb = emb.with_words(folded)
vocabulary = pairloom.Vocabulary.of([("cat", 3), ("dog", 2)])
emb = pairloom.train(text, vocabulary=vocabulary, on_progress=lambda progress: print(progress.done))
emb = pairloom.train(text, checkpoint=pairloom.Checkpoints("run", every="10m", resume=True))
rows = pairloom.document_vectors(emb.words, text, weighting="sif")
classes = pairloom.word_classes(emb.words, 10)
index = pairloom.Index.build(emb.words)
table = pairloom.sppmi_table(text, negatives=1, sample=0)
scores = pairloom.evaluate(emb, "questions-words.txt")
report = pairloom.explain(emb, "corpus.txt", threads=2)
alike = pairloom.explain_similarity(emb, "king", "queen")
vectorizer = DocumentVectorizer(weighting="tfidf", dim=50)
"""

WRONG = {
    "pairloom.train('a.txt', dmi=100)": 'Unexpected keyword argument "dmi"',
    "pairloom.train('a.txt', dim='100')": 'incompatible type "str"; expected "int"',
    "pairloom.train('a.txt', objective='softmx')": "Argument",
    "pairloom.train(7)": "incompatible type",
    "pairloom.train_pairs('a.txt', wndow=3)": 'Unexpected keyword argument "wndow"',
    "pairloom.walk('edges.txt', lenght=3)": 'Unexpected keyword argument "lenght"',
    "pairloom.load('a.loom').fold_in('b.txt', thread=2)": 'Unexpected keyword argument "thread"',
    "pairloom.sppmi_table('a.txt', nagatives=3)": 'Unexpected keyword argument "nagatives"',
}


def checked(tmp_path, code):
    file = tmp_path / "user.py"
    file.write_text(code)
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--ignore-missing-imports", str(file)]
    return subprocess.run(command, capture_output=True, text=True)


def test_a_right_program_is_accepted(tmp_path):
    done = checked(tmp_path, RIGHT)
    assert done.returncode == 0, done.stdout


def test_wrong_calls_are_found(tmp_path):
    found = checked(tmp_path, "import pairloom\n" + "\n".join(WRONG)).stdout.splitlines()
    for number, (call, message) in enumerate(WRONG.items(), 2):
        mine = [line for line in found if f"user.py:{number}:" in line]
        assert any(message in line for line in mine), (call, mine)
