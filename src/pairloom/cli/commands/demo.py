"""pairloom demo: train on the source of Python's standard library and show some neighbours."""

import json
import shutil
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from pathlib import Path

from pairloom.cli.arguments import add_json, add_threads
from pairloom.cli.console import progress
from pairloom.config import checked_threads

GROUP = "learn"
DRAWN = 1500  # words on the map: t-SNE takes five seconds
PURPOSE = "train on the source of Python's standard library and show what was learnt"
EXAMPLE = "pairloom demo"


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "-o", "--output", metavar="OUT", default="demo.loom", help="the model to write (default: demo.loom)"
    )
    parser.add_argument("--text", metavar="FILE", help="write the text that the demo trains on, and do not train")
    add_threads(parser, "the result is the same for any number of threads")
    add_json(parser)


def run(args: Namespace) -> None:
    from pairloom import formats
    from pairloom.cli.demo_text import PROBES, write_corpus
    from pairloom.system.files import check_folder
    from pairloom.training.train import train

    checked_threads(args.threads)
    if args.text:
        check_folder(args.text)
        _tell_about_text(args.text, write_corpus(Path(args.text)), args.json)
        return
    formats.check_output(args.output)  # before the text is made, which takes seconds
    with tempfile.TemporaryDirectory() as folder, progress() as on_progress:
        corpus = Path(folder) / "python.txt"
        tokens = write_corpus(corpus)
        if not args.json:
            print(f"Training on {tokens:,} words: the code and docstrings of Python's standard library.")
        embedding = train(
            corpus, sample=1e-4, threads=args.threads, output=args.output, cache_dir=folder, on_progress=on_progress
        )
        picture = Path(args.output).with_suffix(".svg")
        drawn = embedding.words.words[:DRAWN]
        title = f"The {len(drawn):,} most frequent words of Python's standard library"
        embedding.plot(drawn, picture, title=title, threads=args.threads, on_progress=on_progress)
    near = {word: [other for other, _ in embedding.most_similar(word, topn=6)] for word in PROBES}
    losses = embedding.record["heldout"]["loss"]
    if args.json:
        facts = {
            "output": args.output,
            "map": str(picture),
            "tokens": tokens,
            "words": len(embedding),
            "heldout_loss": losses,
            "near": near,
        }
        print(json.dumps(facts, indent=2))
        return
    print(
        f"Learnt vectors for {len(embedding):,} words. Held-out loss: {losses[0]:.3f} before, {losses[-1]:.3f} after."
    )
    print("\nSome words and their nearest neighbours:\n")
    for word, others in near.items():
        print(f"{word:>12}  {', '.join(others)}")
    print(_next_steps(args.output, str(picture)))


def _tell_about_text(path: str, tokens: int, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"text": path, "tokens": tokens}, indent=2))
    else:
        print(f"{path} has {tokens:,} words: the code and docstrings of Python's standard library.")


def _next_steps(model: str, picture: str) -> str:
    pairloom = "pairloom" if shutil.which("pairloom") else sys.argv[0]
    return (
        f"\nThe model is in {model}, and a map of its words in {picture}. Try next:\n"
        f"  {pairloom} near {model} socket thread\n"
        f"  {pairloom} map {model} --neighbours-of socket -o socket.svg\n"
        f"  {pairloom} explore {model}\n"
        f"  {pairloom} info {model}\n"
        f"  {pairloom} train YOUR_TEXT.txt -o yours.loom"
    )
