"""The first sentences of a report: did it learn, and does anything look wrong?

The thresholds are those of trainings on Wikipedia (dim 100, sample 1e-4), whose held-out loss is 4.159 at the start:

    words  epochs   loss at the end   of its whole fall, in the last epoch it   it is above its lowest by
    1.7 M       1             2.702                                          -                           -
    1.7 M       2             2.574                                 fell 5.2 %                           -
    1.7 M       3             2.497                                 fell 2.0 %                           -
    1.7 M       5             2.423                                 fell 0.8 %                           -
    1.7 M      10             2.384                                 fell 0.1 %                           -
    1.7 M      20             2.440                                 rose 0.1 %                       1.8 %
    1.7 M      40             2.542                                 rose 0.1 %                       6.9 %
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from pairloom.judging.reports.history import History
from pairloom.system.display import number_of
from pairloom.vectors.embedding import Embedding

STILL_FALLING = 0.01  # share of the whole fall that fell in the last epoch
RISEN = 0.005  # share of the whole fall by which the loss is above its lowest; less is noise
SMALL_TEXT = 1_000_000  # words; below that only frequent words have neighbours that make sense
ONE_DIRECTION = 0.9  # mean cosine of two words; 0.0 to 0.4 in a healthy model
_ROWS = 10_000

METHODS = {
    ("skipgram", "negative"): "skip-gram with negative sampling",
    ("skipgram", "hs"): "skip-gram with hierarchical softmax",
    ("skipgram", "softmax"): "skip-gram with softmax",
    ("cbow", "negative"): "CBOW with negative sampling",
    ("cbow", "hs"): "CBOW with hierarchical softmax",
}


class Remark(NamedTuple):
    """Something that looks wrong: in a few words for the verdict, and in full with advice."""

    short: str
    text: str


class Verdict(NamedTuple):
    """The answer in one sentence, what was trained, and remarks with advice."""

    answer: str
    subject: str
    remarks: list[str]


def verdict(embedding: Embedding, name: str, corpus: str = "") -> Verdict:
    """Judge a model by its record and its vectors."""
    history = History.of(embedding.record)
    remarks = [*_about_losses(history), *_about_text(history), *_about_vectors(embedding)]
    answer = _answer(history, ", and ".join(remark.short for remark in remarks))
    return Verdict(answer, _subject(embedding, history, name, corpus), [remark.text for remark in remarks])


def _answer(history: History, wrong: str) -> str:
    if not history.losses:
        what = "was not measured while it was trained" if history.is_recorded else "has no record of a training"
        return f"The model {what}, so only its vectors can be judged{f': {wrong}' if wrong else ''}."
    first, last = history.losses[0], history.last_loss
    numbers = f"the loss on held-out pairs was {first:.3f} before training and is {last:.3f} now"
    if not last < first:
        return f"The model did not learn: {numbers}."
    how = f"but {wrong}" if wrong else "and nothing looks wrong"
    return f"The model learnt, {how}: {numbers}, after {number_of(history.epochs, 'epoch')}."


def _subject(embedding: Embedding, history: History, name: str, corpus: str) -> str:
    """What was trained on what."""
    size = f"{name} has {number_of(len(embedding), 'word')} with {number_of(embedding.dim, 'number')} each"
    if not history.is_recorded:
        return f"{size}. The file does not say how they were made."
    config = history.config
    kind = config.get("model", "skipgram"), config.get("objective", "negative")
    method = METHODS.get(kind, str(kind[0]))
    amount = "" if history.size is None else number_of(history.size, history.unit[:-1])
    source = f"{corpus} ({amount})" if corpus and amount else corpus or f"a corpus of {amount or 'unknown size'}"
    return f"{size}, learnt by {method} from {source}."


# --- What may be wrong


def _about_losses(history: History) -> Iterator[Remark]:
    losses = history.losses
    if len(losses) < 2:
        if history.is_recorded and history.config.get("model") != "sppmi-svd":
            yield Remark(
                "nothing was held out",
                "Nothing was held out, so the report cannot say whether the model learnt. Train with heldout=0.001, "
                "the default.",
            )
        return
    if not history.last_loss < losses[0]:
        yield Remark(
            "the loss did not fall",
            "The loss is not lower than before training. Try a lower learning rate, and check that the text is text.",
        )
        return
    whole, last, lowest = losses[0] - min(losses), losses[-2] - losses[-1], losses.index(min(losses))
    if len(losses) == 2:
        yield Remark(
            "more epochs may help",
            "There was one epoch only, so the report cannot say whether the loss would fall further. On a corpus of "
            "less than a hundred million words it usually does; three to five epochs are usual.",
        )
    elif last > STILL_FALLING * whole:
        yield Remark(
            "more epochs would help",
            f"The loss was still falling: {last / whole:.0%} of its whole fall was in the last epoch. More "
            "epochs would help.",
        )
    elif losses[-1] > min(losses) + RISEN * whole and history.best != lowest:
        yield Remark(
            f"the loss has risen since epoch {lowest}",
            f"The loss was lowest after epoch {lowest} and has risen since: the model begins to learn its text by "
            f"heart. Train for {number_of(lowest, 'epoch')}, or with patience=2.",
        )


def _about_text(history: History) -> Iterator[Remark]:
    if history.size is not None and history.size < SMALL_TEXT:
        yield Remark(
            "the corpus is very small",
            f"The corpus is very small ({number_of(history.size, history.unit[:-1])}). Only its frequent words can "
            f"have neighbours that make sense. More text is the best remedy: a million {history.unit} or more.",
        )


def _about_vectors(embedding: Embedding) -> Iterator[Remark]:
    norms = embedding.words.norms
    if n_zero := int((norms == 0).sum()):
        some = number_of(n_zero, "vector")
        yield Remark(f"{some} of zeros", f"{some} of {len(norms):,} are all zeros: nothing is known of these words.")
    rows = np.flatnonzero(norms[:_ROWS] > 0)
    if len(rows) > 2:
        unit = embedding.words.vectors[rows] / norms[rows][:, None]
        mean = unit.mean(axis=0)  # |mean|² is the mean cosine over all pairs of rows, each row with itself included
        if (cosine := float(mean @ mean)) > ONE_DIRECTION:
            yield Remark(
                "all vectors point the same way",
                f"All vectors point nearly the same way: two words have a cosine of {cosine:.2f} on average, so "
                "neighbours say little. Train for more epochs, or on more text.",
            )
