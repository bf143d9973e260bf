"""The published test vectors of the method: the SHA-256 of what each kind of training saves, with one thread and two.

    python scripts/bits.py            compare with the published digests; exit 1 if one differs
    python scripts/bits.py --write    save the digests as the expected ones, after an intended change of bits
    python scripts/bits.py --targets --threads 1,2,3,8    compare all with code compiled for other CPUs (half an hour)

The digests are in src/pairloom/advice/diagnosis/digests.json, since `pairloom doctor` checks some of them where
pairloom is installed. The corpora are made with Python's own generator, so that the digests can be checked on any
machine.
"""

import argparse
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pairloom
from pairloom.advice.diagnosis.published import (
    EXPECTED,
    OPTIONS,
    Case,
    Sentences,
    from_pairs,
    from_text,
    saved,
    sentences,
    weighted_pairs,
)

THREADS = (1, 2)
TARGETS = {  # what kernels are compiled for: vectors of 8 or 16 columns, and the kind of CPU
    "8 columns": {"PAIRLOOM_COLUMNS": "8"},
    "16 columns": {"PAIRLOOM_COLUMNS": "16"},
    "haswell": {"NUMBA_CPU_NAME": "haswell", "PAIRLOOM_COLUMNS": "8"},
    "znver3": {"NUMBA_CPU_NAME": "znver3", "PAIRLOOM_COLUMNS": "8"},
    "skylake-avx512": {"NUMBA_CPU_NAME": "skylake-avx512", "PAIRLOOM_COLUMNS": "16"},
    "sapphirerapids": {"NUMBA_CPU_NAME": "sapphirerapids", "PAIRLOOM_COLUMNS": "16"},
    "generic": {"NUMBA_CPU_NAME": "generic"},  # no AVX and no FMA
}


def edges(n: int = 3_000) -> list[tuple[str, str, float]]:
    """A graph of 500 nodes, some of them hubs."""
    draw = random.Random(3).random
    return [(f"n{int(500 ** draw())}", f"n{int(500 * draw())}", 0.5 + draw()) for _ in range(n)]


