"""pairloom word2vec: train with the flags, defaults and files of Mikolov's word2vec."""

import json
import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pairloom.cli.arguments import DECODING, add_as_text, add_decoding, add_json, explicit_options, number, whole_number
from pairloom.cli.console import print_message, progress
from pairloom.cli.files import check_not_read, input_paths, is_same_file
from pairloom.config import TextOptions
from pairloom.errors import InputError
from pairloom.system.extras import need

if TYPE_CHECKING:
    from pairloom.corpus.vocabulary import Vocabulary
    from pairloom.vectors.embedding import Embedding

GROUP = "word2vec"
PURPOSE = "train like word2vec: same flags, same files"
EXAMPLE = "pairloom word2vec -train text8 -output vectors.bin -size 200 -window 8 -negative 25 -binary 1"

OPTION_NAMES = {
    "dim": "-size",
    "window": "-window",
    "sample": "-sample",
    "negatives": "-negative",
    "epochs": "-iter",
    "min_count": "-min-count",
    "lr": "-alpha",
    "min_lr": "-alpha",
}
_MAX_SENTENCE = 1000  # words: the original's MAX_SENTENCE_LENGTH
_FLAGS: tuple[tuple[str, Any, Any, str], ...] = (
    ("size", whole_number, 100, "length of the vectors"),
    ("window", whole_number, 5, "largest distance of a context"),
    ("sample", number, 1e-3, "thin out words that make up more than this share of the text"),
    ("hs", whole_number, 0, "1: learn by hierarchical softmax"),
    ("negative", whole_number, 5, "number of negatives, contexts drawn at random, for each pair"),
    ("threads", whole_number, 12, "number of threads, at most one for each core"),
    ("iter", whole_number, 5, "number of passes over the text"),
    ("min-count", whole_number, 5, "remove words that occur fewer than N times"),
    ("alpha", number, None, "learning rate at the start (default: 0.05 for -cbow 1, 0.025 for -cbow 0)"),
    ("classes", whole_number, 0, "write N word classes instead of vectors (needs scikit-learn)"),
    ("debug", whole_number, 2, "0: print no progress and no summary"),
    ("binary", whole_number, 0, "1: write the binary format"),
    ("cbow", whole_number, 1, "1: continuous bag of words, 0: skip-gram"),
)


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("-train", metavar="FILE", required=True, help="the text")
    parser.add_argument("-output", metavar="FILE", help="write the vectors, or the word classes, to this file")
    for name, kind, default, meaning in _FLAGS:
        shown = "" if default is None else f" (default: {default})"
        parser.add_argument(f"-{name}", type=kind, default=default, metavar="N", help=meaning + shown)
    parser.add_argument("-save-vocab", metavar="FILE", help="write the words and their counts to this file")
    parser.add_argument("-read-vocab", metavar="FILE", help="read the words and their counts from this file")
    add_decoding(parser)
    add_as_text(parser)
    add_json(parser)
    parser.epilog = (
        f"example: {EXAMPLE}\n\n"
        "Differences from word2vec: -hs 1 turns negative sampling off, </s> gets no vector, and any number of threads\n"
        "gives the same bytes."
    )


def run(args: Namespace) -> None:
    from pairloom.corpus.vocabulary import Vocabulary
    from pairloom.system.files import check_folder
    from pairloom.system.locks import claim

    _check(args)
    for path in filter(None, (args.output, args.save_vocab)):
        check_folder(path)
        check_not_read(path, args.train, args.read_vocab)
    vocabulary = _read_vocabulary(args) if args.read_vocab else None
    if args.debug > 0 and args.output:
        for line in _differences(args):
            print_message(f"pairloom word2vec: {line}")
    if args.output:
        with claim(args.output):
            embedding = _train(args, vocabulary)
            _write(embedding, args)
        vocabulary = Vocabulary(tuple(embedding.words.words), embedding.words.counts)
    elif vocabulary is None:
        vocabulary = _count(args)
    if args.save_vocab:
        vocabulary.save(args.save_vocab)
    _report(args, vocabulary)


