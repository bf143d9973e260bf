"""pairloom train: a corpus becomes a file of vectors."""

import json
import time
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from pairloom.cli.arguments import (
    OPTIONS,
    add_cache_dir,
    add_choice,
    add_corpus,
    add_max_memory,
    add_option,
    add_running,
    add_switch,
    add_vocabulary,
    number,
    quantity,
    whole,
)
from pairloom.cli.commands.inputs import check_not_read, given, source, summary, words_in
from pairloom.cli.commands.interrupted import recall, stopping, typed
from pairloom.cli.console import progress
from pairloom.config import checked_threads
from pairloom.errors import InputError
from pairloom.system.memory import checked_size

if TYPE_CHECKING:
    from pairloom.progress import OnProgress
    from pairloom.training.checkpoint import Checkpoints
    from pairloom.vectors.embedding import Embedding

PURPOSE = "learn vectors from a corpus, or from pairs"
EXAMPLE = "pairloom train corpus.txt -o king.loom --dim 300 --epochs 3"


def arguments(parser: ArgumentParser) -> None:
    """What can be typed after it."""
    add_corpus(parser, nargs="*")
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        help="the file to write: .loom keeps everything; .bin, .vec and .txt hold words and vectors for other tools",
    )
    parser.add_argument(
        "--contexts-output", metavar="OUT", help="write the vectors of the contexts to this file as well (.bin, .vec)"
    )
    learn = parser.add_argument_group("learning")
    for name, kind, metavar, meaning in (
        ("dim", whole, "D", "the length of the vectors"),
        ("negatives", whole, "K", "drawn contexts for every pair"),
        ("noise_power", number, "P", "contexts are drawn by count to this power"),
        ("sample", number, "T", "thin out words that make up more than this share of the text; 0 keeps all"),
        ("epochs", whole, "N", "times that the text is read"),
        ("lr", number, "R", "the learning rate at the start, falling linearly (0.025; cbow 0.15, or 0.05 undivided)"),
        ("min_lr", number, "R", "the learning rate at the end"),
        ("seed", whole, "N", "another seed gives other vectors; the same gives the same bytes"),
        (
            "heldout",
            number,
            "SHARE",
            "share of sentences kept aside to measure the objective, more of a small text; 0 turns it off",
        ),
        ("patience", whole, "N", "stop after N epochs without a lower held-out loss, and keep the best"),
    ):
        add_option(learn, name, kind, metavar, meaning)
    add_choice(
        learn,
        "model",
        "a word predicts each of its contexts, or (cbow) they predict it together; sppmi-svd factorises the table that "
        "the first approaches",
    )
    add_choice(learn, "objective", "negative sampling, hierarchical softmax, or the softmax over all contexts")
    add_choice(learn, "cbow_gradient", "cbow: each word gets its share of a step, or (as word2vec has it) the whole")
    _add_windows(parser)
    vocabulary = add_vocabulary(parser)
    vocabulary.add_argument(
        "--read-vocab",
        metavar="FILE",
        help="take words and counts from this file, `word count` per line, instead of counting",
    )
    _add_pairs(parser)
    _add_start(parser)
    _add_checkpoint(parser)
    add_running(parser)
    add_max_memory(parser)
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


def _add_pairs(parser: ArgumentParser) -> None:
    """What only pairs have."""
    pairs = parser.add_argument_group("pairs, instead of text")
    pairs.add_argument(
        "--pairs",
        action="store_true",
        help="CORPUS has a pair a line, `word context` or `word context weight`, or is a Parquet file",
    )
    add_option(pairs, "min_context_count", quantity, "N", "rarer contexts are left out, if not as with --min-count")
    pairs.add_argument("--read-contexts", metavar="FILE", help="take contexts and counts from this file")
    pairs.add_argument("--columns", metavar="W,C[,N]", help="the columns of words, contexts and weights in Parquet")


def _add_start(parser: ArgumentParser) -> None:
    """Where to begin."""
    start = parser.add_argument_group("going on from vectors")
    start.add_argument(
        "--start", metavar="MODEL", help="begin with the vectors of this file, and with the options it was made with"
    )
    start.add_argument("--grow", action="store_true", help="keep its words that the corpus does not have, too")
    start.add_argument("--freeze", choices=["words", "contexts"], help="leave these as they are in MODEL")


