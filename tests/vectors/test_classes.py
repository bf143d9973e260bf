"""Word classes: obvious groups are found, no number depends on the seed, the command writes word2vec's lines."""

import hashlib
import json
import os
import subprocess
import sys

import numpy as np
import pytest

import pairloom
from pairloom.cli.main import main
from pairloom.errors import ConfigError, InputError, MissingExtraError
from pairloom.vectors.classes import word_classes
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.vectors import Vectors

ALGORITHMS = ["minibatch", "lloyd"]
GROUPS = ["red green blue pink".split(), "cat dog cow hen".split(), "one two three four".split()]


@pytest.fixture
def groups() -> Vectors:
    """Three directions, words of each in turn, of very different lengths."""
    rng = np.random.default_rng(0)
    words, rows = [], []
    for i in range(4):
        for j, group in enumerate(GROUPS):
            words.append(group[i])
            rows.append((np.eye(3)[j] + rng.normal(scale=0.1, size=3)) * 10.0 ** rng.uniform(-3, 3))
    return Vectors(words, rows, np.arange(12, 0, -1))


@pytest.fixture
def scattered() -> Vectors:
    """Words in no groups at all, where each small difference shows in the classes; more than one batch of them."""
    return Vectors([f"w{i}" for i in range(2000)], np.random.default_rng(1).normal(size=(2000, 12)))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("seed", range(5))
def test_words_of_one_direction_are_one_class_however_long_their_vectors_are(groups, algorithm, seed):
    classes = word_classes(groups, 3, seed=seed, algorithm=algorithm)
    assert classes.labels.tolist() == [0, 1, 2] * 4  # numbered by their first words, whatever the seed began with
    assert classes.sizes.tolist() == [4, 4, 4]
    assert [{word for word, _ in classes.members(j)} for j in range(3)] == [set(group) for group in GROUPS]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_word_belongs_to_the_centre_with_the_largest_cosine(scattered, algorithm):
    classes = word_classes(scattered, 40, algorithm=algorithm)
    units = scattered.vectors / scattered.norms[:, None]
    cosines = units @ classes.centres.T
    np.testing.assert_allclose(np.linalg.norm(classes.centres, axis=1), 1)
    np.testing.assert_array_equal(cosines.argmax(axis=1), classes.labels)
    np.testing.assert_allclose(cosines.max(axis=1), classes.cosines, atol=1e-6)
    assert len(classes) == 40
    first = [int(np.flatnonzero(classes.labels == j)[0]) for j in range(40)]
    assert first == sorted(first)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_centres_are_far_better_than_words_picked_at_random(scattered, algorithm):
    picked = scattered.vectors[:40] / scattered.norms[:40, None]
    units = scattered.vectors / scattered.norms[:, None]
    assert (
        word_classes(scattered, 40, algorithm=algorithm).cosines.mean() > (units @ picked.T).max(axis=1).mean() + 0.03
    )


def test_members_come_the_most_central_first(scattered):
    classes = word_classes(scattered, 10)
    for number in range(10):
        cosines = [cosine for _, cosine in classes.members(number)]
        assert cosines == sorted(cosines, reverse=True)
        assert len(cosines) == classes.sizes[number]
    assert classes.members(10) == []


def test_the_two_algorithms_differ_only_where_there_is_more_than_one_batch_of_words(scattered):
    some = Vectors(scattered.words[:1000], scattered.vectors[:1000])
    for vectors, same in ((scattered, False), (some, True)):
        batches, all_words = (word_classes(vectors, 40, algorithm=algorithm).labels for algorithm in ALGORITHMS)
        assert np.array_equal(batches, all_words) == same


