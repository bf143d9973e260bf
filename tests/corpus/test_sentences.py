"""What is a line, what is a word, and what is not a corpus."""

import bz2
import gzip
import io
import lzma
import os
import re
import sys
import tempfile
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairloom.config import TextOptions
from pairloom.corpus import decoding, unpacking
from pairloom.corpus.finding import SourceFile
from pairloom.corpus.sentences import Corpus, open_corpus
from pairloom.errors import ConfigError, CorpusChangedError, CorpusTypeError, InputError
from tests.reading import read_in_blocks

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstd.compress,
}


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def write_file(data: bytes | str, name: str = "corpus.txt") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path

    return write_file


def sentences(source: object, tokenize: Callable[[str], list[str]] | None = None, **options: Any) -> list[list[str]]:
    with open_corpus(source, text=TextOptions(**options), tokenize=tokenize) as corpus:
        return list(corpus.sentences())


def message(error: type[Exception], function: Callable[..., object], *args: object, **options: Any) -> str:
    with pytest.raises(error) as caught:
        function(*args, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- Lines and words


def test_a_line_is_a_sentence_and_its_words_are_separated_by_white_space(write: Callable[..., Path]) -> None:
    assert sentences(write("the cat  sat\n\ton the mat\n")) == [["the", "cat", "sat"], ["on", "the", "mat"]]


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


def test_lower_case_is_that_of_the_whole_text(write: Callable[..., Path]) -> None:
    assert sentences(write("ὈδυσσεΐΣ ΣΑΣ İX"), lowercase=True) == [["ὀδυσσεΐς", "σας", "i̇x"]]
    assert sentences([["Ὀδυσσεΐς".upper(), "Cat"]], lowercase=True) == [["Ὀδυσσεΐς".upper().lower(), "cat"]]


def test_nul_is_a_character_like_any_other(write: Callable[..., Path]) -> None:
    assert sentences(write("a\0b c\n")) == [["a\0b", "c"]]


def test_a_long_line_comes_in_pieces_and_no_word_is_lost(write: Callable[..., Path]) -> None:
    assert sentences(write("a b c d e\nf g\nh i j k"), max_sentence=2) == [
        ["a", "b"], ["c", "d"], ["e"], ["f", "g"], ["h", "i"], ["j", "k"],
    ]  # fmt: skip
    assert sentences([list("abcde")], max_sentence=2) == [["a", "b"], ["c", "d"], ["e"]]


def test_a_tokenizer_gets_lines_without_their_ends(write: Callable[..., Path]) -> None:
    seen: list[str] = []

    def by_letter(line: str) -> list[str]:
        seen.append(line)
        return [letter for letter in line if letter != " "]

    assert sentences(write("ab c\r\nde\n\nf g"), by_letter) == [["a", "b", "c"], ["d", "e"], ["f", "g"]]
    assert seen == ["ab c", "de", "f g"]


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


# --- Much of anything


def test_a_word_beyond_the_limit_is_left_out_whole_and_merges_with_nothing(write: Callable[..., Path]) -> None:
    giant = "x" * 10_000_000
    assert sentences(write(f"a {'y' * 1000} {giant} b {'z' * 1001}\n{giant}")) == [["a", "y" * 1000, "b"]]
    assert sentences([["a", "é" * 500, "é" * 501, "b"]]) == [["a", "é" * 500, "b"]]


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


# --- Encodings


def test_text_in_another_encoding_can_be_named(write: Callable[..., Path]) -> None:
    for encoding in ("latin-1", "utf-16", "utf-16-le", "utf-32", "cp1252", "utf-8-sig"):
        assert sentences(write("café crème\nthé".encode(encoding)), encoding=encoding) == [["café", "crème"], ["thé"]]
    assert sentences(write("東京 大阪".encode("shift-jis")), encoding="shift-jis") == [["東京", "大阪"]]


def test_a_byte_that_is_not_utf8_is_named_with_its_place(write: Callable[..., Path]) -> None:
    path = write(b"one\r\ntwo\rthr\xe9e\n")
    assert message(InputError, sentences, path) == (
        f"{path}, line 3, byte 12: 0xe9 is not valid utf-8. Name the encoding of the text "
        "(--encoding latin-1), or replace invalid bytes (--errors replace)."
    )
    assert sentences(path, errors="replace")[2] == ["thr\ufffde"]
    assert sentences(path, errors="ignore")[2] == ["thre"]


def test_the_place_is_right_also_far_into_a_compressed_file(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    read_in_blocks(monkeypatch, 7)
    path = write(gzip.compress("día\n".encode() * 100 + b"d\xc3"))  # ends within a character
    assert f"{path}, line 101, byte 501: 0xc3 is not valid utf-8." in message(InputError, sentences, path)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-16-le", "utf-16-be"])
def test_wide_encodings_are_recognised(write: Callable[..., Path], encoding: str) -> None:
    path = write("hello wide world\n".encode(encoding))
    expected = f"{path} looks like {encoding.upper()}, not utf-8. Use --encoding {encoding}."
    assert message(InputError, sentences, path) == expected
    assert message(InputError, sentences, path, errors="replace") == expected


def test_what_is_full_of_nul_is_not_text(write: Callable[..., Path]) -> None:
    path = write(b"ustar" + bytes(500))
    assert message(InputError, sentences, path) == f"{path} is full of NUL bytes, so it is not text. Give a text file."


# --- Compression


@pytest.mark.parametrize("form", PACKERS)
def test_compression_is_known_by_the_first_bytes_whatever_the_name(write: Callable[..., Path], form: str) -> None:
    packed = PACKERS[form](b"a b\nc d\n")
    assert sentences(write(packed, "corpus.txt")) == [["a", "b"], ["c", "d"]]
    assert sentences(write(packed + packed, "twice.gz")) == [["a", "b"], ["c", "d"]] * 2
    assert sentences(write(b"BZh is plain text\n", "plain.gz")) == [["BZh", "is", "plain", "text"]]


@pytest.mark.parametrize("form", PACKERS)
def test_damaged_data_is_said_to_be_damaged(write: Callable[..., Path], form: str) -> None:
    packed = PACKERS[form](b" ".join(b"%d" % (i * i) for i in range(3000)))
    path = write(packed[:-30], "short")
    assert message(InputError, sentences, path) == (
        f"{path} is damaged: its {form} data ends too early. Get or make the file again."
    )
    middle = len(packed) // 2
    path = write(
        packed[:middle] + bytes(b ^ 0xFF for b in packed[middle : middle + 64]) + packed[middle + 64 :], "flip"
    )
    assert message(InputError, sentences, path) == (
        f"{path} is damaged: its {form} data is not valid. Get or make the file again."
    )


def test_archives_are_refused_by_name(write: Callable[..., Path]) -> None:
    path = write(b"PK\x03\x04....")
    assert message(InputError, sentences, path) == (
        f"{path} is a zip archive, which pairloom does not read. Unpack it to text first."
    )


# --- Finding files


def test_a_folder_means_the_text_files_in_it_and_below_in_order(write: Callable[..., Path], tmp_path: Path) -> None:
    write("z", "texts/b.txt")
    write("y", "texts/a/2.TXT")
    write(gzip.compress(b"x"), "texts/a/1.gz")
    for name in ("texts/.hidden.txt", "texts/.git/a.txt", "texts/notes.md", "texts/a.txt~"):
        write("no", name)
    assert sentences(tmp_path / "texts") == [["x"], ["y"], ["z"]]
    assert sentences(str(tmp_path / "texts")) == [["x"], ["y"], ["z"]]


def test_a_glob_means_its_matches_in_order(write: Callable[..., Path], tmp_path: Path) -> None:
    for name in ("c2", "c1", "c10", "d"):
        write(name, name)
    write("no", "c-folder/file")
    assert sentences(str(tmp_path / "c*")) == [["c1"], ["c10"], ["c2"]]
    assert sentences([str(tmp_path / "c?"), str(tmp_path / "d")]) == [["c1"], ["c2"], ["d"]]
    assert sentences(write("odd", "odd[1].txt")) == [["odd"]]


def test_what_is_not_there_is_said_at_once(tmp_path: Path) -> None:
    missing = tmp_path / "missing.txt"
    assert message(InputError, open_corpus, missing) == f"{missing} does not exist. Check the path of the corpus."
    assert (
        message(InputError, open_corpus, f"{tmp_path}/*.txt") == f"No file matches {tmp_path}/*.txt. Check the pattern."
    )
    assert message(InputError, open_corpus, tmp_path) == (
        f"The folder {tmp_path} has no text files. Only files that end in .txt, .gz, .bz2, .xz, .zst are read "
        "from a folder. Give other files by name or by a glob."
    )
    assert message(InputError, open_corpus, "a\0b") == r"'a\x00b' cannot be opened: embedded null byte. Check the path."
    assert "is the string ''" in message(CorpusTypeError, open_corpus, [""])
    assert message(InputError, open_corpus, "") == (
        "The path of the corpus is empty. Give a file, a folder or - for standard input."
    )
    assert not list(tmp_path.iterdir())


def test_a_missing_file_of_several_is_named(write: Callable[..., Path], tmp_path: Path) -> None:
    there, missing = str(write("a b")), str(tmp_path / "missing")
    assert message(InputError, open_corpus, [there, missing]).startswith(f"{missing} does not exist.")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs /dev/zero")
def test_a_device_is_not_a_corpus() -> None:
    assert message(InputError, open_corpus, "/dev/zero") == (
        "/dev/zero is a device, not a text file. Give a file, a folder or - for standard input."
    )


# --- Streams


@pytest.fixture
def spool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "spool"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_standard_input_is_spooled_and_can_be_read_twice(spool: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(b"a b\nc"))))
    with open_corpus("-") as corpus:
        assert list(corpus.sentences()) == list(corpus.sentences()) == [["a", "b"], ["c"]]
        assert (corpus.name, corpus.identity()) == ("standard input", None)
        assert len(list(spool.iterdir())) == 1
    assert not list(spool.iterdir())


