"""Pairs of parses, edges and baskets."""

import gzip
import io
import json
import sys
from collections import Counter
from dataclasses import fields
from pathlib import Path

import pytest

import pairloom
from pairloom.cli.main import main
from pairloom.config import TextOptions
from pairloom.corpus.lines import LineFiles
from pairloom.errors import CorpusChangedError
from pairloom.pairings import basket_pairs, dependency_pairs, edge_pairs
from pairloom.pairings.pairs import ReadingKeywords

SESSIONS = Path(__file__).parents[3] / "shared/data/sessions/yoochoose_100k.txt"


def conllu(*rows):
    """Lines of CoNLL-U from `FORM UPOS HEAD DEPREL`, the lemma being the form in lower case."""
    lines = []
    for number, row in enumerate(rows, 1):
        form, tag, head, relation = row.split()
        lines.append("\t".join([str(number), form, form.lower(), tag, "_", "_", head, relation, "_", "_"]))
    return "\n".join(lines) + "\n\n"


# The sentence of the paper's figure 1, in Universal Dependencies and in the scheme that the paper used.
TELESCOPE_UD = conllu(
    "Australian ADJ 2 amod", "scientist NOUN 3 nsubj", "discovers VERB 0 root", "star NOUN 3 obj", "with ADP 6 case",
    "telescope NOUN 3 obl",
)  # fmt: skip
TELESCOPE_STANFORD = conllu(
    "Australian ADJ 2 amod", "scientist NOUN 3 nsubj", "discovers VERB 0 root", "star NOUN 3 dobj", "with ADP 3 prep",
    "telescope NOUN 5 pobj",
)  # fmt: skip

# Written for these tests, with what real treebanks have: comments, a contraction, an empty node, a preposition of two
# words, a possessive, a form with a space, a coordination and punctuation that hangs here and there.
SAMPLE = """\
# sent_id = 1
# text = Because of the storm, Anna's boat didn't leave the harbour.
1	Because	because	ADP	IN	_	4	case	_	_
2	of	of	ADP	IN	_	1	fixed	_	_
3	the	the	DET	DT	Definite=Def|PronType=Art	4	det	_	_
4	storm	storm	NOUN	NN	Number=Sing	11	obl	11:obl:because_of	SpaceAfter=No
5	,	,	PUNCT	,	_	4	punct	_	_
6	Anna	Anna	PROPN	NNP	Number=Sing	8	nmod:poss	_	SpaceAfter=No
7	's	's	PART	POS	_	6	case	_	_
8	boat	boat	NOUN	NN	Number=Sing	11	nsubj	_	_
9-10	didn't	_	_	_	_	_	_	_	_
9	did	do	AUX	VBD	_	11	aux	_	_
10	n't	not	PART	RB	_	11	advmod	_	_
11	leave	leave	VERB	VB	VerbForm=Inf	0	root	_	_
12	the	the	DET	DT	Definite=Def|PronType=Art	13	det	_	_
13	harbour	harbour	NOUN	NN	Number=Sing	11	obj	_	SpaceAfter=No
14	.	.	PUNCT	.	_	11	punct	_	_

# sent_id = 2
# text = Mary won gold and Peter bronze
1	Mary	Mary	PROPN	NNP	_	2	nsubj	2:nsubj	_
2	won	win	VERB	VBD	_	0	root	0:root	_
3	gold	gold	NOUN	NN	_	2	obj	2:obj	_
4	and	and	CCONJ	CC	_	5	cc	5.1:cc	_
5	Peter	Peter	PROPN	NNP	_	2	conj	5.1:nsubj	_
5.1	won	win	VERB	VBD	_	_	_	2:conj	CopyOf=2
6	bronze	bronze	NOUN	NN	_	5	orphan	5.1:obj	_

# sent_id = 3
# text = In 10 000 books
1	In	in	ADP	IN	_	3	case	_	_
2	10 000	10000	NUM	CD	_	3	nummod	_	_
3	books	book	NOUN	NNS	_	0	root	_	_
"""


def pairs_of(text, tmp_path, **options):
    path = tmp_path / "parsed.conllu"
    path.write_text(text)
    return list(dependency_pairs(path, **options))


# --- Dependencies


