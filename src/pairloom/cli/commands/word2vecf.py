"""pairloom word2vecf: the flags, defaults and files of Levy and Goldberg's program, trained by ours."""

import json
import os
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from pairloom.cli.arguments import number, whole
from pairloom.cli.commands.inputs import check_not_read, source
from pairloom.cli.console import progress
from pairloom.corpus.finding import would_overwrite
from pairloom.errors import InputError

if TYPE_CHECKING:
    from pairloom.vectors.embedding import Embedding
    from pairloom.vectors.vectors import Vectors

PURPOSE = "train on pairs as word2vecf does: same flags, same files"
EXAMPLE = "pairloom word2vecf -train dep.contexts -wvocab wv -cvocab cv -output words.vec -dumpcv contexts.vec"

TYPED = {"dim": "-size", "sample": "-sample", "negatives": "-negative", "epochs": "-iters", "lr": "-alpha"}
_FLAGS: tuple[tuple[str, Any, Any, str], ...] = (
    ("size", whole, 100, "the length of the vectors"),
    ("sample", number, 0.0, "thin out words and contexts that are more frequent than this"),
    ("negative", whole, 15, "drawn contexts for every pair"),
    ("threads", whole, 1, "at most so many threads, and no more than there are cores"),
    ("iters", whole, 1, "times that the pairs are read"),
    ("min-count", whole, 5, "rarer words and contexts are left out, where no vocabulary is given"),
    ("alpha", number, 0.025, "the learning rate at the start"),
    ("debug", whole, 2, "0 says nothing while it works"),
    ("binary", whole, 0, "1 writes the binary format"),
)


def arguments(parser: ArgumentParser) -> None:
    """What can be typed after it: single dashes, as in the original."""
    parser.add_argument("-train", metavar="FILE", required=True, help="the pairs, `word context` per line")
    parser.add_argument("-output", metavar="FILE", required=True, help="the vectors of the words")
    parser.add_argument("-dumpcv", metavar="FILE", help="the vectors of the contexts")
    parser.add_argument("-wvocab", metavar="FILE", help="words and their counts; counted if left out")
    parser.add_argument("-cvocab", metavar="FILE", help="contexts and their counts")
    for name, kind, default, meaning in _FLAGS:
        parser.add_argument(f"-{name}", type=kind, default=default, metavar="N", help=f"{meaning} ({default})")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.epilog = (
        f"example: {EXAMPLE}\n\n"
        "What differs: the first pair is trained too, every context can be drawn as noise, the vocabularies may be\n"
        "left out, and the bytes are the same for any number of threads."
    )


def run(args: Namespace) -> None:
    """Train and write."""
    from pairloom.system.files import check_folder
    from pairloom.system.locks import claim

    if args.binary not in (0, 1):
        raise InputError(f"-binary {args.binary} is neither 0 nor 1. Use one of these.")
    if args.threads < 1:
        raise InputError(f"-threads {args.threads} is not a number of threads. Use 1 or more.")
    for path in filter(None, (args.output, args.dumpcv)):
        check_folder(path)
        check_not_read(path, args.train, args.wvocab, args.cvocab)
    if args.dumpcv and would_overwrite(args.dumpcv, [args.output]):
        raise InputError(f"{args.output} cannot hold both words and contexts. Choose another name for one of them.")
    with claim(args.output):
        embedding = _trained(args)
        _write(embedding.words, args.output, args.binary)
    if args.dumpcv:
        _write(embedding.contexts, args.dumpcv, args.binary)
    _report(args, embedding)


def _trained(args: Namespace) -> "Embedding":
    from pairloom.corpus.vocabulary import Vocabulary
    from pairloom.training.train import train_pairs

    words, contexts = (Vocabulary.read(path) if path else None for path in (args.wvocab, args.cvocab))
    counting = {} if words else {"min_count": args.min_count}
    counting |= {} if contexts else {"min_context_count": args.min_count}
    with progress(args.debug < 1) as on_progress:
        return train_pairs(
            source([args.train]),
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
