"""Training that begins with vectors: taken over, grown, frozen."""

import json
import tracemalloc

import numpy as np
import pytest

import pairloom
from pairloom.cli import main as cli
from pairloom.cluster.holder import aligned_zeros, compacted
from pairloom.errors import ConfigError, CorpusWarning, InputError
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.vectors import Vectors
from tests.conftest import TOPICS

TOY = {"dim": 16, "epochs": 5, "min_count": 1, "sample": 0, "window": 3}


@pytest.fixture(scope="module")
def half(two_topics):
    """A model of the animals."""
    return pairloom.train([s for s in two_topics if s[0] in TOPICS[0]], **TOY)


def distance(one, other, words):
    return max(float(np.abs(one[word] - other[word]).max()) for word in words)


def test_known_words_begin_at_their_vectors_and_the_others_at_random(half, two_topics):
    emb = pairloom.train(two_topics, start=half, lr=1e-9, min_lr=0, epochs=1)
    fresh = pairloom.train(two_topics, **TOY | {"lr": 1e-9, "min_lr": 0, "epochs": 1})
    assert distance(emb.words, half.words, TOPICS[0]) < 1e-6
    assert distance(emb.contexts, half.contexts, TOPICS[0]) < 1e-6
    assert distance(emb.words, fresh.words, TOPICS[1]) < 1e-6
    assert emb.record["start"] == {"words": 10, "contexts": 10, "epochs": 5}


def test_the_options_are_those_of_the_model_where_no_others_are_given(half, two_topics):
    emb = pairloom.train(two_topics, start=half, negatives=7)
    made_with = emb.record["config"]
    assert (made_with["dim"], made_with["window"], made_with["sample"], made_with["min_count"]) == (16, 3, 0.0, 1)
    assert (made_with["negatives"], made_with["epochs"]) == (7, 5)


def test_between_text_and_pairs_go_only_options_that_mean_the_same(half, two_topics):
    pairs = [(w, c) for w in TOPICS[0] for c in TOPICS[0]] * 9
    of_text = pairloom.train([s for s in two_topics if s[0] in TOPICS[0]], **TOY | {"sample": 0.3, "negatives": 3})
    mixed = pairloom.train_pairs(pairs, start=of_text)
    assert (mixed.record["config"]["sample"], mixed.record["config"]["negatives"]) == (0.0, 3)
    back = pairloom.train(two_topics, start=pairloom.train_pairs(pairs, start=half, min_count=2.5), sample=0)
    assert back.record["config"]["min_count"] == 5


def test_how_the_text_was_read_is_taken_over(two_topics):
    shouted = [[word.upper() for word in s] for s in two_topics]
    quiet = pairloom.train(shouted, **TOY, lowercase=True)
    assert set(pairloom.train(shouted, start=quiet, epochs=1)) == set(quiet)


def test_a_model_that_was_computed_can_be_trained_on(two_topics):
    computed = pairloom.train(two_topics, **TOY, model="sppmi-svd", negatives=1)
    assert pairloom.train(two_topics, start=computed, epochs=1).record["config"]["model"] == "skipgram"


def test_a_window_of_the_sentence_does_not_fix_the_windows_after_it(two_topics):
    whole = pairloom.train(two_topics, **TOY | {"window": "sentence"})
    assert pairloom.train(two_topics, start=whole, window=5).record["config"]["window_shape"] == "dynamic"


@pytest.mark.parametrize("suffix", ["loom", "vec", "bin"])
def test_vectors_of_any_format_will_do(half, two_topics, tmp_path, suffix):
    path = tmp_path / f"half.{suffix}"
    half.save(path)
    emb = pairloom.train(two_topics, start=path, **TOY | {"lr": 1e-9, "min_lr": 0, "epochs": 1})
    assert distance(emb.words, half.words, TOPICS[0]) < 1e-5
    assert emb.record["start"]["contexts"] == (10 if suffix == "loom" else 0)
    assert np.abs(emb.contexts["red"]).max() < 1e-6


