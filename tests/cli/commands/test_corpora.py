"""pairloom vocab, pairs, walk and cache."""

import json

from pairloom.cli.main import main

TOY = ("--dim", "16", "--epochs", "3", "--min-count", "1", "--sample", "0")


def test_vocab_counts(corpus, tmp_path, capsys):
    assert main(["vocab", str(corpus), "--quiet", "--max-vocab", "2"]) == 0
    counts = [int(line.split()[1]) for line in capsys.readouterr().out.splitlines()]
    assert len(counts) == 2 and counts[0] >= counts[1] > 200
    saved = tmp_path / "vocab.txt"
    assert main(["vocab", str(corpus), "--quiet", "-o", str(saved)]) == 0
    assert main(["train", str(corpus), "--read-vocab", str(saved), "-o", str(tmp_path / "m.loom"), "--quiet"]) == 0
    assert main(["vocab", str(corpus), "--quiet", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["counts"]) == 20


def test_the_cache_is_shown_and_deleted_by_one_command(corpus, tmp_path, capsys):
    cache = tmp_path / "cache"
    assert main(["train", str(corpus), "-o", str(tmp_path / "m.loom"), *TOY, "--cache-dir", str(cache)]) == 0
    capsys.readouterr()
    main(["cache", "--cache-dir", str(cache)])
    assert f"bytes in 1 corpus in {cache}; to delete: pairloom cache --clear" in capsys.readouterr().out
    main(["cache", "--cache-dir", str(cache), "--json"])
    corpora = json.loads(capsys.readouterr().out)["corpora"]
    main(["cache", "--cache-dir", str(cache), "--clear", "--json"])
    assert json.loads(capsys.readouterr().out)["freed"] == corpora[0]["bytes"] > 0
    assert list(cache.iterdir()) == []


def test_vocab_says_what_it_wrote_unless_asked_for_quiet(corpus, tmp_path, capsys):
    out = tmp_path / "words.txt"
    assert main(["vocab", str(corpus), "-o", str(out)]) == 0
    assert capsys.readouterr().out == f"{out}: 20 words, 4,800 tokens\n"
    assert main(["vocab", str(corpus), "-o", str(out), "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")
    assert main(["vocab", str(corpus), "-o", str(out), "--quiet", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"words": 20, "tokens": 4800, "output": str(out)}


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
