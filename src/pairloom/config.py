"""The options that change the vectors. They are checked once, when the object is made."""

import codecs
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any, Literal, TypedDict, cast, get_args

from pairloom.errors import ConfigError

MOST_THREADS = 256
LONGEST_SENTENCE = 1_000_000
MAX_WORD_BYTES = 1000  # longer "words" are data that strayed into the text: left out and reported, never cut

Rule = Literal["spaces", "words", "icu"]
Tokenizer = Callable[[str], list[str]]
Errors = Literal["strict", "replace", "ignore"]
Architecture = Literal["skipgram", "cbow", "sppmi-svd"]
Objective = Literal["negative", "hs", "softmax"]
CbowGradient = Literal["derivative", "undivided"]
WindowShape = Literal["dynamic", "fixed", "harmonic", "linear"]
Subsampling = Literal["program", "published"]

# Names of our options in word2vec, gensim and fastText, for the error message that their users meet first.
PEER_NAMES = {
    "size": "dim",
    "vector_size": "dim",
    "ws": "window",
    "negative": "negatives",
    "neg": "negatives",
    "ns_exponent": "noise_power",
    "mincount": "min_count",
    "max_final_vocab": "max_vocab",
    "t": "sample",
    "iter": "epochs",
    "epoch": "epochs",
    "alpha": "lr",
    "min_alpha": "min_lr",
    "workers": "threads",
    "thread": "threads",
    "sentences": "corpus",
    "corpus_file": "corpus",
    "input": "corpus",
    "train": "corpus",
    "shrink_windows": "window_shape",
    "pretrainedvectors": "start",
    "sg": "model",
    "cbow": "model",
    "hs": "objective",
    "loss": "objective",
    "cbow_mean": "cbow_gradient",
    "callbacks": "on_epoch",
    "saveoutput": "contexts_output",
}

# Names of theirs that have no counterpart here, and why.
_WHOLE_WORDS = "pairloom learns whole words, not n-grams of letters or words. Leave it out."
_NOT_NEEDED = "it would change nothing here. Leave it out."
PEERS_ALONE = {
    **dict.fromkeys(("minn", "maxn", "bucket", "wordngrams"), _WHOLE_WORDS),
    **dict.fromkeys(("hashfxn", "batch_words", "sorted_vocab", "null_word"), _NOT_NEEDED),
    **dict.fromkeys(("lrupdaterate", "debug", "total_examples", "total_words"), _NOT_NEEDED),
}

