"""wordloom demo: train on Python's own library and look at what was learnt."""

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


def run(args: Namespace) -> None:
    """Do it."""
    from wordloom import formats
    from wordloom.demo import PROBES, write_corpus
    from wordloom.training import train

    checked_threads(args.threads)
    formats.check_output(args.output)
    with tempfile.TemporaryDirectory() as folder, progress() as on_progress:
        corpus = Path(folder) / "python.txt"
        tokens = write_corpus(corpus)
        print(f"The text: {tokens:,} words from the sources and docstrings of Python's standard library.")
        embedding = train(corpus, sample=1e-4, threads=args.threads, cache_dir=folder, on_progress=on_progress)
    embedding.save(args.output)
    first, last = (embedding.record["heldout"]["loss"][i] for i in (0, -1))
    print(f"Learnt: {len(embedding):,} words. Held-out loss {first:.3f} before training, {last:.3f} after.\n")
    for word in PROBES:
        print(f"{word:>12}  {', '.join(near for near, _ in embedding.most_similar(word, topn=6))}")
    wordloom = "wordloom" if shutil.which("wordloom") else sys.argv[0]
    print(
        f"\nThe model is in {args.output}. What to try next:\n"
        f"  {wordloom} near {args.output} socket thread\n"
        f"  {wordloom} info {args.output}\n"
        f"  {wordloom} train YOUR_TEXT.txt -o yours.loom"
    )
