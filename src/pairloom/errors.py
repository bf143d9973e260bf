"""Every error that pairloom raises on purpose, and the exit code that the command line gives it.

    PairloomError
    ├── InputError          2   a corpus, a file or a value that cannot be used (also a ValueError)
    │   ├── ConfigError     2   an option out of its range
    │   ├── CorpusTypeError 2   not a corpus at all: a generator, strings for token lists (also a TypeError)
    │   └── UnknownWordError 2  a word that the vectors do not have (also a LookupError)
    ├── MissingExtraError   2   a package that only an extra brings (also an ImportError)
    ├── DivergedError       3   the vectors became NaN or exploded
    ├── CorpusChangedError  4   the corpus was written to while it was read
    ├── OutputError         5   a file could not be written (the old one is intact)
    ├── LockedError         6   another process is about to write the same output
    └── StoppedError  130, 143  training was asked to stop, and has written a checkpoint

A message says what was asked, what is so, and what to do, in one line.
"""


class PairloomError(Exception):
    """The root of the tree; catch it to catch all of them."""

    exit_code = 2


class InputError(PairloomError, ValueError):
    """A corpus, a file or a value that cannot be used as it is."""


class ConfigError(InputError):
    """An option out of its range."""


class CorpusTypeError(InputError, TypeError):
    """A Python object that is not a corpus: it must be readable twice and give lists of strings."""


class UnknownWordError(InputError, LookupError):
    """A word that these vectors do not have. (Not a KeyError: that puts quotes round its message.)"""


class MissingExtraError(PairloomError, ImportError):
    """A package that only an extra brings is not installed."""


class DivergedError(PairloomError):
    """The vectors became NaN or grew beyond any sense."""

    exit_code = 3


class CorpusChangedError(PairloomError):
    """The corpus was written to between its two readings."""

    exit_code = 4


class OutputError(PairloomError, OSError):
    """A file could not be written; what stood at its path before stands there still.

    (Or, if the message says so, the new one stands there, and its name could not be flushed to the disk.)
    """

    exit_code = 5


class LockedError(PairloomError):
    """Another process is about to write the same file, or trains into the same folder of checkpoints."""

    exit_code = 6


class StoppedError(PairloomError):
    """Training was asked to stop (by a signal, say), and has written a checkpoint to go on from."""

    exit_code = 130


class CorpusWarning(UserWarning):
    """Something odd in the corpus that training survives: NUL bytes, words longer than the limit."""


class VectorsWarning(UserWarning):
    """Something odd in a file of vectors that loading survives: words that occur twice."""


class CheckpointWarning(UserWarning):
    """A checkpoint that is damaged, while the one before it is not."""


class Fault(Exception):
    """What is wrong with a file, where, and what to do; `opened` puts the name of the file before it."""
