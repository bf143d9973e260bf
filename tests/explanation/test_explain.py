"""Why it works: the report's numbers, each against a few lines of NumPy on a text that fits the screen."""

import json
import re
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from scipy import linalg, stats

import pairloom
from pairloom.cli.main import main
from pairloom.corpus.prepared import prepare
from pairloom.corpus.sentences import open_corpus
from pairloom.corpus.vocabulary import Vocabulary
from pairloom.errors import InputError, UnknownWordError
from pairloom.explanation import explain, explain_similarity, fit, whole
from pairloom.explanation.geometry import geometry
from pairloom.explanation.page import page
from pairloom.explanation.trained import Trained, config_of, vocabulary_of
from pairloom.explanation.windows import effective_windows, with_gaps
from pairloom.method.contexts import Windows
from pairloom.method.objective import sigmoid
from pairloom.pairs.cooccurrence import cooccurrences, trained_pairs
from pairloom.pairs.from_text import TextSource
from pairloom.system.escaping import visible
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.vectors import Vectors


@pytest.fixture(scope="module")
def small():
    """A text of 30 words whose frequencies are those of real text."""
    rng = np.random.default_rng(5)
    p = 1 / np.arange(1, 31)
    words = np.array([f"w{i}" for i in range(30)])
    return [rng.choice(words, 9, p=p / p.sum()).tolist() for _ in range(400)]


@pytest.fixture(scope="module")
def trained(small):
    emb = pairloom.train(small, dim=6, window=3, epochs=4, min_count=1, sample=0, heldout=0, lr=0.05)
    with open_corpus(small) as corpus, prepare(corpus, vocabulary=vocabulary_of(emb)) as encoded:
        counts = cooccurrences(encoded, *[np.arange(3, 0, -1) / 3] * 2)
    return Trained(embedding=emb, config=config_of(emb), counts=counts)


@pytest.fixture(scope="module")
def dense(trained):
    """x, n and m of all pairs, as tables."""
    x = trained.W.astype(float) @ trained.C.astype(float).T
    n = np.zeros_like(x)
    for w in range(len(n)):
        contexts, weights = trained.counts.row(w)
        n[w, contexts] = weights
    return x, n, trained.k * n.sum(axis=1)[:, None] * trained.noise


def softplus(x):
    return np.logaddexp(0, x)


# --- v_w·v_c against what theory says


def test_the_fit_is_that_of_all_observed_pairs_with_both_targets(trained, dense):
    x, n, m = dense
    seen = n > 0
    pmi = np.log(n[seen] * n.sum() / np.outer(n.sum(axis=1), n.sum(axis=0))[seen]) - np.log(5)
    found = fit.observed(trained, 30, threads=2)
    for target, y in ((found.pmi.all, pmi), (found.optimum.all, np.log(n[seen] / m[seen]))):
        line = stats.linregress(y, x[seen])
        assert target.pairs == seen.sum()
        assert target.pearson == pytest.approx(line.rvalue, abs=1e-6)
        assert (target.slope, target.intercept) == pytest.approx((line.slope, line.intercept), abs=1e-6)
        assert target.spearman == pytest.approx(stats.spearmanr(y, x[seen]).statistic, abs=1e-3)
        covariance = np.cov(y, x[seen], aweights=n[seen])
        assert target.weighted_slope == pytest.approx(covariance[0, 1] / covariance[0, 0], abs=1e-6)


def test_bands_are_by_the_counts_of_words_and_of_contexts(trained, dense):
    x, n, m = dense
    found = fit.observed(trained, 30, threads=1).optimum
    decade = np.floor(np.log10(trained.embedding.words.counts)).astype(int)
    assert list(found.by_word) == list(found.by_context) == ["10 to 99", "100 to 999"]
    seen = (n > 0) & (decade == 1)[:, None]
    expected = stats.pearsonr(np.log(n[seen] / m[seen]), x[seen]).statistic
    assert found.by_word["10 to 99"].pearson == pytest.approx(expected, abs=1e-6)
    seen = (n > 0) & (decade == 2)
    expected = stats.pearsonr(np.log(n[seen] / m[seen]), x[seen]).statistic
    assert found.by_context["100 to 999"].pearson == pytest.approx(expected, abs=1e-6)


