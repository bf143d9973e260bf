"""Pairs that somebody else made: read, numbered, dealt and trained like those of text."""

import gzip
import hashlib
import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

import pairloom
from pairloom.cli import main as cli
from pairloom.config import TrainConfig
from pairloom.corpus.vocabulary import Vocabulary
from pairloom.errors import ConfigError, CorpusTypeError, InputError
from pairloom.pairs import blocks
from pairloom.pairs import from_pairs as pair_source
from pairloom.pairs.from_pairs import PairSource
from pairloom.pairs.pair_encoding import EncodedPairs, encode_pairs
from pairloom.pairs.pair_names import Selection
from pairloom.pairs.pair_reading import open_pairs
from pairloom.pairs.source import WeightedNames
from pairloom.system.threads import workers

TOY = {"dim": 16, "epochs": 10, "min_count": 1}
ANIMALS, COLOURS = ("cat", "dog", "cow"), ("red", "blue")
PAIRS = [(a, c) for a in ANIMALS for c in ("eats", "sleeps", "is")] + [(a, c) for a in COLOURS for c in ("fades", "is")]


def sha256(embedding):
    return [
        hashlib.sha256(np.ascontiguousarray(side.vectors)).hexdigest() for side in (embedding.words, embedding.contexts)
    ]


@pytest.fixture(scope="module")
def many():
    """200 000 pairs of 3 000 words and 1 000 contexts: enough for several parts, rounds and chunks."""
    rng = np.random.default_rng(0)
    w, c = (rng.zipf(1.3, 200_000) % n for n in (3000, 1000))
    return [(f"w{a}", f"c{b}") for a, b in zip(w.tolist(), ((w + c) % 1000).tolist(), strict=True)]


@pytest.fixture
def small_rounds(monkeypatch):
    monkeypatch.setattr(blocks, "PAIRS_PER_ROUND", 60_000)
    monkeypatch.setattr(pair_source, "SLICES_PER_CHUNK", 3)


def write(path, pairs, separator="\t"):
    path.write_text("".join(separator.join(map(str, pair)) + "\n" for pair in pairs))
    return path


# --- Reading


def everything(source, threads=1, **options):
    """All pairs of a corpus as Python has them."""
    with open_pairs(source, **options) as corpus:
        found = []
        for chunk in corpus.chunks(threads):
            words, contexts = chunk.words.texts, chunk.contexts.texts
            weights = [1.0] * len(chunk.w) if chunk.weights is None else chunk.weights.tolist()
            found += [(words[w], contexts[c], n) for w, c, n in zip(chunk.w, chunk.c, weights, strict=True)]
        return found


names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=9).filter(lambda s: s.split() == [s])
weights = st.sampled_from(
    ["", "1", "0", "2.5", "1e3", "0.1", "+7", "3.", ".5", "1e-50", "00012", "123456.789012345678901"]
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(names, names, weights), max_size=12), st.sampled_from([" ", "\t", "  \t", "\u2003"]))
def test_the_kernel_reads_lines_as_python_does(tmp_path_factory, lines, separator):
    path = tmp_path_factory.mktemp("pairs") / "p.txt"
    path.write_text("".join(separator.join(filter(None, line)) + "\n" for line in lines), encoding="utf-8", newline="")
    expected = []
    for line in path.read_text(encoding="utf-8").split("\n"):
        word, context, weight = ([*line.split(), "1", "1"])[:3] if line.split() else ("", "", "")
        if word:
            expected.append((word, context, float(np.float32(weight))))
    assert everything(path) == expected


def test_files_of_any_packing_and_lists_give_the_same(tmp_path):
    plain = write(tmp_path / "p.txt", PAIRS)
    packed = tmp_path / "p.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    expected = [(w, c, 1.0) for w, c in PAIRS]
    assert (
        everything(plain) == everything(packed, threads=3) == everything(PAIRS) == everything(iter(PAIRS)) == expected
    )


