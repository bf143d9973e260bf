"""Approximate search: what it answers is exact, and how much it misses is known."""

import sys

import numpy as np
import pytest

from pairloom.errors import ConfigError, InputError, PairloomError
from pairloom.vectors.index import Index
from pairloom.vectors.vectors import Vectors


@pytest.fixture(scope="module")
def vectors() -> Vectors:
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(50, 16))
    return Vectors([f"w{i}" for i in range(3000)], centres[rng.integers(50, size=3000)] + rng.normal(size=(3000, 16)))


@pytest.fixture(scope="module")
def index(vectors: Vectors) -> Index:
    return Index.build(vectors)


def test_nearly_all_neighbours_are_found(index):
    assert index.recall(topn=10, queries=300) > 0.97


def test_a_poor_index_knows_that_it_is_poor(vectors):
    class Blind(Index):
        def candidates(self, direction, k):
            return np.arange(k)

    assert Blind(vectors, None).recall(topn=10, queries=300) < 0.05


def test_what_is_found_has_its_exact_cosine_and_place(index, vectors):
    assert index.most_similar("w7", topn=5) == vectors.most_similar("w7", topn=5)
    assert vectors.most_similar(["w7", "w9"], ["w1"], topn=5, indexer=index) == vectors.most_similar(
        ["w7", "w9"], ["w1"], topn=5
    )


def test_more_neighbours_than_words(index, vectors):
    assert len(index.most_similar("w7", topn=10_000)) == len(vectors) - 1


def test_where_links_lead_nowhere_all_rows_are_looked_at(vectors):
    class Lost:
        def __len__(self):
            return len(vectors)

        def query(self, *_, **__):
            raise RuntimeError("fewer results than expected")

    assert Index(vectors, Lost()).most_similar("w7", topn=5) == vectors.most_similar("w7", topn=5)


def test_one_thread_makes_the_same_index_every_time(index, vectors, tmp_path):
    for name, made in (("one", index), ("other", Index.build(vectors))):
        made.save(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_an_index_comes_back_from_its_file(index, vectors, tmp_path):
    index.save(tmp_path / "i.index")
    assert Index.load(tmp_path / "i.index", vectors).most_similar("w3") == index.most_similar("w3")


def test_an_index_is_refused_by_other_vectors(index, vectors, tmp_path):
    index.save(tmp_path / "i.index")
    other = Vectors(vectors.words, vectors.vectors * 2)
    with pytest.raises(InputError, match=r"is the index of other vectors. Make it again with: pairloom index MODEL"):
        Index.load(tmp_path / "i.index", other)


@pytest.mark.parametrize("content", [b"", b"hello\n", b"[]\n", b'{"format": "pairloom-index-9"}\n', b"\xff" * 9000])
def test_what_is_no_index_is_refused(content, vectors, tmp_path):
    (tmp_path / "i.index").write_bytes(content)
    with pytest.raises(InputError, match="is not an index of this version"):
        Index.load(tmp_path / "i.index", vectors)


def test_a_cut_index_is_refused(index, vectors, tmp_path):
    index.save(tmp_path / "i.index")
    whole = (tmp_path / "i.index").read_bytes()
    for length in (len(whole) // 2, whole.index(b"\n") + 1, len(whole) - 1):
        (tmp_path / "i.index").write_bytes(whole[:length])
        with pytest.raises(InputError, match=r"is damaged. Make it again with: pairloom index MODEL"):
            Index.load(tmp_path / "i.index", vectors)


def test_a_missing_index_says_how_to_make_it(vectors, tmp_path):
    with pytest.raises(InputError, match=r"cannot be read: No such file or directory. Make it again"):
        Index.load(tmp_path / "none.index", vectors)


def test_rows_of_zeros_are_nobodys_neighbours():
    vectors = Vectors(["nothing", "a", "b"], [[0, 0], [1, 0], [1, 1]])
    index = Index.build(vectors)
    assert [word for word, _ in index.most_similar("a")] == ["b"]
    assert Index.build(Vectors(["nothing"], [[0.0, 0.0]])).candidates(np.ones(2), 3).tolist() == []


def test_options_out_of_range_are_refused(vectors):
    with pytest.raises(ConfigError, match="links=1 is out of range"):
        Index.build(vectors, links=1)


def test_it_names_its_extra(vectors, monkeypatch):
    monkeypatch.setitem(sys.modules, "voyager", None)
    with pytest.raises(PairloomError, match=r"pip install 'pairloom\[ann\]'"):
        Index.build(vectors)


def test_where_no_vector_points_anywhere_nothing_can_be_missed():
    assert Index.build(Vectors(["a", "b"], np.zeros((2, 3), np.float32))).recall() == 1.0


def test_an_index_of_another_voyager_is_refused(index, vectors, tmp_path, monkeypatch):
    """Its checksum is right, and yet it cannot be read."""
    path = tmp_path / "m.index"
    index.save(path)

    class Other:
        @staticmethod
        def load(file):
            raise RuntimeError("unknown version")

    monkeypatch.setattr("voyager.Index", Other)
    with pytest.raises(InputError, match="cannot be loaded: unknown version"):
        Index.load(path, vectors)