def test_many_pairs_are_ranked_by_a_sample(trained, monkeypatch):
    everything = fit.observed(trained, 30, threads=1).optimum.all
    monkeypatch.setattr(fit, "SAMPLED", 400)
    some = fit.observed(trained, 30, threads=1).optimum.all
    assert some.spearman != everything.spearman and some.spearman == pytest.approx(everything.spearman, abs=0.15)
    assert some.pearson == everything.pearson


@pytest.mark.parametrize("noise_power", [0.75, 1.0])
def test_with_vectors_as_long_as_the_vocabulary_the_products_become_pmi_minus_log_k(noise_power):
    rng = np.random.default_rng(2)
    strength = np.exp(rng.normal(0, 0.7, (8, 8)))  # what follows what
    words = np.array([f"w{i}" for i in range(8)])
    text = []
    for _ in range(4000):
        first = rng.integers(8)
        text.append([words[first], words[rng.choice(8, p=strength[first] / strength[first].sum())]])
    emb = pairloom.train(
        text, dim=16, window=1, epochs=40, min_count=1, sample=0, heldout=0, noise_power=noise_power, lr=0.1
    )
    report = explain(emb, text)
    assert report.facts["same_corpus"]
    for target in [report.optimum, *([report.pmi] if noise_power == 1 else [])]:
        assert target.all.pearson > 0.95 and target.all.weighted_pearson > 0.97
    assert report.objective.reached > 0.98
    # Draws that are the pair's own context are left out, as in word2vec.c, which shows where there are few words:
    # D' has a pair k noise(c) (#(w) - #(w, c)) times.
    n = np.zeros((8, 8))
    for a, b in text:
        a, b = emb.words.get_index(a), emb.words.get_index(b)
        n[a, b] += 1
        n[b, a] += 1
    noise = vocabulary_of(emb).noise(noise_power)
    optimum = np.log(n / (5 * noise * (n.sum(axis=1)[:, None] - n)))
    line = stats.linregress(optimum.ravel(), (emb.words.vectors @ emb.contexts.vectors.T).ravel())
    assert line.rvalue > 0.97 and line.slope == pytest.approx(1, abs=0.07)


# --- The objective and the probabilities


def test_the_objective_is_the_sum_over_all_pairs_there_could_be(trained, dense):
    x, n, m = dense
    seen = n > 0
    best = np.log(n[seen] / m[seen])
    found, _ = whole.whole(trained, fit.observed(trained, 30, 1), 30, threads=2)
    model = (n * softplus(-x) + m * softplus(x)).sum() / n.sum()
    optimum = (n[seen] * softplus(-best) + m[seen] * softplus(best)).sum() / n.sum()
    assert (found.words, found.share_of_pairs) == (30, 1)
    assert found.start == pytest.approx(6 * np.log(2))
    assert found.model == pytest.approx(model, rel=1e-5)
    assert found.optimum == pytest.approx(optimum, rel=1e-9)
    assert found.of_unobserved == pytest.approx((m * softplus(x))[~seen].sum() / n.sum(), rel=1e-4)
    assert found.model == pytest.approx(found.of_D + found.of_observed + found.of_unobserved)
    assert found.reached == pytest.approx((found.start - model) / (found.start - optimum), rel=1e-4)


def test_no_other_numbers_have_a_smaller_loss_than_the_optimum(dense):
    _, n, m = dense
    seen = n > 0
    n, m = n[seen], m[seen]
    best = n * softplus(-np.log(n / m)) + m * softplus(np.log(n / m))
    for shift in (-0.1, 0.1):
        other = np.log(n / m) + shift
        assert np.all(n * softplus(-other) + m * softplus(other) > best)


def test_a_large_vocabulary_is_asked_about_its_most_frequent_words(trained, dense):
    x, n, m = dense
    assert whole.number_of_rows(30, 30 * 30) == 30 and whole.number_of_rows(30, 299) == 9
    found, calibration = whole.whole(trained, fit.observed(trained, 9, 1), 9, threads=1)
    assert found.words == 9
    assert found.share_of_pairs == pytest.approx(n[:9].sum() / n.sum())
    assert found.model == pytest.approx((n * softplus(-x) + m * softplus(x))[:9].sum() / n[:9].sum(), rel=1e-5)
    true = sum(b.share * b.true for b in calibration.bins)
    assert true == pytest.approx(n[:9].sum() / (n + m)[:9].sum())


