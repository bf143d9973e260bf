"""The published test vectors of the method: the SHA-256 of what each kind of training saves, with one thread and two.

    python scripts/bits.py            compare with the published digests; exit 1 if one differs
    python scripts/bits.py --write    save the digests as the expected ones, after an intended change of bits

The digests are in src/pairloom/diagnosis/digests.json, since `pairloom doctor` checks some of them where pairloom is
installed. The corpora are made with Python's own generator, so that the digests can be checked on any machine.
"""

import argparse
import hashlib
import json
import random
import sys
import tempfile
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pairloom
from pairloom.diagnosis.published import (
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
        return saved(train(corpus, cache_dir=folder, threads=3 - threads, checkpoint=again, **options), folder)

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


def main() -> int:
    """Compare the digests with the expected ones, or save them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="save these as the expected digests")
    args = parser.parse_args()
    expected = json.loads(EXPECTED.read_text()) if EXPECTED.exists() else {}
    found: dict[str, str] = {}
    wrong = 0
    for name in CASES:
        digests = [digest(name, threads) for threads in THREADS]
        found[name] = digests[0] if len({*digests}) == 1 else "differs between thread counts"
        is_right = found[name] == (digests[0] if args.write else expected.get(name))
        wrong += not is_right
        print(f"{'ok ' if is_right else 'NOT'} {found[name]}  {name}", flush=True)
    if args.write and not wrong:
        EXPECTED.write_text(json.dumps(found, indent=2) + "\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
