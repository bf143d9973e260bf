"""Text becomes ids, and sentences become starts."""

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairloom.corpus.encoding import _sentence_lengths, encode
from pairloom.corpus.sentences import open_corpus
from pairloom.corpus.vocabulary import Vocabulary
from pairloom.errors import CorpusChangedError, InputError
from tests.corpus.helpers import as_lists, message
from tests.reading import read_in_blocks

if sys.version_info >= (3, 14):
    pass
else:
    pass


AB = Vocabulary(("a", "b"), np.array([5, 3]))


def encoded_text(folder: Path, text: str, vocabulary: Vocabulary = AB, **options: Any) -> list[list[int]]:
    (folder / "corpus.txt").write_text(text, newline="")
    with open_corpus(folder / "corpus.txt") as corpus:
        return as_lists(encode(corpus, vocabulary, folder, **options))


# --- Ids and sentences


def test_words_become_ids_and_unknown_words_leave_the_text(tmp_path: Path) -> None:
    assert encoded_text(tmp_path, "a x b\nb b\n") == [[0, 1], [1, 1]]


def test_sentences_that_lose_all_words_are_gone(tmp_path: Path) -> None:
    assert encoded_text(tmp_path, "\nx y\na\n\nz\nb\nx") == [[0], [1]]


def test_long_lines_are_cut_by_the_words_that_stay(tmp_path: Path) -> None:
    assert encoded_text(tmp_path, "a x x a x b b a\na b\n", max_sentence=2) == [[0, 0], [1, 1], [0], [0, 1]]


def test_files_are_little_endian_and_mapped_read_only(tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_text("a b\nb a a")
    with open_corpus(tmp_path / "corpus.txt") as corpus:
        encoded = encode(corpus, AB, tmp_path)
    assert (tmp_path / "ids.bin").read_bytes() == np.array([0, 1, 1, 0, 0], "<i4").tobytes()
    assert (tmp_path / "starts.bin").read_bytes() == np.array([0, 2, 5], "<i8").tobytes()
    assert (encoded.ids.dtype, encoded.starts.dtype) == (np.int32, np.int64)
    assert (encoded.n_tokens, encoded.n_sentences) == (5, 2)
    assert not encoded.ids.flags.writeable and not encoded.starts.flags.writeable


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from(["a ", "b ", "a b\u3000", "a x ", "a", "b\n", "\r\n"]), max_size=60).map("".join),
    st.integers(2, 5),
    st.integers(4, 30),
    st.booleans(),
)
def test_cutting_loses_nothing_wherever_blocks_end(
    tmp_path_factory: pytest.TempPathFactory, text: str, longest: int, block: int, by_tokenizer: bool
) -> None:
    lines = [[{"a": 0, "b": 1}[w] for w in line.split() if w in AB] for line in text.replace("\r", "\n").split("\n")]
    expected = [line[i : i + longest] for line in lines for i in range(0, len(line), longest)]
    folder = tmp_path_factory.mktemp("encode")
    (folder / "corpus.txt").write_bytes(text.encode())
    with pytest.MonkeyPatch.context() as patch:
        read_in_blocks(patch, block)
        patch.setattr("pairloom.corpus.kinds.token_lists.WORDS_PER_BLOCK", block // 3)
        patch.setattr("pairloom.corpus.inputs.word_lists.WORDS_PER_BLOCK", block // 3)
        with open_corpus(folder / "corpus.txt", tokenize=str.split if by_tokenizer else None) as corpus:
            if not expected:
                assert "are in the vocabulary" in message(InputError, encode, corpus, AB, folder, max_sentence=longest)
            else:
                assert as_lists(encode(corpus, AB, folder, max_sentence=longest, threads=1)) == expected


def test_lengths_of_pieces() -> None:
    assert _sentence_lengths(np.array([3, 12, 5]), n_open=11, longest=5).tolist() == [3, 5, 5, 2, 5, 5, 5]
    assert _sentence_lengths(np.array([], np.int64), n_open=4, longest=5).tolist() == []


def test_a_file_that_changes_between_its_readings_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "corpus.txt"
    path.write_text("a b\n" * 100)
    with open_corpus(path) as corpus:
        vocabulary = Vocabulary.from_corpus(corpus)
        path.write_text("a b\n" * 10)
        assert message(CorpusChangedError, encode, corpus, vocabulary, tmp_path) == (
            f"{path} was changed while it was read. Start again when nothing writes to it."
        )


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells how much memory mapped files hold")
def test_sentences_can_release_their_memory_and_be_read_again(tmp_path):
    def mapped_kb():
        return int(re.search(r"RssFile:\s+(\d+) kB", Path("/proc/self/status").read_text())[1])

    path = tmp_path / "text.txt"
    path.write_text("a b c d e f g h\n" * 500_000)  # 16 MB of ids
    with open_corpus(path) as corpus, encode(corpus, Vocabulary.from_corpus(corpus), tmp_path) as encoded:
        total = int(encoded.ids.sum())
        before = mapped_kb()
        encoded.release(0, encoded.n_sentences)
        assert mapped_kb() < before - 15_000
        assert int(encoded.ids.sum()) == total
        assert mapped_kb() > before - 5_000