def test_calibration_compares_predicted_with_true_shares_in_bins_of_the_product(trained, dense):
    x, n, m = dense
    _, found = whole.whole(trained, fit.observed(trained, 30, 1), 30, threads=2)
    events = n + m
    assert sum(b.share for b in found.bins) == pytest.approx(1)
    for b in found.bins:
        inside = (x >= b.low) & (x < b.high)
        assert b.share == pytest.approx(events[inside].sum() / events.sum(), abs=1e-6)
        assert b.true == pytest.approx(n[inside].sum() / events[inside].sum(), abs=1e-5)
        assert b.predicted == pytest.approx((events * sigmoid(x))[inside].sum() / events[inside].sum(), abs=1e-4)
    assert found.error == pytest.approx(sum(b.share * abs(b.predicted - b.true) for b in found.bins))


def test_products_beyond_the_table_lose_what_they_should():
    W = np.array([[30.0, 0], [-30, 0]], np.float32)
    noise = np.array([0.5, 0.5])
    from pairloom.kernel.counts import explain as kernel

    losses, calibration = np.zeros(2), np.zeros((kernel.LOGIT_BINS, 2))
    blocks = kernel.transposed_blocks(np.array([[2.0, 0], [0, 0]], np.float32))
    kernel.all_pairs(W, blocks, 0, 2, noise, kernel.SOFTPLUS, losses, calibration, np.ones(2))
    np.testing.assert_allclose(losses, [30 + 0.5 * np.log(2), 0.5 * np.log(2)], rtol=1e-6)
    assert calibration[-1, 0] == 0.5 and calibration[0, 0] == 0.5


def test_all_dims_have_the_same_products_as_numpy():
    from pairloom.kernel.counts import explain as kernel

    rng = np.random.default_rng(0)
    for dim in (1, 3, 4, 5, 17):
        W, C = rng.normal(size=(2, 300, dim)).astype(np.float32)
        losses, calibration = np.zeros(300), np.zeros((kernel.LOGIT_BINS, 2))
        noise = rng.random(300)
        blocks = kernel.transposed_blocks(C)
        kernel.all_pairs(W, blocks, 0, 300, noise, kernel.SOFTPLUS, losses, calibration, np.ones(300))
        np.testing.assert_allclose(losses, softplus(W.astype(float) @ C.T.astype(float)) @ noise, rtol=1e-5)


# --- The effective window


def test_windows_reach_over_words_that_leave():
    text = with_gaps([["a", "odd", "b", "a"]], Vocabulary(("a", "b"), [2, 1]))
    assert text.ids.tolist() == [0, -1, 1, 0]
    plain, thinned, pruned, both = effective_windows(text, np.array([0.0, 1.0]), 1, Windows(1, 1))
    assert plain.shares.tolist() == [0, 1, 0, 0, 0] and plain.mean == 1
    assert pruned.shares.tolist() == [0, 0.5, 0.5, 0, 0] and pruned.beyond == 0.5  # a-b are 2 apart, b-a 1
    assert thinned.shares.tolist() == [0, 1, 0, 0, 0]  # odd-b: a never stays
    assert both.mean == 0  # only b is left
    clean = effective_windows(text, np.array([0.0, 1.0]), 1, Windows(1, 1, clean=True))
    assert clean[2].shares.tolist() == [0, 1, 0, 0, 0]  # b-a alone: a-b are too far apart
    assert [(w.pruned, w.subsampled) for w in (plain, thinned, pruned, both)] == [
        (False, False), (False, True), (True, False), (True, True)
    ]  # fmt: skip


def test_distances_are_those_of_the_pairs_by_the_definition(small):
    vocabulary = Vocabulary(tuple(f"w{i}" for i in range(3, 30)), np.full(27, 100))  # three frequent words are unknown
    text = with_gaps(small, vocabulary)
    windows = Windows(2, 3, "harmonic")
    sides = windows.weights(2), windows.weights(3)
    found = effective_windows(text, np.ones(27), 1, windows)[2]
    expected = Counter()
    for sentence in small:
        kept = [i for i, word in enumerate(sentence) if word in vocabulary]
        for i, at in enumerate(kept):
            for j, other in enumerate(kept):
                weights = sides[0] if j < i else sides[1]
                if i != j and abs(i - j) <= len(weights):
                    expected[abs(at - other)] += weights[abs(i - j) - 1]
    shares = np.array([expected[d] for d in range(len(found.shares))]) / expected.total()
    np.testing.assert_allclose(found.shares, shares)
    assert found.beyond == pytest.approx(shares[4:].sum())