def test_a_forgotten_spool_goes_with_its_corpus(spool: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a")))
    corpus = open_corpus("-")
    assert len(list(spool.iterdir())) == 1
    del corpus
    assert not list(spool.iterdir())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_spooled(tmp_path: Path, spool: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"a b\nc",))
    writer.start()
    with open_corpus(pipe) as corpus:
        assert list(corpus.sentences()) == list(corpus.sentences()) == [["a", "b"], ["c"]]
        assert (corpus.name, corpus.identity()) == (str(pipe), None)
    writer.join()
    assert not list(spool.iterdir())


def test_nothing_is_spooled_before_all_paths_are_checked(
    tmp_path: Path, spool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stdin = io.BytesIO(b"a b")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(stdin))
    assert "does not exist" in message(InputError, open_corpus, ["-", tmp_path / "missing"])
    assert message(InputError, open_corpus, ["-", "-"]) == 'Standard input ("-") can be read only once. Name it once.'
    assert stdin.tell() == 0
    assert not list(spool.iterdir())


# --- Python objects


class Restarting:
    """Token lists that start anew each time."""

    def __init__(self, sentences: list[Any]) -> None:
        self.sentences, self.readings = sentences, 0

    def __iter__(self) -> Iterator[Any]:
        self.readings += 1
        yield from self.sentences


