"""Commands that ask a model, and those that take the place of the original programs."""

import io
import json
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import pairloom
from pairloom.cli.main import main


def out(capsys, *args) -> str:
    assert main([str(arg) for arg in args]) == 0
    return capsys.readouterr().out


@pytest.fixture
def typed(monkeypatch):
    """What stands in standard input."""
    return lambda text: monkeypatch.setattr(sys, "stdin", io.StringIO(text))


@pytest.fixture
def vectors(model):
    return pairloom.load(model).words


# --- near, analogy, index


def test_near_can_look_among_frequent_words_only(model, vectors, capsys):
    answer = json.loads(out(capsys, "near", model, "cat", "-n", "3", "--restrict-vocab", "5", "--json"))
    assert answer["near"] == [list(pair) for pair in vectors.most_similar("cat", topn=3, restrict_vocab=5)]


def test_near_can_ask_the_sum_of_both_matrices(model, capsys):
    answer = json.loads(out(capsys, "near", model, "cat", "-n", "3", "--combined", "--json"))
    expected = pairloom.load(model).combined().most_similar("cat", topn=3)
    assert answer["near"] == [list(pair) for pair in expected]


@pytest.mark.parametrize("method", ["add", "mul"])
def test_analogy_answers_what_was_typed_and_what_stands_in_stdin(method, model, vectors, typed, capsys):
    ask = vectors.most_similar if method == "add" else vectors.most_similar_cosmul
    expected = [list(pair) for pair in ask(["red", "dog"], ["cat"], topn=2)]
    for words, text in ((["cat", "red", "dog"], ""), ([], "cat red dog\n\n")):
        typed(text)
        answer = json.loads(out(capsys, "analogy", model, *words, "-n", "2", "--method", method, "--json"))
        assert answer == {"words": ["cat", "red", "dog"], "near": expected}


def test_an_analogy_has_three_words_and_others_are_answered_all_the_same(model, typed, capsys):
    typed("cat red\ncat red dog\ncat red dgo\n")
    with pytest.raises(SystemExit) as ended:
        main(["analogy", str(model)])
    printed = capsys.readouterr()
    assert ended.value.code == 2
    assert "'cat red' is not a question: give three words" in printed.err
    assert "'dgo' is not among the 20 words of these vectors. Did you mean 'dog'" in printed.err
    assert printed.out.startswith("cat : red = dog :\n")


def test_an_index_is_made_beside_the_model_and_used(model, vectors, capsys):
    assert "words in" in out(capsys, "index", model)
    facts = json.loads(out(capsys, "index", model, "--json"))
    assert facts["output"] == f"{model}.index"
    assert facts["recall_at_10"] == 1.0
    answer = json.loads(out(capsys, "near", model, "cat", "--approximate", "--json"))
    assert answer["near"] == [list(pair) for pair in vectors.most_similar("cat")]
    Path(f"{model}.index").unlink()
    assert main(["near", str(model), "cat", "--approximate"]) == 2
    assert "Make it again with: pairloom index MODEL" in capsys.readouterr().err


# --- The original's programs


W2V = "-size 16 -window 5 -negative 5 -hs 0 -sample 0 -min-count 1 -threads 20 -iter 10 -cbow 0"


@pytest.mark.parametrize("binary", [0, 1])
def test_word2vec_takes_the_originals_flags_and_writes_its_files(binary, corpus, tmp_path, capsys):
    target = tmp_path / "vectors"  # the flag decides, not a suffix
    out(capsys, "word2vec", "-train", corpus, "-output", target, *W2V.split(), "-binary", binary)
    options = {"window": 5, "negatives": 5, "sample": 0, "min_count": 1, "epochs": 10, "max_sentence": 1000}
    expected = pairloom.train(corpus, dim=16, lr=0.025, min_lr=2.5e-6, heldout=0, **options)
    expected.save(tmp_path / ("expected.bin" if binary else "expected.txt"))
    assert target.read_bytes() == (tmp_path / ("expected.bin" if binary else "expected.txt")).read_bytes()


def test_word2vec_says_once_what_it_does_differently(corpus, tmp_path, capsys):
    common = ["word2vec", "-train", str(corpus), "-output", str(tmp_path / "v"), "-min-count", "1", "-iter", "1"]
    assert main([*common]) == 0
    said = capsys.readouterr().err
    assert said.count("the ends of lines are no word </s> here") == 1
    assert "hierarchical" not in said
    assert main([*common, "-hs", "1"]) == 0
    said = capsys.readouterr().err
    assert said.count("hierarchical softmax (-hs 1) is learnt without negative sampling; say -negative 0") == 1
    assert main([*common, "-hs", "1", "-negative", "0"]) == 0
    assert "hierarchical" not in capsys.readouterr().err
    assert main([*common, "-debug", "0"]) == 0
    printed = capsys.readouterr()
    assert printed.out + printed.err == ""


