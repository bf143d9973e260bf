"""Compare the scores of pairloom and gensim in many settings, so that pairloom is not tuned for only one of them.

    python -m benchmarks.settings                         all settings, three seeds; 7 minutes, and an hour for gensim
    python -m benchmarks.settings --settings sessions "1 M words x 1" --seeds 1
    python -m benchmarks.settings --without-gensim        pairloom alone
    python -m benchmarks.settings --pieces 10 --settings "0.2 M words" "1 M words x 1"
    python -m benchmarks.settings --parts-and-rounds      other divisions into parts and rounds; 20 minutes

gensim's scores are kept in --cache and used again, as long as the text, the options and the seed are the same. Delete
that folder after an update of gensim or a change of the scores. gensim is installed by: make .venv-peers/.peers

On short texts, what is in the text changes a score by more than a point. --pieces takes the mean of several texts that
have no line in common, and adds the standard error of the difference over these texts.

Both programs get the same options, and gensim trains with one worker. In the settings called "equal rate" it has two.
gensim's corpus_file mode lets each worker count only its own sentences: with two workers and one epoch, the learning
rate falls only to half of its start. Here pairloom gets min_lr = lr / 2, so that both rates fall equally.
"""

import argparse
import hashlib
import json
import math
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import pairloom
from benchmarks.programs import HERE
from benchmarks.scored_corpora import CORPORA, Scores, example
from benchmarks.setting import RESULTS, machine, markdown, report_progress
from pairloom.pairs import blocks
from pairloom.progress import Progress

TOLERANCE = 1.0  # points; another seed changes scores by about as much on 5 M words, and by more on shorter texts
DEFAULTS = {"dim": 100, "window": 5, "negatives": 5, "sample": 1e-3, "min_count": 5, "noise_power": 0.75, "lr": 0.025}


@dataclass(frozen=True)
class Setting:
    """A corpus and the options to train on it."""

    corpus: str
    epochs: int
    changed: dict[str, float] = field(default_factory=dict)  # options other than DEFAULTS
    equal_rate: bool = False  # see the top of this file

    @property
    def name(self) -> str:
        changes = [f"{name} {value:g}" for name, value in self.changed.items()]
        return ", ".join([f"{self.corpus} x {self.epochs}", *changes, *["equal rate"] * self.equal_rate])

    @property
    def options(self) -> dict[str, Any]:
        """What both programs get."""
        return {**DEFAULTS, "epochs": self.epochs, **self.changed}

    @property
    def workers(self) -> int:
        """gensim's threads."""
        return 2 if self.equal_rate else 1

    @property
    def our_options(self) -> dict[str, Any]:
        """What pairloom gets."""
        return self.options | ({"min_lr": self.options["lr"] / 2} if self.equal_rate else {})


ALL_CLICKS = {"negatives": 15, "lr": 0.05, "sample": 0, "min_count": 1}  # as in examples/sessions.py
SETTINGS = [
    Setting("0.2 M words", 5),
    Setting("1 M words", 1),
    Setting("1 M words", 5),
    Setting("5 M words", 1),
    Setting("5 M words", 3),
    Setting("5 M words", 3, {"sample": 0}),
    Setting("17 M words", 1),
    Setting("17 M words", 3, {"sample": 1e-4}),
    Setting("1 M words", 5, {"negatives": 15}),
    Setting("1 M words", 5, {"window": 10}),
    Setting("1 M words", 5, {"min_count": 1}),
    Setting("1 M words", 5, {"noise_power": 0.5}),
    Setting("1 M words", 5, {"noise_power": 1.0}),
    Setting("1 M words", 5, {"dim": 64}),
    Setting("1 M words", 5, {"dim": 512}),
    Setting("5 M words", 3, {"sample": 1e-4, "negatives": 15}),
    Setting("5 M words", 3, {"sample": 1e-4, "dim": 300}),
    Setting("BlogCatalog", 1, {"dim": 128, "window": 10, "sample": 0, "min_count": 1}),
    Setting("sessions", 40, ALL_CLICKS),
    Setting("sessions", 40, {**ALL_CLICKS, "noise_power": -0.5}),
    Setting("1 M words", 1, equal_rate=True),
    Setting("5 M words", 1, equal_rate=True),
    Setting("17 M words", 1, equal_rate=True),
]

