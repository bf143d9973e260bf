"""All answers about a model in one report."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np

from pairloom.config import check_whole, checked_threads
from pairloom.corpus.encoding import Encoded
from pairloom.corpus.prepared import prepare
from pairloom.corpus.sentences import Corpus, open_corpus
from pairloom.explanation import fit, whole
from pairloom.explanation.geometry import Geometry, geometry
from pairloom.explanation.memory_need import ExplanationSizes, slab
from pairloom.explanation.trained import Trained, check_of_text, config_of, text_of, vocabulary_of
from pairloom.explanation.windows import Window, effective_windows, with_gaps
from pairloom.method.contexts import Windows
from pairloom.pairs.cooccurrence import Cooccurrences, trained_pairs
from pairloom.pairs.from_text import TextSource
from pairloom.progress import OnProgress, ignore
from pairloom.system.memory import Budget
from pairloom.types import CorpusLike
from pairloom.vectors.embedding import Embedding


class _Running(TypedDict):
    """What changes time and place, not results."""

    threads: int | None
    cache_dir: str | os.PathLike[str] | None
    on_progress: OnProgress


@dataclass(frozen=True, eq=False, kw_only=True)
class Explanation:
    """How far a model got, and what it was trained on."""

    facts: dict[str, Any]  # the model, the corpus and the settings of training
    pmi: fit.Target  # v_w·v_c against PMI(w, c) - log k
    optimum: fit.Target  # v_w·v_c against log(#(w, c) / (k #(w) noise(c)))
    objective: whole.Objective
    calibration: whole.Calibration
    windows: list[Window]
    words: Geometry
    contexts: Geometry
    heat: np.ndarray  # pairs by (target, v_w·v_c), for a picture: (2, bins, bins)

    def as_dict(self) -> dict[str, Any]:
        """Plain dicts, lists and numbers, for JSON; without the picture."""
        names = ("facts", "pmi", "optimum", "objective", "calibration", "windows", "words", "contexts")
        return {name: plain(getattr(self, name)) for name in names}


def plain(value: Any) -> Any:
    """Named tuples as dicts, arrays as lists, and no infinity, of which JSON knows nothing."""
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: plain(one) for name, one in value._asdict().items()}
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(one) for one in value]
    if isinstance(value, float | np.floating):
        return float(value) if np.isfinite(value) else None
    return value


def explain(
    embedding: Embedding,
    corpus: CorpusLike,
    *,
    threads: int | None = None,
    tokenize: Callable[[str], list[str]] | None = None,
    most_products: int = whole.MOST_PRODUCTS,
    max_memory: int | str | None = None,
    cache_dir: str | os.PathLike[str] | None = None,
    on_progress: OnProgress = ignore,
    **text: Any,
) -> Explanation:
    """Explain a model by the corpus that it was trained on: the formulas are in the files of `pairloom.explanation`.

    The windows, the noise and what leaves the text are those of the model's record. most_products: of v_w with v_c for
    the objective; where there are more, only the most frequent words are asked. text: fields of `TextOptions` that are
    not as in training. max_memory: bytes, or such as "2GB"; what cannot fit into them, or into what the machine has, is
    refused with the sum before the corpus is read.
    """
    check_of_text(embedding)
    check_whole("most_products", most_products, 1, 2**62, "5000000000 takes under a minute at dim 100")
    threads = checked_threads(threads)
    config = config_of(embedding)
    tokens = slab(Budget(max_memory), ExplanationSizes.of(embedding, config), threads)
    vocabulary = vocabulary_of(embedding)
    running: _Running = {"threads": threads, "cache_dir": cache_dir, "on_progress": on_progress}
    with open_corpus(corpus, text=text_of(embedding, text), tokenize=tokenize) as opened:
        with prepare(opened, vocabulary=vocabulary, gaps=config.clean, **running) as encoded:
            counts = trained_pairs(TextSource(encoded, config), tokens_per_slab=tokens, **running)
            trained = Trained(embedding=embedding, config=config, counts=counts)
            facts = _facts(trained, opened, encoded)
        keep = vocabulary.keep_probability(config.sample, config.subsampling)
        windows = effective_windows(with_gaps(opened.sentences(), vocabulary), keep, config.seed, Windows.of(config))
    n_rows = whole.number_of_rows(len(embedding), most_products)
    seen = fit.observed(trained, n_rows, threads, on_progress)
    objective, calibration = whole.whole(trained, seen, n_rows, threads, on_progress)
    return Explanation(
        facts=facts,
        pmi=seen.pmi,
        optimum=seen.optimum,
        objective=objective,
        calibration=calibration,
        windows=windows,
        words=geometry(embedding.words),
        contexts=geometry(embedding.contexts),
        heat=seen.heat,
    )


def count_corpus(
    embedding: Embedding,
    corpus: CorpusLike,
    *,
    threads: int | None = None,
    max_memory: int | str | None = None,
    cache_dir: str | os.PathLike[str] | None = None,
    on_progress: OnProgress = ignore,
    **text: Any,
) -> Cooccurrences:
    """The pairs that a model was trained on, if it was trained on this corpus: what `explain_similarity` shows."""
    check_of_text(embedding)
    config, threads = config_of(embedding), checked_threads(threads)
    tokens = slab(Budget(max_memory), ExplanationSizes.of(embedding, config), threads, everything=False)
    running: _Running = {"threads": threads, "cache_dir": cache_dir, "on_progress": on_progress}
    with (
        open_corpus(corpus, text=text_of(embedding, text)) as opened,
        prepare(opened, vocabulary=vocabulary_of(embedding), gaps=config.clean, **running) as encoded,
    ):
        return trained_pairs(TextSource(encoded, config), tokens_per_slab=tokens, **running)


def _facts(trained: Trained, corpus: Corpus, encoded: Encoded) -> dict[str, Any]:
    config, windows = trained.config, Windows.of(trained.config)
    return {
        "words": len(trained.embedding),
        "dim": trained.embedding.dim,
        "corpus": corpus.name,
        "same_corpus": encoded.digest == trained.embedding.record.get("corpus", {}).get("sha256"),
        "tokens": encoded.n_tokens,
        "pairs": trained.counts.total,
        "different_pairs": len(trained.counts),
        "window": config.window,
        "reach": max(windows.left, windows.right),
        "negatives": config.negatives,
        "noise_power": config.noise_power,
        "sample": config.sample,
        "epochs": config.epochs,
    }