def test_word2vec_needs_scikit_learn_before_it_trains(corpus, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "sklearn.cluster", None)
    assert main(["word2vec", "-train", str(corpus), "-output", str(tmp_path / "c"), "-classes", "2"]) == 2
    assert capsys.readouterr().err == (
        "pairloom word2vec: -classes needs an extra package. Install it with: pip install 'pairloom[sklearn]'\n"
    )


def test_word2vec_leaves_rare_words_out_of_a_vocabulary_that_it_reads(corpus, tmp_path, capsys):
    vocab = tmp_path / "vocab.txt"
    vocab.write_text("cat 250\ndog 240\ncow 230\nred 4\n")
    common = ["word2vec", "-train", corpus, "-read-vocab", vocab, "-output", tmp_path / "v", "-sample", "0", "--json"]
    assert json.loads(out(capsys, *common))["words"] == 3
    assert json.loads(out(capsys, *common, "-min-count", "1"))["words"] == 4


def test_word2vec_saves_and_reads_vocabularies(corpus, tmp_path, capsys):
    vocab = tmp_path / "vocab.txt"
    facts = json.loads(out(capsys, "word2vec", "-train", corpus, "-save-vocab", vocab, "-min-count", "1", "--json"))
    assert (facts["words"], facts["tokens"]) == (20, 4800)
    assert len(vocab.read_text().splitlines()) == 20
    common = ["word2vec", "-train", corpus, *W2V.split()]
    out(capsys, *common, "-output", tmp_path / "a")
    out(capsys, *common, "-output", tmp_path / "b", "-read-vocab", vocab)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ([], "There is nothing to write. Name a file with -output, or with -save-vocab."),
        (["-output", "v", "-cbow", "2"], "-cbow 2 is neither 0 nor 1."),
        (["-output", "v", "-negative", "0"], "-negative 0 -hs 0 leaves nothing to learn from."),
        (["-output", "v", "-threads", "0"], "-threads 0 is not a number of threads."),
        (["-output", "v", "-classes", "-1"], "-classes -1 is not a number of classes."),
        (["-output", "v", "-size", "0"], "-size 0 is out of range"),
        (["-output", "v", "-iter", "0"], "-iter 0 is out of range"),
        (["-output", "v", "-save-vocab", "v"], "v cannot hold both the vectors and the words."),
    ],
)
def test_word2vec_refuses_what_makes_no_sense(flags, message, corpus, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["word2vec", "-train", str(corpus), *flags]) == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_word2vec_refuses_a_flag_that_the_original_would_have_ignored(corpus, capsys):
    with pytest.raises(SystemExit):
        main(["word2vec", "-train", str(corpus), "-output", "v", "-treads", "2"])
    assert "there is no option -treads" in capsys.readouterr().err


def test_word2vec_does_not_write_over_its_text(corpus, capsys):
    assert main(["word2vec", "-train", str(corpus), "-output", str(corpus)]) == 2
    assert "is, or is among, the files to be read" in capsys.readouterr().err


def test_word2phrase_joins_what_belongs_together_and_keeps_every_line(tmp_path, capsys):
    text = tmp_path / "text.txt"
    text.write_text("she left new york\n" * 10 + "a new day in old york\n" * 5 + "rare words stay\n")
    target = tmp_path / "phrases.txt"
    facts = json.loads(
        out(capsys, "word2phrase", "-train", text, "-output", target, "-threshold", "1", "-debug", "0", "--json")
    )
    assert "new_york" in target.read_text().splitlines()[0]
    assert target.read_text().splitlines()[-1] == "rare words stay"
    assert facts == {"output": str(target), "phrases": facts["phrases"]}
    assert main(["word2phrase", "-train", str(text), "-output", str(text)]) == 2
    assert "is among, the files to be read" in capsys.readouterr().err


@pytest.mark.parametrize("train", ["-", "/dev/stdin"])
def test_word2phrase_reads_a_stream_once_and_writes_it_to_another(train, tmp_path):
    text = "she left new york\n" * 10 + "a new day in old york\n" * 5
    command = [sys.executable, "-m", "pairloom", "word2phrase", "-train", train, "-output", "/dev/stdout"]
    done = subprocess.run([*command, "-threshold", "1"], input=text, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 15
    assert "new_york" in done.stdout.splitlines()[0]


def test_near_answers_the_others_when_a_word_points_nowhere(tmp_path, typed, capsys):
    model = tmp_path / "zero.loom"
    pairloom.Embedding.of_words(pairloom.Vectors(["nothing", "a", "b"], [[0, 0], [1, 0], [1, 1]])).save(model)
    for command in ("near", "distance"):
        typed("nothing\na\n")
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
        (["--approximate", "--contexts"], "An index is of the words' vectors."),
    ],
)
def test_near_refuses_options_once_and_by_their_names(options, message, model, capsys):
    assert main(["near", str(model), "cat", "dog", *options]) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith(f"pairloom near: {message}") and printed.err.count("\n") == 1