def test_a_table_that_grows_within_a_block_loses_nothing(tmp_path):
    pairs = [(f"w{i}", f"c{i // 2}") for i in range(30_000)]
    assert everything(write(tmp_path / "p.txt", pairs)) == [(w, c, 1.0) for w, c in pairs]


def test_empty_lines_crlf_and_a_last_line_without_end_are_fine(tmp_path):
    path = tmp_path / "p.txt"
    path.write_bytes(b"\xef\xbb\xbfa b\r\n\r\n  \r\nc d 2\r\ne f")
    assert everything(path) == [("a", "b", 1.0), ("c", "d", 2.0), ("e", "f", 1.0)]


def test_python_may_use_words_with_spaces():
    assert everything([("new york", "big apple", 0.5)]) == [("new york", "big apple", 0.5)]


def test_parquet_columns_are_pairs(tmp_path):
    core, io = pytest.importorskip("arro3.core"), pytest.importorskip("arro3.io")
    text = core.DataType.string()
    columns = {"n": core.Array.from_numpy(np.array([1.0, 2.5]))}
    columns |= {"item": core.Array(["a", "b"], text), "place": core.Array(["x", "y"], text)}
    io.write_parquet(core.Table.from_pydict(columns), tmp_path / "p.parquet")
    path = tmp_path / "p.parquet"
    assert everything(path, columns=["item", "place", "n"]) == [("a", "x", 1.0), ("b", "y", 2.5)]
    assert everything(path, columns=["place", "item"]) == [("x", "a", 1.0), ("y", "b", 1.0)]
    with pytest.raises(InputError, match=r"has the columns n, item, place\. Name two or three of them in columns="):
        everything(path, columns=["item", "nowhere"])
    assert len(everything([path, path], columns=["item", "place"])) == 4
    damaged = tmp_path / "damaged.parquet"
    data = bytearray(path.read_bytes())
    data[8:60] = bytes(52)
    damaged.write_bytes(data)
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        everything(damaged, columns=["item", "place"])


GOOD = "a b\n" * 3
LINE = "Each line must read like: cat sleeps, or with a weight: cat sleeps 2.5"
WEIGHT = "Weights are counts, from 0 to 1,000,000. If they are larger, divide all of them by the same number."


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("alone", f"line 4: 'alone' has no context. {LINE}"),
        ("a b 1 d", f"line 4: 'a b 1 d' has 4 fields. {LINE}"),
        ("a\t\tb\tc\td\te", f"line 4: 'a\\t\\tb\\tc\\td\\te' has 5 fields. {LINE}"),
        ("a b many", f"line 4: the weight 'many' is not a number. {LINE}"),
        ("a b -1", f"line 4: a pair cannot have the weight -1. {WEIGHT}"),
        ("a b nan", f"line 4: a pair cannot have the weight nan. {WEIGHT}"),
        ("a b inf", f"line 4: a pair cannot have the weight inf. {WEIGHT}"),
        ("a b 1e300", f"line 4: a pair cannot have the weight 1e300. {WEIGHT}"),
        ("a b 1000001", f"line 4: a pair cannot have the weight 1000001. {WEIGHT}"),
        ("a " + "b" * 1001, "line 4: a word is longer than 1000 bytes. Shorten it."),
    ],
)
def test_a_line_that_is_no_pair_is_named(tmp_path, line, message):
    path = tmp_path / "p.txt"
    path.write_text(f"{GOOD}{line}\n{GOOD}")
    with pytest.raises(InputError) as error:
        everything(path)
    assert str(error.value) == f"{path}, {message}"


