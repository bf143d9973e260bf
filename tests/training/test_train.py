"""From a corpus to vectors: they make sense, and they are the same bytes however the work was done."""

import gzip
import hashlib
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import pairloom
from pairloom.cluster.executor import ThreadExecutor
from pairloom.config import TrainConfig
from pairloom.corpus.encoding import Encoded
from pairloom.corpus.prepared import prepare
from pairloom.corpus.sentences import open_corpus
from pairloom.corpus.vocabulary import WordSelection
from pairloom.errors import InputError
from pairloom.pairs import blocks
from pairloom.pairs import from_text as text_source
from pairloom.pairs.from_text import TextSource
from pairloom.pairs.hubs import hubs_of
from pairloom.pairs.parts import undealt
from pairloom.pairs.source import Dealings
from pairloom.system.threads import workers
from pairloom.training.blockwise import BlockTraining
from pairloom.training.learn import learn
from pairloom.training.loop import Runtime
from pairloom.training.plan import Plan
from pairloom.training.warm_up import load_kernels
from tests.conftest import TOPICS

TOY = {"dim": 16, "epochs": 10, "min_count": 1, "sample": 0}


def sha256(embedding):
    matrices = (embedding.words.vectors, embedding.contexts.vectors)
    return [hashlib.sha256(np.ascontiguousarray(m)).hexdigest() for m in matrices]