def _add_checkpoint(parser: ArgumentParser) -> None:
    """What an interruption leaves."""
    going_on = parser.add_argument_group("interruptions")
    going_on.add_argument(
        "--checkpoint", metavar="DIR", help="write checkpoints to this folder, the last two of which stay"
    )
    going_on.add_argument(
        "--every", metavar="WHEN", help="how often: 90s, 5m, 1h, a number of words such as 20000000, or epoch (5m)"
    )
    going_on.add_argument(
        "--resume", metavar="DIR", help="go on with the training in this folder; no other argument is needed"
    )


def _window(text: str) -> int | str:
    return text if text == "sentence" else whole(text)


def run(args: Namespace) -> None:
    """Do it."""
    from pairloom import formats
    from pairloom.config import split_options
    from pairloom.training.checkpoint import Checkpoints

    if args.resume is not None:
        args = recall(args)
    _check_complete(args)
    options = given(args, OPTIONS)
    split_options(options)
    checked_threads(args.threads)
    checked_size(args.max_memory)
    for path in filter(None, (args.output, args.contexts_output)):
        formats.check_output(path)
        check_not_read(path, *args.corpus, args.keep, args.drop, args.read_vocab, args.read_contexts, args.start)
    checkpoints = None
    if args.checkpoint is not None:
        checkpoints = Checkpoints(args.checkpoint, args.every or "5m", args.resume is not None, typed(args))
    began = time.perf_counter()
    with progress(args.quiet) as on_progress, stopping(checkpoints):
        embedding = (_of_pairs if args.pairs else _of_text)(args, options, checkpoints, on_progress)
    facts = {"output": str(args.output), "seconds": round(time.perf_counter() - began, 2), **summary(embedding)}
    if args.json:
        print(json.dumps(facts, indent=2))
    elif not args.quiet:
        print(_sentence(facts))


def _check_complete(args: Namespace) -> None:
    """What --resume finds in its folder must otherwise be typed."""
    if not args.corpus:
        raise InputError(
            "There is no corpus. Name a file, a folder or - for standard input; see: pairloom train --help"
        )
    if args.output is None:
        raise InputError("There is no file to write. Name one by -o, such as -o king.loom")
    if args.every is not None and args.checkpoint is None:
        raise InputError(
            "--every says how often a checkpoint is written, and there is no folder. Name it: --checkpoint"
        )


def _of_text(
    args: Namespace, options: dict[str, Any], checkpoints: "Checkpoints | None", on_progress: "OnProgress"
) -> "Embedding":
    from pairloom.corpus.vocabulary import Vocabulary
    from pairloom.training.train import train

    for name in ("read_contexts", "columns"):
        if getattr(args, name):
            raise InputError(f"--{name.replace('_', '-')} is for --pairs; the words of a text are its contexts.")
    return train(
        source(args.corpus),
        threads=args.threads,
        keep=words_in(args.keep),
        drop=words_in(args.drop),
        vocabulary=Vocabulary.read(args.read_vocab) if args.read_vocab else None,
        start=args.start,
        grow=args.grow,
        freeze=args.freeze,
        output=args.output,
        contexts_output=args.contexts_output,
        checkpoint=checkpoints,
        cache_dir=args.cache_dir,
        max_memory=args.max_memory,
        on_progress=on_progress,
        **options,
    )


def _of_pairs(
    args: Namespace, options: dict[str, Any], checkpoints: "Checkpoints | None", on_progress: "OnProgress"
) -> "Embedding":
    from pairloom.corpus.vocabulary import Vocabulary
    from pairloom.training.train import train_pairs

    for name in ("keep", "drop", "grow"):
        if getattr(args, name):
            raise InputError(f"--{name} is for text. Change the pairs instead, or their vocabularies.")
    words, contexts = (Vocabulary.read(path) if path else None for path in (args.read_vocab, args.read_contexts))
    return train_pairs(
        source(args.corpus),
        words=words,
        contexts=contexts,
        columns=args.columns.split(",") if args.columns else None,
        start=args.start,
        freeze=args.freeze,
        threads=args.threads,
        output=args.output,
        contexts_output=args.contexts_output,
        checkpoint=checkpoints,
        cache_dir=args.cache_dir,
        max_memory=args.max_memory,
        on_progress=on_progress,
        **options,
    )


def _sentence(facts: dict[str, Any]) -> str:
    loss = facts["heldout_loss"]
    held_out = "nothing held out" if loss is None else f"held-out loss {loss:.4f}"
    words = f"{facts['words']:,} words, {facts['dim']} dimensions"
    if "start" in facts:
        words += f", {facts['start']['words']:,} words and {facts['start']['contexts']:,} contexts from the start"
    return f"{facts['output']}: {words}, {held_out}, {facts['seconds']:.1f} s"
