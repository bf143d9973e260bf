"""All errors and warnings of pairloom. Each error has the exit code with which the command line ends.

    PairloomError
    ├── InputError          2   a corpus, a file or a value that cannot be used (also a ValueError)
    │   ├── ConfigError     2   an option is out of range, or does not exist
    │   ├── CorpusTypeError 2   not a corpus: a generator, or strings in place of token lists (also a TypeError)
    │   ├── MissingFileError 2  a file or folder that does not exist (also a FileNotFoundError)
    │   └── UnknownWordError 2  a word that the vectors do not have (also a KeyError)
    ├── MissingExtraError   2   a package of an extra is missing or cannot be imported (also an ImportError)
    ├── DivergedError       3   the vectors became NaN, exploded, or ended worse than before training
    ├── CorpusChangedError  4   the corpus changed while it was read
    ├── OutputError         5   a file could not be written; the old one is intact (also an OSError)
    ├── LockedError         6   another run has the same output
    ├── ClusterError        7   workers on a cluster cannot be had, or were lost with all copies of their rows
    └── StoppedError  130, 143  training was stopped from outside, and wrote a checkpoint

    CorpusWarning, VectorsWarning, CheckpointWarning (UserWarnings): something odd, but the work goes on
    SmallTextWarning (a CorpusWarning): other settings would suit the text better
    IgnoredOptionWarning (a UserWarning): an option, or an argument of gensim, that has no effect here

    Fault   internal: a reader raises it, and its caller turns it into an InputError with the name of the file
    NoPairsError (an InputError)   internal: its caller knows the corpus, and finds out which option would help

A message says what was asked, what is so, and what to do, in that order and on one line.
"""


class PairloomError(Exception):
    """The root of the tree. Catch it to catch every error of pairloom."""

    exit_code = 2


class InputError(PairloomError, ValueError):
    """A corpus, a file or a value cannot be used as it is."""


class ConfigError(InputError):
    """An option is out of range, does not exist, or contradicts another option."""


class CorpusTypeError(InputError, TypeError):
    """A Python object is not a corpus: an iterable of lists of strings that can be read more than once."""


class MissingFileError(InputError, FileNotFoundError):
    """There is no such file. Code written for other libraries catches a FileNotFoundError or an OSError here."""


def unreadable(error: OSError | ValueError) -> type[InputError]:
    """The class of our error for one of the system's that came when a file was opened."""
    return MissingFileError if isinstance(error, FileNotFoundError) else InputError


class UnknownWordError(InputError, KeyError):
    """The vectors do not have this word. Code written for gensim catches a KeyError here."""

    __str__ = Exception.__str__  # KeyError's own puts the message in quotes


class MissingExtraError(PairloomError, ImportError):
    """A package that belongs to an extra is not installed, or cannot be imported."""


class DivergedError(PairloomError):
    """The vectors became NaN or far too large, or predict worse than before training."""

    exit_code = 3


class CorpusChangedError(PairloomError):
    """The corpus changed between the two times that it is read."""

    exit_code = 4


class OutputError(PairloomError, OSError):
    """A file could not be written. The old file at its path is unchanged.

    One exception, which its message states: the new file is in place, but a power cut could still undo that.
    """

    exit_code = 5


class LockedError(PairloomError):
    """Another run has the same output file or the same folder of checkpoints."""

    exit_code = 6


class ClusterError(PairloomError):
    """A cluster could not be used, or lost so many workers at once that rows of the matrices are gone."""

    exit_code = 7


class StoppedError(PairloomError):
    """Training was stopped, for example by a signal, and wrote a checkpoint from which it can be resumed."""

    exit_code = 130


class CorpusWarning(UserWarning):
    """Something in the corpus to know of, though training goes on: NUL bytes, too long words, words left out."""


class SmallTextWarning(CorpusWarning):
    """A text is too small for the default settings. The message has settings that suit it."""


class VectorsWarning(UserWarning):
    """Something odd in a file of vectors that does not stop loading: repeated words."""


class CheckpointWarning(UserWarning):
    """The newest checkpoint is damaged, and the one before it is used."""


class IgnoredOptionWarning(UserWarning):
    """An option has no effect beside others, or an argument of gensim has none, or another one, here."""


class Fault(Exception):
    """What is wrong with a file, where, and what to do. Internal: the caller raises it again as an InputError.

    Readers do not know the name of their file. The caller does, and puts it before the message.
    """


class NoPairsError(InputError):
    """A corpus gives no pairs. Internal: the caller raises an InputError that names the option to change."""