def test_the_line_is_that_of_its_own_file(tmp_path):
    write(tmp_path / "1.txt", [("a", "b")] * 300_000)
    (tmp_path / "2.txt").write_text("a b\n" * 200_000 + "alone\n")
    with pytest.raises(InputError, match=r"2\.txt, line 200001: 'alone' has no context"):
        everything(tmp_path, threads=2)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([("a", "b"), "ab"], "pairs[1] is 'ab', which is not a pair. Give (word, context) or (word, context, weight)."),
        (
            [("a", "b"), ("a",)],
            "pairs[1] is ('a',), which is not a pair. Give (word, context) or (word, context, weight).",
        ),
        ([("a", 7)], "The context of pairs[0] is 7, of type int. Words are strings: use str()."),
        ([("", "b")], "The word of pairs[0] is an empty string. Leave empty words out: [w for w in words if w]."),
        ([("a", "b", "3")], "The weight of pairs[0] is '3', which is not a number. Give an int or a float."),
        ([("a", "b", True)], "The weight of pairs[0] is True, which is not a number. Give an int or a float."),
        ([("a", "b", -2)], f"pairs[0]: a pair cannot have the weight -2. {WEIGHT}"),
        ([("a", "b", float("nan"))], f"pairs[0]: a pair cannot have the weight nan. {WEIGHT}"),
        ({("a", "b")}, "A set has no fixed order, so the result could not be reproduced. Give a list of pairs."),
        (7, "Pairs cannot be of type int. Give a path, or (word, context) tuples."),
    ],
)
def test_what_is_no_pair_in_python_is_named(pairs, message):
    with pytest.raises((InputError, CorpusTypeError)) as error:
        everything(pairs if isinstance(pairs, list | set | int) else list(pairs))
    assert str(error.value) == message


# --- Numbering


def encoded(pairs, folder, least=1, context_least=1, words=None, contexts=None):
    with open_pairs(pairs) as corpus:
        selections = (
            Selection("word", "min_count", least, None, words),
            Selection("context", "min_context_count", context_least, None, contexts),
        )
        return encode_pairs(corpus, folder, *selections)


def unpacked(encoded):
    names = encoded.words.names, encoded.contexts.names
    return [(names[0][p >> 32], names[1][p & 0xFFFFFFFF]) for p in encoded.pairs.tolist()]


def test_words_and_contexts_are_numbered_by_weight_and_then_by_bytes(tmp_path):
    got = encoded([("a", "x", 0.5), ("b", "y", 3), ("c", "x", 0.5), ("c", "z", 0)], tmp_path, 0.1, 0.1)
    assert (got.words.names, got.words.mass.tolist()) == (["b", "a", "c"], [3, 0.5, 0.5])
    assert (got.contexts.names, got.contexts.mass.tolist()) == (["y", "x"], [3, 1])
    assert unpacked(got) == [("a", "x"), ("b", "y"), ("c", "x")]
    assert got.weights.tolist() == [0.5, 3, 0.5]


def test_each_side_has_a_min_count_of_its_own(tmp_path):
    pairs = [("a", "x")] * 5 + [("b", "x")] * 3 + [("b", "y")] * 2 + [("c", "z")]
    got = encoded(pairs, tmp_path, least=2, context_least=2)
    assert (got.words.names, got.contexts.names) == (["a", "b"], ["x", "y"])
    assert unpacked(got) == pairs[:-1]


def test_a_weight_that_comes_late_finds_the_pairs_before_it_counted_once(tmp_path):
    pairs = [("a", "x")] * 200_000 + [("b", "y", 2.5)] + [("a", "y")] * 200_000
    got = encoded(pairs, tmp_path)
    assert len(got.weights) == len(got.pairs) == 400_001
    assert got.weights[200_000] == 2.5 and got.weights.sum() == 400_002.5
    assert dict(zip(got.contexts.names, got.contexts.mass.tolist(), strict=True)) == {"x": 200_000, "y": 200_002.5}


