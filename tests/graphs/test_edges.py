"""Edges from files and from Python, and what is not an edge."""

import gzip

import pytest

import pairloom
from pairloom.cli.main import main


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
