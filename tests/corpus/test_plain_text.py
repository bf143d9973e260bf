"""Files in other formats are refused with a way to read their text, and plain text is never taken for one."""

import bz2
import gzip
import io
import json
import lzma
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from arro3.core import Array, DataType, RecordBatch
from arro3.io import write_ipc, write_ipc_stream, write_parquet

import pairloom
from pairloom.corpus.sentences import open_corpus
from pairloom.errors import CorpusChangedError, InputError
from tests.corpus.helpers import message, sentences

REVIEWS = ["Well, it was good.", 'They said "yes" twice.', "no comment at all", "a b; c d", "fine", "the end of it"]
JSONL = "".join(json.dumps({"id": str(i), "body": text, "n": i}) + "\n" for i, text in enumerate(REVIEWS))
QUOTED = ['"' + text.replace('"', '""') + '"' for text in REVIEWS]
CSV = "id,text,label\n" + "".join(f"{i},{text},pos\n" for i, text in enumerate(QUOTED))
TSV = "id\ttext\n" + "".join(f"{i}\t{text}\n" for i, text in enumerate(REVIEWS))
TOKEN = "{}\t{}\t_\tNOUN\t_\t_\t{}\tdep\t_\t_\n"
CONLLU = "# text = a b c\n" + "".join(TOKEN.format(i + 1, word, i) for i, word in enumerate("abc")) + "\n"
XML = "<?xml version='1.0' encoding='utf-8'?>\n<doc><p>Ein &amp; zwei</p><p>drei</p></doc>\n"
HTML = "<!DOCTYPE html>\n<html><style>p {}</style><body><p>Ein &amp; zwei</p>\n<script>x()</script></body></html>\n"
JSON = "JSON, an object on each line"
RSS = '<rss version="2.0">\n<channel><title>Ein &amp; zwei</title></channel></rss>\n'
TEI = '<TEI xmlns="http://www.tei-c.org/ns/1.0">\n<text><p>Ein</p></text></TEI>\n'
SRT = "".join(f"{i}\n00:00:0{i},000 --> 00:00:0{i},900\n<i>{text}</i>\n\n" for i, text in enumerate(REVIEWS))
VTT = "WEBVTT\n\n" + "".join(f"00:0{i}.000 --> 00:0{i}.900 align:left\n{text}\n\n" for i, text in enumerate(REVIEWS))
MAIL = (
    "Received: from a.b (c.d)\n\tby e.f; Mon, 1 Jan 2024\nFrom: Ann <ann@a.b>\nTo: bob@a.b\n"
    "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n"
    "Subject: =?utf-8?q?=C3=A4?=\n\n"
)
MBOX = "".join(f"From ann@a.b Mon Jan  1 10:00:00 2024\n{MAIL}{text} f=C3=BCr\n\n" for text in REVIEWS)


def column(chosen: str, *names: str) -> str:
    """The advice to read a column."""
    sessions = " For sessions name two: --session NAME --item NAME."
    has = f" It has {', '.join(map(repr, names))}." if names else sessions
    return f"--column {shlex.quote(chosen)} (column={chosen!r}).{has}"


