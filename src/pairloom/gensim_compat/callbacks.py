"""The base of callbacks: objects that `Word2Vec.train` calls when it begins and ends, and around each epoch.

While a callback runs, `model.wv` has the vectors of that moment, and `model.get_latest_training_loss()` returns the
held-out loss after the latest epoch.
"""

from collections.abc import Iterable


class CallbackAny2Vec:
    """Does nothing. Subclasses override what they need."""

    def on_train_begin(self, model: object) -> None:
        """Called before the first epoch."""

    def on_epoch_begin(self, model: object) -> None:
        """Called before each epoch."""

    def on_epoch_end(self, model: object) -> None:
        """Called after each epoch."""

    def on_train_end(self, model: object) -> None:
        """Called after the last epoch."""


def call_each(callbacks: Iterable[object], event: str, model: object) -> None:
    """Call the method of this name of all callbacks that have it."""
    for callback in callbacks:
        method = getattr(callback, event, None)
        if method is not None:
            method(model)