def test_more_epochs_go_on_from_where_it_ended_with_draws_of_their_own(two_topics):
    one = pairloom.train(two_topics, **TOY | {"epochs": 2})
    more = pairloom.train(two_topics, start=one, epochs=3, lr=0.01)
    assert more.record["heldout"]["loss"][0] == one.record["heldout"]["loss"][-1]
    assert more.record["heldout"]["loss"][-1] < one.record["heldout"]["loss"][-1]
    assert more.record["start"]["epochs"] == 2
    again = pairloom.train(two_topics, start=more, epochs=1, lr=0.01)
    assert again.record["start"]["epochs"] == 5
    # The same epochs drawn as if they were the first are other ones.
    forgetful = Embedding(words=one.words, contexts=one.contexts)
    same_draws = pairloom.train(two_topics, start=forgetful, **TOY | {"epochs": 3, "lr": 0.01})
    assert not np.array_equal(same_draws.words.vectors, more.words.vectors)


def test_the_bytes_are_the_same_for_any_number_of_threads(zipf_corpus):
    start = pairloom.train(zipf_corpus[:5000], dim=20, epochs=1)
    one, five = (pairloom.train(zipf_corpus, start=start, epochs=1, threads=t, grow=True) for t in (1, 5))
    assert np.array_equal(one.words.vectors, five.words.vectors)
    assert np.array_equal(one.contexts.vectors, five.contexts.vectors)


def test_a_model_grows_by_the_words_of_a_new_corpus_and_keeps_the_old_ones(half, two_topics):
    colours = [s for s in two_topics if s[0] in TOPICS[1]]
    grown = pairloom.train(colours, start=half, grow=True, epochs=10)
    assert set(grown) == {*TOPICS[0], *TOPICS[1]}
    assert grown.words.n_similarity(["red"], ["blue", "pink"]) > grown.words.n_similarity(["red"], ["cat", "dog"])
    assert distance(grown.words, half.words, TOPICS[0]) == 0  # no pair of theirs was read
    assert grown.words.get_vecattr("cat", "count") == half.words.get_vecattr("cat", "count")
    without = pairloom.train(colours, start=Embedding(words=half.words, contexts=half.contexts), grow=True, **TOY)
    assert set(without) == set(grown)


def test_what_grows_counts_old_words_however_rare_and_drops_what_is_to_be_dropped(half):
    grown = pairloom.train([["cat", "dog"]] * 3, start=half, grow=True, min_count=5, drop=["pig"])
    assert set(grown) == {*TOPICS[0]} - {"pig"}


def test_counts_add_up_and_old_words_that_are_rare_in_the_new_text_count_too(half):
    text = [["cat", "mouse"], ["mouse", "rat"]] * 6 + [["dog", "rat"]]
    grown = pairloom.train(text, start=half, grow=True, min_count=5, epochs=1)
    counts = {
        w: grown.words.get_vecattr(w, "count") - (half.words.get_vecattr(w, "count") if w in half else 0) for w in grown
    }
    assert {w: n for w, n in counts.items() if n} == {"cat": 6, "dog": 1, "mouse": 12, "rat": 7}


@pytest.mark.parametrize("frozen", ["words", "contexts"])
def test_a_frozen_side_stays_and_the_other_learns(two_topics, frozen):
    begin = pairloom.train(two_topics, **TOY)
    emb = pairloom.train(two_topics, start=begin, freeze=frozen, seed=2, lr=0.1)
    moving = "contexts" if frozen == "words" else "words"
    assert np.array_equal(getattr(emb, frozen).vectors, getattr(begin, frozen).vectors)
    assert not np.array_equal(getattr(emb, moving).vectors, getattr(begin, moving).vectors)
    assert emb.record["heldout"]["loss"][-1] <= emb.record["heldout"]["loss"][0] + 0.02
    assert emb.record["start"]["frozen"] == frozen