# What to do in Python about names whose values are others here, or that several of ours stand for.
_PEER_ADVICE = {
    **PEERS_ALONE,
    "sg": "sg=1 is model='skipgram', the default, and sg=0 is model='cbow'.",
    "cbow": "cbow=0 is model='skipgram', the default, and cbow=1 is model='cbow'.",
    "hs": "hs=1 is objective='hs', and hs=0 is objective='negative', the default.",
    "loss": "loss='ns' is objective='negative', the default; 'hs' and 'softmax' are objective='hs' and 'softmax'.",
    "cbow_mean": "windows are always averaged. cbow_gradient='undivided' is gensim's gradient for cbow_mean=1.",
    "callbacks": "on_epoch= takes a function that is called at the end of each epoch with a pairloom.Epoch.",
    "compute_loss": "the held-out loss is always measured: see record['heldout'], on_epoch= and on_progress=.",
    "trim_rule": "keep= and drop= are lists of words to keep and to leave out.",
    "max_vocab_size": "counts are exact in bounded memory (max_memory=). To keep fewer words, use max_vocab=.",
    "verbose": "on_progress= takes a function that is called with a pairloom.Progress.",
    "binary": "the suffix of output= names the format: .bin is word2vec's binary, .vec its text.",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class TextOptions:
    """How bytes become words."""

    lowercase: bool = False  # str.lower() on the decoded text
    encoding: str = "utf-8"
    errors: Errors = "strict"  # how to treat bytes that the encoding does not allow
    max_sentence: int = 10_000  # longer lines are cut into sentences of this many words; no word is lost
    as_text: bool = False  # read files that look like JSON, CSV, CoNLL-U, XML or HTML as they are
    tokenize: Rule | Tokenizer | None = "spaces"  # how a line is split into words: see `pairloom.method.tokens`
    column: str | None = None  # of a table or a data frame: texts, or lists of words. "review.body" is a nested value
    session: str | None = None  # the column by which rows are grouped into sentences of their items
    item: str | None = None  # with `session`: the column of the items
    order: str | None = None  # with `session`: the column by which the rows of a session are sorted

    def __post_init__(self) -> None:
        self._check_tokenize()
        for name in ("lowercase", "as_text"):
            if not isinstance(getattr(self, name), bool):
                raise ConfigError(f"{name}={getattr(self, name)!r} is not a choice. Use True or False.")
        if not is_text_encoding(self.encoding):
            raise ConfigError(
                f"encoding={self.encoding!r} is not an encoding that pairloom reads. Use utf-8, utf-16, latin-1 or "
                "another one that Python knows, for example cp1252."
            )
        check_choice("errors", self.errors, Errors)
        check_whole("max_sentence", self.max_sentence, 2, LONGEST_SENTENCE, "10000 is usual")
        self._check_columns()

    @property
    def columns(self) -> list[str]:
        """The columns to read: one of text, or those of the sessions. None for plain text."""
        return [name for name in (self.column, self.session, self.item, self.order) if name is not None]

    @property
    def tokenizer(self) -> Tokenizer | None:
        """The function that splits a line, if it is the user's own."""
        return self.tokenize if callable(self.tokenize) else None

    @property
    def rule(self) -> str:
        """How a line is split into words, for the record: the name of a rule, or `function`."""
        return self.tokenize if isinstance(self.tokenize, str) else "function"

    def _check_columns(self) -> None:
        for name in ("column", "session", "item", "order"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, str) or not value):
                raise ConfigError(f"{name}={value!r} is not the name of a column. Give a string.")
        if self.column is not None and self.session is not None:
            raise ConfigError("column (--column) and session (--session) cannot be used together. Leave out one.")
        if (self.session is None) != (self.item is None):
            raise ConfigError(
                "session (--session) and item (--item) belong together: a row has one of each. Give both."
            )
        if self.order is not None and self.session is None:
            raise ConfigError(
                "order (--order) sorts the rows of a session. Give session and item (--session, --item) too."
            )

    def _check_tokenize(self) -> None:
        if self.tokenize is None:
            object.__setattr__(self, "tokenize", "spaces")
        if isinstance(self.tokenize, str):
            check_choice("tokenize", self.tokenize, Rule)
        elif not callable(self.tokenize):
            raise ConfigError(
                f"tokenize={self.tokenize!r} cannot be called. Give a function from a line to a list of words, or "
                "spaces, words or icu."
            )