def test_token_lists_are_a_corpus_and_can_be_read_twice() -> None:
    for source in ([["a", "b"], ["c"]], (("a", "b"), ["c"]), Restarting([["a", "b"], ["c"]])):
        with open_corpus(source) as corpus:
            assert list(corpus.sentences()) == list(corpus.sentences()) == [["a", "b"], ["c"]]
            assert corpus.identity() is None


def test_what_can_be_read_only_once_is_refused_untouched() -> None:
    class Exhausted:
        def __init__(self) -> None:
            self.iterator = iter([["a"]])

        def __iter__(self) -> Iterator[list[str]]:
            return self.iterator

    kept = Exhausted()
    for source, kind in [
        ((s for s in [["a"]]), "generator"),
        (iter([["a"]]), "list_iterator"),
        (map(str.split, ["a"]), "map"),
        (kept, "Exhausted"),
    ]:
        assert message(CorpusTypeError, open_corpus, source) == (
            f"A {kind} can be read only once, and a corpus is read twice. "
            "Give a list, or an object whose __iter__ starts over each time."
        )
    assert list(kept) == [["a"]]


def test_an_open_file_is_refused_in_favour_of_its_path(write: Callable[..., Path]) -> None:
    with write("a b").open() as file:
        said = message(CorpusTypeError, open_corpus, file)
    assert said == "An open file can be read only once, and a corpus is read twice. Give its path."