def test_distance_adds_up_the_words_of_a_line_until_exit(model, vectors, typed, capsys):
    typed("cat dog\nnowhere\n\nEXIT\nred\n")
    answers = [json.loads(line) for line in out(capsys, "distance", model, "--json").splitlines()]
    assert [answer["words"] for answer in answers] == [["cat", "dog"], ["nowhere"]]
    assert answers[0]["near"] == [list(pair) for pair in vectors.most_similar(["cat", "dog"], topn=40)]
    assert answers[1]["near"] is None


def test_distance_prints_the_originals_table_and_ends_with_the_input(model, typed, capsys):
    typed("cat\nnowhere cat\ncat dog\n")
    printed = out(capsys, "distance", model)
    assert printed.startswith("Enter word or sentence (EXIT to break): \nWord: cat  Position in vocabulary: ")
    assert "\n" + " " * 46 + "Word       Cosine distance\n" + "-" * 72 + "\n" in printed
    assert "Word: nowhere  Position in vocabulary: -1\nOut of dictionary word!\n" in printed
    assert re.search(
        r"\nWord: cat  Position in vocabulary: \d+\n\nWord: dog  Position in vocabulary: \d+\n\n {46}Word", printed
    )


def test_word_analogy_answers_b_minus_a_plus_c(model, vectors, typed, capsys):
    typed("cat red dog\ncat red\n")
    assert main(["word-analogy", str(model), "--json"]) == 0
    printed = capsys.readouterr()
    expected = [list(pair) for pair in vectors.most_similar(["red", "dog"], ["cat"], topn=40)]
    assert json.loads(printed.out) == {"words": ["cat", "red", "dog"], "near": expected}
    assert printed.err == "2 words are too few for a question. Enter three, as in: man king woman\n"


def test_compute_accuracy_reads_questions_from_stdin(model, typed, capsys):
    typed(": topics\ncat red dog red\ncat nowhere dog red\n")
    printed = out(capsys, "compute-accuracy", model, "30000")
    assert printed.startswith("topics:\nACCURACY TOP1: 0.00 %  (0 / 1)\n")
    assert printed.endswith("Questions seen / total: 1 2   50.00 % \n")
    typed(": topics\ncat red dog red\n")
    assert json.loads(out(capsys, "compute-accuracy", model, "--json"))[0] == "topics:"
    assert main(["compute-accuracy", str(model), "-1"]) == 2
    assert "A threshold of -1 is not a number of words." in capsys.readouterr().err


DEMOS = """
set -e
./word2vec -train text -output vectors.bin -cbow 1 -size 20 -window 8 -negative 25 -hs 0 -sample 1e-4 -threads 20 \\
    -binary 1 -iter 3
echo cat | ./distance vectors.bin
echo cat red dog | ./word-analogy vectors.bin
./compute-accuracy vectors.bin 30000 < questions
./word2phrase -train text -output text-phrase0 -threshold 200 -debug 2
./word2phrase -train text-phrase0 -output text-phrase1 -threshold 100 -debug 2
tr A-Z a-z < text-phrase1 > text-phrase
./word2vec -train text-phrase -output vectors-phrase.bin -cbow 1 -size 20 -window 10 -negative 25 -hs 0 -sample 1e-5 \\
    -threads 20 -binary 1 -iter 3
echo cat | ./distance vectors-phrase.bin
./word2vec -train text -output classes.txt -cbow 1 -size 20 -window 8 -negative 25 -hs 0 -sample 1e-4 -threads 20 \\
    -iter 3 -classes 2
sort classes.txt -k 2 -n > classes.sorted.txt
"""