@dataclass(frozen=True, kw_only=True, slots=True)
class TrainConfig:
    """What is learnt and how. Threads, paths and progress belong to `train`."""

    dim: int = 100  # d, the length of v_w and v_c
    # The largest window: each position draws its own from 1..window. Or "sentence", for all words of the sentence.
    window: int | Literal["sentence"] = 5
    left: int | None = None  # the largest window to the left, if not `window`
    right: int | None = None  # the same to the right
    window_shape: WindowShape = "dynamic"  # how often a word at distance d is a context: see `contexts.Windows.side`
    positional: bool = False  # a context is a word with its position: `dog_+1`
    clean: bool = False  # rare and subsampled words are removed after the windows are drawn, not before
    negatives: int = 5  # k, the number of pairs of D' for each pair of D
    noise_power: float = 0.75  # contexts of D' are drawn in proportion to count ** noise_power
    min_count: float = 5  # rarer words are left out; pairs with weights have fractional counts
    min_context_count: float | None = None  # the same for the contexts of pairs, if not `min_count`
    max_vocab: int | None = None  # keep at most this many words, the most frequent ones
    sample: float = 1e-3  # t: words with a higher frequency are thinned out; 0 keeps all
    subsampling: Subsampling = "program"  # the formula of the program word2vec, or of its publication
    epochs: int = 5
    # The learning rate falls linearly from lr to min_lr. Without lr it starts at the usual rate: see `usual_lr`.
    lr: float = None  # type: ignore[assignment]
    min_lr: float = 2.5e-6
    seed: int = 1
    heldout: float = 0.001  # the share of sentences on which the objective is measured, not trained; 0 for none
    patience: int | None = None  # stop after this many epochs without a lower held-out loss, and keep the best
    # skipgram: a word predicts each of its contexts. cbow: they predict the word together. sppmi-svd: `sppmi.py`
    model: Architecture = "skipgram"
    objective: Objective = "negative"  # negative sampling, hierarchical softmax, or the softmax of equation (3)
    # Each of m context words gets 1/m of the gradient of their mean, as the derivative says, or all of it, as in peers.
    cbow_gradient: CbowGradient = "derivative"

    def __post_init__(self) -> None:
        if is_whole(self.dim) and self.dim > 4096:
            raise ConfigError(
                f"dim={self.dim} is out of range: one word would take {2 * 4 * self.dim:,} bytes. Use 1 to 4096; "
                "100 to 300 is usual."
            )
        check_whole("dim", self.dim, 1, 4096, "100 to 300 is usual")
        self._check_windows()
        if is_whole(self.negatives) and self.negatives < 1:
            raise ConfigError(
                f"negatives={self.negatives} leaves D' empty, and without it all vectors drift together. "
                "Use 5 to 20 for a small corpus, 2 to 5 for a large one."
            )
        check_whole("negatives", self.negatives, 1, 64, "5 to 20 for a small corpus, 2 to 5 for a large one")
        check_number("noise_power", self.noise_power, -2.0, 2.0, "0.75 is usual")
        check_least("min_count", self.min_count)
        if self.min_context_count is not None:
            check_least("min_context_count", self.min_context_count)
        check_max_vocab(self.max_vocab)
        check_number("sample", self.sample, 0.0, 1.0, "1e-3 to 1e-5 is usual, 0 keeps every occurrence")
        check_choice("subsampling", self.subsampling, Subsampling)
        check_whole("epochs", self.epochs, 1, 1_000_000, "5 is usual, more for a small corpus")
        self._check_objective()
        lr = self.usual_lr if self.lr is None else self.lr
        if not (is_number(lr) and 0.0 < lr <= 1e6):
            raise ConfigError(f"lr={lr!r} is out of range: use a number above 0, up to 1e6; {self.usual_lr} is usual.")
        object.__setattr__(self, "lr", float(lr))
        if not (is_number(self.min_lr) and 0.0 <= self.min_lr <= self.lr):
            raise ConfigError(f"min_lr={self.min_lr!r} is out of range: use 0 up to the learning rate, lr={self.lr}.")
        check_whole("seed", self.seed, 0, 2**63 - 1, "any whole number")
        check_number("heldout", self.heldout, 0.0, 0.5, "0.001 is usual, 0 turns it off")
        self._check_patience()
        for field in fields(self):  # sample=0 and sample=np.float64(0) are recorded alike
            value = getattr(self, field.name)
            if isinstance(field.default, float):
                object.__setattr__(self, field.name, float(value))
            elif is_whole(value):
                object.__setattr__(self, field.name, int(value))

    @property
    def trains_in_blocks(self) -> bool:
        """Whether any number of threads can train this in blocks that share no row: skip-gram, but for full softmax."""
        return self.model == "skipgram" and self.objective != "softmax"

    @property
    def is_sgns(self) -> bool:
        """Whether this is skip-gram by negative sampling, which any number of machines can train, too."""
        return (self.model, self.objective) == ("skipgram", "negative")

    @property
    def usual_lr(self) -> float:
        """The usual learning rate for this model and objective.

        A context word of CBOW gets 1/m of a step where skip-gram takes m whole steps, so it needs a higher rate to
        learn as much from a text. With cbow_gradient="undivided" the rate is word2vec's 0.05.
        """
        if self.model == "cbow":
            return 0.15 if self.cbow_gradient == "derivative" else 0.05
        return 0.1 if self.objective == "softmax" else 0.025  # Adagrad divides the rate by the gradients so far

    def without_effect(self) -> dict[str, str]:
        """The options that such a training does not use, each with the choice that makes it so."""
        unused = {}
        if self.model != "cbow":
            unused["cbow_gradient"] = f"model={self.model}"
        if self.objective != "negative":
            unused |= dict.fromkeys(("negatives", "noise_power"), f"objective={self.objective}")
        if self.model == "sppmi-svd":
            unused |= dict.fromkeys(("epochs", "lr", "min_lr", "heldout"), "model=sppmi-svd")
        if self.sample == 0:
            unused["subsampling"] = "sample=0"
        if self.left is not None and self.right is not None and self.window != "sentence":
            unused["window"] = "left and right"
        return unused

    def _check_patience(self) -> None:
        if self.patience is None:
            return
        check_whole("patience", self.patience, 1, 1_000_000, "1 to 3 is usual, leave it out to train all epochs")
        if self.heldout == 0:
            raise ConfigError(
                "patience waits for the held-out loss, and heldout=0 turns that off. Leave one of them out."
            )
        if self.model == "sppmi-svd":
            raise ConfigError("model=sppmi-svd is computed, not trained in epochs. Leave out patience.")

    def _check_objective(self) -> None:
        check_choice("model", self.model, Architecture)
        check_choice("objective", self.objective, Objective)
        check_choice("cbow_gradient", self.cbow_gradient, CbowGradient)
        if self.model == "sppmi-svd" and self.objective != "negative":
            raise ConfigError(
                f"model=sppmi-svd is the limit of negative sampling, and has no objective={self.objective}. "
                "Leave out objective."
            )
        if self.model == "cbow" and self.objective == "softmax":
            raise ConfigError("objective=softmax is skip-gram's, equation (3). With model=cbow use negative or hs.")
        if self.positional and (self.model, self.objective) != ("skipgram", "negative"):
            raise ConfigError(
                f"positional contexts are not learnt with model={self.model} and objective={self.objective}. "
                "Use skipgram and negative, or leave out positional."
            )

    def _check_windows(self) -> None:
        advice = "5 is usual, 2 for syntax, 10 for topics"
        if isinstance(self.window, str) and self.window != "sentence":
            raise ConfigError(f"window={self.window!r} is not a choice. Use 1 to 1000, or sentence; {advice}.")
        if not isinstance(self.window, str):
            check_whole("window", self.window, 1, 1000, advice)
        for name, reach in (("left", self.left), ("right", self.right)):
            if reach is not None:
                check_whole(name, reach, 0, 1000, "leave it out to reach as far as window")
        check_choice("window_shape", self.window_shape, WindowShape)
        for name in ("positional", "clean"):
            if not isinstance(getattr(self, name), bool):
                raise ConfigError(f"{name}={getattr(self, name)!r} is not a choice. Use True or False.")
        if self.left == 0 == self.right:
            raise ConfigError("left=0 and right=0 leave no contexts. Use 1 or more for one of them.")
        if self.window == "sentence" and self.window_shape in ("harmonic", "linear"):
            raise ConfigError(
                f"window=sentence treats all words of a sentence alike, and window_shape={self.window_shape} does not. "
                "Use a window of 1 to 1000 with it."
            )
        if self.positional and self.window == "sentence" and (self.left is None or self.right is None):
            raise ConfigError(
                "positional counts positions in a window, and window=sentence is unbounded. Use 1 to 1000."
            )


