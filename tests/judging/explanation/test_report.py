"""The report: its facts, its progress, and models that it refuses."""

import json

import numpy as np
import pytest
from scipy import stats

import pairloom
from pairloom.corpus.prepared import prepare
from pairloom.corpus.sentences import open_corpus
from pairloom.corpus.vocabulary import WordSelection
from pairloom.errors import InputError
from pairloom.judging.explanation import explain
from pairloom.judging.explanation.counted_model import vocabulary_of
from pairloom.pairs.cooccurrence import trained_pairs
from pairloom.pairs.from_text import TextSource
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.record import recorded_config
from pairloom.vectors.vectors import Vectors


@pytest.mark.parametrize("noise_power", [0.75, 1.0])
def test_with_vectors_as_long_as_the_vocabulary_the_products_become_pmi_minus_log_k(noise_power):
    rng = np.random.default_rng(2)
    strength = np.exp(rng.normal(0, 0.7, (8, 8)))  # how strongly each word is followed by each
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
    # D' has a pair k noise(c) #(w) times, which shows where there are few words. (In word2vec.c it would be
    # k noise(c) (#(w) - #(w, c)) times: draws that are the pair's own context are left out.)
    n = np.zeros((8, 8))
    for a, b in text:
        a, b = emb.words.get_index(a), emb.words.get_index(b)
        n[a, b] += 1
        n[b, a] += 1
    noise = vocabulary_of(emb).noise(noise_power)
    optimum = np.log(n / (5 * noise * n.sum(axis=1)[:, None]))
    line = stats.linregress(optimum.ravel(), (emb.words.vectors @ emb.contexts.vectors.T).ravel())
    assert line.rvalue > 0.97 and line.slope == pytest.approx(1, abs=0.07)


def test_the_report_knows_the_corpus_it_was_trained_on(report, model, two_topics):
    assert report.facts["same_corpus"] and report.facts["words"] == 20
    other = explain(pairloom.load(model), two_topics[:100])
    assert not other.facts["same_corpus"]


def test_progress_is_reported_to_the_end_of_each_stage(model, corpus):
    reports = []
    explain(pairloom.load(model), corpus, on_progress=reports.append)
    for stage in ("pairs", "fit", "whole"):
        last = [report for report in reports if report.stage == stage][-1]
        assert last.done == last.total > 0


def test_threads_do_not_change_the_report(model, corpus):
    emb = pairloom.load(model)
    first, second = (json.dumps(explain(emb, corpus, threads=threads).as_dict()) for threads in (1, 3))
    assert first == second


@pytest.mark.parametrize("options", [{"sample": 0.01}, {"clean": True, "min_count": 20}, {"left": 0, "right": 2}])
def test_the_pairs_are_those_of_the_models_own_settings(options, small):
    emb = pairloom.train(small, **{"dim": 4, "epochs": 3, "min_count": 1, **options})
    report = explain(emb, small)
    assert report.facts["same_corpus"]
    config = recorded_config(emb.record)
    with (
        open_corpus(small) as corpus,
        prepare(corpus, WordSelection(min_count=config.min_count), gaps=config.clean) as encoded,
    ):
        expected = trained_pairs(TextSource(encoded, config))
    assert report.facts["pairs"] == expected.total and report.facts["different_pairs"] == len(expected)


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