OTHERS = {
    "JSONL": ("a.txt", JSONL, JSON, column("body", "id", "body", "n")),
    "one object, by its name": ("a.jsonl", JSONL.splitlines()[0], JSON, column("body", "id", "body", "n")),
    "a key with a space": ("a.ndjson", '{"my text": "it"}', JSON, column("my text", "my text")),
    "objects without a string": ("a.txt", '{"a": ["b"]}\n' * 3, JSON, column("NAME", "a")),
    "an object that is too long": ("a.jsonl", '{"a": "' + "b " * 200_000, JSON, column("NAME")),
    "a usual key": ("a.txt", '{"url": "http://a.b", "text": "it"}\n' * 3, JSON, column("text", "url", "text")),
    "a nested text": ("a.txt", '{"id": "12", "r": {"said": "it is"}}\n' * 3, JSON, column("r.said", "id", "r.said")),
    "a list of objects": ("a.txt", json.dumps([{"text": "a b"}] * 9), "JSON", "jq -r '.[] | .text' < {}"),
    "one object over several lines": ("a.txt", json.dumps({"a": 1}, indent=1), "JSON", "jq -r '.. | strings' < {}"),
    "CSV": ("a.txt", CSV, "a table, separated by commas", column("text", "id", "text", "label")),
    "semicolons": ("a.txt", "a;b\n" + "1;x y\n" * 5, "a table, separated by semicolons", column("b", "a", "b")),
    "CSV of pandas": ("a.txt", ",text\n" + "1,x y\n" * 5, "a table, separated by commas", column("text", "", "text")),
    "CSV with a line end": ("a.txt", CSV.replace(" was ", "\n\n"), "a table, separated by commas", None),
    "CSV of many lines": ("a.txt", "id,text\n" + "1,x y\n" * 99, "a table, separated by commas", None),
    "two lines of CSV, by its name": ("a.csv", "1,a b\n2,c d\n", "a table, separated by commas", None),
    "TSV": ("a.txt", TSV, "a table, separated by tabs", column("text", "id", "text")),
    "TSV without names, by its name": ("a.tsv", "1\ta b\n2\tc d\n", "a table, separated by tabs", "cut -f 2 < {}"),
    "two lines of TSV, by its name": ("a.tsv", "a b\t1\nc d\t2\n", "a table, separated by tabs", None),
    "XML": ("a.txt", XML, "XML", None),
    "XML without a declaration, by its name": ("a.xml", "<tei>a</tei>", "XML", None),
    "a dump of Wikipedia": ("a.txt", '<mediawiki xmlns="x">\n', "XML", None),
    "HTML": ("a.txt", HTML, "HTML", None),
    "HTML, by its name": ("a.htm", "<p>a</p>", "HTML", None),
    "RSS": ("a.txt", RSS, "XML", None),
    "TEI": ("a.txt", TEI, "XML", None),
    "an Atom feed": ("a.txt", '<feed xmlns="http://www.w3.org/2005/Atom">\n', "XML", None),
    "an element with a namespace": ("a.txt", "<x:doc\n  xmlns:x='urn:x'>a b</x:doc>\n", "XML", None),
    "XML without its beginning": ("a.txt", "<corpus>\n" + "<s id='1'>a b</s>\n" * 3 + "</corpus>\n",
                                  "a text with tags of XML or HTML", None),
    "HTML without its beginning": ("a.txt", "<p>a</p>\n<p>b c<br/></p>\n<p class='x'>d</p>\n",
                                   "a text with tags of XML or HTML", None),
    "a saved page": ("a.txt", "<!-- saved -->\n<html>\n<body>\n<p>a</p>\n", "a text with tags of XML or HTML", None),
    "a token and its tag": ("a.txt", "the\tDT\ncat\tNN\nsat\tVBD\n.\t.\n\n" * 3, "a tagged text, a token on each line",
                            """awk 'NF {{printf "%s ", $1; next}} {{print ""}}' < {}"""),
    "CoNLL 2003": ("a.txt", "-DOCSTART- -X- -X- O\n\n" + "EU NNP B-NP B-ORG\nis VBZ B-VP O\nold JJ I-NP O\n\n" * 4,
                   "a tagged text, a token on each line", None),
    "JSON of long lines": ("a.txt", ('{"id": 1, "text": "' + "a b " * 25_000 + '"}\n') * 2, JSON,
                           column("text", "id", "text")),
    "JSON of one long line": ("a.txt", '{"id": 1, "text": "' + "a b " * 99_000 + '"}\n', JSON, column("NAME")),
    "JSON arrays that begin with numbers": ("a.txt", '[1, "a b"]\n' * 3, "JSON, an array on each line", None),
    "SRT": ("a.txt", SRT, "subtitles", None),
    "one SRT subtitle, by its name": ("a.srt", SRT.partition("\n\n")[0], "subtitles", None),
    "WebVTT": ("a.txt", VTT, "subtitles", None),
    "mail": ("a.txt", MAIL + "it is\n", "an e-mail message", None),
    "mail with CRLF": ("a.eml", (MAIL + "it is\n").replace("\n", "\r\n"), "an e-mail message", None),
    "mbox": ("a.txt", MBOX, "a mailbox", None),
    "JSON arrays": ("a.txt", '["a", "b"]\n["c"]\n["d"]\n["e"]\n', "JSON, an array on each line", None),
    "arrays of objects": ("a.txt", '[{"w": "a"}]\n' * 3, "JSON", "jq -r '.[] | .w' < {}"),
    "one JSON array, by its name": ("a.jsonl", '["a", "b"]\n', "JSON, an array on each line", None),
    "vertical bars": ("a.txt", "a|b\n" + "1|x y\n" * 5, "a table, separated by vertical bars", column("b", "a", "b")),
    "commas without names": ("a.txt", "1,x y,pos\n" * 10, "a table, separated by commas", None),
    "quoted values without names": ("a.txt", '"0","1467","Mon, 6","x, y"\n' * 10, "a table, separated by commas", None),
    "bars without names": ("a.txt", "1|Toy Story (1995)||x\n" * 10, "a table, separated by vertical bars", None),
    "texts with commas and without quotes": ("a.txt", "id,text,label\n" + "1,a, b,pos\n2,a,neg\n" * 4,
                                             "a table, separated by commas", column("text", "id", "text", "label")),
    "XHTML": ("a.txt", '<?xml version="1.0"?>\n<html><p>a</p>\n', "HTML", None),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_other_formats_are_refused_with_a_way_to_read_the_text(write: Callable[..., Path], name: str) -> None:
    file, content, what, command = OTHERS[name]
    path = write(content, file)
    said = message(InputError, sentences, path)
    assert said.startswith(
        f"{path} is {what}, not plain text. To read it as it is, use as_text (--as-text). Otherwise "
    )
    advice = said.partition(" Otherwise ")[2]
    assert advice.startswith(("name its column of text: ", "extract the text first, for example: "))
    if command is not None:
        extracted = f"{command.format(path)} > text.txt"
        assert advice.partition(": ")[2] == (command if command.startswith("--column") else extracted)
    assert [word for sentence in sentences(path, as_text=True) for word in sentence] == content.split()
    assert sentences(path, lambda line: line.split())


@pytest.mark.parametrize("header", ["", "3 2\n"])
def test_vectors_are_not_text(write: Callable[..., Path], header: str) -> None:
    path = write(f"{header}the 0.5 -1.25\nof 1.5e-05 0.0\nand 0.1 0.2\n")
    assert message(InputError, sentences, path).startswith(f"{path} is a file of vectors, not plain text.")
    for text in ("the 1 2\nof 3 4\nand 5 6\n", f"{header}the 0.5\nof 0.7 1.5\n", "3 2\n"):
        assert sentences(write(text))


def test_a_parse_is_answered_with_the_commands_for_its_pairs(write: Callable[..., Path], tmp_path: Path) -> None:
    path = write(CONLLU)
    pairs = f"pairloom pairs conllu {path} -o pairs.txt && pairloom train --pairs pairs.txt -o vectors.loom"
    assert message(InputError, sentences, path) == (
        f"{path} is CoNLL-U, a parse, not plain text. To read it as it is, use as_text (--as-text). Otherwise train on "
        f"its dependencies, for example: {pairs}"
    )


def extracted(said: str, folder: Path) -> list[str]:
    """The lines that the command at the end of a message prints."""
    command = said.partition("for example: ")[2]
    subprocess.run(command, shell=True, check=True, cwd=folder)
    return (folder / "text.txt").read_text().splitlines()


@pytest.mark.skipif(os.name == "nt", reason="the commands are for a POSIX shell")
def test_the_commands_print_the_text(write: Callable[..., Path], tmp_path: Path) -> None:
    def found(content: str | bytes, name: str = "a file.txt") -> list[str]:
        return extracted(message(InputError, sentences, write(content, name)), tmp_path)

    assert found("1,x y\n" * 5, "a file.csv") == ["x y"] * 5
    assert found(gzip.compress(b"1,x y\n" * 5), "b.csv.gz") == ["x y"] * 5
    assert found("1;x y\n\n" + "1;x y\n" * 5, "c.csv") == ["x y", "", *["x y"] * 5]
    assert found("1\tx y\n" * 5, "d.tsv") == ["x y"] * 5
    assert found(XML) == ["Ein & zwei", "drei"]
    assert [line.split() for line in found(HTML) if line.strip()] == [["Ein", "&", "zwei"]]
    assert [line for line in found(RSS) if line] == ["Ein & zwei"]
    for subtitles in (SRT, VTT, SRT.replace("\n", "\r\n")):
        assert [line for line in found(subtitles) if line] == REVIEWS
    for mail in (MBOX, MBOX.replace("\n", "\r\n")):
        assert [line for line in found(mail) if line] == [f"{text} für" for text in REVIEWS]
    assert [line for line in found(MAIL + "it is\n") if line] == ["it is"]
    assert found("1,x y,pos\n" * 10) == ["x y"] * 10
    assert found("1|Toy Story (1995)||x\n" * 10) == ["Toy Story (1995)"] * 10


@pytest.mark.skipif(shutil.which("iconv") is None, reason="needs iconv")
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "cp1251", "koi8_r"])
def test_the_commands_change_the_encoding(write: Callable[..., Path], tmp_path: Path, encoding: str) -> None:
    content, text = "1;эй ты\n" * 5, "эй ты"
    for name, data in (("a.csv", content.encode(encoding)), ("b.csv.gz", gzip.compress(content.encode(encoding)))):
        assert extracted(message(InputError, sentences, write(data, name), encoding=encoding), tmp_path) == [text] * 5