def test_strings_are_not_token_lists() -> None:
    assert message(CorpusTypeError, open_corpus, ["the cat sat", "a dog"]) == (
        "A sentence must be a list of words, but corpus[0] is the string 'the cat sat'. "
        "Use [s.split() for s in sentences]; if these are file names, no such files exist."
    )
    assert message(CorpusTypeError, open_corpus, Restarting(["the cat"])) == (
        "A sentence must be a list of words, but corpus[0] is the string 'the cat'. Use .split() on it."
    )
    assert "is the string" in message(CorpusTypeError, open_corpus, ["x" * 100_000, "\0"])


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ([1, 2], "corpus[0][0] is 1, of type int. Words are strings: use str()."),
        (["a", None], "corpus[0][1] is None, of type NoneType. Words are strings: use str()."),
        (["a", b"b"], "corpus[0][1] is b'b', of type bytes. Words are strings: use word.decode()."),
        (["a", ""], "corpus[0][1] is an empty string. Leave empty words out: [w for w in words if w]."),
        (["\ud800"], r"corpus[0][0] is '\ud800', which is half a character. Decode the text with errors='replace'."),
        ({"a"}, "A sentence must be a list of words, but corpus[0] is a set. Use list() on it."),
        (7, "A sentence must be a list of words, but corpus[0] is a int. Use list() on it."),
    ],
)
def test_the_first_sentence_is_checked_at_once_and_the_others_when_read(sentence: object, said: str) -> None:
    assert message(CorpusTypeError, open_corpus, [sentence]) == said
    corpus = open_corpus([["fine"], sentence])
    assert message(CorpusTypeError, lambda: list(corpus.sentences())) == said.replace("corpus[0]", "corpus[1]")


@pytest.mark.parametrize("source", [None, 7, b"a b", 1.5, len])
def test_other_things_are_not_a_corpus(source: object) -> None:
    assert message(CorpusTypeError, open_corpus, source) == (
        f"A corpus cannot be of type {type(source).__name__}. Give a path, a list of paths, or a list of token lists."
    )


def test_a_set_is_refused_since_its_order_changes_from_run_to_run() -> None:
    assert message(CorpusTypeError, open_corpus, {("a", "b")}) == (
        "A set has no fixed order, so results would differ from run to run. Give a list of token lists."
    )


def test_what_an_iterable_raises_reaches_the_caller_as_it_is() -> None:
    class Broken(Exception):
        pass

    class Breaking:
        def __iter__(self) -> Iterator[list[str]]:
            yield ["a"]
            raise Broken("my own words")

    corpus = open_corpus(Breaking())
    assert message(Broken, lambda: list(corpus.sentences())) == "my own words"


def test_a_tokenizer_must_give_lists_of_words_and_needs_files(write: Callable[..., Path]) -> None:
    path = write("the cat")
    assert message(CorpusTypeError, sentences, path, lambda line: line) == (
        "A sentence must be a list of words, but tokenize('the cat') is the string 'the cat'. Use .split() on it."
    )
    assert message(CorpusTypeError, sentences, path, lambda line: [len(line)]) == (
        "tokenize('the cat')[0] is 7, of type int. Words are strings: use str()."
    )
    assert message(CorpusTypeError, sentences, [["a"]], str.split) == (
        "tokenize= works on the lines of files, but the corpus is a list. Give a path, or token lists and no tokenize=."
    )


# --- Options


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"encoding": "klingon"}, "encoding='klingon' is not an encoding that pairloom reads."),
        ({"encoding": "hex"}, "encoding='hex' is not an encoding that pairloom reads."),
        ({"encoding": "utf-7"}, "encoding='utf-7' is not an encoding that pairloom reads."),
        ({"encoding": None}, "encoding=None is not an encoding that pairloom reads."),
        ({"errors": "maybe"}, "errors='maybe' is not a choice. Use strict, replace or ignore."),
        ({"lowercase": 1}, "lowercase=1 is not a choice. Use True or False."),
        ({"max_sentence": 1}, "max_sentence=1 is out of range. Use 2 to 1000000; 10000 is usual."),
        ({"max_sentence": 1_000_001}, "max_sentence=1000001 is out of range. Use 2 to 1000000; 10000 is usual."),
        ({"max_sentence": 2.5}, "max_sentence=2.5 is not a whole number. Use 2 to 1000000; 10000 is usual."),
    ],
)
def test_an_option_out_of_range_is_named(options: dict[str, Any], said: str) -> None:
    assert message(ConfigError, TextOptions, **options).startswith(said)


# --- Change


def test_identity_is_that_of_path_size_time_and_content(write: Callable[..., Path]) -> None:
    path = write("a b c")
    status = path.stat()
    first = open_corpus(path).identity()
    assert first == open_corpus(str(path)).identity()
    assert first != open_corpus([path, path]).identity()
    assert first != open_corpus(write("a b c", "other")).identity()
    path.write_bytes(b"a b d")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert first != open_corpus(path).identity()