def file_digest(path: Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def text_digest(lines: Sentences) -> str:
    """SHA-256 of sentences, one per line."""
    return hashlib.sha256("".join(" ".join(line) + "\n" for line in lines).encode()).hexdigest()


def by_words(folder: Path, threads: int) -> str:
    """Train on a file with capitals, punctuation and several scripts, by the rule `words`."""
    path, marks = folder / "text.txt", [", ", " ", "! ", "’s ", " — ", "ß ", " 我 ", ".5 "]
    lines = (
        "".join(word.capitalize() + marks[(i * i + len(line)) % 8] for i, word in enumerate(line))
        for line in sentences(6_000)
    )
    path.write_text("\n".join(lines), "utf-8")
    return saved(pairloom.train(path, tokenize="words", cache_dir=folder, threads=threads, **OPTIONS), folder)


def continued(**options: object) -> Case:
    """Train on another text, starting from the vectors of the first."""

    def case(folder: Path, threads: int) -> str:
        start = pairloom.train(sentences(), cache_dir=folder, threads=threads, **OPTIONS)
        more = sentences(3_000, 1_500, seed=4)
        return saved(pairloom.train(more, start=start, cache_dir=folder, threads=threads, epochs=1, **options), folder)

    return case


def frozen_pairs(side: str) -> Case:
    """Train on pairs, one side frozen."""

    def case(folder: Path, threads: int) -> str:
        start = pairloom.train_pairs(weighted_pairs(), cache_dir=folder, threads=threads, dim=20, epochs=2)
        again = pairloom.train_pairs(
            weighted_pairs(), start=start, freeze=side, cache_dir=folder, threads=threads, epochs=1
        )
        return saved(again, folder)

    return case


def resumed(train: Callable[..., pairloom.Embedding], corpus: object, **options: object) -> Case:
    """Interrupt a training at its first step, and finish it with another number of threads."""

    def case(folder: Path, threads: int) -> str:
        checkpoints = pairloom.Checkpoints(folder / "run", every="epoch")

        def stop(progress: pairloom.Progress) -> None:
            if progress.stage == "train":
                checkpoints.stop()

        try:
            train(corpus, cache_dir=folder, threads=threads, checkpoint=checkpoints, on_progress=stop, **options)
        except pairloom.StoppedError:
            pass
        else:
            raise AssertionError("the training was not interrupted")
        again = pairloom.Checkpoints(folder / "run", resume=True)
        return saved(
            train(corpus, cache_dir=folder, threads=2 if threads == 1 else 1, checkpoint=again, **options), folder
        )

    return case


def fold_in(folder: Path, threads: int) -> str:
    """Add new words to a model."""
    embedding = pairloom.train(sentences(), cache_dir=folder, threads=threads, **OPTIONS)
    new = [["new" if i == 0 else word for i, word in enumerate(line)] for line in sentences(500, seed=5)]
    folded = embedding.fold_in(new, cache_dir=folder, threads=threads)
    return saved(embedding.with_words(folded), folder)


def walks(**options: object) -> Case:
    """Walks over a graph, as text."""
    return lambda folder, threads: text_digest(
        list(pairloom.walk(edges(), walks=5, length=20, threads=threads, **options))
    )


def phrases(folder: Path, threads: int) -> str:
    """A file of phrases, and some sentences with phrases joined."""
    learnt = pairloom.Phrases.learn(sentences(), min_count=5, threshold=0.5, threads=threads)
    learnt.save(folder / "phrases.txt")
    joined = list(islice(learnt.wrap(sentences()), 1000))
    return hashlib.sha256((file_digest(folder / "phrases.txt") + text_digest(joined)).encode()).hexdigest()


CASES: dict[str, Case] = {
    "text, skip-gram by negative sampling": from_text(),
    "text, dim 100, 15 negatives": from_text(dim=100, negatives=15, window=3),
    "text, positional": from_text(positional=True, window=2),
    "text, clean": from_text(clean=True),
    "text, harmonic window": from_text(window_shape="harmonic"),
    "text, hs": from_text(objective="hs"),
    "text, softmax": from_text(objective="softmax", min_count=20, epochs=1),
    "text, cbow": from_text(model="cbow"),
    "text, cbow undivided": from_text(model="cbow", cbow_gradient="undivided"),
    "text, cbow by hs": from_text(model="cbow", objective="hs"),
    "text, sppmi-svd": from_text(model="sppmi-svd"),
    "text, by the rule words": by_words,
    "text, patience": from_text(patience=1, epochs=3),
    "text, resumed": resumed(pairloom.train, sentences(), **OPTIONS),
    "text, hs resumed": resumed(pairloom.train, sentences(), objective="hs", **OPTIONS),
    "text, grown": continued(grow=True),
    "text, words frozen": continued(freeze="words"),
    "text, contexts frozen": continued(freeze="contexts"),
    "pairs, negative sampling": from_pairs(),
    "pairs, softmax": from_pairs(objective="softmax", min_count=100),
    "pairs, resumed": resumed(pairloom.train_pairs, weighted_pairs(), dim=20, epochs=2),
    "pairs, words frozen": frozen_pairs("words"),
    "pairs, contexts frozen": frozen_pairs("contexts"),
    "fold-in": fold_in,
    "walks": walks(),
    "walks, node2vec": walks(p=0.5, q=2),
    "phrases": phrases,
}


def digest(name: str, threads: int) -> str:
    """The digest of what a case saves."""
    with tempfile.TemporaryDirectory() as folder:
        return CASES[name](Path(folder), threads)


def run_for(target: str, cases: list[str], threads: str) -> int:
    """Compare the digests in a process whose kernels are compiled for a target. Returns the exit code."""
    options = [option for case in cases for option in ("--case", case)]
    with tempfile.TemporaryDirectory() as folder:
        env = os.environ | TARGETS[target] | {"NUMBA_CACHE_DIR": folder}
        command = [sys.executable, "-m", "scripts.bits", "--threads", threads, *options]
        return subprocess.run(command, env=env, cwd=Path(__file__).parents[1]).returncode


def main() -> int:
    """Compare the digests with the expected ones, or save them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="save these as the expected digests")
    parser.add_argument("--case", action="append", choices=[*CASES], help="only this one; can be repeated")
    parser.add_argument("--threads", default=",".join(map(str, THREADS)), help="numbers of threads (%(default)s)")
    parser.add_argument("--targets", action="store_true", help="compile for each of some kinds of CPU")
    args = parser.parse_args()
    if args.targets:
        wrong = [target for target in TARGETS if run_for(target, args.case or [], args.threads)]
        print(f"{len(TARGETS) - len(wrong)} of {len(TARGETS)} targets have the published bits", *wrong)
        return 1 if wrong else 0
    return compare(args.case or [*CASES], [int(threads) for threads in args.threads.split(",")], args.write)


def compare(names: list[str], threads: list[int], write: bool) -> int:
    """Compare the digests of these cases with the expected ones, or save them. Returns 1 if one is wrong."""
    expected = json.loads(EXPECTED.read_text()) if EXPECTED.exists() else {}
    found: dict[str, str] = {}
    wrong = 0
    for name in names:
        digests = [digest(name, n) for n in threads]
        found[name] = digests[0] if len({*digests}) == 1 else "differs between thread counts"
        is_right = found[name] == (digests[0] if write else expected.get(name))
        wrong += not is_right
        print(f"{'ok ' if is_right else 'NOT'} {found[name]}  {name}", flush=True)
    if write and not wrong:
        EXPECTED.write_text(json.dumps(expected | found, indent=2) + "\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
