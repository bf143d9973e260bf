"""Files that some reader once took wrongly, or could not take: found by fuzzing, bombs and damage, kept for ever.

The first word of a name says what reads the file; tests/files has one for each finding.
"""

import io
from pathlib import Path

import pytest

import pairloom
from pairloom.corpus.vocabulary import Vocabulary
from pairloom.errors import InputError
from pairloom.judging.evaluation import questions
from pairloom.judging.evaluation.similarities import pairs_of
from pairloom.pairs.pair_reading import open_pairs
from pairloom.preparing.phrases import Phrases

FILES = sorted((Path(__file__).parents[1] / "files").iterdir())
READERS = {
    "native": pairloom.load,
    "fasttext": pairloom.load,
    "bin": pairloom.load,
    "vec": pairloom.load,
    "vocabulary": Vocabulary.read,
    "phrases": Phrases.load,
    "pairs": lambda path: list(open_pairs(path).chunks()),
    "questions": lambda path: pairs_of(questions.read(path)),
}
MESSAGES = {
    "bin-a-byte-lost-in-row-1.bin": "row 2 (byte 17) begins without a line feed, which row 1 has",
    "bin-no-rows-of-10-to-the-17-numbers.bin": "its first line promises rows of 100,000,000,000,000,000 numbers",
    "fasttext-bytes-after-its-end.bin": "it goes on at byte 201, where it must end.",
    "fasttext-output-of-no-rows-of-2-to-the-62.bin": "at byte 169 a matrix has 0 rows of 4,611,686,018,427,387,904",
    "native-record-of-odd-things.loom": "which no pairloom writes. It is damaged, or not a file that pairloom saved",
    "native-record-of-150-levels.loom": "the record is nested more than 100 deep.",
    "pairs-weight-with-an-underscore.txt": "line 2: the weight '1_000' is not a number.",
    "phrases-connectors-of-lists.jsonl": "line 1: the header is damaged.",
    "phrases-score-of-nan.jsonl": 'line 2: \'[1, NaN, "a", "b"]\' is not a phrase.',
    "questions-number-with-an-underscore.tsv": "line 2: 'a b 1_0' is not two words and a number.",
    "vec-cut-in-its-last-number.vec": "its last line, from byte 14 on, has no line feed",
    "vec-two-rows-in-one-line.vec": "line 2 (b'a 1 2 3 4\\n') has more than a word and 2 numbers.",
    "vocabulary-count-of-5000-digits.txt": "line 2: 'b 9999",
    "vocabulary-cut-in-its-last-count.txt": "line 2: it has no line end, so it may be cut off.",
}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_that_was_once_taken_wrongly_is_refused_with_the_place(path):
    read = READERS[path.name.partition("-")[0]]
    with pytest.raises(InputError) as refused:
        read(path)
    message = str(refused.value)
    assert MESSAGES[path.name] in message
    assert message.startswith(str(path)) and "\n" not in message and len(message) < 600


def test_the_last_number_of_a_cut_file_is_what_lenient_readers_would_shorten():
    path = Path(__file__).parents[1] / "files" / "vec-cut-in-its-last-number.vec"
    assert pairloom.load(path, lenient=True)["b"].tolist() == [3, 0.25]


def test_all_lines_are_the_same_however_they_end_and_wherever_blocks_are_cut(monkeypatch):
    from pairloom.corpus import lists as listfiles

    for size in (1, 2, 3, 7, 1 << 16):
        monkeypatch.setattr(listfiles, "_BLOCK", size)
        for end in (b"\n", b"\r\n", b"\r"):
            raw = b"\xef\xbb\xbfone" + end + end + "zwölf".encode() + end + b"3"
            lines = list(listfiles.numbered_lines(io.BytesIO(raw), "f"))
            assert lines == [(1, "one"), (2, ""), (3, "zwölf"), (4, "3")]
            with pytest.raises(InputError, match="f, line 4: it has no line end"):
                list(listfiles.numbered_lines(io.BytesIO(raw), "f", whole=True))
            assert len(list(listfiles.numbered_lines(io.BytesIO(raw + end), "f", whole=True))) == 4


def test_a_line_without_end_is_refused_with_its_number():
    from pairloom.corpus import lists as listfiles

    with pytest.raises(InputError, match=r"f, line 2: longer than 65,536 bytes\. Check that this is the right file\."):
        list(listfiles.numbered_lines(io.BytesIO(b"a\n" + b"x" * 200_000), "f"))


def test_standard_input_is_read_as_a_list_too_if_there_is_one(monkeypatch):
    from pairloom.corpus import lists as listfiles

    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a\nb\n")))
    with listfiles.opened("-", "Give a file.") as file:
        assert list(listfiles.numbered_lines(file, "-")) == [(1, "a"), (2, "b")]
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(InputError, match="Standard input is closed"), listfiles.opened("-", "Give a file."):
        pass


@pytest.mark.parametrize(
    ("path", "message"), [("/dev/zero", "is a device"), ("a\0b", "a path cannot hold a NUL"), ("/", "Is a directory")]
)
def test_what_is_no_file_is_no_list(path, message):
    from pairloom.corpus import lists as listfiles

    with pytest.raises(InputError, match=message), listfiles.opened(path, "Give a file.") as file:
        file.read()
