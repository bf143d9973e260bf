"""Skip-gram compared with the matrix it approximates: how well v_w·v_c fits PMI - log k, and the scores of SPPMI-SVD.

    python -m benchmarks.baselines                        100 MB of Wikipedia where present; a quarter of an hour
    python -m benchmarks.baselines --corpus F --dim 100 --epochs 1,2,3,5

The comparison of Levy & Goldberg, "Neural Word Embedding as Implicit Matrix Factorization" (2014), in one command.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

import pairloom
from benchmarks.scores import FIRST_WORDS, scores
from benchmarks.setting import CORPUS_HELP, DATA, RESULTS, corpus_file, machine, markdown, report_progress
from pairloom.judging.evaluation.correlation import spearman
from pairloom.judging.explanation import Explanation
from pairloom.training.sppmi import Sppmi

TESTS = [
    DATA / "similarity" / "ws353.tsv",
    DATA / "similarity" / "simlex999.tsv",
    DATA / "analogy" / "google_questions-words.txt",
]


def main() -> None:
    """Measure, print the tables and save the results."""
    args = _arguments()
    with tempfile.TemporaryDirectory() as folder:
        corpus = corpus_file(args.corpus, Path(folder), args.megabytes)
        epochs = [int(n) for n in args.epochs.split(",")]
        rows = [_skip_gram(corpus, args, n, max(epochs)) for n in epochs]
        rows += [_svd(corpus, args, power) for power in (1.0, 0.75)]
        rows += [_table(corpus, args, power) for power in (1.0, 0.75)]
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "baselines.json").write_text(json.dumps({"machine": machine(), "rows": rows}, indent=1) + "\n")
    tables = _fit_table([row for row in rows if "fit" in row]) + "\n" + _score_table(rows)
    (RESULTS / "baselines.md").write_text(tables)
    print(tables)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, help=CORPUS_HELP)
    parser.add_argument("--megabytes", type=int, help="only so much of the text")
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--epochs", default="1,2,3,5", help="skip-gram is trained once for each of these (1,2,3,5)")
    parser.add_argument("--sample", type=float, default=1e-4)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--scores", type=Path, nargs="*", default=[path for path in TESTS if path.exists()])
    return parser.parse_args()


def _skip_gram(corpus: Path, args: argparse.Namespace, epochs: int, most: int) -> dict[str, Any]:
    """Train and explain. All models are compared with the pairs of the longest training."""
    report_progress(f"skip-gram, {epochs} epochs")
    began = time.perf_counter()
    emb = pairloom.train(corpus, dim=args.dim, sample=args.sample, epochs=epochs, threads=args.threads)
    trained = time.perf_counter()
    record = {**emb.record, "config": {**emb.record["config"], "epochs": most}}
    counted = pairloom.Embedding(words=emb.words, contexts=emb.contexts, record=record)
    report = pairloom.explain(counted, corpus, threads=args.threads)
    explained = time.perf_counter()
    return {
        "model": f"skip-gram, {epochs} {'epoch' if epochs == 1 else 'epochs'}",
        "seconds": trained - began,
        "explained in": explained - trained,
        "fit": _fit(report),
        "by context": {band: fit.weighted_pearson for band, fit in report.optimum.by_context.items()},
        "windows": [(w.pruned, w.subsampled, w.mean, w.beyond) for w in report.windows],
        "scores": scores(emb.words.words, emb.words.vectors, args.scores),
    }


def _fit(report: Explanation) -> dict[str, float | None]:
    return {
        "PMI": report.pmi.all.pearson,
        "PMI, weighted": report.pmi.all.weighted_pearson,
        "optimum": report.optimum.all.pearson,
        "optimum, Spearman": report.optimum.all.spearman,
        "optimum, weighted": report.optimum.all.weighted_pearson,
        "slope, weighted": report.optimum.all.weighted_slope,
        "loss": report.objective.model,
        "reached": report.objective.reached,
        "calibration error": report.calibration.error,
    }


def _svd(corpus: Path, args: argparse.Namespace, power: float) -> dict[str, Any]:
    report_progress(f"SPPMI-SVD, noise power {power}")
    began = time.perf_counter()
    options = {"dim": args.dim, "sample": args.sample, "noise_power": power, "threads": args.threads}
    emb = pairloom.train(corpus, model="sppmi-svd", **options)
    return {
        "model": f"SPPMI-SVD, noise power {power:g}",
        "seconds": time.perf_counter() - began,
        "scores": scores(emb.words.words, emb.words.vectors, args.scores),
    }


def _table(corpus: Path, args: argparse.Namespace, power: float) -> dict[str, Any]:
    report_progress(f"SPPMI, noise power {power}")
    began = time.perf_counter()
    table = pairloom.sppmi_table(corpus, sample=args.sample, noise_power=power, threads=args.threads)
    seconds = time.perf_counter() - began
    found = {path.stem: 100 * _score(table, path) for path in args.scores}
    return {"model": f"SPPMI, {len(table):,} numbers, noise power {power:g}", "seconds": seconds, "scores": found}


def _score(table: Sppmi, path: Path) -> float:
    """Like `scores`, but with sparse rows in place of vectors: Spearman's correlation, or the accuracy of 3CosAdd."""
    lines = [line.lower().split() for line in path.read_text().splitlines() if line and line[0] not in "#:"]
    index = table.vocabulary.index
    if len(lines[-1]) == 3:
        known = [(index[a], index[b], float(score)) for a, b, score in lines if a in index and b in index]
        a, b, score = zip(*known, strict=True)
        rows = _unit_rows(table)
        cosines = rows[list(a)].multiply(rows[list(b)]).sum(axis=1)
        return spearman(np.asarray(cosines).ravel(), np.array(score)) or float("nan")
    return _analogies(table, [[index.get(word, FIRST_WORDS) for word in line] for line in lines])


def _analogies(table: Sppmi, questions: list[list[int]]) -> float:
    """The share of questions solved, of those whose words are all among the first FIRST_WORDS."""
    known = np.array([question for question in questions if max(question) < FIRST_WORDS])
    rows = _unit_rows(table)[:FIRST_WORDS]
    queried, place = np.unique(known[:, :3], return_inverse=True)
    cosines = (rows[queried] @ rows.T).toarray()
    solved = 0
    for (a, b, c), question in zip(place.reshape(-1, 3), known, strict=True):
        sums = cosines[b] - cosines[a] + cosines[c]
        sums[question[:3]] = -np.inf
        solved += int(sums.argmax() == question[3])
    return solved / len(known)


def _unit_rows(table: Sppmi) -> csr_array:
    n = len(table.vocabulary)
    lengths = np.repeat(np.maximum(table.norms, 1e-300), np.diff(table.indptr))
    return csr_array(((table.values / lengths).astype(np.float32), table.contexts, table.indptr), shape=(n, n))


def _fit_table(rows: list[dict[str, Any]]) -> str:
    heads = ["", *rows[0]["fit"]]
    return markdown(heads, [[row["model"], *(f"{x:.3f}" for x in row["fit"].values())] for row in rows])


def _score_table(rows: list[dict[str, Any]]) -> str:
    heads = ["", *rows[0]["scores"], "seconds"]
    return markdown(
        heads, [[row["model"], *(f"{x:.1f}" for x in row["scores"].values()), f"{row['seconds']:.0f}"] for row in rows]
    )


if __name__ == "__main__":
    main()
