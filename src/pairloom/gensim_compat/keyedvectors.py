"""gensim's KeyedVectors: words with vectors that can be added to and changed.

`pairloom.Vectors` never change, so every question goes to `Vectors` made from the rows of this moment. They share the
memory of the matrix.

>>> kv = KeyedVectors(2)
>>> kv.add_vectors(["cat", "dog", "car"], [[2, 1], [1, 1], [-1, 2]])
>>> kv["dog"] = [2, 2]
>>> kv.most_similar("cat", topn=1)[0][0], "bird" in kv
('dog', False)
"""

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pairloom.errors import InputError
from pairloom.gensim_compat import evaluating, files
from pairloom.gensim_compat.options import warn_once
from pairloom.gensim_compat.rows import Key, WordRows, is_weighted
from pairloom.types import PathName
from pairloom.vectors.search import Neighbours


class KeyedVectors(WordRows):
    """A word, a vector and a count for each row, and gensim's questions about them."""

    # --- Questions

    def most_similar(
        self,
        positive: Any = None,
        negative: Any = None,
        topn: int | None = 10,
        clip_start: int = 0,
        clip_end: int | None = None,
        restrict_vocab: int | None = None,
        indexer: Any = None,
    ) -> Any:
        """The topn nearest words, by the mean of positive and minus negative; with topn=None, the cosines of all rows.

        clip_start, clip_end: search only these rows. A weight in negative counts as it is: ("word", -1.0).
        """
        plus, minus = self.items_of(positive), [_against(item) for item in self.items_of(negative)]
        asked = self.as_vectors()
        if topn is None:
            target = asked.get_mean_vector(
                [*map(_unweighted, plus + minus)], _signed(plus, minus), ignore_missing=False
            )
            return (1 - asked.distances(target)).astype(np.float32)[clip_start:clip_end]
        if topn < 1:
            return Neighbours()
        if hasattr(indexer, "most_similar"):  # gensim's own, for example of Annoy
            return indexer.most_similar(asked.get_mean_vector(plus, ignore_missing=False), topn)
        clips = restrict_vocab is None and (clip_start, clip_end) != (0, None)
        rows = {"candidates": self.index_to_key[clip_start:clip_end]} if clips else {}
        return asked.most_similar(plus, minus, topn, restrict_vocab=restrict_vocab, indexer=indexer, **rows)  # type: ignore[arg-type]

    def most_similar_cosmul(
        self, positive: Any = None, negative: Any = None, topn: int | None = 10, restrict_vocab: int | None = None
    ) -> Neighbours:
        """The topn words of the highest product of cosines (3CosMul)."""
        most = len(self) if topn is None else topn
        asked, plus, minus = self.as_vectors(), self.items_of(positive), self.items_of(negative)
        return asked.most_similar_cosmul(plus, minus, most, restrict_vocab)

    def similar_by_word(self, word: Key, topn: int = 10, restrict_vocab: int | None = None) -> Any:
        """`most_similar` of one word."""
        return self.most_similar([word], topn=topn, restrict_vocab=restrict_vocab)

    similar_by_key = similar_by_word

    def similar_by_vector(self, vector: npt.ArrayLike, topn: int = 10, restrict_vocab: int | None = None) -> Any:
        """`most_similar` of one vector."""
        return self.most_similar([np.asarray(vector)], topn=topn, restrict_vocab=restrict_vocab)

    def similarity(self, w1: Key, w2: Key) -> float:
        """The cosine of two words."""
        return self.as_vectors().similarity(self.word_of(w1), self.word_of(w2))

    def distance(self, w1: Key, w2: Key) -> float:
        """1 - similarity."""
        return 1.0 - self.similarity(w1, w2)

    def distances(self, word_or_vector: Any, other_words: Iterable[Key] = ()) -> npt.NDArray[np.float64]:
        """1 - cosine to each of other_words, or to all words."""
        (item,) = self.items_of([word_or_vector])
        return self.as_vectors().distances(item, [self.word_of(word) for word in other_words])

    def n_similarity(self, ws1: Sequence[Key], ws2: Sequence[Key]) -> float:
        """The cosine between the means of two lists of words, without unknown ones."""
        return self.as_vectors().n_similarity(self.items_of(ws1), self.items_of(ws2), ignore_missing=True)

    def doesnt_match(self, words: Sequence[str]) -> str:
        """The word that is least like the others. Unknown words are left out, with a warning."""
        self._warn_of_unknown(words)
        return self.as_vectors().doesnt_match(words, ignore_missing=True)

    def rank_by_centrality(self, words: Sequence[str], use_norm: bool = True) -> list[tuple[float, str]]:
        """(cosine to their mean, word), the most central first. Unknown words are left out, with a warning."""
        self._warn_of_unknown(words)
        return self.as_vectors().rank_by_centrality([word for word in words if word in self], use_norm)

    def _warn_of_unknown(self, words: Sequence[str]) -> None:
        unknown = [repr(word) for word in words if word not in self]
        if 0 < len(unknown) < len(words):  # if none is known, there is an error
            are = "is" if len(unknown) == 1 else "are"
            message = (
                f"{' and '.join(unknown)} {are} not among the words of these vectors. The answer is about the others."
            )
            warnings.warn(message, stacklevel=3)

    def most_similar_to_given(self, key1: Key, keys_list: Sequence[Key]) -> Key:
        """The most similar to key1 among keys_list."""
        best = self.as_vectors().most_similar_to_given(self.word_of(key1), [self.word_of(key) for key in keys_list])
        return next(key for key in keys_list if self.word_of(key) == best)

    def closer_than(self, key1: Key, key2: Key) -> list[str]:
        """The words that are closer to key1 than key2 is."""
        return self.as_vectors().closer_than(self.word_of(key1), self.word_of(key2))

    def rank(self, key1: Key, key2: Key) -> int:
        """1 if key2 is the word closest to key1, and so on."""
        return len(self.closer_than(key1, key2)) + 1

    def relative_cosine_similarity(self, wa: Key, wb: Key, topn: int = 10) -> float:
        """cos(wa, wb), divided by the sum of the cosines of the topn words nearest to wa."""
        return self.as_vectors().relative_cosine_similarity(self.word_of(wa), self.word_of(wb), topn)

    def wmdistance(self, document1: Sequence[str], document2: Sequence[str], norm: bool = True) -> float:
        """Word Mover's Distance of two documents, given as lists of words."""
        return self.as_vectors().wmdistance(document1, document2, norm)

    def vectors_for_all(
        self, keys: Iterable[Key], allow_inference: bool = True, copy_vecattrs: bool = False
    ) -> "KeyedVectors":
        """The vectors of these words alone."""
        words = [key if isinstance(key, str) else self.word_of(key) for key in keys]
        return KeyedVectors.of(self.as_vectors().vectors_for_all(words, allow_inference, copy_vecattrs))

    @staticmethod
    def cosine_similarities(vector_1: npt.ArrayLike, vectors_all: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """The cosine of a vector with each row of a matrix; 0 for a row of zeros."""
        one, rows = np.asarray(vector_1, np.float64), np.asarray(vectors_all, np.float64)
        lengths = np.linalg.norm(rows, axis=1) * np.linalg.norm(one)
        cosines: npt.NDArray[np.float64] = np.divide(rows @ one, lengths, out=np.zeros(len(rows)), where=lengths > 0)
        return cosines

    # --- Scores and files

    def evaluate_word_analogies(
        self,
        analogies: PathName,
        restrict_vocab: int = 300_000,
        case_insensitive: bool = True,
        dummy4unknown: bool = False,
        similarity_function: str = "most_similar",
    ) -> tuple[float, list[dict[str, Any]]]:
        """The share of analogies answered correctly, and the correct and incorrect questions of each section."""
        product = similarity_function == "most_similar_cosmul"
        return evaluating.analogy_scores(
            self.as_vectors(), analogies, restrict_vocab, case_insensitive, dummy4unknown, product
        )

    def evaluate_word_pairs(
        self,
        pairs: PathName,
        delimiter: str = "\t",
        encoding: str = "utf8",
        restrict_vocab: int = 300_000,
        case_insensitive: bool = True,
        dummy4unknown: bool = False,
    ) -> tuple[evaluating.Correlation, evaluating.Correlation, float]:
        """Pearson's and Spearman's correlation with people's judgements, and the per cent of pairs that are unknown.

        The delimiter is recognised: a tab, a comma, a semicolon or spaces.
        """
        return evaluating.pair_scores(self.as_vectors(), pairs, restrict_vocab, case_insensitive, dummy4unknown)

    def save_word2vec_format(
        self,
        fname: PathName,
        fvocab: PathName | None = None,
        binary: bool = False,
        total_vec: int | None = None,
        write_header: bool = True,
        prefix: str = "",
        append: bool = False,
        sort_attr: str = "count",
    ) -> None:
        """Write word2vec's text or binary format, frequent words first. fvocab: write words and counts, too."""
        if append:
            raise InputError("append=True is not supported: files are written whole or not at all. Leave it out.")
        files.write_word2vec(self.as_vectors(), fname, fvocab=fvocab, binary=binary, header=write_header, prefix=prefix)

    @classmethod
    def load_word2vec_format(
        cls,
        fname: PathName,
        fvocab: PathName | None = None,
        binary: bool = False,
        encoding: str = "utf8",
        unicode_errors: str = "strict",
        limit: int | None = None,
        datatype: Any = np.float32,
        no_header: bool = False,
    ) -> "KeyedVectors":
        """Read word2vec's text or binary format, or GloVe's (no_header). The first row of a repeated word counts."""
        if np.dtype(datatype) != np.float32:
            warn_once(f"datatype={np.dtype(datatype)} has no effect: vectors are float32.")
        vectors = files.read_word2vec(
            fname, fvocab=fvocab, binary=binary, unicode_errors=unicode_errors, limit=limit, no_header=no_header
        )
        return cls.of(vectors)

    def save(self, fname: PathName, **options: object) -> None:
        """Write pairloom's native file, whatever the suffix. `pairloom.load` reads it, too."""
        files.save_native(self.as_vectors(), fname)

    @classmethod
    def load(cls, fname: PathName, mmap: str | None = None) -> "KeyedVectors":
        """Read a file that `save` wrote, or any other that `pairloom.load` reads, but no pickle of gensim's `save`."""
        return cls.of(files.load_any(fname).words)

    def __repr__(self) -> str:
        return f"KeyedVectors<vector_size={self.vector_size}, {len(self)} keys>"

    def intersect_word2vec_format(
        self,
        fname: PathName,
        lockf: float = 0.0,
        binary: bool = False,
        encoding: str = "utf8",
        unicode_errors: str = "strict",
    ) -> None:
        """Take the vectors of known words from a file. Other words of the file are not added."""
        if lockf != 1.0:
            warn_once(
                "lockf has no effect: vectors from a file are trained on. To freeze all words, use pairloom.train."
            )
        other = files.read_word2vec(fname, binary=binary, unicode_errors=unicode_errors)
        if other.dim != self.vector_size:
            raise InputError(f"{fname} has vectors of dim {other.dim}, and these have {self.vector_size}. Use another.")
        known = [word for word in other.words if word in self]
        self.add_vectors(known, other[known], replace=True)


def _against(item: Any) -> Any:
    """An item of `negative` for `Vectors.most_similar`, which turns weights there around. gensim does not."""
    return (item[0], -item[1]) if is_weighted(item) else item


def _unweighted(item: Any) -> Any:
    return item[0] if is_weighted(item) else item


def _signed(plus: list[Any], minus: list[Any]) -> list[float]:
    sides = ((1.0, plus), (-1.0, minus))
    return [sign * (item[1] if is_weighted(item) else 1.0) for sign, items in sides for item in items]