def test_only_the_beginning_of_a_long_text_is_looked_at():
    assert len(with_gaps([["a", "b"]] * 10, Vocabulary(("a", "b"), [1, 1]), most=5).lengths) == 3


# --- Geometry


def test_variance_is_split_into_the_mean_and_the_components():
    rows = np.random.default_rng(1).normal(size=(200, 3)) * [3, 1, 0.1] + [2, 0, 0]
    found = geometry(Vectors([f"w{i}" for i in range(200)], rows, np.arange(1, 201)))
    centred = rows.astype(np.float32) - rows.mean(axis=0)
    squares = np.linalg.svd(centred, compute_uv=False) ** 2
    np.testing.assert_allclose(found.share_of_components, squares / squares.sum(), rtol=1e-4)
    assert found.share_of_mean == pytest.approx((rows.mean(axis=0) ** 2).sum() / (rows**2).sum() * 200, rel=1e-4)
    assert found.dimensions == pytest.approx(squares.sum() ** 2 / (squares**2).sum(), rel=1e-4)
    lengths = np.linalg.norm(rows, axis=1)
    assert found.norm_by_count["100 to 999"].mean == pytest.approx(lengths[99:].mean(), rel=1e-5)
    assert found.norm_against_count == pytest.approx(stats.spearmanr(lengths, np.arange(200)).statistic, abs=1e-6)


def test_vectors_that_are_all_zero_have_no_shares_and_no_error():
    found = geometry(Vectors(["a", "b"], np.zeros((2, 2)), [1, 1]))
    assert (found.share_of_mean, found.share_of_components) == (0, [0, 0])


# --- Two words


def test_contributions_add_up_to_the_cosine(trained):
    emb = trained.embedding
    found = explain_similarity(emb, "w3", "w7")
    assert found.cosine == pytest.approx(emb.similarity("w3", "w7"), abs=1e-6)
    assert found.unexplained == pytest.approx(0, abs=1e-9)
    assert found.common + found.contributions.sum() == pytest.approx(found.cosine, abs=1e-9)
    assert len(found.contributions) == 30


def test_contributions_are_those_of_the_formula(trained):
    W, C = trained.W.astype(float), trained.C.astype(float)
    u = W - W.mean(axis=0)
    G = (C * trained.noise[:, None]).T @ C
    a = np.sqrt(trained.noise) * (u @ np.linalg.inv(linalg.sqrtm(G).real) @ C.T)
    found = explain_similarity(trained.embedding, "w3", "w7")
    w, other = (trained.embedding.words.get_index(word) for word in ("w3", "w7"))
    expected = a[w] * a[other] / np.linalg.norm(W[w]) / np.linalg.norm(W[other])
    np.testing.assert_allclose(found.contributions, expected, atol=1e-9)
    ordered = np.sort(expected)[::-1]
    assert ordered[: found.half].sum() >= expected[expected > 0].sum() / 2 > ordered[: found.half - 1].sum()


def test_what_few_contexts_cannot_say_is_unexplained(two_topics):
    emb = pairloom.train(two_topics, dim=50, min_count=1, sample=0)
    found = explain_similarity(emb, "cat", "dog")
    assert found.unexplained != 0
    assert found.common + found.contributions.sum() + found.unexplained == pytest.approx(found.cosine)


def test_words_of_a_topic_share_its_contexts_and_avoid_the_others(model):
    emb = pairloom.load(model)
    found = explain_similarity(emb, "cat", "dog", topn=5)
    animals = set("cat dog horse cow sheep goat hen duck pig goose".split())
    assert {s.context for s in found.sought} <= animals
    assert not {s.context for s in found.avoided} & animals
    assert all(s.contribution > 0 and min(s.products) > 0 for s in found.sought)
    apart = explain_similarity(emb, "cat", "red")
    assert len(apart.apart) > len(apart.sought) and apart.contributions.sum() < 0


def test_counts_stand_beside_the_contexts_if_there_are_any(trained):
    found = explain_similarity(trained.embedding, "w0", "w1", topn=3, counts=trained.counts)
    for s in found.sought + found.avoided + found.apart:
        c = int(s.context[1:])
        rows = [trained.embedding.words.get_index(w) for w in ("w0", "w1")]
        context = trained.embedding.contexts.get_index(f"w{c}")
        assert s.counts == (trained.counts.count(rows[0], context), trained.counts.count(rows[1], context))