class TextKeywords(TypedDict, total=False):
    """The fields of `TextOptions` as keyword arguments, so that editors and type checkers know them."""

    lowercase: bool
    encoding: str
    errors: Errors
    max_sentence: int
    as_text: bool
    tokenize: Rule | Tokenizer | None
    column: str | None
    session: str | None
    item: str | None
    order: str | None


class TrainKeywords(TextKeywords, total=False):
    """The fields of `TrainConfig` and `TextOptions` as keyword arguments."""

    dim: int
    window: int | Literal["sentence"]
    left: int | None
    right: int | None
    window_shape: WindowShape
    positional: bool
    clean: bool
    negatives: int
    noise_power: float
    min_count: float
    min_context_count: float | None
    max_vocab: int | None
    sample: float
    subsampling: Subsampling
    epochs: int
    lr: float
    min_lr: float
    seed: int
    heldout: float
    patience: int | None
    model: Architecture
    objective: Objective
    cbow_gradient: CbowGradient


def split_options(options: Mapping[str, Any], others: Iterable[str] = ()) -> tuple[TrainConfig, TextOptions]:
    """What to learn and how to read, both checked. Unknown names are refused; `others` are known too."""
    learning, reading = ([field.name for field in fields(kind)] for kind in (TrainConfig, TextOptions))
    check_names(options, [*learning, *reading, *others])
    config = TrainConfig(**{name: options[name] for name in learning if name in options})
    return config, TextOptions(**{name: options[name] for name in reading if name in options})