@pytest.mark.skipif(shutil.which("jq") is None, reason="needs jq")
def test_the_commands_for_json_print_the_text(write: Callable[..., Path], tmp_path: Path) -> None:
    objects = [{"id": str(i), "my text": text} for i, text in enumerate(REVIEWS)]
    for name, content in (
        ("b.json", json.dumps(objects)),
        ("c.json", json.dumps(objects, indent=1)),
        ("d.txt", "".join(json.dumps([*text.split()]) + "\n" for text in REVIEWS)),
    ):
        assert extracted(message(InputError, sentences, write(content, name)), tmp_path) == REVIEWS


@pytest.mark.parametrize(
    ("pack", "suffix", "unpacker"), [(gzip, "gz", "zcat"), (bz2, "bz2", "bzcat"), (lzma, "xz", "xzcat")]
)
def test_packed_files_folders_and_streams_are_recognised_too(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, pack: object, suffix: str, unpacker: str
) -> None:
    path = write(pack.compress(JSONL.encode()), f"folder/a.{suffix}")  # type: ignore[attr-defined]
    said = message(InputError, sentences, [write("plain text\n"), path.parent])
    assert said.startswith(f"{path} is JSON,") and "--column body" in said
    markup = write(pack.compress(XML.encode()), f"b.xml.{suffix}")  # type: ignore[attr-defined]
    assert f"for example: {unpacker} {markup} | python3" in message(InputError, sentences, markup)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
    assert message(InputError, sentences, "-") == (
        f"standard input is {JSON}, not plain text. To read it as it is, use as_text (--as-text). Otherwise name "
        "its column of text: --column body (column='body'). It has 'id', 'body', 'n'."
    )
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(HTML.encode())))
    assert "extract the text first by a pipe, for example: python3" in message(InputError, sentences, "-")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(CONLLU.encode())))
    assert "pairloom pairs conllu - -o pairs.txt" in message(InputError, sentences, "-")


