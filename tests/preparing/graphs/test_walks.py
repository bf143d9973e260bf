"""Walks over graphs: where they go, in which order, and that nothing but the graph and the options decides it."""

import gzip
import io
import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import fields
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import pairloom
from pairloom.cli.main import main
from pairloom.config import Errors, TextOptions
from pairloom.corpus.sentences import open_corpus
from pairloom.preparing.graphs.edges import Edges
from pairloom.preparing.graphs.graph import graph_of, step_probabilities
from pairloom.preparing.graphs.walks import WalkConfig, WalkKeywords, Walks

BLOGCATALOG = Path(__file__).parents[4] / "shared/data/graphs/blogcatalog.edgelist"

# a triangle a b c with a tail c d e, and f that only d knows
TAIL = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e"), ("d", "f")]
WEIGHTED = [(*edge, weight) for edge, weight in zip(TAIL, (0.1, 5.0, 1.0, 3.0, 0.5, 2.0), strict=True)]
RING = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("a", "c"), ("b", "a"), ("c", "c")]  # directed, with a loop


def graph(edges, directed=False):
    return graph_of(Edges(edges), directed=directed)


def test_the_order_of_edges_and_numbers_for_names_make_no_difference(tmp_path):
    (tmp_path / "g.txt").write_text("1 2\n10 2\n3 1\n")
    from_file = list(pairloom.walk(tmp_path / "g.txt", walks=3))
    assert list(pairloom.walk([(3, 1), (10, 2), (1, np.int64(2))], walks=3)) == from_file
    assert list(pairloom.walk(iter([("10", "2"), ("2", "1"), ("1", "3")]), walks=3)) == from_file


# --- Steps


def steps_seen(walks):
    """How often each step was taken: {(t, v): {x: n}}, t None at a walk's first."""
    seen = {}
    index = {name: i for i, name in enumerate(walks.graph.nodes)}
    for sentence in walks:
        nodes = [None, *(index[name] for name in sentence)]
        for t, v, x in zip(nodes, nodes[1:], nodes[2:], strict=False):
            seen.setdefault((t, v), Counter())[x] += 1
    return seen


@pytest.mark.parametrize(("p", "q"), [(1, 1), (0.25, 4), (4, 0.25), (3, 0.5), (0.01, 1), (100, 100), (1e-6, 1e6)])
@pytest.mark.parametrize(
    ("edges", "directed"),
    [(TAIL, False), (WEIGHTED, False), (RING, True), ([(*e, 1 + i) for i, e in enumerate(RING)], True)],
)
def test_steps_have_the_distribution_of_the_definition(edges, directed, p, q):
    walks = pairloom.walk(edges, walks=400, length=30, p=p, q=q, directed=directed, seed=3)
    n_tests = 0
    for (t, v), counts in steps_seen(walks).items():
        expected = step_probabilities(walks.graph, v, t, p, q)
        ends = walks.graph.neighbours(v).tolist()
        assert set(counts) <= set(ends)
        observed = np.array([counts[x] for x in ends])
        common = expected * observed.sum() >= 5
        assert observed[~common].sum() <= 40  # steps expected less than 5 times each
        if common.sum() >= 2:
            scale = observed[common].sum() / expected[common].sum()
            assert stats.chisquare(observed[common], expected[common] * scale).pvalue > 1e-4, (t, v)
            n_tests += 1
    assert n_tests >= 1


def test_weighing_all_neighbours_has_the_same_distribution_as_trying():
    """With p and q so large nearly every try from t to a far neighbour fails."""
    star = [("hub", f"leaf{i}", 1 + i % 3) for i in range(12)] + [("leaf0", "leaf1", 1)]
    walks = pairloom.walk(star, walks=3000, length=3, p=1e6, q=1e6, seed=5)
    g = walks.graph
    hub, leaf5 = g.nodes.index("hub"), g.nodes.index("leaf5")
    seen = steps_seen(walks)[leaf5, hub]
    expected = step_probabilities(g, hub, leaf5, 1e6, 1e6) * seen.total()
    assert stats.chisquare([seen[x] for x in g.neighbours(hub).tolist()], expected).pvalue > 1e-3