def test_given_vocabularies_are_taken_as_they_are(tmp_path):
    words, contexts = Vocabulary.of([("b", 7), ("q", 9)]), Vocabulary.of([("x", 3), ("y", 2)])
    got = encoded([("a", "x"), ("b", "y"), ("b", "z")], tmp_path, words=words, contexts=contexts)
    assert (got.words.names, got.words.mass.tolist()) == (("q", "b"), [9, 7])
    assert unpacked(got) == [("b", "y")]


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([], "the list of pairs contains no pairs. Each line must read like: cat sleeps"),
        (
            [("a", "x"), ("b", "x")],
            "min_context_count=1 leaves 1 of the 1 contexts of the list of pairs, "
            "and training needs at least 2. Use a smaller min_context_count, or more pairs.",
        ),
    ],
)
def test_too_few_to_learn_from(pairs, message, tmp_path):
    with pytest.raises(InputError) as error:
        encoded(pairs, tmp_path)
    assert str(error.value) == message


# --- Dealing


def source_of(weights, n_pairs=1000, **options):
    pairs = (np.arange(n_pairs, dtype=np.int64) % 7 << 32) | (np.arange(n_pairs) % 5)
    sides = [WeightedNames([str(i) for i in range(n)], np.full(n, 10.0)) for n in (7, 5)]
    return PairSource(
        EncodedPairs(pairs, np.asarray(weights, np.float32), *sides, ""), TrainConfig(sample=0.0, **options)
    )


def dealt_pairs(source, epoch=0, pairs_per_round=10**9, parts=1):
    found = []
    w_part, c_part = ((np.arange(n) % parts).astype(np.int32) for n in (7, 5))
    with workers(1) as pool:
        for a_round in source.rounds(pairs_per_round):
            dealt = source.deal(epoch, a_round, parts, w_part, c_part, pool)
            found.append(dealt.pairs[: dealt.starts[-1]].copy())
    return found


