"""The held-out loss and the learning rate by epoch, and the options of the training. All of it is in the record."""

from typing import Any

from pairloom.config import TrainConfig, is_number
from pairloom.drawing import svg
from pairloom.drawing.page import Table, figure, key, section
from pairloom.judging.reports.history import History
from pairloom.system.display import number_of


def learning_section(history: History) -> str:
    """The learning curve, or a sentence that says why there is none."""
    if not history.losses:
        why = "Nothing was held out." if history.is_recorded else "The file does not say how it was trained."
        return section("Learning curve", f"{why} So there is no learning curve.", "")
    pairs = "" if history.heldout_pairs is None else f" {number_of(history.heldout_pairs, 'pair')} were held out."
    text = (
        "After every epoch, a pass over the corpus, the loss is measured on pairs that the model never trains on: how "
        f"badly it tells true pairs from drawn ones.{pairs} The lower, the better."
    )
    look = (
        "Look for: a fall that is steep at first and then levels out. If it is still steep at the end, train for more "
        "epochs. If it rises again, the model begins to learn its text by heart: use fewer epochs, or patience."
    )
    drawn = [_loss_plot(history), *([_rate_plot(history)] if _has_rates(history.config) else [])]
    return section("Learning curve", text, figure(_caption(history), *drawn, look=look), _losses(history))


def _has_rates(config: dict[str, Any]) -> bool:
    return all(is_number(config.get(name)) for name in ("lr", "min_lr", "epochs")) and config["epochs"] > 0


def _caption(history: History) -> str:
    loss = key(0, "Held-out loss") + " by epoch (0 is before training)"
    rate = "; " + key(1, "learning rate") + ", which falls linearly" if _has_rates(history.config) else ""
    best = "" if history.best is None else f". The vectors are those after epoch {history.best}"
    return f"{loss}{rate}{best}."


def _loss_plot(history: History) -> str:
    losses, last = history.losses, max(1, history.epochs)
    low, high = min(losses), max(losses)
    room = 0.06 * (high - low) or 1.0
    y = (low - room, high + room)
    axes = svg.Axes("Held-out loss by epoch", (0, last), y, "epoch", "held-out loss", _epochs(last), svg.ticks(*y))
    points = list(enumerate(losses))
    hints = [f"epoch {epoch}: {loss:.4f}" for epoch, loss in points]
    size = 4.0 if last <= 40 else 2.0
    return svg.drawing(axes, svg.line(axes, points, "s0"), svg.dots(axes, points, [size] * len(points), hints, "s0"))


def _rate_plot(history: History) -> str:
    """lr(epoch) = lr + (min_lr - lr) epoch / epochs, up to the last epoch that was trained."""
    lr, min_lr, asked = (float(history.config[name]) for name in ("lr", "min_lr", "epochs"))
    last = max(1, history.epochs)
    top = max(lr, min_lr) * 1.06 or 1.0
    axes = svg.Axes(
        "Learning rate by epoch", (0, last), (0, top), "epoch", "learning rate", _epochs(last), svg.ticks(0, top)
    )
    return svg.drawing(axes, svg.line(axes, [(0, lr), (last, lr + (min_lr - lr) * min(1.0, last / asked))], "s1"))


def _epochs(last: int) -> list[tuple[float, str]]:
    return [(n, text) for n, text in svg.ticks(0, last, 9) if n == int(n)]


def _losses(history: History) -> Table:
    falls = [""] + [f"{before - after:+.4f}" for before, after in zip(history.losses, history.losses[1:], strict=False)]
    rows = [
        [str(epoch), f"{loss:.4f}", fall] for (epoch, loss), fall in zip(enumerate(history.losses), falls, strict=True)
    ]
    return Table("The numbers", ["epoch", "held-out loss", "fall"], rows)


def settings_section(history: History) -> str:
    """The options, those that differ from the defaults first."""
    if not history.is_recorded:
        return section("Settings", "The file does not say how it was trained.", "")
    defaults = {name: field.default for name, field in TrainConfig.__dataclass_fields__.items()}
    order = {name: place for place, name in enumerate(defaults)}  # a file holds them in the order of the alphabet
    options = dict(sorted({**history.config, **history.text}.items(), key=lambda one: (order.get(one[0], 99), one[0])))
    changed = [name for name in options if name in defaults and name != "lr" and options[name] != defaults[name]]
    some = ", ".join(f"{name} {_shown(options[name])}" for name in changed)
    text = f"Different from the defaults: {some}." if changed else "All options have their defaults."
    rows = [[name, _shown(value)] for name, value in options.items()]
    rows += [[f"corpus: {name}", _shown(value)] for name, value in sorted(history.corpus.items())]
    return section("Settings", text, "", Table("All settings", ["option", "value"], rows))


def _shown(value: Any) -> str:
    return "-" if value is None else "yes" if value is True else "no" if value is False else str(value)[:80]
