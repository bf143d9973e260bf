"""The scores are those of gensim and of word2vec's compute-accuracy, by the programs themselves."""

import json
import subprocess

import numpy as np
import pytest

from pairloom import Vectors
from pairloom.formats.write_word2vec import write_binary
from pairloom.judging.evaluation import Policy, analogies, compute_accuracy, similarities

GENSIM = """
import json, sys
from gensim.models import KeyedVectors
vectors = KeyedVectors.load_word2vec_format(sys.argv[1], binary=True)
questions, pairs, options = sys.argv[2], sys.argv[3], json.loads(sys.argv[4])
_, sections = vectors.evaluate_word_analogies(questions, **options)
pearson, spearman, unknown = vectors.evaluate_word_pairs(pairs, **options)
tallies = [[s["section"], len(s["correct"]), len(s["correct"]) + len(s["incorrect"])] for s in sections]
print(json.dumps({"tallies": tallies, "pearson": pearson[0], "spearman": spearman[0], "unknown": unknown}))
"""

COSMUL = """
import json, sys
from gensim.models import KeyedVectors
vectors = KeyedVectors.load_word2vec_format(sys.argv[1], binary=True)
questions = [line.split() for line in open(sys.argv[2]) if not line.startswith(":")]
known = [q for q in questions if all(word in vectors for word in q)]
right = [vectors.most_similar_cosmul([b, c], [a], topn=1)[0][0] == d for a, b, c, d in known]
print(json.dumps([sum(right), len(right)]))
"""


@pytest.fixture(scope="module")
def material(tmp_path_factory):
    """Vectors with analogies in them, some words in several cases, and questions about words known and unknown."""
    folder = tmp_path_factory.mktemp("conformance")
    rng = np.random.default_rng(0)
    n, dim = 60, 20
    x = rng.normal(size=(n, dim))
    y = x + 1.2 * rng.normal(size=dim) + 0.5 * rng.normal(size=(n, dim))
    others = rng.normal(size=(900, dim))
    words = [f"x{i}" for i in range(n)] + [f"y{i}" for i in range(n)] + [f"w{i}" for i in range(900)]
    words += [f"X{i}" for i in range(0, n, 4)] + [f"Y{i}" for i in range(0, n, 3)]
    twins = np.vstack([x[::4], y[::3]])
    rows = np.vstack([x, y, others, twins + 0.3 * rng.normal(size=twins.shape)])
    order = rng.permutation(len(words))
    vectors = Vectors([words[i] for i in order], rows[order])
    write_binary(vectors, folder / "vectors.bin")
    (folder / "questions.txt").write_text(_questions(rng, n))
    pairs = rng.integers(0, n, size=(300, 2))
    judged = rng.integers(0, 40, size=300) / 4 + 3 * (pairs[:, 0] == pairs[:, 1])
    spelt = [(f"x{a}" if a % 5 else f"X{a}", f"y{b}" if b % 7 else f"none{b}") for a, b in pairs]
    (folder / "pairs.tsv").write_text("".join(f"{a}\t{b}\t{n}\n" for (a, b), n in zip(spelt, judged, strict=True)))
    return vectors, folder


def _questions(rng, n):
    text = []
    for section in ["one", "two", "three", "four", "five", "gram1", "gram2", "empty"]:
        text.append(f": {section}\n")
        for a, b in rng.integers(0, n, size=(0 if section == "empty" else 80, 2)):
            words = [f"x{a}", f"y{a}", f"x{b}", f"y{b}" if b % 11 else "nowhere"]
            text.append(" ".join(word.upper() if rng.random() < 0.2 else word for word in words) + "\n")
    return "".join(text)


@pytest.mark.parametrize("unknown", ["skip", "wrong"])
@pytest.mark.parametrize("case", ["fold", "keep"])
@pytest.mark.parametrize("restrict_vocab", [300_000, 500])
def test_analogies_and_similarities_are_gensims(ask, material, unknown, case, restrict_vocab):
    vectors, folder = material
    files = folder / "questions.txt", folder / "pairs.tsv"
    options = {
        "restrict_vocab": restrict_vocab,
        "case_insensitive": case == "fold",
        "dummy4unknown": unknown == "wrong",
    }
    theirs = ask("gensim", GENSIM, folder / "vectors.bin", *files, json.dumps(options))
    policy = Policy(restrict_vocab=restrict_vocab, case=case, unknown=unknown)
    ours = analogies(vectors, files[0], policy=policy)
    tallies = [[t.name, t.correct, t.asked] for t in (*ours.sections, ours.total)]
    assert tallies[:-1] == theirs["tallies"][:-1]
    assert tallies[-1][1:] == theirs["tallies"][-1][1:]
    assert 0 < ours.total.correct < ours.total.asked
    pairs = similarities(vectors, files[1], policy=policy)
    assert pairs.spearman == pytest.approx(theirs["spearman"], abs=1e-9)
    assert pairs.pearson == pytest.approx(theirs["pearson"], abs=1e-6)  # gensim's cosines are float32
    assert 100 * (1 - pairs.coverage) == pytest.approx(theirs["unknown"])
    assert pairs.known < pairs.pairs


def test_3cosmul_answers_as_gensims_most_similar_cosmul(ask, material):
    vectors, folder = material
    theirs = ask("gensim", COSMUL, folder / "vectors.bin", folder / "questions.txt")
    total = analogies(vectors, folder / "questions.txt", method="mul", policy=Policy(case="keep")).total
    assert [total.correct, total.asked] == theirs
    assert total.correct != analogies(vectors, folder / "questions.txt", policy=Policy(case="keep")).total.correct


@pytest.mark.parametrize("threshold", [0, 500])
def test_compute_accuracy_prints_the_same_lines(program, material, threshold):
    vectors, folder = material
    questions = (folder / "questions.txt").read_text()
    command = [program("word2vec", "word2vec-compute-accuracy"), folder / "vectors.bin", str(threshold)]
    done = subprocess.run(command, input=questions, capture_output=True, text=True, timeout=60)
    ours = compute_accuracy(vectors, questions, threshold)
    assert [line.replace("-nan", "nan") for line in ours] == done.stdout.replace("-nan", "nan").splitlines()
    assert len(ours) == 3 * 8 + 1
