"""Pieces of files can be read apart: together they are the text."""

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pairloom.config import TextOptions
from pairloom.corpus import pieces
from pairloom.corpus.pieces import TextPiece, grouped
from pairloom.corpus.sentences import open_corpus

Write = Callable[..., Path]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "PIECE_BYTES", 10)


def text_of(piece: TextPiece) -> str:
    return "".join(block.text for block, _ in piece.blocks(plain=True, keep_unspaced=False))


def texts(path: Path, **options: str) -> list[str]:
    with open_corpus(path, text=TextOptions(**options)) as corpus:  # type: ignore[arg-type]
        return [text_of(piece) for piece in corpus.pieces()]


def test_a_large_file_is_cut_after_line_ends(write: Write) -> None:
    assert texts(write("one two\nthree four\r\nfive\nsix")) == ["one two\nthree four\n", "five\n", "six"]
    assert texts(write("one two\r\nthree\r\n")) == ["one two\nthree\n"]


def test_a_cut_never_leaves_an_empty_piece(write: Write) -> None:
    assert texts(write("one two 3\n")) == ["one two 3\n"]
    assert texts(write("one two three\n")) == ["one two three\n"]


def test_a_line_may_be_longer_than_a_piece(write: Write) -> None:
    assert texts(write("a" * 15 + "\n" + "b" * 40 + "\nc\n")) == ["a" * 15 + "\n", "b" * 40 + "\n", "c\n"]
    assert texts(write("a " * 50)) == ["a " * 50]


def test_a_byte_order_mark_is_dropped_at_the_beginning_of_the_file_only(write: Write) -> None:
    assert texts(write("\ufeffone two three\n\ufefffour five\n")) == ["one two three\n", "\ufefffour five\n"]


def test_files_that_cannot_be_read_from_the_middle_are_one_piece(write: Write) -> None:
    assert len(texts(write(gzip.compress(b"a b c\n" * 1000), "a.txt.gz"))) == 1
    assert len(texts(write("one two\n" * 10, "b.txt"))) > 1
    assert len(texts(write("one two\n" * 10, "b.txt"), encoding="latin-1")) == 1
    assert len(texts(write(("ਊ" * 9 + "\n").encode("utf-16"), "c.txt"), encoding="utf-16")) == 1


def test_pieces_know_where_they_are_in_the_corpus(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = write("one two\n" * 4, "a.txt"), write("three\n", "b.txt")
    monkeypatch.chdir(first.parent)
    with open_corpus(["a.txt", "b.txt"]) as corpus:
        found = corpus.pieces()
        assert [(piece.file.name, piece.before, piece.file.begin, piece.file.end) for piece in found] == [
            ("a.txt", 0, 0, 16),
            ("a.txt", 0, 16, 24),
            ("a.txt", 0, 24, None),
            ("b.txt", 32, 0, None),
        ]
        assert [piece.file.path for piece in found] == [first, first, first, second]  # a worker has another folder
        assert [[block.read for block, _ in piece.blocks(True, False)] for piece in found] == [[16], [24], [32], [38]]


def test_small_files_are_read_together(write: Write) -> None:
    paths = [write("a " * n, f"{n}.txt") for n in (1, 2, 2, 3, 0, 20, 1)]
    with open_corpus(paths) as corpus:
        assert [[piece.size for piece in group] for group in grouped(corpus.pieces())] == [[2, 4, 4], [6, 0], [40], [2]]


def test_only_files_are_read_by_others(write: Write) -> None:
    with open_corpus([["a", "b"]]) as corpus:
        assert corpus.pieces() == []
    with open_corpus(write("a b"), tokenize=str.split) as corpus:
        assert corpus.pieces() == []


def test_a_file_is_recognised_by_its_time_or_its_sample(write: Write) -> None:
    path = write("one two\n")
    with open_corpus(path) as corpus:
        file = corpus.pieces()[0].file
    assert file.is_here()
    os.utime(path, (1, 1))  # a copy on another machine
    assert file.is_here()
    path.write_text("one six\n")
    assert not file.is_here()
    path.unlink()
    assert not file.is_here()