def checked_threads(threads: int | None) -> int:
    """The number of threads, checked. None means all cores that this process may use."""
    if threads is None:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return min(MOST_THREADS, cores)
    check_whole("threads", threads, 1, MOST_THREADS, "leave it out to use all cores")
    return int(threads)


def check_min_count(min_count: object) -> None:
    """Check the min_count of a text: a whole number of 1 or more."""
    check_whole("min_count", min_count, 1, 2**62, "5 is usual, 1 keeps every word")


def check_least(name: str, value: object) -> None:
    """Check a least count or weight of words, which may be a fraction. (`check_min_count` is for text.)"""
    if is_number(value) and not is_whole(value):
        check_number(name, value, 0.0, 2.0**62, "5 is usual, 0 keeps everything")
    else:
        check_whole(name, value, 1, 2**62, "5 is usual, 1 keeps every word")


def check_max_vocab(max_vocab: object) -> None:
    """Check max_vocab: a whole number of 2 or more, or None for no limit."""
    if max_vocab is not None:
        check_whole("max_vocab", max_vocab, 2, 2**31 - 1, "leave it out to keep all words")


def check_whole(name: str, value: Any, low: int, high: int, advice: str) -> None:
    """Raise a ConfigError unless the value is a whole number from low to high."""
    if not is_whole(value):
        raise ConfigError(f"{name}={value!r} is not a whole number. Use {low} to {high}; {advice}.")
    if not low <= value <= high:
        raise ConfigError(f"{name}={value} is out of range. Use {low} to {high}; {advice}.")


def check_choice(name: str, value: object, choices: Any) -> None:
    """Raise a ConfigError unless the value is one of the values of the Literal `choices`."""
    *most, last = get_args(choices)
    if value not in get_args(choices):
        raise ConfigError(f"{name}={value!r} is not a choice. Use {', '.join(most)} or {last}.")


def check_number(name: str, value: Any, low: float, high: float, advice: str) -> None:
    """Raise a ConfigError unless the value is a number from low to high."""
    if not is_number(value) and not isinstance(value, float):
        raise ConfigError(f"{name}={value!r} is not a number. Use {low:g} to {high:g}; {advice}.")
    if not low <= value <= high:
        raise ConfigError(f"{name}={value!r} is out of range. Use {low:g} to {high:g}; {advice}.")


def is_whole(value: object) -> bool:
    """Whether the value is an integer of Python or NumPy. bool does not count."""
    return not isinstance(value, bool) and isinstance(value, Integral)


def is_number(value: Any) -> bool:
    """Whether the value is a finite number of Python or NumPy. bool does not count."""
    kind: type = type(value)
    return kind is not bool and issubclass(kind, Real) and bool(-1e30 < value < 1e30)


def check_names(names: Iterable[str], known: Iterable[str]) -> None:
    """Raise a ConfigError for an option that does not exist. It names the option that was probably meant."""
    known = list(known)
    for name in names:
        if name not in known:
            raise ConfigError(f"There is no option {name!r}; {_hint(name, known)}")


def _hint(name: str, known: list[str]) -> str:
    """What to use instead of an option that does not exist: that of another program, or the most similar one."""
    advice, meant = _PEER_ADVICE.get(name.lower()), PEER_NAMES.get(name.lower())
    if advice and (meant is None or meant in known):
        return advice
    meant = meant or next(iter(get_close_matches(name, known, 1, 0.6)), None)
    return f"did you mean {meant!r}?" if meant else f"the options are {', '.join(known)}."


# Notations, not encodings of text files. They can even spell halves of characters, which UTF-8 cannot hold.
_NOTATIONS = {
    "utf-7",
    "unicode_escape",
    "raw_unicode_escape",
    "unicode-escape",
    "raw-unicode-escape",
    "punycode",
    "idna",
}


def is_text_encoding(encoding: object) -> bool:
    """Whether Python can decode text files in this encoding block by block."""
    try:
        codecs.getincrementaldecoder(cast(str, encoding))
        b"text".decode(cast(str, encoding), "replace")  # LookupError for codecs from bytes to bytes, for example hex
        return codecs.lookup(cast(str, encoding)).name not in _NOTATIONS
    except (LookupError, ValueError, TypeError):
        return False
