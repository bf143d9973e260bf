"""The demo's text: which sentences a Python module makes, and that this Python has enough of them."""

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from pairloom.cli.demo_text import PROBES, passages, words, write_corpus
from pairloom.errors import InputError, OutputError


def make_package(root: Path, **modules: str) -> Path:
    """Write modules under `root`; a double underscore in a name is a folder."""
    for name, source in modules.items():
        path = root / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")
    return root


def corpus_of(root: Path) -> list[str]:
    write_corpus(root / "corpus.txt", root)
    return (root / "corpus.txt").read_text(encoding="ascii").splitlines()


def test_a_module_becomes_paragraphs_of_prose_blocks_of_comments_and_lines_of_code(tmp_path):
    source = '''"""Send mail.

    It takes a message
    and a server.
    """
import smtplib
# Comments that follow
# each other are one sentence.
def send_mail(message, server):  # the door
    return server.sendMessage(message)
'''
    assert corpus_of(make_package(tmp_path, mail=source)) == [
        "send mail",
        "it takes message and server",
        "import smtplib",
        "comments that follow each other are one sentence",
        "def send mail message server the door",
        "return server send message message",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("max_line_length", "max line length"),
        ("HTTPServer.getHeader", "http server get header"),
        ("except (OSError, json.JSONDecodeError):", "except oserror json jsondecodeerror"),
        ("DeprecationWarning about an Error", "deprecationwarning about an error"),
        ("ValueErrors and ErrorBoxes", "value errors and error boxes"),
        ("base64 0xFFEE 1e5 utf8", "base utf"),
        (r"'one\ntwo\x0Bthree\u00eafour'", "one two three four"),
        ("for i in x: Ünïcode", "for in code"),
    ],
)
def test_words_are_lower_case_letters_and_names_come_apart_except_those_of_exceptions(text, expected):
    assert " ".join(words(text)) == expected


@pytest.mark.parametrize("line", ['quotes = \'"""\'', '# never """ closed', 'x = "it\'s"', r"x = 'a\'b'"])
def test_a_quote_inside_a_string_or_a_comment_opens_no_prose(line):
    code = f"first line\n{line}\n"
    assert list(passages(f'{code}"""one\n\ntwo"""')) == [*passages(code), '"""one', 'two"""']


def test_prose_may_contain_the_other_quotes_and_escaped_ones():
    assert list(passages("'''a \"\"\" b'''")) == ["'''a \"\"\" b'''"]
    assert list(passages(r'"""a \""" b"""')) == [r'"""a \""" b"""']


def test_tests_and_installed_packages_are_left_out(tmp_path):
    kept = {"a": "import alpha", "b__test_tools": "import beta"}
    skipped = ["test__c", "b__tests__d", "idlelib__idle_test__e", "site-packages__f", "dist-packages__g"]
    make_package(tmp_path, **kept, **dict.fromkeys(skipped, "import omega"))
    assert corpus_of(tmp_path) == ["import alpha", "import beta"]


def test_a_folder_above_the_library_may_be_called_test(tmp_path):
    assert corpus_of(make_package(tmp_path / "test", a="import alpha")) == ["import alpha"]


def test_boilerplate_is_said_once_and_idiom_as_often_as_it_occurs(tmp_path):
    idiom, boilerplate = "return not found", "# all rights of this work"
    source = f"{idiom}\n{boilerplate}\n{idiom}\n"
    assert corpus_of(make_package(tmp_path, a=source, b=source)) == [
        "return not found",
        "all rights of this work",
        *["return not found"] * 3,
    ]


def test_one_word_alone_has_no_context_and_is_left_out(tmp_path):
    assert corpus_of(make_package(tmp_path, a="pass\nbreak now\n")) == ["break now"]


def test_the_number_returned_is_the_number_of_words_written(tmp_path):
    make_package(tmp_path, a="import alpha\nfrom beta import gamma\n")
    assert write_corpus(tmp_path / "corpus.txt", tmp_path) == 6


def test_a_module_that_is_not_utf8_is_read_all_the_same(tmp_path):
    (tmp_path / "latin.py").write_bytes(b"# na\xefve text here\n")
    assert corpus_of(tmp_path) == ["na ve text here"]


def test_a_library_without_sources_is_named_with_a_way_out(tmp_path):
    (tmp_path / "socket.pyc").write_bytes(b"\0")
    with pytest.raises(InputError) as caught:
        write_corpus(tmp_path / "corpus.txt", tmp_path)
    assert str(caught.value) == (
        f"{tmp_path} holds no Python sources, so the demo has no text: this Python was installed without them. "
        "Use another Python, or train on a text of your own: pairloom train TEXT -o MODEL"
    )
    assert not (tmp_path / "corpus.txt").exists()


def test_a_corpus_that_cannot_be_written_is_named_with_the_reason(tmp_path):
    make_package(tmp_path, a="import alpha")
    with pytest.raises(OutputError) as caught:
        write_corpus(tmp_path / "nowhere" / "corpus.txt", tmp_path)
    assert str(caught.value) == (
        f"{tmp_path / 'nowhere' / 'corpus.txt'} could not be written: No such file or directory. "
        "Create its folder first."
    )


def test_this_python_has_enough_text_with_every_probe_and_always_the_same(tmp_path):
    code = "import sys; from pathlib import Path; from pairloom.cli.demo_text import write_corpus as write; "
    code += "print(write(Path(sys.argv[1])))"
    for order in "12":  # of Python's sets, which is another one in every process
        command, environment = [sys.executable, "-c", code, tmp_path / order], os.environ | {"PYTHONHASHSEED": order}
        n_words = int(subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout)
    text = (tmp_path / "1").read_text(encoding="ascii")
    assert text == (tmp_path / "2").read_text(encoding="ascii")
    assert re.fullmatch(r"(?:[a-z]{2,}[ \n])+", text)
    counts = Counter(text.split())
    assert counts.total() == n_words
    assert n_words > 800_000  # 1.00 to 1.13 million here; a distribution may ship idlelib and tkinter apart
    assert len(set(PROBES)) == 12
    assert {word: counts[word] for word in PROBES if counts[word] < 20} == {}
