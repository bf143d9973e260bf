"""The commands that take the place of word2vec's and word2vecf's programs."""

import json
import re
import subprocess
import sys

import pytest

import pairloom
from pairloom.cli.main import main

W2V = "-size 16 -window 5 -negative 5 -hs 0 -sample 0 -min-count 1 -threads 20 -iter 10 -cbow 0"


@pytest.mark.parametrize("binary", [0, 1])
def test_word2vec_takes_the_originals_flags_and_writes_its_files(binary, corpus, tmp_path, output):
    target = tmp_path / "vectors"  # the flag decides, not a suffix
    output("word2vec", "-train", corpus, "-output", target, *W2V.split(), "-binary", binary)
    options = {"window": 5, "negatives": 5, "sample": 0, "min_count": 1, "epochs": 10, "max_sentence": 1000}
    expected = pairloom.train(corpus, dim=16, lr=0.025, min_lr=2.5e-6, heldout=0, **options)
    expected.save(tmp_path / ("expected.bin" if binary else "expected.txt"))
    assert target.read_bytes() == (tmp_path / ("expected.bin" if binary else "expected.txt")).read_bytes()


def test_word2vec_says_once_what_it_does_differently(corpus, tmp_path, capsys):
    common = ["word2vec", "-train", str(corpus), "-output", str(tmp_path / "v"), "-min-count", "1", "-iter", "1"]
    assert main([*common]) == 0
    said = capsys.readouterr().err
    assert said.count("the end of a line is not a word </s>, so the output has one row less.") == 1
    assert "-hs 1" not in said
    assert main([*common, "-hs", "1"]) == 0
    said = capsys.readouterr().err
    assert said.count("-hs 1 turns negative sampling off. Add -negative 0 to silence this message.") == 1
    assert main([*common, "-hs", "1", "-negative", "0"]) == 0
    assert "-hs 1" not in capsys.readouterr().err
    assert main([*common, "-debug", "0"]) == 0
    printed = capsys.readouterr()
    assert printed.out + printed.err == ""


def test_word2vec_needs_scikit_learn_before_it_trains(corpus, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "sklearn.cluster", None)
    assert main(["word2vec", "-train", str(corpus), "-output", str(tmp_path / "c"), "-classes", "2"]) == 2
    assert capsys.readouterr().err == (
        "pairloom word2vec: -classes needs an extra package. Install it with: pip install 'pairloom[sklearn]'\n"
    )


def test_word2vec_leaves_rare_words_out_of_a_vocabulary_that_it_reads(corpus, tmp_path, output):
    vocab = tmp_path / "vocab.txt"
    vocab.write_text("cat 250\ndog 240\ncow 230\nred 4\n")
    common = ["word2vec", "-train", corpus, "-read-vocab", vocab, "-output", tmp_path / "v", "-sample", "0", "--json"]
    assert json.loads(output(*common))["words"] == 3
    assert json.loads(output(*common, "-min-count", "1"))["words"] == 4


def test_word2vec_saves_and_reads_vocabularies(corpus, tmp_path, output):
    vocab = tmp_path / "vocab.txt"
    facts = json.loads(output("word2vec", "-train", corpus, "-save-vocab", vocab, "-min-count", "1", "--json"))
    assert (facts["words"], facts["tokens"]) == (20, 4800)
    assert len(vocab.read_text().splitlines()) == 20
    common = ["word2vec", "-train", corpus, *W2V.split()]
    output(*common, "-output", tmp_path / "a")
    output(*common, "-output", tmp_path / "b", "-read-vocab", vocab)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ([], "No output is named. Name a file with -output or -save-vocab."),
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


def test_word2vec_writes_classes_where_classes_are_asked_for(corpus, tmp_path):
    pytest.importorskip("sklearn")
    out = tmp_path / "classes.txt"
    assert main(["word2vec", "-train", str(corpus), "-output", str(out), "-size", "8", "-classes", "2"]) == 0
    groups = dict(line.split() for line in out.read_text().splitlines())
    assert len(groups) == 20 and set(groups.values()) == {"0", "1"}


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


