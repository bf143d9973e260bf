"""Everything that is measured about a model, in one report."""

from dataclasses import dataclass
from typing import Any, TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from pairloom.config import TextKeywords, TrainConfig, check_whole, checked_threads
from pairloom.corpus.encoding import Encoded
from pairloom.corpus.kinds.corpus import Corpus
from pairloom.corpus.prepared import prepare
from pairloom.corpus.sentences import open_corpus
from pairloom.drawing.notebook import card
from pairloom.errors import InputError, NoPairsError
from pairloom.judging.explanation import all_pairs, fit
from pairloom.judging.explanation.counted_model import CountedModel, check_trained_on_text, vocabulary_of
from pairloom.judging.explanation.geometry import Geometry, geometry
from pairloom.judging.explanation.memory_need import ExplanationSizes, tokens_per_slab
from pairloom.judging.explanation.windows import PairDistances, effective_windows, with_gaps
from pairloom.method.contexts import Windows
from pairloom.pairs.cooccurrence import Cooccurrences, trained_pairs
from pairloom.pairs.from_text import TextSource
from pairloom.progress import OnProgress, ignore, logged
from pairloom.system.memory import Budget
from pairloom.types import CorpusLike, PathName
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.record import recorded_config, recorded_text


class _RunOptions(TypedDict):
    """Options that change where and how fast the work is done, but not its results."""

    threads: int | None
    cache_dir: PathName | None
    on_progress: OnProgress


@dataclass(frozen=True, eq=False, kw_only=True)
class Explanation:
    """How close a model came to the theory, and what it was trained on."""

    facts: dict[str, Any]  # the model, the corpus and the settings of training
    pmi: fit.TargetFits  # v_w·v_c against PMI(w, c) - log k
    optimum: fit.TargetFits  # v_w·v_c against log(#(w, c) / (k #(w) noise(c)))
    objective: all_pairs.ObjectiveLosses
    calibration: all_pairs.Calibration
    windows: list[PairDistances]
    words: Geometry
    contexts: Geometry
    heat: npt.NDArray[np.int64]  # (2, bins, bins): pairs by target and v_w·v_c, for the heat maps

    def __repr__(self) -> str:
        shown = ", ".join(f"{name} {value}" for name, value in self._shown().items())
        return f"Explanation({shown})"

    def _repr_html_(self) -> str:
        return card(f"Explanation of a model on {self.facts['corpus']}", list(self._shown().items()))

    def _shown(self) -> dict[str, str]:
        """The first figure of each measure."""
        fits = [self.pmi.all.pearson, self.optimum.all.pearson]
        pmi, optimum = ("undefined" if fit is None else f"{fit:.3f}" for fit in fits)
        return {
            "words": f"{self.facts['words']:,}",
            "pairs": f"{self.facts['pairs']:,.0f}",
            "Pearson with PMI - log k": pmi,
            "Pearson with the optimum": optimum,
            "way to the optimum": f"{self.objective.reached:.1%}",
            "mean error of probabilities": f"{self.calibration.error:.4f}",
        }

    def as_dict(self) -> dict[str, Any]:
        """Plain dicts, lists and numbers for JSON, without `heat`."""
        names = ("facts", "pmi", "optimum", "objective", "calibration", "windows", "words", "contexts")
        return {name: as_plain_data(getattr(self, name)) for name in names}