OUR_RULE = "our rule"
# Constants of pairloom.pairs.blocks. The number of parts also decides which words are hubs: with 16 instead of 32 usual
# parts they are fewer, even where all rounds have 16 parts in both cases.
DIVISIONS: dict[str, dict[str, int]] = {
    OUR_RULE: {},
    "rounds up to 0.5 M pairs": {"LONGEST_ROUND": 500_000},
    "up to 2 M": {"LONGEST_ROUND": 2_000_000},
    "up to 16 M": {"LONGEST_ROUND": 16_000_000},
    "up to 1/8 of the training": {"FEWEST_LONG_ROUNDS": 8},
    "up to 1/32": {"FEWEST_LONG_ROUNDS": 32},
    "no short rounds": {"SHORTEST_ROUND": blocks.LONGEST_ROUND},
    **{f"{n} parts": {"FEWEST_PARTS": n, "USUAL_PARTS": n, "MOST_PARTS": n} for n in (4, 8, 16, 32)},
}
DIVIDED = ("1 M words", "5 M words", "sessions")  # the corpora on which divisions are compared


class Text(NamedTuple):
    """A corpus as a file, and the digest of its bytes."""

    path: Path
    digest: str


def main() -> None:
    """Measure, print the table and save the results."""
    args = _arguments()
    _check_files(args.settings)
    with tempfile.TemporaryDirectory() as folder:
        names = dict.fromkeys(s.corpus for s in args.settings)
        texts = {name: [_written(name, Path(folder), n, args.pieces) for n in range(args.pieces)] for name in names}
        if args.parts_and_rounds:
            name, rows = "parts_and_rounds", [_losses(s, texts[s.corpus][0], args) for s in args.settings]
            table = _loss_table(rows)
        else:
            _check_gensim(texts, args)
            name, rows = "settings", [_compared(s, texts[s.corpus], args) for s in args.settings]
            table = _table(rows) if args.pieces == 1 else _table(rows) + "\n" + _table_of_pieces(rows, len(args.seeds))
    RESULTS.mkdir(exist_ok=True)
    report = {
        "machine": machine(),
        "seeds": args.seeds,
        "pieces": args.pieces,
        "threads": args.threads,
        "rows": rows,
    }
    (RESULTS / f"{name}.json").write_text(json.dumps(report, indent=1) + "\n")
    (RESULTS / f"{name}.md").write_text(table)
    print(table)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--settings", nargs="+", metavar="NAME", help="names of settings, or parts of names (all)")
    parser.add_argument("--seeds", type=_whole_numbers, help="(1,2,3; with --parts-and-rounds 1,2)")
    parser.add_argument("--pieces", type=int, default=1, help="texts of each size, from all over Wikipedia (1)")
    parser.add_argument("--threads", type=int, help="pairloom's threads (all cores)")
    parser.add_argument("--peers", type=Path, default=Path(".venv-peers/bin"), help="where gensim is installed")
    parser.add_argument("--cache", type=Path, default=RESULTS / "settings", help="where gensim's scores are kept")
    parser.add_argument("--without-gensim", action="store_true")
    parser.add_argument("--parts-and-rounds", action="store_true", help="compare divisions, without gensim")
    args = parser.parse_args()
    usual = [s for s in SETTINGS if s.corpus in DIVIDED] if args.parts_and_rounds else SETTINGS
    args.settings = _chosen(args.settings, parser) if args.settings else usual
    args.seeds = args.seeds or ([1, 2] if args.parts_and_rounds else [1, 2, 3])
    if args.parts_and_rounds and len(args.seeds) < 2:
        parser.error("--parts-and-rounds needs two seeds or more, to tell divisions from chance")
    return args


def _whole_numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


def _chosen(names: list[str], parser: argparse.ArgumentParser) -> list[Setting]:
    """The settings with these names. A name that is not complete chooses all settings that have it in their names."""
    chosen: set[str] = set()
    for name in names:
        found = [s.name for s in SETTINGS if s.name == name] or [s.name for s in SETTINGS if name in s.name]
        if not found:
            parser.error(f"No setting has {name!r} in its name. There are: {'; '.join(s.name for s in SETTINGS)}")
        chosen.update(found)
    return [s for s in SETTINGS if s.name in chosen]


# --- Corpora


def _check_files(settings: list[Setting]) -> None:
    """Stop now if data is missing, or a package that the scores need, instead of after an hour of training."""
    needed = {file for setting in settings for file in CORPORA[setting.corpus].files}
    if missing := sorted(str(file) for file in needed if not file.exists()):
        raise SystemExit(
            f"These settings need data that is missing: {', '.join(missing)}. Choose others by --settings."
        )
    if "BlogCatalog" in {setting.corpus for setting in settings}:
        example("blogcatalog")


def _written(name: str, folder: Path, number: int, pieces: int) -> Text:
    report_progress(f"writing {name}")
    path = folder / f"{name.replace(' ', '_')}-{number}.txt"
    corpus = CORPORA[name].piece(number, pieces) if pieces > 1 else CORPORA[name]
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(corpus.lines())
    with path.open("rb") as file:
        return Text(path, hashlib.file_digest(file, "sha256").hexdigest())


# --- pairloom


class Trained(NamedTuple):
    """What one training of pairloom led to."""

    scores: Scores
    loss: float  # held out
    words_per_second: float