def test_scripts_for_the_original_run_with_other_names_of_programs(corpus, tmp_path):
    """What the original's demos do, on a small text."""
    (tmp_path / "text").write_bytes(corpus.read_bytes())
    (tmp_path / "questions").write_text(": topics\ncat red dog red\n")
    script = DEMOS.replace("./", f"{sys.executable} -m pairloom ")
    done = subprocess.run(["sh", "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Cosine distance") == 2
    assert "ACCURACY TOP1" in done.stdout
    assert len((tmp_path / "classes.sorted.txt").read_text().splitlines()) == 20


def test_a_conversation_ends_quietly_when_nobody_listens(model):
    command = f"yes cat | {sys.executable} -m pairloom distance {model} | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    assert done.stdout == "Enter word or sentence (EXIT to break): \n"


def test_vocab_says_what_it_wrote_unless_asked_for_quiet(corpus, tmp_path, capsys):
    out = tmp_path / "words.txt"
    assert main(["vocab", str(corpus), "-o", str(out)]) == 0
    assert capsys.readouterr().out == f"{out}: 20 words, 4,800 tokens\n"
    assert main(["vocab", str(corpus), "-o", str(out), "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")
    assert main(["vocab", str(corpus), "-o", str(out), "--quiet", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"words": 20, "tokens": 4800, "output": str(out)}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["-debug", "0"], ""),
        (["-debug", "1"], "{out}: 1 phrases\n"),
        (["--json", "-debug", "0"], '{{"output": "{out}", "phrases": 1}}\n'),
    ],
)
def test_word2phrase_reports_as_it_is_asked(more, said, tmp_path, capsys):
    text, out = tmp_path / "text.txt", tmp_path / "out.txt"
    text.write_text("new york is new york\nnew york and york again\n" * 5)
    assert main(["word2phrase", "-train", str(text), "-output", str(out), "-threshold", "0.5", *more]) == 0
    assert capsys.readouterr().out == said.format(out=out)
    assert "new_york" in out.read_text()


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["-binary", "2"], "-binary 2 is neither 0 nor 1. Use one of these."),
        (["-threads", "0"], "-threads 0 is not a number of threads. Use 1 or more."),
    ],
)
def test_word2vecf_refuses_what_makes_no_sense(flags, message, tmp_path, capsys):
    pairs, out = tmp_path / "pairs.txt", tmp_path / "out.vec"
    pairs.write_text("cat purrs\n")
    assert main(["word2vecf", "-train", str(pairs), "-output", str(out), *flags]) == 2
    assert capsys.readouterr().err == f"pairloom word2vecf: {message}\n"
    assert not out.exists()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["-debug", "0"], ""),
        (["-debug", "1"], "WVocab size: 2\nCVocab size: 2\n"),
        (["-debug", "0", "--json"], '{"output": "OUT", "contexts_output": null, "words": 2, "contexts": 2}\n'),
    ],
)
def test_word2vecf_reports_as_it_is_asked_and_writes_words_alone_without_dumpcv(more, said, tmp_path, capsys):
    pairs, out = tmp_path / "pairs.txt", tmp_path / "out.bin"
    pairs.write_text("cat purrs\ndog barks\n" * 10)
    flags = ["-train", str(pairs), "-output", str(out), "-size", "4", "-binary", "1"]
    assert main(["word2vecf", *flags, *more]) == 0
    assert capsys.readouterr().out == said.replace("OUT", str(out))
    assert sorted(pairloom.load(out).words.words) == ["cat", "dog"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.bin", "pairs.txt"]


def test_pairs_and_walks_say_nothing_when_quiet(tmp_path, capsys):
    edges = tmp_path / "edges.txt"
    edges.write_text("a b\nb c\n")
    for command in (["pairs", "edges"], ["walk"]):
        out = tmp_path / f"{command[0]}.txt"
        assert main([*command, str(edges), "-o", str(out), "--quiet"]) == 0
        assert capsys.readouterr() == ("", "")
        assert out.read_text()


def test_pairs_that_go_to_a_device_are_all_that_is_printed(tmp_path, capfd):
    (tmp_path / "edges.txt").write_text("a b\n")
    assert main(["pairs", "edges", str(tmp_path / "edges.txt"), "-o", "/dev/stdout"]) == 0
    assert capfd.readouterr().out == "a b\nb a\n"


def test_word2vec_writes_classes_where_classes_are_asked_for(corpus, tmp_path, capsys):
    pytest.importorskip("sklearn")
    out = tmp_path / "classes.txt"
    assert main(["word2vec", "-train", str(corpus), "-output", str(out), "-size", "8", "-classes", "2"]) == 0
    groups = dict(line.split() for line in out.read_text().splitlines())
    assert len(groups) == 20 and set(groups.values()) == {"0", "1"}


def test_a_file_too_many_is_named(model, capsys):
    with pytest.raises(SystemExit) as end:
        main(["info", str(model), "another.loom"])
    assert end.value.code == 2
    assert "'another.loom' is one argument too many" in capsys.readouterr().err


def test_the_package_runs_as_a_module(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["pairloom", "--version"])
    with pytest.raises(SystemExit) as end:
        runpy.run_module("pairloom", run_name="__main__")
    assert end.value.code == 0
    assert capsys.readouterr().out == f"pairloom {pairloom.__version__}\n"
