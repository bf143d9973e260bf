"""Approximate search: what it answers is exact, and how much it misses is known."""

import hashlib
import json
import sys

import numpy as np
import pytest

from pairloom.errors import ConfigError, InputError, PairloomError
from pairloom.progress import Progress
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
        ntotal = len(vectors)

        def search(self, directions, k, params):
            return np.zeros((1, k)), np.full((1, k), -1)

    assert Index(vectors, Lost()).most_similar("w7", topn=5) == vectors.most_similar("w7", topn=5)


def test_one_thread_makes_the_same_index_every_time(index, vectors, tmp_path):
    for name, made in (("one", index), ("other", Index.build(vectors))):
        made.save(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_several_threads_find_as_many(vectors):
    assert Index.build(vectors, threads=2).recall(topn=10, queries=300) > 0.97


def test_an_index_of_several_threads_leaves_the_threads_of_faiss_as_they_were(vectors):
    import faiss

    before = faiss.omp_get_max_threads()
    Index.build(vectors, threads=before + 1)
    assert faiss.omp_get_max_threads() == before


def test_progress_is_reported_up_to_the_last_word(vectors, monkeypatch):
    monkeypatch.setattr("pairloom.progress.SECONDS_BETWEEN_REPORTS", 0.0)
    reports: list[Progress] = []
    Index.build(vectors, on_progress=reports.append)
    done = [report.done for report in reports]
    assert done == sorted(done)
    assert len(done) > 3
    assert reports[-1] == Progress(stage="index", done=len(vectors), total=len(vectors))


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_stops_the_building_after_the_rows_at_hand(vectors, monkeypatch, threads):
    """However large the effort, few rows are added between two calls."""
    monkeypatch.setattr("pairloom.progress.SECONDS_BETWEEN_REPORTS", 0.0)
    seen = []

    def interrupt(progress: Progress) -> None:
        seen.append(progress.done)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Index.build(vectors, effort=10_000, threads=threads, on_progress=interrupt)
    assert seen == [18 if threads == 1 else 256]


def test_an_index_comes_back_from_its_file(index, vectors, tmp_path):
    index.save(tmp_path / "i.index")
    assert Index.load(tmp_path / "i.index", vectors).most_similar("w3") == index.most_similar("w3")


def test_an_index_is_refused_by_other_vectors(index, vectors, tmp_path):
    index.save(tmp_path / "i.index")
    other = Vectors(vectors.words, vectors.vectors * 2)
    with pytest.raises(InputError, match=r"is the index of other vectors. Make it again with: pairloom index MODEL"):
        Index.load(tmp_path / "i.index", other)


@pytest.mark.parametrize("content", [b"", b"hello\n", b"[]\n", b'{"format": "pairloom-index-1"}\n', b"\xff" * 9000])
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


def test_a_graph_with_other_bytes_is_refused_before_faiss_reads_it(index, vectors, tmp_path, monkeypatch):
    monkeypatch.setattr("faiss.deserialize_index", lambda _: pytest.fail("faiss was given a damaged graph"))
    index.save(tmp_path / "i.index")
    whole = (tmp_path / "i.index").read_bytes()
    begin, rng = whole.index(b"\n") + 1, np.random.default_rng(0)
    for _ in range(100):
        damaged = bytearray(whole)
        for at in rng.integers(begin, len(whole), size=3):
            damaged[at] ^= int(rng.integers(1, 256))
        (tmp_path / "i.index").write_bytes(damaged)
        with pytest.raises(InputError, match=r"is damaged. Make it again with: pairloom index MODEL"):
            Index.load(tmp_path / "i.index", vectors)


@pytest.mark.parametrize("graph", [b"", b"hello", bytes(1000), b"IHNf" + bytes(1000), b"\xff" * 1000])
def test_a_graph_that_faiss_cannot_read_is_refused(graph, index, vectors, tmp_path):
    """Its digest is right, as if another version of faiss had written it."""
    index.save(tmp_path / "i.index")
    header = json.loads((tmp_path / "i.index").read_bytes().partition(b"\n")[0])
    header["graph"] = hashlib.sha256(graph).hexdigest()
    (tmp_path / "i.index").write_bytes(json.dumps(header).encode() + b"\n" + graph)
    with pytest.raises(
        InputError, match=r"i\.index cannot be read by faiss 1\.\S+\. Make it again with: pairloom index"
    ):
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
    for options, message in (
        ({"links": 1}, "links=1 is out of range. Use 2 to 1000; 16 is usual."),
        ({"links": 16.5}, "links=16.5 is not a whole number. Use 2 to 1000; 16 is usual."),
        ({"effort": 10_001}, "effort=10001 is out of range. Use 2 to 10000; 200 is usual."),
    ):
        with pytest.raises(ConfigError) as refused:
            Index.build(vectors, **options)
        assert str(refused.value) == message


def test_it_names_its_extra(vectors, monkeypatch):
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(PairloomError, match=r"pip install 'pairloom\[ann\]'"):
        Index.build(vectors)


def test_where_no_vector_points_anywhere_nothing_can_be_missed():
    assert Index.build(Vectors(["a", "b"], np.zeros((2, 3), np.float32))).recall() == 1.0
