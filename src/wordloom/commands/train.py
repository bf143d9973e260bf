"""wordloom train: a corpus becomes a file of vectors."""

import json
import time
from argparse import ArgumentParser, Namespace
from typing import Any

from wordloom.arguments import (
    OPTIONS,
    add_cache_dir,
    add_choice,
    add_corpus,
    add_option,
    add_running,
    add_switch,
    add_vocabulary,
    number,
    whole,
)
from wordloom.commands.inputs import check_not_read, given, source, summary, words_in
from wordloom.config import checked_threads
from wordloom.console import progress

PURPOSE = "learn vectors from a corpus"
EXAMPLE = "wordloom train corpus.txt -o king.loom --dim 300 --epochs 3"


def arguments(parser: ArgumentParser) -> None:
    """What can be typed after it."""
    add_corpus(parser)
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        required=True,
        help="the file to write: .loom keeps everything; .bin, .vec and .txt hold words and vectors for other tools",
    )
    learn = parser.add_argument_group("learning")
    for name, kind, metavar, meaning in (
        ("dim", whole, "D", "the length of the vectors"),
        ("negatives", whole, "K", "drawn contexts for every pair"),
        ("noise_power", number, "P", "contexts are drawn by count to this power"),
        ("sample", number, "T", "thin out words that make up more than this share of the text; 0 keeps all"),
        ("epochs", whole, "N", "times that the text is read"),
        ("lr", number, "R", "the learning rate at the start, falling linearly"),
        ("min_lr", number, "R", "the learning rate at the end"),
        ("seed", whole, "N", "another seed gives other vectors; the same gives the same bytes"),
        (
            "heldout",
            number,
            "SHARE",
            "share of sentences kept aside to measure the objective, more of a small text; 0 turns it off",
        ),
    ):
        add_option(learn, name, kind, metavar, meaning)
    _add_windows(parser)
    vocabulary = add_vocabulary(parser)
    vocabulary.add_argument(
        "--read-vocab",
        metavar="FILE",
        help="take words and counts from this file, `word count` per line, instead of counting",
    )
    add_running(parser)
    add_cache_dir(parser)


def _add_windows(parser: ArgumentParser) -> None:
    """What counts as a context."""
    windows = parser.add_argument_group("windows")
    add_option(windows, "window", _window, "N", "the largest window, or `sentence` for all words of the line")
    add_option(windows, "left", whole, "N", "how far it reaches to the left, if not as far as --window")
    add_option(windows, "right", whole, "N", "how far it reaches to the right")
    add_choice(
        windows, "window_shape", "how it is drawn at each position: from 1 to N, always N, or weighted by distance"
    )
    add_switch(windows, "positional", "a context is a word and its place, such as dog_+1")
    add_switch(windows, "clean", "rare and thinned-out words leave after windows were taken, not before")
    add_choice(windows, "subsampling", "thin out by the formula of the program or of the publication")


def _window(text: str) -> int | str:
    return text if text == "sentence" else whole(text)


def run(args: Namespace) -> None:
    """Do it."""
    from wordloom import formats
    from wordloom.training import split_options, train
    from wordloom.vocabulary import Vocabulary

    options = given(args, OPTIONS)
    split_options(options)
    checked_threads(args.threads)
    formats.check_output(args.output)
    check_not_read(args.output, *args.corpus, args.keep, args.drop, args.read_vocab)
    began = time.perf_counter()
    with progress(args.quiet) as on_progress:
        embedding = train(
            source(args.corpus),
            threads=args.threads,
            keep=words_in(args.keep),
            drop=words_in(args.drop),
            vocabulary=Vocabulary.read(args.read_vocab) if args.read_vocab else None,
            cache_dir=args.cache_dir,
            on_progress=on_progress,
            **options,
        )
    embedding.save(args.output)
    facts = {"output": str(args.output), "seconds": round(time.perf_counter() - began, 2), **summary(embedding)}
    if args.json:
        print(json.dumps(facts, indent=2))
    elif not args.quiet:
        print(_sentence(facts))


def _sentence(facts: dict[str, Any]) -> str:
    loss = facts["heldout_loss"]
    held_out = "nothing held out" if loss is None else f"held-out loss {loss:.4f}"
    words = f"{facts['words']:,} words, {facts['dim']} dimensions"
    return f"{facts['output']}: {words}, {held_out}, {facts['seconds']:.1f} s"