def test_a_file_that_changes_while_it_is_read_is_noticed(write: Callable[..., Path]) -> None:
    path = write("a b\n" * 100)
    corpus = open_corpus(path)
    corpus.check_unchanged()
    path.write_bytes(b"a b\n")
    changed = f"{path} was changed while it was read. Start again when nothing writes to it."
    assert message(CorpusChangedError, corpus.check_unchanged) == changed
    assert message(CorpusChangedError, corpus.identity) == changed
    path.write_bytes(b"\xff\xff\xff")  # no longer text: the change is the news, not the bytes
    assert message(CorpusChangedError, lambda: list(corpus.sentences())) == changed
    path.unlink()
    assert message(CorpusChangedError, lambda: list(corpus.sentences())) == (
        f"{path} disappeared while it was read (No such file or directory). Put it back and start again."
    )


def test_a_ring_of_links_does_not_multiply_the_text(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.txt").write_text("a\n")
    (tmp_path / "sub" / "b.txt").write_text("b\n")
    (tmp_path / "sub" / "up").symlink_to(tmp_path)
    with open_corpus(f"{tmp_path}/**") as corpus:
        assert list(corpus.sentences()) == [["a"], ["b"]]


def test_utf_16_without_a_byte_order_mark_is_answered_with_the_two_orders(tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_bytes(b"plain text\n")
    with open_corpus(tmp_path / "c.txt", text=TextOptions(encoding="utf-16")) as corpus:
        assert "--encoding utf-16-le or utf-16-be" in message(InputError, lambda: list(corpus.sentences()))


# --- What the system refuses


def test_what_may_not_be_read_is_named(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_text("a b")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(InputError, match=r"a\.txt cannot be opened: Permission denied\. Check its permissions\.$"):
        open_corpus(tmp_path / "a.txt")


def test_a_folder_below_that_may_not_be_read_is_named(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_text("a b")
    (tmp_path / "closed").mkdir()
    scandir = os.scandir

    def closed(path):
        if Path(path).name == "closed":
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", closed)
    with pytest.raises(InputError, match=r"closed cannot be opened: Permission denied\. Check its permissions\.$"):
        open_corpus(tmp_path)


def test_a_closed_standard_input_is_refused(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match=r"^Standard input is closed\. Give a file, or something to read from\.$"):
        open_corpus("-")


@pytest.mark.parametrize("others", [[], ["a.txt"]])
def test_a_stream_that_fails_leaves_no_spool_behind(tmp_path, monkeypatch, others):
    class Broken(io.RawIOBase):
        def readable(self):
            return True

        def readinto(self, _):
            raise OSError(5, "Input/output error")

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Broken())))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "spool"))
    (tmp_path / "spool").mkdir()
    (tmp_path / "a.txt").write_text("a b")
    with pytest.raises(InputError, match=r"^standard input cannot be read: Input/output error\. Give another source"):
        open_corpus([*(tmp_path / name for name in others), Path("-")])
    assert list((tmp_path / "spool").iterdir()) == []


def test_a_file_that_cannot_be_read_to_its_end_is_named(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_text("a b")
    corpus = open_corpus(tmp_path / "a.txt")

    def broken(path, *_):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Path, "open", broken)
    with pytest.raises(InputError, match=r"a\.txt could not be read: Input/output error\. Check the file\.$"):
        list(corpus.sentences())


def test_without_its_package_zstd_is_refused_with_what_to_install(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_bytes(b"\x28\xb5\x2f\xfd and more")
    for name in ("backports", "backports.zstd", "compression", "compression.zstd"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(InputError, match=r"compressed by zstd, .* Install it with: pip install backports\.zstd$"):
        list(open_corpus(tmp_path / "a.txt").sentences())


def test_a_sample_is_taken_once(tmp_path):
    (tmp_path / "a.txt").write_text("a b")
    file = SourceFile.at(tmp_path / "a.txt", "a.txt")
    assert file.is_unchanged()
    assert file.sample() == file.sample()
    assert file.is_unchanged()


def test_the_line_of_a_byte_beyond_the_first_block_is_found(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"word\n" * 300_000 + b"caf\xe9\n")
    with pytest.raises(InputError, match=r"line 300001\b|line 300,001\b"):
        list(open_corpus(tmp_path / "a.txt").sentences())


def test_packed_text_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(unpacking, "_FREELY_UNPACKED", 1000)
    (tmp_path / "a.txt").write_bytes(gzip.compress(b"a b\n" * 500_000))
    with pytest.raises(InputError, match=r"a\.txt unpacks to more than 200 times its [\d,]+ bytes"):
        list(open_corpus(tmp_path / "a.txt").sentences())


def test_the_line_of_a_byte_that_is_gone_is_the_last_one(tmp_path):
    (tmp_path / "a.txt").write_text("a\nb\n")
    assert decoding._line_number(SourceFile.at(tmp_path / "a.txt", "a.txt"), "utf-8", 1000) == 3
