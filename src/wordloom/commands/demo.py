"""wordloom demo: train on Python's own library and look at what was learnt."""

import json
import shutil
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from pathlib import Path

from wordloom.arguments import whole
from wordloom.config import checked_threads
from wordloom.console import progress

PURPOSE = "train on Python's own library and look at it"
EXAMPLE = "wordloom demo"


def arguments(parser: ArgumentParser) -> None:
    """What can be typed after it."""
    parser.add_argument("-o", "--output", metavar="OUT", default="demo.loom", help="the model (demo.loom)")
    parser.add_argument("--threads", type=whole, metavar="N", help="all cores")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: Namespace) -> None:
    """Train, save, and show some neighbours."""
    from wordloom import formats
    from wordloom.demo import PROBES, write_corpus
    from wordloom.training import train

    checked_threads(args.threads)
    formats.check_output(args.output)  # before the text is made
    with tempfile.TemporaryDirectory() as folder, progress() as on_progress:
        corpus = Path(folder) / "python.txt"
        tokens = write_corpus(corpus)
        if not args.json:
            print(f"The text: {tokens:,} words from the sources and docstrings of Python's standard library.")
        embedding = train(
            corpus, sample=1e-4, threads=args.threads, output=args.output, cache_dir=folder, on_progress=on_progress
        )
    near = {word: [other for other, _ in embedding.most_similar(word, topn=6)] for word in PROBES}
    losses = embedding.record["heldout"]["loss"]
    if args.json:
        facts = {"output": args.output, "tokens": tokens, "words": len(embedding), "heldout_loss": losses, "near": near}
        print(json.dumps(facts, indent=2))
        return
    print(f"Learnt: {len(embedding):,} words. Held-out loss {losses[0]:.3f} before training, {losses[-1]:.3f} after.\n")
    for word, others in near.items():
        print(f"{word:>12}  {', '.join(others)}")
    print(_next(args.output))


def _next(model: str) -> str:
    wordloom = "wordloom" if shutil.which("wordloom") else sys.argv[0]
    return (
        f"\nThe model is in {model}. What to try next:\n"
        f"  {wordloom} near {model} socket thread\n"
        f"  {wordloom} info {model}\n"
        f"  {wordloom} train YOUR_TEXT.txt -o yours.loom"
    )
