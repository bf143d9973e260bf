"""Do folded-in words get the neighbours that training would have given them, and what does it cost?

    python -m benchmarks.fold_in --corpus F

200 words of all frequencies are removed from the text, a model is trained without them, and they are folded in from the
whole text. Their ten nearest words, among those that all models have, are compared with those of a model trained on
everything. For scale, two such models with different seeds are compared too. l2 is chosen on 200 other words, with a
model trained without these. All models have the default options. "Solving alone" is the median time of everything after
the pairs are counted.
"""

import argparse
import json
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np

import pairloom
from benchmarks.setting import CORPUS_HELP, RESULTS, corpus_file, machine, markdown, report_progress, verdict
from pairloom.corpus.sentences import open_corpus
from pairloom.progress import Progress

L2 = (5.0, 10.0, 20.0, 40.0)
EDGES = np.geomspace(50, 5000, 11)  # edges of the bands of counts that words are drawn from
SHOWN = (50, 158, 500, 1581, 5000)  # edges of the bands in the table
TARGET_OVERLAP, TARGET_COST = 0.7, 1e-3
MANY = 20_000
TIMES = 9  # runs, whose median is reported


def main() -> None:
    """Measure, print the tables and save the results."""
    args = _arguments()
    with tempfile.TemporaryDirectory() as folder:
        report = _measured(corpus_file(args.corpus, Path(folder)), Path(folder), args)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "fold_in.json").write_text(json.dumps({"machine": machine(), **report}, indent=1) + "\n")
    print(markdown(["count", "words", "two seeds", "folded in", "share"], report["bands"]))
    print(markdown(["", "seconds", "of processor", "of training's", "target"], report["costs"]))
    print(f"l2 {report['l2']} of {report['overlap_by_l2']}; {report['many']}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, help=CORPUS_HELP)
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--epochs", type=int, default=pairloom.TrainConfig().epochs)
    parser.add_argument("--sample", type=float, default=pairloom.TrainConfig().sample)
    parser.add_argument("--threads", type=int, default=None)
    return parser.parse_args()


def _measured(text: Path, folder: Path, args: argparse.Namespace) -> dict[str, Any]:
    with open_corpus(text) as corpus:
        vocabulary = pairloom.Vocabulary.from_corpus(corpus)
    tuning, words = _chosen(vocabulary)

    def train(**options: Any) -> tuple[pairloom.Embedding, Cost]:
        report_progress(f"training {', '.join(f'{name}={value!r:.20}' for name, value in options.items())}")
        settings = {"dim": args.dim, "epochs": args.epochs, "sample": args.sample, "threads": args.threads}
        return _timed(lambda: pairloom.train(text, cache_dir=folder, **settings, **options))

    train(seed=1)  # encodes the text, so that the next training does not
    (one, seconds), (two, _) = train(seed=1), train(seed=2)
    by_l2 = _tuned(train(drop=tuning)[0], tuning, one, text, folder, args)
    l2 = max(by_l2, key=by_l2.__getitem__)
    rest = train(drop=words)[0]
    folded, costs = _folded(rest, words, text, folder, args, l2, TIMES)
    seeds, ours = _overlap(one, two, two.words, words), _overlap(one, rest, folded.vectors, words)
    counts = np.array([vocabulary.counts[vocabulary.index[word]] for word in words])
    many = _many(vocabulary, train, text, folder, args)
    return {
        "l2": l2,
        "overlap_by_l2": by_l2,
        "bands": _bands(counts, seeds, ours),
        "costs": [_cost(name, cost, seconds) for name, cost in {"training": seconds, **costs}.items()],
        "many": many,
    }


def _chosen(vocabulary: pairloom.Vocabulary) -> tuple[list[str], list[str]]:
    """Two lists of 200 words, 20 from each band of counts."""
    rng = np.random.default_rng(7)
    chosen: tuple[list[str], list[str]] = [], []
    for low, high in pairwise(EDGES):
        band = rng.permutation(np.flatnonzero((vocabulary.counts >= low) & (vocabulary.counts < high)))
        for words, some in zip(chosen, (band[:20], band[20:40]), strict=True):
            words += [vocabulary.words[i] for i in some]
    return chosen


class Cost(NamedTuple):
    """Seconds by the clock, and processor seconds of all cores, whose ratios hold on a busy machine too."""

    wall: float
    cpu: float

    @classmethod
    def now(cls) -> "Cost":
        return cls(time.perf_counter(), time.process_time())

    def until(self, end: "Cost") -> "Cost":
        return Cost(end.wall - self.wall, end.cpu - self.cpu)

    @classmethod
    def median(cls, costs: list["Cost"]) -> "Cost":
        return cls(*(median(side) for side in zip(*costs, strict=True)))


def _timed(call: Any) -> tuple[Any, Cost]:
    began = Cost.now()
    result = call()
    return result, began.until(Cost.now())


def _fold(model: pairloom.Embedding, text: Path, folder: Path, args: argparse.Namespace, **options: Any) -> Any:
    return model.fold_in(text, cache_dir=folder, threads=args.threads, **options)


def _tuned(
    model: pairloom.Embedding, words: list[str], full: pairloom.Embedding, text: Path, folder: Path, args: Any
) -> dict[float, float]:
    """The overlap with full training for each l2, on words that the result does not use."""
    folded = {l2: _fold(model, text, folder, args, words=words, l2=l2).vectors for l2 in L2}
    return {l2: round(float(_overlap(full, model, vectors, words).mean()), 4) for l2, vectors in folded.items()}


def _folded(
    model: pairloom.Embedding, words: list[str], text: Path, folder: Path, args: Any, l2: float, times: int = 1
) -> Any:
    """Fold the words in. Also returns the cost with the text read again, with the text cached, and of solving alone."""
    solving: list[Cost] = []

    def on_progress(progress: Progress) -> None:
        if progress.stage == "solve" and progress.done in (0, progress.total):
            solving.append(Cost.now())

    options: dict[str, Any] = {"words": words, "l2": l2}
    _, first = _timed(lambda: _fold(model, text, folder, args, **options))
    for _ in range(times):  # one run is too short to time: solving 200 words is quick
        folded, again = _timed(lambda: _fold(model, text, folder, args, on_progress=on_progress, **options))
    costs = {
        "folding in, text read again": first,
        "encoded text found": again,
        "solving alone": Cost.median(
            [begin.until(end) for begin, end in zip(solving[::2], solving[1::2], strict=True)]
        ),
    }
    return folded, costs


def _overlap(one: pairloom.Embedding, other: pairloom.Embedding, queries: pairloom.Vectors, words: list[str]) -> Any:
    """The share of the ten nearest words in `one` that are also nearest to `queries` in `other`."""
    shared = [word for word in one.words if word in other.words and word not in set(words)]
    sides = []
    for model, vectors in ((one, one.words), (other, queries)):
        common = model.words.vectors_for_all(shared)
        rows = np.array([vectors[word] for word in words], np.float64)
        cosines = rows / np.linalg.norm(rows, axis=1)[:, None] @ common.get_normed_vectors().T
        sides.append(np.argsort(-cosines, axis=1)[:, :10])
    return np.array([len(set(a) & set(b)) / 10 for a, b in zip(*sides, strict=True)])


def _bands(counts: Any, seeds: Any, ours: Any) -> list[list[str]]:
    rows = [(f"{low} to {high}", (counts >= low) & (counts < high)) for low, high in pairwise(SHOWN)]
    cells = [[name, f"{some.sum()}", seeds[some].mean(), ours[some].mean()] for name, some in rows]
    cells.append(["all", f"{len(counts)}", seeds.mean(), ours.mean()])
    share = ours.mean() / seeds.mean()
    shares = [f"{row[3] / row[2]:.0%}" for row in cells[:-1]]
    shares.append(f"{share:.0%} (target {TARGET_OVERLAP:.0%}: {verdict(share, TARGET_OVERLAP, at_least=True)})")
    return [[*row[:2], f"{row[2]:.3f}", f"{row[3]:.3f}", last] for row, last in zip(cells, shares, strict=True)]


def _cost(name: str, cost: Cost, training: Cost) -> list[str]:
    share = cost.cpu / training.cpu
    target = "1/1000: " + ("met" if share <= TARGET_COST else "missed") if name == "solving alone" else ""
    return [name, f"{cost.wall:.3f}", f"{cost.cpu:.3f}", f"1/{1 / share:,.0f}", target]


def _many(vocabulary: pairloom.Vocabulary, train: Any, text: Path, folder: Path, args: Any) -> str:
    """Words per second for every second word from the 200th on."""
    words = list(vocabulary.words[200 : 200 + 2 * MANY : 2])
    model, _ = train(drop=words)
    folded, costs = _folded(model, words, text, folder, args, 20.0)
    solving, all_of_it = costs["solving alone"], costs["encoded text found"]
    n = len(folded.vectors)
    return (
        f"{n:,} words: {n / solving.wall:,.0f} a second solved ({n / solving.cpu:,.0f} a second of processor time), "
        f"{n / all_of_it.wall:,.0f} a second from encoded text on"
    )


if __name__ == "__main__":
    main()
