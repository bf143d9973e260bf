"""Neighbours by windows and by dependency contexts, from the same sentences.

    python examples/dependencies.py [PARSED.conllu] [WORD ...]

Windows make words of one topic neighbours, dependencies make words of one function neighbours (Levy & Goldberg 2014,
*Dependency-Based Word Embeddings*). Without a file, sentences about kitchens, gardens and offices are made and parsed
by a grammar of a few lines, such as `the chef cuts bread with a knife`.

It prints

    chef, by windows: baker, cook, pan, oven, knife
    chef, by dependencies: cook, baker, farmer, florist, clerk
    bread, by windows: fish, meat, cuts, fries, bakes
    bread, by dependencies: meat, fish, carrots, invoices, trees
    spade, by windows: hose, rake, the, gardener, farmer
    spade, by dependencies: hose, rake, printer, pen, stapler
"""

import argparse
import random
import tempfile
from pathlib import Path

import pairloom
from pairloom.pairings import dependency_pairs

# Who does it, what they do, to what, with what. Everybody may sell, buy and carry.
TOPICS = (
    ("chef cook baker", "cuts fries bakes", "bread meat fish", "knife pan oven"),
    ("gardener farmer florist", "plants digs waters", "roses trees carrots", "spade hose rake"),
    ("clerk secretary lawyer", "writes files prints", "letters contracts invoices", "pen stapler printer"),
)
SHARED_VERBS = ("sells", "buys", "carries")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parsed", nargs="?", type=Path, metavar="PARSED.conllu")
    parser.add_argument("words", nargs="*", default=["chef", "bread", "spade"])
    parser.add_argument("--sentences", type=int, default=3000, help="sentences to make (default: 3000)")
    args = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        parsed = args.parsed or made(Path(folder) / "made.conllu", args.sentences)
        options = {"dim": 32, "epochs": 10, "seed": 1}
        by_windows = pairloom.train(forms(parsed), window=5, sample=0, **options)
        by_dependencies = pairloom.train_pairs(dependency_pairs(parsed), **options)
    for word in args.words:
        for name, emb in (("windows", by_windows), ("dependencies", by_dependencies)):
            print(f"{word}, by {name}: {', '.join(near for near, _ in emb.most_similar(word, topn=5))}")


def forms(parsed: Path) -> list[list[str]]:
    """The words of each sentence."""
    blocks = parsed.read_text(encoding="utf-8").strip().split("\n\n")
    rows = [[line.split("\t") for line in block.splitlines() if not line.startswith("#")] for block in blocks]
    return [[columns[1] for columns in sentence if columns[0].isdigit()] for sentence in rows]


def made(path: Path, sentences: int) -> Path:
    """Write sentences of the grammar in CoNLL-U."""
    draw = random.Random(1)
    path.write_text("".join(sentence(draw) for _ in range(sentences)), encoding="utf-8")
    return path


def sentence(draw: random.Random) -> str:
    people, verbs, things, tools = (words.split() for words in draw.choice(TOPICS))
    verb = draw.choice(verbs if draw.random() < 0.3 else SHARED_VERBS)
    words = (  # form, part of speech, head, relation
        ("the", "DET", 2, "det"),
        (draw.choice(people), "NOUN", 3, "nsubj"),
        (verb, "VERB", 0, "root"),
        (draw.choice(things), "NOUN", 3, "obj"),
        ("with", "ADP", 7, "case"),
        ("a", "DET", 7, "det"),
        (draw.choice(tools), "NOUN", 3, "obl"),
    )
    rows = [
        f"{number}\t{form}\t{form}\t{kind}\t_\t_\t{head}\t{relation}\t_\t_\n"
        for number, (form, kind, head, relation) in enumerate(words, 1)
    ]
    return "".join(rows) + "\n"


if __name__ == "__main__":
    main()