PLAIN = {
    "prose with commas": "Yes, of course\nNo, not at all\nWell, perhaps so\nOh, dear me\nBut, then again\nSo, it is\n",
    "prose with as many commas without spaces": "Er wiegt 3,5 kg\n" * 9,
    "a list with commas of different lengths": "a,b\na,b,c\nd,e\nf,g\nh,i\nj,k\n",
    "a chat with one comma on each line": "hi,how r u\nok,see u\nlol,yes\nno,not me\nfine,bye now\n",
    "assembler": "mov eax,ebx\nadd ecx,edx\nsub esi,edi\nxor eax,eax\nlea eax,ecx\ncmp a,b\n",
    "two lines of names": "name,age\nann,3\n",
    "commas and a quotation mark that is not closed": 'name,"it\n' + "a,b\n" * 9,
    "commas and a quotation mark that is closed too early": 'name,"it"s\n' + "a,b\n" * 9,
    "sentences and their translations": "the cat\tle chat\n" * 9,
    "speakers with as many tabs": "Anna\tHello there\nBen\tGood morning\nAnna\tHow are you\nBen\tFine\nAnna\tGood\n",
    "a heading and lines with numbers and tabs": "The first table\nrow\t1\nrow\t2\nrow\t3\nrow\t4\nrow\t5\n",
    "numbers and tabs": "1\tone\n2\ttwo\n3\tthree\n4\tfour\n5\tfive\n6\tsix\n",
    "the same name twice": "word\tword\n" + "a\t1\n" * 9,
    "one line of JSON": '{"a": "b"}\n',
    "JSON in prose": '{"a": "b"}\nis an object, and\n{"c": 1}\nis another one\n',
    "words in brackets": "[a b]\n[c]\n[d]\n[e]\n",
    "footnotes": "[1]\n[2]\n[3]\n[4, 5]\n",
    "stage directions": '["Enter Ann."\n["Exit."]\nShe is gone.\n["Enter Bob."]\n',
    "forms of words": "go|goes|went\nbe|is|was\ndo|does|did\nsee|sees|saw\neat|eats|ate\n" * 3,
    "a recipe": "flour | 2 cups | sifted\nsugar | 1 cup | brown\nsalt | 1 pinch |\n" * 5,
    "a table of Markdown": "| a | b | c |\n|---|---|---|\n" + "| 1 | x y | z |\n" * 12,
    "numbers with commas": "It has 1,234,567 people\nand 3,210,000 cats\n" * 9,
    "thousands": "1,234 2,345\n" * 20,
    "decimal commas": "3,5 4,5\n" * 20,
    "prose with two commas on each line": "Yes, well, no\nOh, dear, me\n" * 9,
    "an article about subtitles": "A cue looks like this:\n00:01.000 --> 00:02.000\nand has text.\n" + "a b c\n" * 99,
    "times": "10:15:00,000 Anna: hello\n10:15:02,000 Ben: good morning\n" * 9,
    "a letter": "From: Ann\nTo: Bob\nSubject: the cat\nDate: Monday\n\nDear Bob,\nit is fine.\n",
    "a play": "Ann: Hello there\nBob: Good morning\nFrom: a distance\n\nAnn: And you?\n",
    "prose that begins with From": "From London in 1984\nthey went: home\n",
    "sessions with commas": "a7,b9,c2\nd1,e2\na1,b2,c3,d4\n" * 9,
    "a chat": "[12:01] <ann> hi, all\n[12:02] <bob> hi\n[12:03] <ann> so, what, now\n" * 9,
    "verses": "1 In the beginning, there was, it says,\n2 a word, and, well, another,\n" * 9,
    "braces": "{a b}\n{c d}\n{e f}\n{g h}\n",
    "headings and comments": "# a heading\n# another, and more\n# a third\n# 4\n# 5\n# 6\n",
    "code": "int f(int a, int b) {\n\treturn a;\n}\nint g(int a, int b) {\n\treturn b;\n}\n",
    "sentences in tags": "<s> a b </s>\n<s> <unk> c </s>\n<s> d </s>\n",
    "words and their translations, in groups": "cat\tKatze\ndog\tHund\n\n" * 9,
    "names in capitals, in groups": "NATO\tUNO\nEU\tUSA\n\nWHO\tWTO\nIMF\tFAO\n\n" * 9,
    "pairs of words, in groups": "a b\nc d\n\n" * 9,
    "documents in tags": '<doc id="12" url="x">\nsome text\n</doc>\n<s> a b </s>\n',
    "tweets": "@ann: look <3 #cats\n@bob: yes, {lol}\n\n",
    "sessions": "item7 item9\nitem2 item5\nitem1 item1\n",
    "tagged words": "the/DET cat/NOUN\na/DET dog/NOUN\n",
    "tokens on lines": "1\tthe\tDET\n2\tcat\tNOUN\n3\tsat\tVERB\n4\ton\tADP\n5\tit\tPRON\n",
    "ten columns without heads": "\t".join("abcdefghij") + "\n" + "\t".join("klmnopqrst") + "\n",
    "one line": "word",
    "a line longer than what is looked at": "a, b " * 100_000,
}


