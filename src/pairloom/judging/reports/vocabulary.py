"""The words of a model and how often they occur."""

import math

import numpy as np

from pairloom.config import is_whole
from pairloom.drawing import svg
from pairloom.drawing.page import Table, figure, key, section, table
from pairloom.judging.reports.history import History
from pairloom.system.display import number_of
from pairloom.types import Counts
from pairloom.vectors.embedding import Embedding

FREQUENT = 20
_POINTS = 120


def vocabulary_section(embedding: Embedding, history: History) -> str:
    """Figures about words and corpus, the most frequent words, and the plot of ranks and frequencies."""
    counts = np.sort(embedding.words.counts)[::-1]
    if not len(counts) or counts[0] == 0:
        text = "The file holds no counts of its words, so their frequencies are unknown."
        return section("Corpus and vocabulary", text, table(_figures(embedding, history, counts), "text"))
    plot = figure(
        f"{key(0, 'Words')}. Dashed grey: half as frequent at twice the rank (Zipf's law).",
        _ranks(counts),
        look="Look for: a line that is nearly straight and about as steep as the dashed one, as in all natural "
        "language. A long flat end at the right is words at the limit of min_count. A step, or a flat start, points to "
        "text that was repeated or made by a program.",
    )
    return section(
        "Corpus and vocabulary",
        _text(counts),
        table(_figures(embedding, history, counts), "text") + "\n" + plot,
        _frequent(embedding),
    )


def _text(counts: Counts) -> str:
    shares = np.cumsum(counts) / counts.sum()
    half = int(np.searchsorted(shares, 0.5)) + 1
    return (
        f"The {number_of(half, 'most frequent word')} make up half of the text. The rarest word occurs "
        f"{number_of(int(counts[-1]), 'time')}, the middle one {number_of(int(np.median(counts)), 'time')}."
    )


def _figures(embedding: Embedding, history: History, counts: Counts) -> Table:
    rows = [["words with a vector", f"{len(embedding):,}"]]
    if len(embedding.contexts):
        what = "nodes of the tree" if embedding.objective == "hs" else "contexts with a vector"
        rows.append([what, f"{len(embedding.contexts):,}"])
    if history.size is not None:
        rows.append([f"{history.unit} of the corpus that were trained on", f"{history.size:,}"])
    if len(counts) and counts[0]:
        rows.append(["occurrences of these words", f"{int(counts.sum()):,}"])
    if "min_count" in history.config:
        rare = f"words that occur fewer than {history.config['min_count']} times; how many is not recorded"
        rows.append(["left out", rare])
    if history.start:
        taken = [(noun, history.start.get(noun)) for noun in ("words", "contexts")]
        rows.append(
            ["taken over from an earlier model", ", ".join(f"{n:,} {noun}" for noun, n in taken if is_whole(n))]
        )
    return Table("", [], rows)


def _frequent(embedding: Embedding) -> Table:
    counts, total = embedding.words.counts, int(embedding.words.counts.sum())
    order = np.argsort(-counts, kind="stable")[:FREQUENT].tolist()
    rows = [[embedding.words.words[row], f"{counts[row]:,}", f"{counts[row] / total:.2%}"] for row in order]
    return Table(f"The {len(rows)} most frequent words", ["word", "occurs", "share of the text"], rows)


def _ranks(counts: Counts) -> str:
    """Counts by rank, both logarithmic."""
    last = max(1.0, math.log10(len(counts)))
    ranks = np.unique(np.floor(10 ** np.linspace(0, math.log10(len(counts)), _POINTS)).astype(np.int64)).tolist()
    points = [(math.log10(rank), math.log10(max(1, counts[rank - 1]))) for rank in ranks]
    top = max(1.0, points[0][1]) * 1.05
    axes = svg.Axes(
        "Occurrences of words by rank", (0, last), (0, top), "rank of the word", "occurrences",
        svg.powers_of_ten(0, last), svg.powers_of_ten(0, top),
    )  # fmt: skip
    zipf = [(0, points[0][1]), (min(last, points[0][1]), max(0.0, points[0][1] - last))]
    return svg.drawing(axes, svg.line(axes, zipf, "same"), svg.line(axes, points, "s0"))