def _trained(setting: Setting, text: Text, seed: int, args: argparse.Namespace) -> Trained:
    emb, speed = _train(setting, text, seed, args)
    found = CORPORA[setting.corpus].scores(emb, setting.options["noise_power"])
    report_progress(f"pairloom, {setting.name}, seed {seed}: {_joined(found)}")
    return Trained(found, emb.record["heldout"]["loss"][-1], speed)


def _train(setting: Setting, text: Text, seed: int, args: argparse.Namespace) -> tuple[pairloom.Embedding, float]:
    """Train pairloom. Returns the embedding, and words per second from the first progress report to the last."""
    reports: list[tuple[float, int]] = []

    def on_progress(progress: Progress) -> None:
        if progress.stage == "train":
            reports.append((time.perf_counter(), progress.done))

    emb = pairloom.train(
        text.path,
        seed=seed,
        threads=args.threads,
        cache_dir=text.path.parent,
        on_progress=on_progress,
        **setting.our_options,
    )
    (began, first), (ended, last) = reports[0], reports[-1]
    return emb, (last - first) / (ended - began)


# --- gensim


def _check_gensim(texts: dict[str, list[Text]], args: argparse.Namespace) -> None:
    """Stop now if a score has to be computed and gensim is not installed."""
    if args.without_gensim or (args.peers / "python").exists():
        return
    needed = [(s, text, seed) for s in args.settings for text in texts[s.corpus] for seed in args.seeds]
    missing = sum(not _cache_file(*one, args).exists() for one in needed)
    if missing:
        raise SystemExit(
            f"{args.cache} lacks {missing} of gensim's scores, and {args.peers / 'python'}, which would compute them, "
            "does not exist. Install gensim with: make .venv-peers/.peers (or use --without-gensim)"
        )


def _gensim_scores(setting: Setting, text: Text, seed: int, args: argparse.Namespace) -> Scores:
    """From the cache, or by training."""
    file = _cache_file(setting, text, seed, args)
    if not file.exists():
        found = CORPORA[setting.corpus].scores(_gensim(setting, text, seed, args.peers), setting.options["noise_power"])
        _keep(file, setting, text, seed, found)
        report_progress(f"gensim, {setting.name}, seed {seed}: {_joined(found)}")
    kept: Scores = json.loads(file.read_text())["scores"]
    return kept


def _keep(file: Path, setting: Setting, text: Text, seed: int, found: Scores) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({**_identity(setting, text, seed), "scores": found}, indent=1) + "\n")


def _cache_file(setting: Setting, text: Text, seed: int, args: argparse.Namespace) -> Path:
    identity = json.dumps(_identity(setting, text, seed), sort_keys=True)
    digest = hashlib.sha256(identity.encode()).hexdigest()[:16]
    return Path(args.cache) / f"{text.path.stem}-{digest}.json"


def _identity(setting: Setting, text: Text, seed: int) -> dict[str, Any]:
    """All that gensim's scores depend on, except for its version and the scores' definitions."""
    return {"text": text.digest, "options": setting.options, "workers": setting.workers, "seed": seed}


def _gensim(setting: Setting, text: Text, seed: int, peers: Path) -> pairloom.Embedding:
    output = text.path.parent / "gensim.npz"
    given = {"corpus": str(text.path), "output": str(output), "workers": setting.workers, "seed": seed}
    argument = json.dumps({**given, "options": setting.options})
    subprocess.run([str(peers / "python"), str(HERE / "scripts" / "gensim_settings.py"), argument], check=True)
    return _read_npz(output)


def _read_npz(path: Path) -> pairloom.Embedding:
    with np.load(path) as arrays:
        words, counts = arrays["words"].tolist(), arrays["counts"]
        W, C = (pairloom.Vectors(words, arrays[name], counts) for name in "WC")
    return pairloom.Embedding(words=W, contexts=C, record={})


# --- The table


def _compared(setting: Setting, texts: list[Text], args: argparse.Namespace) -> dict[str, Any]:
    """A row of the table, with the scores of every piece and seed."""
    runs = [*product(texts, args.seeds)]
    ours = [_trained(setting, text, seed, args) for text, seed in runs]
    peers = [] if args.without_gensim else [_gensim_scores(setting, text, seed, args) for text, seed in runs]
    return {
        "setting": setting.name,
        "pairloom": _means([run.scores for run in ours]),
        "gensim": _means(peers),
        "loss": statistics.mean(run.loss for run in ours),
        "words_per_second": statistics.median(run.words_per_second for run in ours),
        "pairloom_by_seed": [run._asdict() for run in ours],
        "gensim_by_seed": peers,
    }


def _means(by_seed: list[Scores]) -> Scores:
    return {name: statistics.mean(found[name] for found in by_seed) for name in (by_seed[0] if by_seed else {})}


