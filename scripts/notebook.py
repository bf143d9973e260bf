"""Make examples/tutorial.ipynb, the steps of docs/tutorial.md in Python, and run it: python -m scripts.notebook

Needs nbclient and ipykernel, in an environment with pairloom[map]. Only output that people read is kept: no times of
execution, no identifiers that change, no paths.
"""

import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

PATH = Path(__file__).parent.parent / "examples/tutorial.ipynb"

CELLS = """\
# From a text to answers

The steps of [docs/tutorial.md](../docs/tutorial.md) in Python. The text is the source of Python's standard library, \
which every Python brings along, so the notebook runs anywhere. With another version of Python some numbers and a few \
words differ.
---
import pairloom
from pairloom.cli.demo_text import write_corpus
from pathlib import Path

write_corpus(Path("python.txt"))  # words
---
## Vectors

`progress=True` would show a bar. The held-out loss, before training and after each epoch, is kept in the record.
---
emb = pairloom.train("python.txt", sample=1e-4, output="python.loom")
[round(loss, 2) for loss in emb.record["heldout"]["loss"]]
---
## Neighbours

Three words, and why two of them are alike: the contexts that both prefer. `predict` ranks contexts for a word.
---
for word in ("month", "server", "valueerror"):
    print(word, [near for near, _ in emb.most_similar(word, topn=5)])
---
why = pairloom.explain_similarity(emb, "month", "year")
print(f"cosine {why.cosine:.3f}")
print([context for context, _ in emb.predict("raise", topn=5)])
---
## A picture

In a notebook, the value of a cell is drawn.
---
emb.plot(neighbours_of="month", n=60)
---
## A score
---
known = [("month", "year", 9), ("client", "server", 9), ("encode", "decode", 9), ("red", "blue", 9),
         ("thread", "lock", 6), ("month", "server", 1), ("red", "socket", 1), ("thread", "blue", 1)]
Path("pairs.tsv").write_text("".join(f"{a}\\t{b}\\t{score}\\n" for a, b, score in known))
scores = pairloom.evaluate(emb, "pairs.tsv")
print(f"Spearman {scores.spearman:.2f}, {scores.used} of {scores.pairs} pairs known")
---
## A comparison

The same text, but `month` and `password` have changed places, and another seed. Which words have moved?
---
places = {"month": "password", "password": "month"}
text = [[places.get(word, word) for word in line.split()] for line in Path("python.txt").read_text().splitlines()]
compared = pairloom.compare(emb, pairloom.train(text, sample=1e-4, seed=2))
print(sorted(compared.beyond))
---
## For others

Files for other programs, and a new word that is added without training again.
---
emb.save("python.vec")  # word2vec's format; also .bin, .parquet and folders for model2vec
folded = emb.fold_in([["the", "fortnight", "of", "the", "year"], ["every", "fortnight", "or", "week"]] * 5)
[near for near, _ in emb.with_words(folded).most_similar("fortnight", topn=3)]
"""


def main() -> None:
    cells = [
        (new_markdown_cell if text.startswith("#") else new_code_cell)(text.strip(), id=f"cell-{number}")
        for number, text in enumerate(CELLS.split("\n---\n"))
    ]
    notebook = new_notebook(cells=cells)
    with tempfile.TemporaryDirectory() as folder:
        NotebookClient(notebook, kernel_name="python3", resources={"metadata": {"path": folder}}).execute()
    for cell in notebook.cells:
        cell.metadata = {}
    notebook.metadata = {"language_info": {"name": "python"}}
    PATH.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")
    print(f"{PATH.name}: {PATH.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
