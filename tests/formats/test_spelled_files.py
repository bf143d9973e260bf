"""Files with n-grams: version 2 of the native format, and fastText's .bin written here."""

import struct

import numpy as np
import pytest

import pairloom
from pairloom.errors import InputError
from pairloom.formats import native
from pairloom.system import tensors
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.subwords import Subwords, SubwordVectors
from pairloom.vectors.vectors import Vectors

WORDS = ["the", "naïve", "猫", "</s>", "a"]


def spelled(record=None, n_rows=7, bucket=1000, seed=0):
    rng = np.random.default_rng(seed)
    used = np.sort(rng.choice(bucket, n_rows, replace=False)).astype(np.int64)
    subwords = Subwords(rng.normal(size=(n_rows + 1, 4)).astype(np.float32), 0, bucket, 2, 4, used)
    words = SubwordVectors(WORDS, rng.normal(size=(5, 4)).astype(np.float32), np.array([9, 7, 5, 3, 1]), subwords)
    contexts = Vectors(["a", "the", "other"], rng.normal(size=(3, 4)).astype(np.float32))
    return Embedding(words=words, contexts=contexts, record=record or {"spelling": {"l2": 0.02}})


@pytest.mark.parametrize("verify", [True, False])
def test_the_spelling_that_was_saved_is_loaded(tmp_path, verify):
    given = spelled()
    given.save(tmp_path / "s.loom")
    loaded = pairloom.load(tmp_path / "s.loom", verify=verify)
    assert loaded.record == given.record
    assert loaded.words.subwords[1:5] == given.words.subwords[1:5]
    for word in ("dog", "猫猫", "the", "x" * 300):
        assert loaded[word].tobytes() == given[word].tobytes()
    loaded.save(tmp_path / "again.loom")
    assert (tmp_path / "again.loom").read_bytes() == (tmp_path / "s.loom").read_bytes()


def test_only_files_with_a_spelling_have_version_2(tmp_path):
    plain = Embedding.of_words(Vectors(["a"], [[1.0]]), {"spelling": {"l2": 0.02}})
    spelled().save(tmp_path / "two.loom")
    plain.save(tmp_path / "one.loom")
    assert b'"format_version":"2"' in (tmp_path / "two.loom").read_bytes()
    assert b'"format_version":"1"' in (tmp_path / "one.loom").read_bytes()
    assert pairloom.load(tmp_path / "one.loom").record == {}  # there is no spelling to speak of


def test_a_reader_of_version_1_says_that_it_is_too_old(tmp_path, monkeypatch):
    spelled().save(tmp_path / "two.loom")
    monkeypatch.setattr(native, "_LAYOUT", native._LAYOUT._replace(later=None))
    with pytest.raises(InputError, match=r"it has format version 2, and this pairloom reads version 1. Install a"):
        pairloom.load(tmp_path / "two.loom")


def test_the_first_words_keep_the_spelling(tmp_path):
    spelled().save(tmp_path / "s.loom")
    first = pairloom.load(tmp_path / "s.loom", limit=2)
    assert len(first) == 2 and first["dog"].tobytes() == spelled()["dog"].tobytes()


def test_half_precision_keeps_three_digits_of_the_rows(tmp_path):
    spelled().save(tmp_path / "half.loom", dtype="float16")
    np.testing.assert_allclose(pairloom.load(tmp_path / "half.loom")["dog"], spelled()["dog"], atol=2e-3)


def test_rows_beyond_half_precision_are_refused(tmp_path):
    given = spelled()
    rows = given.words.subwords.rows * 1e6
    words = SubwordVectors(WORDS, given.words.vectors, given.words.counts, given.words.subwords._replace(rows=rows))
    with pytest.raises(InputError, match="The rows of n-grams hold a number beyond 65504"):
        Embedding.of_words(words).save(tmp_path / "half.loom", dtype="float16")
    assert not (tmp_path / "half.loom").exists()


def with_tensors(**changes):
    """A file whose hashes are right and whose n-grams are not."""

    def write(path):
        given = spelled()
        found = native._tensors(given) | native._ngram_tensors(given.words.subwords) | changes
        tensors.write(path, native._WITH_SPELLING, found, given.record)

    return write


USED = spelled().words.subwords.used
ROWS = spelled().words.subwords.rows


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ngram_sizes": np.array([1000, 2])}, "tensor ngram_sizes is [1000, 2]."),
        ({"ngram_sizes": np.array([0, 2, 4])}, "tensor ngram_sizes is [0, 2, 4]."),
        ({"ngram_sizes": np.array([2**40, 2, 4])}, "tensor ngram_sizes is"),
        ({"ngram_sizes": np.array([1000, 0, 4])}, "tensor ngram_sizes is"),
        ({"ngram_sizes": np.array([1000, 5, 4])}, "tensor ngram_sizes is"),
        ({"ngram_sizes": np.array([1000, 2, 51])}, "tensor ngram_sizes is"),
        ({"ngram_sizes": np.array([10, 2, 4])}, "do not rise from 0 to 9."),
        ({"ngram_buckets": USED[::-1]}, "the numbers of tensor ngram_buckets do not rise from 0 to 999."),
        ({"ngram_buckets": np.append(USED[:-1], USED[-2])}, "do not rise"),
        ({"ngram_buckets": USED - USED[0] - 1}, "do not rise"),
        ({"ngram_buckets": np.append(USED[1:], 2**63 - 1)}, "do not rise"),
        ({"ngram_buckets": np.append(-(2**63), USED[1:])}, "do not rise"),
        ({"ngram_buckets": USED[1:]}, "tensor ngrams of shape [8, 4] does not fit the others."),
        ({"ngrams": ROWS[:, :3]}, "tensor ngrams of shape [8, 3] does not fit the others."),
        ({"ngrams": np.where(ROWS[2, 1] == ROWS, np.inf, ROWS)}, "tensor ngrams holds NaN or infinity."),
    ],
)
def test_a_file_whose_ngrams_do_not_fit_is_refused(tmp_path, changes, message):
    with_tensors(**changes)(tmp_path / "bad.loom")
    with pytest.raises(InputError) as refused:
        pairloom.load(tmp_path / "bad.loom")
    assert message in str(refused.value) and "The file is damaged" in str(refused.value)


