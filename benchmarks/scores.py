"""How good vectors are: word similarity and analogies, from word2vec's binary format, which every program writes."""

from pathlib import Path

import numpy as np
import numpy.typing as npt

from pairloom import Vectors
from pairloom.judging.evaluation import AnalogyScores, evaluate, kind_of, read

Matrix = npt.NDArray[np.float32]
FIRST_WORDS = 50_000  # analogies use only the most frequent words


def read_binary(path: Path) -> tuple[list[str], Matrix]:
    """The words and the matrix of a word2vec binary file, with or without a newline after each row."""
    data = path.read_bytes()
    header, _, _ = data.partition(b"\n")
    n, dim = map(int, header.split())
    words, rows, at = [], np.empty((n, dim), np.float32), len(header) + 1
    for i in range(n):
        end = data.index(b" ", at)
        words.append(data[at:end].lstrip(b"\n").decode(errors="replace"))
        rows[i] = np.frombuffer(data, "<f4", dim, end + 1)
        at = end + 1 + 4 * dim
    return words, rows


def scores(words: list[str], vectors: Matrix, files: list[Path]) -> dict[str, float]:
    """A score of each file, times 100: Spearman for similarity files, the accuracy of 3CosAdd for analogy files.

    word2vec's mark for the end of a line is not a word, and analogies use only the most frequent words.
    """
    keep = [i for i, word in enumerate(words) if word != "</s>"]
    kept = Vectors([words[i] for i in keep], vectors[keep])
    return {file.stem: 100 * _score(kept, file) for file in files}


def _score(vectors: Vectors, path: Path) -> float:
    file = read(path)
    limit = FIRST_WORDS if kind_of(file) == "analogies" else 0
    found = evaluate(vectors, file, restrict_vocab=limit)
    score = found.total.accuracy if isinstance(found, AnalogyScores) else getattr(found, "spearman", None)
    return float("nan") if score is None else score