def test_a_pair_comes_as_often_as_its_weight_says():
    n = 50_000
    source = source_of(np.tile([0.0, 0.25, 1.0, 2.3], n // 4), n, heldout=0.0)
    chunks = list(pair_source._chunks(n, 0, 1))
    by_sweep = [np.concatenate([source._copies(chunk, 1, 0, s, 3) for chunk in chunks])[:n] for s in range(3)]
    assert max(np.ptp([some[3::4] for some in by_sweep], axis=0)) == 1  # spread evenly
    copies = np.sum(by_sweep, axis=0).reshape(-1, 4)
    assert (copies[:, 0] == 0).all() and (copies[:, 2] == 1).all()
    assert set(copies[:, 1]) == {0, 1} and set(copies[:, 3]) == {2, 3}
    for column, p in ((1, 0.25), (3, 0.3)):
        more = copies[:, column].sum() - copies[:, column].min() * len(copies)
        assert chisquare([more, len(copies) - more], [len(copies) * p, len(copies) * (1 - p)]).pvalue > 0.001


def test_the_draws_of_weights_are_made_anew_in_every_epoch():
    source = source_of(np.full(1000, 0.5), heldout=0.0)
    assert not np.array_equal(dealt_pairs(source, 0)[0], dealt_pairs(source, 1)[0])
    assert np.array_equal(dealt_pairs(source, 0)[0], dealt_pairs(source, 0)[0])


def test_every_pair_is_in_one_round_and_every_round_comes_from_all_over_the_file():
    source = source_of([], 100_000, heldout=0.0)
    rounds = dealt_pairs(source, pairs_per_round=30_000)
    assert len(rounds) == 4
    assert Counter(np.concatenate(rounds).tolist()) == Counter(source.encoded.pairs.tolist())
    numbers = [
        np.concatenate([np.arange(s * 1024, min((s + 1) * 1024, 100_000)) for s in range(r, 98, 4)]) for r in range(4)
    ]
    for got, expected in zip(rounds, numbers, strict=True):
        assert got.tolist() == source.encoded.pairs[expected].tolist()


def test_held_out_pairs_are_not_trained():
    source = source_of([], 10_000, heldout=0.3)
    held = Counter(w << 32 | c for w, c in source.heldout_pairs())
    trained = Counter(np.concatenate(dealt_pairs(source)).tolist())
    assert 2000 < held.total() < 4000
    assert held + trained == Counter(source.encoded.pairs.tolist())


def test_subsampling_thins_each_side_by_itself(tmp_path):
    got = encoded([("a", "x")] * 40_000 + [("b", "y")] * 10_000, tmp_path)
    source = PairSource(got, TrainConfig(sample=0.01, heldout=0.0))
    with workers(1) as pool:
        none = np.zeros(2, np.int32)
        dealt = source.deal(0, next(source.rounds(10**9)), 1, none, none, pool)
    p = {f: (0.01 / f) ** 0.5 + 0.01 / f for f in (0.8, 0.2)}
    seen = np.bincount(dealt.pairs[: dealt.starts[-1]] >> 32)
    assert seen[0] == pytest.approx(40_000 * p[0.8] ** 2, rel=0.1)
    assert seen[1] == pytest.approx(10_000 * p[0.2] ** 2, rel=0.1)
    assert source.n_pairs == pytest.approx(50_000 * (0.8 * p[0.8] + 0.2 * p[0.2]) ** 2)


# --- Training


def test_words_of_the_same_contexts_are_neighbours():
    emb = pairloom.train_pairs(PAIRS * 100, **TOY)
    assert {word for word, _ in emb.most_similar("cat", topn=2)} == {"dog", "cow"}
    assert emb.most_similar("red", topn=1)[0][0] == "blue"
    assert sorted(emb.contexts.words) == ["eats", "fades", "is", "sleeps"]
    assert emb.probability("cat", "eats") > 5 * emb.probability("cat", "fades")


def test_the_noise_comes_from_the_contexts_own_counts():
    """p(D=1|w,c) = #(w,c) / (#(w,c) + k #(w) noise(c)), where a pair is no noise for itself.

    Half of every word's pairs have the context `often`; 20 others share the other half.
    """
    often = [(w, "often", 20.0) for w in "abcdefgh"] * 20  # heavy, so that weights matter
    pairs = often + [(w, f"c{i}", 1.0) for w in "abcdefgh" for i in range(20)] * 20
    options = TOY | {"epochs": 30, "negatives": 1}
    as_in_d = pairloom.train_pairs(pairs, **options, noise_power=1.0)
    assert as_in_d.probability("a", "often") == pytest.approx(0.5 / (0.5 + 0.5 * 0.5), abs=0.1)
    assert as_in_d.probability("a", "c7") == pytest.approx(0.5, abs=0.1)
    uniform = pairloom.train_pairs(pairs, **options, noise_power=0.0)
    assert uniform.probability("a", "often") == pytest.approx(0.5 / (0.5 + 0.5 / 21), abs=0.05)
    assert uniform.probability("a", "c7") == pytest.approx((1 / 40) / (1 / 40 + 1 / 21), abs=0.1)


def test_a_heavy_weight_learns_what_as_many_pairs_would():
    """Counts that somebody has added up: each pair once, with its weight."""
    pairs = [(w, "often", 8000.0) for w in "abcdefgh"] + [(w, f"c{i}", 400.0) for w in "abcdefgh" for i in range(20)]
    emb = pairloom.train_pairs(pairs, **TOY | {"epochs": 6}, negatives=1, noise_power=1.0)
    assert emb.probability("a", "often") == pytest.approx(0.5 / (0.5 + 0.5 * 0.5), abs=0.05)
    assert emb.probability("a", "c7") == pytest.approx(0.5, abs=0.05)


def test_more_weight_than_lines_makes_more_rounds_than_stretches():
    source = source_of(np.full(1000, 1000.0), heldout=0.0)
    rounds = dealt_pairs(source, pairs_per_round=60_000)
    assert len(rounds) == 17 and sum(map(len, rounds)) == 1_000_000
    assert max(map(len, rounds)) - min(map(len, rounds)) <= 1000


def test_copies_of_a_pair_do_not_stand_in_a_row():
    source = source_of(np.tile([1.0, 100.0], 500), heldout=0.0)
    (dealt,) = dealt_pairs(source)
    runs = np.diff(np.flatnonzero(np.diff(dealt, prepend=-1, append=-1)))
    assert runs.max() <= 2


def test_of_weights_a_share_is_held_out_not_whole_pairs():
    pairs = [(w, c, 500.0) for w, c in PAIRS]
    emb = pairloom.train_pairs(pairs, **TOY)
    assert emb.record["heldout"]["pairs"] == pytest.approx(325, abs=20)  # a twentieth of them all
    source = source_of(np.full(1000, 10.0), heldout=0.3)
    held, trained = len(list(source.heldout_pairs())), sum(map(len, dealt_pairs(source)))
    assert (held, trained) == (pytest.approx(3000, rel=0.05), pytest.approx(7000, rel=0.05))


def test_weights_of_any_size_add_up_alike_however_the_input_is_cut(tmp_path):
    rng = np.random.default_rng(0)
    weights = 10.0 ** rng.uniform(-9, 1, 300_000)
    pairs = [(f"w{i % 7}", f"c{i % 11}", float(np.float32(n))) for i, n in enumerate(weights.tolist())]
    write(tmp_path / "1.txt", pairs[:123_456])
    write(tmp_path / "2.txt", pairs[123_456:])
    digests = []
    for number, source in enumerate((pairs, [tmp_path / "1.txt", tmp_path / "2.txt"])):
        folder = tmp_path / str(number)
        folder.mkdir()
        digests.append(encoded(source, folder).digest)
    assert digests[0] == digests[1]


@pytest.mark.parametrize("more", [{}, {"sample": 1e-3}])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_bytes_are_the_same_for_any_number_of_threads_and_for_files(many, small_rounds, tmp_path, more, weighted):
    pairs = [(w, c, 0.5 + i % 3) for i, (w, c) in enumerate(many)] if weighted else many
    path = write(tmp_path / "p.txt", pairs)
    options = {"dim": 20, "epochs": 2, "min_count": 2, "min_context_count": 3, **more}
    results = [pairloom.train_pairs(source, threads=t, **options) for source, t in ((pairs, 1), (path, 2), (path, 5))]
    assert len({tuple(sha256(emb)) for emb in results}) == 1
    for i, emb in enumerate(results):
        emb.save(tmp_path / f"{i}.loom")
    assert len({(tmp_path / f"{i}.loom").read_bytes() for i in range(3)}) == 1


def test_the_small_rounds_above_do_cut_the_pairs_into_parts_and_rounds(many, small_rounds, tmp_path):
    got = encoded(many, tmp_path, 2, 3)
    source = PairSource(got, TrainConfig(sample=0.0))
    assert blocks.number_of_parts(len(got.words.names), len(got.contexts.names), 20, source.n_pairs) >= 8
    assert len(list(source.rounds(blocks.pairs_per_round(8, 20, 5)))) >= 3


def test_pairs_of_a_text_train_as_well_as_the_text(two_topics):
    """The same D by another way: fixed windows, written down as pairs."""
    pairs = [(w, c) for s in two_topics for i, w in enumerate(s) for j, c in enumerate(s) if 0 < abs(i - j) <= 5]
    emb = pairloom.train_pairs(pairs, **TOY)
    text = pairloom.train(two_topics, **TOY, sample=0, window_shape="fixed")
    assert emb.record["heldout"]["loss"][-1] == pytest.approx(text.record["heldout"]["loss"][-1], abs=0.1)
    for word in emb:
        assert {w for w, _ in emb.most_similar(word, topn=9)} == {w for w, _ in text.most_similar(word, topn=9)}


def test_lower_case_folds_pairs_of_python_too():
    emb = pairloom.train_pairs([(w.upper(), c) for w, c in PAIRS] * 9, **TOY, lowercase=True)
    assert sorted(emb) == sorted(ANIMALS + COLOURS)


def test_given_vocabularies_are_checked():
    one, two = Vocabulary.of([("is", 3)]), Vocabulary.of([("is", 3), ("eats", 2)])
    with pytest.raises(InputError, match="The given contexts are 1; need at least 2"):
        pairloom.train_pairs(PAIRS * 9, contexts=one)
    with pytest.raises(ConfigError, match=r"words is not a pairloom\.Vocabulary"):
        pairloom.train_pairs(PAIRS * 9, words=["cat"])
    with pytest.raises(ConfigError, match="Given contexts are taken as they are: leave out min_context_count"):
        pairloom.train_pairs(PAIRS * 9, contexts=two, min_context_count=3)


@pytest.mark.parametrize("option", ["window", "left", "positional", "clean", "max_sentence"])
def test_options_of_text_are_refused(option):
    with pytest.raises(ConfigError, match=f"{option} is about text, and pairs are given as they are"):
        pairloom.train_pairs(PAIRS, **{option: 3 if option in ("window", "left", "max_sentence") else True})


def test_and_those_of_pairs_are_refused_for_text(two_topics):
    with pytest.raises(ConfigError, match="min_context_count is for pairs"):
        pairloom.train(two_topics, min_context_count=2)


def test_nothing_is_left_in_the_cache(tmp_path):
    pairloom.train_pairs(PAIRS * 10, **TOY, cache_dir=tmp_path)
    with pytest.raises(InputError):
        pairloom.train_pairs([("a", "x")], **TOY, cache_dir=tmp_path)
    assert list(tmp_path.iterdir()) == []


# --- On the command line


def pairloom_command(capsys, *argv):
    code = cli.main([str(arg) for arg in argv])
    out, err = capsys.readouterr()
    return code, out, err.strip().splitlines()


def test_the_command_trains_pairs_and_writes_both_sides(tmp_path, capsys):
    path = write(tmp_path / "p.txt", PAIRS * 20, " ")
    both = tmp_path / "words.loom", tmp_path / "contexts.vec"
    options = ["--min-count", 1, "--min-context-count", 0.5, "--dim", 8, "--json", "--quiet"]
    code, out, _ = pairloom_command(
        capsys, "train", "--pairs", path, "-o", both[0], "--contexts-output", both[1], *options
    )
    assert (code, json.loads(out)["words"]) == (0, 5)
    emb = pairloom.load(both[0])
    assert sorted(pairloom.load(both[1]).words) == sorted(emb.contexts) == ["eats", "fades", "is", "sleeps"]
    assert "window" not in emb.record["config"]


@pytest.mark.parametrize(
    ("content", "end"),
    [
        ("a b\nalone\n", "p.txt, line 2: 'alone' has no context."),
        ("a b\na \t\n", "p.txt, line 2: 'a \\t' has no context."),
        ("a b 1\na b -2\n", "p.txt, line 2: a pair cannot have the weight -2."),
        ("a b nan\n", "p.txt, line 1: a pair cannot have the weight nan."),
        ("a x\nb x\n", "min_context_count=1 leaves 1 of the 1 contexts of"),
        ("", "p.txt contains no pairs. Each line must read like: cat sleeps"),
    ],
)
def test_bad_pairs_exit_with_2_and_one_line_and_write_nothing(tmp_path, capsys, content, end):
    path, out = tmp_path / "p.txt", tmp_path / "p.loom"
    path.write_text(content)
    code, _, lines = pairloom_command(capsys, "train", "--pairs", path, "-o", out, "--min-count", 1, "--quiet")
    assert code == 2 and len(lines) == 1 and end in lines[0]
    assert not out.exists()


def test_options_that_only_pairs_or_only_text_have_are_refused(tmp_path, capsys):
    path = write(tmp_path / "p.txt", PAIRS * 20, " ")
    for argv in (["--columns", "a,b"], ["--read-contexts", path], ["--pairs", "--keep", path], ["--pairs", "--clean"]):
        code, _, lines = pairloom_command(capsys, "train", path, "-o", tmp_path / "p.loom", "--quiet", *argv)
        assert code == 2 and len(lines) == 1
    assert not (tmp_path / "p.loom").exists()


def test_words_and_contexts_do_not_go_into_one_file(tmp_path, capsys):
    path, out = write(tmp_path / "p.txt", PAIRS * 20, " "), tmp_path / "a.vec"
    commands = (
        ["train", "--pairs", path, "-o", out, "--contexts-output", out],
        ["word2vecf", "-train", path, "-output", out, "-dumpcv", out],
    )
    for argv in commands:
        code, _, lines = pairloom_command(capsys, *argv)
        assert code == 2 and "cannot hold both words and contexts" in lines[-1]
    assert not out.exists()


def test_word2vecf_takes_the_files_of_the_original(tmp_path, capsys):
    path = write(tmp_path / "p.txt", PAIRS * 20, " ")
    (tmp_path / "wv").write_text("cat 60\ndog 60\nred 40\n")
    (tmp_path / "cv").write_text("is 100\neats 60\nfades 40\n")
    words, contexts = tmp_path / "w.vec", tmp_path / "c.vec"
    vocabularies = ["-wvocab", tmp_path / "wv", "-cvocab", tmp_path / "cv"]
    code, out, _ = pairloom_command(
        capsys, "word2vecf", "-train", path, "-output", words, "-dumpcv", contexts, *vocabularies, "-size", 8
    )
    assert (code, out) == (0, "WVocab size: 3\nCVocab size: 3\n")
    assert pairloom.load(words).words.words == ["cat", "dog", "red"]
    assert pairloom.load(contexts).words.words == ["is", "eats", "fades"]
    assert words.read_text().startswith("3 8\ncat ")


def test_columns_are_those_of_a_table():
    with pytest.raises(
        CorpusTypeError, match=r"^columns= is for Parquet files, and the pairs are a list\. Leave it out\.$"
    ):
        pairloom.train_pairs([("a", "b")], columns=["a", "b"])


def test_a_line_longer_than_any_pair_is_refused(tmp_path):
    (tmp_path / "pairs.txt").write_text("a b\n" + "c " * 3_000_000)
    with pytest.raises(InputError, match=r"pairs\.txt, line 2: "):
        pairloom.train_pairs(tmp_path / "pairs.txt")


def test_a_word_of_a_pair_has_a_largest_length():
    with pytest.raises(InputError, match=r"^The context of pairs\[1\] is longer than \d+ bytes\. Shorten it\.$"):
        pairloom.train_pairs([("a", "b"), ("a", "x" * 100_000)])


def test_pairs_in_memory_have_no_file_that_could_change():
    open_pairs([("a", "b")]).check_unchanged()


def test_what_is_no_pair_in_a_table_is_named_with_its_file(tmp_path):
    arro3 = pytest.importorskip("arro3.core")
    io = pytest.importorskip("arro3.io")
    table = arro3.Table.from_pydict(
        {"w": arro3.Array(["a", ""], arro3.DataType.utf8()), "c": arro3.Array(["b", "c"], arro3.DataType.utf8())}
    )
    io.write_parquet(table, str(tmp_path / "pairs.parquet"))
    with pytest.raises(
        InputError,
        match=r"pairs\.parquet, whose rows are pairs\[0\], pairs\[1\], \.\.\.: The word of pairs\[1\] is an empty",
    ):
        pairloom.train_pairs(tmp_path / "pairs.parquet")


def test_columns_of_what_is_no_table_are_refused(tmp_path):
    (tmp_path / "pairs.txt").write_text("a b\n")
    with pytest.raises(
        InputError, match=r"^columns= is for Parquet files, and .*pairs\.txt is not one\. Leave it out\.$"
    ):
        pairloom.train_pairs(tmp_path / "pairs.txt", columns=["a", "b"])


def test_a_pair_with_a_megabyte_of_space_behind_it_is_refused(tmp_path):
    (tmp_path / "pairs.txt").write_text("a b\nc d" + " " * 3_000_000)
    with pytest.raises(InputError, match=r"pairs\.txt, line 2: far too long for a pair\."):
        pairloom.train_pairs(tmp_path / "pairs.txt")