def test_the_contexts_of_the_papers_figure(tmp_path):
    assert set(pairs_of(TELESCOPE_STANFORD, tmp_path, lowercase=True)) == {
        ("australian", "amodI_scientist"),
        ("scientist", "amod_australian"),
        ("scientist", "nsubjI_discovers"),
        ("discovers", "nsubj_scientist"),
        ("discovers", "dobj_star"),
        ("discovers", "prep_with_telescope"),
        ("star", "dobjI_discovers"),
        ("telescope", "prep_withI_discovers"),
    }


def test_universal_dependencies_collapse_to_the_same(tmp_path):
    old, new = (pairs_of(text, tmp_path) for text in (TELESCOPE_STANFORD, TELESCOPE_UD))
    assert new == [(w, c.replace("dobj", "obj")) for w, c in old]


def test_lower_case_is_for_words_not_for_tags(tmp_path):
    assert pairs_of(TELESCOPE_UD, tmp_path, lowercase=True)[-2:] == [
        ("discovers", "prep_with_telescope"),
        ("telescope", "prep_withI_discovers"),
    ]


def test_without_collapsing_the_preposition_is_a_word(tmp_path):
    pairs = pairs_of(TELESCOPE_UD, tmp_path, collapse=False)
    assert [pair for pair in pairs if "with" in pair[0] + pair[1] or "obl" in pair[1]] == [
        ("telescope", "case_with"),
        ("with", "caseI_telescope"),
        ("discovers", "obl_telescope"),
        ("telescope", "oblI_discovers"),
    ]


def test_a_sample_with_all_that_treebanks_have(tmp_path):
    found = pairs_of(SAMPLE, tmp_path)
    assert found[:4] == [
        ("storm", "det_the"),
        ("the", "detI_storm"),
        ("leave", "prep_because_of_storm"),
        ("storm", "prep_because_ofI_leave"),
    ]
    assert ("Anna", "case_'s") in found and ("boat", "nmod:poss_Anna") in found  # 's is no preposition
    assert not any("," in w + c or "." in w + c for w, c in found)  # punctuation
    assert not any("didn't" in w + c for w, c in found)  # a multiword token
    assert [c for w, c in found if w == "won"] == ["nsubj_Mary", "obj_gold", "conj_Peter"]  # no empty node
    # the root of the last sentence has no head that its preposition could lead to
    assert found[-4:] == [
        ("books", "case_In"),
        ("In", "caseI_books"),
        ("books", "nummod_10_000"),
        ("10_000", "nummodI_books"),
    ]
    assert len(found) == 2 * (14 + 6 + 3 - 3 - 2 - 2)  # words, but for roots, punctuation and because of


def test_lemmas_and_lower_case(tmp_path):
    assert ("book", "nummod_10000") in pairs_of(SAMPLE, tmp_path, lemmas=True)
    assert ("boat", "nmod:poss_anna") in pairs_of(SAMPLE, tmp_path, lowercase=True)


def test_the_end_of_a_file_ends_a_sentence(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).write_text(TELESCOPE_UD.strip())
    both = [tmp_path / "a", tmp_path / "b"]
    assert list(dependency_pairs(both)) == 2 * list(dependency_pairs(tmp_path / "a"))
    assert list(dependency_pairs(tuple(both))) == list(dependency_pairs(both))


