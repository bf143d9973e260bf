"""pairloom near, similarity, analogy and index."""

import json
from pathlib import Path

import pytest

import pairloom
from pairloom.cli.main import main


def test_near_prints_neighbours_of_each_word(model, capsys):
    assert main(["near", str(model), "cat", "red", "-n", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert (lines[0], lines[3]) == ("cat", "red")
    cosine, word = lines[1].split()
    assert 0.5 < float(cosine) <= 1 and word in "dog horse cow sheep goat hen duck pig goose".split()


def test_near_reads_words_from_stdin_and_ends_with_it(model, run_process):
    code, out, err = run_process("near", model, "-n", "1", "--json", stdin="cat\n\nred\n")
    assert (code, err) == (0, "")
    assert [json.loads(line)["word"] for line in out.splitlines()] == ["cat", "red"]


def test_near_asks_the_contexts_too(model, capsys):
    main(["near", str(model), "cat", "-n", "3"])
    words = capsys.readouterr().out
    main(["near", str(model), "cat", "-n", "3", "--contexts"])
    assert capsys.readouterr().out != words


def test_an_unknown_word_is_answered_with_a_similar_one_and_the_others_with_neighbours(model, run_process):
    code, out, err = run_process("near", model, "caat", "dog", "-n", "1")
    assert code == 2
    assert err == "pairloom near: 'caat' is not among the 20 words of these vectors. Did you mean 'cat'?\n"
    assert out.startswith("dog\n")


def test_near_can_look_among_frequent_words_only(model, vectors, output):
    answer = json.loads(output("near", model, "cat", "-n", "3", "--restrict-vocab", "5", "--json"))
    assert answer["near"] == [list(pair) for pair in vectors.most_similar("cat", topn=3, restrict_vocab=5)]


def test_near_can_ask_the_sum_of_both_matrices(model, output):
    answer = json.loads(output("near", model, "cat", "-n", "3", "--combined", "--json"))
    expected = pairloom.load(model).combined().most_similar("cat", topn=3)
    assert answer["near"] == [list(pair) for pair in expected]


@pytest.mark.parametrize("method", ["add", "mul"])
def test_analogy_answers_what_was_typed_and_what_stands_in_stdin(method, model, vectors, set_stdin, output):
    ask = vectors.most_similar if method == "add" else vectors.most_similar_cosmul
    expected = [list(pair) for pair in ask(["red", "dog"], ["cat"], topn=2)]
    for words, text in ((["cat", "red", "dog"], ""), ([], "cat red dog\n\n")):
        set_stdin(text)
        answer = json.loads(output("analogy", model, *words, "-n", "2", "--method", method, "--json"))
        assert answer == {"words": ["cat", "red", "dog"], "near": expected}


def test_an_analogy_has_three_words_and_others_are_answered_all_the_same(model, set_stdin, capsys):
    set_stdin("cat red\ncat red dog\ncat red dgo\n")
    with pytest.raises(SystemExit) as ended:
        main(["analogy", str(model)])
    printed = capsys.readouterr()
    assert ended.value.code == 2
    assert "'cat red' is not a question. Give three words, for example: man king woman" in printed.err
    assert "'dgo' is not among the 20 words of these vectors. Did you mean 'dog'" in printed.err
    assert printed.out.startswith("cat : red = dog :\n")


def test_an_index_is_made_beside_the_model_and_used(model, vectors, capsys, output):
    assert main(["index", str(model)]) == 0
    printed = capsys.readouterr()
    assert "20 words, finds 100.0% of the ten nearest" in printed.out
    assert printed.err == "linking words to their neighbours 100%\n"
    assert output("index", model, "--quiet") == ""
    facts = json.loads(output("index", model, "--json"))
    assert facts["output"] == f"{model}.index"
    assert facts["recall_at_10"] == 1.0
    answer = json.loads(output("near", model, "cat", "--approximate", "--json"))
    assert answer["near"] == [list(pair) for pair in vectors.most_similar("cat")]
    Path(f"{model}.index").unlink()
    assert main(["near", str(model), "cat", "--approximate"]) == 2
    assert "Make it again with: pairloom index MODEL" in capsys.readouterr().err


def test_near_answers_the_others_when_a_word_points_nowhere(tmp_path, set_stdin, capsys):
    model = tmp_path / "zero.loom"
    pairloom.Embedding.of_words(pairloom.Vectors(["nothing", "a", "b"], [[0, 0], [1, 0], [1, 1]])).save(model)
    for command in ("near", "distance"):
        set_stdin("nothing\na\n")
        try:
            assert main([command, str(model), "--json"]) == 0
        except SystemExit as ended:
            assert (command, ended.code) == ("near", 2)
        printed = capsys.readouterr()
        assert "adds up to the zero vector" in printed.err
        assert json.loads(printed.out)["near"][0][0] == "b"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-n", "-1"], "-n -1 is not a number of words. Use 0 or more."),
        (["--restrict-vocab", "0"], "--restrict-vocab 0 is not a number of words. Use 1 or more, or leave it out."),
        (
            ["--approximate", "--contexts"],
            "An index holds the words' vectors only. Leave out --approximate, --contexts or --combined.",
        ),
    ],
)
def test_near_refuses_options_once_and_by_their_names(options, message, model, capsys):
    assert main(["near", str(model), "cat", "dog", *options]) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith(f"pairloom near: {message}") and printed.err.count("\n") == 1


