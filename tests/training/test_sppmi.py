"""SPPMI and its SVD, against NumPy on tables that fit the screen."""

import json

import numpy as np
import pytest

import pairloom
from pairloom.cli.main import main
from pairloom.config import TrainConfig
from pairloom.corpus.prepared import prepare
from pairloom.corpus.sentences import open_corpus
from pairloom.corpus.vocabulary import WordSelection
from pairloom.errors import ConfigError, InputError, UnknownWordError
from pairloom.training.sppmi import sppmi_table, train_sppmi

OPTIONS = {"min_count": 1, "sample": 0, "window": 2, "negatives": 2}


def dense(sentences, words, window):
    """#(w, c) by the expected dynamic window."""
    index = {word: i for i, word in enumerate(words)}
    n = np.zeros((len(words), len(words)))
    for sentence in sentences:
        for i, w in enumerate(sentence):
            for j, c in enumerate(sentence):
                if 0 < abs(i - j) <= window:
                    n[index[w], index[c]] += (window - abs(i - j) + 1) / window
    return n


def shifted(n, k, power=1.0):
    p = n.sum(axis=0) ** power
    with np.errstate(divide="ignore"):
        return np.maximum(np.log(n / (k * n.sum(axis=1)[:, None] * p / p.sum())), 0)


def as_table(found):
    table = np.zeros((len(found.vocabulary),) * 2)
    rows = np.repeat(np.arange(len(table)), np.diff(found.indptr))
    table[rows, found.contexts] = found.values
    return table


@pytest.mark.parametrize("noise_power", [1.0, 0.75])
def test_the_table_is_the_positive_part_of_pmi_minus_log_k(noise_power, two_topics):
    found = sppmi_table(two_topics, noise_power=noise_power, **OPTIONS)
    expected = shifted(dense(two_topics, found.vocabulary.words, 2), 2, noise_power)
    np.testing.assert_allclose(as_table(found), expected, atol=1e-12)
    assert len(found) == np.count_nonzero(expected) and found.values.min() > 0


def test_rows_can_be_read_and_compared(two_topics):
    found = sppmi_table(two_topics, **{**OPTIONS, "negatives": 1})
    table = as_table(found)
    index = found.vocabulary.index
    cat, dog = table[index["cat"]], table[index["dog"]]
    assert found.similarity("cat", "dog") == pytest.approx(cat @ dog / np.linalg.norm(cat) / np.linalg.norm(dog))
    animals = set("cat dog horse cow sheep goat hen duck pig goose".split())
    assert {word for word, _ in found.most_similar("cat", topn=9)} == animals - {"cat"}
    assert {context for context, _ in found.row("cat", topn=20)} <= animals
    values = [value for _, value in found.row("cat")]
    assert values == sorted(values, reverse=True)


def test_a_word_without_contexts_is_like_no_other():
    found = sppmi_table([["a", "b"]] * 5 + [["c", "d"]] * 5 + [["e"]], min_count=1, sample=0, negatives=1)
    assert found.row("e") == [] and found.similarity("e", "a") == 0


def test_the_svd_gives_back_the_table_as_well_as_any_product_of_that_rank(two_topics):
    emb = pairloom.train(two_topics, model="sppmi-svd", dim=5, **OPTIONS)
    table = as_table(sppmi_table(two_topics, **OPTIONS))
    sizes = np.linalg.svd(table, compute_uv=False)
    product = emb.words.vectors.astype(float) @ emb.contexts.vectors.astype(float).T
    assert np.linalg.norm(product - table) == pytest.approx(np.sqrt((sizes[5:] ** 2).sum()), rel=1e-4)
    np.testing.assert_allclose(np.linalg.norm(emb.words.vectors, axis=0) ** 2, sizes[:5], rtol=1e-4)  # p = 1/2


