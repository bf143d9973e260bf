"""Which words take part, in which order, and what follows from their counts."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pairloom.corpus.counting import WordCounts
from pairloom.corpus.sentences import open_corpus
from pairloom.corpus.vocabulary import Vocabulary, WordSelection
from pairloom.errors import ConfigError, InputError, OutputError
from tests.corpus.helpers import message
from tests.corpus.selecting import split


def vocabulary_of(source: object, **options: Any) -> Vocabulary:
    with open_corpus(source) as corpus:
        selection, others = split(**options)
        return Vocabulary.from_corpus(corpus, selection, **others)


# --- Order and choice


def test_words_are_ordered_by_count_and_then_by_their_bytes() -> None:
    vocabulary = vocabulary_of([["b", "é", "z", "a", "z", "😀", "\uffee", "B"]])
    assert vocabulary.words == ("z", "B", "a", "b", "é", "\uffee", "😀")
    assert vocabulary.counts.tolist() == [2, 1, 1, 1, 1, 1, 1]
    assert list(vocabulary.words[1:]) == sorted(vocabulary.words[1:], key=str.encode)


def test_a_vocabulary_answers_for_its_words() -> None:
    vocabulary = vocabulary_of([["a", "b", "a"]])
    assert len(vocabulary) == 2
    assert "a" in vocabulary and "c" not in vocabulary
    assert vocabulary.index == {"a": 0, "b": 1}
    assert vocabulary.n_tokens == 3
    assert vocabulary == vocabulary_of([["b", "a", "a"]]) != vocabulary_of([["a", "b"]])
    assert not vocabulary.counts.flags.writeable


def test_words_seen_less_often_than_min_count_leave() -> None:
    assert vocabulary_of([list("aaabbbccd")], min_count=2).words == ("a", "b", "c")
    assert vocabulary_of([list("aaabbbccd")], min_count=3).words == ("a", "b")


def test_max_vocab_takes_the_first_in_order() -> None:
    assert vocabulary_of([list("ddccbbaaa")], max_vocab=3).words == ("a", "b", "c")


def test_words_to_keep_stay_if_they_occur_and_words_to_drop_go() -> None:
    source = [list("aaaabbbbcccd")]
    assert vocabulary_of(source, min_count=4, keep=["d", "never"]).words == ("a", "b", "d")
    assert vocabulary_of(source, max_vocab=2, keep=["d"]).words == ("a", "d")
    assert vocabulary_of(source, max_vocab=2, keep=iter("dcb")).words == ("b", "c", "d")
    assert vocabulary_of(source, drop=["a", "never"]).words == ("b", "c", "d")
    assert vocabulary_of(source, max_vocab=2, drop=["a"]).words == ("b", "c")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"min_count": 0},
            "min_count=0 is out of range. Use 1 to 4611686018427387904; 5 is usual, 1 keeps every word.",
        ),
        (
            {"min_count": 2.5},
            "min_count=2.5 is not a whole number. Use 1 to 4611686018427387904; 5 is usual, 1 keeps every word.",
        ),
        ({"max_vocab": 1}, "max_vocab=1 is out of range. Use 2 to 2147483647; leave it out to keep all words."),
        ({"keep": ["x", "b"], "drop": ["b"]}, "'b' is in both keep and drop. Take it out of one of them."),
        ({"drop": "the"}, "drop='the' is not a list of words. Use a list of strings."),
        ({"keep": [3]}, "keep and drop are lists of words, and 3 is not a string. Use str() on it."),
    ],
)
def test_an_option_out_of_range_is_named_when_the_selection_is_made(options: dict[str, Any], said: str) -> None:
    assert message(ConfigError, WordSelection, **options) == said


@pytest.mark.parametrize("text", ["", "\n\n\r\n", "   \t ", "\ufeff"])
def test_a_text_without_words_is_not_a_corpus(tmp_path: Path, text: str) -> None:
    path = tmp_path / "corpus.txt"
    path.write_text(text)
    assert message(InputError, vocabulary_of, path) == (
        f"{path} has no words. A corpus is text with words separated by spaces, one sentence or paragraph per line."
    )
    assert message(InputError, vocabulary_of, []).startswith("the corpus (a list) has no words. ")


def test_too_few_words_are_an_error_with_the_counts() -> None:
    assert message(InputError, vocabulary_of, [list("aabbb")], min_count=5) == (
        "min_count=5 leaves none of the 2 words of the corpus (a list), and at least 2 words are needed. "
        "Use min_count=2, or more text."
    )
    assert message(InputError, vocabulary_of, [["a", "a"]]) == (
        "the corpus (a list) has only one word, and at least 2 words are needed. Use more text."
    )
    assert message(InputError, vocabulary_of, [list("aab")], min_count=2) == (
        "min_count=2 leaves 1 of the 2 words of the corpus (a list), and at least 2 words are needed. "
        "Use min_count=1, or more text."
    )


def test_options_that_leave_too_few_words_are_named_with_a_value_that_would_do() -> None:
    corpus = [list("aaaabbc")]
    assert "Use min_count=2, or" in message(InputError, vocabulary_of, corpus, min_count=9)
    assert "Use min_count=4, or" in message(InputError, vocabulary_of, corpus, min_count=9, keep=["c"])
    assert "Use min_count=1, or" in message(InputError, vocabulary_of, corpus, min_count=2, drop=["b"])
    assert message(InputError, vocabulary_of, corpus, min_count=9, drop=["a", "b"]) == (
        "drop leaves none of the 3 words of the corpus (a list), and at least 2 words are needed. "
        "Drop fewer words, or use more text."
    )
    spilled = WordCounts("big.txt", b"a", np.array([0, 1]), np.array([9]), 99, n_left_out=50, highest=[9, 4])
    assert "Use min_count=4, or" in message(InputError, Vocabulary.from_counts, spilled, WordSelection(min_count=9))


def test_a_vocabulary_has_one_count_per_word_and_each_word_once() -> None:
    assert message(InputError, Vocabulary, ("a", "b"), [1]) == (
        "A vocabulary needs one count per word, not 1 count for 2 words."
    )
    assert message(InputError, Vocabulary, ("a", "b", "b"), [1, 1, 1]) == (
        "The vocabulary has 'b' more than once. Leave one of them out."
    )


# --- Files


def test_a_vocabulary_is_saved_as_word2vec_does_and_read_back(tmp_path: Path) -> None:
    vocabulary = vocabulary_of([["b", "é", "a", "b"]])
    vocabulary.save(tmp_path / "words.txt")
    assert (tmp_path / "words.txt").read_bytes() == "b 2\na 1\né 1\n".encode()
    assert Vocabulary.read(tmp_path / "words.txt") == vocabulary


def test_a_file_of_word2vec_is_read_without_its_sentence_mark_and_put_in_our_order(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_bytes(b"</s> 7\nz 3\nb 5\na 3\n")
    assert Vocabulary.read(tmp_path / "words.txt") == Vocabulary(("b", "a", "z"), np.array([5, 3, 3]))


def test_a_word_that_looks_like_the_sentence_mark_survives_saving(tmp_path: Path) -> None:
    for source in ([["</s>", "</s>", "a"]], [["a", "a", "</s>"]]):
        vocabulary = vocabulary_of(source)
        vocabulary.save(tmp_path / "words.txt")
        assert Vocabulary.read(tmp_path / "words.txt") == vocabulary


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"a 1\nb\n", "words.txt, line 2: 'b' is not a word and its count. Each line must read like: house 123"),
        (b"a 1\n\nb 1\n", "words.txt, line 2: '' is not a word and its count. Each line must read like: house 123"),
        (
            b"a 1\nb 1.5\n",
            "words.txt, line 2: 'b 1.5' is not a word and its count. Each line must read like: house 123",
        ),
        (b"a 1\nb -1\n", "words.txt, line 2: 'b -1' is not a word and its count. Each line must read like: house 123"),
        (b"a 1\nb 0\n", "words.txt, line 2: the count 0 is out of range. Use 1 to 9223372036854775807."),
        (
            b"a 1\nb 9223372036854775808\n",
            "words.txt, line 2: the count 9223372036854775808 is out of range. Use 1 to 9223372036854775807.",
        ),
        (b"a 1\nb 1\na 2\n", "words.txt, line 3: 'a' is already in the list. Leave one of them out."),
        (b"a 1\n\xff 1\n", "words.txt, line 2: not valid UTF-8 (byte 0 of the line). Save the file as UTF-8."),
        (b"a 1\n", "words.txt has 1 word, and at least 2 words are needed. Write one `word count` per line."),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "words.txt").write_bytes(content)
    assert message(InputError, Vocabulary.read, tmp_path / "words.txt") == f"{tmp_path}/{said}"


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert message(InputError, Vocabulary.read, tmp_path / "no") == (
        f"{tmp_path / 'no'} cannot be read: No such file or directory. Give a file of `word count` lines."
    )
    assert message(OutputError, vocabulary_of([["a", "b"]]).save, tmp_path / "no" / "words.txt") == (
        f"{tmp_path / 'no' / 'words.txt'} could not be written: No such file or directory. Create its folder first."
    )


def test_words_with_white_space_cannot_be_saved_as_text(tmp_path: Path) -> None:
    vocabulary = vocabulary_of([["new york", "a"]])
    assert message(InputError, vocabulary.save, tmp_path / "words.txt") == (
        "The word 'new york' has white space, so it cannot be written to a text file of words. "
        "Replace white space in words, for example by _."
    )
    assert not list(tmp_path.iterdir())


# --- What follows from the counts


def test_frequent_words_are_kept_less_often() -> None:
    vocabulary = Vocabulary(("a", "b", "c"), np.array([900, 99, 1]))
    t, f = 0.01, np.array([0.9, 0.099, 0.001])
    expected = [np.sqrt(t / f[0]) + t / f[0], np.sqrt(t / f[1]) + t / f[1], 1.0]
    np.testing.assert_allclose(vocabulary.keep_probability(0.01), expected, rtol=1e-15)
    assert vocabulary.keep_probability(0).tolist() == [1, 1, 1]
    published = [min(1, (0.01 / f) ** 0.5) for f in vocabulary.counts / vocabulary.n_tokens]
    np.testing.assert_allclose(vocabulary.keep_probability(0.01, "published"), published, rtol=1e-15)


def test_noise_is_the_counts_to_a_power() -> None:
    vocabulary = Vocabulary(("a", "b"), np.array([16, 1]))
    np.testing.assert_allclose(vocabulary.noise(0.75), [8 / 9, 1 / 9], rtol=1e-15)
    np.testing.assert_allclose(vocabulary.noise(0.0), [0.5, 0.5], rtol=1e-15)


def test_a_sample_or_power_that_is_not_a_finite_number_is_refused() -> None:
    vocabulary = Vocabulary(("a", "b"), np.array([16, 1]))
    assert message(ConfigError, vocabulary.keep_probability, float("nan")) == (
        "sample=nan is out of range. Use 0 (keep all) or about 1e-5 to 1e-3."
    )
    assert message(ConfigError, vocabulary.noise, float("inf")) == (
        "noise_power=inf is not a number. Use 0.75, or 0 (uniform) to 1 (as in the text)."
    )


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads /proc")
def test_a_vocabulary_takes_little_more_memory_than_its_words():
    script = """if True:
        import re, sys
        from pathlib import Path

        import numpy as np
        from pairloom.corpus.counting import WordCounts
        from pairloom.corpus.vocabulary import Vocabulary, WordSelection

        def resident():
            return 1024 * int(re.search("RssAnon:\\\\s+(\\\\d+)", Path("/proc/self/status").read_text())[1])

        n = 300_000
        arena = "".join(f"w{i:09}" for i in range(n)).encode()
        counts = WordCounts("text", arena, np.arange(0, 10 * n + 1, 10), np.arange(n) % 7 + 5, n)
        before = resident()
        vocabulary = Vocabulary.from_counts(counts)
        words = vocabulary.words
        strings = sum(-16 * (-sys.getsizeof(word) // 16) for word in words)  # Python allocates multiples of 16 bytes
        size = strings + sys.getsizeof(words) + vocabulary.counts.nbytes
        print((resident() - before) / size)
    """
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 2.0  # 2.25 when strings were made among tuples that went


def test_counts_are_one_or_more_and_those_of_a_real_text():
    assert message(InputError, Vocabulary, ("a", "b"), np.array([3, 0])) == (
        "The vocabulary has 'b' with a count of 0. Leave it out, or give a count of 1 or more."
    )
    with pytest.raises(InputError, match=r"^The counts of the vocabulary add up to 2\^62 or more\."):
        Vocabulary(("a", "b"), np.array([2**61, 2**61]))


def test_vocabularies_are_compared_with_vocabularies():
    vocabulary = Vocabulary(("a", "b"), np.array([3, 2]))
    assert vocabulary == Vocabulary(("a", "b"), np.array([3, 2]))
    assert vocabulary != ("a", "b")
    assert len({vocabulary, Vocabulary(("a", "b"), np.array([3, 2]))}) == 1