@pytest.mark.parametrize("name", PLAIN)
def test_plain_text_is_read(write: Callable[..., Path], name: str) -> None:
    text = PLAIN[name]
    assert sum(map(len, sentences(write(text)))) == len(text.split())


def test_pairs_and_edges_may_look_like_tables(write: Callable[..., Path]) -> None:
    path = write("word\tcontext\n" + "".join(f"w{i}\t{i}\n" for i in range(9)))
    assert len(pairloom.train_pairs(path, min_count=1, dim=2, epochs=1).words) == 10
    assert len(pairloom.walk(path).graph.nodes) == 20


@pytest.mark.parametrize("option", [{"as_text": 1}, {"as_text": "yes"}])
def test_as_text_is_true_or_false(write: Callable[..., Path], option: dict[str, object]) -> None:
    assert "Use True or False." in message(InputError, sentences, write("a b"), **option)


def test_only_the_first_block_of_a_file_is_looked_at(write: Callable[..., Path]) -> None:
    with open_corpus(write("plain text\n" + JSONL * 3000)) as corpus:
        assert sum(1 for _ in corpus.sentences()) == 1 + 3000 * len(REVIEWS)


def test_the_advised_column_is_read(write: Callable[..., Path]) -> None:
    for name, content, column in (("a.txt", JSONL, "body"), ("b.txt", CSV, "text"), ("c.txt", TSV, "text")):
        path = write(content, name)
        assert f"--column {column} " in message(InputError, sentences, path)
        assert sentences(path, column=column) == [text.split() for text in REVIEWS]


