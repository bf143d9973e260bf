"""Files of int8, version 3 of the native format; and files that are not read whole again."""

import os
import time

import numpy as np
import pytest

import pairloom
from pairloom.errors import ConfigError, InputError
from pairloom.formats import native
from pairloom.system import tensors
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.stored import as_int8
from pairloom.vectors.vectors import Vectors


def model(n=60, dim=16, seed=0):
    rng = np.random.default_rng(seed)
    words = [f"wört{i}" for i in range(n)]
    rows = (rng.normal(size=(2, n, dim)) * rng.lognormal(size=(2, n, 1))).astype(np.float32)
    rows[0, 3] = 0
    return Embedding(
        words=Vectors(words, rows[0], np.arange(n, 0, -1)), contexts=Vectors(words, rows[1]), record={"a": 1}
    )


# --- int8


def test_a_number_is_off_by_half_a_scale_at_most(tmp_path):
    given = model()
    given.save(tmp_path / "small.loom", dtype="int8")
    loaded = pairloom.load(tmp_path / "small.loom")
    assert loaded.words.words == given.words.words and loaded.record == given.record
    assert loaded.words.packed.numbers.dtype == np.int8
    for side in ("words", "contexts"):
        was, now = getattr(given, side).vectors, getattr(loaded, side).vectors
        half = np.abs(was).max(axis=1, keepdims=True) / 254
        assert now.dtype == np.float32 and np.all(np.abs(was - now) <= half * 1.001)
        assert np.array_equal(getattr(loaded, side)[given.words.words[7]], now[7])
    assert loaded["wört3"].tolist() == [0] * 16


def test_saved_again_it_is_the_same_file(tmp_path):
    model().save(tmp_path / "one.loom", dtype="int8")
    pairloom.load(tmp_path / "one.loom").save(tmp_path / "two.loom", dtype="int8")
    assert (tmp_path / "one.loom").read_bytes() == (tmp_path / "two.loom").read_bytes()


def test_only_files_of_int8_have_version_3(tmp_path, monkeypatch):
    for dtype, version in (("float32", b"1"), ("float16", b"1"), ("int8", b"3")):
        model().save(tmp_path / "m.loom", dtype=dtype)
        assert b'"format_version":"%b"' % version in (tmp_path / "m.loom").read_bytes()
    monkeypatch.setattr(native, "_LAYOUT", native._LAYOUT._replace(later=native._WITH_SPELLING._replace(later=None)))
    with pytest.raises(InputError, match=r"it has format version 3, and this pairloom reads version 2"):
        pairloom.load(tmp_path / "m.loom")


def test_a_file_is_about_a_quarter(tmp_path):
    large = model(2000, 300)
    for dtype in ("float32", "int8"):
        large.save(tmp_path / f"{dtype}.loom", dtype=dtype)
    sizes = [(tmp_path / f"{dtype}.loom").stat().st_size for dtype in ("int8", "float32")]
    assert sizes[0] / sizes[1] < 0.28  # the words and counts of these take 2 %


def test_neighbours_are_nearly_those_of_float32():
    given = model(3000, 100).words
    small = Vectors(given.words, as_int8(given.vectors))
    shared = [
        len({word for word, _ in given.most_similar(asked)} & {word for word, _ in small.most_similar(asked)})
        for asked in given.words[10:210]
    ]
    assert np.mean(shared) / 10 > 0.97


def test_spelling_is_kept_with_int8(tmp_path):
    from tests.formats.test_spelled_files import spelled

    spelled().save(tmp_path / "s.loom", dtype="int8")
    loaded = pairloom.load(tmp_path / "s.loom")
    assert loaded["dog"].tobytes() == spelled()["dog"].tobytes()


def test_formats_that_cannot_hold_int8_say_so(tmp_path):
    with pytest.raises(ConfigError, match="dtype='int8' does not go into the format static, only into loom"):
        model().save(tmp_path / "x", "static", "int8")


def rewritten(path, **changed):
    """The file with other tensors, and the hashes of these. None leaves a tensor out."""
    content = tensors.read_header(tensors.mapped(path), native._LAYOUT)
    kept = {name: value for name, value in (content.tensors | changed).items() if value is not None}
    tensors.write(path, native._COMPACT, kept, content.record)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -1.0])
def test_scales_that_are_no_scales_are_refused(tmp_path, wrong):
    path = tmp_path / "m.loom"
    model().save(path, dtype="int8")
    scales = np.ones(60, np.float32)
    scales[5] = wrong
    rewritten(path, C_scales=scales)
    with pytest.raises(InputError, match="tensor C_scales holds NaN, infinity or a number below 0"):
        pairloom.load(path)
    rewritten(path, C_scales=np.ones(59, np.float32))
    with pytest.raises(InputError, match=r"tensor C_scales of shape \[59\] does not fit the others"):
        pairloom.load(path)


def test_a_part_of_a_spelling_is_refused(tmp_path):
    path = tmp_path / "m.loom"
    model().save(path, dtype="int8")
    rewritten(path, ngram_sizes=np.array([10, 2, 3], np.int64))
    with pytest.raises(InputError, match="it has some of the tensors ngram_sizes, ngram_buckets, ngrams, but not all"):
        pairloom.load(path)


# --- Files that were found whole before


@pytest.fixture
def settled(tmp_path, monkeypatch):
    """A file whose last change is long ago, for the package."""
    monkeypatch.setenv("PAIRLOOM_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "m.loom"
    model().save(path)
    monkeypatch.setattr("pairloom.system.verified._SETTLED", -1.0)
    return path


def hashes(monkeypatch):
    """The names of the tensors that are hashed from now on."""
    names = []
    check = native.check_tensors
    monkeypatch.setattr(native, "check_tensors", lambda *args: (names.append(1), check(*args)))
    return names


def test_a_file_is_hashed_once(settled, monkeypatch):
    hashed = hashes(monkeypatch)
    answers = [pairloom.load(settled).most_similar("wört1") for _ in range(3)]
    assert len(hashed) == 1 and answers[0] == answers[1] == answers[2] == model().most_similar("wört1")
    pairloom.load(settled, verify="always")
    assert len(hashed) == 2


@pytest.mark.parametrize("keep_mtime", [False, True])
def test_damage_after_that_is_found(settled, keep_mtime):
    pairloom.load(settled)
    data, times = bytearray(settled.read_bytes()), settled.stat()
    data[-len(data) // 2] ^= 1
    time.sleep(0.02)
    with settled.open("r+b") as file:  # in place: the same inode
        file.write(data)
    if keep_mtime:
        os.utime(settled, ns=(times.st_atime_ns, times.st_mtime_ns))
    for _ in range(2):
        with pytest.raises(InputError, match="The file is damaged"):
            pairloom.load(settled)


def test_a_file_loaded_without_verifying_is_not_remembered(settled, monkeypatch):
    hashed = hashes(monkeypatch)
    pairloom.load(settled, verify=False)
    pairloom.load(settled)
    assert len(hashed) == 2


def test_a_damaged_file_is_not_remembered(settled):
    data = bytearray(settled.read_bytes())
    data[-1] ^= 1
    settled.write_bytes(data)
    for _ in range(2):
        with pytest.raises(InputError, match="The file is damaged"):
            pairloom.load(settled)


def test_a_cache_that_cannot_be_written_costs_nothing_but_time(settled, tmp_path):
    (tmp_path / "cache").write_bytes(b"a file in the way of the folder")
    for _ in range(2):
        assert pairloom.load(settled).words.words == model().words.words