def _table(rows: list[dict[str, Any]]) -> str:
    heads = ["setting", "scores", "pairloom", "gensim", "smallest difference", "held-out loss", "words/s"]
    cells = [
        [
            row["setting"],
            " / ".join(row["pairloom"]),
            _joined(row["pairloom"]),
            _joined(row["gensim"]),
            _verdict(row["pairloom"], row["gensim"]),
            f"{row['loss']:.4f}",
            f"{row['words_per_second'] / 1e3:,.0f}k",
        ]
        for row in rows
    ]
    return markdown(heads, cells)


def _table_of_pieces(rows: list[dict[str, Any]], seeds: int) -> str:
    """Both programs' mean scores over all texts, and the difference with its standard error over the texts."""
    cells = []
    for row in rows:
        for name, ours in row["pairloom"].items() if row["gensim"] else ():
            runs = zip(row["pairloom_by_seed"], row["gensim_by_seed"], strict=True)
            difference, error = mean_over_texts([a["scores"][name] - b[name] for a, b in runs], seeds)
            scores = f"{ours:.1f}", f"{row['gensim'][name]:.1f}"
            cells.append([row["setting"], name, *scores, f"{difference:+z.1f} ± {error:.1f}"])
    return markdown(["setting", "score", "pairloom", "gensim", "difference ± standard error"], cells)


def mean_over_texts(values: list[float], seeds: int) -> tuple[float, float]:
    """The mean of values of each text and seed, seed by seed, and its standard error over the texts.

    >>> mean_over_texts([1.0, 3.0, 4.0, 4.0], seeds=2)
    (3.0, 1.0)
    """
    texts = [statistics.mean(values[at : at + seeds]) for at in range(0, len(values), seeds)]
    return statistics.mean(texts), statistics.stdev(texts) / math.sqrt(len(texts))


def _joined(found: Scores) -> str:
    return " / ".join(f"{score:.1f}" for score in found.values())


def _verdict(ours: Scores, peers: Scores) -> str:
    """The smallest difference, and whether it is met: no score of pairloom may be below gensim's minus TOLERANCE.

    >>> _verdict({"WS-353": 60.2, "SimLex": 27.0}, {"WS-353": 60.0, "SimLex": 30.1})
    'SimLex 3.1 below'
    >>> _verdict({"WS-353": 60.2, "SimLex": 29.9}, {"WS-353": 60.0, "SimLex": 30.1})
    '-0.2: met'
    """
    if not peers:
        return ""
    differences = {name: ours[name] - peers[name] for name in ours}
    lowest = min(differences, key=differences.__getitem__)
    if all(difference >= -TOLERANCE for difference in differences.values()):
        return f"{differences[lowest]:+z.1f}: met"  # z: never -0.0
    return f"{lowest} {-differences[lowest]:.1f} below"


# --- Parts and rounds


def _losses(setting: Setting, text: Text, args: argparse.Namespace) -> dict[str, Any]:
    """A row of the table of divisions: the held-out losses of each, by seed."""
    losses = {}
    for name, constants in DIVISIONS.items():
        with _divided_by(constants):
            trained = [_train(setting, text, seed, args)[0] for seed in args.seeds]
        losses[name] = [emb.record["heldout"]["loss"][-1] for emb in trained]
        report_progress(f"{setting.name}, {name}: {', '.join(f'{loss:.4f}' for loss in losses[name])}")
    return {"setting": setting.name, "losses_by_seed": losses}


@contextmanager
def _divided_by(constants: dict[str, int]) -> Iterator[None]:
    """Give constants of `pairloom.pairs.blocks` other values for a while."""
    usual = {name: getattr(blocks, name) for name in constants}
    try:
        for name, value in constants.items():
            setattr(blocks, name, value)
        yield
    finally:
        for name, value in usual.items():
            setattr(blocks, name, value)


def _loss_table(rows: list[dict[str, Any]]) -> str:
    """The mean loss of our rule, and how much higher that of each other division is.

    Which seed is used also changes the loss. Only a division that is lower by more than that is called lower.
    """
    cells = []
    for row in rows:
        by_seed: dict[str, list[float]] = row["losses_by_seed"]
        by_chance = statistics.mean(max(losses) - min(losses) for losses in by_seed.values())
        ours = statistics.mean(by_seed[OUR_RULE])
        others = {name: statistics.mean(losses) - ours for name, losses in by_seed.items() if name != OUR_RULE}
        lower = [name for name, difference in others.items() if difference < -by_chance]
        differences = [f"{difference:+z.4f}" for difference in others.values()]
        cells.append([row["setting"], f"{ours:.4f}", *differences, f"{by_chance:.4f}", ", ".join(lower) or "none"])
    return markdown(["held-out loss", *DIVISIONS, "seeds differ by", "lower than ours"], cells)


if __name__ == "__main__":
    main()
