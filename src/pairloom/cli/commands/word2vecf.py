"""pairloom word2vecf: train on pairs, with the flags, defaults and files of Levy and Goldberg's word2vecf."""

import json
import os
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from pairloom.cli.arguments import DECODING, add_decoding, add_json, explicit_options, number, whole_number
from pairloom.cli.console import progress
from pairloom.cli.files import check_not_read, input_paths, is_same_file
from pairloom.errors import InputError

if TYPE_CHECKING:
    from pairloom.vectors.embedding import Embedding
    from pairloom.vectors.vectors import Vectors

GROUP = "word2vec"
PURPOSE = "train on pairs like word2vecf: same flags, same files"
EXAMPLE = "pairloom word2vecf -train dep.contexts -wvocab wv -cvocab cv -output words.vec -dumpcv contexts.vec"

OPTION_NAMES = {
    "dim": "-size",
    "sample": "-sample",
    "negatives": "-negative",
    "epochs": "-iters",
    "min_count": "-min-count",
    "min_context_count": "-min-count",
    "lr": "-alpha",
    "min_lr": "-alpha",
}
_FLAGS: tuple[tuple[str, Any, Any, str], ...] = (
    ("size", whole_number, 100, "length of the vectors"),
    ("sample", number, 0.0, "thin out words and contexts that make up more than this share of the pairs"),
    ("negative", whole_number, 15, "number of negatives, contexts drawn at random, for each pair"),
    ("threads", whole_number, 1, "number of threads, at most one for each core"),
    ("iters", whole_number, 1, "number of passes over the pairs"),
    ("min-count", whole_number, 5, "without vocabularies, remove words and contexts that occur fewer than N times"),
    ("alpha", number, 0.025, "learning rate at the start"),
    ("debug", whole_number, 2, "0: print no progress and no summary"),
    ("binary", whole_number, 0, "1: write the binary format"),
)


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("-train", metavar="FILE", required=True, help="the pairs, `word context` per line")
    parser.add_argument("-output", metavar="FILE", required=True, help="write the vectors of the words to this file")
    parser.add_argument("-dumpcv", metavar="FILE", help="write the vectors of the contexts to this file")
    parser.add_argument("-wvocab", metavar="FILE", help="words and their counts (default: counted)")
    parser.add_argument("-cvocab", metavar="FILE", help="contexts and their counts (default: counted)")
    for name, kind, default, meaning in _FLAGS:
        parser.add_argument(f"-{name}", type=kind, default=default, metavar="N", help=f"{meaning} (default: {default})")
    add_decoding(parser)
    add_json(parser)
    parser.epilog = (
        f"example: {EXAMPLE}\n\n"
        "Differences from word2vecf: the first pair is trained too, every context can be drawn as a negative,\n"
        "the vocabularies are optional, and any number of threads gives the same bytes."
    )


def run(args: Namespace) -> None:
    from pairloom.system.files import check_folder
    from pairloom.system.locks import claim

    if args.binary not in (0, 1):
        raise InputError(f"-binary {args.binary} is neither 0 nor 1. Use one of these.")
    if args.threads < 1:
        raise InputError(f"-threads {args.threads} is not a number of threads. Use 1 or more.")
    for path in filter(None, (args.output, args.dumpcv)):
        check_folder(path)
        check_not_read(path, args.train, args.wvocab, args.cvocab)
    if args.dumpcv and is_same_file(args.dumpcv, args.output):
        raise InputError(f"{args.output} cannot hold both words and contexts. Choose another name for one of them.")
    with claim(args.output):
        embedding = _train(args)
        _write(embedding.words, args.output, args.binary)
    if args.dumpcv:
        _write(embedding.contexts, args.dumpcv, args.binary)
    _report(args, embedding)


def _train(args: Namespace) -> "Embedding":
    from pairloom.corpus.vocabulary import Vocabulary
    from pairloom.training.train import train_pairs

    words, contexts = (Vocabulary.read(path) if path else None for path in (args.wvocab, args.cvocab))
    counting = {} if words else {"min_count": args.min_count}
    counting |= {} if contexts else {"min_context_count": args.min_count}
    with progress(args.debug < 1) as on_progress:
        return train_pairs(
            input_paths([args.train]),
            words=words,
            contexts=contexts,
            threads=min(args.threads, os.cpu_count() or 1),
            on_progress=on_progress,
            dim=args.size,
            sample=args.sample,
            negatives=args.negative,
            epochs=args.iters,
            lr=args.alpha,
            min_lr=args.alpha * 1e-4,
            heldout=0.0,
            **counting,
            **explicit_options(args, DECODING),
        )


def _write(vectors: "Vectors", path: str, binary: int) -> None:
    from pairloom.formats import write_word2vec as word2vec

    (word2vec.write_binary if binary else word2vec.write_text)(vectors, path)


def _report(args: Namespace, embedding: "Embedding") -> None:
    facts = {"output": args.output, "contexts_output": args.dumpcv}
    facts |= {"words": len(embedding.words), "contexts": len(embedding.contexts)}
    if args.json:
        print(json.dumps(facts))
    elif args.debug > 0:
        print(f"WVocab size: {facts['words']}\nCVocab size: {facts['contexts']}")