def test_one_seed_gives_one_answer_and_another_seed_another(scattered):
    labels = [word_classes(scattered, 40, seed=seed).labels.tobytes() for seed in (3, 3, 4)]
    assert labels[0] == labels[1] != labels[2]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_classes_do_not_depend_on_the_number_of_threads(algorithm):
    """In fresh processes, which must hold also the libraries to one thread that scikit-learn loads."""
    program = f"""
import hashlib, numpy as np, sys
from pairloom.vectors.classes import word_classes, _k_means
from pairloom.vectors import classes
from pairloom.vectors.vectors import Vectors
def spy(*given):
    from threadpoolctl import threadpool_info
    print(sorted({{(pool["user_api"], pool["num_threads"]) for pool in threadpool_info()}}))
    return _k_means(*given)
classes._k_means = spy
v = Vectors([str(i) for i in range(3000)], np.random.default_rng(1).normal(size=(3000, 20)))
labels = word_classes(v, 100, algorithm="{algorithm}").labels
print(hashlib.sha256(labels.tobytes()).hexdigest())
"""
    printed = set()
    for threads in "14":
        env = {**os.environ, "OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads}
        done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True)
        printed.add(done.stdout)
    assert len(printed) == 1
    pools, digest = printed.pop().splitlines()
    assert pools == "[('blas', 1), ('openmp', 1)]"
    assert len(digest) == len(hashlib.sha256().hexdigest())


def test_a_zero_vector_points_nowhere_and_is_in_no_class():
    vectors = Vectors(["zero", "up", "down", "also"], [[0, 0], [0, 1], [0, -1], [0, 0]])
    classes = word_classes(vectors, 2)
    assert classes.labels.tolist() == [-1, 0, 1, -1]
    assert classes.cosines.tolist() == [0, 1, 1, 0]
    assert classes.sizes.tolist() == [1, 1]


def test_words_that_share_a_direction_may_make_fewer_classes_than_asked_for():
    classes = word_classes(Vectors(["a", "b", "c", "d"], [[1, 0], [2, 0], [0, 1], [0, 3]]), 4)
    assert classes.labels.tolist() == [0, 0, 1, 1]
    assert len(classes) == len(classes.centres) == 2


def test_one_class_holds_all_words_and_as_many_classes_as_words_hold_one_each(groups):
    assert set(word_classes(groups, 1).labels.tolist()) == {0}
    assert word_classes(groups, 12).labels.tolist() == list(range(12))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 13}, "12 words cannot be put into 13 classes. Use a k of 1 to 12."),
        ({"k": 0}, "12 words cannot be put into 0 classes. Use a k of 1 to 12."),
        ({"k": -1}, "12 words cannot be put into -1 classes. Use a k of 1 to 12."),
        ({"k": 2.5}, "12 words cannot be put into 2.5 classes. Use a k of 1 to 12."),
        ({"k": 2, "seed": -1}, "seed=-1 is out of range. Use 0 to 4294967295; another seed gives other classes."),
        ({"k": 2, "algorithm": "elkan"}, "algorithm='elkan' does not exist. Use minibatch or lloyd."),
    ],
)
def test_what_cannot_be_is_refused(groups, options, message):
    with pytest.raises(InputError) as refusal:
        word_classes(groups, **options)
    assert str(refusal.value) == message


def test_vectors_that_are_all_zero_or_not_finite_are_refused():
    with pytest.raises(InputError) as refusal:
        word_classes(Vectors(["a", "b"], np.zeros((2, 3))), 1)
    assert str(refusal.value) == ("All vectors are zero, so there are no directions to group. Give trained vectors.")
    with pytest.raises(InputError, match=r"^Row 1 \('b'\) of the vectors holds NaN or infinity"):
        word_classes(Vectors(["a", "b"], [[1, 2], [np.nan, 1]]), 1)


def test_a_wrong_option_is_a_config_error_so_that_the_command_line_names_it_as_typed(groups):
    with pytest.raises(ConfigError):
        word_classes(groups, 2, seed=2**32)


def test_the_file_has_a_word_and_its_class_on_each_line_sorted_by_class_and_then_by_row(groups, tmp_path):
    pairloom.word_classes(groups, 3).save(tmp_path / "classes.txt")
    expected = "".join(f"{word} {j}\n" for j, group in enumerate(GROUPS) for word in group)
    assert (tmp_path / "classes.txt").read_text() == expected


def test_a_word_with_white_space_cannot_stand_in_the_file(tmp_path):
    vectors = Vectors(["new york", "b"], [[1, 2], [3, 1]])
    with pytest.raises(InputError) as refusal:
        word_classes(vectors, 2).save(tmp_path / "classes.txt")
    assert str(refusal.value) == (
        "The word 'new york' has white space, so it cannot stand in a file of `word class` lines. "
        "Replace white space in words, by _ for example."
    )
    assert not (tmp_path / "classes.txt").exists()


