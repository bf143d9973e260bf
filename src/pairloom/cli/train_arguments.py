"""The arguments of `pairloom train`, in groups."""

import argparse
from argparse import ArgumentParser
from typing import get_args

from pairloom.cli.arguments import (
    add_choice,
    add_corpus,
    add_option,
    add_running,
    add_switch,
    add_vocabulary,
    number,
    whole_number,
    whole_number_or_fraction,
)
from pairloom.preparing.inspection.presets import Preset


def add_train_arguments(parser: ArgumentParser) -> None:
    """All of them, in the order of --help."""
    forms = ("CORPUS [CORPUS ...] -o OUT [options]", "--config FILE [options]", "--resume DIR [options]")
    parser.usage = "\n       ".join(f"%(prog)s {form}" for form in forms)
    _add_output(parser)
    add_corpus(parser, nargs="*")
    add_read_vocab(add_vocabulary(parser))
    _add_model(parser)
    _add_windows(parser)
    _add_learning(parser)
    _add_pairs(parser)
    _add_start(parser)
    _add_checkpoints(parser)
    _add_cluster(parser)
    add_running(parser, max_memory=True, cache_dir=True)


def add_read_vocab(group: argparse._ActionsContainer) -> None:
    """--read-vocab."""
    group.add_argument(
        "--read-vocab",
        metavar="FILE",
        help="read the words and their counts from this file (`word count` per line) instead of counting",
    )


def _add_output(parser: ArgumentParser) -> None:
    output = parser.add_argument_group("output")
    output.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        help="the file to write. A .loom file holds the whole model; .bin, .vec and .txt hold only the vectors of the "
        "words, for other tools",
    )
    output.add_argument(
        "--contexts-output", metavar="OUT", help="write the vectors of the contexts to this file too (.bin, .vec)"
    )
    output.add_argument(
        "--report",
        metavar="OUT.html",
        help="write a page that says whether it learnt, with the learning curve, speed and sample neighbours",
    )
    add_evaluate(output, "for --report: ")


def add_evaluate(group: argparse._ActionsContainer, when: str = "") -> None:
    """--evaluate."""
    group.add_argument(
        "--evaluate",
        metavar="FILE",
        nargs="+",
        action="extend",
        default=[],
        help=f"{when}files of analogies, similarities or categories to score the model by, as for `pairloom evaluate`",
    )


def _add_model(parser: ArgumentParser) -> None:
    model = parser.add_argument_group("what is learnt")
    model.add_argument(
        "--preset",
        choices=get_args(Preset),
        help="options for a kind of data, those that are given win: small, standard or large texts, items of sessions, "
        "or walks over a graph",
    )
    add_option(model, "dim", whole_number, "D", "length of the vectors")
    add_choice(
        model,
        "model",
        "skipgram: a word predicts each of its contexts. cbow: the contexts together predict the word. sppmi-svd: "
        "factorise the word-context matrix that skipgram approximates, without training",
    )
    add_choice(model, "objective", "negative sampling, hierarchical softmax, or softmax over all contexts")
    add_choice(
        model,
        "cbow_gradient",
        "cbow: a context takes its share of a step, as the derivative says, or the whole step, as in word2vec",
    )
    add_option(model, "negatives", whole_number, "K", "number of negatives, contexts drawn at random, for each pair")
    add_option(model, "noise_power", number, "P", "draw negatives in proportion to their count to the power P")


def _add_windows(parser: ArgumentParser) -> None:
    windows = parser.add_argument_group("windows (which pairs a text holds)")
    add_option(windows, "window", window, "N", "largest distance of a context, or `sentence` for the whole line")
    add_option(windows, "left", whole_number, "N", "largest distance to the left, if it differs from --window")
    add_option(windows, "right", whole_number, "N", "largest distance to the right, if it differs from --window")
    add_choice(
        windows,
        "window_shape",
        "dynamic: each token draws a distance from 1 to N for both sides. linear: one for each side. harmonic: a "
        "context at distance d takes part with probability 1/d. fixed: always N",
    )
    add_switch(windows, "positional", "a context is a word and its position, for example dog_+1")
    add_switch(windows, "clean", "take windows before rare words are removed and frequent words thinned out, not after")
    add_option(
        windows,
        "sample",
        number,
        "T",
        "thin out words that make up more than this share of the text; 0 keeps all tokens",
    )
    add_choice(
        windows, "subsampling", "thin out by the formula of the word2vec program, or by the one published with it"
    )


