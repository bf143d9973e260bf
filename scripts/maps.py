"""Draw the maps of the README and of docs/pictures.md.

    python -m scripts.maps              # docs/python-map.svg: trains on Python's standard library, as `make demo` does
    python -m scripts.maps WIKI.loom    # docs/wikipedia-map.svg: the 20,000 most frequent words of this model

The model of the second is made from the first 100 MB of Wikipedia:
pairloom train wiki100.txt.gz -o WIKI.loom --dim 300 --epochs 3
Both need the extras `map` and `sklearn`.
"""

import sys
import tempfile
from pathlib import Path

import pairloom
from pairloom.cli.demo_text import write_corpus
from pairloom.maps.plot import plot

DOCS = Path(__file__).parent.parent / "docs"


def python_map() -> Path:
    """The 1,500 most frequent words of the demo, coloured by class."""
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "python.txt"
        write_corpus(corpus)
        embedding = pairloom.train(corpus, sample=1e-4, cache_dir=folder)
    title = "1,500 words of Python's standard library, and what pairloom learnt of them"
    embedding.plot(embedding.words.words[:1500], DOCS / "python-map.svg", colour="class", title=title)
    return DOCS / "python-map.svg"


def wikipedia_map(model: str) -> Path:
    """All words that t-SNE arranges, coloured by class."""
    title = "The 20,000 most frequent words of 100 MB of Wikipedia"
    path = DOCS / "wikipedia-map.svg"
    plot(pairloom.load(model), path=path, n=20_000, colour="class", classes=24, model_path=model, title=title)
    return path


if __name__ == "__main__":
    print(wikipedia_map(sys.argv[1]) if len(sys.argv) > 1 else python_map())