GOOD = "1\tDogs\tdog\tNOUN\t_\t_\t2\tnsubj\t_\t_\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 Dogs dog NOUN _ _ 2 nsubj _ _\n", "line 1: 1 column separated by tabs. CoNLL-U has ten"),
        ("# fine\n" + GOOD + "2\tbark\n", "line 3: 2 columns separated by tabs. CoNLL-U has ten"),
        ("1\t\tdog\tNOUN\t_\t_\t0\troot\t_\t_\n", "line 1: 10 columns separated by tabs, one empty."),
        (
            GOOD + "3\tbark\tbark\tVERB\t_\t_\t0\troot\t_\t_\n",
            "line 2: ID is '3', but this is word 2 of the sentence.",
        ),
        ("one" + GOOD, "line 1: ID is 'one1', but this is word 1"),
        (GOOD.replace("2\tnsubj", "_\t_"), "line 1: HEAD is '_', not a number. Give parsed text"),
        (GOOD.replace("2\tnsubj", "²\tnsubj"), "line 1: HEAD is '²', not a number."),
        (GOOD, "line 1: HEAD is 2, in a sentence of 1 word."),
        (GOOD.replace("\t2\t", "\t1\t"), "line 1: HEAD is 1, the word itself. Correct it."),
        ("", " has no pairs. Check that this is the right file."),
        ("# only\n\n", " has no pairs."),
        (b"1\tcaf\xe9\n", "line 1, byte 5: 0xe9 is not valid utf-8."),
    ],
)
def test_bad_parses_are_named_and_nothing_is_written(text, message, tmp_path, capsys):
    path = tmp_path / "parsed.conllu"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert main(["pairs", "conllu", str(path), "-o", str(tmp_path / "p.txt")]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.count("\n") == 1
    assert printed.err.startswith(f"pairloom pairs: {path}")
    assert message in printed.err
    assert list(tmp_path.iterdir()) == [path]


# --- Edges


def test_edges_make_pairs_both_ways_and_weights_go_with_them(tmp_path):
    (tmp_path / "e.txt").write_text("# graph\na b\nb\tc\t2.5\nd d\n")
    both = [("a", "b"), ("b", "a"), ("b", "c", 2.5), ("c", "b", 2.5), ("d", "d")]
    pairs = edge_pairs(tmp_path / "e.txt")
    assert list(pairs) == list(pairs) == both  # they can be read again
    assert list(edge_pairs(tmp_path / "e.txt", directed=True)) == [("a", "b"), ("b", "c", 2.5), ("d", "d")]


def test_an_iterator_is_refused_since_pairs_are_read_twice():
    with pytest.raises(pairloom.CorpusTypeError, match="can be read only once, and pairs are read again for every use"):
        edge_pairs(iter([("a", "b")]))
    with pytest.raises(pairloom.CorpusTypeError, match="can be read only once"):
        basket_pairs(iter([["a", "b"]]))


@pytest.mark.parametrize("bad", ["a\n", "a b -1\n", "a b nan\n", "a b x\n", "a b 0\n"])
def test_bad_edges_are_named_by_file_and_line(bad, tmp_path, capsys):
    (tmp_path / "e.txt").write_text("a b\n" * 70_000 + bad)
    assert main(["pairs", "edges", str(tmp_path / "e.txt"), "-o", str(tmp_path / "p.txt")]) == 2
    assert f"{tmp_path / 'e.txt'}, line 70001: " in capsys.readouterr().err
    assert not (tmp_path / "p.txt").exists()


# --- Baskets


def test_a_basket_makes_all_pairs_of_two_places(tmp_path):
    (tmp_path / "b.txt").write_text("milk bread milk\n\nbeer\nnuts beer\n")
    pairs = basket_pairs(tmp_path / "b.txt")
    assert Counter(pairs) == {
        ("milk", "bread"): 2,
        ("bread", "milk"): 2,
        ("milk", "milk"): 2,
        ("nuts", "beer"): 1,
        ("beer", "nuts"): 1,
    }
    assert list(pairs) == list(basket_pairs([["milk", "bread", "milk"], [], ["beer"], ["nuts", "beer"]]))


def test_a_giant_basket_is_an_error_with_its_line(tmp_path, capsys):
    (tmp_path / "b.txt").write_text("a b\n" + " ".join(map(str, range(1001))) + "\n")
    assert main(["pairs", "baskets", str(tmp_path / "b.txt"), "-o", str(tmp_path / "p.txt")]) == 2
    assert (
        f"{tmp_path / 'b.txt'}, line 2: a basket of 1,001 items would make 1,001,000 pairs, and 1,000 items is the "
        "largest allowed. Allow larger baskets, or split or remove this one."
    ) in capsys.readouterr().err
    assert not (tmp_path / "p.txt").exists()
    with pytest.raises(pairloom.InputError, match="basket 1: a basket of 3 items would make 6 pairs, and 2 items is"):
        list(basket_pairs([["a", "b"], ["a", "b", "c"]], largest=2))
    assert main(["pairs", "baskets", str(tmp_path / "b.txt"), "-o", str(tmp_path / "p.txt"), "--largest", "1001"]) == 0
    assert len((tmp_path / "p.txt").read_text().splitlines()) == 2 + 1001 * 1000


def test_what_no_file_of_pairs_can_hold_is_refused(tmp_path):
    pairs = basket_pairs([["New York", "Paris"]])
    assert list(pairs) == [("New York", "Paris"), ("Paris", "New York")]
    with pytest.raises(pairloom.InputError, match="'New York', 'Paris' has white space in a name"):
        pairs.save(tmp_path / "p.txt")
    (tmp_path / "b.txt").write_text("a b\na " + "b" * 1001)
    with pytest.raises(pairloom.InputError, match=r"b\.txt, line 2: 'b{30}'\.\.\. is longer than 1000 bytes"):
        basket_pairs(tmp_path / "b.txt").save(tmp_path / "p.txt")
    assert not (tmp_path / "p.txt").exists()


def test_an_option_that_there_is_not():
    with pytest.raises(pairloom.ConfigError, match=r"There is no option 'encodin'; did you mean 'encoding'\?"):
        basket_pairs([["a", "b"]], encodin="latin-1")


def test_the_keywords_for_editors_are_fields_of_the_text_options():
    types = {field.name: field.type for field in fields(TextOptions)}
    assert ReadingKeywords.__annotations__ == {name: types[name] for name in ("lowercase", "encoding", "errors")}


@pytest.mark.skipif(not SESSIONS.exists(), reason="the sessions are not here")
def test_real_sessions():
    n = [len(line.split()) for line in SESSIONS.read_text().splitlines()]
    assert sum(1 for _ in basket_pairs(SESSIONS)) == sum(k * (k - 1) for k in n)


# --- The command


@pytest.mark.parametrize("suffix", [".txt", ".txt.gz"])
def test_the_command_writes_lines_that_are_edges_again(suffix, tmp_path, capsys):
    edges, out = tmp_path / "e.txt", tmp_path / f"p{suffix}"
    edges.write_text("a b\nb c 0.1\nc d 3\n")
    assert main(["pairs", "edges", str(edges), "-o", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"output": str(out), "pairs": 6}
    data = out.read_bytes()
    text = (gzip.decompress(data) if suffix.endswith("gz") else data).decode()
    assert text == "a b\nb a\nb c 0.1\nc b 0.1\nc d 3\nd c 3\n"
    assert list(edge_pairs(out, directed=True)) == list(edge_pairs(edges))


def test_pairs_go_to_stdout_and_come_from_stdin(capfdbinary, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a b\n")))
    assert main(["pairs", "baskets", "-", "-o", "-"]) == 0
    assert capfdbinary.readouterr() == (b"a b\nb a\n", b"")


@pytest.mark.parametrize(
    ("kind", "option", "owner"),
    [("edges", "--lemmas", "conllu"), ("baskets", "--no-collapse", "conllu"), ("conllu", "--directed", "edges")],
)
def test_an_option_of_another_kind_is_refused(kind, option, owner, tmp_path, capsys):
    assert main(["pairs", kind, str(tmp_path / "f"), "-o", str(tmp_path / "p"), option]) == 2
    assert f"{option} is for {owner}, not for {kind}. Leave it out." in capsys.readouterr().err


def test_edges_of_python_are_folded_too():
    assert list(edge_pairs([("A", "b")], lowercase=True, directed=True)) == [("a", "b")]


def test_parses_come_from_files(tmp_path):
    with pytest.raises(pairloom.CorpusTypeError, match="Parses cannot be of type NoneType"):
        dependency_pairs(None)
    path = tmp_path / "long.conllu"
    path.write_text("\t".join(["1", "a", "a", "X", "_", "_", "9" * 5000, "dep", "_", "_"]) + "\n")
    with pytest.raises(pairloom.InputError, match="HEAD is '9999"):
        list(dependency_pairs(path))


def test_a_file_that_changes_while_its_lines_are_read_is_noticed(tmp_path):
    path = tmp_path / "baskets.txt"
    path.write_text("bread milk\n")
    blocks = LineFiles(path, TextOptions()).blocks()
    assert next(blocks).lines == ["bread milk"]
    path.write_text("bread milk beer\n")
    with pytest.raises(CorpusChangedError, match=r"baskets\.txt was changed while it was read"):
        list(blocks)