def window(text: str) -> int | str:
    """For argparse: a whole number, or `sentence`."""
    return text if text == "sentence" else whole_number(text)


def _add_learning(parser: ArgumentParser) -> None:
    learning = parser.add_argument_group("learning")
    for name, kind, metavar, meaning in (
        ("epochs", whole_number, "N", "number of passes over the text"),
        (
            "lr",
            number,
            "R",
            "learning rate at the start, which falls linearly (default: 0.025; for cbow 0.15, or 0.05 if undivided; "
            "for softmax 0.1)",
        ),
        ("min_lr", number, "R", "learning rate at the end"),
        ("seed", whole_number, "N", "seed of all random draws; the same seed gives the same bytes"),
        (
            "heldout",
            number,
            "SHARE",
            "share of sentences to hold out and measure the loss on, more in a small text; 0 for none",
        ),
        ("patience", whole_number, "N", "stop after N epochs without a lower held-out loss, and keep the best vectors"),
    ):
        add_option(learning, name, kind, metavar, meaning)


def _add_pairs(parser: ArgumentParser) -> None:
    pairs = parser.add_argument_group("training on pairs instead of text")
    pairs.add_argument(
        "--pairs",
        action="store_true",
        help="CORPUS holds pairs: `word context` or `word context weight` per line, or a Parquet file",
    )
    add_option(
        pairs,
        "min_context_count",
        whole_number_or_fraction,
        "N",
        "remove contexts that occur fewer than N times (default: as --min-count)",
    )
    pairs.add_argument(
        "--read-contexts", metavar="FILE", help="read the contexts and their counts from this file, as --read-vocab"
    )
    pairs.add_argument(
        "--columns", metavar="W,C[,N]", help="names of the Parquet columns of words, contexts and weights"
    )


def _add_start(parser: ArgumentParser) -> None:
    start = parser.add_argument_group("starting from a trained model")
    start.add_argument(
        "--start", metavar="MODEL", help="begin with the vectors of this model, and use its options as defaults"
    )
    start.add_argument("--grow", action="store_true", help="also keep the words of MODEL that the corpus does not have")
    start.add_argument(
        "--freeze", choices=["words", "contexts"], help="leave the vectors of MODEL's words or contexts unchanged"
    )


def _add_checkpoints(parser: ArgumentParser) -> None:
    checkpoints = parser.add_argument_group("checkpoints")
    checkpoints.add_argument(
        "--checkpoint", metavar="DIR", help="write checkpoints to this folder and keep the last two"
    )
    checkpoints.add_argument(
        "--every",
        metavar="WHEN",
        help="how often: a time (90s, 5m, 1h), a number of words (20000000) or `epoch` (default: 5m)",
    )
    checkpoints.add_argument(
        "--resume", metavar="DIR", help="resume the training in this folder; no other argument is needed"
    )


def _add_cluster(parser: ArgumentParser) -> None:
    cluster = parser.add_argument_group("training on a cluster (with the extra ray); the vectors are the same")
    cluster.add_argument(
        "--ray",
        metavar="ADDRESS",
        help="train on workers of Ray: `local` starts one on this machine for this training, `auto` or for example "
        "10.0.0.1:6379 is a cluster that runs already, and `none` resumes without one",
    )
    cluster.add_argument(
        "--workers",
        type=whole_number,
        metavar="N",
        help="number of workers, each with its share of the vectors (default: 2); --threads is for each of them",
    )
    cluster.add_argument(
        "--copies",
        metavar="DIR",
        help="keep copies of the workers' rows in this folder, which all machines must see, and not on other workers",
    )
    cluster.add_argument("--round-log", metavar="FILE", help="append a line to this file for every round")
