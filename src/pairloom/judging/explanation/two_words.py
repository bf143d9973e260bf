"""Why two words are similar, as a single HTML page."""

from collections.abc import Sequence

from pairloom.drawing import svg
from pairloom.drawing.page import Table, figure, key, section, symbols, table, whole_page
from pairloom.judging.explanation.shared_contexts import SharedContext, SharedContexts
from pairloom.judging.explanation.tables import similarity_tables
from pairloom.system.display import number_of
from pairloom.vectors.embedding import Embedding

ALIKE = ((0.7, "very similar"), (0.5, "similar"), (0.3, "somewhat similar"), (0.1, "hardly similar"))
OF_SUM = {
    "v_w": "the vector of word w",
    "cosine": "of the angle between two vectors: 1 if they point the same way, 0 if they have nothing in common",
    "context": "a word that stands near another one; the model has a vector v_c for each context c",
    "a contribution": "how much a context adds to the cosine. It adds if both words prefer the context, or both avoid "
    "it, compared with the average word; it subtracts if they differ. All contributions add up to the cosine",
}
OF_PROBABILITY = {
    "σ(x)": "1 / (1 + e^-x), which turns a product into a probability",
    "p(D=1 | w, c)": "σ(v_w·v_c): how likely the model takes the pair to be from the corpus (D) rather than drawn at "
    "random (D')",
    "#(w, c)": "how often the pair was taken from the corpus",
}
NEIGHBOURS = 15


def similarity_page(found: SharedContexts, embedding: Embedding, name: str) -> str:
    """The HTML of an explanation of two words of the model `name`."""
    a, b = found.words
    sections = [
        section("The cosine as a sum", _on_sum(found), symbols(OF_SUM) + _sum_plot(found)),
        section("Contexts for and against", _on_contexts(found), _context_plot(found), *_filled_tables(found)),
        section(
            "What the model expects",
            _on_probabilities(found),
            symbols(OF_PROBABILITY) + _probabilities(found, embedding),
        ),
        section("Neighbours", *_neighbours(found, embedding)),
    ]
    return whole_page(f"{a} and {b}, in {name}", verdict(found), *sections)


def verdict(found: SharedContexts) -> str:
    """How similar the words are, and what makes them so, in plain words."""
    alike = next((words for least, words in ALIKE if found.cosine >= least), "not similar")
    most = [shared.context for shared in [*found.sought, *found.avoided][:3]]
    because = f" What they share most is how they stand to {_listed(most)}." if most else ""
    apart = [shared.context for shared in found.apart[:3]]
    differ = f" What sets them apart most is {_listed(apart)}." if apart else ""
    return f"{_listed(found.words)} are {alike}: their cosine is {found.cosine:.2f}.{because}{differ}"


def _listed(words: Sequence[str]) -> str:
    """
    >>> _listed(["a", "b", "c"]), _listed(["a"])
    ('“a”, “b” and “c”', '“a”')
    """
    quoted = [f"“{word}”" for word in words]
    return " and ".join(filter(None, (", ".join(quoted[:-1]), quoted[-1])))


# --- The cosine as a sum


def _parts(found: SharedContexts) -> list[tuple[str, float]]:
    """The terms of the sum, and the sum."""
    positive = float(found.contributions[found.contributions > 0].sum())
    negative = float(found.contributions[found.contributions < 0].sum())
    parts = [("common to all words", found.common), ("contexts for", positive), ("contexts against", negative)]
    if abs(found.unexplained) >= 5e-5:
        parts.append(("unexplained", found.unexplained))
    return [*parts, ("cosine", found.cosine)]


def _on_sum(found: SharedContexts) -> str:
    terms = " ".join(f"{value:+.3f} ({name})" for name, value in _parts(found)[:-1])
    half = f"{found.half:,} of {number_of(len(found.contributions), 'context')}"
    return f"{found.cosine:.3f} = {terms}. The {half} that count most make up half of all that speaks for it."


def _sum_plot(found: SharedContexts) -> str:
    return figure(
        f"{key(0, 'Adds to the cosine')}, {key(1, 'subtracts from it')}.",
        svg.side_bars("The cosine and its parts", _parts(found), "{:+.3f}"),
        look="Look for: how much is common to all words. That part says nothing about these two. If contexts for and "
        "against are both large, the words are used alike in one way and differently in another.",
    )


# --- Contexts for and against


def _on_contexts(found: SharedContexts) -> str:
    return (
        f"The contexts that add most to the cosine of {_listed(found.words)}, and those that subtract most. "
        "Contexts that both words avoid add, too: neither is found there, and the average word is."
    )


def _context_plot(found: SharedContexts) -> str:
    drawn, reach = [], max((abs(shared.contribution) for shared in _shown(found)), default=0.0)
    for title, some in (("Both prefer", found.sought), ("Both avoid", found.avoided), ("They differ", found.apart)):
        if some:
            bars = [(shared.context, shared.contribution) for shared in some]
            drawn.append(
                f"<h3>{title}</h3>" + svg.side_bars(f"{title}: contributions of contexts", bars, "{:+.4f}", reach)
            )
    look = (
        "Look for: contexts that name what the two words have in common, and contexts that only one of them would have."
    )
    return figure(f"{key(0, 'For')} and {key(1, 'against')}, in parts of the cosine.", *drawn, look=look)


def _filled_tables(found: SharedContexts) -> list[Table]:
    return [one for one in similarity_tables(found) if one.rows]


# --- Probabilities


def _shown(found: SharedContexts) -> list[SharedContext]:
    return [*found.sought, *found.avoided, *found.apart]


def _on_probabilities(found: SharedContexts) -> str:
    counted = any(shared.counts for shared in _shown(found))
    beside = " Beside it stands how often the pair occurs." if counted else " Counts are shown if the corpus is given."
    return f"For each context above, the probability that it goes with either word.{beside}"


def _probabilities(found: SharedContexts, embedding: Embedding) -> str:
    a, b = found.words
    counted = any(shared.counts for shared in _shown(found))
    heads = ["context c", f"p({a}, c)", f"p({b}, c)", *([f"#({a}, c)", f"#({b}, c)"] if counted else [])]
    rows = [
        [
            shared.context,
            *(f"{embedding.probability(word, shared.context):.4f}" for word in found.words),
            *(f"{count:,.1f}" for count in shared.counts or ()),
        ]
        for shared in _shown(found)
    ]
    look = (
        "<p>Look for: rows with two high probabilities, which make the words alike, and rows where one is high and the "
        "other low.</p>"
    )
    return table(Table("", heads, rows)) + look


# --- Neighbours


def _neighbours(found: SharedContexts, embedding: Embedding) -> tuple[str, str]:
    """A text and a table: the nearest words of both, side by side, with a mark at those that both have."""
    near = embedding.words.most_similar_batch(list(found.words), topn=NEIGHBOURS)
    shared = {word for word, _ in near[0]} & {word for word, _ in near[1]}
    columns = [
        [f"{'● ' if word in shared else ''}{word} ({cosine:.2f})" for word, cosine in neighbours] for neighbours in near
    ]
    rows = [list(row) for row in zip(*columns, strict=True)]
    text = (
        f"The {number_of(len(rows), 'nearest word')} of each, with their cosines. "
        f"Neighbours of both, marked by ●: {len(shared)}."
    )
    return text, table(Table("", list(found.words), rows), "text")