def test_no_changed_byte_goes_unseen(tmp_path):
    spelled().save(tmp_path / "s.loom")
    content = bytearray((tmp_path / "s.loom").read_bytes())
    for at in range(0, len(content), 7):
        changed = content.copy()
        changed[at] ^= 1
        with pytest.raises(InputError):
            native.read_from(memoryview(bytes(changed)), "changed")


# fastText's .bin


def test_fasttexts_file_gives_unknown_words_the_same_bits_and_known_ones_nearly(tmp_path):
    given = spelled()
    given.save(tmp_path / "s.bin", "fasttext")
    loaded = pairloom.load(tmp_path / "s.bin")
    assert isinstance(loaded.words, pairloom.FastTextVectors)
    assert (loaded.words.words, loaded.words.counts.tolist()) == (WORDS, [9, 7, 5, 3, 1])
    np.testing.assert_allclose(loaded.words.vectors, given.words.vectors, atol=2e-6)
    for word in ("dog", "猫猫", "thé", "x" * 300):
        assert loaded[word].tobytes() == given[word].tobytes()
    expected = [given.contexts["the"], np.zeros(4), np.zeros(4), np.zeros(4), given.contexts["a"]]
    assert loaded.contexts.vectors.tolist() == np.array(expected).tolist()


def test_a_fasttext_file_is_written_again_with_its_ngrams(tmp_path):
    spelled(bucket=50).save(tmp_path / "s.bin", "fasttext")
    first = pairloom.load(tmp_path / "s.bin")
    first.save(tmp_path / "again.bin", "fasttext")
    again = pairloom.load(tmp_path / "again.bin")
    assert again["dog"].tobytes() == first["dog"].tobytes()
    np.testing.assert_allclose(again.words.vectors, first.words.vectors, atol=2e-6)


def test_without_ngrams_fasttexts_file_has_words_only(tmp_path):
    plain = Embedding.of_words(Vectors(["two words", "b"], [[1, 2], [3, 4]]))
    plain.save(tmp_path / "p.bin", "fasttext")
    loaded = pairloom.load(tmp_path / "p.bin")
    assert loaded.words.vectors.tolist() == [[1, 2], [3, 4]]
    assert not loaded.words.has_vector("c")


def test_the_arguments_of_training_are_written_where_they_are_known(tmp_path):
    config = {"window": 7, "epochs": 3, "min_count": 0.5, "negatives": 9}
    spelled({"config": config}).save(tmp_path / "s.bin", "fasttext")
    arguments = pairloom.load(tmp_path / "s.bin").record["fasttext"]
    names = ("dim", "ws", "epoch", "minCount", "neg", "bucket", "minn", "maxn")
    assert [arguments[name] for name in names] == [4, 7, 3, 1, 9, 1000, 2, 4]
    assert struct.unpack_from("<ii", (tmp_path / "s.bin").read_bytes()) == (793712314, 12)


def test_nodes_of_a_tree_are_not_written_as_contexts(tmp_path):
    given = spelled({"config": {"objective": "hs"}})
    given.save(tmp_path / "s.bin", "fasttext")
    assert not pairloom.load(tmp_path / "s.bin").contexts.vectors.any()


def test_words_that_fasttext_cannot_hold_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"holds a NUL, which ends a word in fastText's files. Save as .loom."):
        Embedding.of_words(Vectors(["a\0b"], [[1.0]])).save(tmp_path / "n.bin", "fasttext")


def test_rows_beyond_float32_are_refused_and_nothing_is_written(tmp_path):
    given = spelled()
    words = SubwordVectors(WORDS, given.words.vectors * np.float32(1e38), given.words.counts, given.words.subwords)
    with pytest.raises(InputError, match=r"would be beyond float32. Make the vectors shorter."):
        Embedding.of_words(words).save(tmp_path / "s.bin", "fasttext")
    assert list(tmp_path.iterdir()) == []


def test_words_without_ngrams_are_their_own_rows(tmp_path):
    given = spelled()
    end = SubwordVectors(["</s>"], np.array([[1, 2, 3, 4]], np.float32), np.array([1]), given.words.subwords)
    Embedding.of_words(end).save(tmp_path / "s.bin", "fasttext")
    assert pairloom.load(tmp_path / "s.bin").words.vectors.tolist() == [[1, 2, 3, 4]]
