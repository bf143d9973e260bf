"""How good vectors are: word similarity and analogies, from word2vec's binary format and without any library's help."""

from pathlib import Path

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float32]
FIRST_WORDS = 50_000  # analogies are asked among the most frequent words


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
    """A score of each file, times 100: Spearman for similarity files, accuracy for analogy files."""
    keep = [i for i, word in enumerate(words) if word != "</s>"]
    words, vectors = [words[i] for i in keep], vectors[keep]
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return {f.stem: (_similarity if f.suffix == ".tsv" else _analogies)(words, unit, f) for f in files}


def _similarity(words: list[str], unit: Matrix, file: Path) -> float:
    """Spearman's correlation of the cosines with the judgements of people."""
    row = {word: i for i, word in enumerate(words)}
    lines = [line.lower().split("\t") for line in file.read_text().splitlines()]
    known = [(row[a], row[b], float(s)) for a, b, s in lines if a in row and b in row]
    a, b, judged = (np.array(x) for x in zip(*known, strict=True))
    return 100 * float(np.corrcoef(_ranks(judged), _ranks((unit[a] * unit[b]).sum(axis=1)))[0, 1])


def _ranks(x: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    """Ranks from 1, ties sharing their mean."""
    _, place, count = np.unique(x, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    return ((2 * last - count + 1) / 2)[place]


def _analogies(words: list[str], unit: Matrix, file: Path) -> float:
    """The share of questions a : b = c : d that 3CosAdd answers with d, of those whose words are known."""
    row = {word: i for i, word in enumerate(words[:FIRST_WORDS])}
    lines = [line.split() for line in file.read_text().lower().splitlines() if not line.startswith(":")]
    asked = np.array([[row[word] for word in line] for line in lines if set(line) <= row.keys()])
    right = 0
    for some in np.array_split(asked, -(-len(asked) // 512)):
        cosine = unit[:FIRST_WORDS] @ (unit[some[:, 1]] - unit[some[:, 0]] + unit[some[:, 2]]).T
        for i in range(3):
            cosine[some[:, i], np.arange(len(some))] = -9
        right += int((cosine.argmax(axis=0) == some[:, 3]).sum())
    return 100 * right / len(asked)