def test_the_power_moves_singular_values_from_one_side_to_the_other(two_topics):
    config = TrainConfig(dim=3, **OPTIONS)
    with open_corpus(two_topics) as corpus, prepare(corpus, WordSelection(min_count=1)) as encoded:
        plain, halves = (train_sppmi(encoded, config, power=power) for power in (0.0, 0.5))
        with pytest.raises(ConfigError, match=r"power=1\.5 is out of range"):
            train_sppmi(encoded, config, power=1.5)
    np.testing.assert_allclose(plain.words.vectors.T @ plain.words.vectors, np.eye(3), atol=1e-5)
    products = [emb.words.vectors @ emb.contexts.vectors.T for emb in (plain, halves)]
    np.testing.assert_allclose(*products, atol=1e-5)


def test_neighbours_are_of_the_same_topic_and_threads_change_no_bit(two_topics, tmp_path):
    files = []
    for threads in (1, 4):
        emb = pairloom.train(
            two_topics, model="sppmi-svd", dim=4, min_count=1, sample=0.01, negatives=1, threads=threads
        )
        emb.save(tmp_path / f"{threads}.loom")
        files.append((tmp_path / f"{threads}.loom").read_bytes())
    assert files[0] == files[1]
    assert {w for w, _ in emb.most_similar("cat", topn=9)} == set("dog horse cow sheep goat hen duck pig goose".split())


def test_the_command_trains_it(corpus, tmp_path, capsys):
    options = ["--model", "sppmi-svd", "--dim", "4", "--min-count", "1", "--sample", "0", "--negatives", "1"]
    assert main(["train", str(corpus), "-o", str(tmp_path / "m.loom"), *options, "--json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["heldout_loss"] is None and "computing singular values" in printed.err
    assert pairloom.load(tmp_path / "m.loom").record["config"]["model"] == "sppmi-svd"
    assert main(["explain", str(tmp_path / "m.loom"), str(corpus)]) == 2
    assert "trained with model=sppmi-svd. Train one with model=skipgram." in capsys.readouterr().err


CODE = """
import hashlib, numpy as np, pairloom
words = np.random.default_rng(0).zipf(1.3, (800, 12))
text = [[f"w{i}" for i in line if i < 2000] for line in words.tolist()]
emb = pairloom.train(text, model="sppmi-svd", dim=10, min_count=2, negatives=2, noise_power=0.7)
emb.save("%s")
print(hashlib.sha256(open("%s", "rb").read()).hexdigest())
"""


def test_the_saved_file_does_not_depend_on_the_cpu(printed_on_cpus, tmp_path):
    path = tmp_path / "m.loom"
    assert len(printed_on_cpus(CODE % (path, path))) == 1


def test_what_cannot_be_factorised_is_refused(two_topics):
    with pytest.raises(ConfigError, match=r"dim=20 is too large: a table of 20 words .* Use 19 or less"):
        pairloom.train(two_topics, model="sppmi-svd", dim=20, **OPTIONS)
    with pytest.raises(ConfigError, match="positional contexts are not learnt with model=sppmi-svd"):
        pairloom.train(two_topics, model="sppmi-svd", dim=5, positional=True, **OPTIONS)
    with pytest.raises(InputError, match=r"so SPPMI with negatives=64 is 0 everywhere\. Use negatives=2, or"):
        pairloom.train(two_topics, model="sppmi-svd", dim=5, **{**OPTIONS, "negatives": 64})
    with pytest.raises(ConfigError, match="computed and does not start from vectors"):
        pairloom.train(two_topics, model="sppmi-svd", start=pairloom.train(two_topics, dim=3, epochs=1, **OPTIONS))
    with pytest.raises(
        ConfigError,
        match=r"model=sppmi-svd is the limit of negative sampling, and has no objective=hs\. Leave out objective\.",
    ):
        pairloom.train(two_topics, model="sppmi-svd", objective="hs")
    with pytest.raises(ConfigError, match="pairs are given here"):
        pairloom.train_pairs([("a", "b"), ("c", "d")], model="sppmi-svd")
    with pytest.raises(ConfigError, match="model='lsa' is not a choice"):
        pairloom.train(two_topics, model="lsa")


def test_an_unknown_word_is_answered_with_what_may_be_meant(two_topics):
    with pytest.raises(UnknownWordError, match=r"'caat' is not among the 20 words of this table\. Did you mean 'cat'"):
        sppmi_table(two_topics, **OPTIONS).row("caat")
