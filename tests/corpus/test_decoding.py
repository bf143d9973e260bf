"""Bytes become text: line ends, encodings, and blocks in bounded memory."""

import gzip
import re
import tempfile
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairloom.config import TextOptions
from pairloom.corpus import decoding
from pairloom.corpus.finding import SourceFile
from pairloom.corpus.kinds.corpus import Corpus
from pairloom.corpus.sentences import open_corpus
from pairloom.errors import CorpusChangedError, InputError
from tests.corpus.helpers import message, sentences
from tests.reading import read_in_blocks

# --- Line ends and byte order marks


def test_lines_end_at_cr_lf_and_crlf_and_empty_ones_are_nothing(write: Callable[..., Path]) -> None:
    assert sentences(write("a b\rc\nd\r\ne\n\n\r\r \nf")) == [["a", "b"], ["c"], ["d"], ["e"], ["f"]]


def test_other_line_and_page_breaks_are_only_white_space(write: Callable[..., Path]) -> None:
    assert sentences(write("a\vb\fc\x1cd\x1de\x1ef\x85g\u2028h\u2029i\xa0j\u3000k\n")) == [list("abcdefghijk")]


def test_the_last_line_needs_no_end_and_no_sentence_crosses_files(write: Callable[..., Path]) -> None:
    paths = [write("a b", "1"), write("c d", "2")]
    assert sentences(paths) == [["a", "b"], ["c", "d"]]


def test_the_byte_order_mark_is_dropped_at_the_start_of_every_file(write: Callable[..., Path]) -> None:
    paths = [write("\ufeffa b", "1"), write("\ufeffa \ufeffb", "2")]
    assert sentences(paths) == [["a", "b"], ["a", "\ufeffb"]]


# --- UTF-8 that is not decoded

CHARACTERS = [b"a", b"bc", b" ", b"\n", b"\r", b"\r\n", b"\xe9", *map(str.encode, "é\u3000漢")]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(CHARACTERS), max_size=40).map(b"".join), st.booleans(), st.booleans(), st.booleans())
def test_bytes_are_those_of_the_text_and_errors_are_the_same(data: bytes, mark: bool, pack: bool, bad: bool) -> None:
    data = ("\ufeff".encode() if mark else b"") + (data if bad else data.replace(b"\xe9", b""))
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        read_in_blocks(patch, 8)
        path = Path(folder) / "text"
        path.write_bytes(gzip.compress(data) if pack else data)
        file = SourceFile.at(path, "text")
        how = {"encoding": "utf-8", "errors": "strict", "keep_unspaced": True}
        try:
            text = "".join(block.text for block in decoding.text_blocks(file, **how))
        except InputError as error:
            assert message(InputError, lambda: list(decoding.byte_blocks(file, **how))) == str(error)
            return
        blocks = list(decoding.byte_blocks(file, **how))
    assert b"".join(block.data for block in blocks) == text.encode()
    assert all(block.goes_on is not block.data.endswith(b"\n") for block in blocks[:-1])
    assert not blocks or not blocks[-1].goes_on