def test_similarity_prints_the_cosine_of_each_pair(model, output, set_stdin):
    words = pairloom.load(model).words
    lines = output("similarity", model, "cat", "dog", "cat", "red").splitlines()
    assert lines == [
        f"{words.similarity('cat', 'dog'):6.3f}  cat dog",
        f"{words.similarity('cat', 'red'):6.3f}  cat red",
    ]
    set_stdin("cat dog\n\ncat\tred\n")
    answers = [json.loads(line) for line in output("similarity", model, "--json").splitlines()]
    assert answers == [
        {"words": ["cat", other], "similarity": words.similarity("cat", other)} for other in ("dog", "red")
    ]
    contexts = pairloom.load(model).contexts
    assert output("similarity", model, "cat", "dog", "--contexts").startswith(
        f"{contexts.similarity('cat', 'dog'):6.3f}"
    )


@pytest.mark.parametrize(
    ("typed", "stdin", "message"),
    [
        (["cat"], "", "'cat' has no second word. Give pairs of words, for example: king queen"),
        (["cat", "caat"], "", "'caat' is not among the 20 words of these vectors. Did you mean 'cat'?"),
        ([], "cat dog red\n", "'cat dog red' is not a pair. Give two words, for example: king queen"),
    ],
)
def test_similarity_says_what_is_wrong_in_one_line(model, run_process, typed, stdin, message):
    code, out, err = run_process("similarity", model, *typed, stdin=stdin)
    assert (code, out, err) == (2, "", f"pairloom similarity: {message}\n")


# --- recommend


@pytest.fixture(scope="module")
def clicks(tmp_path_factory):
    sessions = [["bread", "butter", "jam"], ["bow", "arrow", "quiver"]] * 50
    path = tmp_path_factory.mktemp("clicks") / "clicks.loom"
    pairloom.train(sessions, dim=8, epochs=40, sample=0, min_count=1, lr=0.05, output=path)
    return path


def test_recommend_ranks_what_comes_next(clicks, capsys):
    assert main(["recommend", str(clicks), "bow", "arrow", "-n", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "bow arrow" and lines[1].split()[1] == "quiver" and len(lines) == 3


def test_recommend_reads_sessions_from_stdin(clicks, run_process):
    code, out, err = run_process("recommend", clicks, "-n", "1", "--json", stdin="bread butter\nbow\tquiver\n")
    assert (code, err) == (0, "")
    found = [json.loads(line) for line in out.splitlines()]
    assert [(each["session"], each["next"][0][0]) for each in found] == [
        (["bread", "butter"], "jam"),
        (["bow", "quiver"], "arrow"),
    ]


def test_recommend_may_include_what_was_seen(clicks, capsys):
    main(["recommend", str(clicks), "bow", "--include-seen"])
    assert "  bow\n" in capsys.readouterr().out


def test_recommend_does_not_answer_for_an_unknown_item(clicks, run_process):
    code, out, err = run_process("recommend", clicks, "bread", "buter")
    assert (code, out) == (2, "")
    assert err.startswith(
        "pairloom recommend: 'buter' is not among the 6 words of these vectors. Did you mean 'butter'?"
    )


def test_recommend_answers_every_line_and_names_what_it_leaves_out(clicks, run_process):
    code, out, err = run_process("recommend", clicks, "-n", "1", "--json", stdin="bread butter 999\n\nbow\n")
    found = [json.loads(line) for line in out.splitlines()]
    assert code == 0 and [each["session"] for each in found] == [["bread", "butter", "999"], [], ["bow"]]
    assert found[0]["next"][0][0] == "jam"
    assert err == "pairloom recommend: warning: '999' is not in the model, and left out of 'bread butter 999'.\n"


def test_recommend_checks_the_number_once(clicks, run_process):
    assert run_process("recommend", clicks, "bread", "-n", "0")[0] == 2