def test_parquet_and_arrow_are_refused_with_their_columns(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    for what, save in (
        ("a Parquet file", write_parquet),
        ("an Arrow file", write_ipc),
        ("an Arrow stream", write_ipc_stream),
    ):
        path = write("")
        save(RecordBatch.from_pydict({name: Array([name], DataType.string()) for name in ("id", "text")}), path)
        said = f"{path} is {what}, not plain text. To read it, name its column of text: --column "
        assert message(InputError, sentences, path) == f"{said}text (column='text'). It has 'id', 'text'."
        save(RecordBatch.from_pydict({"said": Array(["x"], DataType.string())}), path)
        assert message(InputError, sentences, path) == f"{said}said (column='said'). It has 'said'."
        with monkeypatch.context() as context:
            context.setitem(sys.modules, "arro3.io", None)
            without = message(InputError, sentences, path)
        if what != "an Arrow stream":
            assert without == f"{said}NAME (column='NAME'). For sessions name two: --session NAME --item NAME."


def test_a_file_that_disappeared_is_not_taken_for_a_table(write: Callable[..., Path]) -> None:
    path = write("a b")
    with open_corpus(path) as corpus:
        path.unlink()
        assert "disappeared" in message(CorpusChangedError, lambda: list(corpus.sentences()))
