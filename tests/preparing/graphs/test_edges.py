"""Edges from files and from Python, and what is not an edge."""

import gzip
import tempfile
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pairloom
from pairloom.cli.main import main
from pairloom.preparing.graphs.edges import Edges
from tests.reading import read_in_blocks

WEIGHTS = [
    "1",
    "2.5",
    "0.1",
    "1e3",
    ".5e-7",
    "+3",
    "12345678901234567890",
    "0.30000000000000004",
    "1e23",
    "１.５",
    "1e-30",
]
WRONG = ["0", "-1", "x", "1_0", "inf", "1e31", "."]


def test_snap_and_konect_files_are_read_packed_or_not(tmp_path):
    text = "# Directed graph: web.txt\r\n#\r\n# FromNodeId\tToNodeId\r\n0\t1\r\n\r\n1\t2\r\n"
    (tmp_path / "web.txt.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "out.konect").write_text("\ufeff% sym unweighted\n0 1\n1 2")
    (tmp_path / "tags.txt").write_text("#a #b\n#b %c\n")
    assert pairloom.walk(tmp_path / "web.txt.gz").graph.nodes == ("0", "1", "2")
    assert pairloom.walk(tmp_path / "out.konect").graph.nodes == ("0", "1", "2")
    assert pairloom.walk(tmp_path / "tags.txt").graph.nodes == ("#a", "#b", "%c")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "a b\nb\n",
            "line 2: one column, 'b'. Write an edge as `u v` or `u v weight`, and begin a comment with # and a space.",
        ),
        ("a b\nb c 1 2\n", "line 2: 4 columns, 'b c 1 2'. Write an edge as"),
        ("a b 1\nb c heavy\n", "line 2: 'heavy' is not a weight. Use a number above 0, at most 1e+30, or leave it out"),
        ("a b -1\n", "line 1: '-1' is not a weight."),
        ("a b 0\n", "line 1: '0' is not a weight."),
        ("# head\n\na b nan\n", "line 3: 'nan' is not a weight."),
        ("a b inf\n", "line 1: 'inf' is not a weight."),
        ("a b 1e999\n", "line 1: '1e999' is not a weight."),
        ("a b 1_000\n", "line 1: '1_000' is not a weight."),
        ("a " + "b" * 1001 + "\n", "line 1: 'bbb"),
        ("", " has no edges. Write one edge per line, as `u v` or `u v weight`."),
        ("# nothing\n\n \n", " has no edges."),
        (b"a b\nb caf\xe9\n", "line 2, byte 9: 0xe9 is not valid utf-8."),
        (b"\x00" * 64, " is full of NUL bytes, so it is not text."),
        ("a b " * 600_000, "line 1: longer than 1 MB."),
    ],
)
def test_bad_edges_are_named_and_nothing_is_written(text, message, tmp_path, capsys):
    path = tmp_path / "edges.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert main(["walk", str(path), "-o", str(tmp_path / "w.txt"), "--quiet"]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.count("\n") == 1
    assert printed.err.startswith(f"pairloom walk: {path}")
    assert message in printed.err
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([("a", "b"), ("b",)], "edge 1 is \"('b',)\". Give tuples (u, v) or (u, v, weight)."),
        (["ab", ("b", "c")], "edge 0 is 'ab'. Give tuples"),
        ([("a", "b", -1.0)], "edge 0 has the weight -1.0. Use a number above 0"),
        ([("a", "b", float("nan"))], "edge 0 has the weight nan."),
        ([("a", "b", None)], "edge 0 has the weight None."),
        ([("New York", "b")], "edge 0 has the node 'New York'. Use strings without white space"),
        ([("", "b")], "edge 0 has the node ''."),
        ([("a", 1.5)], "edge 0 has the node 1.5."),
        ([("a", "\ud800")], "has half a character"),
        (7, "Edges cannot be of type int. Give a path, or tuples"),
        ([], "has no edges."),
    ],
)
def test_bad_edges_in_python(edges, message):
    with pytest.raises(pairloom.InputError) as raised:
        pairloom.walk(edges)
    assert message in str(raised.value)


def names_and_weights(blocks):
    """The edges of numbered blocks, with names."""
    for names, offsets, ends, weights, _ in blocks:
        spelled = [names[a:b].tobytes().decode() for a, b in pairwise(offsets.tolist())]
        yield from ((spelled[u], spelled[v], weight) for (u, v), weight in zip(ends.tolist(), weights, strict=True))


LINE = st.sampled_from(
    ["a b", "a  é", "\tb\u3000c", "#", "# x y z", "%  a", "#a b", "", " ", "b c d e", "a", "a " + "x" * 1001]
)
WEIGHTED = st.sampled_from(WEIGHTS * 3 + WRONG).map("u v {}".format)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.integers(0, 11).flatmap(lambda n: LINE if n < 2 else st.sampled_from(["a b", "n1 n2"]) | WEIGHTED)))
def test_compiled_code_reads_the_edges_of_python_to_the_last_bit_and_refuses_the_same_lines(lines):
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        read_in_blocks(patch, 64)
        path = Path(folder) / "edges"
        path.write_text("\n".join(lines))
        edges = Edges(path)
        try:
            expected = [(u, v, 1.0 if w is None else w) for block in edges.blocks() for u, v, w in block.edges]
        except pairloom.InputError as error:
            with pytest.raises(pairloom.InputError) as raised:
                list(edges.numbered())
            assert str(raised.value) == str(error)
        else:
            assert list(names_and_weights(edges.numbered())) == expected


def test_graphs_are_the_same_for_any_number_of_threads(tmp_path, monkeypatch):
    rng = np.random.default_rng(1)
    lines = [
        f"n{u} n{v} {w!r}" for (u, v), w in zip(rng.integers(0, 500, (4000, 2)), rng.random(4000).tolist(), strict=True)
    ]
    (tmp_path / "edges").write_text("\n".join(lines))
    read_in_blocks(monkeypatch, 1 << 12)
    one, *others = (pairloom.walk(tmp_path / "edges", threads=threads).graph for threads in (1, 2, 5))
    for other in others:
        assert one.nodes == other.nodes
        for a, b in ((one.starts, other.starts), (one.ends, other.ends), (one.weights, other.weights)):
            assert a.tobytes() == b.tobytes()