@pytest.mark.parametrize("train", [pairloom.train, pairloom.train_pairs])
@pytest.mark.parametrize("option", ["output", "contexts_output"])
def test_the_text_is_not_written_over(train, option, tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("a b\n" * 50)
    (tmp_path / "linked.vec").hardlink_to(text)
    for output in (text, tmp_path / "linked.vec"):
        for corpus in (text, [text]):
            with pytest.raises(InputError, match="is, or is among, the files to be read"):
                train(corpus, dim=4, **{option: output})
    assert text.read_text() == "a b\n" * 50


def test_words_of_a_topic_are_neighbours(two_topics):
    emb = pairloom.train(two_topics, **TOY)
    for topic in TOPICS:
        for word in topic:
            near = [other for other, _ in emb.most_similar(word, topn=9)]
            assert set(near) == set(topic) - {word}


def test_contexts_have_vectors_of_their_own_and_pairs_of_the_text_are_probable(two_topics):
    emb = pairloom.train(two_topics, **TOY)
    assert {w for w, _ in emb.contexts.most_similar("cat", topn=9)} == set(TOPICS[0]) - {"cat"}
    # A pair of one topic is 1/200 of D, and with k = 5 it is 5/400 of D': p(D=1|w,c) is 2 / (2 + 5).
    assert emb.probability("cat", "dog") == pytest.approx(2 / 7, abs=0.05)
    assert emb.probability("cat", "red") < 0.05
    assert not np.array_equal(emb.words["cat"], emb.contexts["cat"])


@pytest.fixture
def small_rounds(monkeypatch):
    """Several rounds and many chunks also for a small corpus."""
    monkeypatch.setattr(blocks, "LONGEST_ROUND", 300_000)
    monkeypatch.setattr(blocks, "FEWEST_LONG_ROUNDS", 2)
    monkeypatch.setattr(text_source, "TOKENS_PER_CHUNK", 3_000)


OPTIONS = {"dim": 20, "epochs": 2, "min_count": 2, "sample": 1e-2}


def test_the_bytes_are_the_same_for_any_number_of_threads(zipf_corpus, small_rounds):
    first, *others = [sha256(pairloom.train(zipf_corpus, threads=t, **OPTIONS)) for t in (1, 2, 3, 8)]
    assert others == [first] * 3


def test_the_bytes_are_the_same_for_files_parts_of_files_packed_files_and_lists(zipf_corpus, small_rounds, tmp_path):
    lines = [" ".join(sentence) + "\n" for sentence in zipf_corpus]
    (tmp_path / "whole.txt").write_text("".join(lines))
    (tmp_path / "packed.gz").write_bytes(gzip.compress("".join(lines).encode()))
    (tmp_path / "cut").mkdir()
    for i in range(5):
        (tmp_path / "cut" / f"{i}.txt").write_text("".join(lines[4000 * i : 4000 * (i + 1)]))
    sources = [zipf_corpus, tmp_path / "whole.txt", tmp_path / "packed.gz", tmp_path / "cut"]
    results = [pairloom.train(source, threads=2, **OPTIONS) for source in sources]
    assert len({tuple(sha256(emb)) for emb in results}) == 1
    for i, emb in enumerate(results):
        emb.save(tmp_path / f"{i}.loom")
    assert len({(tmp_path / f"{i}.loom").read_bytes() for i in range(4)}) == 1  # the whole file, not just the matrices


def test_the_small_rounds_above_do_cut_the_corpus_into_parts_rounds_and_chunks(zipf_corpus, small_rounds):
    with open_corpus(zipf_corpus) as corpus, prepare(corpus, WordSelection(min_count=2)) as encoded:
        source, n_words = TextSource(encoded, TrainConfig(**OPTIONS)), len(encoded.vocabulary)
        division = blocks.Division.of(n_words, n_words, 20, 5, 2 * source.n_pairs)
        assert division.parts > division.parts_of(0) == 16
        assert len(list(source.rounds(division.round_edges(source.n_pairs, 0, epochs=1)))) >= 3
        assert len(hubs_of(source.word_share, division.parts)) > 0


def test_rounds_take_every_sentence_once_and_from_all_over_the_text(zipf_corpus):
    with open_corpus(zipf_corpus) as corpus, prepare(corpus, WordSelection(min_count=2)) as encoded:
        source = TextSource(encoded, TrainConfig(**OPTIONS))
        rounds = list(source.rounds([0.0, 1e-9, 0.1, 0.35, 1.0]))
        edges, n = source.slice_edges, encoded.n_sentences
    assert (edges[0], edges[-1]) == (0, n) and (np.diff(edges) > 0).all()
    assert sorted(source.order) == [*range(len(edges) - 1)]
    assert [a.first for a in rounds] + [len(source.order)] == [0] + [a.last for a in rounds]
    assert [a.number for a in rounds] == [*range(len(rounds))]
    ends = [a.end / source.n_positions for a in rounds]
    assert ends[-3:] == pytest.approx([0.1, 0.35, 1.0], abs=0.01)
    for a in rounds[-3:]:
        slices = source.order[a.first : a.last]
        in_quarters, _ = np.histogram(edges[slices], bins=4, range=(0, n))
        assert in_quarters.min() > 0.15 * len(slices)


WINDOWS = [
    {"left": 2, "right": 7},
    {"window_shape": "harmonic"},
    {"window_shape": "linear", "left": 0},
    {"window_shape": "fixed", "positional": True},
    {"clean": True},
    {"clean": True, "positional": True, "window": 3},
    {"window": "sentence"},
    {"subsampling": "published"},
]


@pytest.mark.parametrize("windows", WINDOWS, ids=str)
def test_the_bytes_are_the_same_for_any_number_of_threads_and_any_windows(zipf_text, small_rounds, windows):
    plain, one, five = (
        sha256(pairloom.train(zipf_text, threads=t, **OPTIONS, **more))
        for t, more in ((1, {}), (1, windows), (5, windows))
    )
    assert one == five != plain


@pytest.mark.filterwarnings("ignore::pairloom.errors.IgnoredOptionWarning")  # TOY has sample=0
@pytest.mark.parametrize("windows", WINDOWS, ids=str)
def test_words_of_a_topic_are_neighbours_with_any_windows(two_topics, windows):
    emb = pairloom.train(two_topics, **TOY | {"epochs": 20} | windows)
    for topic in TOPICS:
        assert {other for other, _ in emb.most_similar(topic[0], topn=9)} == set(topic) - {topic[0]}


def test_a_positional_context_is_named_by_its_place():
    emb = pairloom.train([["the", "cat", "sat", "on", "the", "mat"]] * 200, **TOY, window=2, positional=True)
    assert len(emb.contexts) == 4 * len(emb.words)
    noise = emb.contexts.counts**0.75
    k_noise = emb.record["config"]["negatives"] * noise[emb.contexts.key_to_index["the_-1"]] / noise.sum()
    share = 1 / 2.5  # of cat's contexts: the_-1 and sat_+1 in every window, on_+2 in half of them
    assert emb.probability("cat", "the_-1") == pytest.approx(share / (share + k_noise), abs=0.1)
    assert emb.probability("cat", "the_+1") < 0.1
    assert emb.contexts.counts[emb.contexts.key_to_index["mat_-1"]] == 0  # nothing comes after mat


def test_a_line_too_long_to_be_a_window_is_refused():
    with pytest.raises(
        InputError, match="all words of a line are contexts of each other, and the longest line has 5,001 words"
    ):
        pairloom.train([["a", "b", "c"] * 1667] * 2, min_count=1, window="sentence")


def test_too_many_positional_contexts_are_refused(monkeypatch, two_topics):
    monkeypatch.setattr(text_source, "MOST_POSITIONAL_CONTEXTS", 199)
    with pytest.raises(InputError, match="20 words at 10 places make 200 positional contexts, and 199 is the limit"):
        pairloom.train(two_topics, **TOY, positional=True)


def test_the_expected_pairs_of_clean_windows_are_those_of_the_text_not_of_a_given_vocabulary(two_topics):
    vocabulary = pairloom.Vocabulary.of([(word, 1) for word in TOPICS[0]])
    with open_corpus(two_topics) as corpus, prepare(corpus, vocabulary=vocabulary, gaps=True) as encoded:
        source = TextSource(encoded, TrainConfig(clean=True, sample=0, window_shape="fixed", window=3, heldout=0))
        with workers(1) as pool:
            dealings = Dealings(undealt(10), undealt(10), np.uint64(0))
            dealt = source.deal(0, next(source.rounds([0.0, 1.0])), dealings, pool)
    assert source.n_pairs == pytest.approx(dealt.starts[-1] / 2, rel=0.5)  # lines are of one topic or the other


def test_gaps_and_token_lists_and_files_agree_on_clean_windows(zipf_corpus, tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("".join(" ".join(sentence) + "\n" for sentence in zipf_corpus))
    options = OPTIONS | {"min_count": 40, "clean": True}
    assert sha256(pairloom.train(zipf_corpus, **options)) == sha256(pairloom.train(path, **options))


def test_another_seed_gives_other_vectors(two_topics):
    assert sha256(pairloom.train(two_topics, **TOY)) != sha256(pairloom.train(two_topics, seed=2, **TOY))


@pytest.mark.parametrize("dim", [1, 3, 17, 128, 4096])
@pytest.mark.parametrize("negatives", [1, 4, 64])
def test_any_dim_and_any_number_of_negatives_train(two_topics, dim, negatives):
    emb = pairloom.train(two_topics[:50], dim=dim, negatives=negatives, epochs=1, min_count=1)
    assert emb.words.vectors.shape == (20, dim)
    assert np.isfinite(emb.words.vectors).all() and emb.words.vectors.any()


def test_the_held_out_loss_begins_at_k_plus_1_times_log_2_and_falls(zipf_corpus, two_topics):
    emb = pairloom.train(two_topics, negatives=3, heldout=0.1, **TOY)
    losses = emb.record["heldout"]["loss"]
    assert losses[0] == pytest.approx(4 * np.log(2))
    assert len(losses) == TOY["epochs"] + 1
    assert losses[-1] < losses[0] - 0.5


def test_the_held_out_loss_can_be_turned_off(two_topics):
    emb = pairloom.train(two_topics, heldout=0, **TOY)
    assert emb.record["heldout"] == {"pairs": 0, "loss": [None] * 11}


def test_progress_is_reported_in_order_and_ends_at_the_end(zipf_corpus, small_rounds, capfd):
    seen = []
    pairloom.train(zipf_corpus, on_progress=seen.append, **OPTIONS)
    assert [p.stage for p in seen if p.stage in ("count", "encode")]
    training = [p for p in seen if p.stage == "train"]
    assert [p.done for p in training] == sorted(p.done for p in training)
    assert training[-1].done == training[-1].total
    assert training[-1].epoch == training[-1].epochs == 2
    half = next(p for p in training if p.done * 2 == p.total)
    assert (half.epoch, half.heldout) == (1, training[-2].heldout)
    assert training[-1].lr == pytest.approx(2.5e-6)
    assert [p.lr for p in training] == sorted((p.lr for p in training), reverse=True)
    assert capfd.readouterr() == ("", "")  # the library prints nothing


def test_an_exception_of_the_callback_reaches_the_caller_and_ends_the_threads(zipf_corpus):
    def refuse(progress):
        if progress.stage == "train":
            raise RuntimeError("enough")

    before = threading.active_count()
    with pytest.raises(RuntimeError, match="enough"):
        pairloom.train(zipf_corpus, on_progress=refuse, threads=4, **OPTIONS)
    assert threading.active_count() == before


def test_an_exception_of_the_corpus_on_its_second_reading_reaches_the_caller():
    class Failing:
        passes = 0

        def __iter__(self):
            self.passes += 1
            yield from [["a", "b"]] * 100
            if self.passes > 2:  # the first two are the look at its beginning, and the counting
                raise RuntimeError("the database has gone away")

    began = time.perf_counter()
    with pytest.raises(RuntimeError, match="gone away"):
        pairloom.train(Failing(), min_count=1)
    assert time.perf_counter() - began < 5


@pytest.mark.parametrize("lr", [1e6, 1e4])
def test_divergence_is_found(zipf_corpus, lr):
    with pytest.raises(pairloom.DivergedError) as caught:
        pairloom.train(zipf_corpus, lr=lr, **OPTIONS)
    assert f"The learning rate {lr:g} is likely too high; 0.025 is usual." in str(caught.value)


@pytest.mark.parametrize("side", ["W", "C"])
@pytest.mark.parametrize("row", [0, -1])
@pytest.mark.parametrize("value", [np.nan, np.inf, -1001.0, 1001.0])
def test_a_component_beyond_all_bounds_is_found_wherever_it_is(side, row, value):
    vocabulary = pairloom.Vocabulary(tuple(f"w{i}" for i in range(100)), np.ones(100, np.int64))
    encoded = Encoded(np.arange(100, dtype=np.int32), np.array([0, 100]), vocabulary, "")
    with workers(2) as pool:
        training = BlockTraining(
            TextSource(encoded, TrainConfig(dim=3)), None, Runtime(pool, 2, ThreadExecutor(pool, 2))
        )
        training.health.check_largest(training.holder.largest(), 0)
        getattr(training.holder, side)[row, 1] = value
        with pytest.raises(pairloom.DivergedError):
            training.health.check_largest(training.holder.largest(), 0)


def test_every_token_of_a_long_list_is_trained_on():
    """gensim trains on the first 10 000 tokens of a list and drops the others without a word."""
    sentence = [f"w{i}" for i in range(25_000)]
    emb = pairloom.train([sentence], dim=4, epochs=1, min_count=1)
    assert np.all(np.abs(emb.contexts.vectors).sum(axis=1) > 0)


def test_a_given_vocabulary_is_taken_as_it_is(two_topics):
    vocabulary = pairloom.Vocabulary(("cat", "dog", "red"), np.array([500, 400, 300]))
    emb = pairloom.train(two_topics, vocabulary=vocabulary, dim=8, epochs=2, sample=0)
    assert emb.words.words == ["cat", "dog", "red"]
    assert emb.words.counts.tolist() == [500, 400, 300]


@pytest.mark.parametrize("option", [{"min_count": 2}, {"max_vocab": 5}, {"keep": ["cat"]}, {"drop": ["cat"]}])
def test_a_given_vocabulary_and_options_that_would_change_it_contradict_each_other(two_topics, option):
    vocabulary = pairloom.Vocabulary(("cat", "dog", "red"), np.array([500, 400, 300]))
    with pytest.raises(pairloom.ConfigError, match="A given vocabulary is used as it is"):
        pairloom.train(two_topics, vocabulary=vocabulary, **option)
    with pytest.raises(pairloom.ConfigError, match=r"is not a pairloom\.Vocabulary"):
        pairloom.train(two_topics, vocabulary=["cat", "dog"])


@pytest.mark.parametrize("corpus", [[["a"], ["b"]] * 30, [["a", "b"]] * 30])
def test_a_text_without_pairs_is_refused(corpus):
    with pytest.raises(pairloom.InputError, match="so there are no pairs to learn from"):
        pairloom.train(corpus, min_count=1, sample=1e-30)


def test_divergence_in_the_very_last_step_is_found():
    with pytest.raises(pairloom.DivergedError):
        pairloom.train([["a", "b"]], lr=1e6, epochs=1, min_count=1, sample=0)


def test_numbers_of_numpy_are_numbers(two_topics):
    plain = pairloom.train(two_topics, dim=8, lr=0.0625, min_count=1, epochs=1)
    numpy = pairloom.train(two_topics, dim=np.int64(8), lr=np.float32(0.0625), min_count=np.int8(1), epochs=np.uint8(1))
    assert (sha256(plain), plain.record) == (sha256(numpy), numpy.record)


def test_the_bytes_do_not_depend_on_the_threads_or_the_kernels_of_blas(tmp_path):
    """With sample=0 and window=4 a round ends within a rounding error of the next token."""
    script = """
import hashlib, sys
import numpy as np, pairloom
from pairloom.pairs import blocks, from_text as text_source
blocks.SHORTEST_ROUND = blocks.LONGEST_ROUND = 80_000
rng = np.random.default_rng(0)
corpus = [[f"w{i}" for i in line] for line in rng.integers(0, 12_000, (20_000, 3)).tolist()]
emb = pairloom.train(corpus, dim=4, window=4, min_count=1, sample=0, epochs=1, threads=2)
emb.save(sys.argv[1])
"""
    for name, settings in {
        "default": {},
        "one": {"OPENBLAS_NUM_THREADS": "1"},
        "old": {"OPENBLAS_CORETYPE": "Nehalem"},
    }.items():
        command = [sys.executable, "-c", script, str(tmp_path / f"{name}.loom")]
        subprocess.run(command, check=True, env=os.environ | settings)
    assert len({file.read_bytes() for file in tmp_path.glob("*.loom")}) == 1


def test_words_can_be_kept_and_dropped(two_topics):
    emb = pairloom.train(two_topics, dim=4, epochs=1, min_count=10**6, keep=["cat", "dog", "red"], drop=[])
    assert set(emb) == {"cat", "dog", "red"}
    assert "cat" not in pairloom.train(two_topics, drop=["cat"], **TOY)


def test_a_tokenizer_of_the_user_is_used(tmp_path):
    (tmp_path / "t.txt").write_text("a,b,c\n" * 50)
    emb = pairloom.train(tmp_path / "t.txt", tokenize=lambda line: line.split(","), **TOY)
    assert sorted(emb) == ["a", "b", "c"]


def test_training_from_ids_is_what_train_does(two_topics):
    with open_corpus(two_topics) as corpus, prepare(corpus, WordSelection(min_count=1)) as encoded:
        config = TrainConfig(**TOY)
        emb = learn(TextSource(encoded, config), Plan(config=config))
    assert sha256(emb) == sha256(pairloom.train(two_topics, **TOY))


def test_a_model_of_two_words_and_a_model_of_few_words_train():
    emb = pairloom.train([["a", "b"]] * 30, **TOY)
    assert len(emb) == 2 and np.isfinite(emb.words.vectors).all()


def test_a_model_for_which_there_is_no_memory_is_refused_with_its_size(two_topics, monkeypatch):
    def none(*_):
        raise MemoryError

    load_kernels()  # which trains a toy
    monkeypatch.setattr("pairloom.cluster.holder.aligned_zeros", none)
    with pytest.raises(
        pairloom.InputError, match=r"^20 words and 20 contexts of dim 8 take 0\.0 MB, more than there is"
    ):
        pairloom.train(two_topics, dim=8, min_count=1)


@pytest.mark.parametrize(
    "content", [b'{"text": "so it goes"}\n' * 9, b"\xff\xfe\xfd\n", None], ids=["JSON", "bytes", "none"]
)
def test_a_file_that_cannot_be_read_is_found_before_anything_is_compiled(content, tmp_path):
    path, stages = tmp_path / "text.txt", []
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError):
        pairloom.train(path, on_progress=lambda progress: stages.append(progress.stage))
    assert stages == []