# --- The report


@pytest.fixture(scope="module")
def report(model, corpus):
    return explain(pairloom.load(model), corpus)


def test_the_report_knows_the_corpus_it_was_trained_on(report, model, two_topics):
    assert report.facts["same_corpus"] and report.facts["words"] == 20
    other = explain(pairloom.load(model), two_topics[:100])
    assert not other.facts["same_corpus"]


def test_progress_is_told_to_the_end_of_each_stage(model, corpus):
    told = []
    explain(pairloom.load(model), corpus, on_progress=told.append)
    for stage in ("pairs", "fit", "whole"):
        last = [report for report in told if report.stage == stage][-1]
        assert last.done == last.total > 0


def test_threads_change_no_digit(model, corpus):
    emb = pairloom.load(model)
    first, second = (json.dumps(explain(emb, corpus, threads=threads).as_dict()) for threads in (1, 3))
    assert first == second


@pytest.mark.parametrize("options", [{"sample": 0.01}, {"clean": True, "min_count": 20}, {"left": 0, "right": 2}])
def test_the_pairs_are_those_of_the_models_own_settings(options, small):
    emb = pairloom.train(small, **{"dim": 4, "epochs": 3, "min_count": 1, **options})
    report = explain(emb, small)
    assert report.facts["same_corpus"]
    config = config_of(emb)
    with open_corpus(small) as corpus, prepare(corpus, min_count=config.min_count, gaps=config.clean) as encoded:
        expected = trained_pairs(TextSource(encoded, config))
    assert report.facts["pairs"] == expected.total and report.facts["different_pairs"] == len(expected)


def test_the_page_is_well_formed_and_needs_nothing_from_elsewhere(report):
    text = page(report, "a <b> & c.loom")
    root = ET.fromstring(text.removeprefix("<!DOCTYPE html>\n"))
    assert root.find("head/title").text == "a <b> & c.loom, explained"
    assert len(root.findall(".//svg")) == 6 and len(root.findall(".//table")) == 7
    assert all(picture.get("role") == "img" and picture.get("aria-label") for picture in root.iter("svg"))
    assert not re.search(r"https?:|//|src=|url\(|@import|<script|href", text.replace("</", "<"))
    assert "prefers-color-scheme: dark" in text
    numbers = [float(n) for n in re.findall(r'(?:x|y|cx|cy|width|height)="([-0-9.a-z]+)"', text)]
    assert numbers and np.all(np.isfinite(numbers)) and min(numbers) >= 0


@pytest.mark.parametrize(
    "name", ["</title><script>alert(1)</script>", "\"'><img src=x>", "\u202eexe.gpj", "\x1b[2J\x00"]
)
def test_a_hostile_name_is_text_on_the_page(report, name):
    hostile = replace(report, facts=report.facts | {"corpus": name, "window": name})
    root = ET.fromstring(page(hostile, name).removeprefix("<!DOCTYPE html>\n"))
    assert root.find("head/title").text == f"{visible(name)}, explained"
    assert root.find("body/p").text.count(visible(name)) == 2
    assert not [element.tag for element in root.iter() if element.tag in ("script", "img")]


@pytest.mark.parametrize("options", [{"window": "sentence"}, {"dim": 1, "left": 0, "right": 1}, {"noise_power": 0.0}])
def test_a_page_can_be_made_of_any_model(options, two_topics):
    emb = pairloom.train(two_topics[:40], **{"dim": 5, "epochs": 1, "min_count": 1, "sample": 0, **options})
    ET.fromstring(page(explain(emb, two_topics[:40]), "m").removeprefix("<!DOCTYPE html>\n"))


def test_the_command_prints_tables_writes_the_page_and_json(model, corpus, tmp_path, capsys):
    target = tmp_path / "p.html"
    assert main(["explain", str(model), str(corpus), "--page", str(target), "--quiet"]) == 0
    printed = capsys.readouterr().out
    for title in ("against PMI - log k", "its optimum", "The objective", "p(D=1 | w, c)", "effective window", "Length"):
        assert title in printed
    assert target.read_text().startswith("<!DOCTYPE html>")
    assert main(["explain", str(model), str(corpus), "--json", "--quiet"]) == 0
    found = json.loads(capsys.readouterr().out, parse_constant=lambda name: pytest.fail(name))
    assert found["facts"]["same_corpus"] and found["optimum"]["all"]["pairs"] == found["facts"]["different_pairs"]