@pytest.mark.parametrize(("data", "kind"), [(b"a b\n\xff c\n", CorpusChangedError), (b"a" * 30 + b"\xff", InputError)])
def test_a_file_that_has_no_error_any_more_when_it_is_read_again_is_still_refused(
    data: bytes, kind: type[Exception], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """`_raise_error` reads the file again to name the line. A program may have mended it meanwhile."""
    read_in_blocks(monkeypatch, 8)
    monkeypatch.setattr(decoding, "_raise_error", lambda *_: None)
    (tmp_path / "text").write_bytes(data)
    file = SourceFile.at(tmp_path / "text", "text")
    with pytest.raises(kind):
        list(decoding.byte_blocks(file, encoding="utf-8", errors="strict", keep_unspaced=True))


# --- Encodings


def test_text_in_another_encoding_can_be_named(write: Callable[..., Path]) -> None:
    for encoding in ("latin-1", "utf-16", "utf-16-le", "utf-32", "cp1252", "utf-8-sig"):
        assert sentences(write("café crème\nthé".encode(encoding)), encoding=encoding) == [["café", "crème"], ["thé"]]
    assert sentences(write("東京 大阪".encode("shift-jis")), encoding="shift-jis") == [["東京", "大阪"]]


def test_a_byte_that_is_not_utf8_is_named_with_its_place(write: Callable[..., Path]) -> None:
    path = write(b"one\r\ntwo\rthr\xe9e\n")
    assert message(InputError, sentences, path) == (
        f"{path}, line 3, byte 12: 0xe9 is not valid utf-8. It looks like cp1252: use --encoding cp1252."
    )
    beside_another = message(InputError, sentences, [path, path])
    assert beside_another.endswith(
        " If other files are not, convert them all to utf-8 into another folder, for example: "
        f"iconv -f cp1252 -t utf-8 {path} > FOLDER/{path.name}"
    )
    assert sentences(path, errors="replace")[2] == ["thr\ufffde"]
    assert sentences(path, errors="ignore")[2] == ["thre"]


def test_the_place_of_a_bad_byte_is_right_far_into_a_compressed_file(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    read_in_blocks(monkeypatch, 7)
    path = write(gzip.compress("día\n".encode() * 100 + b"d\xc3"))  # ends within a character
    assert message(InputError, sentences, path) == (
        f"{path}, line 101, byte 501: it ends within a character of utf-8, so it was cut short or is of another "
        "encoding. Get or make it again, name its encoding (--encoding), or replace invalid bytes (--errors replace)."
    )


def test_the_line_of_a_byte_beyond_the_first_block_is_found(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"word\n" * 300_000 + b"caf\xe9\n")
    with pytest.raises(InputError, match=r"line 300001\b|line 300,001\b"):
        list(open_corpus(tmp_path / "a.txt").sentences())


def test_the_line_of_a_byte_that_is_gone_is_the_last_one(tmp_path):
    (tmp_path / "a.txt").write_text("a\nb\n")
    assert decoding._line_number(SourceFile.at(tmp_path / "a.txt", "a.txt"), "utf-8", 1000) == 3


def test_damaged_utf_8_is_called_damaged_and_not_another_encoding(write: Callable[..., Path]) -> None:
    text = "über die Größe der Äpfel\n".encode() * 5
    path = write(text[:29] + b"\xff" + text[29:])
    assert message(InputError, sentences, path) == (
        f"{path}, line 2, byte 29: 0xff is not valid utf-8. Most of it is UTF-8, so the file is damaged here. Get or "
        "make it again, or replace invalid bytes (--errors replace)."
    )


def test_without_a_good_guess_the_message_says_how_to_find_out(write: Callable[..., Path]) -> None:
    path = write(b"ab\xff cd\xfe\n" * 3)
    assert message(InputError, sentences, path) == (
        f"{path}, line 1, byte 2: 0xff is not valid utf-8. Find out its encoding (`file -i` may know it) and name it "
        "(--encoding), or replace invalid bytes (--errors replace)."
    )


def test_a_wrong_name_for_utf_8_is_answered_with_utf_8(write: Callable[..., Path]) -> None:
    path = write("größer und älter\n".encode())
    assert "It looks like utf-8: use --encoding utf-8." in message(InputError, sentences, path, encoding="ascii")
    path = write(b"plain text, nothing else\n")
    expected = f"{path} looks like UTF-8, not utf-16-le: use --encoding utf-8."
    assert message(InputError, sentences, path, encoding="utf-16-le") == expected
    beside_another = message(InputError, sentences, [path, path], encoding="utf-16-le")
    assert beside_another == f"{expected[:-1]}, and convert the other files to it if they are not."


@pytest.mark.parametrize("cut", ["\U0001f600".encode("utf-16-le")[:2], b"a"])
def test_utf_16_that_is_cut_in_a_character_is_refused_in_one_line(write: Callable[..., Path], cut: bytes) -> None:
    path = write("größer und älter\n".encode("utf-16") + cut)
    assert f"{path}, line 2, byte 36: it ends within a character of utf-16, so it was cut short" in message(
        InputError, sentences, path, encoding="utf-16"
    )


def test_iso_2022_jp_is_recognised_although_it_is_ascii(write: Callable[..., Path]) -> None:
    path = write("私 は 行き ます\n".encode("iso-2022-jp"))
    expected = f"{path} looks like ISO-2022-JP, not utf-8: use --encoding iso-2022-jp."
    assert message(InputError, sentences, path) == expected
    assert sentences(path, encoding="iso-2022-jp") == [["私", "は", "行き", "ます"]]
    assert sentences(write("\x1b[31mred\x1b[0m text\n")) == [["\x1b[31mred\x1b[0m", "text"]]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_encodings_are_recognised(write: Callable[..., Path], encoding: str) -> None:
    path = write("hello wide world\n".encode(encoding))
    expected = f"{path} looks like {encoding.upper()}, not utf-8: use --encoding {encoding}."
    assert message(InputError, sentences, path).startswith(expected)
    assert message(InputError, sentences, path, errors="replace").startswith(expected)


def test_utf_16_without_a_byte_order_mark_is_answered_with_the_two_orders(tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_bytes(b"plain text\n")
    with open_corpus(tmp_path / "c.txt", text=TextOptions(encoding="utf-16")) as corpus:
        assert message(InputError, lambda: list(corpus.sentences())) == (
            f"{tmp_path / 'c.txt'} is not utf-16: it has no byte order mark. "
            "Name its byte order (--encoding utf-16-le or utf-16-be)."
        )
    (tmp_path / "c.txt").write_text("plain text, and longer\n", encoding="utf-16-be")
    with open_corpus(tmp_path / "c.txt", text=TextOptions(encoding="utf-16")) as corpus:
        assert "(--encoding utf-16-be)." in message(InputError, lambda: list(corpus.sentences()))


def test_utf_16_in_the_other_byte_order_is_not_read_as_chinese(write: Callable[..., Path]) -> None:
    path = write("the cat sat\nthe dog too\n".encode("utf-16-le"))
    said = message(InputError, sentences, path, encoding="utf-16-be")
    assert said.startswith(f"{path} looks like UTF-16-LE, not utf-16-be: use --encoding utf-16-le.")
    assert sentences(path, encoding="utf-16-le") == [["the", "cat", "sat"], ["the", "dog", "too"]]


def test_a_file_full_of_nul_bytes_is_not_text(write: Callable[..., Path]) -> None:
    path = write(b"ustar" + bytes(500))
    assert message(InputError, sentences, path) == f"{path} is full of NUL bytes, so it is not text. Give a text file."


# --- Blocks


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.text(st.sampled_from("ab é漢😀\u3000\x85\r\n\r\n\t"), max_size=60), min_size=1, max_size=3),
    st.integers(4, 20),
    st.sampled_from(["utf-8", "utf-16", "utf-32-le"]),
)
def test_wherever_blocks_are_cut_the_sentences_are_the_same(texts: list[str], block: int, encoding: str) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        read_in_blocks(patch, block)
        paths = [Path(folder) / str(i) for i in range(len(texts))]
        for path, text in zip(paths, texts, strict=True):
            path.write_bytes(text.encode(encoding))
        expected = [line.split() for text in texts for line in re.split("\r\n|\r|\n", text) if line.split()]
        assert sentences(paths, encoding=encoding) == expected
        with open_corpus(paths, text=TextOptions(encoding=encoding)) as corpus:
            whole = b"".join(b.data.tobytes() + (b"" if b.goes_on else b"\n") for b in corpus.blocks()).decode()
        assert [line.split() for line in whole.split("\n") if line.split()] == expected


def drain(corpus: Corpus) -> int:
    """Read all blocks. Returns the peak of memory."""
    tracemalloc.start()
    try:
        for _ in corpus.blocks():
            pass
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_is_bounded_whatever_the_length_of_a_line(write: Callable[..., Path]) -> None:
    with open_corpus(write(gzip.compress(b"word " * 6_000_000, 1))) as corpus:
        assert drain(corpus) < 16 << 20
    with open_corpus(write(gzip.compress(b"x" * 30_000_000 + b" a b", 1))) as corpus:
        assert drain(corpus) < 16 << 20


def test_a_bomb_without_white_space_is_not_text_and_is_not_held(write: Callable[..., Path]) -> None:
    path = write(gzip.compress(b"a" * 100_000_000, 1))
    tracemalloc.start()
    with open_corpus(path) as corpus:
        said = message(InputError, lambda: list(corpus.blocks()))
    assert tracemalloc.get_traced_memory()[1] < 16 << 20
    tracemalloc.stop()
    assert (
        said == f"{path} has 64 MB without any white space, so it is not text. Words must be separated by white space."
    )