# --- Passes, ends, seeds


def test_in_every_pass_each_node_begins_one_walk_in_an_order_of_its_own():
    walks = pairloom.walk([(i, i + 1) for i in range(50)], walks=3, length=4)
    first = [sentence[0] for sentence in walks]
    passes = [first[:51], first[51:102], first[102:]]
    assert [sorted(nodes) for nodes in passes] == [sorted(walks.graph.nodes)] * 3
    assert len({tuple(nodes) for nodes in (*passes, sorted(passes[0]))}) == 4


def test_walks_follow_edges_and_have_their_length():
    walks = pairloom.walk(TAIL, walks=5, length=7)
    edges = {frozenset(edge) for edge in TAIL}
    assert {len(sentence) for sentence in walks} == {7}
    assert all(frozenset(step) in edges for sentence in walks for step in pairwise(sentence))


def test_a_walk_ends_in_a_sink():
    walks = pairloom.walk([("a", "b"), ("b", "c")], walks=2, length=9, directed=True)
    assert Counter(map(tuple, walks)) == {("a", "b", "c"): 2, ("b", "c"): 2, ("c",): 2}


def test_another_seed_gives_other_walks_and_the_same_the_same():
    first, again, other = (list(pairloom.walk(TAIL, seed=seed)) for seed in (1, 1, 2))
    assert first == again != other


@pytest.mark.parametrize("options", [{}, {"p": 0.5, "q": 2.0}])
def test_the_bytes_are_the_same_for_any_number_of_threads(options, tmp_path, monkeypatch):
    monkeypatch.setattr("pairloom.preparing.graphs.walks._NODES_PER_TASK", 500)  # many pieces of work
    rng = np.random.default_rng(1)
    edges = [
        (int(u), int(v), w) for (u, v), w in zip(rng.integers(0, 200, (900, 2)), rng.random(900) + 0.1, strict=True)
    ]
    written = []
    for threads in (1, 2, 5):
        pairloom.walk(edges, threads=threads, **options).save(tmp_path / "w.txt")
        written.append((tmp_path / "w.txt").read_bytes())
    assert written[0] == written[1] == written[2]
    lines = [line.split() for line in written[0].decode().splitlines()]
    assert lines == list(pairloom.walk(edges, **options))


# --- As a corpus


def test_training_on_walks_is_training_on_their_file(tmp_path):
    walks = pairloom.walk(TAIL * 3, walks=40, length=10)
    assert len(walks) == 240
    walks.save(tmp_path / "w.txt")
    options = {"dim": 8, "sample": 0, "epochs": 2}
    models = [pairloom.train(source, **options) for source in (walks, tmp_path / "w.txt", list(walks))]
    for model in models[1:]:
        assert model.words.words == models[0].words.words
        assert model.words.vectors.tobytes() == models[0].words.vectors.tobytes()


def test_options_of_text_hold_for_walks():
    walks = pairloom.walk([("A", "b"), ("B", "a")], walks=1, length=3)
    assert isinstance(walks, Walks)
    with open_corpus(walks, text=TextOptions(lowercase=True)) as corpus:
        assert {word for sentence in corpus.sentences() for word in sentence} == {"a", "b"}
    with open_corpus(walks, text=TextOptions(max_sentence=2)) as corpus:
        assert {len(sentence) for sentence in corpus.sentences()} == {1, 2}


def test_two_groups_of_friends_are_separated():
    rng = np.random.default_rng(0)
    inside = [(g + a, g + b) for g in "xy" for a in "012345" for b in "012345" if a < b and rng.random() < 0.8]
    emb = pairloom.train(pairloom.walk([*inside, ("x0", "y0")], walks=40), dim=16, sample=0, epochs=5)
    assert {word[0] for word, _ in emb.most_similar("x3", topn=5)} == {"x"}


# --- The command


@pytest.fixture
def edges(tmp_path):
    path = tmp_path / "edges.txt"
    path.write_text("".join(" ".join(map(str, edge)) + "\n" for edge in TAIL))
    return path


