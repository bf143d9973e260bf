"""pairloom spell, and what near, info, evaluate and convert say of words never seen."""

import json

import pytest

import pairloom
from tests.unseen.spelling.conftest import made_of_parts


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("spell")
    plain = made_of_parts(left_out=["teaching", "painter"])
    plain.save(folder / "plain.loom")
    plain.with_spelling(threads=1).save(folder / "spelled.loom")
    (folder / "pairs.tsv").write_text("sing\tsings\t9\nsing\tdance\t2\nteaching\tteach\t8\ntalk\tpainter\t3\n")
    return folder


def test_spell_writes_what_the_library_makes(folder, tmp_path, output):
    printed = output("spell", folder / "plain.loom", "-o", tmp_path / "s.loom", "--threads", "1")
    assert (tmp_path / "s.loom").read_bytes() == (folder / "spelled.loom").read_bytes()
    assert printed.startswith(f"{tmp_path / 's.loom'}: 88 words, ") and "words left out, " in printed


def test_spell_prints_json(folder, tmp_path, output):
    command = ["spell", folder / "plain.loom", "-o", tmp_path / "s.loom", "--l2", "0.1", "--minn", "2", "--maxn", "4"]
    facts = json.loads(output(*command, "--buckets", "5000", "--json"))
    assert (facts["words"], facts["l2"], facts["minn"], facts["maxn"], facts["buckets"]) == (88, 0.1, 2, 4, 5000)
    assert facts["heldout"]["words"] > 0


def test_spell_writes_fasttexts_file(folder, tmp_path, output):
    arguments = ["-o", tmp_path / "s.bin", "--to", "fasttext", "--buckets", "5000", "--quiet"]
    assert output("spell", folder / "plain.loom", *arguments) == ""
    assert isinstance(pairloom.load(tmp_path / "s.bin").words, pairloom.FastTextVectors)
    output("convert", folder / "spelled.loom", tmp_path / "other.vec")
    assert len(pairloom.load(tmp_path / "other.vec")) == 88


def test_near_marks_words_that_were_not_seen(folder, output):
    lines = output("near", folder / "spelled.loom", "teaching", "sing", "-n", "1").splitlines()
    assert lines[0] == "teaching  (not seen in training: from its spelling)"
    assert lines[2] == "sing"
    answers = output("near", folder / "spelled.loom", "teaching", "sing", "-n", "1", "--json").splitlines()
    assert [json.loads(answer)["seen"] for answer in answers] == [False, True]


def test_info_shows_the_spelling(folder, output):
    assert "spelling.l2" in output("info", folder / "spelled.loom")
    assert "spelling" not in output("info", folder / "plain.loom")


def test_evaluate_scores_pairs_with_unknown_words_if_asked(folder, output):
    def scores(model, unknown):
        return json.loads(output("evaluate", folder / model, folder / "pairs.tsv", "--unknown", unknown, "--json"))[0][
            "results"
        ][0]

    skipped, spelled = scores("spelled.loom", "skip"), scores("spelled.loom", "spell")
    assert (skipped["known"], skipped["used"]) == (2, 2)
    assert (spelled["known"], spelled["used"], spelled["pairs"]) == (2, 4, 4)
    assert scores("plain.loom", "spell")["used"] == 2
    assert "2 of 4, 2 spelled" in output(
        "evaluate", folder / "spelled.loom", folder / "pairs.tsv", "--unknown", "spell"
    )
    (folder / "capitals.tsv").write_text("Sing\tsings\t9\nsing\tdance\t2\nTeaching\tteach\t8\nTALK\tPAINTER\t3\n")
    command = ["evaluate", folder / "spelled.loom", folder / "capitals.tsv", "--unknown", "spell", "--json"]
    assert json.loads(output(*command))[0]["results"][0]["spearman"] == spelled["spearman"]
    assert "the others are spelled, or skipped." in output(
        "evaluate", folder / "spelled.loom", folder / "pairs.tsv", "--unknown", "spell"
    )


def test_a_model_without_letters_is_refused_in_one_line(tmp_path, run_process):
    (tmp_path / "short.vec").write_text("2 1\na 1\nb 2\n")
    code, out, err = run_process("spell", tmp_path / "short.vec", "-o", tmp_path / "s.loom", "--minn", "4", "--quiet")
    assert (code, out) == (2, "")
    assert err == (
        "pairloom spell: No word of these vectors has n-grams of 4 to 6 letters, so there is nothing to learn spelling "
        "from. Use a smaller minn.\n"
    )
