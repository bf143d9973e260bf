"""What the record of a model says about its training. A file may hold any record, so every value is checked."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pairloom.config import is_number, is_whole


@dataclass(frozen=True, kw_only=True)
class History:
    """The options, the corpus and the losses of a training.

    losses  the held-out loss before training and after each epoch; empty if nothing was held out
    best    the epoch whose vectors were kept, with `patience`
    size    of the corpus, in `unit`s: words (tokens) of text, or pairs
    """

    config: dict[str, Any]
    losses: list[float]
    best: int | None
    heldout_pairs: int | None
    size: int | None
    unit: str
    corpus: dict[str, Any]
    text: dict[str, Any]
    start: dict[str, Any]

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> "History":
        """What a record holds. What it does not hold is empty or None."""
        config, corpus, heldout, text, start = (
            entry if isinstance(entry := record.get(name), dict) else {}
            for name in ("config", "corpus", "heldout", "text", "start")
        )
        losses = heldout.get("loss", [])
        known = isinstance(losses, list) and all(is_number(loss) for loss in losses)
        sizes = [(corpus[name], unit) for name, unit in (("tokens", "words"), ("pairs", "pairs")) if name in corpus]
        size, unit = sizes[0] if sizes and is_whole(sizes[0][0]) else (None, "words")
        best: Any = heldout.get("best")
        pairs: Any = heldout.get("pairs")
        return cls(
            config=config,
            losses=[float(loss) for loss in losses] if known else [],
            best=int(best) if is_whole(best) and known and 0 < best < len(losses) else None,
            heldout_pairs=pairs if is_whole(pairs) else None,
            size=size,
            unit=unit,
            corpus=corpus,
            text=text,
            start=start,
        )

    @property
    def is_recorded(self) -> bool:
        """Whether the model says how it was trained."""
        return bool(self.config)

    @property
    def epochs(self) -> int:
        """The epochs that were trained; fewer than asked for if patience ended them."""
        return max(0, len(self.losses) - 1)

    @property
    def last_loss(self) -> float:
        """The loss of the vectors that were kept."""
        return self.losses[-1 if self.best is None else self.best]
