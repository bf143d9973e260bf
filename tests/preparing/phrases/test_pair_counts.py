"""Pairs of words are counted exactly, in tables of any size."""

import pytest

import pairloom
from pairloom import Phrases
from pairloom.corpus.sentences import open_corpus
from pairloom.preparing.phrases import pair_counts
from tests.preparing.phrases.examples import TEXT, counted, lists, random_text
from tests.reading import read_in_blocks


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_counts_are_exact_however_small_the_tables_blocks_and_shares_are(threads, tmp_path, monkeypatch):
    """Some 15 000 different pairs, in tables for 768: the shares have to be halved again and again."""
    monkeypatch.setattr(pair_counts, "MOST_BYTES", 1024)
    monkeypatch.setattr(pair_counts, "_UNITS_AT_ONCE", 1000)
    read_in_blocks(monkeypatch, 5000)
    text, connectors = random_text(), frozenset({"w0", "w1", "w7"})
    (tmp_path / "c.txt").write_text(text)
    words, pairs, tokens = counted(lists(text), connectors)
    with open_corpus(tmp_path / "c.txt") as corpus:
        got = pair_counts.count_pairs(corpus, min_count=2, connectors=connectors, threads=threads)
    name = got.words.words(range(len(got.words.counts)))
    found = {
        (name[a], *(name[c] for c in got.gaps[gap]), name[b]): n
        for a, gap, b, n in zip(got.first, got.gap, got.second, got.counts.tolist(), strict=True)
    }
    assert len(pairs) > 10_000
    assert found == {pair: n for pair, n in pairs.items() if n >= 2}
    assert (got.n_types, got.words.n_tokens) == (len(words) + len(pairs), tokens)


def test_there_can_be_more_gaps_than_the_first_table_holds():
    connectors = [f"c{i}" for i in range(30)]
    sentences = [["a", c, d, "b"] for c in connectors for d in connectors] * 2
    phrases = Phrases.learn(sentences, min_count=2, threshold=-1, scoring="npmi", connectors=connectors)
    assert set(phrases.passes[0]) == {("a", c, d, "b") for c in connectors for d in connectors}


def test_pairs_do_not_cross_lines_but_reach_across_the_pieces_of_a_long_line(tmp_path, monkeypatch):
    read_in_blocks(monkeypatch, 10)
    (tmp_path / "c.txt").write_text("a b\nc d\n" * 10 + "e f " * 100)
    phrases = Phrases.learn(tmp_path / "c.txt", min_count=1, threshold=-1, scoring="npmi", max_sentence=3)
    assert set(phrases.phrases) == {"a_b", "c_d", "e_f", "f_e"}
    with open_corpus(tmp_path / "c.txt") as corpus:
        got = pair_counts.count_pairs(corpus, min_count=1, threads=2)
    assert sorted(got.counts.tolist()) == [10, 10, 99, 100]


def test_nothing_stays_in_the_cache_folder(tmp_path):
    Phrases.learn(lists(TEXT), cache_dir=tmp_path / "cache", passes=2)
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_corpus_that_changes_between_readings_is_noticed():
    class Fickle:
        readings = 0

        def __iter__(self):
            self.readings += 1
            return iter([["a", "b"], ["a" if self.readings < 5 else "b", "b"]])

    with pytest.raises(pairloom.CorpusChangedError, match="was not the same when read again"):
        Phrases.learn(Fickle())