def test_contexts_are_learnt_for_words_that_somebody_else_made(two_topics, half):
    only_words = Embedding.of_words(half.words)
    with pytest.warns(CorpusWarning) as warned:
        emb = pairloom.train(two_topics, start=only_words, freeze="words", **TOY)
    assert [str(warning.message) for warning in warned] == [
        "10 of the 20 words of the corpus (a list), 50.0% of its tokens, are not among the frozen words and are left "
        "out. To learn them, use grow (--grow) instead of freeze."
    ]
    assert set(emb) == set(TOPICS[0])  # what the frozen words lack leaves the text
    assert np.array_equal(emb.words.vectors_for_all(half.words).vectors, half.words.vectors)
    assert emb.probability("cat", "dog") > 0.1


def left_out(*args, train=pairloom.train, **options):
    """The warnings of a training."""
    with pytest.warns(CorpusWarning) as warned:
        train(*args, epochs=1, **options)
    return [str(warning.message) for warning in warned]


def test_words_to_start_from_that_are_not_learnt_are_counted(half):
    few = [["cat", "dog", "mouse"]] * 30
    share = 1 - sum(half.words.get_vecattr(word, "count") for word in ("cat", "dog")) / half.words.counts.sum()
    message = (
        f"8 of the 10 words to start from, {share:.1%} of their tokens, are not among the words to learn and are left "
        "out. To keep them, use grow (--grow)"
    )
    assert left_out(few, start=half) == [f"{message}."]
    assert left_out([line[:2] for line in few], start=half, freeze="words") == [f"{message} instead of freeze."]
    uncounted = Vectors(half.words.words, half.words.vectors)
    assert left_out(few, start=uncounted) == [message.replace(f", {share:.1%} of their tokens,", "") + "."]


def test_where_all_words_are_kept_nothing_is_said(half, two_topics):
    pairloom.train(two_topics, start=half, epochs=1)
    pairloom.train([["cat", "dog", "mouse"]] * 30, start=half, grow=True, drop=["pig"], epochs=1)


def test_words_and_contexts_of_pairs_that_are_not_learnt_are_counted():
    start = pairloom.train_pairs([(w, c) for w in "abcd" for c in "wxyz"] * 50, dim=8, epochs=1)
    fewer = [(w, c) for w in "abn" for c in "xyzm"] * 50
    advice = "are left out. To keep them, give vocabularies that include them (--read-vocab, --read-contexts)."
    assert left_out(fewer, start=start, train=pairloom.train_pairs) == [
        f"2 of the 4 words to start from, 50.0% of their tokens, are not among the words to learn and {advice}",
        f"1 of the 4 contexts to start from, 25.0% of their tokens, are not among the contexts to learn and {advice}",
    ]
    vocabularies = {name: pairloom.Vocabulary.of((x, 9) for x in names) for name, names in KEPT.items()}
    assert {*"abcd"} < {*pairloom.train_pairs(fewer, start=start, epochs=1, **vocabularies)}


KEPT = {"words": "abcdn", "contexts": "mwxyz"}