# --- The command


@pytest.fixture
def model(groups, tmp_path):
    path = tmp_path / "groups.loom"
    words = Vectors([*groups.words, "zero"], [*groups.vectors, [0, 0, 0]])
    Embedding(words=words, contexts=groups).save(path)
    return path


def test_without_an_output_a_table_shows_each_class_by_its_most_central_words(model, groups, capsys):
    assert main(["classes", str(model), "-k", "3", "-n", "2"]) == 0
    head, *rows, last = capsys.readouterr().out.splitlines()
    assert head == "class   words  most central words"
    classes = word_classes(groups, 3)
    for number, row in enumerate(rows):
        assert row.split() == [str(number), "4", *(word for word, _ in classes.members(number)[:2])]
    assert last == "12 words in 3 classes of 4 words; 1 with a zero vector is in no class (-1)"


def test_output_has_word2vecs_lines_and_a_line_says_so(model, tmp_path, capsys):
    out = tmp_path / "classes.txt"
    assert main(["classes", str(model), "-k", "3", "-o", str(out), "--algorithm", "lloyd", "--seed", "5"]) == 0
    printed = capsys.readouterr()
    assert printed.out == f"{out}: 12 words in 3 classes of 4 words; 1 with a zero vector is in no class (-1)\n"
    assert out.read_text().splitlines()[:3] == ["zero -1", "red 0", "green 0"]
    lines = [line.split() for line in out.read_text().splitlines()]
    assert lines == sorted(lines, key=lambda line: int(line[1]))
    assert len(lines) == 13


def test_json_has_all_words_of_a_class_or_a_summary_of_what_was_written(model, tmp_path, capsys):
    assert main(["classes", str(model), "-k", "3", "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["class"], row["size"], {word for word, _ in row["words"]}) for row in rows] == [
        (j, 4, set(group)) for j, group in enumerate(GROUPS)
    ]
    out = tmp_path / "classes.txt"
    assert main(["classes", str(model), "-k", "3", "--json", "-o", str(out)]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts == {"output": str(out), "words": 12, "classes": 3, "sizes": [4, 4, 4]}


def fails(capsys, *args):
    try:
        code = main(["classes", *map(str, args)])
    except SystemExit as exit:
        code = exit.code
    printed = capsys.readouterr()
    assert (code, printed.out, printed.err.count("\n")) == (2, "", 1)
    return printed.err.removeprefix("pairloom classes: ").rstrip("\n")


def test_what_is_wrong_is_said_in_one_line_and_nothing_is_written(model, tmp_path, capsys):
    before = sorted(tmp_path.iterdir())
    assert fails(capsys, model, "-k", "13") == "12 words cannot be put into 13 classes. Use a k of 1 to 12."
    assert fails(capsys, model, "-k", "3", "--seed", "-1").startswith("--seed -1 is out of range.")
    assert fails(capsys, model, "-k", "x").startswith("argument -k: 'x' is not a whole number.")
    assert "-k" in fails(capsys, model)
    assert fails(capsys, model, "-k", "3", "-o", model) == (
        f"{model} is, or is among, the files to be read. Choose another name for the output."
    )
    assert "does not exist" in fails(capsys, model, "-k", "3", "-o", tmp_path / "none" / "classes.txt")
    assert str(tmp_path / "none.loom") in fails(capsys, tmp_path / "none.loom", "-k", "3")
    assert sorted(tmp_path.iterdir()) == before


def test_an_output_that_cannot_be_is_refused_before_the_work(model, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("pairloom.vectors.classes.word_classes", lambda *_, **__: pytest.fail("worked first"))
    assert "is a folder" in fails(capsys, model, "-k", "3", "-o", tmp_path)


def test_without_scikit_learn_one_line_says_what_to_install(model, groups, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.cluster", None)
    assert fails(capsys, model, "-k", "3") == (
        "k-means needs an extra package. Install it with: pip install 'pairloom[sklearn]'"
    )
    with pytest.raises(MissingExtraError, match="k-means needs an extra package"):
        word_classes(groups, 3)