def test_the_command_explains_two_words(model, corpus, capsys):
    assert main(["explain", str(model), "cat", "dog", "-n", "3", "--corpus", str(corpus), "--quiet"]) == 0
    printed = capsys.readouterr().out
    assert re.match(r"cat and dog: cosine 0\.\d+ = -?0\.\d+ shared by all words \+ 0\.\d+ from contexts", printed)
    assert "#(cat, c)" in printed
    assert main(["explain", str(model), "cat", "dog", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["words"] == ["cat", "dog"] and found["sought"][0]["counts"] is None


# --- Bad input


def refused(capsys, *args):
    assert main(["explain", *map(str, args), "--quiet"]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.count("\n") == 1
    return printed.err.removeprefix("pairloom explain: ").rstrip("\n")


def test_a_model_without_contexts_is_refused(model, corpus, tmp_path, capsys):
    pairloom.load(model).save(tmp_path / "v.bin")
    message = "To explain a model takes the vectors of its contexts, and this one has none. "
    message += "Take the .loom file that pairloom trained."
    assert refused(capsys, tmp_path / "v.bin", corpus) == message
    assert refused(capsys, tmp_path / "v.bin", "cat", "dog") == message


def test_a_corpus_of_other_words_is_refused(model, tmp_path, capsys):
    other = tmp_path / "other.txt"
    other.write_text("alpha beta gamma\n" * 10)
    assert refused(capsys, model, other).startswith(f"None of the words of {other} are in the vocabulary.")


def test_an_empty_corpus_and_one_of_single_words_are_refused(model, tmp_path, capsys):
    other = tmp_path / "other.txt"
    other.write_text("")
    assert str(other) in refused(capsys, model, other)
    other.write_text("cat\ndog\n")
    assert "Put several words on a line" in refused(capsys, model, other)


def test_unknown_words_are_answered_with_what_may_be_meant(model, capsys):
    assert (
        refused(capsys, model, "caat", "dog")
        == "'caat' is not among the 20 words of these vectors. Did you mean 'cat'?"
    )
    with pytest.raises(UnknownWordError):
        explain_similarity(pairloom.load(model), "cat", "nothing")


def test_a_missing_corpus_is_named(model, tmp_path, capsys):
    assert "none.txt" in refused(capsys, model, tmp_path / "none.txt")


def test_a_page_that_cannot_be_written_is_refused_before_the_work(model, corpus, tmp_path, capsys):
    assert "does not exist" in refused(capsys, model, corpus, "--page", tmp_path / "none" / "p.html")
    assert "among, the files to be read" in refused(capsys, model, corpus, "--page", corpus)
    assert "Leave out --page" in refused(capsys, model, "cat", "dog", "--page", tmp_path / "p.html")
    assert "--corpus is only for two words" in refused(capsys, model, corpus, "--corpus", corpus)
    assert refused(capsys, model, "cat", "dog", "-n", "0").startswith("-n 0 is out of range.")
    assert refused(capsys, model, corpus, "--most-products", "0").startswith("--most-products 0 is out of range.")


def test_models_of_other_kinds_are_refused(trained):
    emb = trained.embedding
    with pytest.raises(
        InputError, match=r"this model was trained with objective=hs\. Train one with objective=negative"
    ):
        explain(
            Embedding(words=emb.words, contexts=emb.contexts, record={"config": {"objective": "hs"}}), [["w1", "w2"]]
        )
    fewer = emb.contexts.vectors_for_all(["w1", "w2"])
    with pytest.raises(InputError, match="contexts of this model are not its words"):
        explain(Embedding(words=emb.words, contexts=fewer), [["w1", "w2"]])
    uncounted = Vectors(emb.words.words, emb.words.vectors)
    with pytest.raises(InputError, match="The word 'w0' of this model has no count"):
        explain(Embedding(words=uncounted, contexts=emb.contexts), [["w1", "w2"]])


def test_a_zero_vector_has_no_cosine_to_explain():
    vectors = Vectors(["a", "b"], np.array([[0.0, 0], [1, 0]]), [1, 1])
    with pytest.raises(InputError, match="The vector of 'a' is zero"):
        explain_similarity(Embedding(words=vectors, contexts=vectors), "a", "b")