def test_the_command_prints_how_many_words_are_left_out_also_with_json(half, tmp_path, capsys):
    (tmp_path / "few.txt").write_text("cat dog mouse\n" * 30)
    half.save(tmp_path / "half.loom")
    command = [
        "train",
        str(tmp_path / "few.txt"),
        "-o",
        str(tmp_path / "m.loom"),
        "--start",
        str(tmp_path / "half.loom"),
    ]
    assert cli.main([*command, "--json", "--quiet"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["start"]["words"] == 2
    assert "pairloom: warning: 8 of the 10 words to start from, " in printed.err
    assert cli.main([*command, "--json", "--quiet", "--grow"]) == 0
    assert "left out" not in capsys.readouterr().err


def test_pairs_begin_with_vectors_and_freeze_them_too():
    pairs = [(w, c) for w in "abc" for c in "xyz"] * 50
    begin = pairloom.train_pairs(pairs, dim=8)
    emb = pairloom.train_pairs(pairs, start=begin, freeze="contexts", seed=3)
    assert np.array_equal(emb.contexts.vectors, begin.contexts.vectors)
    with pytest.raises(InputError, match="1 of the frozen contexts have no vector to start from"):
        pairloom.train_pairs([*pairs, *[("a", "new")] * 9], start=begin, freeze="contexts")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"grow": True}, "grow needs vectors to start from. Name them with start."),
        ({"freeze": "words"}, "freeze needs vectors to start from. Name them with start."),
        ({"start": 7}, "start is an int. Give an Embedding, Vectors, or the path of a file."),
        ({"dim": 3}, "dim=3 differs from the vectors to start from, whose dim is 16. Leave out dim."),
        ({"freeze": "all"}, "freeze='all' is not a choice. Use words or contexts."),
        (
            {"freeze": "words", "grow": True},
            "grow and freeze exclude each other: a frozen side learns no new words. Use one of them, or fold-in.",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(half, two_topics, options, message):
    start = {} if "needs vectors to start from" in message else {"start": half}
    with pytest.raises(ConfigError) as error:
        pairloom.train(two_topics, **start | options)
    assert str(error.value) == message


def test_positional_contexts_are_not_frozen(two_topics):
    begin = pairloom.train(two_topics, **TOY, positional=True)
    with pytest.raises(ConfigError, match="freeze=contexts cannot be combined with positional"):
        pairloom.train(two_topics, start=begin, freeze="contexts")


def test_vectors_of_other_words_are_refused(two_topics):
    others = Vectors(["un", "deux"], np.ones((2, 16), np.float32))
    with pytest.raises(InputError, match="None of the 20 words has a vector to start from"):
        pairloom.train(two_topics, start=others, **TOY)
    with pytest.raises(InputError, match="The frozen words include 0 of the 20 words"):
        pairloom.train(two_topics, start=others, freeze="words", **TOY)
    with pytest.raises(InputError, match="The vectors to start from have no contexts to freeze"):
        pairloom.train(two_topics, start=others, freeze="contexts", **TOY)


def test_the_command_says_how_many_words_it_took_over(corpus, half, tmp_path, capsys):
    half.save(tmp_path / "half.loom")
    options = ["--start", str(tmp_path / "half.loom"), "-o", str(tmp_path / "whole.loom")]
    assert cli.main(["train", str(corpus), *options]) == 0
    assert "10 words and 10 contexts from --start" in capsys.readouterr().out
    assert cli.main(["train", str(corpus), *options, "--json", "--quiet"]) == 0
    assert json.loads(capsys.readouterr().out)["start"] == {"words": 10, "contexts": 10, "epochs": 5}


# --- Where training ends: rows without padding


@pytest.mark.parametrize(
    ("n", "dim", "stride"), [(0, 5, 16), (1, 5, 16), (1000, 100, 112), (300, 16, 16), (3, 700, 720)]
)
def test_rows_move_together_in_the_same_memory(n, dim, stride, monkeypatch):
    monkeypatch.setattr("pairloom.training.start._MOVED_AT_ONCE", 333)
    padded = aligned_zeros(n * stride)
    rows = np.random.default_rng(n).normal(size=(n, dim)).astype(np.float32)
    padded.reshape(n, stride)[:, :dim] = rows
    moved = compacted(padded, stride, dim)
    assert moved.flags.c_contiguous
    assert n == 0 or np.shares_memory(moved, padded)
    assert np.array_equal(moved, rows)


def test_moving_rows_takes_no_second_matrix():
    padded = aligned_zeros(100_000 * 112)  # 45 MB
    tracemalloc.start()
    try:
        compacted(padded, 112, 100)
        assert tracemalloc.get_traced_memory()[1] < 2 << 20
    finally:
        tracemalloc.stop()
