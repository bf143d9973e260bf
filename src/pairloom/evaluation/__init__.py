"""How good vectors are, by files of questions that people have made. A score always comes with its coverage.

questions.py    files -> lines; which kind of question they ask
lookup.py       which words take part
search.py       analogies -> answers, for all questions at once
analogies.py, similarities.py, categories.py    a file -> its scores, one for each kind
correlation.py  Pearson, Spearman and its interval
compute_accuracy.py    the same lines as word2vec's program
"""

from pairloom.config import checked_threads
from pairloom.evaluation.analogies import AnalogyScores, Tally, analogies
from pairloom.evaluation.categories import CategoryScores, categories
from pairloom.evaluation.compute_accuracy import compute_accuracy
from pairloom.evaluation.lookup import RESTRICT_VOCAB, Case, Policy, Unknown
from pairloom.evaluation.questions import QuestionFile, kind_of, read
from pairloom.evaluation.search import METHODS, MethodName, method_of
from pairloom.evaluation.similarities import SimilarityScores, similarities
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
    """Score vectors by a file of analogies, similarities or categories; its lines show which it is.

    method          of analogies, "add" (3CosAdd) or "mul" (3CosMul)
    restrict_vocab  only so many words, the first, are asked and searched; 0 is all of them
    case            "fold" treats words as equal that are so in capitals, "keep" does not
    unknown         "skip" leaves out questions with unknown words, "wrong" counts them as wrong (a cosine of 0)
    seed            of the bootstrap (similarities) and of k-means (categories)
    """
    vectors, threads = as_vectors(vectors), checked_threads(threads)
    method_of(method)  # is refused here also for files that have no use for it
    file = read(path)
    policy = Policy(restrict_vocab=restrict_vocab, case=case, unknown=unknown)
    kind = kind_of(file)
    if kind == "analogies":
        return analogies(vectors, file, method=method, policy=policy, threads=threads)
    if kind == "similarities":
        return similarities(vectors, file, policy=policy, seed=seed)
    return categories(vectors, file, policy=policy, seed=seed)
