"""What is a line, what is a word, and what is not a corpus."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pairloom.config import TextOptions
from pairloom.corpus.sentences import open_corpus
from pairloom.errors import ConfigError, CorpusChangedError, CorpusTypeError
from tests.corpus.helpers import message, sentences

# --- Lines and words


def test_a_line_is_a_sentence_and_its_words_are_separated_by_white_space(write: Callable[..., Path]) -> None:
    assert sentences(write("the cat  sat\n\ton the mat\n")) == [["the", "cat", "sat"], ["on", "the", "mat"]]


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


def test_a_word_beyond_the_limit_is_left_out_whole_and_merges_with_nothing(write: Callable[..., Path]) -> None:
    giant = "x" * 10_000_000
    assert sentences(write(f"a {'y' * 1000} {giant} b {'z' * 1001}\n{giant}")) == [["a", "y" * 1000, "b"]]
    assert sentences([["a", "é" * 500, "é" * 501, "b"]]) == [["a", "é" * 500, "b"]]


# --- Python objects


class Restarting:
    """Token lists that start over each time."""

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


def test_an_iterator_is_refused_without_being_consumed() -> None:
    class Exhausted:
        def __init__(self) -> None:
            self.iterator = iter([["a"]])

        def __iter__(self) -> Iterator[list[str]]:
            return self.iterator

    kept = Exhausted()
    for source, kind in [
        ((s for s in [["a"]]), "A generator"),
        (iter([["a"]]), "A list_iterator"),
        (map(str.split, ["a"]), "A map"),
        (kept, "An Exhausted"),
    ]:
        assert message(CorpusTypeError, open_corpus, source) == (
            f"{kind} can be read only once, and a corpus is read twice. "
            "Give a list, or an object whose __iter__ starts over each time; or copy it to a temporary file: "
            "pairloom.spool(...), or train(..., spool=True)."
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
        (7, "A sentence must be a list of words, but corpus[0] is an int. Use list() on it."),
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


def test_exceptions_of_an_iterable_reach_the_caller_unchanged() -> None:
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