def test_the_command_writes_what_the_library_gives(edges, tmp_path, capsys):
    out = tmp_path / "w.txt"
    options = ["--walks", "3", "--length", "5", "-p", "0.5", "-q", "2", "--seed", "7", "--threads", "2"]
    assert main(["walk", str(edges), "-o", str(out), *options, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts == {"output": str(out), "nodes": 6, "sinks": 0, "walks": 18, "length": 5, "seconds": facts["seconds"]}
    expected = [" ".join(s) for s in pairloom.walk(edges, walks=3, length=5, p=0.5, q=2, seed=7)]
    assert out.read_text().splitlines() == expected
    assert main(["walk", str(edges), "-o", str(tmp_path / "w.txt.gz"), *options, "--quiet"]) == 0
    assert capsys.readouterr().out == ""
    assert gzip.decompress((tmp_path / "w.txt.gz").read_bytes()) == out.read_bytes()


def test_walks_go_to_stdout_and_edges_come_from_stdin(edges, capfdbinary, monkeypatch):
    assert main(["walk", str(edges), "-o", "-", "--directed"]) == 0
    expected = "".join(" ".join(s) + "\n" for s in pairloom.walk(TAIL, directed=True)).encode()
    assert capfdbinary.readouterr().out == expected
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(edges.read_bytes())))
    assert main(["walk", "-", "-o", "-", "--directed", "--quiet"]) == 0
    assert capfdbinary.readouterr() == (expected, b"")


def test_a_reader_that_stops_early_is_not_an_error(edges):
    code = "import sys; from pairloom.cli.main import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "walk", str(edges), "-o", "-", "--walks", "20000", "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


# --- Bad input


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--walks", "0"], "--walks 0 is out of range. Use 1 to 1000000; 10 is usual, the DeepWalk paper uses 80."),
        (["--length", "1"], "--length 1 is out of range."),
        (["-p", "0"], "-p 0.0 is out of range. Use 1e-06 to 1e+06; 0.25 to 4 is usual, 1 is DeepWalk."),
        (["-q", "nan"], "-q nan is out of range."),
        (["--seed", "-1"], "--seed -1 is out of range."),
        (["--threads", "0"], "--threads 0 is out of range."),
        (["--encoding", "klingon"], "klingon"),
    ],
)
def test_options_out_of_range(options, message, edges, tmp_path, capsys):
    assert main(["walk", str(edges), "-o", str(tmp_path / "w.txt"), *options]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "w.txt").exists()


def test_an_option_that_there_is_not():
    with pytest.raises(pairloom.ConfigError, match=r"There is no option 'num_walks'; did you mean 'walks'\?"):
        pairloom.walk(TAIL, num_walks=80)


def test_walks_do_not_overwrite_the_graph(edges, tmp_path, capsys):
    before = edges.read_bytes()
    assert main(["walk", str(edges), "-o", str(edges)]) == 2
    assert "is, or is among, the files to be read" in capsys.readouterr().err
    assert edges.read_bytes() == before
    assert main(["walk", str(tmp_path / "none"), "-o", str(tmp_path / "no" / "w.txt")]) == 2
    assert "does not exist. Create it first." in capsys.readouterr().err


# --- A real graph


@pytest.mark.skipif(not BLOGCATALOG.exists(), reason="the BlogCatalog graph is not here")
def test_a_graph_with_hubs_is_walked_in_the_memory_of_its_edges():
    """BlogCatalog: 334 thousand edges, but tables for pairs of edges that meet would have 369 million entries."""
    code = (
        "import resource, sys, pairloom\n"
        "walks = pairloom.walk(sys.argv[1], walks=1, p=0.5, q=2.0)\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "n = sum(lengths.sum() for _, lengths in walks.node_walks())\n"
        "assert n == 40 * 10312, n\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(BLOGCATALOG)], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 200_000  # KB, most of it Numba's own


def test_directed_is_true_or_false():
    with pytest.raises(pairloom.ConfigError, match=r"^directed='no' is not a choice\. Use True or False\.$"):
        pairloom.walk([("a", "b")], directed="no")


def test_the_keywords_for_editors_are_the_fields():
    fields_of = {field.name: field.type for field in fields(WalkConfig)}
    assert WalkKeywords.__annotations__ == fields_of | {"encoding": str, "errors": Errors}
