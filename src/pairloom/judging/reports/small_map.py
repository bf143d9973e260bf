"""A small map of frequent words, for a first look at what a model has put side by side."""

from pairloom.drawing.page import figure, section
from pairloom.maps.coordinates import by_falling_count, resolved
from pairloom.maps.plot import plot
from pairloom.progress import OnProgress, ignore
from pairloom.system.display import number_of
from pairloom.vectors.vectors import Vectors

MOST_WORDS = 300
_KINDS = {"tsne": "t-SNE, which keeps near words near", "pca": "the two main directions (principal components)"}
_NAMESPACE = 'xmlns="http://www.w3.org/2000/svg" '  # for files; inside a page it says nothing


def map_section(vectors: Vectors, on_progress: OnProgress = ignore) -> str:
    """The map, or nothing if there are too few words for one."""
    words = frequent_words(vectors)
    if len(words) < 3:
        return ""
    drawn = plot(vectors, words, title=number_of(len(words), "frequent word"), on_progress=on_progress)
    look = (
        "Look for: groups that have something in common, such as months, countries or kin. Distances within a group "
        "mean something, those between far groups little. For a larger map: pairloom map"
    )
    caption = f"Drawn by {_KINDS[resolved('auto', len(words))]}."
    text = "The most frequent words of letters, arranged so that words which are used alike stand close together."
    return section("A small map", text, figure(caption, drawn.svg.replace(_NAMESPACE, "", 1), look=look))


def frequent_words(vectors: Vectors) -> list[str]:
    """The most frequent words of letters, which says more than punctuation and digits would."""
    words = (vectors.words[row] for row in by_falling_count(vectors).tolist() if vectors.norms[row] > 0)
    found = []
    for word in words:
        if word.isalpha() and len(word) > 2:
            found.append(word)
            if len(found) == MOST_WORDS:
                break
    return found