def as_plain_data(value: Any) -> Any:
    """Turn named tuples into dicts, arrays into lists, and infinities into None, because JSON has none of these."""
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: as_plain_data(one) for name, one in value._asdict().items()}
    if isinstance(value, dict):
        return {name: as_plain_data(one) for name, one in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [as_plain_data(one) for one in value]
    if isinstance(value, float | np.floating):
        return float(value) if np.isfinite(value) else None
    return value


def explain(
    embedding: Embedding,
    corpus: CorpusLike,
    *,
    threads: int | None = None,
    most_products: int = all_pairs.MOST_PRODUCTS,
    max_memory: int | str | None = None,
    cache_dir: PathName | None = None,
    on_progress: OnProgress = ignore,
    **text: Unpack[TextKeywords],
) -> Explanation:
    """Compare a model with the corpus that it was trained on. The modules beside this one have the formulas.

    Windows, noise and the words that leave the text follow the model's record.

    most_products  the objective needs v_w·v_c of all words with all contexts; if these are more products than this,
                   only the most frequent words are used
    max_memory     bytes, or for example "2GB"; an explanation that would need more, or more than the machine has, stops
                   before the corpus is read and says how much
    text           fields of `TextOptions` that differ from training. If the text of the model was split by a function,
                   give the same one as tokenize
    """
    check_trained_on_text(embedding)
    check_whole("most_products", most_products, 1, 2**62, "5000000000 takes under a minute at dim 100")
    threads = checked_threads(threads)
    config = recorded_config(embedding.record)
    tokens = tokens_per_slab(Budget(max_memory), ExplanationSizes.of(embedding, config), threads)
    vocabulary = vocabulary_of(embedding)
    options: _RunOptions = {"threads": threads, "cache_dir": cache_dir, "on_progress": logged(on_progress)}
    with open_corpus(corpus, text=recorded_text(embedding.record, **text)) as opened:
        with prepare(opened, vocabulary=vocabulary, gaps=config.clean, **options) as encoded:
            counts = _counted(opened, encoded, config, tokens, options)
            model = CountedModel(embedding=embedding, config=config, counts=counts)
            facts = _facts(model, opened, encoded)
        keep = vocabulary.keep_probability(config.sample, config.subsampling)
        windows = effective_windows(with_gaps(opened.sentences(), vocabulary), keep, config.seed, Windows.of(config))
    n_rows = all_pairs.number_of_rows(len(embedding), most_products)
    observed = fit.fit_observed_pairs(model, n_rows, threads, on_progress)
    objective, calibration = all_pairs.objective_and_calibration(model, observed, n_rows, threads, on_progress)
    return Explanation(
        facts=facts,
        pmi=observed.pmi,
        optimum=observed.optimum,
        objective=objective,
        calibration=calibration,
        windows=windows,
        words=geometry(embedding.words),
        contexts=geometry(embedding.contexts),
        heat=observed.heat,
    )


def count_corpus(
    embedding: Embedding,
    corpus: CorpusLike,
    *,
    threads: int | None = None,
    max_memory: int | str | None = None,
    cache_dir: PathName | None = None,
    on_progress: OnProgress = ignore,
    **text: Unpack[TextKeywords],
) -> Cooccurrences:
    """Count the pairs that training takes from this corpus with the model's settings, for `explain_similarity`."""
    check_trained_on_text(embedding)
    config, threads = recorded_config(embedding.record), checked_threads(threads)
    tokens = tokens_per_slab(Budget(max_memory), ExplanationSizes.of(embedding, config), threads, everything=False)
    options: _RunOptions = {"threads": threads, "cache_dir": cache_dir, "on_progress": on_progress}
    with (
        open_corpus(corpus, text=recorded_text(embedding.record, **text)) as opened,
        prepare(opened, vocabulary=vocabulary_of(embedding), gaps=config.clean, **options) as encoded,
    ):
        return _counted(opened, encoded, config, tokens, options)


def _counted(
    corpus: Corpus, encoded: Encoded, config: TrainConfig, tokens_per_slab: int, options: _RunOptions
) -> Cooccurrences:
    try:
        return trained_pairs(TextSource(encoded, config), tokens_per_slab=tokens_per_slab, **options)
    except NoPairsError:
        raise InputError(
            f"No two words of the model are in one window of {corpus.name}. Give the text that it was trained on."
        ) from None


def _facts(model: CountedModel, corpus: Corpus, encoded: Encoded) -> dict[str, Any]:
    config, windows = model.config, Windows.of(model.config)
    return {
        "words": len(model.embedding),
        "dim": model.embedding.dim,
        "corpus": corpus.name,
        "same_corpus": encoded.digest == model.embedding.record.get("corpus", {}).get("sha256"),
        "tokens": encoded.n_tokens,
        "pairs": model.counts.total,
        "different_pairs": len(model.counts),
        "window": config.window,
        "reach": max(windows.left, windows.right),
        "negatives": config.negatives,
        "noise_power": config.noise_power,
        "sample": config.sample,
        "epochs": config.epochs,
    }
