"""All errors: what they are caught as, what they say, and that they reach another process."""

import copy
import inspect
import pickle

import pytest

from pairloom import errors
from pairloom.errors import InputError, OutputError, PairloomError, StoppedError, UnknownWordError
from pairloom.vectors.vectors import Vectors

ERRORS = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, Exception)]


def test_an_unknown_word_is_caught_as_in_gensim_and_still_says_what_to_do_in_plain_words():
    vectors = Vectors(["king"], [[1]])
    for ask in (vectors.__getitem__, vectors.most_similar, vectors.get_index):
        with pytest.raises(KeyError) as caught:
            ask("kng")
        assert str(caught.value) == "'kng' is not among the 1 word of these vectors. Did you mean 'king'?"
    assert issubclass(UnknownWordError, InputError)
    assert issubclass(UnknownWordError, LookupError)
    assert issubclass(UnknownWordError, ValueError)


@pytest.mark.parametrize("kind", ERRORS)
@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_every_error_can_be_copied_and_pickled(kind, again):
    error = again(kind("It's 'so', and \"thus\"."))
    assert type(error) is kind
    assert str(error) == "It's 'so', and \"thus\"."
    assert f"{error}" == str(error)


def test_an_exit_code_of_its_own_goes_along():
    error = StoppedError("Stopped.")
    error.exit_code = 143
    assert pickle.loads(pickle.dumps(error)).exit_code == 143


def test_the_tree_in_the_docstring_names_every_class():
    tree = errors.__doc__ or ""
    assert [kind.__name__ for kind in ERRORS if kind.__name__ not in tree] == []
    builtin = {kind: base.__name__ for kind in ERRORS for base in kind.__bases__ if base.__module__ == "builtins"}
    for kind, name in builtin.items():
        if issubclass(kind, PairloomError) and kind is not PairloomError:
            line = next(line for line in tree.splitlines() if kind.__name__ in line)
            assert line.endswith(f"(also {'an' if name[0] in 'IO' else 'a'} {name})")
    assert builtin[OutputError] == "OSError"
