"""gensim's Word2Vec, trained by pairloom.

    sentences -> build_vocab: the words and their counts -> train: vectors, as often as you like -> wv, save

>>> model = Word2Vec([["cat", "purrs"], ["dog", "barks"]] * 50, vector_size=8, min_count=1, sg=1, sample=0)
>>> len(model.wv), model.wv["cat"].shape
(4, (8,))
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from pairloom.cluster.holder import LocalHolder, new_model
from pairloom.config import TrainKeywords
from pairloom.corpus.vocabulary import Vocabulary
from pairloom.errors import InputError
from pairloom.formats import save as save_embedding
from pairloom.gensim_compat import files
from pairloom.gensim_compat.callbacks import call_each
from pairloom.gensim_compat.keyedvectors import KeyedVectors
from pairloom.gensim_compat.options import check_known, train_options, warn_of_ignored, warn_once
from pairloom.gensim_compat.prediction import SentenceScores, output_words
from pairloom.gensim_compat.rows import Key
from pairloom.gensim_compat.sentences import LineSentence, PathLineSentences, Text8Corpus, given_text
from pairloom.gensim_compat.vocabulary import Counted, NoVocabularyError, TrimRule, chosen, count_words, vocabulary_of
from pairloom.system.threads import workers
from pairloom.training.monitoring import Epoch
from pairloom.training.train import train
from pairloom.types import CorpusLike, Matrix, PathName
from pairloom.vectors.embedding import Embedding
from pairloom.vectors.search import Neighbours
from pairloom.vectors.vectors import Vectors

__all__ = ["KeyedVectors", "LineSentence", "PathLineSentences", "Text8Corpus", "Word2Vec"]

RECORD = "gensim"  # where the record of a saved file has the arguments
_SAVED = (
    *("vector_size", "alpha", "window", "min_count", "sample", "seed", "min_alpha", "sg", "hs", "negative"),
    *("ns_exponent", "epochs", "max_final_vocab", "shrink_windows", "comment", "corpus_count", "corpus_total_words"),
)


class Word2Vec:
    """Word vectors by CBOW (sg=0) or skip-gram (sg=1), with negative sampling or hierarchical softmax (hs=1).

    Arguments and defaults are gensim's, with one exception: workers=None stands for all cores. Any number of workers
    gives the same vectors. Arguments that have no effect here cause an `IgnoredOptionWarning`, once.
    """

    wv_type = KeyedVectors

    def __init__(
        self,
        sentences: Any = None,
        corpus_file: PathName | None = None,
        vector_size: int = 100,
        alpha: float = 0.025,
        window: int = 5,
        min_count: int = 5,
        max_vocab_size: int | None = None,
        sample: float = 1e-3,
        seed: int = 1,
        workers: int | None = None,
        min_alpha: float = 0.0001,
        sg: int = 0,
        hs: int = 0,
        negative: int = 5,
        ns_exponent: float = 0.75,
        cbow_mean: int = 1,
        hashfxn: Callable[..., int] = hash,
        epochs: int = 5,
        null_word: int = 0,
        trim_rule: TrimRule | None = None,
        sorted_vocab: int = 1,
        batch_words: int = 10_000,
        compute_loss: bool = False,
        callbacks: Iterable[object] = (),
        comment: str | None = None,
        max_final_vocab: int | None = None,
        shrink_windows: bool = True,
        **unknown: Any,
    ) -> None:
        given = {name: value for name, value in locals().items() if name not in ("self", "unknown")}
        check_known(unknown)
        warn_of_ignored(given)
        self.vector_size, self.window, self.min_count, self.sample = vector_size, window, min_count, sample
        self.alpha, self.min_alpha, self.epochs, self.seed, self.workers = alpha, min_alpha, epochs, seed, workers
        self.sg, self.hs, self.negative, self.ns_exponent = sg, hs, negative, ns_exponent
        self.max_final_vocab, self.shrink_windows, self.comment = max_final_vocab, shrink_windows, comment
        self.callbacks, self._trim_rule = callbacks, trim_rule
        self.corpus_count = self.corpus_total_words = 0
        self.raw_vocab: dict[str, int] = {}
        self._clear()
        train_options(self._arguments, 1)  # refuses combinations that cannot be trained, before anything is read
        if sentences is not None or corpus_file is not None:
            given_text(sentences, corpus_file, spool=False)  # the sentences are read several times
            self.build_vocab(sentences, corpus_file, trim_rule=trim_rule)
            self.train(sentences, corpus_file, epochs=epochs, callbacks=callbacks)

    def _clear(self) -> None:
        self._vocabulary: Vocabulary | None = None
        self._wv: KeyedVectors | None = None
        self._contexts: Vectors | None = None
        self._record: dict[str, Any] = {}
        self._is_fresh = True  # whether the vocabulary is newer than the vectors
        self._latest: Callable[[], Embedding] | None = None  # the vectors of an epoch, if nobody has asked for them yet

    @property
    def _arguments(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _SAVED}

    # --- The vocabulary

    def build_vocab(
        self,
        corpus_iterable: Any = None,
        corpus_file: PathName | None = None,
        update: bool = False,
        progress_per: int = 10_000,
        keep_raw_vocab: bool = False,
        trim_rule: TrimRule | None = None,
        **ignored: object,
    ) -> None:
        """Count words and choose those to learn. update: add new words to those of a trained model."""
        text, rule = given_text(corpus_iterable, corpus_file, spool=True), trim_rule or self._trim_rule
        least = 1 if rule is not None or keep_raw_vocab else max(1, self.min_count)
        counted = count_words(text, least, self.workers)
        self._choose(counted, update, rule)
        self.raw_vocab = counted.counts if keep_raw_vocab else {}

    def build_vocab_from_freq(
        self,
        word_freq: Mapping[str, int],
        keep_raw_vocab: bool = False,
        corpus_count: int | None = None,
        trim_rule: TrimRule | None = None,
        update: bool = False,
    ) -> None:
        """`build_vocab` from words that were counted elsewhere."""
        counts = dict(word_freq)
        self._choose(Counted(counts, sum(counts.values()), corpus_count or 0), update, trim_rule or self._trim_rule)
        self.raw_vocab = counts if keep_raw_vocab else {}

    def _choose(self, counted: Counted, update: bool, rule: TrimRule | None) -> None:
        """Set the vocabulary. The vectors of earlier training stay if it is an update."""
        if update and self._vocabulary is None:
            raise InputError("update=True adds words to a vocabulary, and there is none yet. Leave out update.")
        old = self._vocabulary if update else None
        known = dict(zip(old.words, old.counts.tolist(), strict=True)) if old else {}
        new = chosen(counted.counts, self.min_count, self.max_final_vocab, rule)
        both = known | {word: n + known.get(word, 0) for word, n in new.items()}
        vocabulary = vocabulary_of(both, self.min_count)
        kept = self.embedding if update else None
        self._clear()
        self._vocabulary = vocabulary
        self.corpus_count, self.corpus_total_words = counted.n_sentences, counted.n_tokens
        if kept is not None:
            self._contexts, self._record = kept.contexts, kept.record
            known_words = [word for word in kept.words.words if word in vocabulary]
            self.wv.add_vectors(known_words, kept.words[known_words], replace=True)

    def _first_rows(self) -> Matrix:
        """Vectors as they are before training. (Training starts those of rare words shorter.)"""
        assert self._vocabulary is not None
        with workers(1) as pool:
            made = new_model(np.ones(len(self._vocabulary)), 0, self.vector_size, self.seed, pool)
            return LocalHolder(made, self.vector_size, pool).copied()[0]

    def init_weights(self) -> None:
        """Forget what was learnt, and keep the vocabulary."""
        vocabulary = self._vocabulary
        self._clear()
        self._vocabulary = vocabulary

    def reset_from(self, other_model: "Word2Vec") -> None:
        """Take the vocabulary of another model."""
        self._clear()
        self._vocabulary = other_model._vocabulary
        self.corpus_count, self.corpus_total_words = other_model.corpus_count, other_model.corpus_total_words

    # --- Training

    def train(
        self,
        corpus_iterable: Any = None,
        corpus_file: PathName | None = None,
        total_examples: int | None = None,
        total_words: int | None = None,
        epochs: int | None = None,
        start_alpha: float | None = None,
        end_alpha: float | None = None,
        word_count: int = 0,
        queue_factor: int = 2,
        report_delay: float = 1.0,
        compute_loss: bool = False,
        callbacks: Iterable[object] = (),
        **ignored: object,
    ) -> tuple[int, int]:
        """Train on sentences, going on from the vectors so far. Returns the words trained on, in all epochs, twice.

        The learning rate falls from start_alpha (alpha) to end_alpha (min_alpha). As in gensim, the model keeps these
        and epochs. total_examples and total_words are
        not needed: pairloom counts for itself.
        """
        if self._vocabulary is None:
            raise NoVocabularyError("There is no vocabulary to train. Call build_vocab first.")
        if word_count:
            warn_once(
                f"word_count={word_count} has no effect: set start_alpha and end_alpha to train a part of a text."
            )
        self.alpha, self.epochs = start_alpha or self.alpha, self.epochs if epochs is None else epochs
        self.min_alpha = self.min_alpha if end_alpha is None else end_alpha
        given = self._arguments
        text, told = given_text(corpus_iterable, corpus_file, spool=given["epochs"] == 1), [*callbacks]
        options = cast(TrainKeywords, {**train_options(given, self._vocabulary.n_tokens), **text.options})
        call_each(told, "on_train_begin", self)
        call_each(told, "on_epoch_begin", self)
        embedding = self._trained(text.corpus, options, told)
        self._take_over(embedding)
        call_each(told, "on_train_end", self)
        tokens = given["epochs"] * int(embedding.record["corpus"]["tokens"])
        return tokens, tokens

    def _trained(self, corpus: CorpusLike, options: TrainKeywords, callbacks: Sequence[object]) -> Embedding:
        """The result of `pairloom.train`. Toy texts that subsampling leaves without pairs are not subsampled."""

        def trained(sample: float) -> Embedding:
            return train(
                corpus,
                vocabulary=self._vocabulary,
                start=self._start(),
                threads=self.workers,
                on_epoch=lambda epoch: self._end_epoch(epoch, callbacks),
                **cast(TrainKeywords, {**options, "sample": sample}),
            )

        try:
            return trained(options["sample"])
        except InputError as error:
            if not options["sample"] or not str(error).startswith("With sample="):
                raise
        embedding = trained(0.0)
        warn_once(f"sample={options['sample']} leaves no pairs of a text this small. It was trained with sample=0.")
        return embedding

    def _start(self) -> Embedding | None:
        """What training goes on from: rows that were trained or set, not those that are still random."""
        if self._wv is None and self._latest is None:
            return None
        words = self.wv.as_vectors()
        if self._is_fresh:
            changed = np.flatnonzero((self._first_rows() != words.vectors[: len(self._vocabulary or ())]).any(axis=1))
            words = words.vectors_for_all([words.words[row] for row in changed.tolist()])
            if not len(words):
                return None
        none = np.empty((0, self.vector_size), np.float32)
        return Embedding(words=words, contexts=self._contexts or Vectors([], none), record=self._record)

    def _end_epoch(self, epoch: Epoch, callbacks: Sequence[object]) -> None:
        """Let callbacks see the model. The vectors are copied only if they ask for them."""
        if not callbacks:
            return
        self._latest, self._record = epoch.embedding, {"heldout": {"loss": [epoch.heldout]}}
        call_each(callbacks, "on_epoch_end", self)
        if epoch.number < epoch.epochs:
            call_each(callbacks, "on_epoch_begin", self)
        self._latest = None

    def _take_over(self, embedding: Embedding) -> None:
        self._wv, self._contexts, self._record = KeyedVectors.of(embedding.words), embedding.contexts, embedding.record
        self._is_fresh, self._latest = False, None

    def get_latest_training_loss(self) -> float:
        """The held-out loss after the latest epoch, a mean over pairs that were not trained on.

        NaN if the text is too small to hold anything out. gensim's number is a sum over trained pairs, and grows.
        """
        loss = self._record.get("heldout", {}).get("loss", [None])[-1]
        return math.nan if loss is None else float(loss)

    # --- What was learnt

    @property
    def wv(self) -> KeyedVectors:
        """The words and their vectors: random before training."""
        if self._latest is not None:
            self._take_over(self._latest())
        if self._wv is None:
            if self._vocabulary is None:
                return KeyedVectors(self.vector_size)
            self._wv = KeyedVectors.of(Vectors(self._vocabulary.words, self._first_rows(), self._vocabulary.counts))
        return self._wv

    @wv.setter
    def wv(self, vectors: KeyedVectors) -> None:
        """Use other vectors. They have no contexts, so only training gives them some."""
        self._take_over(Embedding.of_words(vectors.as_vectors()))
        self._wv, self.vector_size = vectors, vectors.vector_size

    @property
    def embedding(self) -> Embedding:
        """The `pairloom.Embedding` of this model, with its contexts, for all else that pairloom can do."""
        words = self.wv.as_vectors()
        contexts = self._contexts or Vectors([], np.empty((0, self.vector_size), np.float32))
        return Embedding(words=words, contexts=contexts, record=self._record)

    @property
    def syn1neg(self) -> Matrix:
        """The matrix of contexts, or for hs=1 of the nodes of the tree: zeros before training."""
        contexts = self.embedding.contexts.vectors
        return contexts if len(contexts) else np.zeros((len(self.wv), self.vector_size), np.float32)

    syn1 = syn1neg

    @property
    def layer1_size(self) -> int:
        """gensim's other name for vector_size."""
        return self.vector_size

    def predict_output_word(self, context_words_list: Sequence[Key], topn: int = 10) -> Neighbours | None:
        """The words that fit best between these, with their probabilities. None if none of them is known."""
        if self.hs or not len(self.embedding.contexts):
            raise RuntimeError("predict_output_word needs a model that was trained with negative sampling (hs=0).")
        known = [word for word in map(self.wv.word_of, context_words_list) if word in self.wv]
        return output_words(self.embedding, known, topn) if known else None

    def score(
        self, sentences: Iterable[Sequence[str]], total_sentences: int = 10**6, **ignored: object
    ) -> npt.NDArray[np.float32]:
        """log p of each sentence. For models of hierarchical softmax (hs=1)."""
        if not self.hs:
            raise RuntimeError("score needs a model of hierarchical softmax. Train with hs=1, negative=0.")
        return SentenceScores(self.embedding, self.window, cbow=not self.sg).of(sentences)

    # --- Files

    def save(self, fname: PathName, **options: object) -> None:
        """Write pairloom's native file, whatever the suffix. `pairloom.load` reads it, too."""
        if self._vocabulary is None:
            raise InputError("There is nothing to save: the model has no words. Call build_vocab first.")
        facts = {**self._arguments, "is_fresh": self._is_fresh}
        embedding = self.embedding
        record = {**embedding.record, RECORD: facts}
        save_embedding(Embedding(words=embedding.words, contexts=embedding.contexts, record=record), fname, "loom")

    @classmethod
    def load(cls, fname: PathName, mmap: str | None = None, **options: object) -> "Word2Vec":
        """Read a file that `save` wrote, or a .loom file of pairloom. Pickles of gensim's own `save` are refused."""
        return cls.of(files.load_any(fname))

    @classmethod
    def of(cls, embedding: Embedding) -> "Word2Vec":
        """A model that goes on from an Embedding, for example of `pairloom.train`."""
        record = dict(embedding.record)
        facts = record.pop(RECORD, None) or _arguments_of(embedding)
        made = cls(**{name: value for name, value in facts.items() if name in _SAVED[:15]})
        made._take_over(Embedding(words=embedding.words, contexts=embedding.contexts, record=record))
        made.corpus_count, made.corpus_total_words = (int(facts.get(name, 0)) for name in _SAVED[15:])
        made._is_fresh = bool(facts.get("is_fresh", False))
        words = embedding.words
        counted = {word: n for word, n in zip(words.words, words.counts.tolist(), strict=True) if n}
        made._vocabulary = Vocabulary.of(counted.items()) if len(counted) > 1 else None
        return made

    def init_sims(self, replace: bool = False) -> None:
        """The same of `wv`: bring all vectors to length 1 if replace."""
        self.wv.init_sims(replace)

    def __repr__(self) -> str:
        return f"Word2Vec<vocab={len(self._vocabulary or ())}, vector_size={self.vector_size}, alpha={self.alpha}>"

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and hasattr(KeyedVectors, name):
            raise AttributeError(f"Word2Vec has no {name!r} since gensim 4. Use model.wv.{name}.")
        raise AttributeError(f"Word2Vec has no {name!r}.")


def _arguments_of(embedding: Embedding) -> dict[str, Any]:
    """gensim's arguments for an embedding that `pairloom.train` made. Other options of pairloom have no name there."""
    config = embedding.record.get("config", {})
    names = {"window": "window", "noise_power": "ns_exponent", "sample": "sample", "seed": "seed", "epochs": "epochs"}
    names |= {"lr": "alpha", "min_lr": "min_alpha", "negatives": "negative"}
    facts = {theirs: config[ours] for ours, theirs in names.items() if ours in config}
    objective = {"sg": int(config.get("model") != "cbow"), "hs": int(config.get("objective") == "hs")}
    return {"vector_size": embedding.dim, **facts, **objective} | ({"negative": 0} if objective["hs"] else {})
