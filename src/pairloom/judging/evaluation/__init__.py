"""Scores for vectors, from files of questions that people have made. Every score comes with its coverage.

questions.py         read a file, and tell which kind of questions it holds
lookup.py            choose the words that take part
search.py            answer all analogies at once
analogies.py, similarities.py, categories.py    score a file, one module for each kind
correlation.py       Pearson's and Spearman's correlation, with an interval
compute_accuracy.py  print the same lines as word2vec's compute-accuracy
"""

from pairloom.config import checked_threads
from pairloom.judging.evaluation.analogies import AnalogyScores, Tally, analogies
from pairloom.judging.evaluation.categories import CategoryScores, categories
from pairloom.judging.evaluation.compute_accuracy import compute_accuracy
from pairloom.judging.evaluation.lookup import RESTRICT_VOCAB, Case, Policy, Unknown
from pairloom.judging.evaluation.questions import QuestionFile, kind_of, read
from pairloom.judging.evaluation.search import METHODS, MethodName, method_of
from pairloom.judging.evaluation.similarities import SimilarityScores, similarities
from pairloom.types import PathName
from pairloom.vectors.embedding import Embedding, as_vectors
from pairloom.vectors.vectors import Vectors

Scores = AnalogyScores | SimilarityScores | CategoryScores

__all__ = [
    "METHODS",
    "RESTRICT_VOCAB",
    "AnalogyScores",
    "CategoryScores",
    "MethodName",
    "Policy",
    "QuestionFile",
    "Scores",
    "SimilarityScores",
    "Tally",
    "analogies",
    "categories",
    "compute_accuracy",
    "evaluate",
    "kind_of",
    "read",
    "similarities",
]


def evaluate(
    vectors: Vectors | Embedding,
    path: PathName | QuestionFile,
    *,
    method: MethodName = "add",
    restrict_vocab: int = RESTRICT_VOCAB,
    case: Case = "fold",
    unknown: Unknown = "skip",
    seed: int = 1,
    threads: int | None = None,
) -> Scores:
    """Score vectors on a file of analogies, similarities or categories. The kind is recognised from its lines.

    vectors         for an `Embedding`, its words are scored
    path            a file, "-" for standard input, or a file that `read` has read already
    method          how analogies are answered: "add" (3CosAdd) or "mul" (3CosMul)
    restrict_vocab  use only the first `restrict_vocab` words, in questions and as answers; 0 uses all words
    case            "fold" treats words as equal if they are equal in capitals, "keep" does not
    unknown         "skip" leaves out questions with unknown words, "wrong" counts them as wrong (a cosine of 0),
                    "spell" makes vectors for unknown words of similarities, if the vectors have n-grams
    seed            for the bootstrap of similarities and the k-means of categories
    threads         all cores by default; scores are the same for any number
    """
    vectors, threads = as_vectors(vectors), checked_threads(threads)
    method_of(method)  # checked even if the file has no analogies
    file = read(path)
    policy = Policy(restrict_vocab=restrict_vocab, case=case, unknown=unknown)
    kind = kind_of(file)
    if kind == "analogies":
        return analogies(vectors, file, method=method, policy=policy, threads=threads)
    if kind == "similarities":
        return similarities(vectors, file, policy=policy, seed=seed)
    return categories(vectors, file, policy=policy, seed=seed)
