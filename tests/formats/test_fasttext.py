"""fastText's .bin files: every word gets the vector that fastText would give it, unknown words too."""

import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pairloom
from pairloom.errors import InputError, UnknownWordError
from pairloom.formats.fasttext import FastTextVectors
from pairloom.vectors import subwords as subwords_module
from pairloom.vectors.subwords import Subwords, hash_of, word_vectors

WORDS = ["</s>", "cat", "naïve", "猫", "a"]


def model(words=WORDS, dim=3, bucket=11, minn=2, maxn=4, kind=2, loss=2, labels=(), version=12, seed=0):
    """The bytes of a file in fastText's layout, and its input and output rows. Version 0 is the first layout."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(len(words) + (bucket if maxn else 0), dim)).astype("<f4")
    output = rng.normal(size=(len(labels) if kind == 3 else len(words), dim)).astype("<f4")
    dense = b"\0" if version else b""
    raw = struct.pack("<ii", 793712314, version) if version else b""
    raw += struct.pack("<12id", dim, 5, 1, 1, 5, 1, loss, kind, bucket, minn, maxn, 100, 1e-4)
    raw += struct.pack("<iiiq", len(words) + len(labels), len(words), len(labels), 100)
    raw += struct.pack("<q", -1) if version else b""
    for i, word in enumerate(words):
        raw += (word if isinstance(word, bytes) else word.encode()) + b"\0" + struct.pack("<qb", max(100 - i, 1), 0)
    for label in labels:
        raw += label.encode() + b"\0" + struct.pack("<qb", 7, 1)
    raw += dense + struct.pack("<qq", *rows.shape) + rows.tobytes()
    raw += dense + struct.pack("<qq", *output.shape) + output.tobytes()
    return raw, rows, output


def load(tmp_path, raw, **options):
    (tmp_path / "model.bin").write_bytes(raw)
    return pairloom.load(tmp_path / "model.bin", **options)


def ngrams(word, minn, maxn):
    """Every n-gram of <word>, by its letters."""
    text = f"<{word}>"
    return [
        text[i : i + n]
        for i in range(len(text))
        for n in range(minn, maxn + 1)
        if i + n <= len(text) and not (n == 1 and i in (0, len(text) - 1))
    ]


def mean(rows):
    total = np.zeros(rows.shape[1], np.float32)
    for row in rows:
        total = total + row
    return total * np.float32(1 / len(rows))


@pytest.mark.parametrize(
    ("ngram", "value"),
    [(b"", 2166136261), (b"a", 0xE40C292C), (b"foobar", 0xBF9CF968)],  # FNV-1a's own test values
)
def test_the_hash_of_ascii_is_fnv_1a(ngram, value):
    assert hash_of(ngram) == value


def test_bytes_from_128_on_are_hashed_as_negative_numbers():
    assert hash_of(b"\xc3") == (2166136261 ^ 0xFFFFFFC3) * 16777619 % 2**32


def test_a_word_is_the_mean_of_its_row_and_its_ngrams_rows(tmp_path):
    raw, rows, output = model()
    loaded = load(tmp_path, raw)
    assert loaded.words.words == WORDS
    assert loaded.words.counts.tolist() == [100, 99, 98, 97, 96]
    for i, word in enumerate(WORDS[1:], 1):
        buckets = [len(WORDS) + hash_of(ngram.encode()) % 11 for ngram in ngrams(word, 2, 4)]
        assert loaded[word].tobytes() == mean(rows[[i, *buckets]]).tobytes()
    assert loaded["</s>"].tobytes() == rows[0].tobytes()  # the end of a sentence has no n-grams
    assert loaded.contexts.vectors.tobytes() == output.tobytes()
    assert loaded.record["fasttext"]["model"] == "skipgram"


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"maxn": 0},
        {"kind": 1, "loss": 1},
        {"kind": 2, "loss": 3},
        {"kind": 3, "loss": 3, "maxn": 0, "labels": ["__label__x"]},
        {"words": []},
    ],
)
def test_the_layout_of_2016_has_the_same_vectors_as_later_ones(tmp_path, arguments):
    paths = [tmp_path / "first.bin", tmp_path / "later.bin"]  # both stay mapped
    for path, version in zip(paths, (0, 12), strict=True):
        path.write_bytes(model(version=version, **arguments)[0])
    first, later = map(pairloom.load, paths)
    assert first.words.words == later.words.words
    assert first.words.vectors.tobytes() == later.words.vectors.tobytes()
    assert first.contexts.vectors.tobytes() == later.contexts.vectors.tobytes()
    assert first.words.counts.tolist() == later.words.counts.tolist()
    assert first.record == later.record
    if later.words.subwords.maxn:
        assert first.words.vector("kätzchen").tobytes() == later.words.vector("kätzchen").tobytes()


@pytest.mark.parametrize(
    "change",
    [
        lambda raw: raw[:75],  # too short
        lambda raw: struct.pack("<i", 0) + raw[4:],  # dim
        lambda raw: struct.pack("<i", 1 << 21) + raw[4:],
        lambda raw: raw[:4] + struct.pack("<i", 0) + raw[8:],  # ws
        lambda raw: raw[:8] + struct.pack("<i", -1) + raw[12:],  # epoch
        lambda raw: raw[:24] + struct.pack("<i", 4) + raw[28:],  # loss
        lambda raw: raw[:28] + struct.pack("<i", 0) + raw[32:],  # model
        lambda raw: raw[:48] + struct.pack("<d", np.nan) + raw[56:],  # t
        lambda raw: raw[:56] + struct.pack("<i", 6) + raw[60:],  # entries
    ],
)
def test_without_its_number_a_file_is_fasttexts_only_if_all_its_arguments_are_plausible(tmp_path, change):
    raw, *_ = model(version=0)
    with pytest.raises(InputError, match="its first bytes do not match any format that pairloom reads"):
        load(tmp_path, change(raw))
    with pytest.raises(InputError, match="nor with the arguments of a training, as its files of 2016 do"):
        load(tmp_path, change(raw), format="fasttext")


@pytest.mark.parametrize("n", [76, 100, 200, -1])
def test_the_layout_of_2016_cut_short_is_refused(tmp_path, n):
    with pytest.raises(InputError, match="bytes end before its"):
        load(tmp_path, model(version=0)[0][:n])


def test_an_unknown_word_is_the_mean_of_its_ngrams_rows(tmp_path):
    raw, rows, _ = model()
    vectors = load(tmp_path, raw).words
    assert isinstance(vectors, FastTextVectors) and isinstance(vectors, pairloom.FastTextVectors)
    buckets = [len(WORDS) + hash_of(ngram.encode()) % 11 for ngram in ngrams("kätzchen", 2, 4)]
    assert vectors.vector("kätzchen").tobytes() == mean(rows[buckets]).tobytes()
    assert vectors.vector("cat").tobytes() == vectors["cat"].tobytes()
    assert "kätzchen" not in vectors
    near = vectors.most_similar(vectors.vector("kätzchen"), topn=2)
    assert len(near) == 2


def test_an_unknown_word_can_be_asked_like_any_other(tmp_path):
    words = load(tmp_path, model()[0]).words
    made = words.vector("cats")
    assert "cats" not in words and np.array_equal(words["cats"], made)
    assert dict(words.most_similar("cats")) == pytest.approx(dict(words.similar_by_vector(made)))
    assert words.similarity("cats", "cat") == pytest.approx(1 - words.distances(made, ["cat"])[0])
    assert "cat" not in [word for word, _ in words.most_similar(["cats", "cat"])]


def test_unknown_words_that_have_ngrams_are_not_left_out(tmp_path):
    words = load(tmp_path, model()[0]).words
    assert words.get_mean_vector(["catt"], pre_normalize=False) == pytest.approx(words.vector("catt"))
    assert words.wmdistance(["catt"], ["cat"]) > 0
    some = words.vectors_for_all(["catt", "cat", 5], copy_vecattrs=True)
    assert some.words == ["catt", "cat"]
    assert np.array_equal(some.vectors, [words.vector("catt"), words["cat"]])
    assert some.counts.tolist() == [0, 99]
    assert words.vectors_for_all(["catt", "cat"], allow_inference=False).words == ["cat"]
    assert np.array_equal(words[["catt", "cat"]], some.vectors)


def test_the_rank_of_a_word_can_be_asked_of_an_unknown_one(tmp_path):
    words = load(tmp_path, model()[0]).words
    near = [word for word, _ in words.most_similar("cats")]
    assert [words.rank("cats", word) for word in near] == list(range(1, len(near) + 1))


def test_an_empty_file_is_refused(tmp_path):
    with pytest.raises(InputError, match="it is empty"):
        load(tmp_path, b"", format="fasttext")


def test_a_word_beyond_the_limit_still_has_its_own_row(tmp_path):
    raw, *_ = model()
    whole, part = load(tmp_path, raw).words, load(tmp_path, raw, limit=2).words
    assert part.words == WORDS[:2]
    assert part.vector("猫").tobytes() == whole["猫"].tobytes()
    assert len(load(tmp_path, raw, limit=2).contexts) == 2


@pytest.mark.parametrize(("minn", "maxn"), [(1, 1), (1, 3), (3, 6), (2, 2)])
def test_the_kernel_adds_the_same_rows_in_the_same_order_as_python(minn, maxn, monkeypatch):
    rng = np.random.default_rng(0)
    letters = list("abcäé猫😀<>")
    words = ["</s>", *("".join(rng.choice(letters, rng.integers(1, 12))) for _ in range(200))]
    rows = np.frombuffer(b"x" + rng.normal(size=(201 + 97, 5)).astype("<f4").tobytes(), np.uint8)[1:].view("<f4")
    subwords = Subwords(rows.reshape(-1, 5), 201, 97, minn, maxn)
    encoded = [word.encode() for word in words]
    python = word_vectors(subwords, encoded)
    monkeypatch.setattr(subwords_module, "_FEW_NGRAMS", 0)
    assert word_vectors(subwords, encoded).tobytes() == python.tobytes()
    by_hand = mean(subwords.rows[[7, *(201 + hash_of(n.encode()) % 97 for n in ngrams(words[7], minn, maxn))]])
    assert python[7].tobytes() == by_hand.tobytes()


@settings(max_examples=100, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"])), st.integers(1, 4), st.integers(0, 4))
def test_the_ngrams_of_any_word_are_those_of_its_letters(word, minn, more):
    subwords = Subwords(np.zeros((0, 1), np.float32), 5, 1000, minn, minn + more)
    found = [] if word == "</s>" else [5 + hash_of(n.encode()) % 1000 for n in ngrams(word, minn, minn + more)]
    assert sorted(subwords.rows_of(word.encode())) == sorted(found)


def test_without_ngrams_a_word_is_its_row_and_an_unknown_word_is_unknown(tmp_path):
    raw, rows, _ = model(maxn=0)
    vectors = load(tmp_path, raw).words
    assert vectors.vectors.tobytes() == rows.tobytes()
    with pytest.raises(UnknownWordError, match="'dog' is not among the 5 words of these vectors, and has no n-grams"):
        vectors.vector("dog")


@pytest.mark.parametrize("word", [None, 3, b"dog", ["dog"]])
def test_a_word_that_is_not_a_string_is_unknown_even_with_ngrams(tmp_path, word):
    vectors = load(tmp_path, model()[0]).words
    with pytest.raises(UnknownWordError, match="is not among the 5 words of these vectors"):
        vectors.similarity("cat", word)
    with pytest.raises(UnknownWordError, match="is not among the 5 words of these vectors"):
        vectors.vector(word)


@pytest.mark.parametrize(("kind", "loss"), [(1, 2), (2, 1), (3, 3)])
def test_the_output_of_other_models_than_skip_gram_with_negative_sampling_is_no_context(tmp_path, kind, loss):
    raw, *_ = model(kind=kind, loss=loss, labels=["__label__x"] if kind == 3 else [])
    loaded = load(tmp_path, raw)
    assert loaded.words.words == WORDS
    assert len(loaded.contexts) == 0


def test_words_that_are_not_utf_8_are_refused_or_read_as_asked(tmp_path):
    raw, *_ = model(words=["ok", b"caf\xc3"])
    with pytest.raises(InputError, match=r"the word of row 1 \(byte 104\) is not UTF-8"):
        load(tmp_path, raw)
    assert load(tmp_path, raw, errors="replace").words.words == ["ok", "caf\ufffd"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda raw: raw[:4] + struct.pack("<i", 99) + raw[8:], "not with fastText's number and its version 11 or 12"),
        (
            lambda raw: raw.replace(b"cat\0", b"cat\1"),
            r"entry 1 of its dictionary \(byte 106\) has the type -?\d+ and the count",
        ),
        (lambda raw: raw[:64] + struct.pack("<iii", 2**31 - 1, 2**31 - 1, 0) + raw[76:], "entries do not fit"),
        (lambda raw: raw[:64] + struct.pack("<iii", -5, -5, 0) + raw[76:], "promises -5 words and 0 labels"),
        (lambda raw: raw[:84] + struct.pack("<q", 3) + raw[92:], "its n-grams are pruned"),
        (lambda raw: raw[:100], "its 100 bytes end before its"),
        (lambda raw: raw[:-1], "bytes end before its"),
        (lambda raw: raw[:20], "its 20 bytes end before its"),
    ],
)
def test_a_damaged_file_is_refused_in_one_line(tmp_path, change, message):
    raw, *_ = model()
    with pytest.raises(InputError, match=message) as refused:
        load(tmp_path, change(raw))
    assert "\n" not in str(refused.value)


def test_quantised_files_are_refused_with_what_to_load_instead(tmp_path):
    raw, rows, _ = model()
    at = raw.index(b"\0" + struct.pack("<qq", *rows.shape))
    with pytest.raises(InputError, match=r"its rows are quantised \(\.ftz\)\. Load the \.bin that it was made from\."):
        load(tmp_path, raw[:at] + b"\1" + raw[at + 1 :])


@pytest.mark.parametrize("shape", [(10**12, 3), (-1, 3), (16, 0), (16, 10**12), (15, 3), (16, 2)])
def test_a_matrix_of_another_size_than_it_must_have_allocates_nothing(tmp_path, shape):
    raw, rows, _ = model()
    sizes = struct.pack("<qq", *rows.shape)
    with pytest.raises(InputError, match=r"model\.bin cannot be loaded: "):
        load(tmp_path, raw.replace(sizes, struct.pack("<qq", *shape), 1))


@pytest.mark.parametrize("version", [0, 12])
@settings(max_examples=200, deadline=None)
@given(at=st.integers(8, 10_000), bytes_=st.binary(min_size=1, max_size=8))
def test_any_damage_gives_vectors_or_a_refusal_and_nothing_else(tmp_path_factory, version, at, bytes_):
    raw = bytearray(model(version=version)[0])
    at %= len(raw)
    raw[at : at + len(bytes_)] = bytes_
    path = tmp_path_factory.getbasetemp() / "damaged.bin"
    path.write_bytes(raw)
    try:
        pairloom.load(path)
    except InputError as error:
        assert "\n" not in str(error)


def test_a_file_packed_by_gzip_is_refused_since_it_cannot_be_mapped(tmp_path):
    import gzip

    with pytest.raises(InputError, match=r"packed by gzip, which cannot be mapped\. Unpack it first\."):
        load(tmp_path, gzip.compress(model()[0]))


def test_supervised_models_of_version_11_have_no_ngrams(tmp_path):
    raw, rows, _ = model(kind=3, loss=3, labels=["__label__x"], version=11)
    loaded = load(tmp_path, raw)
    assert loaded["cat"].tolist() == rows[1].tolist()


def test_an_output_of_too_few_rows_and_bytes_after_it_are_refused(tmp_path):
    raw, _, output = model()
    at = raw.rindex(struct.pack("<qq", *output.shape))
    short = raw[:at] + struct.pack("<qq", len(output) - 1, 3) + output[1:].tobytes()
    with pytest.raises(InputError, match="its output has 4 rows instead of 5"):
        load(tmp_path, short)
    with pytest.raises(InputError, match=f"it goes on at byte {len(raw)}, where it must end"):
        load(tmp_path, raw + b"x")


def test_without_verification_nan_is_loaded(tmp_path):
    raw, rows, _ = model()
    at = raw.index(rows.tobytes())
    raw = raw[:at] + np.float32(np.nan).tobytes() + raw[at + 4 :]
    with pytest.raises(InputError, match=r"row 0 \(byte 92\) \('</s>'\) holds NaN"):
        load(tmp_path, raw)
    assert np.isnan(load(tmp_path, raw, verify=False)["</s>"][0])


def test_a_word_that_comes_again_is_refused_or_its_first_row_counts(tmp_path):
    raw, *_ = model(words=["a", "b", "a"])
    with pytest.raises(InputError, match=r"row 2 \(byte \d+\) has the word 'a' of row 0 again"):
        load(tmp_path, raw)
    with pytest.warns(pairloom.VectorsWarning, match="1 of 3 rows"):
        loaded = load(tmp_path, raw, lenient=True)
    assert loaded.words.words == loaded.contexts.words == ["a", "b"]


def test_a_row_without_a_word_is_refused_or_left_out(tmp_path):
    raw, *_ = model(words=["a", "", "b"])
    with pytest.raises(InputError, match=r"row 1 \(byte \d+\) has no word\."):
        load(tmp_path, raw)
    with pytest.warns(pairloom.VectorsWarning, match="1 of 3 rows was left out, since it has no word"):
        loaded = load(tmp_path, raw, lenient=True)
    assert loaded.words.words == loaded.contexts.words == ["a", "b"]


def test_a_very_long_word_has_the_mean_of_all_its_n_grams(monkeypatch):
    """They are listed a piece of the word at a time, so that a damaged file takes no memory."""
    word = ("kätzchen" * 4000).encode()
    rows = np.random.default_rng(0).normal(size=(1 + 97, 4)).astype(np.float32)
    subwords = Subwords(rows, n_words=1, bucket=97, minn=2, maxn=3)
    expected = subwords.mean([0, *subwords.rows_of(word)])
    monkeypatch.setattr(subwords_module, "_FEW_NGRAMS", 0)
    assert word_vectors(subwords, [word])[0].tobytes() == expected.tobytes()