def test_word2phrase_joins_what_belongs_together_and_keeps_every_line(tmp_path, capsys, output):
    text = tmp_path / "text.txt"
    text.write_text("she left new york\n" * 10 + "a new day in old york\n" * 5 + "rare words stay\n")
    target = tmp_path / "phrases.txt"
    facts = json.loads(
        output("word2phrase", "-train", text, "-output", target, "-threshold", "1", "-debug", "0", "--json")
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


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["-debug", "0"], ""),
        (["-debug", "1"], "{out}: 1 phrase\n"),
        (["--json", "-debug", "0"], '{{"output": "{out}", "phrases": 1}}\n'),
    ],
)
def test_word2phrase_reports_as_it_is_asked(more, said, tmp_path, capsys):
    text, out = tmp_path / "text.txt", tmp_path / "out.txt"
    text.write_text("new york is new york\nnew york and york again\n" * 5)
    assert main(["word2phrase", "-train", str(text), "-output", str(out), "-threshold", "0.5", *more]) == 0
    assert capsys.readouterr().out == said.format(out=out)
    assert "new_york" in out.read_text()


def test_distance_adds_up_the_words_of_a_line_until_exit(model, vectors, set_stdin, output):
    set_stdin("cat dog\nnowhere\n\nEXIT\nred\n")
    answers = [json.loads(line) for line in output("distance", model, "--json").splitlines()]
    assert [answer["words"] for answer in answers] == [["cat", "dog"], ["nowhere"]]
    assert answers[0]["near"] == [list(pair) for pair in vectors.most_similar(["cat", "dog"], topn=40)]
    assert answers[1]["near"] is None


def test_distance_prints_the_originals_table_and_ends_with_the_input(model, set_stdin, output):
    set_stdin("cat\nnowhere cat\ncat dog\n")
    printed = output("distance", model)
    assert printed.startswith("Enter word or sentence (EXIT to break): \nWord: cat  Position in vocabulary: ")
    assert "\n" + " " * 46 + "Word       Cosine distance\n" + "-" * 72 + "\n" in printed
    assert "Word: nowhere  Position in vocabulary: -1\nOut of dictionary word!\n" in printed
    assert re.search(
        r"\nWord: cat  Position in vocabulary: \d+\n\nWord: dog  Position in vocabulary: \d+\n\n {46}Word", printed
    )


def test_distance_ends_quietly_when_its_pipe_is_closed(model):
    command = f"yes cat | {sys.executable} -m pairloom distance {model} | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    assert done.stdout == "Enter word or sentence (EXIT to break): \n"


def test_word_analogy_answers_b_minus_a_plus_c(model, vectors, set_stdin, capsys):
    set_stdin("cat red dog\ncat red\n")
    assert main(["word-analogy", str(model), "--json"]) == 0
    printed = capsys.readouterr()
    expected = [list(pair) for pair in vectors.most_similar(["red", "dog"], ["cat"], topn=40)]
    assert json.loads(printed.out) == {"words": ["cat", "red", "dog"], "near": expected}
    assert printed.err == "'cat red' is not a question. Enter three words, for example: man king woman\n"


def test_compute_accuracy_reads_questions_from_stdin(model, set_stdin, capsys, output):
    set_stdin(": topics\ncat red dog red\ncat nowhere dog red\n")
    printed = output("compute-accuracy", model, "30000")
    assert printed.startswith("topics:\nACCURACY TOP1: 0.00 %  (0 / 1)\n")
    assert printed.endswith("Questions seen / total: 1 2   50.00 % \n")
    set_stdin(": topics\ncat red dog red\n")
    assert json.loads(output("compute-accuracy", model, "--json"))[0] == "topics:"
    assert main(["compute-accuracy", str(model), "-1"]) == 2
    assert "THRESHOLD -1 is not a number of words. Use 1 or more, or 0 for all." in capsys.readouterr().err


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