def _read_vocabulary(args: Namespace) -> "Vocabulary":
    """The vocabulary of -read-vocab. Like the original, apply -min-count to it too."""
    from pairloom.corpus.vocabulary import Vocabulary

    read = Vocabulary.read(args.read_vocab)
    counted = zip(read.words, read.counts.tolist(), strict=True)
    return Vocabulary.of((word, n) for word, n in counted if n >= args.min_count)


def _check(args: Namespace) -> None:
    if not args.output and not args.save_vocab:
        raise InputError("No output is named. Name a file with -output or -save-vocab.")
    if args.output and args.save_vocab and is_same_file(args.output, args.save_vocab):
        raise InputError(f"{args.output} cannot hold both the vectors and the words. Choose another name for one.")
    if args.classes:
        need("sklearn.cluster", "sklearn", "-classes")  # before the training, not after it
    for name in ("hs", "cbow", "binary"):
        if getattr(args, name) not in (0, 1):
            raise InputError(f"-{name} {getattr(args, name)} is neither 0 nor 1. Use one of these.")
    if args.negative == 0 and not args.hs:
        raise InputError("-negative 0 -hs 0 leaves nothing to learn from. Use -negative 5.")
    if args.threads < 1:
        raise InputError(f"-threads {args.threads} is not a number of threads. Use 1 or more.")
    if args.classes < 0:
        raise InputError(f"-classes {args.classes} is not a number of classes. Use 0 (vectors) or more.")


def _differences(args: Namespace) -> Iterator[str]:
    """What these flags do differently from the original."""
    if args.hs and args.negative:
        yield "-hs 1 turns negative sampling off. Add -negative 0 to silence this message."
    yield "the end of a line is not a word </s>, so the output has one row less."


def _train(args: Namespace, vocabulary: "Vocabulary | None") -> "Embedding":
    from pairloom.training.train import train

    min_count = {} if vocabulary else {"min_count": args.min_count}
    usual = 0.05 if args.cbow else 0.025
    alpha = usual if args.alpha is None else args.alpha
    with progress(args.debug < 1) as on_progress:
        return train(
            input_paths([args.train]),
            vocabulary=vocabulary,
            threads=min(args.threads, os.cpu_count() or 1),
            on_progress=on_progress,
            dim=args.size,
            window=args.window,
            sample=args.sample,
            epochs=args.iter,
            model="cbow" if args.cbow else "skipgram",
            objective="hs" if args.hs else "negative",
            negatives=5 if args.hs else args.negative or 5,
            cbow_gradient="undivided" if args.cbow else "derivative",  # as in the original
            lr=alpha,
            min_lr=alpha * 1e-4,
            max_sentence=_MAX_SENTENCE,
            heldout=0.0,
            **min_count,
            **explicit_options(args, (*DECODING, "as_text")),
        )


def _count(args: Namespace) -> "Vocabulary":
    from pairloom.corpus.sentences import open_corpus
    from pairloom.corpus.vocabulary import Vocabulary, WordSelection

    text = TextOptions(**explicit_options(args, (*DECODING, "as_text")))
    with open_corpus(input_paths([args.train]), text=text) as corpus, progress(args.debug < 1) as on_progress:
        return Vocabulary.from_corpus(corpus, WordSelection(min_count=args.min_count), on_progress=on_progress)


def _write(embedding: "Embedding", args: Namespace) -> None:
    from pairloom.formats import write_word2vec as word2vec

    if args.classes:
        from pairloom.vectors.classes import word_classes

        word_classes(embedding.words, args.classes).save(args.output)
    elif args.binary:
        word2vec.write_binary(embedding.words, args.output)
    else:
        word2vec.write_text(embedding.words, args.output)


def _report(args: Namespace, vocabulary: "Vocabulary") -> None:
    facts = {"output": args.output, "vocabulary": args.save_vocab}
    facts |= {"words": len(vocabulary), "tokens": vocabulary.n_tokens}
    if args.json:
        print(json.dumps(facts))
    elif args.debug > 0:
        print(f"Vocab size: {len(vocabulary)}\nWords in train file: {vocabulary.n_tokens}")
